//! Plane geometry: ray casting and overlap tests.

use planner_core::Side;

/// Point or direction on the floor, in millimetres: x to the east, y to the south.
pub type Vector = [f64; 2];

/// Pose on the floor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Centre, in millimetres from the floor's north-west corner.
    pub at: Vector,
    /// Heading, in radians clockwise from north; not wrapped.
    pub heading: f64,
}

/// Direction of a side of a cell.
pub fn direction(side: Side) -> Vector {
    match side {
        Side::North => [0.0, -1.0],
        Side::East => [1.0, 0.0],
        Side::South => [0.0, 1.0],
        Side::West => [-1.0, 0.0],
    }
}

impl Pose {
    /// Direction at an angle clockwise from the heading, in radians.
    pub fn direction(&self, right: f64) -> Vector {
        let (sin, cos) = (self.heading + right).sin_cos();
        [sin, -cos]
    }

    /// Directions forward and right.
    pub fn axes(&self) -> [Vector; 2] {
        let [x, y] = self.direction(0.0);
        // A quarter turn clockwise from forward.
        [[x, y], [-y, x]]
    }

    /// Point at a distance forward and right of the centre, in millimetres.
    pub fn point(&self, ahead: f64, right: f64) -> Vector {
        let offset = combine(self.axes(), [ahead, right]);
        [self.at[0] + offset[0], self.at[1] + offset[1]]
    }
}

/// Solid object on the floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// Axis-aligned rectangle: a wall or a post.
    Block {
        /// Corner with the smallest coordinates.
        min: Vector,
        /// Corner with the largest coordinates.
        max: Vector,
    },
    /// Disc: a leg.
    Disc {
        /// Centre.
        at: Vector,
        /// Radius in millimetres.
        radius: f64,
    },
}

/// Intersection of a ray with a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance, in millimetres.
    pub distance: f64,
    /// Cosine of the angle of incidence; `1` is perpendicular.
    pub cosine: f64,
}

impl Solid {
    /// First intersection of a ray from outside; `direction` has length one.
    pub fn hit(&self, from: Vector, direction: Vector) -> Option<Hit> {
        match *self {
            Self::Block { min, max } => {
                let (mut enter, mut leave, mut face) = (f64::NEG_INFINITY, f64::INFINITY, 0);
                for axis in 0..2 {
                    // Infinite if the ray is parallel to the face.
                    let near = (min[axis] - from[axis]) / direction[axis];
                    let far = (max[axis] - from[axis]) / direction[axis];
                    let (near, far) = (near.min(far), near.max(far));
                    if near > enter {
                        (enter, face) = (near, axis);
                    }
                    leave = leave.min(far);
                }
                (enter <= leave && enter >= 0.0).then(|| Hit {
                    distance: enter,
                    cosine: direction[face].abs(),
                })
            }
            Self::Disc { at, radius } => {
                let to = [at[0] - from[0], at[1] - from[1]];
                let along = to[0] * direction[0] + to[1] * direction[1];
                let aside2 = to[0] * to[0] + to[1] * to[1] - along * along;
                let half2 = radius * radius - aside2;
                if half2 < 0.0 {
                    return None;
                }
                let distance = along - half2.sqrt();
                (distance >= 0.0).then(|| Hit {
                    distance,
                    cosine: half2.sqrt() / radius,
                })
            }
        }
    }

    /// Returns whether a square around a pose, turned as that is, overlaps the solid.
    pub fn overlaps_square(&self, pose: &Pose, half: f64) -> bool {
        let [forward, right] = pose.axes();
        match *self {
            Self::Block { min, max } => {
                let middle = [(min[0] + max[0]) / 2.0, (min[1] + max[1]) / 2.0];
                let extent = [(max[0] - min[0]) / 2.0, (max[1] - min[1]) / 2.0];
                let between = [middle[0] - pose.at[0], middle[1] - pose.at[1]];
                // Separating axis theorem.
                let axes = [[1.0, 0.0], [0.0, 1.0], forward, right];
                axes.iter().all(|&axis| {
                    let reach = half * (dot(forward, axis).abs() + dot(right, axis).abs());
                    let other = extent[0] * axis[0].abs() + extent[1] * axis[1].abs();
                    dot(between, axis).abs() < reach + other
                })
            }
            Self::Disc { at, radius } => {
                let between = [at[0] - pose.at[0], at[1] - pose.at[1]];
                let beyond = |axis| (dot(between, axis).abs() - half).max(0.0);
                let (x, y) = (beyond(forward), beyond(right));
                x * x + y * y < radius * radius
            }
        }
    }
}

/// Sum of two vectors, each times its share.
pub fn combine([a, b]: [Vector; 2], [of_a, of_b]: [f64; 2]) -> Vector {
    [of_a * a[0] + of_b * b[0], of_a * a[1] + of_b * b[1]]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

    use super::*;

    const WALL: Solid = Solid::Block {
        min: [0.0, 0.0],
        max: [100.0, 10.0],
    };

    fn pose(x: f64, y: f64, heading: f64) -> Pose {
        Pose {
            at: [x, y],
            heading,
        }
    }

    #[test]
    fn right_of_east_is_south() {
        let [x, y] = pose(0.0, 0.0, FRAC_PI_2).point(3.0, 2.0);
        assert!((x - 3.0).abs() < 1e-9 && (y - 2.0).abs() < 1e-9);
        let [x, y] = pose(0.0, 0.0, 0.0).point(3.0, 2.0);
        assert!((x - 2.0).abs() < 1e-9 && (y + 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_ray_hits_the_nearest_face_of_a_block() {
        let hit = WALL.hit([50.0, 30.0], [0.0, -1.0]).unwrap();
        assert_eq!((hit.distance, hit.cosine), (20.0, 1.0));
        let oblique = WALL.hit([50.0, 30.0], [0.6, -0.8]).unwrap();
        assert!((oblique.distance - 25.0).abs() < 1e-9);
        assert!((oblique.cosine - 0.8).abs() < 1e-9);
        assert_eq!(WALL.hit([50.0, 30.0], [0.0, 1.0]), None);
        assert_eq!(WALL.hit([120.0, 30.0], [0.0, -1.0]), None);
    }

    #[test]
    fn a_ray_hits_the_near_side_of_a_disc() {
        let leg = Solid::Disc {
            at: [0.0, 100.0],
            radius: 60.0,
        };
        let hit = leg.hit([0.0, 0.0], [0.0, 1.0]).unwrap();
        assert_eq!((hit.distance, hit.cosine), (40.0, 1.0));
        assert!(leg.hit([36.0, 0.0], [0.0, 1.0]).unwrap().cosine < 0.81);
        assert_eq!(leg.hit([61.0, 0.0], [0.0, 1.0]), None);
        assert_eq!(leg.hit([0.0, 0.0], [0.0, -1.0]), None);
    }

    #[test]
    fn a_square_overlaps_with_its_side_or_its_corner() {
        assert!(!WALL.overlaps_square(&pose(50.0, 60.1, 0.0), 50.0));
        assert!(WALL.overlaps_square(&pose(50.0, 59.9, 0.0), 50.0));
        // At 45 degrees, its corner is 70.7 away.
        assert!(WALL.overlaps_square(&pose(50.0, 80.0, FRAC_PI_4), 50.0));
        assert!(!WALL.overlaps_square(&pose(50.0, 81.0, FRAC_PI_4), 50.0));
        let leg = Solid::Disc {
            at: [0.0, 0.0],
            radius: 60.0,
        };
        assert!(leg.overlaps_square(&pose(0.0, 109.0, 0.0), 50.0));
        assert!(!leg.overlaps_square(&pose(0.0, 111.0, 0.0), 50.0));
        // Corners have a larger distance.
        assert!(!leg.overlaps_square(&pose(100.0, 100.0, 0.0), 50.0));
    }
}
