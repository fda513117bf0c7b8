//! Simulated serial port.

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

/// Desktop end of the serial port.
#[derive(Clone, Debug, Default)]
pub struct SerialCable(Rc<RefCell<Buffers>>);

#[derive(Debug, Default)]
struct Buffers {
    /// Bytes for the robot to read.
    to_robot: VecDeque<u8>,
    reader: Option<Waker>,
    /// Bytes written by the robot, with their time.
    from_robot: Vec<(Instant, Vec<u8>)>,
}

impl SerialCable {
    /// Robot ends of the cable.
    pub fn robot_end(&self) -> (Rx, Tx) {
        (Rx(Rc::clone(&self.0)), Tx(Rc::clone(&self.0)))
    }

    pub fn send(&self, bytes: &[u8]) {
        let mut buffers = self.0.borrow_mut();
        buffers.to_robot.extend(bytes);
        if let Some(reader) = buffers.reader.take() {
            reader.wake();
        }
    }

    /// Takes the bytes written by the robot since the last call, with their time.
    pub fn take(&self) -> Vec<(Instant, Vec<u8>)> {
        std::mem::take(&mut self.0.borrow_mut().from_robot)
    }

    /// Takes the bytes for a robot outside of this process.
    pub fn take_for_robot(&self) -> Vec<u8> {
        self.0.borrow_mut().to_robot.drain(..).collect()
    }

    /// Passes on bytes written by a robot outside of this process.
    pub fn relay(&self, at: Instant, bytes: Vec<u8>) {
        self.0.borrow_mut().from_robot.push((at, bytes));
    }
}

/// Receiving end of the robot.
#[derive(Debug)]
pub struct Rx(Rc<RefCell<Buffers>>);

/// Sending end of the robot.
#[derive(Debug)]
pub struct Tx(Rc<RefCell<Buffers>>);

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
            let mut buffers = self.0.borrow_mut();
            if buffers.to_robot.is_empty() {
                buffers.reader = Some(context.waker().clone());
                return Poll::Pending;
            }
            let count = bytes.len().min(buffers.to_robot.len());
            for (byte, sent) in bytes.iter_mut().zip(buffers.to_robot.drain(..count)) {
                *byte = sent;
            }
            Poll::Ready(Ok(count))
        })
        .await
    }
}

impl Write for Tx {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        let mut buffers = self.0.borrow_mut();
        buffers.from_robot.push((Instant::now(), bytes.to_vec()));
        Ok(bytes.len())
    }

    async fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use embassy_futures::join::join;
    use embassy_time::Timer;

    use super::*;
    use crate::physics::clock::{Ended, run_to_end};

    #[test]
    fn bytes_arrive_when_they_are_sent() {
        let cable = SerialCable::default();
        let (mut rx, mut tx) = cable.robot_end();
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
        let ended = run_to_end(join(robot, desktop));
        assert_eq!(ended, Ended::Ready((1, ())));
        assert_eq!(cable.take(), [(Instant::from_millis(7), b"fou".to_vec())]);
        assert!(cable.take().is_empty());
    }
}
