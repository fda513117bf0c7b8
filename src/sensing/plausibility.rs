//! Plausibility of what a robot senses whose walls are not calibrated.
//!
//! Receivers that see further or less far than guessed show it in two ways: a wall is detected at two distances, by the
//! LEDs of either side; or at a distance between this cell's edge and that of the next, where there is none. And the
//! more obstacles are met that were not there before, the less are they obstacles.

use planner_core::{Cell, Side};

use crate::{
    config::{CONTRADICTORY_VOTES, OBSTACLES_LIMIT, OFF_EDGE_LIMIT, OFF_EDGE_UM, OFF_EDGE_WEIGHT},
    fault::Fault,
    motion::CellSize,
    robot::Distances,
    signals::WallReading,
};

/// Checks the votes of a robot that rests in the centre of its cell.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlausibilityCheck {
    /// Consecutive votes with a side receiver that contradicts itself.
    contradictions: u8,
    /// Doubt about the front, left and right receiver: rises with what is off the edges of cells, and falls with walls on
    /// them.
    off_edge: [u8; 3],
    /// Temporary obstacles met.
    obstacles: u8,
    /// Cell and heading at the last vote: readings from the same place count once.
    place: Option<(Cell, Side)>,
}

impl PlausibilityCheck {
    /// Takes in a vote at a place, in cells of a size; returns whether it can be used.
    ///
    /// # Errors
    /// The ranges of the receivers are not what they are taken for: [`Fault::Proximity`].
    pub fn update(
        &mut self,
        reading: &WallReading,
        place: (Cell, Side),
        cell: CellSize,
    ) -> Result<bool, Fault> {
        let Distances { left, front, right } = reading.distances;
        if left.is_none() || right.is_none() {
            self.contradictions += 1;
            return if self.contradictions < CONTRADICTORY_VOTES {
                Ok(false)
            } else {
                Err(Fault::Proximity)
            };
        }
        self.contradictions = 0;
        if self.place.replace(place) == Some(place) {
            return Ok(true);
        }
        let (front_um, side_um) = (cell.front_near_um(), cell.side_near_um());
        let sensed = [(front, front_um), (left, side_um), (right, side_um)];
        for (doubt, (distance, edge_um)) in self.off_edge.iter_mut().zip(sensed) {
            match distance {
                Some(range) if range.is_within(edge_um) => *doubt = doubt.saturating_sub(1),
                Some(range) if range.far <= cell.between_um(OFF_EDGE_UM) => {
                    *doubt += OFF_EDGE_WEIGHT;
                }
                _ => {}
            }
        }
        if self.off_edge.iter().any(|&doubt| doubt >= OFF_EDGE_LIMIT) {
            return Err(Fault::Proximity);
        }
        Ok(true)
    }

    /// Takes in that a temporary obstacle was met.
    ///
    /// # Errors
    /// There are too many: [`Fault::Proximity`].
    pub fn meet_obstacle(&mut self) -> Result<(), Fault> {
        self.obstacles += 1;
        if self.obstacles < OBSTACLES_LIMIT {
            Ok(())
        } else {
            Err(Fault::Proximity)
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec;

    use embassy_time::Instant;
    use planner_core::map::Occupancy;

    use super::*;
    use crate::{config::SIDE_NEAR_UM, robot::Interval};

    const NOTHING: Interval = Interval::beyond(240_000);
    const WALL: Interval = Interval {
        near: 38_000,
        far: SIDE_NEAR_UM,
    };
    /// A wall at twice its distance.
    const FAR_WALL: Interval = Interval {
        near: SIDE_NEAR_UM,
        far: 110_000,
    };

    /// Takes in what the right receiver senses, each time in the next cell.
    fn drive(sensed: &[Option<Interval>]) -> Result<bool, Fault> {
        let mut check = PlausibilityCheck::default();
        let mut looks = (0..).zip(sensed);
        looks.try_fold(true, |_, (x, &right)| look(&mut check, x, right))
    }

    fn look(check: &mut PlausibilityCheck, x: u16, right: Option<Interval>) -> Result<bool, Fault> {
        let reading = WallReading {
            count: 0,
            taken: Instant::MIN,
            distances: Distances {
                right,
                ..Distances::all(NOTHING)
            },
            raw: [0; 3],
            cell: 0,
            is_turned: false,
            forward_um: 0,
            front: Occupancy::Free,
            left: Occupancy::Free,
            right: Occupancy::Unknown,
        };
        check.update(&reading, (Cell::new(x, 0), Side::East), CellSize::mm(180))
    }

    #[test]
    fn walls_of_this_cell_and_of_the_next_are_plausible() {
        let next = Interval {
            near: 186_000,
            far: 240_000,
        };
        for plausible in [WALL, next, NOTHING] {
            assert_eq!(drive(&[Some(plausible); 20]), Ok(true), "{plausible:?}");
        }
    }

    #[test]
    fn walls_that_are_never_on_an_edge_are_a_fault() {
        assert_eq!(drive(&[Some(FAR_WALL); 3]), Ok(true));
        assert_eq!(drive(&[Some(FAR_WALL); 4]), Err(Fault::Proximity));
        // Some boxes among walls.
        let [wall, far] = [WALL, FAR_WALL].map(Some);
        let mixed = [far, wall, wall].repeat(20);
        assert_eq!(drive(&mixed), Ok(true));
    }

    #[test]
    fn an_obstacle_counts_once_from_a_place() {
        let mut check = PlausibilityCheck::default();
        for _ in 0..20 {
            assert_eq!(look(&mut check, 0, Some(FAR_WALL)), Ok(true));
        }
    }

    #[test]
    fn many_obstacles_are_none() {
        let mut check = PlausibilityCheck::default();
        for _ in 1..OBSTACLES_LIMIT {
            assert_eq!(check.meet_obstacle(), Ok(()));
        }
        assert_eq!(check.meet_obstacle(), Err(Fault::Proximity));
    }

    #[test]
    fn a_receiver_that_contradicts_itself_is_asked_again_and_then_a_fault() {
        let votes = usize::from(CONTRADICTORY_VOTES);
        assert_eq!(drive(&vec![None; votes - 1]), Ok(false));
        assert_eq!(drive(&vec![None; votes]), Err(Fault::Proximity));
    }
}
