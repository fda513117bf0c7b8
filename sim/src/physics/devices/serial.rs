//! The serial port: what the robot tells, and what it is told.

use std::{
    cell::RefCell,
    collections::VecDeque,
    convert::Infallible,
    future::poll_fn,
    rc::Rc,
    task::{Poll, Waker},
};

use embassy_time::Instant;
use embedded_io_async::{ErrorType, Read, Write};

/// The desktop's end of the port.
#[derive(Clone, Debug, Default)]
pub struct Cable(Rc<RefCell<Wires>>);

#[derive(Debug, Default)]
struct Wires {
    /// What waits to be read by the robot.
    to_robot: VecDeque<u8>,
    reader: Option<Waker>,
    /// What the robot has written, and when.
    from_robot: Vec<(Instant, Vec<u8>)>,
}

impl Cable {
    /// The robot's ends.
    #[must_use]
    pub fn plug(&self) -> (Rx, Tx) {
        (Rx(Rc::clone(&self.0)), Tx(Rc::clone(&self.0)))
    }

    /// Sends the robot something, now.
    pub fn send(&self, bytes: &[u8]) {
        let mut wires = self.0.borrow_mut();
        wires.to_robot.extend(bytes);
        if let Some(reader) = wires.reader.take() {
            reader.wake();
        }
    }

    /// Takes what the robot has written since this was asked last, and when it did.
    #[must_use]
    pub fn take(&self) -> Vec<(Instant, Vec<u8>)> {
        std::mem::take(&mut self.0.borrow_mut().from_robot)
    }

    /// Takes what waits to be read by a robot that is not in this program.
    #[must_use]
    pub fn take_for_robot(&self) -> Vec<u8> {
        self.0.borrow_mut().to_robot.drain(..).collect()
    }

    /// Hands over what a robot that is not in this program wrote at an instant.
    pub fn relay(&self, at: Instant, bytes: Vec<u8>) {
        self.0.borrow_mut().from_robot.push((at, bytes));
    }
}

/// Where the robot reads.
#[derive(Debug)]
pub struct Rx(Rc<RefCell<Wires>>);

/// Where the robot writes.
#[derive(Debug)]
pub struct Tx(Rc<RefCell<Wires>>);

impl ErrorType for Rx {
    type Error = Infallible;
}

impl ErrorType for Tx {
    type Error = Infallible;
}

impl Read for Rx {
    async fn read(&mut self, bytes: &mut [u8]) -> Result<usize, Infallible> {
        if bytes.is_empty() {
            return Ok(0);
        }
        poll_fn(|context| {
            let mut wires = self.0.borrow_mut();
            if wires.to_robot.is_empty() {
                wires.reader = Some(context.waker().clone());
                return Poll::Pending;
            }
            let count = bytes.len().min(wires.to_robot.len());
            for (byte, sent) in bytes.iter_mut().zip(wires.to_robot.drain(..count)) {
                *byte = sent;
            }
            Poll::Ready(Ok(count))
        })
        .await
    }
}

impl Write for Tx {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        let mut wires = self.0.borrow_mut();
        wires.from_robot.push((Instant::now(), bytes.to_vec()));
        Ok(bytes.len())
    }

    async fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use embassy_futures::join::join;
    use embassy_time::Timer;

    use super::*;
    use crate::physics::clock::{Ended, run};

    #[test]
    fn what_is_sent_arrives_when_it_is_sent() {
        let cable = Cable::default();
        let (mut rx, mut tx) = cable.plug();
        let robot = async {
            let mut buffer = [0; 3];
            let count = rx.read(&mut buffer).await.unwrap();
            tx.write_all(&buffer[..count]).await.unwrap();
            rx.read(&mut buffer).await.unwrap()
        };
        let desktop = async {
            Timer::after_millis(7).await;
            cable.send(b"four");
        };
        let ended = run(Instant::MIN, Instant::MAX, join(robot, desktop), |_| {
            ControlFlow::<()>::Continue(())
        });
        assert_eq!(ended, Ended::Ready((1, ())));
        assert_eq!(cable.take(), [(Instant::from_millis(7), b"fou".to_vec())]);
        assert!(cable.take().is_empty());
    }
}
