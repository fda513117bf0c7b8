//! A run as an animated GIF, made by repeating the run.

use sim::view::gif;

use crate::{
    run::Run,
    timeline::{Log, step},
};

/// A film in the making.
pub struct Film {
    run: Run,
    log: Log,
    /// Entries of the log that have happened in `run`.
    done: usize,
    /// The last tick to be shown.
    last: u64,
    film: gif::Film,
}

impl Film {
    /// A film of a run that is still at its start, with the changes made to it, up to a tick.
    pub fn new(run: Run, log: Log, last: u64) -> Self {
        Self {
            run,
            log,
            done: 0,
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
        while self.run.tick < self.last {
            if is_time_up() {
                return None;
            }
            let before = self.run.tick;
            step(&mut self.run, &self.log, &mut self.done, false);
            let is_stuck = self.run.tick == before;
            let (run, is_last) = (&self.run, is_stuck || self.run.tick == self.last);
            self.film.tick(is_last, || (run.film_frame(), run.world()));
            if is_stuck {
                self.last = before;
            }
        }
        Some(self.film.encode())
    }
}
