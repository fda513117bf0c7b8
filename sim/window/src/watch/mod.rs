//! A robot that is somewhere else, or was: what it tells, drawn as the simulator draws its own.
//!
//! Nothing here waits: what comes over a port is read by a [`Link`](sim::telemetry::Link)'s thread, and
//! a frame takes from it what is there.

mod panels;
mod snapshot;

use std::time::Duration;

use egui::Ui;
use planner_core::Cell;
use sim::telemetry::{Contact, Feed, Monitor};
use tinystar::telemetry::Command;
use web_time::Instant;

use crate::{
    camera::Camera,
    keys::{self, Action},
    map::{Map, Overlay, Touch},
    snapshot::Snapshot,
};

/// The part of a frame that may go into taking in what came.
const WORK: Duration = Duration::from_millis(7);
/// Longer frames, as when the window was hidden, count as this long.
const LONGEST_FRAME: f64 = 0.1;
/// How soon it is looked again whether something came.
const GLANCE: Duration = Duration::from_millis(40);
/// How far a key goes in a recording, in milliseconds.
const STRIDE: u64 = 1000;
/// How fast a recording is played at most, and how slowly at least.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.1..=100.0;

/// A window in which a robot is watched.
pub struct Watch {
    /// Where the robot is heard.
    name: String,
    feed: Feed,
    /// What is known of a robot that is there; a recording has its own.
    live: Monitor,
    snapshot: Snapshot,
    /// The revision that `snapshot` shows.
    shown: Option<u64>,
    map: Map,
    camera: Camera,
    overlay: Overlay,
    has_plots: bool,
    is_playing: bool,
    /// Seconds of a recording in a second.
    speed: f64,
    /// Milliseconds of a recording that are due, in parts.
    owed: f64,
    /// Whether the map is really to be forgotten.
    is_asking: bool,
    is_help_open: bool,
    /// The cell under the pointer.
    hovered: Option<Cell>,
}

impl Watch {
    /// Watches what is heard at `name`; a recording is played so many times as fast as it was.
    #[must_use]
    pub fn new(name: &str, feed: Feed, speed: f64) -> Self {
        Self {
            name: name.to_owned(),
            is_playing: matches!(feed, Feed::Recording(_)),
            feed,
            live: Monitor::default(),
            snapshot: Snapshot::default(),
            shown: None,
            map: Map::default(),
            camera: Camera::default(),
            overlay: Overlay::default(),
            has_plots: true,
            speed: speed.clamp(*SPEEDS.start(), *SPEEDS.end()),
            owed: 0.0,
            is_asking: false,
            is_help_open: false,
            hovered: None,
        }
    }

    /// What is known of the robot.
    #[must_use]
    pub fn watched(&self) -> &Monitor {
        match &self.feed {
            Feed::Live(_) => &self.live,
            Feed::Recording(player) => player.watched(),
        }
    }

    /// What is drawn of it.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Whether a recording is played.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// Plays a recording, or not; one that is over from its beginning.
    pub fn play(&mut self, is_playing: bool) {
        if is_playing && self.is_over() {
            self.seek(0);
        }
        self.is_playing = is_playing && matches!(self.feed, Feed::Recording(_));
        self.owed = 0.0;
    }

    /// Goes to a moment of a recording, in milliseconds.
    pub fn seek(&mut self, to: u64) {
        if let Feed::Recording(player) = &mut self.feed {
            player.seek(to);
            self.is_playing = false;
        }
    }

    /// Whether it is on its way to another moment of a recording.
    #[must_use]
    pub fn is_seeking(&self) -> bool {
        matches!(&self.feed, Feed::Recording(player) if player.is_seeking())
    }

    /// Whether a recording has been played to its end.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(&self.feed, Feed::Recording(player) if player.is_over())
    }

    /// Whether there is a robot that can be told something.
    fn is_within_reach(&self) -> bool {
        let takes = matches!(&self.feed, Feed::Live(link) if link.takes_commands());
        takes && *self.live.contact() == Contact::There
    }

    fn command(&self, command: Command) {
        if let Feed::Live(link) = &self.feed {
            link.command(command);
        }
    }

    /// Takes in what came, as far as a part of a frame allows.
    fn listen(&mut self) {
        let begin = Instant::now();
        match &mut self.feed {
            Feed::Live(link) => {
                while let Some(event) = link.event() {
                    self.live.take(&event);
                    if begin.elapsed() > WORK {
                        return;
                    }
                }
            }
            Feed::Recording(player) => player.work(|| begin.elapsed() > WORK),
        }
    }

    /// Lets the time of a recording go by.
    fn advance(&mut self, seconds: f64) {
        let Feed::Recording(player) = &mut self.feed else {
            return;
        };
        if !self.is_playing || player.is_seeking() {
            return;
        }
        self.owed += seconds.min(LONGEST_FRAME) * self.speed * 1000.0;
        let whole = self.owed.floor();
        self.owed -= whole;
        player.seek(player.now() + whole as u64);
        self.is_playing = !player.is_over();
    }

    /// Updates the snapshots.
    fn refresh(&mut self) {
        let revision = self.watched().revision();
        if self.shown == Some(revision) {
            return;
        }
        let told = match &self.feed {
            Feed::Live(_) => self.live.told(),
            Feed::Recording(player) => player.watched().told(),
        };
        snapshot::draw(told, &mut self.snapshot);
        self.snapshot.revision = revision;
        self.shown = Some(revision);
    }

    fn perform(&mut self, action: Action) {
        let now = match &self.feed {
            Feed::Live(_) => 0,
            Feed::Recording(player) => player.now(),
        };
        match action {
            Action::PlayOrPause => self.play(!self.is_playing),
            Action::Tick => self.seek(now + STRIDE),
            Action::Back => self.seek(now.saturating_sub(STRIDE)),
            Action::StartOver => self.seek(0),
            Action::Faster => self.speed = (self.speed * 2.0).min(*SPEEDS.end()),
            Action::Slower => self.speed = (self.speed / 2.0).max(*SPEEDS.start()),
            Action::Fit => self.camera.fit(),
            Action::Help => self.is_help_open = !self.is_help_open,
            Action::Close => self.is_help_open = false,
            Action::Compare | Action::NextWorld | Action::Open | Action::Color(_) => {}
        }
    }

    /// Sends the robot where somebody clicks.
    fn touch(&mut self, touch: Touch) {
        self.hovered = touch.hovered;
        if let (Some((_, true)), Some(cell)) = (touch.held, touch.hovered)
            && self.is_within_reach()
        {
            self.command(Command::SetGoal(cell));
        }
    }

    /// One frame.
    pub fn ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        if !ctx.egui_wants_keyboard_input() && !self.is_asking {
            for action in ctx.input_mut(|input| keys::actions(keys::WATCH, input)) {
                self.perform(action);
            }
        }
        self.advance(ctx.input(|input| input.stable_dt).into());
        self.listen();
        self.refresh();
        self.show(ui);
        if self.is_playing || self.is_seeking() {
            ctx.request_repaint();
        } else if matches!(self.feed, Feed::Live(_)) {
            ctx.request_repaint_after(GLANCE);
        }
    }
}
