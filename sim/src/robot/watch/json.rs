//! What happens, as scripts read it.

use planner_core::{Cell, map::Fact};
use serde_json::{Value, json};
use tinystar::{
    fault::Fault,
    mission::Activity,
    report::{Frame, Refusal, Stored},
};

use super::{Event, Heard, Tally, words};

/// What happened, as one object; `tally` is what it was counted into.
#[must_use]
pub fn object(event: &Event, tally: Tally) -> Value {
    let bad = |why: &str| json!({"damaged": why, "count": tally.damaged});
    match event {
        Event::There => json!({"link": "there"}),
        Event::Gone(why) => json!({"link": "gone", "why": why}),
        Event::Sent(number, command) => {
            json!({"sent": words::command(command), "number": number})
        }
        Event::Heard(Heard::Bad(why)) => bad(words::bad(*why)),
        Event::Heard(Heard::Cut) => bad("cut"),
        Event::Heard(Heard::Frame {
            number,
            missing,
            frame,
        }) => {
            let mut object = of_frame(frame);
            object["number"] = json!(number);
            if *missing > 0 {
                object["missing"] = json!(missing);
            }
            object
        }
        Event::Ended => json!({
            "frames": tally.frames,
            "damaged": tally.damaged,
            "missing": tally.missing,
            "lost": tally.lost,
            "restarts": tally.restarts,
        }),
    }
}

fn of_frame(frame: &Frame) -> Value {
    match frame {
        Frame::Hello {
            protocol,
            field,
            stored,
        } => json!({
            "frame": "hello",
            "protocol": protocol,
            "width": field.width,
            "height": field.height,
            "home": pair(field.home),
            "heading": words::side(field.heading),
            "stored": stored.map(of_stored),
        }),
        Frame::State(state) => json!({
            "frame": "state",
            "ms": state.ms,
            "at": pair(state.at),
            "heading": words::side(state.heading),
            "along_mm": state.along_mm,
            "aside_mm": state.aside_mm,
            "turned_deg": f64::from(state.turned_ddeg) / 10.0,
            "activity": of_activity(state.activity),
            "fault": state.fault.map(Fault::code),
            "battery_mv": state.battery_mv,
        }),
        Frame::Goals(goals) => {
            let goals: Vec<_> = goals.iter().copied().map(pair).collect();
            json!({"frame": "goals", "goals": goals})
        }
        Frame::Next(cell) => json!({"frame": "next", "cell": pair(*cell)}),
        Frame::Wall(cell, side, fact) => json!({
            "frame": "wall",
            "cell": pair(*cell),
            "side": words::side(*side),
            "fact": match fact {
                Fact::Unknown => "unknown",
                Fact::Free => "free",
                Fact::Blocked => "blocked",
            },
        }),
        Frame::Load(load) => json!({
            "frame": "load",
            "ticks": load.ticks,
            "expansions": load.expansions,
            "requeues": load.requeues,
            "worst_expansions": load.worst_expansions,
            "worst_requeues": load.worst_requeues,
            "worst_us": load.worst_us,
        }),
        Frame::Fault(fault) => {
            json!({"frame": "fault", "code": fault.code(), "text": fault.text()})
        }
        Frame::Cleared => json!({"frame": "cleared"}),
        Frame::Map {
            offset,
            bytes,
            total,
        } => json!({"frame": "map", "offset": offset, "bytes": &bytes[..], "total": total}),
        Frame::Forgotten => json!({"frame": "forgotten"}),
        Frame::Stored(stored) => json!({"frame": "stored", "stored": of_stored(*stored)}),
        Frame::Accepted(number) => json!({"frame": "accepted", "command": number}),
        Frame::Refused { number, why } => json!({
            "frame": "refused",
            "command": number,
            "why": of_refusal(*why),
            "text": words::refusal(*why),
        }),
        Frame::Lost(lost) => json!({"frame": "lost", "lost": lost}),
    }
}

fn pair(cell: Cell) -> [u16; 2] {
    [cell.x, cell.y]
}

fn of_activity(activity: Activity) -> &'static str {
    match activity {
        Activity::Idle => "idle",
        Activity::Going => "going",
        Activity::NoPath => "no-path",
        Activity::Done => "done",
        Activity::Faulty => "faulty",
    }
}

fn of_stored(stored: Stored) -> &'static str {
    match stored {
        Stored::Empty => "empty",
        Stored::Loaded => "loaded",
        Stored::Foreign => "foreign",
        Stored::Damaged => "damaged",
        Stored::Saved => "saved",
        Stored::Failed => "failed",
    }
}

fn of_refusal(why: Refusal) -> &'static str {
    match why {
        Refusal::OutOfOrder => "out-of-order",
        Refusal::Damaged => "damaged",
        Refusal::TooLong => "too-long",
        Refusal::Unknown => "unknown",
        Refusal::Invalid => "invalid",
        Refusal::Moving => "moving",
        Refusal::Faulty => "faulty",
        Refusal::Busy => "busy",
    }
}
