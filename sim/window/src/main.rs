//! `sim-view`: the window on a desktop.

mod desktop;
mod unattended;

use std::{
    any::Any,
    cell::Cell,
    ffi::OsString,
    panic::{self, AssertUnwindSafe},
    process::ExitCode,
};

use clap::Parser;
use eframe::{CreationContext, NativeOptions, egui};
use sim::{
    error::{BadInput, report_usage},
    options::{view::ViewOptions, watch::WatchOptions},
};
use sim_window::{
    App, Settings, Watch,
    shell::{remembered, set_theme},
};
use unattended::{Failure, SIZE, Screen, Unattended, UnattendedWindow};

fn main() -> ExitCode {
    desktop::listen();
    let words: Vec<OsString> = std::env::args_os().collect();
    let opened = match words.get(1) {
        Some(first) if first == "watch" => {
            WatchOptions::try_parse_from(&words[1..]).map(|args| open_watch(&args))
        }
        _ => ViewOptions::try_parse_from(&words).map(|args| open_view(&args, words.len() == 1)),
    };
    opened.unwrap_or_else(|error| report_usage(&error))
}

/// The window in which one's own robots walk; `is_bare` if nothing is asked for.
fn open_view(args: &ViewOptions, is_bare: bool) -> ExitCode {
    let scenario = match args.scenario() {
        Ok(scenario) => scenario,
        Err(error) => return refuse(&error),
    };
    let unattended = Unattended::new(&args.window);
    let is_sent = unattended.is_some();
    let otherwise = "`sim run` shows the walk in the terminal";
    open(unattended, args.window.theme.as_deref(), otherwise, |cc| {
        let settings = match is_sent {
            true => Settings::default(),
            false => remembered(cc),
        };
        let mut app = match is_bare {
            true => App::new(settings, desktop::HOST),
            false => App::open_with(settings, args, scenario, desktop::HOST),
        };
        if !is_sent {
            match is_bare {
                true => app.introduce(),
                false => app.play(args.initial.tick.is_none()),
            }
        }
        Box::new(app)
    })
}

/// The window in which a robot is watched that is somewhere else.
fn open_watch(args: &WatchOptions) -> ExitCode {
    if args.text || args.json || args.time.is_some() {
        let problem = "--text, --json and --for need no window: `sim watch` has them";
        return refuse(&BadInput(problem.to_owned()));
    }
    let feed = match args.feed() {
        Ok(feed) => feed,
        Err(error) => return refuse(&error),
    };
    let mut watch = Watch::new(&args.source, feed, args.speed);
    let unattended = Unattended::new(&args.window);
    match args.at {
        Some(seconds) => watch.seek(1000 * u64::from(seconds)),
        None if args.window.picture.is_some() => watch.seek(u64::MAX),
        None => {}
    }
    if let Some(pixels) = args.window.zoom {
        watch.zoom(pixels.into());
    }
    let otherwise = "`sim watch SOURCE --text` shows the robot in the terminal";
    open(unattended, args.window.theme.as_deref(), otherwise, |_| {
        Box::new(watch)
    })
}

fn refuse(error: &BadInput) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::from(BadInput::EXIT_CODE)
}

/// Opens a window and waits until it is closed; `otherwise` is what to do where there is none.
fn open(
    unattended: Option<Unattended>,
    theme: Option<&str>,
    otherwise: &str,
    make: impl FnOnce(&CreationContext<'_>) -> Box<dyn Screen>,
) -> ExitCode {
    let options = NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_title("tinystar")
            .with_app_id("tinystar")
            .with_inner_size(SIZE)
            .with_min_inner_size([760.0, 480.0]),
        // A picture is the same every time.
        persist_window: unattended.is_none(),
        // There are no gradients to hide the steps of, and a software renderer draws faster without.
        dithering: false,
        ..NativeOptions::default()
    };
    let failure = Failure::default();
    let is_open = Cell::new(false);
    let opened = quietly(&is_open, || {
        eframe::run_native(
            "tinystar",
            options,
            Box::new(|cc| {
                // From here on, a panic is a mistake in this program.
                drop(panic::take_hook());
                is_open.set(true);
                set_theme(&cc.egui_ctx, theme);
                let screen = make(cc);
                Ok(match unattended {
                    Some(unattended) => {
                        Box::new(UnattendedWindow::new(screen, unattended, failure.clone()))
                    }
                    None => screen,
                })
            }),
        )
    });
    match opened {
        Ok(()) => match failure.take() {
            None => ExitCode::SUCCESS,
            Some(failure) => refuse(&failure),
        },
        Err(reason) => {
            let reason = match reason.contains("WAYLAND_DISPLAY") {
                true => "there is no display".to_owned(),
                false => reason.replace(char::is_control, " "),
            };
            eprintln!("error: cannot open a window ({reason}); {otherwise}");
            ExitCode::FAILURE
        }
    }
}

/// Opens a window; an error or a panic on the way there, as when a library of the system is missing, is a
/// reason in words.
fn quietly(is_open: &Cell<bool>, open: impl FnOnce() -> eframe::Result) -> Result<(), String> {
    panic::set_hook(Box::new(|_| ()));
    match panic::catch_unwind(AssertUnwindSafe(open)) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(panic) if is_open.get() => panic::resume_unwind(panic),
        Err(panic) => Err(message(&*panic)),
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "for no reason that is told".to_owned())
}
