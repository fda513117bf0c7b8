//! Telemetry of a robot that goes around a wall, on the model.

use planner_core::{Cell, Side};
use sim::{
    physics::{faults::InjectedFault, floor::Floor},
    run::{ModelRun, RunReport},
    world::Maze,
};
use tinystar::{
    mission::{Field, Mission},
    telemetry::{
        Frame, PROTOCOL,
        codec::{FRAME, encode},
    },
};

/// Waits before a test fails: of 10 ms, or for a frame of a window.
pub const WAITS: u32 = 3000;

pub const FIELD: Field = Field {
    width: 5,
    height: 4,
    home: Cell::new(0, 3),
    heading: Side::North,
};

pub const HELLO: Frame = Frame::Hello {
    protocol: PROTOCOL,
    field: FIELD,
    stored: None,
};

/// Recorded run around a wall and then on missions, with an optional fault.
pub fn report(then: Option<Mission>, fault: Option<&str>) -> RunReport {
    let mut walls = Maze::open(FIELD.width.into(), FIELD.height.into()).unwrap();
    walls.set_wall(Cell::new(0, 2), Side::North, true);
    walls.set_wall(Cell::new(1, 2), Side::North, true);
    let mut run = ModelRun::new(Floor::new(walls), FIELD.home, 1);
    run.config.missions = vec![Mission::GoTo(Cell::new(0, 0))];
    run.config.missions.extend(then);
    let fault = fault.map(|typed| typed.parse::<InjectedFault>().unwrap());
    run.config.faults.extend(fault);
    run.records = true;
    run.run().unwrap()
}

/// Bytes of a frame.
pub fn frame(number: u16, frame: &Frame) -> Vec<u8> {
    encode(number, frame, &mut [0; FRAME]).unwrap().to_vec()
}
