//! Decoding of defmt logs with the strings in the ELF file.

use crate::Image;

/// One line of log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// `trace` to `error`; none for a plain print.
    pub level: Option<&'static str>,
    pub text: String,
}

/// Bytes of an incomplete frame.
#[derive(Default)]
pub(crate) struct Logs {
    rest: Vec<u8>,
}

impl Logs {
    /// Decodes the logs completed by `bytes`. Frames end with a zero; an invalid one becomes an error log.
    pub fn decode(&mut self, image: &Image, bytes: &[u8]) -> Vec<Log> {
        let Some(table) = image.logs() else {
            return Vec::new();
        };
        self.rest.extend(bytes);
        let mut logs = Vec::new();
        while let Some(end) = self.rest.iter().position(|byte| *byte == 0) {
            let frame: Vec<u8> = self.rest.drain(..=end).collect();
            if frame.len() == 1 {
                continue;
            }
            let mut decoder = table.new_stream_decoder();
            decoder.received(&frame);
            logs.push(match decoder.decode() {
                Ok(frame) => Log {
                    level: frame.level().map(|level| level.as_str()),
                    text: frame.display_message().to_string(),
                },
                Err(_) => Log {
                    level: Some("error"),
                    text: format!("a log of {} bytes that cannot be decoded", frame.len()),
                },
            });
        }
        logs
    }
}
