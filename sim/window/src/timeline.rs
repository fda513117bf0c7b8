//! A run that can be rewound.
//!
//! Runs are deterministic. To go back is to run again from the start, with the same changes at the same
//! ticks, up to the moment that is asked for; a little in each frame, so that the window never waits.
//! Nothing is kept but the changes that somebody made.

use planner_core::BuildError;
use sim::world::Scenario;

use crate::{
    film::Film,
    run::{Change, Options, Run},
};

/// Changes, each with the tick before which it happened; ticks never fall.
pub type Log = Vec<(u64, Change)>;

/// A run, and all changes made to it.
pub struct Timeline {
    scenario: Scenario,
    options: Options,
    now: Replay,
    log: Log,
    /// The last tick that was ever reached on this line.
    furthest: u64,
    seek: Option<Seek>,
    /// Counts replacements of the run by a replay.
    returns: u64,
}

/// A search for another tick.
struct Seek {
    target: u64,
    /// The run from the start, if the target is in the past.
    again: Option<Box<Replay>>,
}

/// A run, and how many entries of a log have happened in it.
pub struct Replay {
    pub run: Run,
    done: usize,
}

impl Replay {
    fn new(scenario: &Scenario, options: Options) -> Result<Self, BuildError> {
        let run = Run::new(scenario, options)?;
        Ok(Self { run, done: 0 })
    }

    /// Makes the changes that are due, and one tick.
    pub fn step(&mut self, log: &Log, look: bool) {
        self.catch_up(log);
        self.run.advance(look);
    }

    fn has_due(&self, log: &Log) -> bool {
        log.get(self.done)
            .is_some_and(|(tick, _)| *tick <= self.run.tick)
    }

    fn catch_up(&mut self, log: &Log) {
        while self.has_due(log) {
            // It was possible the first time.
            let _ = self.run.change(&log[self.done].1);
            self.done += 1;
        }
    }
}

impl Timeline {
    /// The beginning of a run.
    ///
    /// # Errors
    /// There is no such planner for this scenario.
    pub fn new(scenario: Scenario, options: Options) -> Result<Self, BuildError> {
        Ok(Self {
            now: Replay::new(&scenario, options)?,
            scenario,
            options,
            log: Vec::new(),
            furthest: 0,
            seek: None,
            returns: 0,
        })
    }

    /// The run at this moment.
    pub fn run(&self) -> &Run {
        &self.now.run
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Changes whenever the drawing does.
    pub fn revision(&self) -> (u64, u64) {
        (self.returns, self.now.run.revision)
    }

    /// The last tick that was ever reached.
    pub fn furthest(&self) -> u64 {
        self.furthest
    }

    /// The tick that is sought.
    pub fn target(&self) -> Option<u64> {
        self.seek.as_ref().map(|seek| seek.target)
    }

    /// A film of the run up to this moment.
    pub fn film(&self) -> Option<Film> {
        // It could be built once, so it can be built again.
        let start = Replay::new(&self.scenario, self.options).ok()?;
        let log = self.log[..self.now.done].to_vec();
        Some(Film::new(start, log, self.run().tick))
    }

    /// Makes one tick.
    pub fn advance(&mut self, look: bool) {
        self.now.step(&self.log, look);
        self.furthest = self.furthest.max(self.run().tick);
    }

    /// Changes the run now. Later changes, made before a rewind, are dropped.
    ///
    /// # Errors
    /// There is no such planner for this world; nothing happens.
    pub fn change(&mut self, change: Change) -> Result<(), BuildError> {
        self.now.run.change(&change)?;
        self.log.truncate(self.now.done);
        self.log.push((self.run().tick, change));
        self.now.done = self.log.len();
        self.furthest = self.run().tick;
        self.seek = None;
        Ok(())
    }

    /// Begins to seek a tick; [`Timeline::work`] goes there.
    pub fn seek(&mut self, target: u64) {
        let now = self.run().tick;
        // It could be built once, so it can be built again.
        let again = (target < now).then(|| Replay::new(&self.scenario, self.options).ok());
        let again = again.flatten().map(Box::new);
        self.seek = (again.is_some() || target > now).then_some(Seek { target, again });
    }

    /// Seeks until the tick is reached or `is_time_up`.
    pub fn work(&mut self, mut is_time_up: impl FnMut() -> bool) {
        let Some(mut seek) = self.seek.take() else {
            return;
        };
        let (target, log) = (seek.target, &self.log);
        let replay = seek.again.as_deref_mut().unwrap_or(&mut self.now);
        while replay.run.tick < target && replay.run.outcome.is_none() || replay.has_due(log) {
            if is_time_up() {
                self.furthest = self.furthest.max(replay.run.tick);
                self.seek = Some(seek);
                return;
            }
            if replay.run.tick < target {
                let is_last = replay.run.tick + 1 == target;
                replay.step(log, is_last);
            }
            if replay.run.tick == target {
                replay.catch_up(log);
            }
        }
        if let Some(replay) = seek.again {
            self.now = *replay;
            self.returns += 1;
        }
        self.furthest = self.furthest.max(self.run().tick);
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use planner_core::Cell;
    use sim::{catalog::Name, options::view::ViewOptions};

    use super::*;
    use crate::snapshot::Snapshot;

    fn timeline() -> Timeline {
        let args = "sim-view --rooms 30x20 --doors 0.7 --seed 3 --sense 2";
        let scenario = ViewOptions::try_parse_from(args.split(' '))
            .unwrap()
            .scenario()
            .unwrap();
        let options = Options {
            planner: Name::Rtd,
            limit: Some(6),
            ..Options::default()
        };
        Timeline::new(scenario, options).unwrap()
    }

    fn snapshot(line: &mut Timeline) -> Snapshot {
        let mut snapshot = Snapshot::default();
        line.run().draw(&mut snapshot);
        snapshot.revision = 0;
        snapshot
    }

    /// With walls drawn and the planner changed on the way, and a search that is cut into pieces.
    #[test]
    fn every_tick_is_restored_by_seeking() {
        let mut line = timeline();
        let mut moments = Vec::new();
        for tick in 0..40 {
            if tick == 9 {
                line.change(Change::Block(Cell::new(5, 1), true)).unwrap();
            }
            if tick == 20 {
                let options = Options {
                    planner: Name::AnytimeDstar,
                    ..line.run().options
                };
                line.change(Change::Options(options)).unwrap();
            }
            moments.push(snapshot(&mut line));
            line.advance(true);
        }
        for tick in [39, 9, 8, 20, 0, 33, 1] {
            line.seek(tick);
            let mut calls = 0;
            while line.target().is_some() {
                let mut steps = 0;
                line.work(|| {
                    steps += 1;
                    steps > 3
                });
                calls += 1;
                assert!(calls < 100);
            }
            assert_eq!(line.run().tick, tick);
            assert_eq!(line.furthest(), 40);
            let (now, then) = (snapshot(&mut line), &moments[tick as usize]);
            assert!(now == *then, "tick {tick}");
        }
    }

    #[test]
    fn a_change_after_a_rewind_drops_later_changes() {
        let mut line = timeline();
        line.advance(true);
        line.change(Change::Block(Cell::new(9, 9), true)).unwrap();
        for _ in 0..9 {
            line.advance(true);
        }
        line.seek(0);
        line.work(|| false);
        line.change(Change::Goal(Cell::new(0, 1))).unwrap();
        assert_eq!((line.furthest(), line.log.len()), (0, 1));
        line.advance(true);
        assert_eq!(line.run().goals, [Cell::new(0, 1)]);
    }
}
