//! `sim watch`: monitors a robot, live or from a recording.

use std::{
    env,
    io::{self, Write},
    thread,
    time::{Duration, Instant},
};

use console::Term;

use super::view;
use crate::{
    error::{BadInput, OrBadInput},
    options::watch::WatchOptions,
    output,
    telemetry::{Event, Feed, Link, Monitor, Playback, Source, draw, object, summary},
};

/// Updates of the terminal per second.
const PICTURES: u64 = 10;
/// Time between two updates.
const PICTURE: Duration = Duration::from_millis(1000 / PICTURES);
/// Columns and rows of a drawing that goes into a file.
const PAGE: (usize, usize) = (160, usize::MAX);

/// Runs the command.
pub fn run(args: &WatchOptions) -> anyhow::Result<()> {
    if !args.text && !args.json {
        // Errors are reported before the window is built; only the window opens a port.
        let source = Source::find(&args.source).or_bad_input()?;
        if matches!(source, Source::Recording(_)) {
            source.open().or_bad_input()?;
        }
        return view::open(env::args_os().skip(1));
    }
    let is_live_port = matches!(Source::find(&args.source), Ok(Source::Port(_)));
    let is_piped = !Term::stdout().is_term();
    if args.text && is_live_port && is_piped && args.time.is_none() {
        let problem = "a live robot has no end: use --for SECONDS";
        return Err(BadInput(problem.to_owned()).into());
    }
    match (args.feed()?, args.json) {
        (Feed::Recording(playback), true) => list(&playback),
        (Feed::Recording(playback), false) => play(*playback, args),
        (Feed::Live(link), true) => follow(
            &link,
            args,
            |_, _| Ok(()),
            |event, monitor| Ok(output::json_line(&object(event, monitor.stats))?),
        ),
        (Feed::Live(link), false) => show(&link, args),
    }
}

/// Prints every event of a recording.
fn list(playback: &Playback) -> anyhow::Result<()> {
    let mut monitor = Monitor::default();
    for event in playback.events() {
        monitor.handle(event);
        output::json_line(&object(event, monitor.stats))?;
    }
    Ok(())
}

/// Plays a recording in the terminal; when piped, shows its end.
fn play(mut playback: Playback, args: &WatchOptions) -> anyhow::Result<()> {
    let mut screen = Screen::new(&args.source);
    let begin = Instant::now();
    while screen.is_live() && !playback.is_over() {
        playback.seek((begin.elapsed().as_secs_f64() * args.speed * 1000.0) as u64);
        playback.work(|| false);
        screen.show(playback.monitor())?;
        thread::sleep(PICTURE);
    }
    playback.seek(playback.length());
    playback.work(|| false);
    screen.show(playback.monitor())?;
    Ok(())
}

/// Shows a live robot in the terminal; when piped, its state at the end.
fn show(link: &Link, args: &WatchOptions) -> anyhow::Result<()> {
    let mut screen = Screen::new(&args.source);
    let each_picture = |monitor: &Monitor, is_last: bool| {
        if is_last || screen.is_live() {
            screen.show(monitor)?;
        }
        Ok(())
    };
    follow(link, args, each_picture, |_, _| Ok(()))
}

/// Follows a live robot to the end of its stream or of the time.
fn follow(
    link: &Link,
    args: &WatchOptions,
    mut each_picture: impl FnMut(&Monitor, bool) -> anyhow::Result<()>,
    mut each_event: impl FnMut(&Event, &Monitor) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut monitor = Monitor::default();
    let end = args
        .time
        .map(|seconds| Instant::now() + Duration::from_secs(seconds.into()));
    let mut next = Instant::now();
    loop {
        let now = Instant::now();
        if now >= next {
            each_picture(&monitor, false)?;
            next = now + PICTURE;
        }
        let is_time_up = end.is_some_and(|end| now >= end);
        match link.wait(next.saturating_duration_since(now)) {
            _ if is_time_up => {
                monitor.handle(&Event::Ended);
                each_event(&Event::Ended, &monitor)?;
                break;
            }
            Ok(Some(event)) => {
                monitor.handle(&event);
                each_event(&event, &monitor)?;
            }
            Ok(None) => {}
            Err(_) => break,
        }
    }
    if monitor.stats.frames == 0 {
        let problem = format!("{}: no telemetry received", args.source);
        return Err(BadInput(problem).into());
    }
    each_picture(&monitor, true)
}

/// Terminal that is redrawn, or a file that takes one drawing.
struct Screen<'a> {
    term: Term,
    name: &'a str,
    /// Lines of the last drawing.
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

    fn show(&mut self, monitor: &Monitor) -> io::Result<()> {
        let words = summary(monitor, self.name);
        if !self.is_live() {
            let picture = draw(&monitor.robot, PAGE);
            return write!(io::stdout(), "{picture}{words}");
        }
        let (rows, columns) = self.term.size();
        let (rows, columns) = (usize::from(rows), usize::from(columns));
        let words: Vec<_> = words
            .lines()
            .map(|line| console::truncate_str(line, columns, "").into_owned())
            .collect();
        let room = (columns, rows.saturating_sub(words.len() + 1));
        let picture = draw(&monitor.robot, room) + &words.join("\n") + "\n";
        self.term.move_cursor_up(self.lines)?;
        self.term.clear_to_end_of_screen()?;
        self.term.write_str(&picture)?;
        self.lines = picture.lines().count();
        Ok(())
    }
}
