//! The state of the window as options of `sim view`, in the form of a query string.

use sim::{catalog::Moves, options::planner::PlannerName};

use crate::{map::Layer, settings::Settings, worlds::Kind};

/// The query string that restores the settings, and a tick.
pub fn query(settings: &Settings, tick: Option<u64>) -> String {
    let (choice, options) = (&settings.choice, &settings.options);
    let mut words = choice.options();
    let mut add = |option: &str, value: &dyn std::fmt::Display| {
        words += &format!(" --{option} {value}");
    };
    if options.planner != PlannerName::DEFAULT {
        add("planner", &options.planner);
    }
    if settings.is_comparing {
        add("compare", &settings.other);
    }
    if options.moves == Moves::Eight {
        add("moves", &8);
    }
    // Where doors move, a robot without a sensor knows the map.
    let is_doors = choice.kind == Kind::Doors;
    if !options.is_known && (options.sense != 1 || is_doors) {
        add("sense", &options.sense);
    }
    if let Some(limit) = options.limit {
        add("limit", &limit);
    }
    if let Some(percent) = options.local_percent {
        add("local-ratio", &percent);
    }
    if settings.layer != Layer::Map {
        add("color", &settings.layer.name());
    }
    if let Some(tick) = tick {
        add("tick", &tick);
    }
    if options.is_known && !is_doors {
        words += " --known";
    }
    let words = words.trim_start_matches("--");
    words.replace(" --", "&").replace(' ', "=")
}

/// The options of a command line in a query string.
pub fn options(query: &str) -> Vec<String> {
    query
        .trim_start_matches('?')
        .split('&')
        .filter(|part| !part.is_empty())
        .flat_map(|part| match part.split_once('=') {
            Some((name, value)) => vec![format!("--{name}"), value.to_owned()],
            None => vec![format!("--{part}")],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use sim::{catalog::Name, options::view::ViewOptions};

    use super::*;
    use crate::{run::Options, worlds::Choice};

    #[test]
    fn a_link_restores_world_and_planner() {
        for kind in Kind::ALL {
            for (is_known, limit) in [(false, None), (true, Some(16))] {
                let settings = Settings {
                    choice: Choice {
                        kind,
                        seed: 3,
                        width: 33,
                        ..Choice::default()
                    },
                    options: Options {
                        planner: Name::RtdTba,
                        moves: Moves::Eight,
                        local_percent: limit.map(|_| 40),
                        is_known,
                        limit,
                        ..Options::default()
                    },
                    is_comparing: true,
                    ..Settings::default()
                };
                let words = options(&query(&settings, Some(12)));
                let words = ["sim-view".to_owned()].into_iter().chain(words);
                let args = ViewOptions::try_parse_from(words).unwrap();
                assert_eq!(Options::from(&args), settings.options, "{kind:?}");
                assert_eq!(args.compare, Some(settings.other));
                assert_eq!(args.initial.tick, Some(12));
                let world = args.scenario().unwrap();
                assert_eq!(world.name, settings.choice.scenario().unwrap().name);
                let again = Choice::from(&args);
                match kind {
                    // It has no size to choose.
                    Kind::Micromouse => assert_eq!(again.options(), settings.choice.options()),
                    _ => assert_eq!(again, settings.choice),
                }
            }
        }
    }
}
