//! The window as eframe runs it.

use crate::{App, Settings, Watch};

/// The storage key of the settings.
const SETTINGS: &str = "tinystar";

/// The stored settings, or the defaults.
#[must_use]
pub fn remembered(cc: &eframe::CreationContext<'_>) -> Settings {
    cc.storage
        .and_then(|storage| eframe::get_value(storage, SETTINGS))
        .unwrap_or_default()
}

/// A window in which a robot is watched.
pub struct Watching {
    pub watch: Watch,
}

impl eframe::App for Watching {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        self.watch.ui(ui);
    }
}

/// A window that remembers its settings.
pub struct Shell {
    pub app: App,
}

impl eframe::App for Shell {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        self.app.ui(ui);
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, SETTINGS, self.app.settings());
    }
}
