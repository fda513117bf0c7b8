//! Ticks the mission executive.

use embassy_futures::select::{Either, select};
use embassy_time::{Instant, Ticker, Timer};

use super::SharedNavigator;
use crate::{
    boards::BoardConfig,
    config::PLAN_PERIOD,
    mission::MissionExecutive,
    signals::{Signals, Task},
    telemetry::Frame,
};

/// Executes missions, after the map has been loaded from flash.
pub async fn plan(signals: &Signals, board: &BoardConfig, navigator: &SharedNavigator<'_>) -> ! {
    while let Either::Second(()) =
        select(signals.store_done.wait(), Timer::after(PLAN_PERIOD)).await
    {
        signals.check_in(Task::Plan);
    }
    let mut executive = MissionExecutive::new(signals, board);
    let mut ticker = Ticker::every(PLAN_PERIOD);
    loop {
        let now = Instant::now();
        let mut navigator = navigator.lock().await;
        if signals.stopped.try_take().is_some() {
            executive.stop();
        }
        while let Ok((number, command)) = signals.commands.try_receive() {
            let executed = executive.execute(command, &mut navigator);
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
            executive.abort(&mut navigator);
        } else {
            executive.tick(&mut navigator, now);
        }
        drop(navigator);
        signals.set_state(executive.state(now));
        signals.check_in(Task::Plan);
        ticker.next().await;
    }
}
