//! File dialogs of a desktop.
//!
//! A dialog is shown by the desktop's portal, or by zenity. Where there is neither, the dialog ends as if nothing had
//! been chosen, and the reason is only logged: so the log is listened to.

use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use eframe::egui::Context;
use sim_window::host::{Delivery, Host, Inbox, Message};

/// The window's access to a desktop.
pub const HOST: Host = Host {
    choose,
    save,
    address: None,
};

const NO_DIALOG: &str = "there is no file dialog here, as no desktop portal answers: drop the file on the window, \
     or start with --map FILE";

/// True once a dialog could not be shown.
static HAS_FAILED: AtomicBool = AtomicBool::new(false);

struct Listener;

impl log::Log for Listener {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.level() == log::Level::Error && metadata.target().starts_with("rfd")
    }

    fn log(&self, record: &log::Record<'_>) {
        if self.enabled(record.metadata()) {
            HAS_FAILED.store(true, Ordering::Relaxed);
        }
    }

    fn flush(&self) {}
}

/// Begins to listen for dialogs that cannot be shown.
pub fn listen() {
    // There is no other logger in this program.
    if log::set_logger(&Listener).is_ok() {
        log::set_max_level(log::LevelFilter::Error);
    }
}

fn choose(ctx: &Context, inbox: &Inbox) {
    let (ctx, inbox) = (ctx.clone(), inbox.clone());
    // The dialog waits; the window does not.
    thread::spawn(move || {
        HAS_FAILED.store(false, Ordering::Relaxed);
        let dialog = rfd::FileDialog::new()
            .set_title("A map, a list of queries, or a micromouse maze")
            .add_filter("maps and mazes", &["map", "scen", "maz", "num", "txt"])
            .add_filter("all files", &["*"]);
        match dialog.pick_file() {
            Some(path) => {
                let content = fs::read(&path).map_err(|error| error.to_string());
                inbox.put(Delivery { path, content });
            }
            None if HAS_FAILED.load(Ordering::Relaxed) => {
                inbox.push(Message::Problem(NO_DIALOG.to_owned()));
            }
            None => {}
        }
        ctx.request_repaint();
    });
}

/// Saves a file where the user says, or in the working directory where nobody can be asked.
fn save(ctx: &Context, inbox: &Inbox, name: &str, bytes: Vec<u8>) {
    let (ctx, inbox, name) = (ctx.clone(), inbox.clone(), name.to_owned());
    thread::spawn(move || {
        HAS_FAILED.store(false, Ordering::Relaxed);
        let dialog = rfd::FileDialog::new().set_file_name(&name);
        let path = match dialog.save_file() {
            None if HAS_FAILED.load(Ordering::Relaxed) => Some(PathBuf::from(name)),
            path => path,
        };
        if let Some(path) = path {
            inbox.push(match fs::write(&path, bytes) {
                Ok(()) => {
                    let path = path.canonicalize().unwrap_or(path);
                    Message::Notice(format!("Saved {}", path.display()))
                }
                Err(error) => Message::Problem(format!("{}: {error}", path.display())),
            });
        }
        ctx.request_repaint();
    });
}
