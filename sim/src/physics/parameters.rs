//! Numbers of the modelled robot and its floor, apart from its [tolerances](super::tolerances).
//!
//! The model must not share the firmware's guesses, so nothing here comes from the firmware: each number has
//! its source, or is called an assumption. What is assumed is varied by a tolerance wherever it matters.

// Floor.

/// Side of a cell unless a floor has another, in millimetres: that of a full-size micromouse maze (contest rules).
pub const CELL: f64 = 180.0;
/// Half the thickness of a wall and of its posts, in millimetres: 12 mm (contest rules).
pub const HALF_WALL: f64 = 6.0;

/// Length of the panels of a wall, each with a reflectance of its own, in millimetres. Assumption.
pub const PANEL: f64 = 90.0;

// Body.

/// Half the side of the robot, in millimetres: the Zumo is less than 98 mm long and wide (maker's data).
pub const HALF_SIDE: f64 = 49.0;

// Proximity sensors.

/// From the centre forward to the front receiver, in millimetres. Assumption: near the front edge (photos).
pub const FRONT_RECEIVER: f64 = 45.0;
/// From the centre sideways to a side receiver, in millimetres. Assumption: near the side edge (photos).
pub const SIDE_RECEIVER: f64 = 45.0;
/// From the centre forward to a side receiver, in millimetres. Assumption (photos).
pub const SIDE_RECEIVER_FORWARD: f64 = 30.0;
/// Pulse width at which the ranges below hold, in nanoseconds: the widest that the maker's code uses.
pub const REFERENCE_PULSE_NS: f64 = 7563.0;
/// Period of the carrier, in nanoseconds: 56 kHz (maker's code). No pulse is wider.
pub const CARRIER_NS: f64 = 1e9 / 56_000.0;
/// Duration of a burst, in microseconds (maker's code).
pub const BURST_US: u64 = 250;
/// Pause after a burst, in microseconds (maker's code).
pub const PAUSE_US: u64 = 321;
/// Range of the front receiver on a white wall by either LEDs at [`REFERENCE_PULSE_NS`], in millimetres.
/// Unknown: the maker gives none. Varied by `reflectance` and `light`.
pub const FRONT_RANGE: f64 = 240.0;
/// Range of a side receiver by the LEDs on its own side, in millimetres. Unknown, as [`FRONT_RANGE`].
pub const OWN_RANGE: f64 = 300.0;
/// Range of a side receiver by the LEDs on the other side, in millimetres. Unknown, as [`FRONT_RANGE`].
pub const CROSS_RANGE: f64 = 186.0;
/// Half the field of view of a receiver with its LEDs, in radians. Assumption: 10 degrees.
pub const HALF_VIEW: f64 = 0.1745;

// Drivetrain.

/// Track speed at full duty and [`NOMINAL_MV`], in millimetres per second: 75:1 gears (derived from the
/// maker's 450 turns per minute of the output shaft).
pub const TOP_SPEED: f64 = 860.0;
/// Battery voltage of [`TOP_SPEED`], in millivolts (maker's data: 6 V motors).
pub const NOMINAL_MV: f64 = 6000.0;
/// Duty lost to friction at [`TOP_SPEED`]. Assumption; varied by `friction`.
pub const NOMINAL_FRICTION: f64 = 0.03;
/// Acceleration of gravity, in millimetres per second squared.
pub const GRAVITY: f64 = 9810.0;
/// Time constant of the motors with the robot's mass, in seconds. Assumption.
pub const MOTOR_LAG: f64 = 0.060;
/// Track width, in millimetres. Unverified third-party figure; varied by `track`.
pub const TRACK: f64 = 99.0;
/// Track travel per encoder count, in millimetres: 115.2 mm of track for a turn of the sprocket, 12 counts
/// for a turn of the motor, gears of 75.81:1 (derived from the maker's data).
pub const PER_COUNT: f64 = 115.2 / (12.0 * 75.81);
/// Correlation time of slip and scrub, in seconds. Assumption: about the pitch of a track.
pub const GRIP_TIME: f64 = 0.1;
/// Battery drain at full duty, in millivolts per second. Assumption: empty after an hour and a half.
pub const DRAIN_MV: f64 = 0.3;

// Gyro.

/// Sample period of the gyro, in seconds: 208 Hz (maker's code).
pub const GYRO_PERIOD: f64 = 1.0 / 208.0;
/// Resolution of the gyro, in thousandths of a degree per second (LSM6DSO data sheet, 2000 degrees/s).
pub const GYRO_UNIT: f64 = 70.0;

// Flash.

/// Bytes of flash that keep stored data, simulated without the rest: the last 64 KiB of the first 2 MiB, as in
/// `memory.x`.
pub const STORE: std::ops::Range<u32> = 0x1F_0000..0x20_0000;
