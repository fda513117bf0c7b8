//! Figure 4: rooms that the robot knows and whose doors open and close.
//!
//! The paper does not say how often doors change; here half of them are closed at first, and one is
//! tried in every other tick.

use planner_core::Cell;

use super::{
    Contender, Measured, Trial, Unit,
    contender::{
        LRTA, LSS, LSS_PATH, NOOP, RTD_ANYTIME, RTD_ANYTIME_CONSTANT, RTD_ANYTIME_FREE,
        RTD_ANYTIME_MORE, RTD_LRTA, RTD_LSS, UNLIMITED, all,
    },
};
use crate::{
    catalog::{Moves, Name},
    lab::experiment::{report::Report, sweep::Sweep},
    world::{doors::Doors, rooms},
};

pub const NAME: &str = "dynamic-world";
/// Sequences of changes.
pub const RUNS: u32 = 100;
pub const SIDE: u16 = 100;
/// Doors tried in a tick.
pub const RATE: f64 = 0.5;
/// Some never arrive.
const MAX_RATIO: u64 = 100;

/// Runs the experiment at a rate of doors per tick; with the planners of some names, or with all and a verdict on every
/// claim of the paper.
///
/// # Errors
/// A planner failed.
pub fn measure(sweep: Sweep, unit: Unit, rate: f64, names: &[Name]) -> anyhow::Result<Report> {
    let measured = run(sweep, unit, rate, &all(names))?;
    let title = format!(
        "Real-Time D* in changing worlds: {} sequences in rooms of {SIDE}x{SIDE}, {rate} doors \
         tried in a tick, seed {}",
        sweep.runs, sweep.seed
    );
    let claims = names.is_empty().then(|| claims(&measured));
    Ok(measured.report(NAME, title, sweep, claims))
}

/// Runs contenders in the worlds.
pub(super) fn run(
    sweep: Sweep,
    unit: Unit,
    rate: f64,
    contenders: &[Contender],
) -> anyhow::Result<Measured> {
    let trials = sweep.each(NAME, |_, mut rng| {
        let mut rooms = rooms::rooms(SIDE, SIDE, &mut rng)?;
        let ideal = rooms.grid.clone();
        let doors = Doors::new(&mut rooms, rate, rng);
        let trial = Trial {
            world: rooms.grid,
            start: Cell::new(0, 0),
            goal: Cell::new(SIDE - 1, SIDE - 1),
            moves: Moves::Eight,
            sensor: None,
            doors: Some(doors),
            ideal,
            max_ratio: MAX_RATIO,
        };
        trial.results(contenders, unit)
    })?;
    Ok(Measured::new(contenders, unit, trials))
}

/// The paper's claims about Figure 4, judged by ticks.
fn claims(measured: &Measured) -> Vec<String> {
    let [rtd_lrta, ..] = RTD_LRTA;
    let [rtd_lss_25, rtd_lss, _] = RTD_LSS;
    vec![
        measured.less("Real-Time D* over LRTA* beats LRTA* at all but the lowest limits", rtd_lrta, LRTA),
        measured.gains_more("... and by more, the larger the limit", rtd_lrta, LRTA),
        measured.less(
            "Real-Time D* over LSS-LRTA* is slightly worse than LSS-LRTA* at low limits and better at high ones",
            rtd_lss,
            LSS,
        ),
        measured.less("... and better than LSS-LRTA* that follows its path", rtd_lss, LSS_PATH),
        measured.converges(
            "Real-Time D* comes near to unlimited planning at the largest limit",
            5.0,
            rtd_lss,
            UNLIMITED,
        ),
        measured.less(
            "With Anytime D* Real-Time D* is better than with D* Lite at small limits",
            RTD_ANYTIME,
            rtd_lss,
        ),
        measured.less(
            "... read with an epsilon that stays at 3, so that no tick is spent on keys for another one",
            RTD_ANYTIME_CONSTANT,
            rtd_lss,
        ),
        measured.less(
            "... read so, and with three quarters of a tick for the global search, as with D* Lite",
            RTD_ANYTIME_MORE,
            rtd_lss_25,
        ),
        measured.less(
            "... read so, and with re-queues that are not charged, which no bound of a tick allows",
            RTD_ANYTIME_FREE,
            rtd_lss,
        ),
        measured.less("... and than LSS-LRTA*", RTD_ANYTIME_CONSTANT, LSS),
        measured.less("Moving while D* Lite searches beats waiting for it", rtd_lss, NOOP),
    ]
}
