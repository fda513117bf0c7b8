//! Motions in progress, and the speeds that the wheels are to follow.

use crate::{
    config::{
        HEADING_KP, LATERAL_HEADING_LIMIT, LATERAL_KP, POSITION_KP, SMOOTH_HEADING_KP,
        SMOOTH_LATERAL_KP, STRAIGHTEN_UM,
    },
    motion::{
        SmoothTurn, SpeedLimits, VelocityProfile, divide, scale_by,
        trigonometry::{times_cosine, times_sine},
    },
    signals::Pose,
};

/// Motion in progress.
#[derive(Clone, Copy, Debug)]
pub(super) enum Motion {
    Rest,
    /// Turn in place, with its quarter turns to the right.
    Turn(VelocityProfile, Turn),
    Straight(Straight, Purpose),
    Smooth(Smooth),
}

/// Turn in place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// Quarter turns to the right.
    pub(super) quarters: i8,
    /// Yaw at its start, in mdeg.
    pub(super) from: i32,
    /// True if the route goes on after it.
    pub(super) is_on_route: bool,
}

impl Turn {
    /// Turn of a robot that faces its heading.
    pub(super) const fn new(quarters: i8, is_on_route: bool) -> Self {
        Self {
            quarters,
            from: 0,
            is_on_route,
        }
    }

    /// Angle, in mdeg, positive to the right.
    pub(super) const fn angle(self) -> i32 {
        self.quarters as i32 * 90_000 - self.from
    }
}

/// Purpose of a straight motion.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    /// Driving the route.
    Route,
    /// Backing up before a turn.
    BackUp(Turn),
    /// Centring before a turn.
    Center(Turn),
    /// Braking for an obstacle, with its largest forward position; then returning to a centre.
    Brake(i32),
    /// Driving a distance without regard to walls.
    Roll,
    /// Moving to the centre of a cell, a number of cells further, in front of an obstacle; `true` if that is in the
    /// next cell.
    Finish(i8, bool),
}

/// Straight motion, forward or backward.
#[derive(Clone, Copy, Debug)]
pub(super) struct Straight {
    pub(super) from: i32,
    /// `1` or `-1`.
    pub(super) direction: i32,
    pub(super) profile: VelocityProfile,
}

impl Straight {
    /// Motion from rest to rest.
    pub(super) fn new(from: i32, to: i32, limits: SpeedLimits) -> Self {
        Self {
            from,
            direction: if to < from { -1 } else { 1 },
            profile: VelocityProfile::new(
                (to - from).abs(),
                limits.straight_mm_s * 1000,
                limits.acceleration_mm_s2 * 1000,
            ),
        }
    }

    /// Forward position where the robot should be.
    pub(super) fn setpoint(&self) -> i32 {
        self.from + self.direction * self.profile.position()
    }
}

/// Smooth turn in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Smooth {
    /// `1` to the right, `-1` to the left.
    pub(super) side: i32,
    /// Forward position of its start.
    pub(super) from: i32,
    /// Distance along its path, in micrometres.
    pub(super) position: i32,
    pub(super) speed: i32,
    /// Yaw rate of the last step.
    pub(super) rate: i32,
}

impl Smooth {
    /// Advances by `us` microseconds; returns the setpoint for a robot at `pose`.
    pub(super) fn step(&mut self, turn: &SmoothTurn, us: u32, pose: Pose) -> Setpoint {
        self.position += divide::<1_000_000>(i64::from(self.speed) * i64::from(us)) as i32;
        let rate = self.side * turn.rate(self.position, self.speed);
        let turn_change = rate - core::mem::replace(&mut self.rate, rate);
        let point = turn.at(self.position);
        let yaw = self.side * point.yaw_mdeg;
        let forward = self.from + point.forward_um - pose.forward_um;
        let lateral = self.side * point.lateral_um - pose.lateral_um;
        let along = times_cosine(forward, yaw) + times_sine(lateral, yaw);
        let across = times_cosine(lateral, yaw) - times_sine(forward, yaw);
        let heading = (yaw - pose.yaw_mdeg) * SMOOTH_HEADING_KP;
        Setpoint {
            speed: self.speed + along * POSITION_KP,
            speed_change: 0,
            turn: rate + heading + scale_by::<1000>(across, SMOOTH_LATERAL_KP),
            turn_change,
        }
    }
}

/// Speeds that the wheels are to follow, and their changes in this control step by plan, without feedback.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setpoint {
    /// In micrometres per second.
    pub(super) speed: i32,
    pub(super) speed_change: i32,
    /// Yaw rate in mdeg/s.
    pub(super) turn: i32,
    pub(super) turn_change: i32,
}

/// Setpoint of a straight motion, with a limit of the speed in um/s.
pub(super) fn straight_setpoint(straight: &Straight, pose: Pose, limit: i32) -> Setpoint {
    let Straight {
        direction, profile, ..
    } = straight;
    let error = straight.setpoint() - pose.forward_um;
    let speed = (direction * profile.speed() + error * POSITION_KP).clamp(-limit, limit);
    let heading = -direction * scale_by::<1000>(pose.lateral_um, LATERAL_KP);
    let mut heading = heading.clamp(-LATERAL_HEADING_LIMIT, LATERAL_HEADING_LIMIT);
    if profile.ends_at_rest() {
        let remaining = profile.remaining().clamp(0, STRAIGHTEN_UM);
        heading = scale_by::<{ STRAIGHTEN_UM as u32 }>(heading, remaining);
    }
    Setpoint {
        speed,
        speed_change: direction * profile.change(),
        turn: (heading - pose.yaw_mdeg) * HEADING_KP,
        turn_change: 0,
    }
}
