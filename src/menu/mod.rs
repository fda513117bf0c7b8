//! Menu on the display. C turns to the next page, A does what the page says, B stops and returns to the
//! first page; A held for a second says that the robot stands at its home, on every page.
//!
//! A page is a variant of `Page` with two functions: [`Menu::screen`] shows it, [`Menu::act`] returns the
//! commands of button A. Pages of one subject share a file: `missions`, `calibration`, `settings`,
//! `bring_up`.

mod bring_up;
mod calibration;
mod missions;
mod settings;
mod status;

use heapless::Vec;

use self::{
    bring_up::BringUp, calibration::CalibrationPage, missions::MissionPage, settings::SettingsPage,
};
use crate::{
    boards::BoardConfig,
    calibrator::Routine,
    robot::{Buttons, Screen},
    settings::Settings,
    signals::Signals,
    telemetry::Command,
};

/// Most commands of one press.
pub const COMMANDS: usize = 2;

/// Commands of a press, in order.
pub type Commands = Vec<Command, COMMANDS>;

/// Page of the menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Page {
    /// State of the robot; A starts the mission.
    Status,
    /// A starts this mission.
    Mission(MissionPage),
    /// A says that the robot stands at its home.
    Home,
    /// A changes or applies a setting.
    Settings(SettingsPage),
    /// A starts a calibration routine, or changes the gears.
    Calibration(CalibrationPage),
    /// Raw sensor values, and motors that A drives.
    BringUp(BringUp),
}

/// All pages, in the order in which C turns them.
const PAGES: [Page; 24] = [
    Page::Status,
    Page::Mission(MissionPage::GoTo),
    Page::Mission(MissionPage::Explore),
    Page::Mission(MissionPage::Home),
    Page::Home,
    Page::BringUp(BringUp::Sensors),
    Page::BringUp(BringUp::Odometry),
    Page::BringUp(BringUp::Buttons),
    Page::BringUp(BringUp::MOTORS[0]),
    Page::BringUp(BringUp::MOTORS[1]),
    Page::BringUp(BringUp::MOTORS[2]),
    Page::BringUp(BringUp::MOTORS[3]),
    Page::Calibration(CalibrationPage::Routine(Routine::ALL[0])),
    Page::Calibration(CalibrationPage::Routine(Routine::ALL[1])),
    Page::Calibration(CalibrationPage::Routine(Routine::ALL[2])),
    Page::Calibration(CalibrationPage::Routine(Routine::ALL[3])),
    Page::Calibration(CalibrationPage::Routine(Routine::ALL[4])),
    Page::Calibration(CalibrationPage::Gear),
    Page::Calibration(CalibrationPage::Reset),
    Page::Settings(SettingsPage::Size),
    Page::Settings(SettingsPage::Cell),
    Page::Settings(SettingsPage::Start),
    Page::Settings(SettingsPage::Goal),
    Page::Settings(SettingsPage::Exploration),
];

/// Menu of a robot.
#[derive(Clone, Debug)]
pub struct Menu {
    board: &'static BoardConfig,
    /// Index of the current page.
    at: usize,
    /// Settings that were changed but not applied.
    draft: Option<Settings>,
}

impl Menu {
    /// Menu on its first page.
    #[must_use]
    pub const fn new(board: &'static BoardConfig) -> Self {
        Self {
            board,
            at: 0,
            draft: None,
        }
    }

    /// Returns to the first page; settings that were not applied are dropped.
    pub fn close(&mut self) {
        (self.at, self.draft) = (0, None);
    }

    /// Turns to the next page. Changed settings are applied on the page after the last of them.
    pub fn next(&mut self) {
        self.at += 1;
        if self.at > PAGES.len() || (self.at == PAGES.len() && self.draft.is_none()) {
            self.close();
        }
    }

    fn page(&self) -> Page {
        let page = PAGES.get(self.at).copied();
        page.unwrap_or(Page::Settings(SettingsPage::Apply))
    }

    /// Commands of button A on this page.
    pub fn act(&mut self, signals: &Signals) -> Commands {
        match self.page() {
            Page::Status => Vec::from_array([Command::Start]),
            Page::Mission(mission) => mission.commands(&signals.settings()),
            Page::Home => Vec::from_array([Command::PlacedAtHome]),
            Page::Settings(SettingsPage::Apply) => {
                let draft = self.draft.take();
                self.close();
                draft.map(Command::SetSettings).into_iter().collect()
            }
            Page::Settings(setting) => {
                let current = self.draft.take().unwrap_or_else(|| signals.settings());
                self.draft = Some(setting.changed(&current, self.board));
                Vec::new()
            }
            Page::Calibration(page) => Vec::from_array([page.command(signals)]),
            Page::BringUp(page) => page.command().into_iter().collect(),
        }
    }

    /// Screen of this page. `buttons` are those that are pressed.
    #[must_use]
    pub fn screen(&self, signals: &Signals, buttons: Buttons) -> Screen {
        let mut screen = Screen::default();
        let lines = &mut screen.lines;
        match self.page() {
            // A fault is shown whatever the page.
            _ if signals.fault().is_some() => status::show(signals, lines),
            Page::Status => status::show(signals, lines),
            Page::Mission(mission) => mission.show(&signals.settings(), lines),
            Page::Home => status::show_home(&signals.field(), lines),
            Page::Settings(setting) => {
                let settings = self.draft.clone().unwrap_or_else(|| signals.settings());
                setting.show(&settings, lines);
            }
            Page::Calibration(page) => page.show(signals, lines),
            Page::BringUp(page) => page.show(signals, buttons, lines),
        }
        screen
    }
}

/// Lines of a screen.
type Lines = [heapless::String<{ Screen::COLUMNS }>; Screen::LINES];

/// Writes a line. What does not fit is cut.
macro_rules! line {
    ($line:expr, $($text:tt)*) => {{
        use core::fmt::Write;
        let _ = ::core::write!($line, $($text)*);
    }};
}
use line;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{boards::ZUMO2040, mission::Mission};

    #[test]
    fn c_walks_through_all_pages_and_back_to_the_first() {
        let signals = Signals::new(ZUMO2040.calibration);
        let mut menu = Menu::new(&ZUMO2040);
        for page in PAGES {
            assert_eq!(menu.page(), page);
            let screen = menu.screen(&signals, Buttons::default());
            assert!(!screen.lines[0].is_empty(), "{page:?}");
            menu.next();
        }
        assert_eq!(menu.page(), Page::Status);
    }

    #[test]
    fn changed_settings_are_applied_on_a_page_of_their_own() {
        let signals = Signals::new(ZUMO2040.calibration);
        let mut menu = Menu::new(&ZUMO2040);
        while menu.page() != Page::Settings(SettingsPage::Size) {
            menu.next();
        }
        assert_eq!(menu.act(&signals), []);
        while menu.page() != Page::Settings(SettingsPage::Apply) {
            menu.next();
        }
        let expected = Settings::default().with_next_size();
        assert_eq!(menu.act(&signals), [Command::SetSettings(expected)]);
        assert_eq!(menu.page(), Page::Status);
        assert_eq!(menu.draft, None);
    }

    #[test]
    fn closing_the_menu_drops_changed_settings() {
        let signals = Signals::new(ZUMO2040.calibration);
        let mut menu = Menu::new(&ZUMO2040);
        menu.at = PAGES.len() - 1;
        menu.act(&signals);
        assert!(menu.draft.is_some());
        menu.close();
        assert_eq!((menu.page(), &menu.draft), (Page::Status, &None));
    }

    #[test]
    fn a_mission_page_sets_and_starts_its_mission() {
        let signals = Signals::new(ZUMO2040.calibration);
        let mut menu = Menu::new(&ZUMO2040);
        menu.next();
        let goal = crate::config::GOAL;
        let set = Command::SetMission(Mission::GoTo(goal));
        assert_eq!(menu.act(&signals), [set, Command::Start]);
    }
}
