//! Simulated robot: the firmware's tasks with the devices of the physics model, for model runs and
//! calibration runs.

use std::{cell::RefCell, rc::Rc};

use tinystar::{
    boards::ZUMO2040,
    config,
    drivers::proximity::PulsedProximity,
    fault::Fault,
    signals::Signals,
    tasks::{self, SharedNavigator},
};

use crate::physics::{
    devices::{
        ButtonPress, FlashMemory, SerialCable, SharedModel, SimFlash, SimInfrared, SimMotors,
        SimOdometry, SimPanel, SimSystemMonitor,
    },
    executor,
    faults::{FaultyInfrared, FaultyMotors, FaultyOdometry, FaultyProximity, InjectedFault},
};

/// Zumo 2040 in a physics model.
pub(super) struct SimRobot {
    pub model: SharedModel,
    pub flash: Rc<RefCell<FlashMemory>>,
    /// USB cable to a desktop.
    pub cable: SerialCable,
    pub presses: Vec<ButtonPress>,
    pub faults: Vec<InjectedFault>,
    /// Fault that ended the last run, if any.
    pub reset_cause: Option<Fault>,
}

impl SimRobot {
    /// Runs the firmware's tasks until the watchdog times out.
    pub(super) async fn run(self, signals: &Signals, navigator: &SharedNavigator<'_>) {
        let faults = &self.faults[..];
        let infrared = FaultyInfrared {
            inner: SimInfrared::new(self.model.clone()),
            faults,
        };
        let pulsed = PulsedProximity::new(infrared, &signals.calibration());
        let mut proximity = FaultyProximity::new(pulsed, faults);
        let mut odometry = FaultyOdometry::new(SimOdometry(self.model.clone()), faults);
        let mut motors = FaultyMotors {
            inner: SimMotors(self.model.clone()),
            model: self.model.clone(),
            faults,
        };
        let mut panel = SimPanel {
            presses: self.presses,
            faults: self.faults.clone(),
        };
        let watchdog = SimSystemMonitor::new(self.model, config::WATCHDOG, self.reset_cause);
        let mut system = watchdog.clone();
        let storage = SimFlash {
            memory: self.flash,
            erase_pause: config::ERASE_PAUSE,
        };
        let (rx, tx) = self.cable.robot_end();
        executor::run([
            Box::pin(async { tasks::sense(signals, &ZUMO2040, &mut proximity).await }),
            Box::pin(async { tasks::drive(signals, &ZUMO2040, &mut odometry, &mut motors).await }),
            Box::pin(async { tasks::plan(signals, &ZUMO2040, navigator).await }),
            Box::pin(async { tasks::panel(signals, &ZUMO2040, &mut panel).await }),
            Box::pin(async { tasks::report(signals, navigator, rx, tx).await }),
            Box::pin(async { tasks::store(signals, &ZUMO2040, navigator, storage).await }),
            Box::pin(async { tasks::supervise(signals, &ZUMO2040, &mut system).await }),
            Box::pin(watchdog.timeout()),
        ])
        .await;
    }
}
