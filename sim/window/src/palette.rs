//! The colors, by day and by night.

use egui::Color32;

/// One set of colors. What is drawn over the map stands out on all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    pub unknown: Color32,
    pub free: Color32,
    pub blocked: Color32,
    /// Laid over cells that were searched.
    pub searched: Color32,
    /// Laid over cells that the robot has been on.
    pub walked: Color32,
    /// Cells of the open list.
    pub open: Color32,
    /// Cells that the last tick expanded.
    pub fresh: Color32,
    pub trail: Color32,
    pub plan: Color32,
    pub start: Color32,
    pub goal: Color32,
    pub robot: Color32,
    /// Around discs, so that they are seen on any ground.
    pub rim: Color32,
    /// Lines between cells.
    pub grid: Color32,
    /// The limit that a tick has to keep.
    pub bound: Color32,
    /// The two runs of a comparison.
    pub runs: [Color32; 2],
}

/// Opacity of [`Palette::searched`] over a cell.
pub const SEARCHED: f32 = 0.4;

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// By day.
pub const LIGHT: Palette = Palette {
    unknown: rgb(0xd5_dbe3),
    free: rgb(0xfc_fdfe),
    blocked: rgb(0x27_2e38),
    searched: rgb(0x4c_9be8),
    walked: rgb(0xf5_b971),
    open: rgb(0x8b_5cf6),
    fresh: rgb(0xf0_9a1a),
    trail: rgb(0xc2_410c),
    plan: rgb(0x0b_84a5),
    start: rgb(0x1f_6feb),
    goal: rgb(0x1a_9c46),
    robot: rgb(0xd1_242f),
    rim: rgb(0xff_ffff),
    grid: rgb(0xc4_cbd4),
    bound: rgb(0xd1_242f),
    runs: [rgb(0x1f_6feb), rgb(0xe0_7a10)],
};

/// By night.
pub const DARK: Palette = Palette {
    unknown: rgb(0x2a_323d),
    free: rgb(0x12_171e),
    blocked: rgb(0xa9_b5c3),
    searched: rgb(0x2f_6fc4),
    walked: rgb(0x8a_5a22),
    open: rgb(0xa7_8bfa),
    fresh: rgb(0xf5_b041),
    trail: rgb(0xff_9d5c),
    plan: rgb(0x41_c8e4),
    start: rgb(0x58_a6ff),
    goal: rgb(0x3f_c867),
    robot: rgb(0xff_5f66),
    rim: rgb(0x0d_1117),
    grid: rgb(0x30_3944),
    bound: rgb(0xff_5f66),
    runs: [rgb(0x58_a6ff), rgb(0xf5_b041)],
};

impl Palette {
    /// Those that suit the window.
    pub fn of(visuals: &egui::Visuals) -> &'static Self {
        match visuals.dark_mode {
            true => &DARK,
            false => &LIGHT,
        }
    }
}

/// From near to far: dark blue over green to yellow, which those who see few colors can tell apart.
const RAMP: [Color32; 6] = [
    rgb(0x3b_1c70),
    rgb(0x3a_528b),
    rgb(0x21_908c),
    rgb(0x5c_c863),
    rgb(0xb5_de2b),
    rgb(0xfd_e725),
];

/// A color for a share from 0 to 1.
pub fn ramp(share: f32) -> Color32 {
    let place = share.clamp(0.0, 1.0) * (RAMP.len() - 1) as f32;
    let below = (place as usize).min(RAMP.len() - 2);
    mix(RAMP[below], RAMP[below + 1], place - below as f32)
}

/// So much of `over` laid over `under`.
pub fn mix(under: Color32, over: Color32, share: f32) -> Color32 {
    under.lerp_to_gamma(over, share)
}

/// Black or white, whichever is read better on a ground.
pub fn ink_on(ground: Color32) -> Color32 {
    match ground.intensity() > 0.55 {
        true => rgb(0x14_181d),
        false => rgb(0xf3_f6f9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ramp_begins_and_ends_with_its_colors() {
        assert_eq!((ramp(-1.0), ramp(0.0)), (RAMP[0], RAMP[0]));
        assert_eq!((ramp(1.0), ramp(7.0)), (RAMP[5], RAMP[5]));
        assert_eq!(ramp(0.4), RAMP[2]);
    }

    #[test]
    fn colors_that_must_be_distinguished_differ() {
        for palette in [LIGHT, DARK] {
            let colors = [
                palette.unknown,
                palette.free,
                palette.blocked,
                mix(palette.free, palette.searched, SEARCHED),
                palette.open,
                palette.fresh,
            ];
            for (place, &one) in colors.iter().enumerate() {
                for &other in &colors[..place] {
                    let apart = |a: u8, b: u8| i32::from(a).abs_diff(i32::from(b));
                    let distance = apart(one.r(), other.r())
                        + apart(one.g(), other.g())
                        + apart(one.b(), other.b());
                    assert!(distance > 50, "{one:?} {other:?}");
                }
            }
        }
    }
}
