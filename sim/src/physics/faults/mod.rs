//! Fault injection: wrappers around the robot's devices.
//!
//! The model does not know about them. People and doors are obstacles of the [floor](super::floor); a power
//! cut ends a run.

mod devices;
mod injection;

pub use devices::{FaultyInfrared, FaultyMotors, FaultyOdometry, FaultyProximity};
pub use injection::{
    FaultKind, InjectedFault, ObstacleSchedule, ParseFaultError, is_active, nearest_side,
};

/// Shares of their travel that the wheels lose to an injected slip.
pub const SLIP: [f64; 2] = [0.8, 0.3];
