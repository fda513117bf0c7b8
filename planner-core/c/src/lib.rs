//! The C interface of planner-core: `include/tinystar.h` and `libtinystar.a`.
//!
//! `cargo xtask c-lib` builds the archives and the Arduino library; `cargo xtask c-lib --header` writes the header
//! from the documentation comments of this crate, which are therefore written for readers of C.
//!
//! - [`types`]: what passes the boundary.
//! - `convert`: its types to and from those of planner-core.
//! - `boundary`: checks of pointers and values from C.
//! - `memory`: the caller's buffer, cut into slices.
//! - [`maze`], [`grid`]: the functions.
//!
//! # Safety
//!
//! The same contract holds for every function, and stands at the top of the header:
//!
//! - A pointer is null or points to memory of the type and count that the function names. Null and misaligned
//!   pointers are refused with an error.
//! - Memory given to an `init` belongs to the navigator until it is initialised again or no longer used. It is neither
//!   moved nor copied, and only functions of this library write to it.
//! - Calls for one navigator do not overlap, in interrupts or in threads. Different navigators are independent.
#![no_std]
// The contract above; in the header it stands once, and not at each function.
#![allow(clippy::missing_safety_doc)]

mod boundary;
mod convert;
pub mod grid;
pub mod maze;
mod memory;
pub mod types;

/// Panic handler that a static library needs. Nothing in it can panic, so the optimizer drops this, and the symbol that
/// it names and nobody defines: `cargo xtask c-lib` fails if it is still there.
#[cfg(feature = "staticlib")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        safe fn tinystar_can_panic() -> !;
    }
    tinystar_can_panic()
}
