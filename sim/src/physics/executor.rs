//! Executor of the firmware's tasks on a desktop.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

/// Task that ends the run of all if it ends.
pub type Task<'t> = Pin<Box<dyn Future<Output = ()> + 't>>;

/// Runs tasks side by side until one of them ends.
///
/// As on the robot, a task is polled only when it was woken; `embassy_futures::join` polls all of them each time.
/// Those that are due at one instant are polled in the order of the list.
///
/// ```
/// use embassy_time::{Instant, Timer};
/// use sim::physics::{clock, executor};
///
/// let forever = async {
///     loop {
///         Timer::after_millis(7).await;
///     }
/// };
/// clock::run_to_end(async {
///     executor::run([Box::pin(forever), Box::pin(Timer::after_secs(1))]).await;
///     assert_eq!(Instant::now().as_millis(), 1000);
/// });
/// ```
pub async fn run<const N: usize>(mut tasks: [Task<'_>; N]) {
    let mut wakers = None;
    poll_fn(|context| {
        let wakers =
            wakers.get_or_insert_with(|| [(); N].map(|()| TaskWaker::new(context.waker())));
        for (task, (state, waker)) in tasks.iter_mut().zip(wakers) {
            if state.is_woken.swap(false, Ordering::Relaxed)
                && task
                    .as_mut()
                    .poll(&mut Context::from_waker(waker))
                    .is_ready()
            {
                return Poll::Ready(());
            }
        }
        Poll::Pending
    })
    .await;
}

/// Waker of one task.
struct TaskWaker {
    is_woken: AtomicBool,
    /// Waker of the task that runs all of them; it stays the same from poll to poll.
    executor: Waker,
}

impl TaskWaker {
    /// State of a task that has not been polled yet, and its waker.
    fn new(executor: &Waker) -> (Arc<Self>, Waker) {
        let state = Arc::new(Self {
            is_woken: AtomicBool::new(true),
            executor: executor.clone(),
        });
        (Arc::clone(&state), Waker::from(state))
    }
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_woken.store(true, Ordering::Relaxed);
        self.executor.wake_by_ref();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use embassy_time::{Duration, Ticker, Timer};

    use super::*;
    use crate::physics::clock::{Ended, run_to_end};

    #[test]
    fn a_task_is_polled_only_when_it_was_woken() {
        let polls = Cell::new(0);
        let rare = async {
            let mut timer = std::pin::pin!(Timer::after_secs(2));
            poll_fn(|context| {
                polls.set(polls.get() + 1);
                timer.as_mut().poll(context)
            })
            .await;
        };
        let frequent = async {
            let mut ticker = Ticker::every(Duration::from_millis(1));
            loop {
                ticker.next().await;
            }
        };
        let ended = run_to_end(run([Box::pin(frequent), Box::pin(rare)]));
        assert_eq!((ended, polls.get()), (Ended::Ready(()), 2));
    }

    #[test]
    fn tasks_due_at_one_instant_run_in_the_order_of_the_list() {
        let log = RefCell::new(Vec::new());
        let task = |name: char, every| {
            let log = &log;
            Box::pin(async move {
                let mut ticker = Ticker::every(Duration::from_millis(every));
                loop {
                    ticker.next().await;
                    log.borrow_mut().push(name);
                }
            })
        };
        run_to_end(run([
            task('a', 30),
            task('b', 20),
            Box::pin(Timer::after_millis(60)),
        ]));
        assert_eq!(String::from_iter(log.into_inner()), "babab");
    }
}
