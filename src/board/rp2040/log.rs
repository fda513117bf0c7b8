//! Logging over RTT with the feature `defmt`; none without.

#[cfg(feature = "defmt")]
use defmt_rtt as _;

#[cfg(feature = "defmt")]
defmt::timestamp!("{=u64:us}", embassy_time::Instant::now().as_micros());

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

pub(crate) use info;
