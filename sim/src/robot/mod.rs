//! The robot on the desktop: its own tasks, in virtual time, over a physical model.
//!
//! ```text
//!  tolerances -> body --+
//!                       +--> arena ---> parts ---> the robot's tasks, run by clock
//!  shape ------> floor -+      ^
//!                  \--> proximity
//! ```
//!
//! [`arena`] is the truth and needs no clock; [`parts`] are what the tasks are given for a board.

pub mod arena;
pub mod body;
pub mod clock;
pub mod floor;
pub mod parts;
pub mod proximity;
pub mod shape;
pub mod tolerances;
