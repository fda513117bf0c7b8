//! A run as an animated GIF, made by repeating the run.

use sim::view::gif;

use crate::timeline::{Log, Replay};

/// A film in the making.
pub struct Film {
    replay: Replay,
    log: Log,
    /// The last tick to be shown.
    last: u64,
    film: gif::Film,
}

impl Film {
    /// A film of a run that is still at its start, with the changes made to it, up to a tick.
    pub fn new(replay: Replay, log: Log, last: u64) -> Self {
        Self {
            replay,
            log,
            last,
            film: gif::Film::default(),
        }
    }

    /// Goes on until the film is complete or `is_time_up`; returns the file once it is complete.
    ///
    /// # Errors
    /// The map is too large for a GIF, or the run has no tick.
    pub fn work(
        &mut self,
        mut is_time_up: impl FnMut() -> bool,
    ) -> Option<anyhow::Result<Vec<u8>>> {
        while self.replay.run.tick < self.last {
            if is_time_up() {
                return None;
            }
            let before = self.replay.run.tick;
            self.replay.step(&self.log, false);
            let run = &self.replay.run;
            let is_stuck = run.tick == before;
            let is_last = is_stuck || run.tick == self.last;
            self.film.tick(is_last, || (run.film_frame(), run.world()));
            if is_stuck {
                self.last = before;
            }
        }
        Some(self.film.encode())
    }
}
