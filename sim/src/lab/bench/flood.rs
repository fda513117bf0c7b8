//! The flood that both flood fills have in common: labels that grow with the distance from the goals.

/// When to flood again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At every wall that is new.
    NewWall,
    /// When no neighbour has a smaller label.
    Blocked,
}

/// A cell that may not be entered. It counts as labelled in every flood.
const WALL: u32 = u32::MAX;

/// Labels on flat arrays.
///
/// It is given every help that keeps it what it is: labels of older floods are recognised by being
/// small, so that none is cleared and one comparison tells whether a cell is open and new; a flood ends
/// when it has reached the robot; nothing is allocated after the start.
#[derive(Clone, Debug)]
pub struct Flood {
    /// [`WALL`], or what the last flood that came here wrote: its `base` plus the distance to the
    /// nearest goal.
    labels: Vec<u32>,
    /// The goals' label in the current flood; all labels of older floods are smaller.
    base: u32,
    /// Cells labelled, in the order of their distance. A flood labels a cell once, so the queue
    /// needs no more room than there are cells and never goes round.
    queue: Vec<u32>,
    pub goals: Vec<usize>,
    when: When,
    /// True if the labels no longer hold.
    pub is_stale: bool,
}

impl Flood {
    /// No flood yet over so many cells.
    pub fn new(cells: usize, goals: Vec<usize>, when: When) -> Self {
        Self {
            labels: vec![0; cells],
            base: 0,
            queue: vec![0; cells],
            goals,
            when,
            is_stale: true,
        }
    }

    /// A cell may not be entered any more.
    pub fn close(&mut self, id: usize) {
        self.labels[id] = WALL;
    }

    /// A cell may be entered again.
    pub fn open(&mut self, id: usize) {
        self.labels[id] = 0;
    }

    /// A cell or wall was blocked, or freed.
    pub fn changed(&mut self, barred: bool) {
        self.is_stale |= !barred || self.when == When::NewWall;
    }

    /// Returns whether the current flood has labelled a cell.
    pub fn is_labeled(&self, id: usize) -> bool {
        self.base > 0 && (self.base..WALL).contains(&self.labels[id])
    }

    /// The next cell on the robot's path, if there is one, and how many cells passed their label on in
    /// the flood that it took, if it took one. `beside` are the cells that a cell leads to.
    pub fn next<I: IntoIterator<Item = usize>>(
        &mut self,
        robot: usize,
        beside: impl Fn(usize) -> I,
    ) -> (Option<usize>, Option<u32>) {
        let closer = self.closer(robot, &beside);
        if closer.is_some() && !self.is_stale {
            return (closer, None);
        }
        let cells = self.flood(robot, &beside);
        self.is_stale = false;
        (self.closer(robot, &beside), Some(cells))
    }

    /// A cell beside the robot with a smaller label in the current flood.
    fn closer<I: IntoIterator<Item = usize>>(
        &self,
        robot: usize,
        beside: impl Fn(usize) -> I,
    ) -> Option<usize> {
        let label = self.labels[robot];
        if label <= self.base || label == WALL {
            return None;
        }
        beside(robot)
            .into_iter()
            .find(|&id| self.labels[id] == label - 1)
    }

    /// Labels cells from the goals outwards until the robot's has a label; returns how many cells
    /// passed theirs on.
    fn flood<I: IntoIterator<Item = usize>>(
        &mut self,
        robot: usize,
        beside: impl Fn(usize) -> I,
    ) -> u32 {
        self.next_base();
        let base = self.base;
        let (mut head, mut tail) = (0, 0);
        for &goal in &self.goals {
            if self.labels[goal] < base {
                self.labels[goal] = base;
                self.queue[tail] = goal as u32;
                tail += 1;
            }
        }
        while head < tail && self.labels[robot] < base {
            let id = self.queue[head] as usize;
            head += 1;
            let label = self.labels[id] + 1;
            for next in beside(id) {
                // To branch is nearly twice as fast here as to write in any case, in mazes too.
                if self.labels[next] < base {
                    self.labels[next] = label;
                    self.queue[tail] = next as u32;
                    tail += 1;
                }
            }
        }
        head as u32
    }

    /// Makes all labels old.
    fn next_base(&mut self) {
        let distances = self.labels.len() as u32;
        if self.base < WALL - 2 * distances {
            self.base += distances;
        } else {
            // Once in a hundred thousand floods of a 200x200 map.
            for label in self.labels.iter_mut().filter(|label| **label != WALL) {
                *label = 0;
            }
            self.base = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_begin_again_before_they_run_out() {
        // A row of three cells, the goal at its end; the first time the middle one is closed.
        let beside = |id: usize| {
            [id.checked_sub(1), Some(id + 1).filter(|&id| id < 3)]
                .into_iter()
                .flatten()
        };
        let mut flood = Flood::new(3, vec![2], When::NewWall);
        flood.base = WALL - 3 * 3;
        let mut bases = Vec::new();
        for closed in [true, false, true, false] {
            if closed {
                flood.close(1);
            } else {
                flood.open(1);
            }
            flood.changed(closed);
            let (next, _) = flood.next(0, beside);
            assert_eq!(next, (!closed).then_some(1), "after {bases:?}");
            bases.push(flood.base);
        }
        assert!(!bases.is_sorted() && bases.contains(&1), "{bases:?}");
    }
}
