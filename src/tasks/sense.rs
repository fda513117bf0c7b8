//! Reads the proximity sensors and detects walls.

use embassy_time::{Instant, Ticker};

use crate::{
    config::{BLIND, SENSE_PERIOD, STALE},
    fault::Fault,
    robot::Proximity,
    sensing::WallDetector,
    signals::{Signals, Task, WallReading},
};

/// Reads the proximity sensors. Failed and stale readings are discarded; without a valid
/// one for too long, a fault stops the robot.
pub async fn sense(signals: &Signals, proximity: &mut impl Proximity) -> ! {
    let sender = signals.wall_reading.sender();
    let mut ticker = Ticker::every(SENSE_PERIOD);
    let mut detector = WallDetector::default();
    let mut count: u32 = 0;
    let mut last_valid = Instant::now();
    let mut calibrated = None;
    loop {
        let current = (signals.calibration(), signals.cell_size());
        if calibrated.replace(current) != Some(current) {
            let (calibration, cell) = &current;
            proximity.calibrate(calibration, *cell);
            detector = WallDetector::default();
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
                detector.update(&reading.distances, signals.cell_size());
                last_valid = now;
                count = count.wrapping_add(1);
                let [front, left, right] = detector.walls();
                sender.send(WallReading {
                    count,
                    taken: reading.taken,
                    distances: reading.distances,
                    raw: reading.raw,
                    front,
                    left,
                    right,
                });
            }
            // Votes must be consecutive.
            None => detector = WallDetector::default(),
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
