//! Logging over RTT with the feature `defmt`; none without.

#[cfg(feature = "defmt")]
use defmt_rtt as _;

#[cfg(feature = "defmt")]
defmt::timestamp!("{=u64:us}", embassy_time::Instant::now().as_micros());

/// Logs a line: `info!("text {}", value)`.
macro_rules! info {
    ($text:literal $(, $value:expr)* $(,)?) => {{
        #[cfg(feature = "defmt")]
        ::defmt::info!($text $(, $value)*);
        $(#[cfg(not(feature = "defmt"))] let _ = &$value;)*
    }};
}

pub(crate) use info;
