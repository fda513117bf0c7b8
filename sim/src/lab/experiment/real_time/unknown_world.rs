//! Figure 3: worlds that the robot does not know and that do not change.
//!
//! The paper's maps are three of Warcraft, 161x161 cells, and 519 pairs of places in them. Here they
//! are maps that are given, drawn to that size, or caves.

use anyhow::Context;

use super::{
    Contender, Measured, Trial, Unit,
    contender::{
        LRTA, LSS, LSS_PATH, NOOP, RTD_ANYTIME, RTD_ANYTIME_CONSTANT, RTD_ANYTIME_FREE,
        RTD_ANYTIME_MORE, RTD_LRTA, RTD_LSS, UNLIMITED, all,
    },
};
use crate::{
    catalog::{Moves, Name},
    environment::Sensor,
    lab::experiment::{report::Report, sweep::Sweep},
    world::{Grid, adversarial, caves, corridors, random, rng::Rng},
};

pub const NAME: &str = "unknown-world";
/// Problems, as many as in the paper.
pub const RUNS: u32 = 519;
pub const SIDE: u16 = 161;
pub const RADIUS: u16 = 7;
/// D* Lite that waits for its first path at one expansion a tick needs this much.
const MAX_RATIO: u64 = 500;

/// Worlds that are generated, beside the paper's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Caves, in place of the paper's maps
    #[default]
    Caves,
    /// Mazes of corridors, 201x201 with 750 openings; four moves, radius 1
    Mazes,
    /// Random obstacles, 38 %; radius 1
    Random,
    /// Long dead ends side by side; four moves, radius 1
    Combs,
    /// One long corridor; four moves, radius 1
    Spirals,
}

impl Kind {
    fn moves(self) -> Moves {
        match self {
            Self::Caves | Self::Random => Moves::Eight,
            Self::Mazes | Self::Combs | Self::Spirals => Moves::Four,
        }
    }

    fn radius(self) -> u16 {
        if self == Self::Caves { RADIUS } else { 1 }
    }

    fn world(self, rng: &mut Rng) -> anyhow::Result<Grid> {
        Ok(match self {
            Self::Caves => caves::caves(SIDE, SIDE, rng)?,
            Self::Mazes => corridors::corridors(MAZE_SIDE, MAZE_SIDE, OPENINGS, rng)?,
            Self::Random => random::obstacles(SIDE, SIDE, 0.38, rng)?,
            Self::Combs => adversarial::comb(101)?,
            Self::Spirals => adversarial::spiral(41)?,
        })
    }
}

const MAZE_SIDE: u16 = 201;
const OPENINGS: u32 = 750;

/// Runs the experiment on maps in turn, or on worlds of a kind when there are none; with the planners of some names, or
/// with all and a verdict on every claim of the paper.
///
/// # Errors
/// A map has no two connected cells, or a planner failed.
pub fn measure(
    sweep: Sweep,
    unit: Unit,
    kind: Kind,
    maps: &[Grid],
    names: &[Name],
) -> anyhow::Result<Report> {
    let measured = run(sweep, unit, kind, maps, &all(names))?;
    let worlds = match maps.len() {
        0 => format!("{kind:?}").to_lowercase(),
        1 => format!("a given map of {SIDE}x{SIDE}"),
        count => format!("{count} given maps of {SIDE}x{SIDE}"),
    };
    let title = format!(
        "Real-Time D* in unknown worlds: {} problems on {worlds}, radius {}, seed {}",
        sweep.runs,
        kind.radius(),
        sweep.seed
    );
    let claims = names.is_empty().then(|| claims(&measured));
    Ok(measured.report(NAME, title, sweep, claims))
}

/// Runs contenders in the worlds.
pub(super) fn run(
    sweep: Sweep,
    unit: Unit,
    kind: Kind,
    maps: &[Grid],
    contenders: &[Contender],
) -> anyhow::Result<Measured> {
    let sensor = Sensor::new(kind.radius(), kind.moves());
    let trials = sweep.each(NAME, |index, mut rng| {
        let world = match maps.len() {
            0 => kind.world(&mut rng)?,
            count => maps[index as usize % count].scaled(SIDE, SIDE)?,
        };
        let (start, goal) = world
            .random_free_pair(&mut rng)
            .context("the world has no two connected free cells")?;
        let trial = Trial {
            ideal: world.clone(),
            world,
            start,
            goal,
            moves: kind.moves(),
            sensor: Some(&sensor),
            doors: None,
            max_ratio: MAX_RATIO,
        };
        trial.results(contenders, unit)
    })?;
    Ok(Measured::new(contenders, unit, trials))
}

/// The paper's claims about Figure 3, judged by ticks.
fn claims(measured: &Measured) -> Vec<String> {
    let [rtd_lrta, ..] = RTD_LRTA;
    let [.., rtd_lss] = RTD_LSS;
    vec![
        measured.less("Real-Time D* over LRTA* beats LRTA*", rtd_lrta, LRTA),
        measured.less(
            "Real-Time D* over LRTA* beats waiting for D* Lite",
            rtd_lrta,
            NOOP,
        ),
        measured.gains_more(
            "LRTA* gains less from a larger limit than Real-Time D* does",
            rtd_lrta,
            LRTA,
        ),
        measured.gains_more("Waiting for D* Lite gains most", NOOP, rtd_lrta),
        measured.converges(
            "Real-Time D* over LRTA* comes near to unlimited planning at the largest limit",
            10.0,
            rtd_lrta,
            UNLIMITED,
        ),
        measured.less("LSS-LRTA* is much better than LRTA*", LSS, LRTA),
        measured.alike(
            "Real-Time D* over LSS-LRTA* performs almost as LSS-LRTA* does",
            10.0,
            rtd_lss,
            LSS,
        ),
        measured.less(
            "LSS-LRTA* is better when it searches in every step than when it follows its path",
            LSS,
            LSS_PATH,
        ),
        measured.less(
            "With Anytime D*, whose epsilon falls, Real-Time D* is better than with D* Lite at small limits (which the paper \
             finds in changing worlds)",
            RTD_ANYTIME,
            RTD_LSS[1],
        ),
        measured.less(
            "... read with an epsilon that stays at 3, so that no tick is spent on keys for another one",
            RTD_ANYTIME_CONSTANT,
            RTD_LSS[1],
        ),
        measured.less(
            "... read so, and with three quarters of a tick for the global search, as with D* Lite",
            RTD_ANYTIME_MORE,
            RTD_LSS[0],
        ),
        measured.less(
            "... read so, and with re-queues that are not charged, which no bound of a tick allows",
            RTD_ANYTIME_FREE,
            RTD_LSS[1],
        ),
    ]
}
