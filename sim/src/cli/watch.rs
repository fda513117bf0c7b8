//! `sim watch`: a robot that is somewhere else, or was.

use std::{
    env,
    io::{self, Write},
    thread,
    time::{Duration, Instant},
};

use console::Term;

use super::window;
use crate::{
    error::{BadInput, OrBadInput},
    options::watch::WatchOptions,
    output,
    telemetry::{Event, Feed, Link, Monitor, Playback, Source, draw, object, report},
};

/// Pictures in a second, in a terminal.
const PICTURES: u64 = 10;
/// Duration of a frame.
const PICTURE: Duration = Duration::from_millis(1000 / PICTURES);
/// Columns and rows of a picture that goes into a file.
const PAGE: (usize, usize) = (160, usize::MAX);

/// Watches.
pub fn run(args: &WatchOptions) -> anyhow::Result<()> {
    if !args.text && !args.json {
        // A mistake is told here, before anything is built; a port is opened by the window alone.
        let source = Source::find(&args.source).or_bad_input()?;
        if matches!(source, Source::Recording(_)) {
            source.open().or_bad_input()?;
        }
        return window::open(env::args_os().skip(1));
    }
    let is_live_port = matches!(Source::find(&args.source), Ok(Source::Port(_)));
    let is_piped = !Term::stdout().is_term();
    if args.text && is_live_port && is_piped && args.time.is_none() {
        let problem =
            "a robot goes on for ever, and a last picture needs an end: say --for SECONDS";
        return Err(BadInput(problem.to_owned()).into());
    }
    match (args.feed()?, args.json) {
        (Feed::Recording(player), true) => list(&player),
        (Feed::Recording(player), false) => play(*player, args),
        (Feed::Live(link), true) => follow(
            &link,
            args,
            |_, _| Ok(()),
            |event, watched| Ok(output::json_line(&object(event, watched.tally()))?),
        ),
        (Feed::Live(link), false) => show(&link, args),
    }
}

/// Every frame of a recording.
fn list(player: &Playback) -> anyhow::Result<()> {
    let mut watched = Monitor::default();
    for event in player.events() {
        watched.take(event);
        output::json_line(&object(event, watched.tally()))?;
    }
    Ok(())
}

/// A recording in the terminal, as fast as it was; when piped, its end.
fn play(mut player: Playback, args: &WatchOptions) -> anyhow::Result<()> {
    let mut screen = Screen::new(&args.source);
    let begin = Instant::now();
    while screen.is_live() && !player.is_over() {
        player.seek((begin.elapsed().as_secs_f64() * args.speed * 1000.0) as u64);
        player.work(|| false);
        screen.show(player.watched())?;
        thread::sleep(PICTURE);
    }
    player.seek(player.length());
    player.work(|| false);
    screen.show(player.watched())?;
    Ok(())
}

/// A robot in the terminal, as it comes; when piped, what is known at the end.
fn show(link: &Link, args: &WatchOptions) -> anyhow::Result<()> {
    let mut screen = Screen::new(&args.source);
    let each_picture = |watched: &Monitor, is_last: bool| {
        if is_last || screen.is_live() {
            screen.show(watched)?;
        }
        Ok(())
    };
    follow(link, args, each_picture, |_, _| Ok(()))
}

/// Follows a robot to its end, or until the time is up.
fn follow(
    link: &Link,
    args: &WatchOptions,
    mut each_picture: impl FnMut(&Monitor, bool) -> anyhow::Result<()>,
    mut each_event: impl FnMut(&Event, &Monitor) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut watched = Monitor::default();
    let end = args
        .time
        .map(|seconds| Instant::now() + Duration::from_secs(seconds.into()));
    let mut next = Instant::now();
    loop {
        let now = Instant::now();
        if now >= next {
            each_picture(&watched, false)?;
            next = now + PICTURE;
        }
        let is_time_up = end.is_some_and(|end| now >= end);
        match link.wait(next.saturating_duration_since(now)) {
            _ if is_time_up => {
                watched.take(&Event::Ended);
                each_event(&Event::Ended, &watched)?;
                break;
            }
            Ok(Some(event)) => {
                watched.take(&event);
                each_event(&event, &watched)?;
            }
            Ok(None) => {}
            Err(_) => break,
        }
    }
    each_picture(&watched, true)?;
    if watched.tally().frames == 0 {
        let problem = format!("{}: nothing that a robot says was heard", args.source);
        return Err(BadInput(problem).into());
    }
    Ok(())
}

/// A terminal that is drawn on again and again, or what takes one picture.
struct Screen<'a> {
    term: Term,
    name: &'a str,
    /// Lines of the last picture.
    lines: usize,
}

impl<'a> Screen<'a> {
    fn new(name: &'a str) -> Self {
        Self {
            term: Term::stdout(),
            name,
            lines: 0,
        }
    }

    fn is_live(&self) -> bool {
        self.term.is_term()
    }

    fn show(&mut self, watched: &Monitor) -> io::Result<()> {
        let words = report(watched, self.name);
        if !self.is_live() {
            let picture = draw(watched.told(), PAGE);
            return write!(io::stdout(), "{picture}{words}");
        }
        let (rows, columns) = self.term.size();
        let (rows, columns) = (usize::from(rows), usize::from(columns));
        let words: Vec<_> = words
            .lines()
            .map(|line| console::truncate_str(line, columns, "").into_owned())
            .collect();
        let room = (columns, rows.saturating_sub(words.len() + 1));
        let picture = draw(watched.told(), room) + &words.join("\n") + "\n";
        self.term.move_cursor_up(self.lines)?;
        self.term.clear_to_end_of_screen()?;
        self.term.write_str(&picture)?;
        self.lines = picture.lines().count();
        Ok(())
    }
}
