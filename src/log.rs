//! Logging over RTT with the feature `defmt`; none without, so that tasks also run on a desktop.

/// Logs a line that `DEFMT_LOG=debug` shows: `debug!("text {}", value)`.
#[cfg(feature = "defmt")]
macro_rules! debug {
    ($($line:tt)*) => { ::defmt::debug!($($line)*) };
}

/// Logs a line that `DEFMT_LOG=debug` shows: `debug!("text {}", value)`.
#[cfg(not(feature = "defmt"))]
macro_rules! debug {
    ($text:literal $(, $value:expr)* $(,)?) => {{ $(let _ = &$value;)* }};
}

/// Logs a line: `info!("text {}", value)`.
#[cfg(feature = "defmt")]
macro_rules! info {
    ($($line:tt)*) => { ::defmt::info!($($line)*) };
}

/// Logs a line: `info!("text {}", value)`.
#[cfg(not(feature = "defmt"))]
macro_rules! info {
    ($text:literal $(, $value:expr)* $(,)?) => {{ $(let _ = &$value;)* }};
}

pub(crate) use {debug, info};
