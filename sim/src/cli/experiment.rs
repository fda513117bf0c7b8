//! `sim experiment`: the papers' experiments.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use clap::{Arg, builder::RangedU64ValueParser};

use crate::{
    catalog::Name,
    error::OrBadInput,
    lab::experiment::{
        buckets, html,
        real_time::{Unit, curves, door_rates, dynamic_world, unknown_world},
        replanning,
        report::Report,
        situated_agents, subgoals,
        sweep::Sweep,
    },
    lab::table::Table,
    options::value,
    output,
    world::file,
};

/// Options of `experiment`.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Without a name, lists the experiments. Each prints the paper's figures beside
the measured ones, with 95 % confidence intervals: inside or outside means that
one of the two lies in the interval of the other; overlap and apart are said of
the two intervals. Times of another machine are not compared.

Examples:
  sim experiment
  sim experiment buckets
  sim experiment replanning --runs 500 --out results
  sim experiment dynamic-world --out results
  sim experiment unknown-world --world mazes --runs 100 --by cycles
  sim experiment dynamic-world --runs 2000 --planner tba,lss-lrta-replan
  sim experiment situated-agents --runs 20
  sim experiment subgoals --maps den601d.map brc200d.map --runs 100
  sim experiment buckets --runs 1000 --json | jq -c 'select(.metric == \"expansions\")'")]
pub struct Args {
    #[command(subcommand)]
    experiment: Option<Experiment>,
}

/// The experiments: name, paper, and processor time at the default number of runs.
const LIST: [[&str; 3]; 8] = [
    ["buckets", "Likhachev & Koenig 2006, Table 1", "40 s"],
    ["replanning", "Koenig, project handout", "2 s"],
    ["subgoals", "Hernández & Baier 2011, Figure 2", "35 s"],
    ["situated-agents", "Koenig 2004, Tables 1-4", "8 min"],
    ["unknown-world", "Bond et al. 2010, Figure 3", "90 s"],
    ["dynamic-world", "Bond et al. 2010, Figure 4", "40 s"],
    ["door-rates", "our own, after Bond et al. 2010", "40 s"],
    ["real-time", "our own, after Bond et al. 2010", "60 s"],
];

/// Prints the experiments.
fn list() -> io::Result<()> {
    let mut table = Table::new(["experiment", "", "time"]);
    for [name, paper, time] in LIST {
        table.push([name, paper, time].map(str::to_owned));
    }
    writeln!(
        io::stdout().lock(),
        "{table}\n\
         Processor time, estimated from shorter runs; --runs takes more or fewer.\n\
         sim experiment NAME --out DIR also writes a page, CSV and plots."
    )
}

/// The experiments.
#[derive(clap::Subcommand, Debug)]
enum Experiment {
    /// D* Lite on a heap and on buckets in 201x201 mazes (Likhachev & Koenig 2006, Table 1)
    #[command(mut_arg("runs", runs("Mazes", buckets::RUNS)))]
    Buckets(Options),
    /// Repeated A*, Adaptive A* and D* Lite in 101x101 mazes (Fast Trajectory Replanning)
    #[command(mut_arg("runs", runs("Mazes", replanning::RUNS)))]
    Replanning(Options),
    /// LRTA* with subgoals on known maps (Hernández & Baier 2011, Figure 2)
    #[command(mut_arg("runs", runs("Problems on each map", subgoals::RUNS)))]
    Subgoals {
        #[command(flatten)]
        options: Options,
        /// Maps, or folders of MovingAI's `.map` files [default: four that are generated]
        #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
        maps: Vec<PathBuf>,
        /// Goals per map whose trees are timed, and extrapolated [default: all]
        #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
        goals: Option<usize>,
    },
    /// LRTA* with look-ahead against D* Lite in 301x301 mazes and grids (Koenig 2004, Tables 1-4)
    #[command(mut_arg(
        "runs",
        runs("Mazes; five random grids belong to each", situated_agents::RUNS)
    ))]
    SituatedAgents {
        #[command(flatten)]
        options: Options,
        /// As many mazes and grids as in the paper: 1000 and 5000
        #[arg(long, conflicts_with = "runs")]
        full: bool,
    },
    /// Real-Time D* in unknown worlds under a limit (Bond et al. 2010, Figure 3)
    #[command(mut_arg("runs", runs("Problems", unknown_world::RUNS)))]
    UnknownWorld {
        #[command(flatten)]
        options: Options,
        /// Maps to use in turn, scaled to 161x161 [default: caves]
        #[arg(long, value_name = "FILE", num_args = 1..)]
        map: Vec<PathBuf>,
        /// Worlds to generate
        #[arg(long, value_enum, default_value_t, conflicts_with = "map")]
        world: unknown_world::Kind,
        /// Unit of the limits
        #[arg(long, value_enum, default_value_t)]
        by: Unit,
        #[command(flatten)]
        selection: PlannerSelection,
    },
    /// Real-Time D* in rooms whose doors open and close (Bond et al. 2010, Figure 4)
    #[command(mut_arg("runs", runs("Sequences of changes", dynamic_world::RUNS)))]
    DynamicWorld {
        #[command(flatten)]
        options: Options,
        /// Mean number of doors tried per tick
        #[arg(long, value_name = "RATE", default_value_t = dynamic_world::RATE, value_parser = value::rate)]
        doors: f64,
        /// Unit of the limits
        #[arg(long, value_enum, default_value_t)]
        by: Unit,
        #[command(flatten)]
        selection: PlannerSelection,
    },
    /// The same by the rate of the doors, from 0.1 to 2 a tick
    #[command(mut_arg("runs", runs("Sequences of changes at each rate", dynamic_world::RUNS)))]
    DoorRates(Options),
    /// The robot's planner and five others in both worlds, by expansions and by cycles: the README's picture
    #[command(mut_arg("runs", runs("Problems in each kind of world", curves::RUNS)))]
    RealTime(Options),
}

/// Options of all experiments.
#[derive(clap::Args, Debug)]
struct Options {
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Seed of the worlds
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Folder for a page (HTML), the rows (CSV) and plots (SVG)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON object per row
    #[arg(long)]
    json: bool,
}

/// The planners of an experiment.
#[derive(clap::Args, Debug)]
struct PlannerSelection {
    /// Planners to compare with the robot's and D* Lite without a limit, without the paper's claims [default: all]
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    planner: Vec<Name>,
}

/// Help and default of `--runs` of an experiment.
fn runs(what: &'static str, default: u32) -> impl FnOnce(Arg) -> Arg {
    // The command line is built once.
    let default: &'static str = default.to_string().leak();
    move |arg| arg.help(what).required(false).default_value(default)
}

impl Experiment {
    fn options(&self) -> &Options {
        match self {
            Self::Buckets(options)
            | Self::Replanning(options)
            | Self::DoorRates(options)
            | Self::RealTime(options)
            | Self::SituatedAgents { options, .. }
            | Self::UnknownWorld { options, .. }
            | Self::DynamicWorld { options, .. }
            | Self::Subgoals { options, .. } => options,
        }
    }

    fn measure(&self) -> anyhow::Result<Report> {
        let &Options { runs, seed, .. } = self.options();
        let sweep = Sweep { runs, seed };
        match self {
            Self::Buckets(_) => buckets::measure(sweep),
            Self::Replanning(_) => replanning::measure(sweep),
            Self::SituatedAgents { full, .. } => situated_agents::measure(match full {
                true => Sweep {
                    runs: situated_agents::FULL_RUNS,
                    ..sweep
                },
                false => sweep,
            }),
            Self::UnknownWorld {
                map,
                world,
                by,
                selection,
                ..
            } => {
                let load = |path: &PathBuf| Ok(file::load_grid(path).or_bad_input()?.grid);
                let maps = map.iter().map(load).collect::<anyhow::Result<Vec<_>>>()?;
                unknown_world::measure(sweep, *by, *world, &maps, &selection.planner)
            }
            Self::Subgoals { maps, goals, .. } => subgoals::measure(&subgoals::Plan {
                maps: subgoals::maps(maps, seed)?,
                sweep,
                goals: goals.unwrap_or(usize::MAX),
            }),
            Self::DynamicWorld {
                doors,
                by,
                selection,
                ..
            } => dynamic_world::measure(sweep, *by, *doors, &selection.planner),
            Self::DoorRates(_) => door_rates::measure(sweep),
            Self::RealTime(_) => curves::measure(sweep),
        }
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let Some(experiment) = &args.experiment else {
        return Ok(list()?);
    };
    let options = experiment.options();
    if let Some(folder) = &options.out {
        // Before the measurement, which takes minutes.
        output::create_folder(folder)?;
    }
    let report = experiment.measure()?;
    if options.json {
        report.print_json()?;
    } else {
        write!(io::stdout().lock(), "{report}")?;
    }
    if let Some(folder) = &options.out {
        let mut written = report.write(folder)?;
        let made = html::Made::now(options.seed);
        written.push(html::write(&report, &written, folder, &made)?);
        for path in written {
            eprintln!("wrote {}", path.display());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::{FromArgMatches, Subcommand};

    use super::*;

    #[test]
    fn every_experiment_is_listed() {
        let command = Experiment::augment_subcommands(clap::Command::new("experiment"));
        let mut names: Vec<&str> = command.get_subcommands().map(|c| c.get_name()).collect();
        let mut listed = LIST.map(|[name, ..]| name).to_vec();
        names.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, names);
    }

    #[test]
    fn every_experiment_has_a_default_number_of_runs() {
        for [name, ..] in LIST {
            let command = Experiment::augment_subcommands(clap::Command::new("experiment"));
            let matches = command.try_get_matches_from(["experiment", name]).unwrap();
            let experiment = Experiment::from_arg_matches(&matches).unwrap();
            assert!(experiment.options().runs > 1, "{name}");
        }
    }
}
