//! Virtual time: the clock of the robot's tasks, which jumps to whatever happens next.
//!
//! Each thread has a clock of its own, so that robots run beside each other on several threads, each
//! of them on one.

use std::{
    cell::RefCell,
    ops::ControlFlow,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use embassy_time::{Duration, Instant};
use embassy_time_driver::Driver;

/// The most polls at one instant. Tasks that tell each other something take a few; one that wakes
/// itself for ever would take them all.
const POLLS: u32 = 10_000;

/// How a [`run`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended<T, B> {
    /// The future has.
    Ready(T),
    /// The one who looks on broke off.
    BrokenOff(B),
    /// The time was up.
    TimeUp,
    /// Nothing waits for anything that will happen.
    Idle,
    /// The future woke itself for ever at one instant.
    Spinning,
}

/// Runs a future from an instant on, at most until another.
///
/// Whenever nothing is left to do at an instant, `look` is told the next at which there is, before the
/// clock jumps there. It may break off, or take its time.
///
/// ```
/// use std::ops::ControlFlow;
/// use embassy_time::{Duration, Instant, Timer};
/// use sim::physics::clock::{Ended, run};
///
/// let start = Instant::from_secs(5);
/// let ended = run(start, Instant::MAX, async {
///     Timer::after_secs(3600).await;
///     Instant::now()
/// }, |_| ControlFlow::<()>::Continue(()));
/// assert_eq!(ended, Ended::Ready(Instant::from_secs(3605)));
/// ```
pub fn run<F: Future, B>(
    start: Instant,
    until: Instant,
    future: F,
    mut look: impl FnMut(Instant) -> ControlFlow<B>,
) -> Ended<F::Output, B> {
    let _restored = Restored::begin(start);
    let mut future = pin!(future);
    let flag = Arc::new(Flag(AtomicBool::new(true)));
    let waker = Waker::from(Arc::clone(&flag));
    let mut context = Context::from_waker(&waker);
    loop {
        let mut polls = 0;
        while flag.0.swap(false, Ordering::Relaxed) {
            polls += 1;
            if polls > POLLS {
                return Ended::Spinning;
            }
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return Ended::Ready(output);
            }
            // A task may have spent time: see `stall`.
            wake_due();
        }
        let next = CLOCK.with_borrow(|clock| clock.queue.iter().map(|(at, _)| *at).min());
        let Some(next) = next else {
            return Ended::Idle;
        };
        let next = Instant::from_ticks(next);
        if let ControlFlow::Break(why) = look(next.min(until)) {
            return Ended::BrokenOff(why);
        }
        if next > until {
            CLOCK.with_borrow_mut(|clock| clock.now = clock.now.max(until.as_ticks()));
            return Ended::TimeUp;
        }
        CLOCK.with_borrow_mut(|clock| clock.now = clock.now.max(next.as_ticks()));
        wake_due();
    }
}

/// Spends time in which nothing else runs, as a processor that erases its flash does.
pub fn stall(time: Duration) {
    CLOCK.with_borrow_mut(|clock| clock.now += time.as_ticks());
}

/// Wakes all whose time has come.
fn wake_due() {
    let next = || {
        CLOCK.with_borrow_mut(|clock| {
            let now = clock.now;
            let due = clock.queue.iter().position(|(at, _)| *at <= now);
            due.map(|index| clock.queue.swap_remove(index).1)
        })
    };
    while let Some(waker) = next() {
        waker.wake();
    }
}

/// The time of one thread, and who waits for it.
struct Clock {
    /// In ticks of embassy-time, which are microseconds.
    now: u64,
    /// Who is to be woken, and when; at each instant everyone once. They are a dozen or so, too few for
    /// anything but a list.
    queue: Vec<(u64, Waker)>,
}

thread_local! {
    static CLOCK: RefCell<Clock> = const { RefCell::new(Clock::at(0)) };
}

impl Clock {
    const fn at(now: u64) -> Self {
        Self {
            now,
            queue: Vec::new(),
        }
    }
}

/// Puts the clock that was there before a run back, so that a run may be part of another.
struct Restored(Option<Clock>);

impl Restored {
    fn begin(start: Instant) -> Self {
        Self(Some(CLOCK.replace(Clock::at(start.as_ticks()))))
    }
}

impl Drop for Restored {
    fn drop(&mut self) {
        if let Some(before) = self.0.take() {
            CLOCK.set(before);
        }
    }
}

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The clock of whichever thread asks.
struct Virtual;

impl Driver for Virtual {
    fn now(&self) -> u64 {
        CLOCK.with_borrow(|clock| clock.now)
    }

    fn schedule_wake(&self, at: u64, waker: &Waker) {
        let is_due = CLOCK.with_borrow_mut(|clock| {
            let waits = at > clock.now;
            if waits {
                let is_same =
                    |(when, sleeper): &(u64, Waker)| *when == at && sleeper.will_wake(waker);
                if !clock.queue.iter().any(is_same) {
                    clock.queue.push((at, waker.clone()));
                }
            }
            !waits
        });
        if is_due {
            waker.wake_by_ref();
        }
    }
}

embassy_time_driver::time_driver_impl!(static DRIVER: Virtual = Virtual);

#[cfg(test)]
mod tests {
    use std::{cell::Cell, future, thread};

    use embassy_futures::{join::join, yield_now};
    use embassy_time::{Ticker, Timer};

    use super::*;

    const START: Instant = Instant::from_ticks(0);

    fn look_on(_: Instant) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    #[test]
    fn the_clock_jumps_from_deadline_to_deadline() {
        let instants = RefCell::new(Vec::new());
        let tick = async |every| {
            let mut ticker = Ticker::every(Duration::from_millis(every));
            loop {
                ticker.next().await;
                instants.borrow_mut().push(Instant::now().as_millis());
            }
        };
        let ended = run(
            START,
            Instant::from_millis(100),
            join(tick(30), tick(50)),
            look_on,
        );
        assert!(matches!(ended, Ended::TimeUp));
        assert_eq!(*instants.borrow(), [30, 50, 60, 90, 100]);
    }

    #[test]
    fn a_run_begins_when_it_is_told_to_and_leaves_no_trace() {
        let begin = Instant::from_secs(1000);
        let ended = run(
            begin,
            Instant::MAX,
            async {
                Timer::after_secs(1).await;
                let inner = run(START, Instant::MAX, async { Instant::now() }, look_on);
                (inner, Instant::now())
            },
            look_on,
        );
        let inner = Ended::Ready(START);
        assert_eq!(ended, Ended::Ready((inner, Instant::from_secs(1001))));
        assert_eq!(Instant::now(), START);
    }

    #[test]
    fn who_looks_on_sees_every_instant_and_may_break_off() {
        let seen = Cell::new(0);
        let ended = run(
            START,
            Instant::MAX,
            async { Timer::after_secs(60).await },
            |next| {
                seen.set(next.as_secs());
                ControlFlow::Break("enough")
            },
        );
        assert_eq!((ended, seen.get()), (Ended::BrokenOff("enough"), 60));
    }

    #[test]
    fn nothing_to_wait_for_ends_a_run() {
        let ended = run(START, Instant::MAX, future::pending::<()>(), look_on);
        assert_eq!(ended, Ended::Idle);
    }

    #[test]
    fn a_task_that_wakes_itself_for_ever_is_an_error_not_a_hang() {
        let spin = async {
            loop {
                yield_now().await;
            }
        };
        let ended: Ended<(), ()> = run(START, Instant::MAX, spin, look_on);
        assert_eq!(ended, Ended::Spinning);
    }

    #[test]
    fn a_stall_makes_everybody_late() {
        let late = Cell::new(START);
        let ended = run(
            START,
            Instant::MAX,
            join(async { stall(Duration::from_millis(45)) }, async {
                Timer::at(Instant::from_millis(10)).await;
                late.set(Instant::now());
            }),
            look_on,
        );
        assert_eq!(ended, Ended::Ready(((), ())));
        assert_eq!(late.get(), Instant::from_millis(45));
    }

    #[test]
    fn threads_do_not_disturb_each_other() {
        let end = |every: u64| {
            let tick = async {
                let mut ticker = Ticker::every(Duration::from_millis(every));
                for _ in 0..1000 {
                    ticker.next().await;
                }
                Instant::now().as_millis()
            };
            run(START, Instant::MAX, tick, look_on)
        };
        let threads: Vec<_> = (1..=8).map(|e| thread::spawn(move || end(e))).collect();
        for (every, thread) in (1..).zip(threads) {
            assert_eq!(thread.join().unwrap(), Ended::Ready(1000 * every));
        }
    }
}
