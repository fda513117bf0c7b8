//! A run as a bounded number of frames, recorded while it takes place.

use super::{Snapshot, Tile};

/// The most frames that are kept, however long the run.
const MAX_FRAMES: usize = 180;

/// Frames of a run: the first tick, the last, and ticks at equal distances between them.
///
/// The length of a run is not known beforehand. When the frames are too many, every other one is dropped
/// and the distance doubled. A frame holds what has changed since the one before.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    frames: Vec<Frame>,
    /// How often the distance between frames was doubled; at first each tick is a frame.
    doublings: u32,
    ticks: u64,
    /// The last frame, drawn; `None` before the first.
    last: Option<Snapshot>,
}

#[derive(Clone, Debug)]
struct Frame {
    tick: u64,
    robot: planner_core::Cell,
    /// Indices of the ground, and the tiles that they become.
    changes: Vec<(usize, Tile)>,
}

impl Recording {
    /// Counts a tick, and draws it if it is to be a frame.
    pub fn tick(&mut self, is_last: bool, draw: impl FnOnce() -> Snapshot) {
        let drawn = self.is_due(is_last).then(draw);
        self.record(drawn);
    }

    /// Returns whether the next tick is to be a frame.
    pub(super) fn is_due(&self, is_last: bool) -> bool {
        self.ticks == 0 || (self.ticks + 1).is_multiple_of(self.stride()) || is_last
    }

    /// Ticks from one frame to the next.
    fn stride(&self) -> u64 {
        1 << self.doublings
    }

    /// Counts a tick, and adds it if it is a frame.
    pub(super) fn record(&mut self, drawn: Option<Snapshot>) {
        self.ticks += 1;
        let Some(now) = drawn else {
            return;
        };
        let before = self
            .last
            .iter()
            .flat_map(|last| last.ground.iter().map(Some));
        let before = before.chain(std::iter::repeat(None));
        let changed = now.ground.iter().enumerate().zip(before);
        self.frames.push(Frame {
            tick: self.ticks,
            robot: now.robot,
            changes: changed
                .filter(|((_, now), before)| Some(*now) != *before)
                .map(|((index, &tile), _)| (index, tile))
                .collect(),
        });
        self.last = Some(now);
        if self.frames.len() > MAX_FRAMES {
            self.thin();
        }
    }

    /// Doubles the distance between frames.
    fn thin(&mut self) {
        self.doublings += 1;
        let (stride, last) = (self.stride(), self.ticks);
        let mut dropped = Vec::new();
        self.frames.retain_mut(|frame| {
            dropped.append(&mut frame.changes);
            let is_kept =
                frame.tick == 1 || frame.tick.is_multiple_of(stride) || frame.tick == last;
            if is_kept {
                frame.changes = std::mem::take(&mut dropped);
            }
            is_kept
        });
    }

    /// The number of frames.
    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// The frames in order.
    pub fn frames(&self) -> impl Iterator<Item = Snapshot> {
        self.frames.iter().scan(self.last.clone(), |last, frame| {
            let snapshot = last.as_mut()?;
            snapshot.robot = frame.robot;
            for &(cell, tile) in &frame.changes {
                snapshot.ground[cell] = tile;
            }
            Some(snapshot.clone())
        })
    }
}

#[cfg(test)]
mod tests {
    use planner_core::Cell;

    use super::*;

    /// A robot that walks along a row of cells.
    fn snapshot(tick: u64) -> Snapshot {
        let mut ground = vec![Tile::Unknown; 1000];
        ground[..tick as usize].fill(Tile::Walked);
        Snapshot {
            size: (1000, 1),
            ground,
            start: Cell::new(0, 0),
            goal: Cell::new(999, 0),
            robot: Cell::new(tick as u16, 0),
        }
    }

    #[test]
    fn frames_are_the_snapshots_of_evenly_spaced_ticks() {
        for ticks in [0, 1, 2, 179, 180, 181, 500, 999] {
            let mut recording = Recording::default();
            for tick in 1..=ticks {
                recording.tick(tick == ticks, || snapshot(tick));
            }
            assert!(recording.len() <= MAX_FRAMES);
            assert!(recording.len() as u64 >= ticks.min(MAX_FRAMES as u64 / 2));
            let mut shown = Vec::new();
            for frame in recording.frames() {
                let tick = u64::from(frame.robot.x);
                assert_eq!(frame, snapshot(tick));
                shown.push(tick);
            }
            assert!(shown.is_sorted() && shown.len() == recording.len());
            let (first, last) = (u64::from(ticks > 0), ticks);
            assert_eq!(shown.first().copied().unwrap_or(0), first);
            assert_eq!(shown.last().copied().unwrap_or(0), last);
        }
    }
}
