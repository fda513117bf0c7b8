//! Looks, votes, and tells what is in the way.

use embassy_time::{Instant, Ticker};

use crate::{
    config::{BLIND, SENSE_PERIOD, STALE},
    fault::Fault,
    robot::Proximity,
    sight::Polls,
    signals::{Sight, Signals, Task},
};

/// Reads the proximity sensors for ever. A reading that fails, is old or is impossible is none; without
/// a good one for too long the robot stops.
pub async fn sense(signals: &Signals, proximity: &mut impl Proximity) -> ! {
    let sender = signals.sight.sender();
    let mut ticker = Ticker::every(SENSE_PERIOD);
    let mut polls = Polls::default();
    let mut count: u32 = 0;
    let mut last_good = Instant::now();
    loop {
        let reading = proximity.read().await.ok();
        let now = Instant::now();
        let fresh = reading.filter(|reading| now.saturating_duration_since(reading.taken) < STALE);
        match fresh {
            Some(reading) if polls.vote(&reading.levels, &signals.calibration()) => {
                last_good = now;
                count = count.wrapping_add(1);
                let [front, left, right] = polls.results();
                sender.send(Sight {
                    count,
                    taken: reading.taken,
                    levels: reading.levels,
                    front,
                    left,
                    right,
                });
            }
            // What was seen before is no proof any more.
            _ => polls = Polls::default(),
        }
        if now.saturating_duration_since(last_good) > BLIND {
            signals.raise(Fault::Proximity);
        }
        signals.check_in(Task::Sense);
        ticker.next().await;
    }
}
