//! The window: what it holds, and what happens in a frame.

use std::{ffi::OsStr, path::Path, time::Duration};

use egui::{Pos2, Ui};
use planner_core::{Cell, Side};
use sim::{
    catalog::Name,
    options::view::ViewOptions,
    world::{Scenario, World},
    world::{
        maze::{SIDES, neighbour},
        movingai::Query,
    },
};
use web_time::Instant;

use crate::{
    camera::Camera,
    host::{Host, Inbox},
    keys::{self, Wish},
    map::{Map, Touch, stroke},
    run::{Change, Options},
    settings::Settings,
    snapshot::Snapshot,
    timeline::Timeline,
    worlds::{self, Choice, Found},
};

/// The part of a frame that planners may take, so that the window stays smooth.
const WORK: Duration = Duration::from_millis(7);
/// A frame that took longer, as when the window was hidden, does not count for more.
const LONGEST_FRAME: f64 = 0.1;

/// What the left button does on a map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    #[default]
    Walls,
    Goal,
}

/// A robot's run, and what is drawn of it.
pub(crate) struct Pane {
    pub line: Timeline,
    pub snapshot: Snapshot,
    pub map: Map,
    /// The revision that `snapshot` shows.
    shown: Option<(u64, u64)>,
}

/// The window.
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
    /// What went wrong, in one line, until somebody closes it.
    pub(crate) problem: Option<String>,
    /// Of a `.scen`, and which of them is shown.
    pub(crate) queries: Vec<Query>,
    pub(crate) query: usize,
    /// Whether the world came out of a file.
    pub(crate) is_from_file: bool,
    /// The cell under the pointer.
    pub(crate) hovered: Option<Cell>,
    /// Ticks that are due, in parts.
    owed: f64,
    /// Of a stroke with the left button: where it has come, and what it does to walls.
    pen: Option<(Pos2, bool)>,
    inbox: Inbox,
    host: Box<dyn Host>,
    /// Counts what was drawn, so that an old picture is never taken for a new one.
    pictures: u64,
}

impl App {
    /// The window as it was left.
    #[must_use]
    pub fn new(settings: Settings, host: Box<dyn Host>) -> Self {
        let mut app = Self::empty(settings, host);
        match app.settings.choice.scenario() {
            Ok(place) => app.open(place, false),
            Err(problem) => app.problem = Some(problem),
        }
        app
    }

    /// The window that a command line asks for.
    #[must_use]
    pub fn open_with(
        mut settings: Settings,
        args: &ViewOptions,
        place: Scenario,
        host: Box<dyn Host>,
    ) -> Self {
        settings.options = Options::from(args);
        settings.choice = Choice::from(args);
        settings.is_comparing = args.compare.is_some();
        settings.other = args.compare.unwrap_or(settings.other);
        if let Some(layer) = &args.initial.colour {
            let all = crate::map::Layer::ALL;
            settings.layer = all
                .into_iter()
                .find(|l| l.name() == layer)
                .unwrap_or_default();
        }
        let mut app = Self::empty(settings, host);
        let start = place.start;
        app.open(place, args.world.map.is_some());
        if let Some(tick) = args.initial.tick {
            app.seek(tick);
        }
        if let Some(pixels) = args.initial.zoom {
            while app.is_seeking() {
                app.work();
            }
            let robot = app
                .panes
                .first()
                .map_or(start, |pane| pane.line.run().robot());
            app.camera = Camera::close_to(robot, pixels.into());
        }
        app
    }

    fn empty(settings: Settings, host: Box<dyn Host>) -> Self {
        Self {
            settings,
            panes: Vec::new(),
            truth: Snapshot::default(),
            truth_map: Map::default(),
            camera: Camera::default(),
            tool: Tool::default(),
            is_playing: false,
            is_help_open: false,
            problem: None,
            queries: Vec::new(),
            query: 0,
            is_from_file: false,
            hovered: None,
            owed: 0.0,
            pen: None,
            inbox: Inbox::default(),
            host,
            pictures: 0,
        }
    }

    /// What is to be remembered.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The runs that are shown.
    pub fn lines(&self) -> impl Iterator<Item = &Timeline> {
        self.panes.iter().map(|pane| &pane.line)
    }

    /// Shows a moment of one of the runs.
    pub fn show_line(&mut self, line: usize, snapshot: &mut Snapshot) {
        if let Some(pane) = self.panes.get_mut(line) {
            pane.line.run().draw(snapshot);
        }
    }

    /// Sends all robots elsewhere.
    pub fn send_to(&mut self, goal: Cell) {
        self.change(&Change::Goal(goal));
    }

    /// What went wrong last.
    #[must_use]
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Tells of something that went wrong.
    pub fn complain_of(&mut self, problem: &str) {
        self.problem = Some(problem.to_owned());
    }

    /// Whether time goes by.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// Lets time go by, or not.
    pub fn play(&mut self, is_playing: bool) {
        self.is_playing = is_playing;
        self.owed = 0.0;
    }

    /// Sets how many ticks go by in a second.
    pub fn set_speed(&mut self, speed: f64) {
        self.settings.speed = speed;
    }

    /// Whether it is on its way to another tick.
    #[must_use]
    pub fn is_seeking(&self) -> bool {
        self.lines().any(|line| line.target().is_some())
    }

    /// Whether all runs are over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.lines().all(|line| line.run().outcome().is_some())
    }

    /// Shows another place, from the start.
    pub(crate) fn open(&mut self, place: Scenario, is_from_file: bool) {
        self.is_from_file = is_from_file;
        let mut names = vec![self.settings.options.planner];
        if self.settings.is_comparing {
            names.push(self.settings.other);
        }
        let size = self.lines().next().map(|line| line.run().world().size());
        let is_like_before = size == Some(place.world.size());
        let mut panes = Vec::new();
        for planner in names {
            let options = Options {
                planner,
                ..self.settings.options
            };
            match Timeline::new(place.clone(), options) {
                Ok(line) => panes.push(Pane {
                    line,
                    snapshot: Snapshot::default(),
                    map: Map::default(),
                    shown: None,
                }),
                Err(error) => {
                    return self.problem = Some(format!("{planner} on {}: {error}", place.name));
                }
            }
        }
        self.panes = panes;
        self.problem = None;
        self.owed = 0.0;
        self.pen = None;
        if !is_like_before {
            self.camera.fit();
        }
    }

    /// The same place from the start, with what was set meanwhile.
    pub(crate) fn start_over(&mut self) {
        if let Some(pane) = self.panes.first() {
            let place = pane.line.place().clone();
            self.open(place, self.is_from_file);
        }
    }

    /// The world that is chosen, from the start.
    pub(crate) fn generate(&mut self) {
        self.queries.clear();
        match self.settings.choice.scenario() {
            Ok(place) => self.open(place, false),
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

    /// The tick that is shown, or that is gone to.
    pub(crate) fn tick(&self) -> u64 {
        let tick = |line: &Timeline| line.target().unwrap_or(line.run().tick());
        self.lines().map(tick).max().unwrap_or(0)
    }

    /// One tick, at once.
    pub fn step(&mut self) {
        self.is_playing = false;
        for pane in &mut self.panes {
            pane.line.advance(true);
        }
    }

    /// One tick back.
    pub fn step_back(&mut self) {
        self.seek(self.tick().saturating_sub(1));
    }

    /// Does something to all runs.
    pub(crate) fn change(&mut self, change: &Change) {
        for pane in &mut self.panes {
            if let Err(error) = pane.line.change(change.clone()) {
                self.problem = Some(error.to_string());
            }
        }
    }

    /// Has the runs go on with what is set now, and says so if one cannot.
    pub(crate) fn apply_options(&mut self) {
        let names = [self.settings.options.planner, self.settings.other];
        for (pane, planner) in self.panes.iter_mut().zip(names) {
            let options = Options {
                planner,
                ..self.settings.options
            };
            if options != *pane.line.run().options()
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

    /// Another planner, or another beside.
    pub fn set_planner(&mut self, place: usize, name: Name) {
        match place {
            0 => self.settings.options.planner = name,
            _ => self.settings.other = name,
        }
        self.apply_options();
    }

    /// Lets somebody choose a file.
    pub(crate) fn choose_file(&mut self, ctx: &egui::Context) {
        self.host.choose(ctx, &self.inbox);
    }

    /// Opens what a file holds.
    pub fn load(&mut self, path: &Path, bytes: &[u8]) {
        match worlds::read(path, bytes) {
            Ok(Found::Scenario(place)) => {
                self.queries.clear();
                self.open(*place, true);
            }
            Ok(Found::Queries(queries, map)) => self.load_queries(path, queries, &map),
            Err(problem) => self.problem = Some(problem),
        }
    }

    /// Takes up the queries of a `.scen`: on its map, if that lies beside it, else on the one that is
    /// shown.
    fn load_queries(&mut self, path: &Path, queries: Vec<Query>, map: &str) {
        let map_path = Path::new(map);
        if let Some(bytes) = self.host.read_beside(path, map) {
            match worlds::read(map_path, &bytes) {
                Ok(Found::Scenario(place)) => self.open(*place, true),
                Ok(Found::Queries(..)) => {}
                Err(problem) => return self.problem = Some(problem),
            }
        } else {
            let is_shown =
                |line: &Timeline| Some(OsStr::new(&line.place().name)) == map_path.file_name();
            if !self.lines().any(is_shown) {
                let name = map_path.file_name().unwrap_or_default().to_string_lossy();
                return self.problem =
                    Some(format!("open {name} first: these are queries about it"));
            }
        }
        self.queries = queries;
        self.ask(0);
    }

    /// Shows one of the queries.
    pub(crate) fn ask(&mut self, query: usize) {
        let place = self.panes.first().map(|pane| pane.line.place().clone());
        if let (Some(place), Some(asked)) = (place, self.queries.get(query)) {
            match worlds::ask(&place, asked) {
                Ok(place) => {
                    self.query = query;
                    self.open(place, true);
                }
                Err(problem) => self.problem = Some(problem),
            }
        }
    }

    /// Takes in files that were chosen or dropped.
    fn receive(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input_mut(|input| std::mem::take(&mut input.raw.dropped_files));
        for file in dropped {
            self.host.read(ctx, file, &self.inbox);
        }
        for delivery in self.inbox.take() {
            match delivery.content {
                Ok(bytes) => self.load(&delivery.path, &bytes),
                Err(problem) => {
                    let path = delivery.path.display();
                    self.problem = Some(format!("{path}: {problem}"));
                }
            }
        }
    }

    fn grant(&mut self, ctx: &egui::Context, wish: Wish) {
        match wish {
            Wish::PlayOrPause => self.play(!self.is_playing),
            Wish::Tick => self.step(),
            Wish::Back => self.step_back(),
            Wish::StartOver => self.start_over(),
            Wish::Faster => self.set_speed((self.settings.speed * 2.0).min(FASTEST)),
            Wish::Slower => self.set_speed((self.settings.speed / 2.0).max(SLOWEST)),
            Wish::Fit => self.camera.fit(),
            Wish::Compare => self.compare(!self.settings.is_comparing),
            Wish::NextWorld => {
                self.settings.choice.seed = self.settings.choice.seed.wrapping_add(1);
                self.generate();
            }
            Wish::Open => self.choose_file(ctx),
            Wish::Colour(layer) => self.settings.layer = layer,
            Wish::Help => self.is_help_open = !self.is_help_open,
            Wish::Close => self.is_help_open = false,
        }
    }

    /// Goes on towards the tick that was asked for, for a part of a frame.
    fn work(&mut self) {
        let begin = Instant::now();
        for pane in &mut self.panes {
            pane.line.work(|| begin.elapsed() > WORK);
        }
    }

    /// Lets the ticks go by that are due, as far as a part of a frame allows.
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

    /// Brings what is drawn up to date.
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

    /// Draws what somebody draws with the left button.
    pub(crate) fn touch(&mut self, touch: Touch) {
        self.hovered = touch.hovered.or(self.hovered);
        let Some((place, is_new)) = touch.held else {
            return;
        };
        let Some(ground) = self.lines().next().map(|line| line.run().world().clone()) else {
            return;
        };
        if self.tool == Tool::Goal {
            if is_new && let Some(cell) = cell_at(place) {
                self.send_to(cell);
            }
            return;
        }
        let (from, builds) = match self.pen {
            Some(pen) if !is_new => pen,
            _ => match wall_at(&ground, place) {
                Some(change) => (place, change_builds(&change)),
                None => return,
            },
        };
        self.pen = Some((place, builds));
        // A stroke through a maze comes near many walls; only a click means one of them.
        if matches!(ground, World::Walls(_)) && !is_new {
            return;
        }
        let mut last = None;
        let places = std::iter::once(from).chain(stroke(from, place));
        for change in places.filter_map(|place| wall_at(&ground, place)) {
            if change_builds(&change) == builds && last.as_ref() != Some(&change) {
                self.change(&change);
                last = Some(change);
            }
        }
    }

    /// One frame.
    pub fn ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        self.receive(&ctx);
        if !ctx.egui_wants_keyboard_input() {
            for wish in ctx.input_mut(|input| keys::wishes(keys::KEYS, input)) {
                self.grant(&ctx, wish);
            }
        }
        self.advance(ctx.input(|input| input.stable_dt).into());
        self.work();
        self.refresh();
        self.hovered = None;
        self.show(ui);
        if self.is_playing || self.is_seeking() {
            ctx.request_repaint();
        }
    }
}

/// The most ticks in a second.
pub(crate) const FASTEST: f64 = 20_000.0;
/// The fewest.
pub(crate) const SLOWEST: f64 = 1.0;

fn cell_at(place: Pos2) -> Option<Cell> {
    let inside = |place: f32| (0.0..65_535.0).contains(&place).then_some(place as u16);
    Some(Cell::new(inside(place.x)?, inside(place.y)?))
}

/// What a click would do: turn the cell, or the nearest wall of a maze, into the other.
fn wall_at(ground: &World, place: Pos2) -> Option<Change> {
    let cell = cell_at(place)?;
    match ground {
        World::Cells(grid) => grid
            .contains(cell)
            .then(|| Change::Block(cell, grid.is_free(cell))),
        World::Walls(maze) => {
            let (x, y) = (place.x.fract(), place.y.fract());
            let distance = |side: &Side| match side {
                Side::North => y,
                Side::East => 1.0 - x,
                Side::South => 1.0 - y,
                Side::West => x,
            };
            let side = SIDES
                .into_iter()
                .min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
            let is_inner = maze.contains(cell) && maze.contains(neighbour(cell, side));
            (is_inner && distance(&side) < 0.35)
                .then(|| Change::Wall(cell, side, !maze.has_wall(cell, side)))
        }
    }
}

fn change_builds(change: &Change) -> bool {
    matches!(change, Change::Block(_, true) | Change::Wall(_, _, true))
}
