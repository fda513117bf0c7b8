//! Smooth turns: quarter turns on the move, from the centre line of one corridor to that of the next.

use super::{
    CellSize, RADIAN_MDEG,
    trigonometry::{times_cosine, times_sine},
};

/// Points of the path, at equal distances.
const POINTS: usize = 33;
/// A quarter turn in mdeg.
const QUARTER: i32 = 90_000;

/// Path of a quarter turn: its curvature rises linearly, stays, and falls.
///
/// ```
/// use tinystar::motion::SmoothTurn;
///
/// const TURN: SmoothTurn = SmoothTurn::new(60_000, 30_000);
/// // The robot enters and leaves 75.6 mm from the corner of the two centre lines.
/// assert!((75_500..75_700).contains(&TURN.entry_um()));
/// assert_eq!(TURN.at(TURN.length_um()).yaw_mdeg, 90_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmoothTurn {
    length: i32,
    /// Length over which the curvature rises, and falls.
    ramp: i32,
    /// Largest curvature in mdeg per micrometre, with 16 binary places.
    curvature: i32,
    /// Rise of the curvature per micrometre: its share in 1024ths, with 20 binary places.
    rise: i32,
    /// Points per micrometre, with 30 binary places.
    density: i32,
    points: [TurnPoint; POINTS],
}

/// Point of a turn, in the frame of its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnPoint {
    /// Forward, in micrometres.
    pub forward_um: i32,
    /// To the inner side, in micrometres.
    pub lateral_um: i32,
    /// Turn so far, in mdeg.
    pub yaw_mdeg: i32,
}

impl SmoothTurn {
    /// Turn with a smallest radius and a ramp, in micrometres.
    #[must_use]
    pub const fn new(radius: i32, ramp: i32) -> Self {
        assert!(1000 < ramp && ramp <= radius && radius < 500_000);
        // Half of pi is 355 / 226. A ramp turns half as much as an arc of its length.
        let arc = (radius as i64 * 355 / 226) as i32;
        let length = arc + ramp;
        let mut points = [TurnPoint {
            forward_um: 0,
            lateral_um: 0,
            yaw_mdeg: 0,
        }; POINTS];
        /// Steps of the integration between two points.
        const STEPS: i64 = 32;
        let total = STEPS * (POINTS as i64 - 1);
        // Thousandths of a micrometre.
        let step = (length as i64 * 1000 / total) as i32;
        let (mut forward, mut lateral) = (0_i64, 0_i64);
        let mut steps = 0;
        while steps < total {
            let middle = ((2 * steps + 1) * length as i64 / (2 * total)) as i32;
            let yaw = yaw(middle, arc, ramp);
            forward += times_cosine(step, yaw) as i64;
            lateral += times_sine(step, yaw) as i64;
            steps += 1;
            if steps % STEPS == 0 {
                let s = (steps * length as i64 / total) as i32;
                points[(steps / STEPS) as usize] = TurnPoint {
                    forward_um: (forward / 1000) as i32,
                    lateral_um: (lateral / 1000) as i32,
                    yaw_mdeg: self::yaw(s, arc, ramp),
                };
            }
        }
        Self {
            length,
            ramp,
            curvature: (((RADIAN_MDEG as i64) << 16) / radius as i64) as i32,
            rise: (1 << 30) / ramp,
            density: (((POINTS as i64 - 1) << 30) / length as i64) as i32,
            points,
        }
    }

    /// Length of the path, in micrometres.
    #[must_use]
    pub const fn length_um(&self) -> i32 {
        self.length
    }

    /// From the start of the turn to the corner of the two centre lines, in micrometres; the same from there to its
    /// end.
    #[must_use]
    pub const fn entry_um(&self) -> i32 {
        self.points[POINTS - 1].forward_um
    }

    /// Length of the path through a cell that is left by a turn, from edge to edge, in micrometres.
    #[must_use]
    pub const fn in_cell_um(&self, cell: CellSize) -> i32 {
        self.length + cell.um() - 2 * self.entry_um()
    }

    /// Yaw rate at a distance from the start, in mdeg/s, for a speed in micrometres per second.
    #[must_use]
    pub const fn rate(&self, s: i32, speed: i32) -> i32 {
        let from_end = self.length - s;
        let nearer = if s < from_end { s } else { from_end };
        let share = if nearer <= 0 {
            0
        } else if nearer >= self.ramp {
            1024
        } else {
            (nearer * self.rise) >> 20
        };
        let most = ((speed as i64 * self.curvature as i64) >> 16) as i32;
        ((most >> 4) * share) >> 6
    }

    /// Point at a distance from the start.
    #[must_use]
    pub const fn at(&self, s: i32) -> TurnPoint {
        let s = if s < 0 { 0 } else { s };
        if s >= self.length {
            return self.points[POINTS - 1];
        }
        // In 1024ths of the distance between two points.
        let place = (s as i64 * self.density as i64) >> 20;
        let point = (place >> 10) as usize % (POINTS - 1);
        let part = (place & 1023) as i32;
        let (from, to) = (self.points[point], self.points[point + 1]);
        TurnPoint {
            forward_um: between(from.forward_um, to.forward_um, part),
            lateral_um: between(from.lateral_um, to.lateral_um, part),
            yaw_mdeg: between(from.yaw_mdeg, to.yaw_mdeg, part),
        }
    }
}

/// Value at a part, in 1024ths, of the distance between two.
const fn between(from: i32, to: i32, part: i32) -> i32 {
    from + (((to - from) * part) >> 10)
}

/// Turn in mdeg at a distance from the start.
const fn yaw(s: i32, arc: i32, ramp: i32) -> i32 {
    let from_end = arc + ramp - s;
    if s < ramp {
        ramp_yaw(s, arc, ramp)
    } else if from_end < ramp {
        QUARTER - ramp_yaw(from_end, arc, ramp)
    } else {
        ((s - ramp / 2) as i64 * QUARTER as i64 / arc as i64) as i32
    }
}

/// Turn in mdeg over the first part of a ramp.
const fn ramp_yaw(s: i32, arc: i32, ramp: i32) -> i32 {
    (s as i64 * s as i64 * QUARTER as i64 / (2 * ramp as i64 * arc as i64)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURNS: [SmoothTurn; 3] = [
        SmoothTurn::new(60_000, 30_000),
        SmoothTurn::new(45_000, 45_000),
        SmoothTurn::new(120_000, 20_000),
    ];

    #[test]
    fn a_turn_is_symmetric_and_ends_at_a_right_angle() {
        for turn in TURNS {
            let end = turn.at(turn.length_um());
            assert_eq!(end.yaw_mdeg, QUARTER);
            assert!((end.forward_um - end.lateral_um).abs() < 30, "{end:?}");
            assert_eq!(end.forward_um, turn.entry_um());
            for s in (0..turn.length_um()).step_by(777) {
                let (from, to) = (turn.at(s), turn.at(turn.length_um() - s));
                assert!((from.yaw_mdeg - (QUARTER - to.yaw_mdeg)).abs() < 20);
                let mirrored = end.forward_um - to.lateral_um;
                assert!(
                    (from.forward_um - mirrored).abs() < 60,
                    "{s} {from:?} {to:?}"
                );
            }
        }
    }

    #[test]
    fn the_yaw_rate_is_the_change_of_the_yaw_and_never_exceeds_that_of_the_radius() {
        for (turn, radius) in TURNS.into_iter().zip([60.0, 45.0, 120.0]) {
            let mut turned = 0.0;
            // A speed of 300 mm/s for 10 us is 3 um.
            for s in (0..turn.length_um()).step_by(3) {
                let rate = f64::from(turn.rate(s, 300_000));
                assert!(rate <= 300.0 / radius * 57_296.0 + 100.0);
                turned += rate * 1e-5;
                let yaw = f64::from(turn.at(s).yaw_mdeg);
                assert!((turned - yaw).abs() < 150.0, "{s}: {turned} {yaw}");
            }
        }
    }

    #[test]
    fn points_lie_on_the_integral_of_the_heading() {
        for turn in TURNS {
            let (mut forward, mut lateral) = (0.0, 0.0);
            for s in 0..turn.length_um() {
                let yaw = f64::from(turn.at(s).yaw_mdeg) / f64::from(RADIAN_MDEG);
                forward += yaw.cos();
                lateral += yaw.sin();
                let point = turn.at(s + 1);
                assert!((f64::from(point.forward_um) - forward).abs() < 60.0);
                assert!((f64::from(point.lateral_um) - lateral).abs() < 60.0);
            }
        }
    }
}
