//! Files that are opened and saved.

use std::{ffi::OsStr, path::Path};

use sim::world::movingai::Query;

use web_time::Instant;

use crate::{
    app::{App, WORK},
    host::{self, Delivery, Message},
    link,
    timeline::Timeline,
    worlds::{self, Found},
};

impl App {
    /// Opens the file dialog.
    pub(crate) fn choose_file(&mut self, ctx: &egui::Context) {
        (self.host.choose)(ctx, &self.inbox);
    }

    /// Begins a film of a run, to be saved when it is complete.
    pub(crate) fn save_film(&mut self, place: usize) {
        let line = self.panes.get(place).map(|pane| &pane.line);
        self.film = line.and_then(|line| {
            let name = format!("{}.gif", line.run().options.planner);
            Some((line.film()?, name))
        });
    }

    /// Goes on with the film for a part of a frame.
    pub(crate) fn make_film(&mut self, ctx: &egui::Context) {
        let Some((mut film, name)) = self.film.take() else {
            return;
        };
        let begin = Instant::now();
        match film.work(|| begin.elapsed() > WORK) {
            None => self.film = Some((film, name)),
            Some(Ok(bytes)) => (self.host.save)(ctx, &self.inbox, &name, bytes),
            Some(Err(error)) => self.problem = Some(format!("{name}: {error}")),
        }
    }

    /// Writes the state into the address of the page, if there is one, while nobody drags a slider.
    pub(crate) fn write_address(&mut self, ctx: &egui::Context) {
        let Some(address) = self.host.address else {
            return;
        };
        if self.is_from_file || self.is_seeking() || ctx.input(|input| input.pointer.any_down()) {
            return;
        }
        let is_moment = !self.is_playing && !self.is_over();
        let tick = Some(self.tick()).filter(|&tick| is_moment && tick > 0);
        let query = link::query(&self.settings, tick);
        if self.link.as_ref().is_none_or(|(old, _)| *old != query) {
            let address = address(&query);
            self.link = Some((query, address));
        }
    }

    /// Opens a file.
    pub fn load(&mut self, path: &Path, bytes: &[u8]) {
        match worlds::read(path, bytes) {
            Ok(Found::Scenario(scenario)) => {
                self.queries.clear();
                self.open(*scenario, true);
            }
            Ok(Found::Queries(queries, map)) => self.load_queries(path, queries, &map),
            Err(problem) => self.problem = Some(problem),
        }
    }

    /// Opens the queries of a `.scen`: on its map, if that lies beside it, else on the one that is
    /// shown.
    fn load_queries(&mut self, path: &Path, queries: Vec<Query>, map: &str) {
        let map_path = Path::new(map);
        if let Some(bytes) = host::read_beside(path, map) {
            match worlds::read(map_path, &bytes) {
                Ok(Found::Scenario(scenario)) => self.open(*scenario, true),
                Ok(Found::Queries(..)) => {}
                Err(problem) => return self.problem = Some(problem),
            }
        } else {
            let is_shown =
                |line: &Timeline| Some(OsStr::new(&line.scenario().name)) == map_path.file_name();
            if !self.lines().any(is_shown) {
                let name = map_path.file_name().unwrap_or_default().to_string_lossy();
                return self.problem =
                    Some(format!("open {name} first: the queries are for that map"));
            }
        }
        self.queries = queries;
        self.ask(0);
    }

    /// Shows one of the queries.
    pub(crate) fn ask(&mut self, query: usize) {
        let scenario = self.panes.first().map(|pane| pane.line.scenario().clone());
        if let (Some(scenario), Some(asked)) = (scenario, self.queries.get(query)) {
            match worlds::ask(&scenario, asked) {
                Ok(scenario) => {
                    self.query = query;
                    self.open(scenario, true);
                }
                Err(problem) => self.problem = Some(problem),
            }
        }
    }

    /// Opens files that were chosen or dropped, and shows messages.
    pub(crate) fn receive(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input_mut(|input| std::mem::take(&mut input.raw.dropped_files));
        for file in dropped {
            host::read(ctx, file, &self.inbox);
        }
        for message in self.inbox.take() {
            match message {
                Message::File(Delivery { path, content }) => match content {
                    Ok(bytes) => self.load(&path, &bytes),
                    Err(problem) => {
                        self.problem = Some(format!("{}: {problem}", path.display()));
                    }
                },
                Message::Notice(notice) => self.notice = Some(notice),
                Message::Problem(problem) => self.problem = Some(problem),
            }
        }
    }
}
