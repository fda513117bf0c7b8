//! Settings that are stored.

use serde::{Deserialize, Serialize};
use sim::catalog::Name;

use crate::{
    map::{Layer, Overlay},
    run::Options,
    worlds::Choice,
};

/// All settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub choice: Choice,
    pub options: Options,
    /// The second planner.
    #[serde(with = "name")]
    pub other: Name,
    pub is_comparing: bool,
    /// Ticks in a second.
    pub speed: f64,
    pub layer: Layer,
    pub overlay: Overlay,
    pub has_plots: bool,
    pub has_world: bool,
    /// The theme; `None` is that of the system.
    pub is_dark: Option<bool>,
    /// True until the introduction is closed.
    pub is_new_user: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            choice: Choice::default(),
            options: Options::default(),
            other: Name::ForwardAstar,
            is_comparing: false,
            speed: 30.0,
            layer: Layer::Map,
            overlay: Overlay::default(),
            has_plots: true,
            has_world: true,
            is_dark: None,
            is_new_user: true,
        }
    }
}

/// A planner by the name that scripts use. One that is no longer there is the default.
pub(crate) mod name {
    use clap::ValueEnum;
    use serde::{Deserialize, Deserializer, Serializer};
    use sim::catalog::Name;

    pub fn serialize<S: Serializer>(name: &Name, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(name)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(Name::from_str(&name, false).unwrap_or(Name::DstarLite))
    }
}

#[cfg(test)]
mod tests {
    use sim::catalog::Moves;

    use super::*;

    #[test]
    fn stored_settings_are_restored() {
        let settings = Settings {
            options: Options {
                planner: Name::RtdLrta,
                moves: Moves::Eight,
                limit: Some(12),
                ..Options::default()
            },
            layer: Layer::Rhs,
            is_dark: Some(true),
            ..Settings::default()
        };
        let text = serde_json::to_string(&settings).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings);
    }

    #[test]
    fn missing_settings_have_defaults() {
        let settings: Settings = serde_json::from_str(r#"{"speed": 7.0}"#).unwrap();
        let expected = Settings {
            speed: 7.0,
            ..Settings::default()
        };
        assert_eq!(settings, expected);
        let text = serde_json::to_string(&Settings::default()).unwrap();
        let text = text.replace("forward-astar", "gone");
        let settings: Settings = serde_json::from_str(&text).unwrap();
        assert_eq!(settings.other, Name::DstarLite);
    }
}
