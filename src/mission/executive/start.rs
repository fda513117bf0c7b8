//! Start of a mission: from its goals to the first sensing.

use embassy_time::{Duration, Instant};
use planner_core::{Cell, GoalsError, Planner};

use super::{MissionExecutive, Step};
use crate::{
    config::{MOVED_BY_HAND_MDEG, START_STILL, START_TIMEOUT},
    log::debug,
    mission::{Activity, Mission},
    motion::CellSize,
    navigator::{self, Navigator},
    sensing::PlausibilityCheck,
    settings::Settings,
    telemetry::Refusal,
};

impl MissionExecutive<'_> {
    pub(super) fn start(&mut self, navigator: &mut Navigator) -> Result<(), Refusal> {
        if self.is_lost {
            return Err(Refusal::Lost);
        }
        self.send_load();
        self.stop = 0;
        self.begin_planning(navigator)
            .map_err(|_| Refusal::Invalid)?;
        self.activity = match self.activity {
            Activity::Going | Activity::NoPath => Activity::Going,
            _ => Activity::Starting,
        };
        (self.waits, self.saves, self.relocalisations) = (0, 0, 0);
        self.plausibility = PlausibilityCheck::default();
        match self.step {
            Step::Rest | Step::Wait { .. } => self.begin_sensing(),
            // Continues, and senses afterwards.
            Step::Save
            | Step::ClearMap { .. }
            | Step::Start { .. }
            | Step::Sense { .. }
            | Step::Decide { .. }
            | Step::Turn { .. }
            | Step::Drive
            | Step::Calibrate
            | Step::Doubt { .. }
            | Step::LearnBias { .. }
            | Step::Lose(_)
            | Step::Relocalise => {}
        }
        Ok(())
    }

    /// Gives the navigator the goals of the mission, from where the robot is.
    pub(super) fn begin_planning(&mut self, navigator: &mut Navigator) -> Result<(), GoalsError> {
        let home = [self.home.0];
        let (goals, explores): (&[Cell], bool) = match &self.mission {
            Mission::GoTo(cell) => (core::slice::from_ref(cell), false),
            Mission::Home => (&home, false),
            Mission::Patrol(stops) => {
                let next = usize::from(self.stop);
                (stops.get(next..=next).unwrap_or(&[]), false)
            }
            Mission::Explore(goals) => (goals, true),
        };
        if explores {
            self.plan_runs(navigator);
            navigator.set_explore_by_time(self.signals.settings().explores_by_time);
            navigator.set_goals(goals)?;
        } else {
            navigator.go_to(goals)?;
        }
        navigator.turn_to(self.heading);
        self.signals.set_goals(goals);
        Ok(())
    }

    /// Plans runs by time, at the speed level of the next one.
    fn plan_runs(&self, navigator: &mut Navigator) {
        let cell = CellSize::mm(self.cell_mm);
        let calibration = self.signals.calibration();
        let limits = navigator::run_limits(self.board, self.run_level, &calibration, cell);
        // Limits that allow no plan by time leave the shortest path.
        if navigator::plan_runs(navigator, limits).is_err() {
            debug!("runs are planned by cells");
        }
    }

    /// Starts once the robot has been still for [`START_STILL`] since the start command.
    pub(super) fn wait_until_still(&mut self, since: Instant) {
        let waited = self.now.saturating_duration_since(since);
        let still = Duration::from_millis(self.signals.still_ms().into()).min(waited);
        let left = START_STILL.checked_sub(still).unwrap_or(Duration::MIN);
        self.signals.set_countdown_ms(left.as_millis() as u32);
        if left == Duration::MIN {
            debug!("started");
            if self.is_at_home {
                // A hand may have turned it since.
                self.reset_pose();
            }
            self.activity = Activity::Going;
            self.bias_learned = self.now;
            self.begin_sensing();
        } else if waited > START_TIMEOUT {
            self.step = Step::Rest;
            self.rest();
        }
    }

    /// Notices that a resting robot was turned by hand, which loses the pose unless it stands at home.
    pub(super) fn check_moved_by_hand(&mut self) {
        let rests = matches!(
            self.step,
            Step::Rest | Step::Start { .. } | Step::Wait { .. }
        );
        let is_turned = self.signals.drive_state().pose.yaw_mdeg.abs() > MOVED_BY_HAND_MDEG;
        if rests && is_turned && !self.is_at_home && !self.is_lost {
            self.is_lost = true;
            self.step = Step::Rest;
            self.rest();
        }
    }
}

/// Mission of a robot that was not given another.
pub(super) fn default_mission(settings: &Settings) -> Mission {
    let goal = settings.goals.first().copied();
    Mission::GoTo(goal.unwrap_or(settings.field.home))
}
