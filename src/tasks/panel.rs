//! Serves the buttons, the menu on the display, the LED and the buzzer.

use embassy_time::{Instant, Ticker};

use crate::{
    boards::BoardConfig,
    config::{BLINK, LONG_PRESS, NOTE, PANEL_PERIOD, SCREEN_EVERY},
    fault::Fault,
    menu::Menu,
    mission::Activity,
    robot::{Buttons, Panel},
    signals::{Signals, Task},
    telemetry::Command,
};

/// Notes of a start, in hertz.
const STARTED: &[u16] = &[880];
/// Notes of a mission that is done.
const DONE: &[u16] = &[660, 880, 1320];
/// Notes of a robot that knows its pose again.
const AT_HOME: &[u16] = &[880, 660];
/// Notes of a fault.
const ALARM: &[u16] = &[440, 0, 440, 0, 440];

/// Serves the panel: see [`menu`](crate::menu) for what the buttons do. They are read while a tone plays.
pub async fn panel(signals: &Signals, board: &'static BoardConfig, panel: &mut impl Panel) -> ! {
    let mut ticker = Ticker::every(PANEL_PERIOD);
    let mut presses = Presses::default();
    let mut menu = Menu::new(board);
    let mut melody = Melody::default();
    let mut blinks = Blinks::default();
    let mut shown = None;
    let mut last = Activity::Idle;
    let mut round: u32 = 0;
    loop {
        let now = Instant::now();
        let buttons = panel.buttons().await;
        for press in presses.update(buttons, now).into_iter().flatten() {
            match press {
                Press::Stop => {
                    signals.stop();
                    menu.close();
                }
                Press::Next => menu.next(),
                Press::Act if signals.fault().is_some() => send(signals, Command::ClearFault),
                Press::Act => menu
                    .act(signals)
                    .into_iter()
                    .for_each(|command| send(signals, command)),
                Press::AtHome => send(signals, Command::PlacedAtHome),
            }
        }
        let activity = signals
            .state()
            .map_or(Activity::Idle, |state| state.activity);
        if activity != last {
            match (last, activity) {
                (_, Activity::Starting) => melody.play(STARTED, now),
                (_, Activity::Done) => melody.play(DONE, now),
                (_, Activity::Faulty) => melody.play(ALARM, now),
                (Activity::Lost | Activity::Faulty, Activity::Idle) => melody.play(AT_HOME, now),
                _ => {}
            }
            last = activity;
        }
        if let Some(hertz) = melody.update(now) {
            panel.tone(hertz);
        }
        panel.led(match signals.fault() {
            Some(fault) => blinks.is_on(fault, now),
            None => activity.is_active(),
        });
        if round.is_multiple_of(SCREEN_EVERY) {
            let screen = menu.screen(signals, buttons);
            if shown.as_ref() != Some(&screen) {
                panel.show(&screen).await;
                shown = Some(screen);
            }
        }
        round = round.wrapping_add(1);
        signals.check_in(Task::Panel);
        ticker.next().await;
    }
}

/// Sends a command. If the channel is full, the robot is busy and the person presses again.
fn send(signals: &Signals, command: Command) {
    let _ = signals.commands.try_send((None, command));
}

/// Press of a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Press {
    /// B, at its first reading.
    Stop,
    /// C.
    Next,
    /// A, at its release.
    Act,
    /// A, held.
    AtHome,
}

/// Detects presses in button readings.
#[derive(Default)]
struct Presses {
    /// Last reading.
    before: Buttons,
    /// Buttons that are down by two equal readings.
    held: Buttons,
    /// Since when A is down; `None` also after its long press.
    since: Option<Instant>,
}

impl Presses {
    fn update(&mut self, now: Buttons, at: Instant) -> [Option<Press>; 3] {
        let before = core::mem::replace(&mut self.before, now);
        // A stop needs no second reading: one too many does no harm.
        let stop = (now.b && !before.b).then_some(Press::Stop);
        // Two equal readings debounce a contact.
        let settled = |now, before, held| if now == before { now } else { held };
        let held = self.held;
        self.held = Buttons {
            a: settled(now.a, before.a, held.a),
            b: now.b,
            c: settled(now.c, before.c, held.c),
        };
        let next = (self.held.c && !held.c).then_some(Press::Next);
        if self.held.a && !held.a {
            self.since = Some(at);
        }
        let is_long = |since: Instant| at.saturating_duration_since(since) >= LONG_PRESS;
        let press = match self.since {
            Some(_) if !self.held.a => Some(Press::Act),
            Some(since) if is_long(since) => Some(Press::AtHome),
            _ => None,
        };
        if press.is_some() {
            self.since = None;
        }
        [stop, next, press]
    }
}

/// Notes that are being played.
#[derive(Default)]
struct Melody {
    notes: &'static [u16],
    begun: Option<Instant>,
    /// Note that sounds.
    hertz: u32,
}

impl Melody {
    fn play(&mut self, notes: &'static [u16], now: Instant) {
        (self.notes, self.begun) = (notes, Some(now));
    }

    /// Frequency to sound from now on, if it changes.
    fn update(&mut self, now: Instant) -> Option<u32> {
        let played = now.saturating_duration_since(self.begun?);
        let note = played.as_ticks() / NOTE.as_ticks();
        let hertz = usize::try_from(note).ok().and_then(|n| self.notes.get(n));
        if hertz.is_none() {
            self.begun = None;
        }
        let hertz = hertz.map_or(0, |&hertz| u32::from(hertz));
        let before = core::mem::replace(&mut self.hertz, hertz);
        (hertz != before).then_some(hertz)
    }
}

/// Blinks of the LED that tell a fault code, for a robot without a display: a long one for ten, short ones
/// for one, then a pause.
#[derive(Default)]
struct Blinks {
    begun: Option<(Fault, Instant)>,
}

impl Blinks {
    fn is_on(&mut self, fault: Fault, now: Instant) -> bool {
        let begun = match self.begun {
            Some((same, begun)) if same == fault => begun,
            _ => now,
        };
        self.begun = Some((fault, begun));
        let (tens, ones) = (u64::from(fault.code() / 10), u64::from(fault.code() % 10));
        // A blink is followed by a gap as long; a long one lasts three times as long.
        let (long, short) = (4, 2);
        let period = tens * long + ones * short + 4;
        let at = now.saturating_duration_since(begun).as_ticks() / BLINK.as_ticks() % period;
        match at.checked_sub(tens * long) {
            None => at % long < 3,
            Some(at) => at < ones * short && at % short < 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use embassy_time::Duration;
    use heapless::Vec;

    use super::*;

    const NONE: Buttons = Buttons {
        a: false,
        b: false,
        c: false,
    };

    /// Presses with their times in milliseconds, for buttons that are down in an interval.
    fn presses(buttons: Buttons, down: core::ops::Range<u64>) -> Vec<(u64, Press), 8> {
        let mut presses = Presses::default();
        let mut seen = Vec::new();
        for ms in (0..3000).step_by(PANEL_PERIOD.as_millis() as usize) {
            let now = if down.contains(&ms) { buttons } else { NONE };
            for press in presses
                .update(now, Instant::from_millis(ms))
                .into_iter()
                .flatten()
            {
                seen.push((ms, press)).unwrap();
            }
        }
        seen
    }

    #[test]
    fn a_acts_on_release_or_when_it_is_held_but_not_both() {
        let a = Buttons { a: true, ..NONE };
        assert_eq!(presses(a, 100..300)[..], [(310, Press::Act)]);
        assert_eq!(presses(a, 100..2500)[..], [(1110, Press::AtHome)]);
        assert_eq!(presses(a, 100..110)[..], [], "a bounce");
    }

    #[test]
    fn b_acts_at_its_first_reading() {
        let b = Buttons { b: true, ..NONE };
        assert_eq!(presses(b, 100..110)[..], [(100, Press::Stop)]);
        assert_eq!(presses(b, 100..2500)[..], [(100, Press::Stop)]);
    }

    #[test]
    fn c_acts_once() {
        let c = Buttons { c: true, ..NONE };
        assert_eq!(presses(c, 100..2500)[..], [(110, Press::Next)]);
    }

    #[test]
    fn a_melody_plays_its_notes_and_ends_in_silence() {
        let mut melody = Melody::default();
        let mut heard: Vec<u32, 8> = Vec::new();
        melody.play(DONE, Instant::from_millis(50));
        for ms in (50..1000).step_by(10) {
            heard.extend(melody.update(Instant::from_millis(ms)));
        }
        assert_eq!(heard[..], [660, 880, 1320, 0]);
    }

    #[test]
    fn the_led_blinks_the_code_of_a_fault() {
        for fault in Fault::ALL {
            let mut blinks = Blinks::default();
            let mut pattern: Vec<bool, 64> = Vec::new();
            for step in 0..30 {
                let now = Instant::from_millis(700) + BLINK * step + Duration::from_millis(3);
                pattern.push(blinks.is_on(fault, now)).unwrap();
            }
            let code = fault.code();
            let mut expected: Vec<bool, 64> = Vec::new();
            for _ in 0..code / 10 {
                expected.extend([true, true, true, false]);
            }
            for _ in 0..code % 10 {
                expected.extend([true, false]);
            }
            expected.extend([false; 4]);
            assert!(pattern.starts_with(&expected), "{code}: {pattern:?}");
            assert_eq!(pattern[expected.len()..][..1], expected[..1], "{code}");
        }
    }
}
