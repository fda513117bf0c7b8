//! Playback of a recording.

use thiserror::Error;
use tinystar::telemetry::Frame;

use super::{Event, FrameReceiver, Monitor, Received};

/// The bytes contain no intact frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a recording of a robot: no intact frame in {bytes} bytes")]
pub struct NotARecording {
    bytes: usize,
}

/// Recording with a playback position.
///
/// ```
/// use sim::telemetry::{NotARecording, Playback};
/// use tinystar::telemetry::{Frame, codec::{FRAME, encode}};
///
/// let mut buffer = [0; FRAME];
/// let mut playback = Playback::new(encode(0, &Frame::Cleared, &mut buffer).unwrap())?;
/// playback.seek(playback.length());
/// playback.work(|| false);
/// assert_eq!(playback.monitor().stats.frames, 1);
/// # Ok::<(), NotARecording>(())
/// ```
#[derive(Clone, Debug)]
pub struct Playback {
    /// Events with their times in milliseconds since the first, in order.
    events: Vec<(u64, Event)>,
    now: u64,
    monitor: Monitor,
    /// Number of events handled by `monitor`.
    done: usize,
    /// During a seek backwards: a replay from the start that will replace `monitor`.
    replay: Option<(Box<Monitor>, usize)>,
}

impl Playback {
    /// Playback at the start of a recording.
    pub fn new(bytes: &[u8]) -> Result<Self, NotARecording> {
        let mut receiver = FrameReceiver::default();
        let mut clock = Clock::default();
        let mut events: Vec<(u64, Event)> = bytes
            .iter()
            .filter_map(|&byte| receiver.feed(byte))
            .map(|received| (clock.time(&received), Event::Received(received)))
            .collect();
        let is_frame =
            |(_, event): &(u64, Event)| matches!(event, Event::Received(Received::Frame { .. }));
        if !events.iter().any(is_frame) {
            return Err(NotARecording { bytes: bytes.len() });
        }
        events.extend(receiver.end().map(|end| (clock.now, Event::Received(end))));
        events.push((clock.now, Event::Ended));
        let mut playback = Self {
            events,
            now: 0,
            monitor: Monitor::default(),
            done: 0,
            replay: None,
        };
        playback.work(|| false);
        Ok(playback)
    }

    /// State at the current position.
    pub fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// Length in milliseconds.
    pub fn length(&self) -> u64 {
        self.events.last().map_or(0, |&(time, _)| time)
    }

    /// Position in milliseconds.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Returns whether the end is reached.
    pub fn is_over(&self) -> bool {
        self.now >= self.length()
    }

    /// Returns whether a seek is in progress.
    pub fn is_seeking(&self) -> bool {
        self.replay.is_some() || self.due(self.done).is_some()
    }

    /// Starts a seek; [`Playback::work`] performs it.
    pub fn seek(&mut self, to: u64) {
        if to < self.now {
            self.replay = Some((Box::new(self.monitor.reset()), 0));
        }
        self.now = to.min(self.length());
    }

    /// Continues a seek until it is done or `is_time_up`.
    pub fn work(&mut self, mut is_time_up: impl FnMut() -> bool) {
        while let Some((mut monitor, mut done)) = self.replay.take() {
            let Some(event) = self.due(done) else {
                // The revision must be newer than any that was shown.
                monitor.supersede(&self.monitor);
                (self.monitor, self.done) = (*monitor, done);
                break;
            };
            monitor.handle(event);
            done += 1;
            self.replay = Some((monitor, done));
            if is_time_up() {
                return;
            }
        }
        while let Some((_, event)) = self.events.get(self.done).filter(|(at, _)| *at <= self.now) {
            self.monitor.handle(event);
            self.done += 1;
            if is_time_up() {
                return;
            }
        }
    }

    /// All events in order.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().map(|(_, event)| event)
    }

    fn due(&self, done: usize) -> Option<&Event> {
        let (at, event) = self.events.get(done)?;
        (*at <= self.now).then_some(event)
    }
}

/// Times of events: that of the last state frame. A restarted robot counts from zero; the recording goes on.
#[derive(Default)]
struct Clock {
    last_ms: Option<u32>,
    now: u64,
}

impl Clock {
    fn time(&mut self, received: &Received) -> u64 {
        if let Received::Frame {
            frame: Frame::State(state),
            ..
        } = received
        {
            let before = self.last_ms.replace(state.ms).unwrap_or(state.ms);
            self.now += u64::from(state.ms.saturating_sub(before));
        }
        self.now
    }
}
