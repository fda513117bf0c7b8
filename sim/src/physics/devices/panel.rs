//! Simulated buttons, display, LED and buzzer.

use std::{cell::RefCell, rc::Rc};

use embassy_time::{Duration, Instant, Timer};
use tinystar::robot::{Buttons, Panel, Screen, Tone};

/// Duration of a display update: a kilobyte over SPI.
const SHOW: Duration = Duration::from_millis(2);
/// Duration of a tone.
const TONE: Duration = Duration::from_millis(200);

/// Scheduled button press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ButtonPress {
    /// Pressed buttons.
    pub buttons: Buttons,
    /// Start.
    pub from: Instant,
    pub held: Duration,
}

impl ButtonPress {
    /// Press of a typical duration.
    #[must_use]
    pub fn at(from: Instant, buttons: Buttons) -> Self {
        Self {
            buttons,
            from,
            held: Duration::from_millis(150),
        }
    }
}

/// Outputs of the panel.
#[derive(Clone, Debug, Default)]
pub struct PanelState {
    /// Text on the display.
    pub screen: Screen,
    /// Whether the LED is on.
    pub led: bool,
    /// Tones played.
    pub tones: Vec<Tone>,
}

/// Panel with scheduled button presses.
#[derive(Debug, Default)]
pub struct SimPanel {
    presses: Vec<ButtonPress>,
    state: Rc<RefCell<PanelState>>,
}

impl SimPanel {
    /// Panel with a schedule of presses.
    #[must_use]
    pub fn new(presses: Vec<ButtonPress>) -> Self {
        Self {
            presses,
            state: Rc::default(),
        }
    }

    /// Outputs, shared with the panel in use.
    #[must_use]
    pub fn state(&self) -> Rc<RefCell<PanelState>> {
        Rc::clone(&self.state)
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
        self.state.borrow_mut().screen.clone_from(screen);
    }

    fn led(&mut self, on: bool) {
        self.state.borrow_mut().led = on;
    }

    async fn play(&mut self, tone: Tone) {
        self.state.borrow_mut().tones.push(tone);
        Timer::after(TONE).await;
    }
}
