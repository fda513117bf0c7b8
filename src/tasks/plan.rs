//! Decides what to do next, ten milliseconds at a time.

use embassy_futures::select::{Either, select};
use embassy_time::{Instant, Ticker, Timer};

use super::SharedAtlas;
use crate::{
    brain::Brain,
    config::{PLAN_PERIOD, SWEEP},
    navigator::Navigator,
    report::Frame,
    signals::{Signals, Task},
};

/// Plans for ever. Before the first tick it waits for what is kept in flash.
pub async fn plan(signals: &Signals, atlas: &SharedAtlas<'_>, brain: Brain<'_>) -> ! {
    let mut navigator = Navigator::new(brain);
    while let Either::Second(()) = select(signals.kept.wait(), Timer::after(PLAN_PERIOD)).await {
        signals.check_in(Task::Plan);
    }
    let mut wall = 0;
    while navigator.recall(&*atlas.lock().await, wall) {
        wall += 1;
        if wall % SWEEP == 0 {
            signals.check_in(Task::Plan);
            embassy_futures::yield_now().await;
        }
    }
    let mut ticker = Ticker::every(PLAN_PERIOD);
    loop {
        let now = Instant::now();
        let mut atlas = atlas.lock().await;
        if signals.cleared.try_take().is_some() {
            navigator.put_home(signals);
        }
        while let Ok((number, command)) = signals.commands.try_receive() {
            let done = navigator.obey(command, signals);
            if let Some(number) = number {
                signals.tell(match done {
                    Ok(()) => Frame::Accepted(number),
                    Err(why) => Frame::Refused {
                        number: Some(number),
                        why,
                    },
                });
            }
        }
        if signals.fault().is_some() {
            navigator.fail();
        } else {
            navigator.tick(&mut atlas, signals, now);
        }
        drop(atlas);
        signals.set_state(navigator.state(now));
        signals.check_in(Task::Plan);
        ticker.next().await;
    }
}
