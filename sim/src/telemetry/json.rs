//! Telemetry as JSON.

use planner_core::Cell;
use serde::Serialize;
use serde_json::{Value, json};
use tinystar::{fault::Fault, robot::Interval, telemetry::Frame};

use super::{Event, LinkStats, Received, text};

/// JSON object of an event.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Object {
    /// Intact frame.
    Frame {
        /// Kind of the frame.
        frame: &'static str,
        /// Number of the frame.
        number: u16,
        /// Frames missing before it.
        #[serde(skip_serializing_if = "Option::is_none")]
        missing: Option<u16>,
        /// Content.
        #[serde(flatten)]
        says: Value,
    },
    /// Any other event.
    Other(Value),
}

/// JSON object of an event; `stats` include it.
pub fn object(event: &Event, stats: LinkStats) -> Object {
    let bad = |why: &str| json!({"damaged": why, "count": stats.damaged});
    Object::Other(match event {
        Event::Connected => json!({"link": "there"}),
        Event::Disconnected(why) => json!({"link": "gone", "why": why}),
        Event::Sent(number, command) => {
            json!({"sent": text::command(command), "number": number})
        }
        Event::Received(Received::Invalid(why)) => bad(text::decode_error(*why)),
        Event::Received(Received::Truncated) => bad("cut"),
        Event::Received(Received::Frame {
            number,
            missing,
            frame,
        }) => {
            let (frame, says) = of_frame(frame);
            return Object::Frame {
                frame,
                number: *number,
                missing: Some(*missing).filter(|&missing| missing > 0),
                says,
            };
        }
        Event::Ended => json!(stats),
    })
}

/// Kind and content of a frame.
fn of_frame(frame: &Frame) -> (&'static str, Value) {
    match frame {
        Frame::Hello {
            protocol,
            field,
            stored,
        } => (
            "hello",
            json!({
                "protocol": protocol,
                "width": field.width,
                "height": field.height,
                "home": pair(field.home),
                "heading": field.heading,
                "stored": stored,
            }),
        ),
        Frame::State(state) => (
            "state",
            json!({
                "ms": state.ms,
                "at": pair(state.at),
                "heading": state.heading,
                "along_mm": state.forward_mm,
                "aside_mm": state.lateral_mm,
                "turned_deg": f64::from(state.yaw_ddeg) / 10.0,
                "speed_mm_s": state.speed_mm_s,
                "activity": state.activity,
                "fault": state.fault.map(Fault::code),
                "battery_mv": state.battery_mv,
            }),
        ),
        Frame::Goals(goals) => ("goals", json!({"goals": pairs(goals)})),
        Frame::Next(cell) => ("next", json!({"cell": pair(*cell)})),
        Frame::Wall(cell, side, occupancy) => (
            "wall",
            json!({"cell": pair(*cell), "side": side, "fact": occupancy}),
        ),
        Frame::Load(load) => ("load", json!(load)),
        Frame::Fault(fault) => ("fault", json!({"code": fault.code(), "text": fault.text()})),
        Frame::Cleared => ("cleared", json!({})),
        Frame::Map {
            offset,
            bytes,
            total,
        } => (
            "map",
            json!({"offset": offset, "bytes": &bytes[..], "total": total}),
        ),
        Frame::Forgotten => ("forgotten", json!({})),
        Frame::Stored(stored) => ("stored", json!({"stored": stored})),
        Frame::Accepted(number) => ("accepted", json!({"command": number})),
        Frame::Refused { number, why } => (
            "refused",
            json!({"command": number, "why": why, "text": text::refusal(*why)}),
        ),
        Frame::Lost(lost) => ("lost", json!({"lost": lost})),
        Frame::Sensors(sensors) => (
            "sensors",
            json!({
                "ms": sensors.ms,
                "raw": sensors.raw,
                "left_um": of_interval(sensors.distances.left),
                "front_um": of_interval(sensors.distances.front),
                "right_um": of_interval(sensors.distances.right),
                "counts": sensors.counts,
                "yaw_rate": sensors.yaw_rate,
                "yaw_bias": sensors.yaw_bias,
                "duty": sensors.duty,
                "battery_mv": sensors.battery_mv,
            }),
        ),
        Frame::Calibration(calibration, progress) => (
            "calibration",
            json!({"calibration": calibration, "progress": text::progress(*progress)}),
        ),
        Frame::Settings(settings) => (
            "settings",
            json!({
                "width": settings.field.width,
                "height": settings.field.height,
                "home": pair(settings.field.home),
                "heading": settings.field.heading,
                "cell_mm": settings.cell_mm,
                "goals": pairs(&settings.goals),
                "explores_by_time": settings.explores_by_time,
            }),
        ),
        Frame::Doubted => ("doubted", json!({})),
    }
}

/// Ends of an interval; the far one is null if nothing is in range, and all is null if it is unclear.
fn of_interval(interval: Option<Interval>) -> Option<[Option<i32>; 2]> {
    interval.map(|Interval { near, far }| [Some(near), (far < Interval::FAR).then_some(far)])
}

fn pair(cell: Cell) -> [u16; 2] {
    [cell.x, cell.y]
}

fn pairs(cells: &[Cell]) -> Vec<[u16; 2]> {
    cells.iter().copied().map(pair).collect()
}
