//! Virtual time: a clock for the firmware's tasks that jumps to the next deadline. Each thread has its own,
//! so robots can run in parallel.

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

/// Largest number of polls at one instant; a task that keeps waking itself exceeds it.
const POLLS: u32 = 10_000;

/// End of a [`run`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended<T, B> {
    /// The future completed.
    Ready(T),
    /// The observer stopped it.
    Stopped(B),
    /// The end time was reached.
    TimeUp,
    /// No task waits for a timer.
    Idle,
    /// A task kept waking itself at one instant.
    Spinning,
}

/// Runs a future from `start` at most to `until`. Before each jump of the clock, `observe` gets the next
/// instant and may stop the run.
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
    mut observe: impl FnMut(Instant) -> ControlFlow<B>,
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
            // Time may have passed: see `stall`.
            wake_due();
        }
        let next = CLOCK.with_borrow(|clock| clock.queue.iter().map(|(at, _)| *at).min());
        let Some(next) = next else {
            return Ended::Idle;
        };
        let next = Instant::from_ticks(next);
        if let ControlFlow::Break(why) = observe(next.min(until)) {
            return Ended::Stopped(why);
        }
        if next > until {
            CLOCK.with_borrow_mut(|clock| clock.now = clock.now.max(until.as_ticks()));
            return Ended::TimeUp;
        }
        CLOCK.with_borrow_mut(|clock| clock.now = clock.now.max(next.as_ticks()));
        wake_due();
    }
}

/// Runs a future from the first instant to its end, without an observer.
pub fn run_to_end<F: Future>(future: F) -> Ended<F::Output, ()> {
    run(Instant::MIN, Instant::MAX, future, |_| {
        ControlFlow::Continue(())
    })
}

/// Advances the clock while nothing else runs, like a processor that waits for its flash.
pub fn stall(time: Duration) {
    CLOCK.with_borrow_mut(|clock| clock.now += time.as_ticks());
}

/// Longest time for which a timer of this thread's clock was due before its task was woken, since the run began:
/// how long one task has starved the others.
pub fn worst_delay() -> Duration {
    CLOCK.with_borrow(|clock| Duration::from_ticks(clock.worst_delay))
}

/// Wakes the timers that are due.
fn wake_due() {
    let next = || {
        CLOCK.with_borrow_mut(|clock| {
            let now = clock.now;
            let due = clock.queue.iter().position(|(at, _)| *at <= now)?;
            let (at, waker) = clock.queue.swap_remove(due);
            clock.worst_delay = clock.worst_delay.max(now - at);
            Some(waker)
        })
    };
    while let Some(waker) = next() {
        waker.wake();
    }
}

/// Clock of one thread.
struct Clock {
    /// In ticks of embassy-time, which are microseconds.
    now: u64,
    /// Timers, each waker at most once per instant; few enough for a list.
    queue: Vec<(u64, Waker)>,
    /// Longest delay of a due timer, in ticks.
    worst_delay: u64,
}

thread_local! {
    static CLOCK: RefCell<Clock> = const { RefCell::new(Clock::at(0)) };
}

impl Clock {
    const fn at(now: u64) -> Self {
        Self {
            now,
            queue: Vec::new(),
            worst_delay: 0,
        }
    }
}

/// Restores the previous clock after a run, so that runs can nest.
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

/// Time driver: the clock of the calling thread.
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

    fn ignore(_: Instant) -> ControlFlow<()> {
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
        let until = Instant::from_millis(100);
        let ended = run(START, until, join(tick(30), tick(50)), ignore);
        assert!(matches!(ended, Ended::TimeUp));
        assert_eq!(*instants.borrow(), [30, 50, 60, 90, 100]);
    }

    #[test]
    fn runs_nest_and_restore_the_clock() {
        let begin = Instant::from_secs(1000);
        let outer = async {
            Timer::after_secs(1).await;
            let inner = run_to_end(async { Instant::now() });
            (inner, Instant::now())
        };
        let ended = run(begin, Instant::MAX, outer, ignore);
        let inner = Ended::Ready(START);
        assert_eq!(ended, Ended::Ready((inner, Instant::from_secs(1001))));
        assert_eq!(Instant::now(), START);
    }

    #[test]
    fn the_observer_sees_the_next_instant_and_may_stop_the_run() {
        let seen = Cell::new(0);
        let ended = run(START, Instant::MAX, Timer::after_secs(60), |next| {
            seen.set(next.as_secs());
            ControlFlow::Break("enough")
        });
        assert_eq!((ended, seen.get()), (Ended::Stopped("enough"), 60));
    }

    #[test]
    fn a_run_without_timers_ends_and_one_that_keeps_waking_itself_is_an_error() {
        assert_eq!(run_to_end(future::pending::<()>()), Ended::Idle);
        let spin = async {
            loop {
                yield_now().await;
            }
        };
        let ended: Ended<(), ()> = run_to_end(spin);
        assert_eq!(ended, Ended::Spinning);
    }

    #[test]
    fn a_stall_delays_all_timers() {
        let late = async {
            Timer::at(Instant::from_millis(10)).await;
            Instant::now()
        };
        let stalled = async { stall(Duration::from_millis(45)) };
        let ended = run_to_end(join(stalled, late));
        assert_eq!(ended, Ended::Ready(((), Instant::from_millis(45))));
    }

    #[test]
    fn the_delay_of_a_starved_task_is_measured() {
        let job = async {
            assert_eq!(worst_delay(), Duration::MIN);
            let late = async { Timer::at(Instant::from_millis(10)).await };
            let hog = async {
                Timer::at(Instant::from_millis(5)).await;
                stall(Duration::from_millis(45));
            };
            join(late, hog).await;
            worst_delay()
        };
        assert_eq!(run_to_end(job), Ended::Ready(Duration::from_millis(40)));
        assert_eq!(worst_delay(), Duration::MIN);
    }

    #[test]
    fn threads_have_independent_clocks() {
        let end = |every: u64| {
            let tick = async {
                let mut ticker = Ticker::every(Duration::from_millis(every));
                for _ in 0..1000 {
                    ticker.next().await;
                }
                Instant::now().as_millis()
            };
            run_to_end(tick)
        };
        let threads: Vec<_> = (1..=8).map(|e| thread::spawn(move || end(e))).collect();
        for (every, thread) in (1..).zip(threads) {
            assert_eq!(thread.join().unwrap(), Ended::Ready(1000 * every));
        }
    }
}
