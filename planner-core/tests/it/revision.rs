//! A change of the map that is not passed to a search is noticed in its next tick, in a debug build.

use std::panic::{AssertUnwindSafe, catch_unwind};

use planner_core::{
    Budget, Cell, Decision, Observation,
    local::{LocalConfig, LocalPlanner, LssLrta},
    map::{CellMap, Map, Occupancy},
    queue::Buckets,
    rtd::{LocalRatio, Rtd},
    search::{AnytimeDStar, Backward, DStarLite, RepeatedAStar, Search, TurnAware},
    storage::{Array, capacity},
    subgoal::{ExitRule, Grown, Rules, SubgoalLrta, Values},
    width::Bits16,
};

const N: usize = capacity(9, 9);
const START: Cell = Cell::new(0, 0);

/// Returns whether a search refuses to tick.
fn is_noticed(search: &mut impl Search, map: &CellMap<Array<N>>) -> bool {
    let tick = AssertUnwindSafe(|| search.tick(map, START, Budget::UNLIMITED));
    match catch_unwind(tick) {
        Ok(decision) => {
            assert!(matches!(decision, Ok(Decision::Step(_))), "{decision:?}");
            false
        }
        Err(_) => true,
    }
}

fn check(mut search: impl Search) {
    let mut map = CellMap::<Array<N>>::new();
    map.resize(9, 9).unwrap();
    let block = |map: &mut CellMap<Array<N>>, x| {
        let seen = Observation::Cell(Cell::new(x, 1), Occupancy::Blocked);
        map.observe(seen).unwrap().expect("a change")
    };
    let goals = [Cell::new(8, 8)];
    let _ = block(&mut map, 0); // before it begins
    search.begin(&map, START, &goals).unwrap();
    for x in 1..3 {
        let change = block(&mut map, x);
        search.update(&map, change);
        assert!(!is_noticed(&mut search, &map));
    }
    let (_dropped, change) = (block(&mut map, 3), block(&mut map, 4));
    search.update(&map, change);
    assert!(is_noticed(&mut search, &map), "a dropped change");
    search.begin(&map, START, &goals).unwrap();
    assert!(!is_noticed(&mut search, &map));
    map.resize(9, 9).unwrap();
    assert!(is_noticed(&mut search, &map), "another map");
}

#[test]
fn a_search_notices_that_a_change_of_its_map_was_dropped() {
    type Lss = LssLrta<Array<N>>;
    let local = || Lss::new(LocalConfig::DEFAULT);
    check(DStarLite::<Array<N>>::new());
    check(AnytimeDStar::<Array<N>>::new());
    check(RepeatedAStar::<Array<N>, Bits16, _, Backward>::with_queue(
        Buckets::<8>::new(),
    ));
    check(TurnAware::<Array<N>, Bits16, Buckets<2>>::new());
    check(LocalPlanner::new(local(), u32::MAX));
    let rtd: Rtd<DStarLite<Array<N>>, Lss> = Rtd::new(DStarLite::new(), local(), LocalRatio::HALF);
    check(rtd);
    let tree = Grown::<Array<N>, Array<16>>::allocate(Buckets::new(), N, 16, ExitRule::Safe);
    let (values, rules) = (Values::<Array<16>>::new(), Rules::default());
    check(SubgoalLrta::<_, Array<16>>::new(
        tree,
        values,
        rules,
        Default::default(),
    ));
}
