//! The window of the simulator: runs to watch, pause, rewind and change.
//!
//! ```text
//!  ViewOptions, files -> worlds -> Scenario --+
//!                                   +--> Timeline ----> Run -----> Snapshot ----> Map
//!  keys, mouse, panels -> Change ---+    back and       a tick     a moment    a texture
//!                                        forth          at a time  as data     and shapes
//! ```
//!
//! - A [`Run`](run::Run) walks one robot, tick by tick, and forgets what is long past: what it keeps, and
//!   what a frame takes to draw, does not grow with the run.
//! - A [`Timeline`](timeline::Timeline) takes it back, by running it again.
//! - A [`Snapshot`](snapshot::Snapshot) is all that is drawn of a moment, as plain data. Whatever fills one can be
//!   watched: a simulated run, or a robot that reports what it knows.
//! - The [`App`] is the window itself. It needs egui and no graphics; a thin program gives it a window
//!   on a desktop or in a browser, and a [`Host`](host::Host) to reach files with.
//! - A [`Watch`] is the same window for a robot that is somewhere else: its snapshots are of what the robot
//!   tells over its serial port, or told when that was recorded.

mod app;
mod camera;
mod expansions;
pub mod host;
mod keys;
mod map;
mod observed;
mod palette;
mod panels;
mod plots;
pub mod run;
mod settings;
#[cfg(any(feature = "desktop", feature = "web"))]
pub mod shell;
pub mod snapshot;
pub mod timeline;
mod watch;
mod worlds;

pub use app::App;
pub use settings::Settings;
pub use watch::Watch;
