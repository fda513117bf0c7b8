//! Exits of the cells that a robot is about to leave.

use crate::{config::EXITS, signals::Exit};

/// Bits of an exit.
const BITS: u32 = 2;

/// Queue of up to [`EXITS`] exits, that of the current cell first. All its operations take constant time.
///
/// ```
/// use tinystar::{motion::Route, signals::Exit};
///
/// let mut route = Route::default();
/// for exit in [Exit::Ahead, Exit::Ahead, Exit::Left] {
///     assert!(route.push(exit));
/// }
/// assert_eq!(route.straight(), (2, Some(Exit::Left)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// The first exit in the lowest bits; zero beyond the last.
    exits: u32,
    /// At most [`EXITS`].
    len: u8,
}

impl Route {
    /// Adds an exit; returns `false` if the route is full.
    pub fn push(&mut self, exit: Exit) -> bool {
        let has_room = usize::from(self.len) < EXITS;
        if has_room {
            self.exits |= (exit as u32) << (BITS * u32::from(self.len));
            self.len += 1;
        }
        has_room
    }

    /// Exit of the current cell; `None` if it is undecided.
    #[must_use]
    pub fn first(&self) -> Option<Exit> {
        self.get(0)
    }

    /// Removes the exit of the current cell, which the robot has left.
    pub fn pop(&mut self) {
        self.exits >>= BITS;
        self.len = self.len.saturating_sub(1);
    }

    /// Makes the exit of the current cell, if there is one, lead ahead: the robot has turned to it.
    pub fn face_first(&mut self) {
        self.exits &= !((1 << BITS) - 1);
    }

    /// Keeps the first exits only.
    pub fn truncate(&mut self, len: u8) {
        self.len = self.len.min(len);
        self.exits &= (1 << (BITS * u32::from(self.len))) - 1;
    }

    /// Cells up to the end of the straight part, and the exit there; `None` if that cell is undecided.
    #[must_use]
    pub fn straight(&self) -> (u8, Option<Exit>) {
        // An exit ahead is zero.
        let ahead = (self.exits.trailing_zeros() / BITS) as u8;
        let ahead = ahead.min(self.len);
        (ahead, self.get(ahead))
    }

    fn get(&self, index: u8) -> Option<Exit> {
        let exit = match self.exits >> (BITS * u32::from(index)) & ((1 << BITS) - 1) {
            0 => Exit::Ahead,
            1 => Exit::Left,
            2 => Exit::Right,
            _ => Exit::Back,
        };
        (index < self.len).then_some(exit)
    }
}

const _: () = assert!(EXITS * (BITS as usize) < 32 && Exit::Ahead as u32 == 0);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::{collections::VecDeque, vec::Vec};

    extern crate std;

    use super::*;

    const ALL: [Exit; 4] = [Exit::Ahead, Exit::Left, Exit::Right, Exit::Back];

    proptest! {
        #[test]
        fn a_route_is_a_queue(operations in prop::collection::vec((0..8_usize, 0..10_u8), 0..60)) {
            let mut route = Route::default();
            let mut queue = VecDeque::new();
            for (kind, len) in operations {
                match kind {
                    0..4 => {
                        let has_room = queue.len() < EXITS;
                        prop_assert_eq!(route.push(ALL[kind]), has_room);
                        if has_room {
                            queue.push_back(ALL[kind]);
                        }
                    }
                    4 => {
                        route.truncate(len);
                        queue.truncate(len.into());
                    }
                    5 => {
                        route.face_first();
                        if let Some(first) = queue.front_mut() {
                            *first = Exit::Ahead;
                        }
                    }
                    _ => {
                        route.pop();
                        queue.pop_front();
                    }
                }
                prop_assert_eq!(route.first(), queue.front().copied());
                let exits: Vec<_> = queue.iter().copied().collect();
                let ahead = exits.iter().take_while(|&&exit| exit == Exit::Ahead).count();
                prop_assert_eq!(route.straight(), (ahead as u8, exits.get(ahead).copied()));
            }
        }
    }
}
