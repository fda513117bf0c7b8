//! Findings in sentences, all derived from the numbers of the tables.

use super::{
    contender::{Contender, Heuristic, Method},
    objectives::{Measure, Range, lasts_until},
    paper::{self, Terrain},
    prices::{Choices, EXPONENTS, LIMITS, Limit, Offers},
    tables::{Table, Value},
};
use crate::lab::experiment::{
    claim,
    row::{Agreement, Row},
};

/// All findings.
pub fn all(rows: &[Row], tables: &[Table; 2], choices: &[Choices; 2]) -> Vec<String> {
    let [mazes, grids] = tables;
    let mut findings = Vec::new();
    for table in tables {
        let on_group = |group| on_agreement(rows, table, group);
        findings.extend(GROUPS.iter().filter_map(on_group));
    }
    findings.extend(tables.iter().map(on_dstar_lite));
    findings.extend(tables.iter().map(on_heuristics));
    findings.extend(tables.iter().map(on_breadth_first));
    findings.extend(on_claims(mazes, grids));
    for choices in choices {
        findings.extend(on_sum(choices));
        findings.extend(on_limits(choices));
    }
    findings
}

/// Agents that the paper has in one table: what they are called, and who belongs to them.
type Group = (&'static str, fn(Terrain, Contender) -> bool);

const GROUPS: [Group; 4] = [
    ("D* Lite", |_, contender| {
        contender.method == Method::DStarLite
    }),
    ("LRTA*", |terrain, contender| {
        matches!(contender.method, Method::AStar(_)) && contender.heuristic == terrain.heuristic()
    }),
    ("LRTA* with the other heuristics", |terrain, contender| {
        matches!(contender.method, Method::AStar(_)) && contender.heuristic != terrain.heuristic()
    }),
    ("LRTA* with breadth-first search", |_, contender| {
        matches!(contender.method, Method::BreadthFirst(_))
    }),
];

/// Counts that agree with the paper's, and the deviation of the others.
fn on_agreement(rows: &[Row], table: &Table, (name, is_in): &Group) -> Option<String> {
    let agents = table.figures.iter().enumerate();
    let names: Vec<String> = agents
        .filter(|(_, figures)| is_in(table.terrain, figures.contender))
        .map(|(place, _)| table.row(place))
        .collect();
    let counted: Vec<(&Row, Agreement, f64)> = rows
        .iter()
        .filter(|row| names.contains(&row.row))
        .filter_map(|row| Some((row, row.agreement()?, row.mean / row.paper?)))
        .collect();
    let logs: f64 = counted.iter().map(|(_, _, quotient)| quotient.ln()).sum();
    let mean = (logs / counted.len() as f64).exp();
    let agree = counted
        .iter()
        .filter(|(_, agreement, _)| *agreement != Agreement::Apart);
    let by_quotient = |a: &&(_, _, f64), b: &&(_, _, f64)| a.2.total_cmp(&b.2);
    let least = counted.iter().min_by(by_quotient)?;
    let most = counted.iter().max_by(by_quotient)?;
    let end = |(row, _, quotient): &(&Row, Agreement, f64)| {
        format!("{quotient:.3} ({} of {})", row.metric.title, row.row)
    };
    Some(format!(
        "{}, {name}: of {} counts that the paper gives, {} are inside the interval measured here. \
         Measured over paper is {mean:.3} on average, from {} to {}. All agents walk in the same \
         worlds, so these are not independent.",
        table.terrain.name(),
        counted.len(),
        agree.count(),
        end(least),
        end(most),
    ))
}

/// Deviation of a mean from the paper's, in per cent.
fn off(measured: f64, paper: f64) -> f64 {
    100.0 * (measured - paper) / paper
}

/// Searches and expansions of D* Lite.
fn on_dstar_lite(table: &Table) -> String {
    let place = table.place(Method::DStarLite, Heuristic::Strong);
    let mean = |value: Value| table.summary(place, value).mean;
    let (expansions, requeues) = (
        mean(|run| run.measured.expansions),
        mean(|run| run.measured.requeues),
    );
    let figures = table.figures[place];
    let (searches, cells) = (
        figures.searches.unwrap_or(f64::NAN),
        figures.expansions.unwrap_or(f64::NAN),
    );
    format!(
        "{}, D* Lite: a search is counted when the path is found blocked, {:.1} times ({:+.1} % off \
         the paper); cells were expanded in {:.1} ticks ({:+.1} %). Expansions are {:+.1} % off; with \
         entries that were only moved in the queue they would be {:+.1} % off.",
        table.terrain.name(),
        mean(|run| run.episodes),
        off(mean(|run| run.episodes), searches),
        mean(|run| run.measured.searches),
        off(mean(|run| run.measured.searches), searches),
        off(expansions, cells),
        off(expansions + requeues, cells),
    )
}

/// Returns whether D* Lite's ways depend on its heuristics.
fn on_heuristics(table: &Table) -> String {
    let [strong, weak] = [Heuristic::Strong, Heuristic::Weak]
        .map(|heuristic| table.place(Method::DStarLite, heuristic));
    let moves: Value = |run| run.measured.moves;
    let pairs = table.samples(strong, moves).zip(table.samples(weak, moves));
    let pairs: Vec<(f64, f64)> = pairs.collect();
    let equal = pairs.iter().filter(|(strong, weak)| strong == weak).count();
    let [here, papers] = [
        table.summary(weak, moves).mean / table.summary(strong, moves).mean,
        table.figures[weak].moves.unwrap_or(f64::NAN)
            / table.figures[strong].moves.unwrap_or(f64::NAN),
    ];
    format!(
        "{}, D* Lite: with the weak heuristics its paths are as long as with the strong ones in \
         {equal} of {} runs, and {here:.3} times as long on average ({papers:.3} in the paper). Here \
         it breaks ties between next cells by their direction, whatever was expanded.",
        table.terrain.name(),
        pairs.len(),
    )
}

/// Paths of a robot that looks ahead breadth first.
fn on_breadth_first(table: &Table) -> String {
    let quotients = |kind: fn(u32) -> Method| {
        paper::ALONG_TREE.map(|cells| {
            let place = table.place(kind(cells), table.terrain.heuristic());
            let figure = table.figures[place].expansions.unwrap_or(f64::NAN);
            table.summary(place, |run| run.measured.expansions).mean / figure
        })
    };
    let distance = |quotients: [f64; 4]| quotients.map(|q| q.ln().abs()).iter().sum::<f64>();
    let in_words = |quotients: [f64; 4]| quotients.map(|q| format!("{q:.3}")).join(", ");
    let downhill = quotients(Method::BreadthFirst);
    let tree = quotients(Method::BreadthFirstTree);
    format!(
        "{}, breadth first: the paper does not say which of equally good paths its robot takes. With \
         look-aheads of {}, expansions over the paper's are {} when it goes downhill along the \
         learned values and {} when it follows the search tree: {} is nearer.",
        table.terrain.name(),
        paper::ALONG_TREE.map(|cells| cells.to_string()).join(", "),
        in_words(downhill),
        in_words(tree),
        if distance(downhill) <= distance(tree) {
            "the first"
        } else {
            "the second"
        },
    )
}

/// The paper's claims about tables: the agent that needs less, and the other.
fn on_claims(mazes: &Table, grids: &Table) -> Vec<String> {
    use Heuristic::{Strong, Weak};
    use Method::{AStar, BreadthFirst, DStarLite};
    let moves: Value = |run| run.measured.moves;
    let expansions: Value = |run| run.measured.expansions;
    let claims: [(&str, &Table, Value, _, _); 8] = [
        (
            "In mazes LRTA* finds shorter paths with the weak heuristics, look-ahead 1",
            mazes,
            moves,
            (AStar(1), Weak),
            (AStar(1), Strong),
        ),
        (
            "The same, look-ahead 29",
            mazes,
            moves,
            (AStar(29), Weak),
            (AStar(29), Strong),
        ),
        (
            "In mazes D* Lite's paths are shorter than those of LRTA*, look-ahead 49",
            mazes,
            moves,
            (DStarLite, Strong),
            (AStar(49), Weak),
        ),
        (
            "In grids LRTA*'s paths are shorter than those of D* Lite from look-ahead 15 on, there",
            grids,
            moves,
            (AStar(15), Strong),
            (DStarLite, Strong),
        ),
        (
            "In grids LRTA* expands fewer cells than D* Lite, look-ahead 39",
            grids,
            expansions,
            (AStar(39), Strong),
            (DStarLite, Strong),
        ),
        (
            "In mazes LRTA* expands fewer cells breadth first than by A*, look-ahead 5",
            mazes,
            expansions,
            (BreadthFirst(5), Weak),
            (AStar(5), Weak),
        ),
        (
            "But not with look-ahead 3, where A* expands fewer",
            mazes,
            expansions,
            (AStar(3), Weak),
            (BreadthFirst(3), Weak),
        ),
        (
            "In grids A* expands fewer cells than breadth-first search, look-ahead 29",
            grids,
            expansions,
            (AStar(29), Strong),
            (BreadthFirst(29), Strong),
        ),
    ];
    let samples = |table: &Table, value, (method, heuristic)| -> Vec<f64> {
        table
            .samples(table.place(method, heuristic), value)
            .collect()
    };
    claims
        .into_iter()
        .map(|(claim, table, value, first, second)| {
            let first = samples(table, value, first);
            let pairs: Vec<_> = first
                .into_iter()
                .zip(samples(table, value, second))
                .collect();
            claim::less(claim, &pairs)
        })
        .collect()
}

const PRICES: [&str; 2] = ["at the paper's prices", "by this machine's clock"];

/// Objective 1.
fn on_sum(choices: &Choices) -> Vec<String> {
    let terrain = choices.terrain;
    let mut sentences = vec![format!(
        "Objective 1, {}, least planning time + x times moves. The paper's best look-aheads: {}; {}.",
        terrain.name(),
        in_words(&paper::ranges(terrain)),
        until_in_words(papers_until(terrain)),
    )];
    for (offers, prices) in choices.by.iter().zip(PRICES) {
        let until = lasts_until(&offers.agents, offers.dstar_lite, EXPONENTS);
        sentences.push(format!(
            "Objective 1, {}, {prices}: {}; {}. {}",
            terrain.name(),
            in_words(&offers.ranges()),
            until_in_words(until),
            on_least(terrain, offers),
        ));
    }
    sentences
}

/// Up to which exponent LRTA* is the better choice in the paper.
fn papers_until(terrain: Terrain) -> Option<i32> {
    match terrain {
        Terrain::Mazes => Some(paper::LRTA_UNTIL),
        Terrain::Grids => Some(*EXPONENTS.end()),
    }
}

fn exponent(hundredths: i32) -> String {
    format!("10^{:.2}", f64::from(hundredths) / 100.0)
}

fn in_words(ranges: &[Range]) -> String {
    let range =
        |range: &Range| format!("{} up to {}", range.look_ahead, exponent(range.exponents.1));
    ranges.iter().map(range).collect::<Vec<_>>().join(", ")
}

fn until_in_words(until: Option<i32>) -> String {
    match until {
        None => "D* Lite needs less for every x tried".to_owned(),
        Some(last) if last == *EXPONENTS.end() => "LRTA* needs less for every x tried".to_owned(),
        Some(last) => format!("beyond x = {} D* Lite needs less", exponent(last)),
    }
}

/// Which look-ahead plans least.
fn on_least(terrain: Terrain, offers: &Offers) -> String {
    let Some(papers) = paper::ranges(terrain).first().map(|range| range.look_ahead) else {
        return String::new();
    };
    let as_good: Vec<String> = offers.as_good.iter().map(u32::to_string).collect();
    format!(
        "These runs cannot tell look-aheads {} from the one that plans least; the paper's, {papers}, \
         is {}.",
        as_good.join(", "),
        if offers.as_good.contains(&papers) {
            "one of them"
        } else {
            "not one of them"
        },
    )
}

/// Objectives 2 and 3.
fn on_limits(choices: &Choices) -> Vec<String> {
    let sentence = |limit: &Limit| {
        let papers = match choices.terrain {
            Terrain::Mazes => format!("LRTA* up to look-ahead {}, then D* Lite", limit.papers),
            Terrain::Grids => "LRTA* always".to_owned(),
        };
        let mut sentence = format!(
            "Objective {}, {}, shortest path within a planning time per {}. The paper's choice: \
             {papers}.",
            limit.objective,
            choices.terrain.name(),
            limit.per,
        );
        for (offers, prices) in choices.by.iter().zip(PRICES) {
            sentence += &on_limit(offers, limit.of, prices);
        }
        sentence
    };
    LIMITS.iter().map(sentence).collect()
}

fn on_limit(offers: &Offers, of: Measure, prices: &str) -> String {
    let limit = of(&offers.dstar_lite);
    let within = match offers.within(of) {
        Some(look_ahead) => format!("LRTA* up to look-ahead {look_ahead}"),
        None => "no look-ahead of LRTA*".to_owned(),
    };
    let dstar_lite = offers.dstar_lite.moves;
    let affordable = offers.agents.iter().filter(|agent| of(&agent.1) <= limit);
    let shortest = affordable.min_by(|a, b| a.1.moves.total_cmp(&b.1.moves));
    let paths = match shortest {
        Some((look_ahead, cost)) => format!(
            "of those measured, {look_ahead} finds paths of {:.1} moves, {} than D* Lite's {dstar_lite:.1}",
            cost.moves,
            if cost.moves < dstar_lite {
                "shorter"
            } else {
                "no shorter"
            },
        ),
        None => format!("D* Lite finds paths of {dstar_lite:.1} moves"),
    };
    format!(" Reckoned {prices}, D* Lite takes {limit:.2} and {within} no more; {paths}.")
}
