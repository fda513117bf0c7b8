//! Fault injection: wrappers around the robot's devices.
//!
//! The model does not know about them. People and doors are obstacles of the [floor](super::floor); a power
//! cut ends a run. What a person does with the robot, carrying it and pressing its buttons, is injected alike.

mod devices;
mod injection;

pub use devices::{FaultyInfrared, FaultyMotors, FaultyOdometry, FaultyProximity};
pub use injection::{
    CARRIED_DPS, FaultDraw, FaultKind, Hand, InjectedFault, ObstacleSchedule, ParseFaultError,
    is_active, nearest_side, pressed,
};

/// Shares of their travel that the wheels lose to an injected slip.
pub const SLIP: [f64; 2] = [0.8, 0.3];
