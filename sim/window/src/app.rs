//! The window: its state, and one frame of it.

use std::time::Duration;

use egui::{Pos2, Ui};
use planner_core::Cell;
use sim::{
    catalog::Name,
    options::view::ViewOptions,
    world::{Scenario, movingai::Query},
};
use web_time::Instant;

use crate::{
    camera::Camera,
    film::Film,
    host::{Host, Inbox},
    keys::{self, Action},
    map::{Layer, Map},
    pen::Tool,
    run::{Change, Options},
    settings::Settings,
    snapshot::Snapshot,
    timeline::Timeline,
    worlds::{Choice, Kind},
};

/// The part of a frame for planners, so that the window stays smooth.
pub(crate) const WORK: Duration = Duration::from_millis(7);
/// Longer frames, as when the window was hidden, count as this long.
const LONGEST_FRAME: f64 = 0.1;

/// A run, and its drawing.
pub(crate) struct Pane {
    pub line: Timeline,
    pub snapshot: Snapshot,
    pub map: Map,
    /// The revision that `snapshot` shows.
    shown: Option<(u64, u64)>,
}

/// The window.
#[derive(Default)]
pub struct App {
    pub(crate) settings: Settings,
    /// One, or two to compare; none when nothing could be built.
    pub(crate) panes: Vec<Pane>,
    pub(crate) truth: Snapshot,
    pub(crate) truth_map: Map,
    pub(crate) camera: Camera,
    pub(crate) tool: Tool,
    pub(crate) is_playing: bool,
    pub(crate) is_help_open: bool,
    /// True while the introduction is shown.
    pub(crate) is_introduced: bool,
    /// The last error, in one line, until it is closed.
    pub(crate) problem: Option<String>,
    /// Result of the last action, in one line, until it is closed.
    pub(crate) notice: Option<String>,
    /// A film in the making, and its file name.
    pub(crate) film: Option<(Film, String)>,
    /// The query string of the state, and the address with it, where there is one.
    pub(crate) link: Option<(String, String)>,
    /// The width of the last frame called for the compact layout.
    pub(crate) is_compact: bool,
    /// The settings are open in the compact layout.
    pub(crate) is_drawer_open: bool,
    /// The map that the compact layout shows: that of a run, or behind them the true world.
    pub(crate) shown_map: usize,
    /// Queries of a `.scen`, and the index of the one that is shown.
    pub(crate) queries: Vec<Query>,
    pub(crate) query: usize,
    /// True if the world came out of a file.
    pub(crate) is_from_file: bool,
    /// The cell under the pointer.
    pub(crate) hovered: Option<Cell>,
    /// Ticks that are due, with fractions.
    owed: f64,
    /// A stroke of the left button: its position, and whether it adds walls.
    pub(crate) pen: Option<(Pos2, bool)>,
    pub(crate) inbox: Inbox,
    pub(crate) host: Host,
    /// Counts snapshots, to give each a revision of its own.
    pictures: u64,
}

impl App {
    /// The window with stored settings.
    pub fn new(settings: Settings, host: Host) -> Self {
        let mut app = Self {
            settings,
            host,
            ..Self::default()
        };
        app.generate();
        app
    }

    /// The window for a command line.
    pub fn open_with(
        mut settings: Settings,
        args: &ViewOptions,
        scenario: Scenario,
        host: Host,
    ) -> Self {
        settings.options = Options::from(args);
        settings.choice = Choice::from(args);
        settings.is_comparing = args.compare.is_some();
        settings.other = args.compare.unwrap_or(settings.other);
        if let Some(color) = &args.initial.color {
            let mut layers = Layer::ALL.into_iter();
            settings.layer = layers.find(|l| l.name() == color).unwrap_or_default();
        }
        let mut app = Self {
            settings,
            host,
            ..Self::default()
        };
        let start = scenario.start;
        let is_bundled = app.settings.choice.kind == Kind::Micromouse;
        app.open(scenario, args.world.map.is_some() && !is_bundled);
        if let Some(tick) = args.initial.tick {
            app.seek(tick);
        }
        if let Some(pixels) = args.window.zoom {
            while app.is_seeking() {
                app.work();
            }
            let first = app.lines().next();
            let robot = first.map_or(start, |line| line.run().robot());
            app.camera = Camera::close_to(robot, pixels.into());
        }
        app
    }

    /// Begins to play, with an introduction for new users.
    pub fn introduce(&mut self) {
        self.is_introduced = self.settings.is_new_user;
        self.play(true);
    }

    /// The settings to be stored.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The runs that are shown.
    pub fn lines(&self) -> impl Iterator<Item = &Timeline> {
        self.panes.iter().map(|pane| &pane.line)
    }

    /// Draws one of the runs.
    pub fn show_line(&mut self, line: usize, snapshot: &mut Snapshot) {
        if let Some(pane) = self.panes.get_mut(line) {
            pane.line.run().draw(snapshot);
        }
    }

    /// Sends all robots to another goal.
    pub fn send_to(&mut self, goal: Cell) {
        self.change(&Change::Goal(goal));
    }

    /// The last error.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Shows an error.
    pub fn show_error(&mut self, problem: &str) {
        self.problem = Some(problem.to_owned());
    }

    /// Returns whether the runs are playing.
    pub fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// Plays or pauses the runs.
    pub fn play(&mut self, is_playing: bool) {
        self.is_playing = is_playing;
        self.owed = 0.0;
    }

    /// Sets the speed in ticks per second.
    pub fn set_speed(&mut self, speed: f64) {
        self.settings.speed = speed;
    }

    /// Returns whether a run is seeking another tick.
    pub fn is_seeking(&self) -> bool {
        self.lines().any(|line| line.target().is_some())
    }

    /// Returns whether all runs are over.
    pub fn is_over(&self) -> bool {
        self.lines().all(|line| line.run().outcome.is_some())
    }

    /// Opens a scenario, from the start.
    pub(crate) fn open(&mut self, scenario: Scenario, is_from_file: bool) {
        self.is_from_file = is_from_file;
        let mut names = vec![self.settings.options.planner];
        if self.settings.is_comparing {
            names.push(self.settings.other);
        }
        let size = self.lines().next().map(|line| line.run().world().size());
        let is_like_before = size == Some(scenario.world.size());
        let mut panes = Vec::new();
        for planner in names {
            let options = Options {
                planner,
                ..self.settings.options
            };
            match Timeline::new(scenario.clone(), options) {
                Ok(line) => panes.push(Pane {
                    line,
                    snapshot: Snapshot::default(),
                    map: Map::default(),
                    shown: None,
                }),
                Err(error) => {
                    return self.problem = Some(format!("{planner} on {}: {error}", scenario.name));
                }
            }
        }
        self.panes = panes;
        (self.problem, self.notice, self.film) = (None, None, None);
        self.owed = 0.0;
        self.pen = None;
        if !is_like_before {
            self.camera.fit();
        }
    }

    /// Restarts the scenario with the current settings.
    pub(crate) fn start_over(&mut self) {
        if let Some(pane) = self.panes.first() {
            let scenario = pane.line.scenario().clone();
            self.open(scenario, self.is_from_file);
        }
    }

    /// Generates the chosen world.
    pub(crate) fn generate(&mut self) {
        self.queries.clear();
        match self.settings.choice.scenario() {
            Ok(scenario) => self.open(scenario, false),
            Err(problem) => self.problem = Some(problem),
        }
    }

    /// Goes to a tick.
    pub fn seek(&mut self, tick: u64) {
        self.is_playing = false;
        for pane in &mut self.panes {
            pane.line.seek(tick);
        }
    }

    /// The tick that is shown or sought.
    pub(crate) fn tick(&self) -> u64 {
        let tick = |line: &Timeline| line.target().unwrap_or(line.run().tick);
        self.lines().map(tick).max().unwrap_or(0)
    }

    /// Makes one tick.
    pub fn step(&mut self) {
        self.is_playing = false;
        for pane in &mut self.panes {
            pane.line.advance(true);
        }
    }

    /// Goes back one tick.
    pub fn step_back(&mut self) {
        self.seek(self.tick().saturating_sub(1));
    }

    /// Changes all runs.
    pub(crate) fn change(&mut self, change: &Change) {
        for pane in &mut self.panes {
            if let Err(error) = pane.line.change(change.clone()) {
                self.problem = Some(error.to_string());
            }
        }
    }

    /// Applies the current settings to the runs.
    pub(crate) fn apply_options(&mut self) {
        let names = [self.settings.options.planner, self.settings.other];
        for (pane, planner) in self.panes.iter_mut().zip(names) {
            let options = Options {
                planner,
                ..self.settings.options
            };
            if options != pane.line.run().options
                && let Err(error) = pane.line.change(Change::Options(options))
            {
                self.problem = Some(format!("{planner}: {error}"));
            }
        }
    }

    /// Shows two planners, or one.
    pub(crate) fn compare(&mut self, is_comparing: bool) {
        self.settings.is_comparing = is_comparing;
        match is_comparing {
            true => self.start_over(),
            false => self.panes.truncate(1),
        }
    }

    /// Sets the first or the second planner.
    pub fn set_planner(&mut self, place: usize, name: Name) {
        match place {
            0 => self.settings.options.planner = name,
            _ => self.settings.other = name,
        }
        self.apply_options();
    }

    fn perform(&mut self, ctx: &egui::Context, action: Action) {
        match action {
            Action::PlayOrPause => self.play(!self.is_playing),
            Action::Tick => self.step(),
            Action::Back => self.step_back(),
            Action::StartOver => self.start_over(),
            Action::Faster => self.set_speed((self.settings.speed * 2.0).min(FASTEST)),
            Action::Slower => self.set_speed((self.settings.speed / 2.0).max(SLOWEST)),
            Action::Fit => self.camera.fit(),
            Action::Compare => self.compare(!self.settings.is_comparing),
            Action::NextWorld => {
                self.settings.choice.seed = self.settings.choice.seed.wrapping_add(1);
                self.generate();
            }
            Action::Open => self.choose_file(ctx),
            Action::Color(layer) => self.settings.layer = layer,
            Action::Help => self.is_help_open = !self.is_help_open,
            Action::Close => (self.is_help_open, self.is_drawer_open) = (false, false),
        }
    }

    /// Seeks for a part of a frame.
    fn work(&mut self) {
        let begin = Instant::now();
        for pane in &mut self.panes {
            pane.line.work(|| begin.elapsed() > WORK);
        }
    }

    /// Makes the ticks that are due, within a part of a frame.
    fn advance(&mut self, seconds: f64) {
        if !self.is_playing || self.is_seeking() {
            return;
        }
        if self.is_over() {
            self.is_playing = false;
            return;
        }
        self.owed += seconds.min(LONGEST_FRAME) * self.settings.speed;
        let begin = Instant::now();
        while self.owed >= 1.0 {
            self.owed -= 1.0;
            let is_last = self.owed < 1.0 || begin.elapsed() > WORK;
            for pane in &mut self.panes {
                pane.line.advance(is_last);
            }
            if is_last {
                self.owed = self.owed.min(1.0);
                return;
            }
        }
    }

    /// Updates the snapshots.
    fn refresh(&mut self) {
        for pane in &mut self.panes {
            let wanted = pane.line.revision();
            if pane.shown != Some(wanted) {
                pane.line.run().draw(&mut pane.snapshot);
                self.pictures += 1;
                pane.snapshot.revision = self.pictures;
                pane.shown = Some(wanted);
            }
        }
        if let Some(pane) = self.panes.first()
            && self.truth.revision != pane.snapshot.revision
            && !self.settings.is_comparing
        {
            self.truth.draw_world(pane.line.run().world());
            self.truth.robot = pane.snapshot.robot;
            self.truth.start = pane.snapshot.start;
            self.truth.goals.clone_from(&pane.snapshot.goals);
            self.truth.trail.clone_from(&pane.snapshot.trail);
            self.truth.revision = pane.snapshot.revision;
        }
    }

    /// One frame.
    pub fn ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        self.receive(&ctx);
        if !ctx.egui_wants_keyboard_input() {
            for action in ctx.input_mut(|input| keys::actions(keys::KEYS, input)) {
                self.perform(&ctx, action);
            }
        }
        self.advance(ctx.input(|input| input.stable_dt).into());
        self.work();
        self.make_film(&ctx);
        self.refresh();
        self.hovered = None;
        self.show(ui);
        self.write_address(&ctx);
        if self.is_playing || self.is_seeking() || self.film.is_some() {
            ctx.request_repaint();
        }
    }
}

/// The most ticks in a second.
pub(crate) const FASTEST: f64 = 20_000.0;
/// The fewest ticks in a second.
pub(crate) const SLOWEST: f64 = 1.0;
