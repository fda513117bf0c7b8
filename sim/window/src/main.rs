//! `sim-view`: the window on a desktop.

mod errand;

use std::{
    any::Any,
    cell::Cell,
    fs,
    panic::{self, AssertUnwindSafe},
    path::Path,
    process::ExitCode,
    thread,
};

use clap::Parser;
use eframe::{NativeOptions, egui};
use sim::command::{self, BadInput, view::Args};
use sim_window::{
    App, Settings,
    host::{Delivery, Files, Host, Inbox},
    shell::{Shell, remembered},
};

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return command::refuse(&error),
    };
    let place = match args.place() {
        Ok(place) => place,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(BadInput::EXIT_CODE);
        }
    };
    let is_bare = std::env::args_os().len() == 1;
    let mut errand = errand::Errand::new(&args.look);
    let options = NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_title("tinystar")
            .with_app_id("tinystar")
            .with_inner_size([1280.0, 820.0])
            .with_min_inner_size([760.0, 480.0]),
        // A picture is the same every time.
        persist_window: errand.is_none(),
        ..NativeOptions::default()
    };
    let failure = errand::Failure::default();
    let is_open = Cell::new(false);
    let opened = quietly(&is_open, || {
        eframe::run_native(
            "tinystar",
            options,
            Box::new(|cc| {
                // From here on, a panic is a mistake in this program.
                drop(panic::take_hook());
                is_open.set(true);
                let settings = match errand {
                    Some(_) => Settings::default(),
                    None => remembered(cc),
                };
                if let Some(theme) = &args.look.theme {
                    let is_dark = theme == "dark";
                    cc.egui_ctx.set_theme(if is_dark {
                        egui::Theme::Dark
                    } else {
                        egui::Theme::Light
                    });
                }
                let host = Box::new(Desktop);
                let app = match is_bare {
                    true => App::new(settings, host),
                    false => App::open_with(settings, &args, place, host),
                };
                let shell = Shell { app };
                Ok(match errand.take() {
                    Some(errand) => Box::new(errand::Sent::new(shell, errand, failure.clone())),
                    None => Box::new(shell),
                })
            }),
        )
    });
    match opened {
        Ok(()) => match failure.take() {
            None => ExitCode::SUCCESS,
            Some(failure) => {
                eprintln!("error: {failure}");
                ExitCode::FAILURE
            }
        },
        Err(reason) => {
            let reason = match reason.contains("WAYLAND_DISPLAY") {
                true => "there is no display".to_owned(),
                false => reason.replace(char::is_control, " "),
            };
            eprintln!(
                "error: cannot open a window ({reason}); `sim run` shows the walk in the terminal"
            );
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

/// A machine with files and dialogs.
struct Desktop;

impl Host for Desktop {
    fn choose(&mut self, ctx: &egui::Context, inbox: &Inbox) {
        let (ctx, inbox) = (ctx.clone(), inbox.clone());
        // The dialog waits; the window does not.
        thread::spawn(move || {
            let dialog = rfd::FileDialog::new()
                .set_title("A map, a list of queries, or a micromouse maze")
                .add_filter("maps and mazes", &["map", "scen", "maz", "num", "txt"])
                .add_filter("all files", &["*"]);
            if let Some(path) = dialog.pick_file() {
                let content = fs::read(&path).map_err(|error| error.to_string());
                inbox.put(Delivery { path, content });
                ctx.request_repaint();
            }
        });
    }

    fn read(&mut self, ctx: &egui::Context, file: egui::DroppedFileHandle, inbox: &Inbox) {
        Files.read(ctx, file, inbox);
    }

    fn read_beside(&mut self, path: &Path, name: &str) -> Option<Vec<u8>> {
        Files.read_beside(path, name)
    }
}
