//! Integration tests, in one binary: linking one takes longer than running most of them.

#[path = "../../../tests/it/support/cable.rs"]
mod cable;
mod layout;
mod mission;
#[path = "../../../tests/it/support/recorded.rs"]
mod recorded;
mod support;
mod watch;
mod window;
