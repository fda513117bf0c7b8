//! Application numbers, the same on every board, each with its unit and how it was chosen. Invalid
//! combinations do not compile. Numbers of a board are in [`boards`](crate::boards).

use embassy_time::Duration;
use planner_core::{Cell, Side};

use crate::{calibration::WallCalibration, mission::Field, motion::SpeedLimits};

// Floor.

/// Default side of a cell in millimetres: that of a micromouse maze, and quickly taped on a floor. The size
/// in use is in [`Settings`](crate::settings::Settings).
pub const CELL_MM: i32 = 180;
/// Half the thickness of a wall, in millimetres: that of a micromouse maze.
pub const HALF_WALL_MM: i32 = 6;
/// From the centre of a cell of the default size to the face of a wall on its edge, in millimetres.
pub const WALL_FACE_MM: i32 = CELL_MM / 2 - HALF_WALL_MM;
/// Largest map, in cells per side: its searches take two thirds of the RP2040's RAM.
pub const SIDE: u16 = 64;
/// Default map. The robot starts in its centre and can go in any direction.
pub const FIELD: Field = Field {
    width: SIDE,
    height: SIDE,
    home: Cell::new(SIDE / 2, SIDE / 2),
    heading: Side::North,
};
/// Goal unless another was set: four cells ahead, two to the right.
pub const GOAL: Cell = Cell::new(SIDE / 2 + 2, SIDE / 2 - 4);

// Velocity profiles.

/// Highest speed of any board and level, in mm/s: a robot whose core hangs stops in time.
pub const TOP_SPEED: i32 = 700;
/// Largest acceleration of any board and level, in mm/s²: tracks keep 0.4 g of traction on the worst floor.
pub const TOP_ACCELERATION: i32 = 2000;
/// Limits of motions inside of a cell: centring, and returning to a centre.
pub const POSITIONING: SpeedLimits = SpeedLimits {
    straight_mm_s: 200,
    turn_mm_s: 200,
    acceleration_mm_s2: 600,
};
/// Speed of such a motion of a robot whose walls are not calibrated, or that may be off the centre by more than
/// [`STRAIGHT_CLEARANCE_UM`], in mm/s: with what wheels and steering add, a wall is touched at less than 60 mm/s.
pub const CAREFUL_POSITIONING: i32 = 45;
/// Deceleration in front of an obstacle, in mm/s²: two thirds of 0.4 g, the traction on the worst floor. Stops within
/// 50 mm from 500 mm/s.
pub const BRAKE_DECELERATION: i32 = 2500;
/// Speed of a turn, in mdeg/s.
pub const TURN_SPEED: i32 = 180_000;
/// Turn rate of a robot whose walls are not calibrated, in mdeg/s: a corner that touches a wall moves at 45 mm/s.
pub const CAREFUL_TURN_SPEED: i32 = 36_000;
/// Turn rate of a robot that may be off the centre by more than [`TURN_CLEARANCE_UM`], in mdeg/s: a corner moves at
/// 40 mm/s, and at less than 60 mm/s while its tracks slip.
pub const UNSURE_TURN_SPEED: i32 = 33_000;
/// Distance off the centre up to which a turn is safe, in micrometres: that of the pose and half its uncertainty, as the
/// true error is rarely more. The corners have 15 mm of clearance.
pub const TURN_CLEARANCE_UM: i32 = 13_000;
/// As [`TURN_CLEARANCE_UM`], sideways at the start of a smooth turn: walls of a corridor are 35 mm from the robot's sides,
/// and a rear corner swings out by 11 mm.
pub const SMOOTH_CLEARANCE_UM: i32 = 22_000;
/// Uncertainty of the position up to which a straight motion apart from the route touches nothing, in micrometres.
pub const STRAIGHT_CLEARANCE_UM: i32 = 20_000;
/// Heading ahead of the plan of a turn in place that is a fault, in mdeg, beside the share that its speed makes.
pub const TURN_LEAD_MDEG: i32 = 3_500;
/// That share, as a power of two: 31 ms at the turn's top speed, half of the motors' lag.
pub const TURN_LEAD_SHIFT: u32 = 5;
/// Turn rate of a robot that looks around because it is lost, in mdeg/s: even while its tracks slip, a corner moves at
/// less than 50 mm/s.
pub const LOOK_TURN_SPEED: i32 = 25_000;
/// Acceleration of a turn, in mdeg/s².
pub const TURN_ACCELERATION: i32 = 900_000;

// Controllers.

/// Period of the control loop: the gyro has a new value every 4.8 ms.
pub const CONTROL_PERIOD: Duration = Duration::from_millis(5);
/// Proportional gain of the wheel loop, in 1/s: speed per position error. Tuned in the model; more
/// oscillates with the motors' lag of 60 ms.
pub const WHEEL_KP: i32 = 15;
/// Duty, in thousandths, from which a wheel at rest is helped over its static friction: 10 mm/s.
pub const BREAKAWAY_PERMILLE: i32 = 12;
/// Integral gain of the wheel loop, in 1/s²: compensates a battery that is not full.
pub const WHEEL_KI: i32 = 30;
/// Limit of the integral term of the wheel loop, in thousandths of the top speed (anti-windup).
pub const WHEEL_INTEGRAL_LIMIT: i32 = 100;
/// Proportional gain of the robot's position loop, in 1/s: slower than the wheel loop inside it.
pub const POSITION_KP: i32 = 4;
/// Proportional gain of the robot's heading loop, in 1/s: slower than the wheel loop inside it.
pub const HEADING_KP: i32 = 6;
/// Speed by which the position loop may exceed that of the motion, as a power of two: a quarter.
pub const CATCH_UP_SHIFT: u32 = 2;
/// Proportional gain of the heading loop in smooth turns, in 1/s.
pub const SMOOTH_HEADING_KP: i32 = 7;
/// Gain from lateral error to yaw rate in smooth turns, in mdeg/s per mm.
pub const SMOOTH_LATERAL_KP: i32 = 2_500;
/// Gain from lateral offset to heading setpoint, in mdeg/mm: halves the offset in half a second.
pub const LATERAL_KP: i32 = 400;
/// Limit of the heading setpoint, in mdeg: beyond it, walls ahead are not seen reliably.
pub const LATERAL_HEADING_LIMIT: i32 = 5_000;
/// Distance before the end of a motion over which the heading setpoint fades to zero, in micrometres.
pub const STRAIGHTEN_UM: i32 = 50_000;

// End of a motion.

/// Position tolerance at the end of a motion, in micrometres.
pub const POSITION_TOLERANCE_UM: i32 = 2_000;
/// Heading tolerance at the end of a motion, in mdeg.
pub const HEADING_TOLERANCE_MDEG: i32 = 800;
/// Control steps for which the robot must be still and within tolerance.
pub const SETTLE_STEPS: u8 = 6;
/// Time from the end of a profile to the end of its motion; more is a fault.
pub const MOTION_TIMEOUT: Duration = Duration::from_millis(1500);
/// Position error at which a wheel counts as stalled, in micrometres.
pub const STALL_UM: i32 = 15_000;
/// Travel per control step below which a wheel is still, in micrometres: one encoder count, not two.
pub const STILL_UM: i32 = 200;
/// Distance from the centre of the cell above which the robot centres itself before a turn, in
/// micrometres.
pub const CENTER_TOLERANCE_UM: i32 = 4_000;
/// Lateral offset above which the robot backs up and returns before a turn, in micrometres: its
/// corners have 15 mm of clearance.
pub const LATERAL_TOLERANCE_UM: i32 = 7_000;
/// Distance to back up for that, in micrometres: not out of the cell it came from.
pub const BACK_UP_UM: i32 = 130_000;

// Obstacles ahead while moving.

/// Consecutive readings that must find an obstacle.
pub const OBSTACLE_READINGS: u8 = 2;
/// Distance in front of the wall behind the destination cell at which something is an obstacle, in
/// micrometres: half the distance between two thresholds of the front receiver.
pub const OBSTACLE_MARGIN_UM: i32 = 25_000;
/// This margin as a share of the distance, as a power of two, where that is more: a wall in other light, or of another
/// colour, is sensed at four fifths of its distance.
pub const OBSTACLE_MARGIN_SHIFT: u32 = 2;
/// Share of a distance, as its divisor, by which an uncalibrated robot may sense a wall too near: 15 % by the wall,
/// and 4 % by receiver and LEDs.
pub const RANGE_ERROR: i32 = 5;

// Pose estimation.

/// Control steps over which the spread of the yaw rate tells whether the robot is still: 0.1 s, as long
/// as a stop between two motions.
pub const STILL_STEPS: u8 = 20;
/// Largest spread of the yaw rate of a still robot, in mdeg/s: 1.5 times that of the gyro's noise, and
/// less than that of the steadiest hand.
pub const STILL_SPREAD: i32 = 1_500;
/// Largest bias of a gyro, in mdeg/s, ten times the typical one. A faster turn is no bias, however steady.
pub const GYRO_BIAS_LIMIT: i32 = 10_000;
/// Weight of a new measurement in the gyro bias, as a divisor: averages over half a second.
pub const GYRO_BIAS_WEIGHT: i32 = 4;
/// Difference between the turn by the wheels and by the gyro, filtered over [`SLIP_STEPS`], that is a slip on a
/// straight line, in mdeg: a quarter more than what unequal wheels and an uneven floor make.
pub const SLIP_STRAIGHT_MDEG: i32 = 5_000;
/// As [`SLIP_STRAIGHT_MDEG`], in a turn in place, of which scrubbing tracks lose up to a fifth.
pub const SLIP_TURN_MDEG: i32 = 12_000;
/// As [`SLIP_STRAIGHT_MDEG`], in a smooth turn: the gyro's samples are up to 8 ms old, in which the robot turns by two
/// degrees, and its tracks scrub less than in place.
pub const SLIP_SMOOTH_MDEG: i32 = 8_000;
/// Part of a smooth turn, as a divisor, that is a slip if wheels and gyro differ by more: scrubbing tracks lose an eighth.
pub const SLIP_PART: i32 = 6;
/// Difference up to which parts do not count, in mdeg: uneven floors, and the age of the gyro's samples.
pub const SLIP_PART_MDEG: i32 = 4_500;
/// As [`SLIP_STRAIGHT_MDEG`], in turns in place at up to [`CAREFUL_TURN_SPEED`]: less than what the robot turns in the
/// filter's time.
pub const SLIP_SLOW_TURN_MDEG: i32 = 4_500;
/// Time constant of the slip filter, in control steps.
pub const SLIP_STEPS: i32 = 40;
/// Correction above which a reading does not belong to the expected wall, in micrometres.
pub const OUTLIER_UM: i32 = 25_000;
/// Heading above which walls do not correct the pose, in mdeg.
pub const STRAIGHT_MDEG: i32 = 8_000;
/// Largest correction by one reading, in micrometres: limits the harm of a wrong one.
pub const CORRECTION_STEP_UM: i32 = 2_000;
/// Largest sum of corrections by what is ahead within one cell, in micrometres, unless the forward position is
/// less certain: it may be no wall.
pub const FRONT_CORRECTION_UM: i32 = 12_000;
/// Part of the distance driven, in 256ths, by which a side reading moves the lateral position: it steers the
/// robot to where the sensors tell the sides of the centre apart.
pub const CENTRING_256THS: i32 = 13;
/// Largest such step, in micrometres: that of a reading at 500 mm/s.
pub const CENTRING_STEP_UM: i32 = 250;
/// Lateral position up to which it does, in micrometres: more would be an error of its own.
pub const CENTRING_LIMIT_UM: i32 = 7_000;
/// Heading correction per lateral correction, in mdeg/mm: one degree is 3 mm per cell.
pub const HEADING_PER_LATERAL: i32 = 100;
/// Largest correction by the end of a wall, in micrometres: it is seen once.
pub const EDGE_CORRECTION_UM: i32 = 10_000;
/// From the line between two cells to where a side receiver starts or stops to see a wall that ends
/// there, in micrometres: half a post and half the receiver's cone.
pub const EDGE_UM: i32 = 12_500;
/// Distance driven along a wall after which its end is behind, in micrometres: the thickness of a post.
pub const WALL_END_UM: i32 = 12_000;
/// Error of a position by the end of a wall, in micrometres: lateral offset, width of the cone, reading period.
pub const EDGE_TOLERANCE_UM: i32 = 8_000;
/// Largest correction by two ends of walls that agree, in micrometres: a quarter of a cell from the next line.
pub const EDGE_GATE_UM: i32 = 45_000;
/// Difference up to which two ends of walls agree on an error of the position, in micrometres.
pub const AGREEING_EDGES_UM: i32 = 12_000;

// Uncertainty of the pose.

/// Error of a person who puts the robot into a cell, in micrometres.
pub const PLACED_UM: i32 = 5_000;
/// As [`PLACED_UM`], of the yaw in mdeg.
pub const PLACED_YAW_MDEG: i32 = 3_000;
/// Growth of the forward uncertainty by travel, as a power of two: 0.8 %.
pub const FORWARD_DRIFT_SHIFT: u32 = 7;
/// Growth of the lateral uncertainty by travel beside that of the yaw, as a power of two: 0.4 %.
pub const LATERAL_DRIFT_SHIFT: u32 = 8;
/// Growth of the yaw uncertainty, in mdeg/s: a gyro bias learned minutes ago.
pub const YAW_DRIFT_MDEG_S: i32 = 25;
/// Growth of the yaw uncertainty by turns, as a power of two: a gyro's scale of 0.4 %.
pub const YAW_SCALE_SHIFT: u32 = 8;
/// Uncertainty of the position by a quarter turn, in micrometres: scrubbing tracks move the centre at random, so it is
/// twice that by four.
pub const SCRUB_UM: i32 = 2_500;
/// Uncertainty of the yaw beside a wall, in mdeg.
pub const WALL_YAW_MDEG: i32 = 1_700;
/// Distance along a wall that narrows the yaw uncertainty to a third, in micrometres, as a power of two: 131 mm.
pub const HEADING_PER_WALL_SHIFT: u32 = 17;
/// As [`HEADING_PER_WALL_SHIFT`], of yaw errors that last: those of placement and of the gyro's scale. 524 mm, in which
/// [`HEADING_PER_LATERAL`] corrects them.
pub const LASTING_PER_WALL_SHIFT: u32 = 19;
/// Lateral uncertainty up to which a wall beside the robot corrects yaw errors that last, in micrometres.
pub const WALL_YAW_UM: i32 = 8_000;
/// Uncertainty of the position above which the robot drives slowly and stops in every cell, in micrometres: its true
/// error is rarely more than half of that, and walls of a corridor are 35 mm from its sides.
pub const UNSURE_UM: i32 = 30_000;
/// Uncertainty above which the place of a robot that was lost is not known, in micrometres: what it drives until walls
/// confirm it must not lose it again.
pub const RELOCALISED_UM: i32 = 75_000;
/// Lateral position above which a robot that was lost turns to centre itself, in micrometres: walls are sensed from the
/// centre of a cell.
pub const CENTER_BEFORE_SENSING_UM: i32 = 15_000;
/// Forward uncertainty of a robot that is lost, in micrometres: the lines between cells are ambiguous.
pub const LOST_FORWARD_UM: i32 = 85_000;
/// Lateral uncertainty of a robot that is lost, in micrometres: it may touch the walls of a corridor.
pub const LOST_LATERAL_UM: i32 = 85_000;
/// Consecutive gyro readings that may fail: 50 ms are driven on wheel odometry alone.
pub const GYRO_MISSES: u8 = 10;
/// Consecutive encoder readings that may fail.
pub const ENCODER_MISSES: u8 = 3;

// Wall sensing.

/// Period of proximity readings; a reading takes 7.4 ms.
pub const SENSE_PERIOD: Duration = Duration::from_millis(10);
/// Distance from the front receiver at which walls of this cell end and those of the next begin, in
/// micrometres: halfway between the two.
pub const FRONT_WALL_UM: i32 = 126_000;
/// As [`FRONT_WALL_UM`], of the side receivers; nearer, as the robot is closer to the centre sideways.
pub const SIDE_WALL_UM: i32 = 110_000;
/// Distance from the front receiver up to which, at the centre of a cell, an obstacle is a wall on the cell's
/// edge, in micrometres. Anything further is in the next cell and counts as a temporary obstacle.
pub const FRONT_NEAR_UM: i32 = 49_000;
/// As [`FRONT_NEAR_UM`], of the side receivers; further, as the robot may be off the centre sideways.
pub const SIDE_NEAR_UM: i32 = 61_000;
/// Distance up to which a receiver that detects nothing tells that there is no wall of this cell, in micrometres:
/// twice that of a wall from the centre. On dark walls receivers reach no further than 85 mm.
pub const REACH_UM: i32 = 75_000;
/// Readings in a majority vote.
pub const VOTES: usize = 5;
/// Equal readings that decide a vote.
pub const MAJORITY: usize = 4;
/// Readings in a row without what was detected ahead, after which it counts as gone: a fifth of a second.
pub const GONE_READINGS: u8 = 20;
/// Equal readings in a row that decide on the move, where five would take 25 mm.
pub const MOVING_VOTES: u8 = 3;
/// Distance before the edge of a cell from which its walls are sensed, in micrometres: the wall ahead is 164 mm away.
pub const SENSE_AHEAD_UM: i32 = 35_000;
/// Distance of a side receiver beyond the edge of a cell from which it sees the cell's walls and not the post, in
/// micrometres: half the post, half the cone, and 4 mm for the position.
pub const SIDE_BEHIND_EDGE_UM: i32 = 17_000;
/// Forward position of the robot beyond the edge of a cell at which its walls are known, in micrometres: before, a post
/// is taken for a wall.
pub const DECIDE_BEHIND_EDGE_UM: i32 = 4_000;
/// Distance from a side receiver within which nothing may be for a smooth turn to that side, in micrometres: after the
/// turn the front is 80 mm from there, and the robot stops within 50 mm.
pub const CLEAR_UM: i32 = 150_000;
/// Yaw up to which walls are sensed on the move, in mdeg.
pub const SENSE_YAW_MDEG: i32 = 6_000;
/// Age of the last valid reading at which a moving robot stops: 25 mm at 500 mm/s.
pub const STALE: Duration = Duration::from_millis(50);
/// Age of the last valid reading at which a standing robot reports a fault.
pub const BLIND: Duration = Duration::from_millis(400);

// Planning.

/// Period of planner ticks.
pub const PLAN_PERIOD: Duration = Duration::from_millis(10);
/// Expansions per tick: the most, in a power of two, that is proven to stay within [`TICK_SHARE`].
pub const LIMIT: u32 = 64;
/// Share of the period for a planner tick: the rest is for control steps, sensing and telemetry.
pub const TICK_SHARE: Duration = Duration::from_millis(2);
/// Clock of the RP2040, in cycles per microsecond.
pub const CYCLES_PER_US: u64 = 125;

/// Upper bound of a planner tick with a limit of expansions, in cycles. `cargo xtask wcet` proves it for the linked image
/// and fails if a tick may take longer.
#[must_use]
pub const fn tick_cycles(limit: u32) -> u64 {
    19_700 + 3_210 * limit as u64
}

/// Longest tick; more is a fault, because the budget did not bound it.
pub const DEADLINE: Duration = Duration::from_millis(8);
/// Time after which a temporary obstacle is forgotten and sensed again.
pub const OBSTACLE_LIFETIME: Duration = Duration::from_secs(20);
/// Time of a quarter turn in place with the stop before it, for the plan of a run.
pub const PIVOT_TIME: Duration = Duration::from_millis(900);
/// Unit of time of the plan of a run: runs of up to 262 s fit 16 bits.
pub const RUN_TICK: Duration = Duration::from_millis(4);
/// Temporary obstacles remembered; the oldest is forgotten first.
pub const TEMPORARY_OBSTACLES: usize = 16;
/// Consecutive votes with contradictory side readings after which an uncalibrated robot stops.
pub const CONTRADICTORY_VOTES: u8 = 4;
/// Distance from a receiver up to which there is no wall but that of this cell, in micrometres: four fifths of that of
/// the next cell's.
pub const OFF_EDGE_UM: i32 = 175_000;
/// Doubt about a receiver of an uncalibrated robot by an obstacle there; a wall of this cell takes away one.
pub const OFF_EDGE_WEIGHT: u8 = 2;
/// Doubt about a receiver at which an uncalibrated robot stops.
pub const OFF_EDGE_LIMIT: u8 = 8;
/// Temporary obstacles that an uncalibrated robot meets in a mission, and then stops.
pub const OBSTACLES_LIMIT: u8 = 16;
/// Walls remembered that are not confirmed yet: those of the last 16 cells.
pub const UNCONFIRMED_WALLS: usize = 48;
/// Edges sensed free ahead that are remembered until the robot has crossed them.
pub const EDGES_AHEAD: usize = 32;
/// Time for which such an edge is taken back if the robot is lost, unless it crosses it: a blinded front receiver is
/// noticed within it.
pub const EDGES_AHEAD_LIFETIME: Duration = Duration::from_secs(30);
/// Time for which a calibrated robot stands in front of a wall of its map that it does not see: its front receiver may
/// be blinded. Then it believes that the wall has gone.
pub const WALL_UNSEEN: Duration = Duration::from_secs(10);
/// Walls ahead and ends of walls where they should be that confirm all walls sensed before: a robot that slipped
/// sees them elsewhere.
pub const CONFIRMING_FIXES: u8 = 2;
/// Doubt at which the robot is lost.
pub const LOST_DOUBT: u8 = 5;
/// Doubt by an outer wall that is sensed free, on a field that has outer walls.
pub const DOUBT_BY_OUTER_WALL: u8 = 3;
/// Doubt by a blocked wall that is sensed free.
pub const DOUBT_BY_FREE: u8 = 2;
/// Doubt by a free wall that is sensed blocked: it may be an obstacle.
pub const DOUBT_BY_BLOCKED: u8 = 1;
/// Time after which the robot rests for [`BIAS_REST`].
pub const BIAS_LIFETIME: Duration = Duration::from_secs(15);
/// The same in a dead end, where the robot stops anyway.
pub const BIAS_LIFETIME_DEAD_END: Duration = Duration::from_secs(6);
/// Rest in which the gyro bias is learned again: two blocks of [`STILL_STEPS`].
pub const BIAS_REST: Duration = Duration::from_millis(200);
/// Time after which that rest ends, even if the robot was not still.
pub const BIAS_TIMEOUT: Duration = Duration::from_millis(600);
/// Steps from the cell where a lost robot takes itself to be to the furthest one where it may be.
pub const LOST_STEPS: u8 = 3;
/// Searches for the place of a lost robot in one mission.
pub const RELOCALISATIONS: u8 = 8;
/// Time for which a lost robot must be still before it looks around, and at each look.
pub const LOST_STILL: Duration = Duration::from_millis(100);
/// Time after which a lost robot that is not still, or does not turn as it should, gives up: it is in a hand.
pub const LOST_TIMEOUT: Duration = Duration::from_millis(800);
/// Motions of one search that fail after which a lost robot gives up, and its pause after each.
pub const LOOK_FAILURES: u8 = 8;
/// See [`LOOK_FAILURES`].
pub const LOOK_PAUSE: Duration = Duration::from_millis(1500);
/// Proximity readings of one look of a lost robot.
pub const LOOK_READINGS: u8 = 6;
/// Distance that a lost robot drives to look around from elsewhere, in micrometres: half a cell.
pub const LOOK_MOVE_UM: i32 = 90_000;
/// Distance from its centre that must be clear for that, in micrometres: its front, and 25 mm more.
pub const LOOK_CLEAR_UM: i32 = LOOK_MOVE_UM + 75_000;
/// Part of that distance, as a power of two, that it may not have driven although wheels and gyro agree: a quarter.
pub const LOOK_SLIP_SHIFT: u32 = 2;
/// Times that it does so in one search.
pub const LOOK_MOVES: u8 = 4;
/// Motion of the centre while a lost robot turns in place, in micrometres: twice that of three quarter turns.
pub const LOOK_SHIFT_UM: i32 = 10_000;
/// Doubt about the pose of a robot that has found its place: one blocked wall that is sensed free loses it again.
pub const RELOCALISED_DOUBT: u8 = LOST_DOUBT - DOUBT_BY_FREE;
/// Expected ends of walls in a row that are not there when the robot is lost: it drives against something.
pub const MISSING_ENDS: u8 = 2;
/// Undecided votes ahead that are repeated; then the edge counts as blocked.
pub const SENSE_RETRIES: u8 = 4;
/// Walls handled per tick when the map is loaded or cleared.
pub const WALLS_PER_TICK: usize = 16;
/// Exits of a route that are decided in advance, at most: stopping from the top speed takes one cell.
pub const EXITS: usize = 8;
/// Time after which a planner that does not decide is taken to have no path.
pub const DECISION_TIMEOUT: Duration = Duration::from_secs(10);
/// Wait before sensing again when there is no path.
pub const NO_PATH_WAIT: Duration = Duration::from_secs(5);
/// Waits without a path after which the blocked walls are doubted; flash keeps them.
pub const NO_PATH_WAITS: u8 = 3;

// Start.

/// Time for which the robot must be still between the start and its first motion: the hand is gone, and
/// the gyro bias is measured.
pub const START_STILL: Duration = Duration::from_millis(1000);
/// Time after which a robot that is never still gives up its start.
pub const START_TIMEOUT: Duration = Duration::from_secs(20);
/// Turn of a resting robot after which somebody has moved it, in mdeg.
pub const MOVED_BY_HAND_MDEG: i32 = 15_000;

// Storage.

/// Wall changes after which the robot stops to save the map.
pub const SAVE_AFTER: u16 = 96;
/// The same in a dead end, where the robot stops anyway.
pub const SAVE_AFTER_DEAD_END: u16 = 48;
/// Saves during one mission; the one at its end is not counted. Flash wears.
pub const SAVES_PER_MISSION: u8 = 64;
/// Pause after each erase of a series, in which the other tasks run: two proximity readings.
pub const ERASE_PAUSE: Duration = Duration::from_millis(20);

// Telemetry and panel.

/// Planner ticks per load frame.
pub const LOAD_TICKS: u16 = 100;
/// Period of state frames.
pub const REPORT_PERIOD: Duration = Duration::from_millis(100);
/// Period of button readings. A first reading of B stops the robot; two equal ones are a press of the others.
pub const PANEL_PERIOD: Duration = Duration::from_millis(10);
/// Panel periods per display update.
pub const SCREEN_EVERY: u32 = 10;
/// Time after which a press is a long one.
pub const LONG_PRESS: Duration = Duration::from_millis(1000);
/// Duration of a note of the buzzer.
pub const NOTE: Duration = Duration::from_millis(100);
/// Duration of a blink of the LED that tells a fault code, and of the gap after it.
pub const BLINK: Duration = Duration::from_millis(250);
/// Duty of a motor that is checked, in thousandths: slow, and above friction.
pub const SPIN_PERMILLE: i32 = 200;
/// Time for which a motor that is checked turns.
pub const SPIN_TIME: Duration = Duration::from_millis(500);

// Safety.

/// Watchdog timeout of a standing robot. The longest silence is a flash erase, 400 ms at worst.
pub const WATCHDOG: Duration = Duration::from_millis(1000);
/// Watchdog timeout of a moving robot: a core that hangs drives no further than [`RUNAWAY_MM`].
pub const WATCHDOG_MOVING: Duration = Duration::from_millis(70);
/// Distance that a robot whose core hangs may drive, in millimetres.
pub const RUNAWAY_MM: i32 = 50;
/// Period in which the watchdog is fed if every task has checked in since it was fed last.
pub const SUPERVISE_PERIOD: Duration = Duration::from_millis(20);
/// Consecutive low battery readings of a standing robot that are a fault: half a second.
pub const BATTERY_LOW_READINGS: u8 = 25;

// Budgets of the image, checked by `cargo xtask size`.

/// Bytes of RAM for static data and code, of 264 KiB; the rest is stack, twice the 4,680 bytes that were measured.
pub const RAM_BUDGET: u32 = 264 * 1024 - 2 * 4_680;
/// Bytes of flash for the program.
pub const FLASH_BUDGET: u32 = 256 * 1024;

const _: () = {
    assert!(
        SIDE >= 2 && SIDE as u32 * SIDE as u32 <= 16_384,
        "ids of 16 bits with room to spare"
    );
    assert!(FIELD.is_valid());
    assert!(
        GONE_READINGS as usize + VOTES <= (SENSE_RETRIES as usize + 1) * VOTES,
        "what has gone is noticed before the edge counts as blocked"
    );
    assert!(GOAL.x < FIELD.width && GOAL.y < FIELD.height);
    assert!(POSITIONING.straight_mm_s <= TOP_SPEED);
    assert!(
        CELL_MM * 500 < BACK_UP_UM && BACK_UP_UM < CELL_MM * 1000,
        "back into the cell it came from, and not out of it"
    );
    assert!(
        POSITION_TOLERANCE_UM < STALL_UM
            && OUTLIER_UM < CELL_MM * 500
            && EDGE_GATE_UM <= CELL_MM * 250
            && LOST_FORWARD_UM < CELL_MM * 500,
        "neighbouring walls are distinguished"
    );
    assert!(
        FRONT_NEAR_UM < FRONT_WALL_UM
            && SIDE_NEAR_UM < REACH_UM
            && REACH_UM < SIDE_WALL_UM
            && FRONT_WALL_UM < WallCalibration::FAR_UM - OUTLIER_UM,
        "walls of this cell, of the next, and what is between them are told apart"
    );
    assert!(VOTES <= 8 && MAJORITY * 2 > VOTES && MAJORITY <= VOTES);
    assert!(
        STALE.as_ticks() > 3 * SENSE_PERIOD.as_ticks(),
        "one or two lost readings are no fault"
    );
    assert!(DEADLINE.as_ticks() <= PLAN_PERIOD.as_ticks());
    assert!(
        tick_cycles(LIMIT) <= TICK_SHARE.as_micros() * CYCLES_PER_US,
        "a planner tick takes longer than its share of the period"
    );
    assert!(TICK_SHARE.as_ticks() < DEADLINE.as_ticks());
    assert!(WATCHDOG_MOVING.as_ticks() > 2 * SUPERVISE_PERIOD.as_ticks());
    assert!(
        TOP_SPEED * (WATCHDOG_MOVING.as_millis() as i32) < RUNAWAY_MM * 1000,
        "a hanging core is reset in time"
    );
    assert!(
        TOP_ACCELERATION * SUPERVISE_PERIOD.as_millis() as i32 / 1000
            * (WATCHDOG.as_millis() as i32)
            < RUNAWAY_MM * 1000,
        "also before the watchdog is fed for the first time in a motion"
    );
    assert!(STILL_STEPS as u64 * CONTROL_PERIOD.as_ticks() < START_STILL.as_ticks());
    assert!(
        PANEL_PERIOD.as_ticks() + CONTROL_PERIOD.as_ticks() < 20_000,
        "B acts within 20 ms"
    );
};
