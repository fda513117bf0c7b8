//! The comparison of situated agents: its rows, the paper's figures, and the three objectives.

use sim::{
    lab::{
        experiment::{
            situated_agents::{
                self,
                contender::{Contender, Heuristic, Method},
                objectives::{Agent, Cost, Range, largest_within, lasts_until, optimal, ranges},
                paper::{self, Terrain},
            },
            sweep::Sweep,
        },
        problem::Problem,
    },
    world::{World, text},
};

use crate::{
    experiments::{find, situated_agents},
    support::cli::sim,
};

#[test]
fn every_agent_has_a_row_for_every_metric() {
    let report = situated_agents(1);
    for row in &report.rows {
        assert!(row.mean.is_finite() && row.mean >= 0.0, "{row:?}");
    }
    let metrics = "expansions searches moves moves_per_search runtime_us runtime_per_search_us \
        runtime_per_move_us";
    for terrain in [Terrain::Mazes, Terrain::Grids] {
        for figures in paper::figures(terrain) {
            for metric in metrics.split_whitespace() {
                let row = format!("{}, {}", terrain.name(), figures.contender);
                let row = find(&report, &row, metric);
                let runs = if terrain == Terrain::Mazes { 3 } else { 15 };
                assert_eq!((row.runs, row.ci95.is_some()), (runs, true), "{row:?}");
            }
        }
    }
}

#[test]
fn a_single_run_has_no_intervals_and_still_a_report() {
    let report = situated_agents::measure_in(15, Sweep { runs: 1, seed: 0 }).unwrap();
    let row = find(&report, "mazes, lss-lrta, weak, 1", "moves");
    assert_eq!((row.ci95, row.runs), (None, 1));
}

#[test]
fn lrta_with_look_ahead_1_moves_once_per_expansion_and_per_search() {
    let report = situated_agents(4);
    for agent in ["mazes, lss-lrta, weak, 1", "grids, lss-lrta-bfs, strong, 1"] {
        let [expansions, searches, moves] =
            ["expansions", "searches", "moves"].map(|metric| find(&report, agent, metric).mean);
        assert_eq!((expansions, searches), (moves, moves), "{agent}");
    }
}

/// The paper's Table 2 or 3 as the objectives want it: LRTA* up to a look-ahead, and D* Lite.
fn papers(terrain: Terrain) -> (Vec<Agent>, Cost) {
    let figures = paper::figures(terrain);
    let cost = |contender: Contender| {
        let row = figures.iter().find(|row| row.contender == contender)?;
        Some(Cost {
            planning: row.runtime_us?,
            searches: row.searches?,
            moves: row.moves?,
        })
    };
    let of = |method, heuristic| cost(Contender { method, heuristic });
    let agents = (1..50).filter_map(|n| Some((n, of(Method::AStar(n), terrain.heuristic())?)));
    let dstar_lite = of(Method::DStarLite, Heuristic::Strong).unwrap();
    (agents.collect(), dstar_lite)
}

/// The paper's tables were typed in correctly, and the objectives are what the paper means: the one
/// leads to the other, as printed.
#[test]
fn the_papers_tables_lead_to_its_optimal_look_aheads() {
    for terrain in [Terrain::Mazes, Terrain::Grids] {
        let expected = paper::ranges(terrain);
        let last = expected.last().unwrap().exponents.1;
        let (agents, _) = papers(terrain);
        assert_eq!(ranges(&agents, -400..=last), expected, "{terrain:?}");
    }
}

#[test]
fn the_papers_tables_lead_to_its_choice_between_lrta_and_dstar_lite() {
    let (agents, dstar_lite) = papers(Terrain::Mazes);
    assert_eq!(lasts_until(&agents, dstar_lite, -400..=400), Some(-27));
    let (agents, dstar_lite) = papers(Terrain::Grids);
    assert_eq!(lasts_until(&agents, dstar_lite, -400..=400), Some(400));
}

#[test]
fn dstar_lites_times_per_search_and_per_move_are_those_printed() {
    let (_, mazes) = papers(Terrain::Mazes);
    assert_eq!(
        format!("{:.2} {:.2}", mazes.per_search(), mazes.per_move()),
        "54.10 16.44"
    );
    let (_, grids) = papers(Terrain::Grids);
    assert!(
        (grids.per_search() - 507.65).abs() < 0.05,
        "{}",
        grids.per_search()
    );
}

fn cost(planning: f64, searches: f64, moves: f64) -> Cost {
    Cost {
        planning,
        searches,
        moves,
    }
}

/// Look-ahead 1 plans least, 5 moves least, and 3 is never the best: at x = 1, where 1 and 5 both need
/// 300, it needs 310.
fn by_hand() -> [Agent; 3] {
    [
        (1, cost(100.0, 200.0, 200.0)),
        (3, cost(160.0, 50.0, 150.0)),
        (5, cost(200.0, 20.0, 100.0)),
    ]
}

#[test]
fn the_best_look_ahead_is_that_computed_by_hand() {
    let best = |x| optimal(&by_hand(), x).unwrap().0;
    assert_eq!(
        [best(0.0), best(0.9), best(1.0), best(1.1), best(99.0)],
        [1, 1, 1, 5, 5]
    );
    assert_eq!(optimal(&[], 1.0), None);
    let range = |from, to, look_ahead| Range {
        exponents: (from, to),
        look_ahead,
    };
    assert_eq!(
        ranges(&by_hand(), -5..=5),
        [range(-5, 0, 1), range(1, 5, 5)]
    );
    assert_eq!(ranges(&[], -5..=5), []);
}

#[test]
fn the_break_even_point_matches_a_hand_computation() {
    // 400 + 10 x against 200 + 100 x: equal at x = 20 / 9, which is 10^0.3468.
    let rival = cost(400.0, 1.0, 10.0);
    assert_eq!(lasts_until(&by_hand(), rival, -100..=100), Some(34));
    assert_eq!(
        lasts_until(&by_hand(), cost(1.0, 1.0, 1.0), -100..=100),
        None
    );
    assert_eq!(
        lasts_until(&by_hand(), cost(900.0, 1.0, 900.0), -100..=100),
        Some(100)
    );
}

#[test]
fn limits_are_kept_by_the_look_ahead_computed_by_hand() {
    // Per search 0.5, 3.2 and 10; per move 0.5, 1.07 and 2.
    let within = |limit| largest_within(&by_hand(), limit, Cost::per_search);
    assert_eq!(within(0.4), None);
    assert_eq!(within(0.5), Some(1));
    assert_eq!(within(3.2), Some(3));
    assert_eq!(within(6.7), Some(4));
    assert_eq!(within(99.0), Some(5));
    assert_eq!(largest_within(&by_hand(), 1.9, Cost::per_move), Some(4));
}

#[test]
fn an_episode_begins_only_when_the_path_is_blocked() {
    let episodes = |drawing: &str| {
        let drawn = text::parse(drawing).unwrap();
        let problem = Problem {
            world: World::Cells(drawn.grid),
            start: drawn.start.unwrap(),
            goal: drawn.goal.unwrap(),
        };
        let agent = Contender::new(Method::DStarLite, Heuristic::Strong);
        agent.solve(&problem, 0).unwrap().episodes
    };
    assert_eq!(episodes("S...G\n.....\n"), 1.0);
    // Beside the path, then on it.
    assert_eq!(episodes("S...G\n#.#..\n"), 1.0);
    assert_eq!(episodes("S..#G\n#....\n"), 2.0);
    assert_eq!(episodes("S..#.G\n...#..\n......\n"), 3.0);
}

#[test]
fn help_names_the_paper_and_the_default() {
    let help = sim("experiment situated-agents --help").text();
    assert!(
        help.contains("Koenig 2004") && help.contains("[default: 100]"),
        "{help}"
    );
}
