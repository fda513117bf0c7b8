//! Ticks the mission executive.

use embassy_futures::select::{Either, select};
use embassy_time::{Instant, Ticker, Timer};

use super::SharedAtlas;
use crate::{
    boards::BoardConfig,
    brain::Brain,
    config::{PLAN_PERIOD, WALLS_PER_TICK},
    mission::MissionExecutive,
    signals::{Signals, Task},
    telemetry::Frame,
};

/// Executes missions, after the map has been read from flash.
pub async fn plan(
    signals: &Signals,
    board: &BoardConfig,
    map: &SharedAtlas<'_>,
    brain: Brain<'_>,
) -> ! {
    let mut executive = MissionExecutive::new(brain, board.wall_level);
    while let Either::Second(()) =
        select(signals.store_done.wait(), Timer::after(PLAN_PERIOD)).await
    {
        signals.check_in(Task::Plan);
    }
    let mut wall = 0;
    while executive.load_wall(&*map.lock().await, wall) {
        wall += 1;
        if wall % WALLS_PER_TICK == 0 {
            signals.check_in(Task::Plan);
            embassy_futures::yield_now().await;
        }
    }
    let mut ticker = Ticker::every(PLAN_PERIOD);
    loop {
        let now = Instant::now();
        let mut map = map.lock().await;
        if signals.fault_cleared.try_take().is_some() {
            executive.reset_to_home(signals);
        }
        while let Ok((number, command)) = signals.commands.try_receive() {
            let executed = executive.execute(command, signals);
            if let Some(number) = number {
                signals.send(match executed {
                    Ok(()) => Frame::Accepted(number),
                    Err(why) => Frame::Refused {
                        number: Some(number),
                        why,
                    },
                });
            }
        }
        if signals.fault().is_some() {
            executive.abort();
        } else {
            executive.tick(&mut map, signals, now);
        }
        drop(map);
        signals.set_state(executive.state(now));
        signals.check_in(Task::Plan);
        ticker.next().await;
    }
}
