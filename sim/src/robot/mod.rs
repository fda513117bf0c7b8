//! The robot on the desktop: its own tasks, in virtual time, over a physical model.
//!
//! ```text
//!  tolerances -> body --+
//!                       +--> arena ---> parts ---> faults ---> the robot's tasks, run by clock
//!  shape ------> floor -+      ^
//!                  \--> proximity
//! ```
//!
//! [`arena`] is the truth and needs no clock; [`parts`] are what the tasks are given for a board;
//! [`faults`] are wrappers around those. A [`rehearsal`] puts all of it together: one run of the
//! robot. An [`emulation`] is one run of the image that is flashed, on a [`chip`] in the same arena.
//! Any robot, a real one too, can be [watched](watch): it tells a desktop what it knows.

pub mod arena;
pub mod body;
pub mod chip;
pub mod clock;
pub mod desk;
pub mod emulation;
pub mod faults;
pub mod floor;
pub mod parts;
pub mod picture;
pub mod proximity;
pub mod rehearsal;
pub mod shape;
pub mod tolerances;
pub mod trouble;
pub mod watch;
