//! Runs of the robot's own tasks.

use planner_core::{Cell, Side};
use sim::{
    robot::{
        floor::Floor,
        rehearsal::{Outcome, Rehearsal},
        tolerances::Tolerances,
    },
    world::Walled,
};
use tinystar::mission::Mission;

#[test]
fn a_robot_goes_around_a_wall_and_comes_home() {
    let mut walls = Walled::open(4, 4).unwrap();
    walls.set_wall(Cell::new(0, 2), Side::North, true);
    walls.set_wall(Cell::new(1, 2), Side::North, true);
    let mut rehearsal = Rehearsal::new(Floor::new(walls), Cell::new(0, 3), 1);
    rehearsal.tolerances = Tolerances::none();
    rehearsal.missions = vec![Mission::GoTo(Cell::new(0, 0)), Mission::Home];
    let rehearsed = rehearsal.run(|_| ()).unwrap();
    println!("{}", serde_json::to_string(&rehearsed).unwrap());
    assert_eq!(rehearsed.outcome, Outcome::Done);
    assert_eq!(rehearsed.collisions, 0);
}
