//! The paper's figures: Tables 1 to 4, as printed, and what it says of larger look-aheads.
//!
//! It gives no intervals. Columns that follow from others are left out: movements per planning
//! episode, and planning times per episode and per movement.

use super::{
    contender::{Contender, Heuristic, Method},
    objectives::Range,
};

/// Side of the paper's worlds, in cells.
pub const SIDE: u16 = 301;
/// Mazes in the paper.
pub const MAZES: u32 = 1_000;
/// Grids with random obstacles in the paper.
pub const GRIDS: u32 = 5_000;
/// Share of blocked cells in the grids.
pub const DENSITY: f64 = 0.25;

/// The paper's worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terrain {
    /// Mazes without cycles, in which heuristics mislead.
    Mazes,
    /// Grids with random obstacles, in which they hardly do.
    Grids,
}

impl Terrain {
    /// The name in rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mazes => "mazes",
            Self::Grids => "grids",
        }
    }

    /// The heuristic with which the paper has LRTA* run there: the better one.
    pub fn heuristic(self) -> Heuristic {
        match self {
            Self::Mazes => Heuristic::Weak,
            Self::Grids => Heuristic::Strong,
        }
    }
}

/// The paper's figures of an agent: means, where given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    pub contender: Contender,
    pub expansions: Option<f64>,
    /// Planning episodes.
    pub searches: Option<f64>,
    pub moves: Option<f64>,
    /// Planning time, in microseconds of the paper's machine.
    pub runtime_us: Option<f64>,
}

impl Figures {
    /// What the paper says of an agent: expansions, planning episodes, movements and planning time.
    fn new(method: Method, heuristic: Heuristic, figures: [Option<f64>; 4]) -> Self {
        let [expansions, searches, moves, runtime_us] = figures;
        Self {
            contender: Contender::new(method, heuristic),
            expansions,
            searches,
            moves,
            runtime_us,
        }
    }
}

/// A row of Table 2 or 3: look-ahead, expansions, episodes, movements, planning time.
type Full = (u32, f64, f64, f64, f64);
/// Two columns of Table 1: look-ahead, planning time, movements.
type Heuristics = (u32, f64, f64);
/// Two columns of Table 4: look-ahead, expansions, movements.
type Spaces = (u32, f64, f64);

/// Tables 2 and 3: D* Lite with the strong heuristic; expansions, episodes, movements, planning time.
const DSTAR_LITE: [[f64; 4]; 2] = [
    [230_893.54, 6_606.37, 21_737.53, 357_417.38],
    [11_424.90, 72.54, 308.98, 36_825.63],
];

/// Table 1: D* Lite with the weak heuristic; planning time, movements.
const DSTAR_LITE_WEAK: [(f64, f64); 2] = [(373_560.62, 21_140.40), (40_737.34, 313.78)];

/// In the text: movements of LRTA* in mazes with a look-ahead of 241, which Table 2 does not show.
const FAR_MOVES: f64 = 44_721.30;
/// In the text: its planning time per movement.
const FAR_US_PER_MOVE: f64 = 28.61;
/// In the text: its planning time per planning episode.
const FAR_US_PER_SEARCH: f64 = 168.19;
/// The resulting time per expansion with look-aheads that Table 2 does not show.
pub const FAR_US_PER_EXPANSION: f64 = FAR_US_PER_SEARCH / 241.0;

/// Objective 1: which look-ahead is optimal in mazes.
const RANGES_MAZES: [(i32, i32, u32); 3] = [(-400, -31, 21), (-30, -16, 25), (-15, 29, 33)];

/// Objective 1: which look-ahead is optimal in grids.
const RANGES_GRIDS: [(i32, i32, u32); 10] = [
    (-400, -9, 1),
    (-8, 14, 3),
    (15, 106, 5),
    (107, 107, 7),
    (108, 124, 11),
    (125, 143, 13),
    (144, 171, 15),
    (172, 186, 19),
    (187, 207, 21),
    (208, 215, 25),
];

/// Objective 1: the exponent, in hundredths, beyond which D* Lite is to be preferred in mazes.
pub const LRTA_UNTIL: i32 = -27;

/// Table 2: LRTA* with the weak heuristic in mazes.
const MAZES_WEAK: [Full; 25] = [
    (1, 1_259_958.00, 1_259_958.00, 1_259_958.00, 628_175.97),
    (3, 1_012_633.01, 337_544.61, 685_570.04, 477_551.83),
    (5, 765_644.80, 153_129.55, 477_525.03, 366_611.13),
    (7, 658_618.41, 94_089.35, 382_949.65, 321_784.17),
    (9, 588_810.14, 65_424.97, 321_547.69, 296_545.64),
    (11, 531_955.23, 48_361.94, 272_841.73, 277_974.35),
    (13, 518_431.33, 39_882.58, 252_374.66, 276_238.32),
    (15, 517_913.09, 34_531.72, 239_072.72, 281_280.60),
    (17, 495_466.48, 29_150.37, 215_615.93, 277_453.57),
    (19, 487_622.82, 25_670.60, 199_517.41, 280_483.72),
    (21, 459_565.74, 21_891.42, 177_142.96, 273_280.22),
    (23, 470_419.04, 20_461.61, 171_600.71, 283_999.33),
    (25, 456_751.93, 18_279.86, 155_736.31, 283_950.17),
    (27, 465_707.78, 17_259.47, 151_277.34, 292_767.20),
    (29, 460_964.20, 15_907.64, 140_895.33, 296_116.07),
    (31, 469_144.66, 15_147.32, 135_554.16, 310_131.20),
    (33, 460_947.12, 13_983.02, 125_789.79, 304_691.69),
    (35, 474_447.93, 13_571.97, 123_304.98, 315_807.85),
    (37, 492_481.84, 13_327.82, 122_274.35, 329_287.75),
    (39, 514_415.51, 13_209.17, 122_839.82, 344_388.42),
    (41, 512_638.46, 12_523.62, 114_917.08, 348_330.44),
    (43, 517_674.55, 12_060.69, 111_242.82, 354_049.77),
    (45, 507_532.55, 11_301.47, 100_257.67, 354_495.33),
    (47, 532_693.30, 11_358.48, 103_038.69, 370_009.76),
    (49, 555_105.16, 11_355.05, 104_059.85, 385_354.53),
];

/// Table 3: LRTA* with the strong heuristic in grids.
const GRIDS_STRONG: [Full; 20] = [
    (1, 498.55, 498.55, 498.55, 28_279.51),
    (3, 622.46, 207.83, 377.15, 28_380.11),
    (5, 686.46, 137.77, 337.67, 28_435.03),
    (7, 796.09, 114.30, 329.00, 28_536.61),
    (9, 902.13, 100.92, 322.19, 28_617.42),
    (11, 1_013.99, 92.98, 315.32, 28_698.35),
    (13, 1_128.42, 87.72, 310.35, 28_785.79),
    (15, 1_238.49, 83.63, 307.15, 28_873.00),
    (17, 1_353.46, 80.83, 305.47, 28_966.89),
    (19, 1_464.02, 78.40, 303.58, 29_056.67),
    (21, 1_578.59, 76.68, 302.27, 29_152.59),
    (23, 1_701.07, 75.63, 301.54, 29_241.04),
    (25, 1_822.36, 74.75, 300.77, 29_332.52),
    (27, 1_953.37, 74.38, 300.24, 29_428.39),
    (29, 2_077.55, 73.85, 299.44, 29_524.39),
    (31, 2_202.06, 73.40, 299.20, 29_615.10),
    (33, 2_323.90, 72.99, 298.70, 29_715.34),
    (35, 2_438.37, 72.38, 297.90, 29_799.11),
    (37, 2_569.27, 72.30, 298.38, 29_904.07),
    (39, 2_683.20, 71.80, 297.61, 29_994.63),
];

/// Table 1: LRTA* with the strong heuristic in mazes.
const MAZES_STRONG: [Heuristics; 15] = [
    (1, 985_361.73, 1_987_574.25),
    (3, 640_567.24, 931_230.38),
    (5, 441_522.49, 594_675.73),
    (7, 395_581.98, 499_083.52),
    (9, 358_532.52, 422_475.56),
    (11, 313_997.99, 337_704.16),
    (13, 302_791.98, 303_562.40),
    (15, 290_252.67, 268_652.32),
    (17, 284_827.58, 243_952.42),
    (19, 276_990.44, 217_852.00),
    (21, 279_855.69, 205_370.41),
    (23, 285_321.52, 196_601.90),
    (25, 274_999.82, 169_685.19),
    (27, 293_554.47, 176_642.26),
    (29, 293_262.79, 163_418.55),
];

/// Table 1: LRTA* with the weak heuristic in grids.
const GRIDS_WEAK: [Heuristics; 15] = [
    (1, 28_292.81, 363.16),
    (3, 28_446.67, 363.30),
    (5, 28_568.88, 339.47),
    (7, 28_658.00, 327.50),
    (9, 28_769.02, 318.39),
    (11, 28_877.77, 315.32),
    (13, 29_008.12, 315.57),
    (15, 29_118.05, 314.14),
    (17, 29_226.43, 311.46),
    (19, 29_341.93, 311.65),
    (21, 29_476.83, 311.11),
    (23, 29_585.83, 310.20),
    (25, 29_701.80, 309.44),
    (27, 29_822.47, 309.43),
    (29, 29_949.31, 309.84),
];

/// Table 4: LRTA* with breadth-first look-ahead in mazes.
const MAZES_BREADTH_FIRST: [Spaces; 15] = [
    (1, 1_244_573.34, 1_244_573.34),
    (3, 2_151_181.27, 1_427_453.49),
    (5, 608_563.97, 339_733.20),
    (7, 470_885.88, 239_418.18),
    (9, 439_573.64, 204_921.68),
    (11, 437_526.96, 189_936.61),
    (13, 410_861.79, 165_348.26),
    (15, 460_207.28, 177_181.12),
    (17, 430_183.56, 154_345.68),
    (19, 453_565.17, 154_292.26),
    (21, 448_383.49, 144_253.88),
    (23, 470_230.40, 144_736.66),
    (25, 473_433.00, 138_034.91),
    (27, 483_322.87, 135_636.58),
    (29, 499_253.40, 133_028.67),
];

/// Table 4: LRTA* with breadth-first look-ahead in grids.
const GRIDS_BREADTH_FIRST: [Spaces; 15] = [
    (1, 496.82, 496.82),
    (3, 751.35, 382.46),
    (5, 883.16, 340.95),
    (7, 1_081.67, 331.05),
    (9, 1_224.09, 322.09),
    (11, 1_377.21, 317.84),
    (13, 1_554.31, 316.33),
    (15, 1_716.99, 313.97),
    (17, 1_871.26, 312.06),
    (19, 2_020.39, 310.60),
    (21, 2_169.39, 309.72),
    (23, 2_315.88, 308.09),
    (25, 2_465.16, 307.65),
    (27, 2_605.35, 306.62),
    (29, 2_763.52, 306.93),
];

/// Look-aheads at which breadth-first search is also followed along its tree: the paper does not say
/// which path its robot takes.
pub const ALONG_TREE: [u32; 4] = [3, 5, 9, 29];

/// All agents that the paper lets walk in such worlds, with what it says of them.
pub fn figures(terrain: Terrain) -> Vec<Figures> {
    use Method::{AStar, BreadthFirst, BreadthFirstTree, DStarLite};
    let (place, full, heuristics, spaces): (_, &[Full], &[Heuristics], &[Spaces]) = match terrain {
        Terrain::Mazes => (0, &MAZES_WEAK, &MAZES_STRONG, &MAZES_BREADTH_FIRST),
        Terrain::Grids => (1, &GRIDS_STRONG, &GRIDS_WEAK, &GRIDS_BREADTH_FIRST),
    };
    let (better, other) = match terrain.heuristic() {
        Heuristic::Weak => (Heuristic::Weak, Heuristic::Strong),
        Heuristic::Strong => (Heuristic::Strong, Heuristic::Weak),
    };
    let (weak_us, weak_moves) = DSTAR_LITE_WEAK[place];
    let weak = [None, None, Some(weak_moves), Some(weak_us)];
    let mut figures = vec![
        Figures::new(DStarLite, Heuristic::Strong, DSTAR_LITE[place].map(Some)),
        Figures::new(DStarLite, Heuristic::Weak, weak),
    ];
    figures.extend(
        full.iter()
            .map(|&(cells, expansions, searches, moves, us)| {
                let all = [expansions, searches, moves, us].map(Some);
                Figures::new(AStar(cells), better, all)
            }),
    );
    if terrain == Terrain::Mazes {
        figures.extend([75, 165].map(|cells| Figures::new(AStar(cells), better, [None; 4])));
        let us = FAR_MOVES * FAR_US_PER_MOVE;
        let far = [
            None,
            Some(us / FAR_US_PER_SEARCH),
            Some(FAR_MOVES),
            Some(us),
        ];
        figures.push(Figures::new(AStar(241), better, far));
    }
    figures.extend(heuristics.iter().map(|&(cells, us, moves)| {
        Figures::new(AStar(cells), other, [None, None, Some(moves), Some(us)])
    }));
    let breadth_first = |kind: fn(u32) -> Method| {
        move |&(cells, expansions, moves): &Spaces| {
            let counts = [Some(expansions), None, Some(moves), None];
            Figures::new(kind(cells), better, counts)
        }
    };
    let is_compared = |row: &&Spaces| ALONG_TREE.contains(&row.0);
    figures.extend(spaces.iter().map(breadth_first(BreadthFirst)));
    let compared = spaces.iter().filter(is_compared);
    figures.extend(compared.map(breadth_first(BreadthFirstTree)));
    figures
}

/// Objective 1: which look-ahead of LRTA* is optimal for which ratio of planning to moving.
pub fn ranges(terrain: Terrain) -> Vec<Range> {
    let ranges: &[_] = match terrain {
        Terrain::Mazes => &RANGES_MAZES,
        Terrain::Grids => &RANGES_GRIDS,
    };
    let range = |&(from, to, look_ahead): &_| Range {
        exponents: (from, to),
        look_ahead,
    };
    ranges.iter().map(range).collect()
}

/// The part of LRTA*'s planning time that does not depend on expansions: where a straight line
/// through the first and the last row of Table 3 begins.
pub fn fixed_us() -> f64 {
    let (_, few, _, _, short) = GRIDS_STRONG[0];
    let (_, many, _, _, long) = GRIDS_STRONG[GRIDS_STRONG.len() - 1];
    short - few * (long - short) / (many - few)
}
