//! The window as eframe runs it.

use crate::{App, Settings, Watch};

/// The storage key of the settings.
const SETTINGS: &str = "tinystar";

/// The stored settings, or the defaults.
pub fn remembered(cc: &eframe::CreationContext<'_>) -> Settings {
    cc.storage
        .and_then(|storage| storage.get_string(SETTINGS))
        // Those of a version that stored something else are lost.
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}

/// Sets the theme that a command line names, if any.
pub fn set_theme(ctx: &egui::Context, theme: Option<&str>) {
    match theme {
        Some("dark") => ctx.set_theme(egui::Theme::Dark),
        Some(_) => ctx.set_theme(egui::Theme::Light),
        None => {}
    }
}

impl eframe::App for Watch {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        Watch::ui(self, ui);
    }
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        App::ui(self, ui);
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        // There is nothing in them that JSON cannot hold.
        if let Ok(text) = serde_json::to_string(self.settings()) {
            storage.set_string(SETTINGS, text);
        }
    }
}
