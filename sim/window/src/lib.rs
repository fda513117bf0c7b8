//! The window of the simulator: runs to watch, pause, rewind and change.
//!
//! ```text
//!  ViewOptions, files -> worlds -> Scenario --+
//!                                             +--> Timeline --> Run --------> Snapshot --> Map
//!  keys, mouse, panels -> Change -------------+    rewinds      tick by tick  plain data   texture, shapes
//! ```
//!
//! - A [`Run`](run::Run) runs one planner on the simulator's walk loop. Its memory, and the time to draw a
//!   frame, do not grow with the run.
//! - A [`Timeline`](timeline::Timeline) rewinds a run by repeating it.
//! - A [`Snapshot`](snapshot::Snapshot) is everything that is drawn of one moment, as plain data: of a
//!   simulated run, or of a robot that reports its state.
//! - The [`App`] is the window. It needs egui and no graphics; a thin program gives it a window on a desktop or
//!   in a browser, and [what those can do](host::Host).
//! - A [`Watch`] is the window of a robot on a serial port, or of a recording.

mod app;
mod banner;
mod camera;
mod controls;
mod expansions;
mod files;
mod film;
pub mod host;
mod keys;
pub mod link;
mod map;
mod maps;
pub mod mission;
mod observed;
mod palette;
mod panels;
mod pen;
mod plots;
pub mod run;
mod settings;
#[cfg(any(feature = "desktop", feature = "web"))]
pub mod shell;
pub mod snapshot;
pub mod timeline;
mod watch;
mod widgets;
mod worlds;

pub use app::App;
pub use settings::Settings;
pub use watch::Watch;
