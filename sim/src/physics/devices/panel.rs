//! Simulated buttons, display, LED and buzzer.

use embassy_time::{Duration, Instant, Timer};
use tinystar::robot::{Buttons, Panel, Screen};

use crate::physics::faults::{InjectedFault, pressed};

/// Duration of a display update: a kilobyte over SPI.
const SHOW: Duration = Duration::from_millis(2);

/// Scheduled button press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ButtonPress {
    /// Pressed buttons.
    pub buttons: Buttons,
    /// Start.
    pub from: Instant,
    pub held: Duration,
}

impl ButtonPress {
    /// Press of a typical duration.
    pub fn at(from: Instant, buttons: Buttons) -> Self {
        Self {
            buttons,
            from,
            held: Duration::from_millis(150),
        }
    }
}

/// Panel with scheduled button presses; its outputs only take time.
#[derive(Debug, Default)]
pub struct SimPanel {
    pub presses: Vec<ButtonPress>,
    /// Faults, of which the button presses count.
    pub faults: Vec<InjectedFault>,
}

impl Panel for SimPanel {
    async fn buttons(&mut self) -> Buttons {
        let now = Instant::now();
        let is_held = |press: &&ButtonPress| press.from <= now && now < press.from + press.held;
        let held = self.presses.iter().find(is_held);
        let mut buttons = held.map_or(Buttons::default(), |press| press.buttons);
        let [a, b, c] = pressed(&self.faults, now);
        buttons.a |= a;
        buttons.b |= b;
        buttons.c |= c;
        buttons
    }

    async fn show(&mut self, _: &Screen) {
        Timer::after(SHOW).await;
    }

    fn led(&mut self, _: bool) {}

    fn tone(&mut self, _: u32) {}
}
