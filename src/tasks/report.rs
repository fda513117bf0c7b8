//! Tells a desktop what happens, and takes its commands.

use core::future::pending;

use embassy_futures::{
    join::join3,
    select::{Either4, select4},
};
use embassy_sync::{blocking_mutex::raw::NoopRawMutex, channel::Channel};
use embassy_time::{Ticker, Timer, with_timeout};
use embedded_io_async::{Read, Write};
use heapless::Vec;

use super::SharedAtlas;
use crate::{
    config::{REPORT_PERIOD, SUPERVISE_PERIOD},
    mission::Field,
    report::{
        Command, Frame, Inbox, MAP_BYTES, PROTOCOL, Refusal, Refused,
        codec::{FRAME, Message, encode},
    },
    signals::{Signals, Task},
};

/// Sends frames and receives commands.
///
/// A desktop that does not read, or is not there, holds up nothing but the reports: commands are
/// still carried out.
pub async fn report(
    signals: &Signals,
    atlas: &SharedAtlas<'_>,
    rx: impl Read,
    tx: impl Write,
) -> ! {
    let answers = Answers::new();
    let field = atlas.lock().await.field();
    let alive = async {
        loop {
            signals.check_in(Task::Report);
            Timer::after(SUPERVISE_PERIOD / 4).await;
        }
    };
    let listen = listen(signals, field, &answers, rx);
    let mut speaker = Speaker {
        tx,
        number: 0,
        field,
    };
    let speak = speaker.speak(signals, atlas, &answers);
    join3(alive, listen, speak).await.0
}

/// What is said in answer to commands; all else is from [`Signals::frames`].
#[derive(Clone, Copy)]
enum Answer {
    /// To the first command.
    Hello,
    Refused(Refused),
    /// The map, and that the command with this number is carried out.
    Map(u16),
}

type Answers = Channel<NoopRawMutex, Answer, 4>;

async fn listen(signals: &Signals, field: Field, answers: &Answers, mut rx: impl Read) -> ! {
    let mut inbox = Inbox::new(field);
    let mut packet = [0; 64];
    loop {
        let mut bytes = match rx.read(&mut packet).await {
            Ok(len) if len > 0 => &packet[..len],
            _ => {
                // Nobody is there. Who comes next begins anew.
                inbox = Inbox::new(field);
                Timer::after(REPORT_PERIOD).await;
                continue;
            }
        };
        while let Some(message) = inbox.take(&mut bytes) {
            let answer = match message {
                Ok(message) => accept(signals, answers, message).await,
                Err(refused) => Err(refused),
            };
            if let Err(refused) = answer {
                say(signals, answers, Answer::Refused(refused)).await;
            }
        }
    }
}

/// Hands a command on.
async fn accept(
    signals: &Signals,
    answers: &Answers,
    message: Message<Command>,
) -> Result<(), Refused> {
    let Message { number, body } = message;
    if number == 0 {
        say(signals, answers, Answer::Hello).await;
    }
    if body == Command::GetMap {
        say(signals, answers, Answer::Map(number)).await;
        return Ok(());
    }
    let handed = signals.commands.try_send((Some(number), body));
    handed.map_err(|_| busy(number))
}

fn busy(number: u16) -> Refused {
    Refused {
        number: Some(number),
        why: Refusal::Busy,
    }
}

/// Answers. A desktop that asks but does not read is heard all the same, if slowly: what cannot be
/// said in time waits with the other frames, or is lost with them.
async fn say(signals: &Signals, answers: &Answers, answer: Answer) {
    let is_late = with_timeout(REPORT_PERIOD, answers.send(answer))
        .await
        .is_err();
    if is_late {
        match answer {
            Answer::Hello => {}
            Answer::Refused(refused) => signals.tell(refused.into()),
            Answer::Map(number) => signals.tell(busy(number).into()),
        }
    }
}

struct Speaker<T> {
    tx: T,
    /// Of the next frame.
    number: u16,
    field: Field,
}

/// How far the map has been told.
#[derive(Clone, Copy)]
struct Telling {
    /// Of the command that asked for it.
    number: u16,
    /// Bytes told.
    offset: usize,
}

/// Nobody is there; what is said meanwhile is not kept.
struct NotHeard;

impl<T: Write> Speaker<T> {
    async fn speak(&mut self, signals: &Signals, atlas: &SharedAtlas<'_>, answers: &Answers) -> ! {
        let mut ticker = Ticker::every(REPORT_PERIOD);
        let mut map = None;
        let mut heard = self.hello(signals).await;
        loop {
            if heard.is_err() {
                map = None;
            }
            let more_of_the_map = async {
                if map.is_none() {
                    pending::<()>().await;
                }
            };
            let woken = select4(
                ticker.next(),
                signals.frames.ready_to_receive(),
                answers.ready_to_receive(),
                more_of_the_map,
            );
            let is_tick = matches!(woken.await, Either4::First(()));
            // One of each, so that none keeps the others waiting.
            heard = async {
                if is_tick {
                    self.state(signals).await?;
                }
                if let Ok(frame) = signals.frames.try_receive() {
                    self.send(&frame).await?;
                }
                if let Ok(answer) = answers.try_receive() {
                    self.answer(answer, &mut map, signals).await?;
                }
                if let Some(telling) = map {
                    map = self.piece(telling, atlas).await?;
                }
                Ok(())
            }
            .await;
        }
    }

    async fn hello(&mut self, signals: &Signals) -> Result<(), NotHeard> {
        let hello = Frame::Hello {
            protocol: PROTOCOL,
            field: self.field,
            stored: signals.stored(),
        };
        self.send(&hello).await
    }

    async fn state(&mut self, signals: &Signals) -> Result<(), NotHeard> {
        if let Some(state) = signals.state() {
            self.send(&Frame::State(state)).await?;
        }
        match signals.take_lost() {
            0 => Ok(()),
            lost => self.send(&Frame::Lost(lost)).await,
        }
    }

    async fn answer(
        &mut self,
        answer: Answer,
        map: &mut Option<Telling>,
        signals: &Signals,
    ) -> Result<(), NotHeard> {
        match answer {
            Answer::Hello => {
                self.hello(signals).await?;
                match signals.goals() {
                    goals if goals.is_empty() => Ok(()),
                    goals => self.send(&Frame::Goals(goals)).await,
                }
            }
            Answer::Refused(refused) => self.send(&refused.into()).await,
            Answer::Map(number) if map.is_some() => self.send(&busy(number).into()).await,
            Answer::Map(number) => {
                *map = Some(Telling { number, offset: 0 });
                Ok(())
            }
        }
    }

    /// Tells a piece of the map; how far it has then been told. It is read right before it is said: a
    /// wall that is seen later is told later.
    async fn piece(
        &mut self,
        telling: Telling,
        atlas: &SharedAtlas<'_>,
    ) -> Result<Option<Telling>, NotHeard> {
        let Telling { number, offset } = telling;
        let (bytes, total): (Vec<u8, MAP_BYTES>, _) = {
            let atlas = atlas.lock().await;
            let end = atlas.len().min(offset + MAP_BYTES);
            let bytes = (offset..end).map(|index| atlas.byte(index)).collect();
            (bytes, atlas.len())
        };
        let offset_after = offset + bytes.len();
        let piece = Frame::Map {
            offset: offset as u16,
            bytes,
            total: total as u16,
        };
        self.send(&piece).await?;
        if offset_after < total {
            let offset = offset_after;
            return Ok(Some(Telling { number, offset }));
        }
        self.send(&Frame::Accepted(number)).await?;
        Ok(None)
    }

    async fn send(&mut self, frame: &Frame) -> Result<(), NotHeard> {
        let number = self.number;
        self.number = number.wrapping_add(1);
        let mut buffer = [0; FRAME];
        let bytes = encode(number, frame, &mut buffer).map_err(|_| NotHeard)?;
        self.tx.write_all(bytes).await.map_err(|_| NotHeard)?;
        self.tx.flush().await.map_err(|_| NotHeard)
    }
}
