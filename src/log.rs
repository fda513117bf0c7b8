//! Logging over RTT with the feature `defmt`; none without, so that tasks also run on a desktop.

/// Logs a line that `DEFMT_LOG=debug` shows: `debug!("text {}", value)`.
macro_rules! debug {
    ($text:literal $(, $value:expr)* $(,)?) => {{
        #[cfg(feature = "defmt")]
        ::defmt::debug!($text $(, $value)*);
        $(#[cfg(not(feature = "defmt"))] let _ = &$value;)*
    }};
}

/// Logs a line: `info!("text {}", value)`.
macro_rules! info {
    ($text:literal $(, $value:expr)* $(,)?) => {{
        #[cfg(feature = "defmt")]
        ::defmt::info!($text $(, $value)*);
        $(#[cfg(not(feature = "defmt"))] let _ = &$value;)*
    }};
}

pub(crate) use {debug, info};
