mod known;
mod marks;
pub mod run;
pub mod still;
pub mod timeline;
