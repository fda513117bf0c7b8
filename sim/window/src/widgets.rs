//! Parts that the windows share: rows, panels, buttons and headings.

use egui::{
    Align, Button, CentralPanel, Color32, Context, Frame, Grid, Layout, Margin, Panel, Response,
    RichText, ScrollArea, ThemePreference, Ui, Window, vec2,
};

use crate::keys;

/// A row of buttons at the top.
pub(crate) fn bar(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    ui.add_space(3.0);
    ui.horizontal(add);
    ui.add_space(3.0);
}

/// The panel on the left.
pub(crate) fn side_panel(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    let panel = Panel::left("side").resizable(false).exact_size(248.0);
    panel.show(ui, |ui| ScrollArea::vertical().show(ui, add));
}

/// The panel of plots below the map, which can be folded to one row.
pub(crate) fn plots_panel(ui: &mut Ui, is_open: &mut bool, add: impl FnOnce(&mut Ui)) {
    if !*is_open {
        Panel::bottom("folded plots").show(ui, |ui| {
            *is_open = ui.small_button("Show plots").clicked();
        });
        return;
    }
    let panel = Panel::bottom("plots").resizable(true).default_size(160.0);
    panel.size_range(100.0..=400.0).show(ui, |ui| {
        *is_open = !ui.small_button("Hide plots").clicked();
        add(ui);
    });
}

/// The rest of the window.
pub(crate) fn map_panel(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    let frame = Frame::central_panel(ui.style()).inner_margin(Margin::same(6));
    CentralPanel::default().frame(frame).show(ui, add);
}

/// A button that opens the help, at the right end of a row.
pub(crate) fn help_button(ui: &mut Ui, is_open: &mut bool) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        *is_open ^= button(ui, "?", "Keys and mouse");
    });
}

/// Shows the help on keys and mouse while it is open.
pub(crate) fn help(ctx: &Context, is_open: &mut bool, keys: &[keys::Row], mouse: &[(&str, &str)]) {
    Window::new("Keys and mouse")
        .open(is_open)
        .collapsible(false)
        .resizable(false)
        .anchor(egui::Align2::CENTER_CENTER, vec2(0.0, 0.0))
        .show(ctx, |ui| {
            ScrollArea::vertical().show(ui, |ui| {
                Grid::new("keys")
                    .num_columns(2)
                    .spacing(vec2(18.0, 5.0))
                    .striped(true)
                    .show(ui, |ui| {
                        let keys = keys.iter().map(|&(_, name, what, _)| (name, what));
                        for (key, what) in keys.chain(mouse.iter().copied()) {
                            ui.label(RichText::new(key).strong());
                            ui.label(what);
                            ui.end_row();
                        }
                    })
            });
        });
}

/// A choice of themes; returns whether it is the dark one, or `None` for that of the system.
pub(crate) fn themes(ui: &mut Ui) -> Option<bool> {
    let mut theme = ui.ctx().options(|options| options.theme_preference);
    ui.horizontal(|ui| {
        for (choice, name) in [
            (ThemePreference::Light, "light"),
            (ThemePreference::Dark, "dark"),
            (ThemePreference::System, "system"),
        ] {
            if ui.selectable_value(&mut theme, choice, name).clicked() {
                ui.ctx().set_theme(theme);
            }
        }
    });
    match theme {
        ThemePreference::Light => Some(false),
        ThemePreference::Dark => Some(true),
        ThemePreference::System => None,
    }
}

/// A check box with the color of what it shows.
pub(crate) fn shown(ui: &mut Ui, is_shown: &mut bool, color: Color32, name: &str) {
    ui.horizontal(|ui| {
        ui.checkbox(is_shown, name);
        let (rect, _) = ui.allocate_exact_size(vec2(14.0, 10.0), egui::Sense::hover());
        ui.painter().rect_filled(rect, 2.0, color);
    });
}

pub(crate) fn button(ui: &mut Ui, text: &str, hint: &str) -> bool {
    ui.button(text).on_hover_text(hint).clicked()
}

/// A button to play or pause; `true` when it is clicked.
pub(crate) fn play_button(ui: &mut Ui, is_playing: bool) -> bool {
    let text = match is_playing {
        true => "Pause",
        false => "Play",
    };
    let button = Button::new(RichText::new(text).strong()).min_size(vec2(74.0, 0.0));
    ui.add(button).on_hover_text("Space").clicked()
}

pub(crate) fn heading(ui: &mut Ui, text: &str) -> Response {
    ui.add_space(7.0);
    let title = ui.label(RichText::new(text).strong().size(15.0));
    ui.add_space(1.0);
    title
}

/// A hint, when there is no map.
pub(crate) fn nothing(ui: &mut Ui, text: &str) {
    ui.centered_and_justified(|ui| {
        ui.label(RichText::new(text).size(18.0).weak());
    });
}
