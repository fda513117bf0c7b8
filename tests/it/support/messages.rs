//! Strategies for frames and commands.

use heapless::Vec;
use proptest::prelude::*;
use tinystar::{
    calibration::Calibration,
    fault::Fault,
    mission::{Activity, Field, Mission, STOPS},
    planner::{Cell, Side, map::Occupancy},
    telemetry::{Command, Frame, Load, MAP_BYTES, Refusal, State, Stored},
};

const SIDES: [Side; 4] = [Side::North, Side::East, Side::South, Side::West];

const REFUSALS: [Refusal; 8] = [
    Refusal::OutOfOrder,
    Refusal::Damaged,
    Refusal::TooLong,
    Refusal::Unknown,
    Refusal::Invalid,
    Refusal::Moving,
    Refusal::Faulty,
    Refusal::Busy,
];

fn one_of<T: Clone + std::fmt::Debug + 'static>(values: &[T]) -> impl Strategy<Value = T> + use<T> {
    prop::sample::select(values.to_vec())
}

/// Up to `N` values.
fn some<T: std::fmt::Debug, const N: usize>(
    strategy: impl Strategy<Value = T>,
) -> impl Strategy<Value = Vec<T, N>> {
    prop::collection::vec(strategy, 0..=N).prop_map(|values| values.into_iter().collect())
}

fn cell() -> impl Strategy<Value = Cell> {
    any::<(u16, u16)>().prop_map(|(x, y)| Cell::new(x, y))
}

fn field() -> impl Strategy<Value = Field> {
    let sizes = any::<(u16, u16)>();
    (sizes, cell(), one_of(&SIDES)).prop_map(|((width, height), home, heading)| Field {
        width,
        height,
        home,
        heading,
    })
}

fn state() -> impl Strategy<Value = State> {
    let activity = one_of(&[
        Activity::Idle,
        Activity::Going,
        Activity::NoPath,
        Activity::Done,
        Activity::Faulty,
    ]);
    let numbers = any::<(u32, i16, i16, i16, Option<u16>)>();
    let place = (cell(), one_of(&SIDES));
    let fault = prop::option::of(one_of(&Fault::ALL));
    (numbers, place, activity, fault).prop_map(|(numbers, (at, heading), activity, fault)| {
        let (ms, forward_mm, lateral_mm, yaw_ddeg, battery_mv) = numbers;
        State {
            ms,
            at,
            heading,
            forward_mm,
            lateral_mm,
            yaw_ddeg,
            activity,
            fault,
            battery_mv,
        }
    })
}

fn load() -> impl Strategy<Value = Load> {
    any::<(u16, u32, u32, u16, u16, u32)>().prop_map(
        |(ticks, expansions, requeues, worst_expansions, worst_requeues, worst_us)| Load {
            ticks,
            expansions,
            requeues,
            worst_expansions,
            worst_requeues,
            worst_us,
        },
    )
}

fn stored() -> impl Strategy<Value = Stored> {
    one_of(&[
        Stored::Empty,
        Stored::Loaded,
        Stored::Foreign,
        Stored::Damaged,
        Stored::Saved,
        Stored::Failed,
    ])
}

/// Any frame.
pub fn frame() -> impl Strategy<Value = Frame> {
    let wall = (
        cell(),
        one_of(&SIDES),
        one_of(&[Occupancy::Unknown, Occupancy::Free, Occupancy::Blocked]),
    );
    let map = (
        any::<u16>(),
        some::<_, MAP_BYTES>(any::<u8>()),
        any::<u16>(),
    );
    let hello = (any::<u8>(), field(), prop::option::of(stored()));
    let hello = hello.prop_map(|(protocol, field, stored)| Frame::Hello {
        protocol,
        field,
        stored,
    });
    prop_oneof![
        hello,
        state().prop_map(Frame::State),
        some::<_, STOPS>(cell()).prop_map(Frame::Goals),
        cell().prop_map(Frame::Next),
        wall.prop_map(|(cell, side, fact)| Frame::Wall(cell, side, fact)),
        load().prop_map(Frame::Load),
        one_of(&Fault::ALL).prop_map(Frame::Fault),
        Just(Frame::Cleared),
        map.prop_map(|(offset, bytes, total)| Frame::Map {
            offset,
            bytes,
            total
        }),
        Just(Frame::Forgotten),
        stored().prop_map(Frame::Stored),
        any::<u16>().prop_map(Frame::Accepted),
        (any::<Option<u16>>(), one_of(&REFUSALS))
            .prop_map(|(number, why)| Frame::Refused { number, why }),
        any::<u32>().prop_map(Frame::Lost),
    ]
}

fn calibration() -> impl Strategy<Value = Calibration> {
    any::<(u32, u32, u16, u8, u8)>().prop_map(
        |(nm_per_count, track_um, range_permille, blocked_at, free_at)| Calibration {
            nm_per_count,
            track_um,
            range_permille,
            blocked_at,
            free_at,
        },
    )
}

/// Any command, valid or not.
pub fn command() -> impl Strategy<Value = Command> {
    let mission = prop_oneof![
        cell().prop_map(Mission::GoTo),
        Just(Mission::Home),
        some::<_, STOPS>(cell()).prop_map(Mission::Patrol),
        some::<_, STOPS>(cell()).prop_map(Mission::Explore),
    ];
    prop_oneof![
        cell().prop_map(Command::SetGoal),
        mission.prop_map(Command::SetMission),
        Just(Command::Start),
        Just(Command::Stop),
        Just(Command::Home),
        Just(Command::ForgetMap),
        Just(Command::GetMap),
        calibration().prop_map(Command::SetCalibration),
    ]
}
