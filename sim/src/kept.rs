//! A planner that is kept from one look at it to the next, as a window needs it.

use std::{
    cell::RefCell,
    fmt,
    future::poll_fn,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker},
};

use planner_core::{BuildError, Cell};

use crate::{
    catalog::{AnyPlanner, Borrow, Memory, Moves, Name, Task, lend_mouse, lend_planner},
    world::{Grid, Maze},
};

type Request = Box<dyn FnOnce(&mut dyn AnyPlanner)>;
type Inbox = Rc<RefCell<Option<Request>>>;

/// A planner with the memory that it works in.
///
/// A planner borrows its memory, and no struct can borrow from itself. A future can: this one builds the
/// planner, and then waits for requests for as long as it is kept.
pub struct Kept {
    lent: Pin<Box<dyn Future<Output = Result<(), BuildError>>>>,
    inbox: Inbox,
}

/// What a planner that is kept is asked to do; see [`Task`].
#[derive(Clone, Debug)]
pub struct Errand {
    pub planner: Name,
    pub ground: Ground,
    pub start: Cell,
    pub goal: Cell,
    pub moves: Moves,
    /// See [`Task::look_ahead`].
    pub look_ahead: u32,
    /// See [`Task::local_percent`].
    pub local_percent: u8,
}

/// What a robot walks on, as far as its planner has to be told.
#[derive(Clone, Debug)]
pub enum Ground {
    /// Width and height of a map of cells; the map itself, when it is known from the start.
    Cells((u16, u16), Option<Grid>),
    /// A maze, and whether it is known from the start.
    Walls(Maze, bool),
}

impl Kept {
    /// Builds a planner.
    ///
    /// # Errors
    /// The map does not fit 32 bits, or start or goal is outside.
    pub fn new(errand: Errand) -> Result<Self, BuildError> {
        let inbox = Inbox::default();
        let mut lent = Box::pin(lend(errand, Rc::clone(&inbox)));
        match poll(lent.as_mut()) {
            Poll::Ready(Err(error)) => Err(error),
            Poll::Ready(Ok(())) => unreachable!("it waits for requests"),
            Poll::Pending => Ok(Self { lent, inbox }),
        }
    }

    /// Does something with the planner.
    pub fn with<R: 'static>(&mut self, user: impl FnOnce(&mut dyn AnyPlanner) -> R + 'static) -> R {
        let answer = Rc::new(RefCell::new(None));
        let place = Rc::clone(&answer);
        let request: Request = Box::new(move |mind| *place.borrow_mut() = Some(user(mind)));
        *self.inbox.borrow_mut() = Some(request);
        // It never ends, and answers whatever it finds before it waits again.
        let _ = poll(self.lent.as_mut());
        answer.take().expect("a request is answered at once")
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

async fn lend(errand: Errand, inbox: Inbox) -> Result<(), BuildError> {
    let size = match &errand.ground {
        Ground::Cells(size, _) => *size,
        Ground::Walls(maze, _) => (maze.width(), maze.height()),
    };
    let task = Task {
        moves: errand.moves,
        look_ahead: errand.look_ahead,
        local_percent: errand.local_percent,
        ..Task::new(size, errand.start, errand.goal)
    };
    let desk = &mut Desk { inbox };
    match &errand.ground {
        Ground::Cells(_, known) => {
            let known = known.as_ref();
            lend_planner(errand.planner, Task { known, ..task }, desk).await
        }
        Ground::Walls(maze, is_known) => {
            lend_mouse(errand.planner, maze, *is_known, task, desk).await
        }
    }
}

/// Where requests are answered.
struct Desk {
    inbox: Inbox,
}

impl Borrow for Desk {
    fn with<'a>(
        &'a mut self,
        planner: &'a mut dyn AnyPlanner,
        _memory: Memory,
    ) -> Pin<Box<dyn Future<Output = ()> + 'a>> {
        Box::pin(async {
            loop {
                let request = poll_fn(|_| match self.inbox.take() {
                    Some(request) => Poll::Ready(request),
                    None => Poll::Pending,
                });
                request.await(planner);
            }
        })
    }
}

fn poll<T>(future: Pin<&mut dyn Future<Output = T>>) -> Poll<T> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[cfg(test)]
mod tests {
    use planner_core::{Budget, Decision};

    use super::*;

    fn errand(planner: Name, goal: Cell) -> Errand {
        Errand {
            planner,
            ground: Ground::Cells((9, 9), None),
            start: Cell::new(0, 0),
            goal,
            moves: Moves::Four,
            look_ahead: 8,
            local_percent: 50,
        }
    }

    #[test]
    fn every_planner_can_be_kept_and_walked_to_its_goal() {
        let goal = Cell::new(8, 5);
        for &name in Name::all() {
            let mut kept = Kept::new(errand(name, goal)).unwrap();
            let mut at = Cell::new(0, 0);
            let mut moves = 0;
            while let Decision::Step(next) = kept
                .with(move |mind| mind.tick(at, Budget::UNLIMITED))
                .unwrap()
            {
                (at, moves) = (next, moves + 1);
                assert!(moves <= 13, "{name}");
            }
            assert_eq!((at, moves), (goal, 13), "{name}");
        }
    }

    #[test]
    fn a_planner_that_cannot_be_built_says_why() {
        let error = Kept::new(errand(Name::DstarLite, Cell::new(9, 0))).unwrap_err();
        assert!(matches!(error, BuildError::OffMap(_)), "{error}");
    }
}
