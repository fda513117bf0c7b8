//! Buttons, display, lamp and buzzer.

use std::{cell::RefCell, rc::Rc};

use embassy_time::{Duration, Instant, Timer};
use tinystar::robot::{Buttons, Panel, Screen, Tone};

/// How long a screen takes to be sent: a kilobyte over SPI.
const SHOW: Duration = Duration::from_millis(2);
/// How long a tone is.
const TONE: Duration = Duration::from_millis(200);

/// Somebody presses buttons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ButtonPress {
    /// Which.
    pub buttons: Buttons,
    /// From when on ...
    pub from: Instant,
    /// ... for how long.
    pub held: Duration,
}

impl ButtonPress {
    /// A press as people press.
    #[must_use]
    pub fn at(from: Instant, buttons: Buttons) -> Self {
        Self {
            buttons,
            from,
            held: Duration::from_millis(150),
        }
    }
}

/// What a person has seen and heard.
#[derive(Clone, Debug, Default)]
pub struct PanelState {
    /// What the display shows.
    pub screen: Screen,
    /// Whether the lamp is on.
    pub lamp: bool,
    /// All tones, in turn.
    pub tones: Vec<Tone>,
}

/// A panel of which the buttons are pressed as planned.
#[derive(Debug, Default)]
pub struct SimPanel {
    presses: Vec<ButtonPress>,
    shown: Rc<RefCell<PanelState>>,
}

impl SimPanel {
    /// A panel on which these buttons will be pressed.
    #[must_use]
    pub fn new(presses: Vec<ButtonPress>) -> Self {
        Self {
            presses,
            shown: Rc::default(),
        }
    }

    /// What is shown, to be looked at while the panel is in use.
    #[must_use]
    pub fn shown(&self) -> Rc<RefCell<PanelState>> {
        Rc::clone(&self.shown)
    }
}

impl Panel for SimPanel {
    async fn buttons(&mut self) -> Buttons {
        let now = Instant::now();
        let is_held = |press: &&ButtonPress| press.from <= now && now < press.from + press.held;
        self.presses
            .iter()
            .find(is_held)
            .map_or(Buttons::default(), |press| press.buttons)
    }

    async fn show(&mut self, screen: &Screen) {
        Timer::after(SHOW).await;
        self.shown.borrow_mut().screen.clone_from(screen);
    }

    fn led(&mut self, on: bool) {
        self.shown.borrow_mut().lamp = on;
    }

    async fn play(&mut self, tone: Tone) {
        self.shown.borrow_mut().tones.push(tone);
        Timer::after(TONE).await;
    }
}
