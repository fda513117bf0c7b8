//! Reads the proximity sensors and detects walls.

use embassy_time::{Instant, Ticker};

use crate::{
    boards::BoardConfig,
    calibrator::Routine,
    config::{BLIND, SENSE_PERIOD, STALE},
    fault::Fault,
    robot::Proximity,
    sensing::{ReadingPose, WallDetector},
    signals::{DriveState, Pose, Signals, Task, WallReading},
};

/// Reads the proximity sensors. Failed and stale readings are discarded; without a valid
/// one for too long, a fault stops the robot.
pub async fn sense(
    signals: &Signals,
    board: &'static BoardConfig,
    proximity: &mut impl Proximity,
) -> ! {
    let sender = signals.wall_reading.sender();
    let mut ticker = Ticker::every(SENSE_PERIOD);
    let mut detector = WallDetector::new(board, false);
    let mut count: u32 = 0;
    let mut last_valid = Instant::now();
    let mut calibrated = None;
    loop {
        let current = (signals.calibration(), signals.cell_size());
        let is_calibrated = current.0.is_measured(Routine::Walls);
        if calibrated.replace(current) != Some(current) {
            let (calibration, cell) = &current;
            proximity.calibrate(calibration, *cell);
            detector = WallDetector::new(board, is_calibrated);
        }
        if signals.sweep_request.signaled() {
            let swept = proximity.sweep().await.ok();
            signals.sweep_request.reset();
            signals.sweep_result.signal(swept);
            last_valid = Instant::now();
        }
        let reading = proximity.read().await.ok();
        let now = Instant::now();
        let fresh = reading.filter(|reading| now.saturating_duration_since(reading.taken) < STALE);
        match fresh {
            Some(reading) => {
                let at = reading_pose(&signals.drive_state(), now, reading.taken);
                detector.update(&reading.distances, signals.cell_size(), &at);
                last_valid = now;
                count = count.wrapping_add(1);
                let [front, left, right] = detector.walls();
                sender.send(WallReading {
                    count,
                    taken: reading.taken,
                    distances: reading.distances,
                    raw: reading.raw,
                    cell: at.cell.0,
                    is_turned: at.cell.1 != 0,
                    forward_um: at.pose.forward_um,
                    front,
                    left,
                    right,
                });
            }
            // Votes must be consecutive.
            None => detector = WallDetector::new(board, is_calibrated),
        }
        if signals.is_storing() {
            // The chip halts while flash is written; the robot stands meanwhile.
            last_valid = now;
        }
        if now.saturating_duration_since(last_valid) > BLIND {
            signals.raise(Fault::Proximity);
        }
        signals.check_in(Task::Sense);
        ticker.next().await;
    }
}

/// Pose in which a reading was taken: the robot has moved since.
fn reading_pose(state: &DriveState, now: Instant, taken: Instant) -> ReadingPose {
    let age_ms = now.saturating_duration_since(taken).as_millis() as i32;
    ReadingPose {
        cell: (state.cell, state.quarters),
        pose: Pose {
            forward_um: state.pose.forward_um - state.speed_um_s / 1000 * age_ms,
            ..state.pose
        },
        is_at_rest: state.is_at_rest,
    }
}
