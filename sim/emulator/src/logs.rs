//! Logs that the firmware writes with defmt, decoded with the strings in its ELF file.

use crate::Image;

/// One line of log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// `trace` to `error`; none for a plain print.
    pub level: Option<&'static str>,
    pub text: String,
}

/// What has come of a frame that is not complete yet.
#[derive(Default)]
pub(crate) struct Logs {
    rest: Vec<u8>,
}

impl Logs {
    /// The logs that `bytes` complete. Frames end with a zero; what cannot be decoded is told in its place.
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
