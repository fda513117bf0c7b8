//! Window that monitors a robot, live or from a recording, drawn as simulated robots are.
//!
//! Nothing here waits: what comes over a port is read by a [`Link`](sim::telemetry::Link)'s thread, and
//! a frame takes from it what is there.

mod panels;
mod snapshot;

use std::time::Duration;

use egui::Ui;
use planner_core::Cell;
use sim::telemetry::{Connection, Feed, Monitor};
use tinystar::telemetry::Command;
use web_time::Instant;

use crate::{
    camera::Camera,
    keys::{self, Action},
    map::{Map, Overlay, Touch},
    snapshot::Snapshot,
};

/// Time per frame for handling events.
const WORK: Duration = Duration::from_millis(7);
/// Longest frame time that playback accounts for.
const LONGEST_FRAME: f64 = 0.1;
/// Polling period of a live robot.
const POLL: Duration = Duration::from_millis(40);
/// Seek step of a key, in milliseconds.
const STRIDE: u64 = 1000;
/// Range of playback speeds.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.1..=100.0;

/// Window that monitors a robot.
pub struct Watch {
    /// Name of the source.
    name: String,
    feed: Feed,
    /// State of a live robot; a recording has its own.
    live: Monitor,
    snapshot: Snapshot,
    /// The revision that `snapshot` shows.
    shown: Option<u64>,
    map: Map,
    camera: Camera,
    /// Pixels per cell to show the robot with, once it is known where it is.
    zoom: Option<f32>,
    overlay: Overlay,
    has_plots: bool,
    is_playing: bool,
    /// Playback speed.
    speed: f64,
    /// Fraction of a millisecond to play.
    owed: f64,
    /// True to ask for confirmation before the map is cleared.
    is_asking: bool,
    is_help_open: bool,
    /// The cell under the pointer.
    hovered: Option<Cell>,
}

impl Watch {
    /// Monitors a source; `speed` is that of a recording.
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
            zoom: None,
            overlay: Overlay::default(),
            has_plots: true,
            speed: speed.clamp(*SPEEDS.start(), *SPEEDS.end()),
            owed: 0.0,
            is_asking: false,
            is_help_open: false,
            hovered: None,
        }
    }

    /// State of the robot and the link.
    pub fn monitor(&self) -> &Monitor {
        match &self.feed {
            Feed::Live(_) => &self.live,
            Feed::Recording(playback) => playback.monitor(),
        }
    }

    /// Snapshot that is drawn.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Returns whether a recording is playing.
    pub fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// Plays or pauses a recording; at its end, it starts over.
    pub fn play(&mut self, is_playing: bool) {
        if is_playing && self.is_over() {
            self.seek(0);
        }
        self.is_playing = is_playing && matches!(self.feed, Feed::Recording(_));
        self.owed = 0.0;
    }

    /// Seeks in a recording, in milliseconds.
    pub fn seek(&mut self, to: u64) {
        if let Feed::Recording(playback) = &mut self.feed {
            playback.seek(to);
            self.is_playing = false;
        }
    }

    /// Shows the robot with so many pixels per cell, once it is known where it is.
    pub fn zoom(&mut self, pixels: f32) {
        self.zoom = Some(pixels);
    }

    /// Returns whether a seek is in progress.
    pub fn is_seeking(&self) -> bool {
        matches!(&self.feed, Feed::Recording(playback) if playback.is_seeking())
    }

    /// Returns whether a recording is at its end.
    pub fn is_over(&self) -> bool {
        matches!(&self.feed, Feed::Recording(playback) if playback.is_over())
    }

    /// Returns whether commands can be sent.
    fn can_command(&self) -> bool {
        let takes = matches!(&self.feed, Feed::Live(link) if link.takes_commands());
        takes && self.live.connection == Connection::Connected
    }

    fn command(&self, command: Command) {
        if let Feed::Live(link) = &self.feed {
            link.send(command);
        }
    }

    /// Handles events within the time budget of a frame.
    fn receive(&mut self) {
        let begin = Instant::now();
        match &mut self.feed {
            Feed::Live(link) => {
                while let Some(event) = link.event() {
                    self.live.handle(&event);
                    if begin.elapsed() > WORK {
                        return;
                    }
                }
            }
            Feed::Recording(playback) => playback.work(|| begin.elapsed() > WORK),
        }
    }

    /// Advances a recording.
    fn advance(&mut self, seconds: f64) {
        let Feed::Recording(playback) = &mut self.feed else {
            return;
        };
        if !self.is_playing || playback.is_seeking() {
            return;
        }
        self.owed += seconds.min(LONGEST_FRAME) * self.speed * 1000.0;
        let whole = self.owed.floor();
        self.owed -= whole;
        playback.seek(playback.now() + whole as u64);
        self.is_playing = !playback.is_over();
    }

    /// Updates the snapshot.
    fn refresh(&mut self) {
        let revision = self.monitor().revision;
        if self.shown == Some(revision) {
            return;
        }
        let robot = match &self.feed {
            Feed::Live(_) => &self.live.robot,
            Feed::Recording(playback) => &playback.monitor().robot,
        };
        snapshot::draw(robot, &mut self.snapshot);
        if !self.is_seeking()
            && self.snapshot.pose.is_some()
            && let Some(pixels) = self.zoom.take()
        {
            self.camera = Camera::close_to(self.snapshot.robot, pixels);
        }
        self.snapshot.revision = revision;
        self.shown = Some(revision);
    }

    fn perform(&mut self, action: Action) {
        let now = match &self.feed {
            Feed::Live(_) => 0,
            Feed::Recording(playback) => playback.now(),
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

    /// Sets the goal to a clicked cell.
    fn touch(&mut self, touch: Touch) {
        self.hovered = touch.hovered;
        if let (Some((_, true)), Some(cell)) = (touch.held, touch.hovered)
            && self.can_command()
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
        self.receive();
        self.refresh();
        self.show(ui);
        if self.is_playing || self.is_seeking() {
            ctx.request_repaint();
        } else if matches!(self.feed, Feed::Live(_)) {
            ctx.request_repaint_after(POLL);
        }
    }
}
