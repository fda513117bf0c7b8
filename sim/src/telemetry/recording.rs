//! A recording, played with its own times.

use thiserror::Error;
use tinystar::telemetry::Frame;

use super::{Event, FrameReceiver, Monitor, Received};

/// There is not one whole frame in what should be a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("this is no recording of a robot: there is no whole frame in its {bytes} bytes")]
pub struct NotARecording {
    bytes: usize,
}

/// A recording, and how far it has been played.
///
/// ```
/// use sim::telemetry::{NotARecording, Playback};
/// use tinystar::telemetry::{Frame, codec::{FRAME, encode}};
///
/// let mut buffer = [0; FRAME];
/// let mut player = Playback::new(encode(0, &Frame::Cleared, &mut buffer).unwrap())?;
/// player.seek(player.length());
/// player.work(|| false);
/// assert_eq!(player.watched().tally().frames, 1);
/// # Ok::<(), NotARecording>(())
/// ```
#[derive(Clone, Debug)]
pub struct Playback {
    /// What was heard, and when, in milliseconds since the first; the times never fall.
    heard: Vec<(u64, Event)>,
    now: u64,
    watched: Monitor,
    /// How much of what was heard is in `watched`.
    done: usize,
    /// On the way back: the same from the start, which then takes the place of `watched`.
    again: Option<(Box<Monitor>, usize)>,
}

impl Playback {
    /// A recording, at its beginning.
    ///
    /// # Errors
    /// It is none.
    pub fn new(bytes: &[u8]) -> Result<Self, NotARecording> {
        let mut ear = FrameReceiver::new();
        let mut clock = Clock::default();
        let mut heard: Vec<(u64, Event)> = bytes
            .iter()
            .filter_map(|&byte| ear.feed(byte))
            .map(|heard| (clock.time(&heard), Event::Received(heard)))
            .collect();
        let is_frame =
            |(_, event): &(u64, Event)| matches!(event, Event::Received(Received::Frame { .. }));
        if !heard.iter().any(is_frame) {
            return Err(NotARecording { bytes: bytes.len() });
        }
        heard.extend(ear.end().map(|cut| (clock.now, Event::Received(cut))));
        heard.push((clock.now, Event::Ended));
        let mut player = Self {
            heard,
            now: 0,
            watched: Monitor::default(),
            done: 0,
            again: None,
        };
        player.work(|| false);
        Ok(player)
    }

    /// What is known at this moment.
    #[must_use]
    pub fn watched(&self) -> &Monitor {
        &self.watched
    }

    /// How long it is, in milliseconds.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.heard.last().map_or(0, |&(time, _)| time)
    }

    /// How far it has been played, in milliseconds.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Whether it has been played to its end.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.now >= self.length()
    }

    /// Whether it is still on its way to another moment.
    #[must_use]
    pub fn is_seeking(&self) -> bool {
        self.again.is_some() || self.due(self.done).is_some()
    }

    /// Sets out for another moment; [`Playback::work`] goes there.
    pub fn seek(&mut self, to: u64) {
        if to < self.now {
            self.again = Some((Box::new(self.watched.anew()), 0));
        }
        self.now = to.min(self.length());
    }

    /// Goes on towards the moment that was asked for, until it is there or `is_time_up`.
    pub fn work(&mut self, mut is_time_up: impl FnMut() -> bool) {
        while let Some((mut watched, mut done)) = self.again.take() {
            let Some(event) = self.due(done) else {
                // A number of its own, higher than any that was shown.
                watched.outdate(&self.watched);
                (self.watched, self.done) = (*watched, done);
                break;
            };
            watched.take(event);
            done += 1;
            self.again = Some((watched, done));
            if is_time_up() {
                return;
            }
        }
        while let Some((_, event)) = self.heard.get(self.done).filter(|(at, _)| *at <= self.now) {
            self.watched.take(event);
            self.done += 1;
            if is_time_up() {
                return;
            }
        }
    }

    /// All that was heard, in turn.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.heard.iter().map(|(_, event)| event)
    }

    fn due(&self, done: usize) -> Option<&Event> {
        let (at, event) = self.heard.get(done)?;
        (*at <= self.now).then_some(event)
    }
}

/// When things were heard: as late as the last state before them. A robot that is restarted counts from
/// zero; a recording goes on.
#[derive(Default)]
struct Clock {
    last_ms: Option<u32>,
    now: u64,
}

impl Clock {
    fn time(&mut self, heard: &Received) -> u64 {
        if let Received::Frame {
            frame: Frame::State(state),
            ..
        } = heard
        {
            let before = self.last_ms.replace(state.ms).unwrap_or(state.ms);
            self.now += u64::from(state.ms.saturating_sub(before));
        }
        self.now
    }
}
