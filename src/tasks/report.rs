//! Sends telemetry to a desktop and receives its commands.

use core::future::pending;

use embassy_futures::{
    join::join3,
    select::{Either4, select4},
};
use embassy_sync::{blocking_mutex::raw::NoopRawMutex, channel::Channel};
use embassy_time::{Ticker, Timer, with_timeout};
use embedded_io_async::{Read, Write};
use heapless::Vec;

use super::{SharedNavigator, stay_alive};
use crate::{
    config::REPORT_PERIOD,
    navigator::{encode_walls, map_bytes},
    signals::{Signals, Task},
    telemetry::{
        Command, CommandReceiver, Frame, MAP_BYTES, PROTOCOL, Refusal, Refused, Sensors,
        codec::{FRAME, Message, encode},
    },
};

/// Sends frames and receives commands.
///
/// A desktop that does not read, or is not there, delays nothing but the frames: commands are still
/// executed.
pub async fn report(
    signals: &Signals,
    navigator: &SharedNavigator<'_>,
    rx: impl Read,
    tx: impl Write,
) -> ! {
    let replies = Replies::new();
    let alive = stay_alive(signals, Task::Report);
    let receive = receive(signals, &replies, rx);
    let mut transmitter = Transmitter { tx, number: 0 };
    let transmit = transmitter.run(signals, navigator, &replies);
    join3(alive, receive, transmit).await.0
}

/// Replies to commands; all other frames come from [`Signals::frames`].
#[derive(Clone, Copy)]
enum Reply {
    /// To the first command.
    Hello,
    Refused(Refused),
    /// The map, for the command with this number.
    Map(u16),
}

type Replies = Channel<NoopRawMutex, Reply, 4>;

async fn receive(signals: &Signals, replies: &Replies, mut rx: impl Read) -> ! {
    let mut receiver = CommandReceiver::new(signals.field());
    let mut packet = [0; 64];
    loop {
        let mut bytes = match rx.read(&mut packet).await {
            Ok(len) if len > 0 => &packet[..len],
            _ => {
                // Disconnected; the next desktop starts a new sequence.
                receiver = CommandReceiver::new(signals.field());
                Timer::after(REPORT_PERIOD).await;
                continue;
            }
        };
        receiver.set_field(signals.field());
        while let Some(message) = receiver.take(&mut bytes) {
            let accepted = match message {
                Ok(message) => accept(signals, replies, message).await,
                Err(refused) => Err(refused),
            };
            if let Err(refused) = accepted {
                reply(signals, replies, Reply::Refused(refused)).await;
            }
        }
    }
}

/// Passes a command to the plan task, or answers it.
async fn accept(
    signals: &Signals,
    replies: &Replies,
    message: Message<Command>,
) -> Result<(), Refused> {
    let Message { number, body } = message;
    if number == 0 {
        reply(signals, replies, Reply::Hello).await;
    }
    if body == Command::GetMap {
        reply(signals, replies, Reply::Map(number)).await;
        return Ok(());
    }
    if body == Command::Stop {
        // At once, even if the queue is full.
        signals.stop();
    }
    let sent = signals.commands.try_send((Some(number), body));
    sent.map_err(|_| busy(number))
}

fn busy(number: u16) -> Refused {
    Refused {
        number: Some(number),
        why: Refusal::Busy,
    }
}

/// Queues a reply. If the desktop does not read, the reply joins the other frames after a timeout, so
/// that its next commands are still received.
async fn reply(signals: &Signals, replies: &Replies, reply: Reply) {
    let is_late = with_timeout(REPORT_PERIOD, replies.send(reply))
        .await
        .is_err();
    if is_late {
        match reply {
            Reply::Hello => {}
            Reply::Refused(refused) => signals.send(refused.into()),
            Reply::Map(number) => signals.send(busy(number).into()),
        }
    }
}

struct Transmitter<T> {
    tx: T,
    /// Number of the next frame.
    number: u16,
}

/// Progress of sending the map.
#[derive(Clone, Copy)]
struct MapTransfer {
    /// Number of the command that asked for it.
    number: u16,
    /// Bytes sent.
    offset: usize,
}

/// No desktop is connected; frames sent meanwhile are dropped.
struct Disconnected;

impl<T: Write> Transmitter<T> {
    async fn run(
        &mut self,
        signals: &Signals,
        navigator: &SharedNavigator<'_>,
        replies: &Replies,
    ) -> ! {
        let mut ticker = Ticker::every(REPORT_PERIOD);
        let mut transfer = None;
        let mut sent = self.send_hello(signals).await;
        loop {
            if sent.is_err() {
                transfer = None;
            }
            let map_is_due = async {
                if transfer.is_none() {
                    pending::<()>().await;
                }
            };
            let woken = select4(
                ticker.next(),
                signals.frames.ready_to_receive(),
                replies.ready_to_receive(),
                map_is_due,
            );
            let is_tick = matches!(woken.await, Either4::First(()));
            // One of each, so that none delays the others.
            sent = async {
                if is_tick {
                    self.send_state(signals).await?;
                }
                if let Ok(frame) = signals.frames.try_receive() {
                    self.send(&frame).await?;
                }
                if let Ok(reply) = replies.try_receive() {
                    self.send_reply(reply, &mut transfer, signals).await?;
                }
                if let Some(progress) = transfer {
                    transfer = self.send_map(progress, signals, navigator).await?;
                }
                Ok(())
            }
            .await;
        }
    }

    async fn send_hello(&mut self, signals: &Signals) -> Result<(), Disconnected> {
        let hello = Frame::Hello {
            protocol: PROTOCOL,
            field: signals.field(),
            stored: signals.stored(),
        };
        self.send(&hello).await?;
        self.send(&Frame::Settings(signals.settings())).await
    }

    async fn send_state(&mut self, signals: &Signals) -> Result<(), Disconnected> {
        if let Some(state) = signals.state() {
            self.send(&Frame::State(state)).await?;
            self.send_sensors(state.ms, signals).await?;
        }
        match signals.take_lost() {
            0 => Ok(()),
            lost => self.send(&Frame::Lost(lost)).await,
        }
    }

    async fn send_sensors(&mut self, ms: u32, signals: &Signals) -> Result<(), Disconnected> {
        let Some(reading) = signals.wall_reading.try_get() else {
            return Ok(());
        };
        let sample = signals.drive_sample();
        let sensors = Sensors {
            ms,
            raw: reading.raw,
            distances: reading.distances,
            counts: sample.counts,
            yaw_rate: sample.yaw_rate,
            yaw_bias: sample.yaw_bias,
            duty: sample.duty.map(|duty| duty.get() as i16),
            battery_mv: signals.battery_mv().map(|mv| mv as u16),
        };
        self.send(&Frame::Sensors(sensors)).await
    }

    async fn send_reply(
        &mut self,
        reply: Reply,
        transfer: &mut Option<MapTransfer>,
        signals: &Signals,
    ) -> Result<(), Disconnected> {
        match reply {
            Reply::Hello => {
                self.send_hello(signals).await?;
                match signals.goals() {
                    goals if goals.is_empty() => Ok(()),
                    goals => self.send(&Frame::Goals(goals)).await,
                }
            }
            Reply::Refused(refused) => self.send(&refused.into()).await,
            Reply::Map(number) if transfer.is_some() => self.send(&busy(number).into()).await,
            Reply::Map(number) => {
                *transfer = Some(MapTransfer { number, offset: 0 });
                Ok(())
            }
        }
    }

    /// Sends the next piece of the map. A piece is read right before it is sent; later changes follow
    /// as frames of their own.
    async fn send_map(
        &mut self,
        MapTransfer { number, offset }: MapTransfer,
        signals: &Signals,
        navigator: &SharedNavigator<'_>,
    ) -> Result<Option<MapTransfer>, Disconnected> {
        let total = map_bytes(signals.field());
        let bytes: Vec<u8, MAP_BYTES> = {
            let navigator = navigator.lock().await;
            let end = total.min(offset + MAP_BYTES);
            (offset..end)
                .map(|index| encode_walls(navigator.map(), index))
                .collect()
        };
        let end = offset + bytes.len();
        let piece = Frame::Map {
            offset: offset as u16,
            bytes,
            total: total as u16,
        };
        self.send(&piece).await?;
        if end < total {
            return Ok(Some(MapTransfer {
                number,
                offset: end,
            }));
        }
        self.send(&Frame::Accepted(number)).await?;
        Ok(None)
    }

    async fn send(&mut self, frame: &Frame) -> Result<(), Disconnected> {
        let number = self.number;
        self.number = number.wrapping_add(1);
        let mut buffer = [0; FRAME];
        let bytes = encode(number, frame, &mut buffer).map_err(|_| Disconnected)?;
        self.tx.write_all(bytes).await.map_err(|_| Disconnected)?;
        self.tx.flush().await.map_err(|_| Disconnected)
    }
}
