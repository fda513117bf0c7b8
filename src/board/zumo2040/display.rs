//! Display, an SH1106 with 128x64 pixels, and button C on the same pin. Driver crates cannot share the pin.

use core::convert::Infallible;

use embassy_rp::{
    gpio::{Flex, Output, Pull},
    peripherals::SPI0,
    spi::{self, Async, Spi},
};
use embassy_time::{Duration, Instant, Timer, block_for};
use embedded_graphics::{
    Pixel,
    mono_font::{MonoTextStyle, ascii::FONT_8X13},
    pixelcolor::BinaryColor,
    prelude::*,
    text::{Baseline, Text},
};
use tinystar::robot::Screen;

const WIDTH: usize = 128;
const HEIGHT: usize = 64;
/// Rows of pixels in a byte.
const PAGE: usize = 8;
const BYTES: usize = WIDTH * HEIGHT / PAGE;
/// First visible column of the controller's 132.
const COLUMN: u8 = 2;
/// Time after power-on before which the controller is not ready, as in its maker's code.
const POWER_ON: Duration = Duration::from_millis(20);
/// Settling time of the shared pin and of reset.
const SETTLE: Duration = Duration::from_micros(10);

/// Mirrored in both directions as it is mounted; full contrast; not inverted; on.
const SETUP: [u8; 6] = [0xA1, 0xC8, 0x81, 0xFF, 0xA6, 0xAF];

/// Display and button C.
pub struct Display {
    spi: Spi<'static, SPI0, Async>,
    /// High for data, low for commands and when idle; the button pulls the floating pin low.
    mode: Flex<'static>,
    reset: Output<'static>,
    framebuffer: Framebuffer,
    is_set_up: bool,
}

impl Display {
    /// Display that stays off until it first shows something; `reset` is low.
    pub fn new(
        mut spi: Spi<'static, SPI0, Async>,
        mut mode: Flex<'static>,
        reset: Output<'static>,
    ) -> Self {
        // The data sheet allows a clock period of 250 ns.
        spi.set_frequency(4_000_000);
        mode.set_pull(Pull::Up);
        mode.set_low();
        mode.set_as_output();
        Self {
            spi,
            mode,
            reset,
            framebuffer: Framebuffer([0; BYTES]),
            is_set_up: false,
        }
    }

    /// Shows a screen; takes 2 ms of DMA.
    pub async fn show(&mut self, screen: &Screen) {
        self.framebuffer.write(screen);
        // Write-only: there is no response that could be wrong.
        let _ = self.send().await;
    }

    /// Returns whether button C is pressed.
    pub fn button(&mut self) -> bool {
        self.mode.set_as_input();
        block_for(SETTLE);
        let is_down = self.mode.is_low();
        self.mode.set_as_output();
        is_down
    }

    async fn send(&mut self) -> Result<(), spi::Error> {
        if !self.is_set_up {
            // The clock starts with the chip.
            Timer::at(Instant::MIN + POWER_ON).await;
            block_for(SETTLE);
            self.reset.set_high();
            block_for(SETTLE);
            self.spi.write(&SETUP).await?;
            self.is_set_up = true;
        }
        for (page, pixels) in (0..).zip(self.framebuffer.0.chunks_exact(WIDTH)) {
            self.spi
                .write(&[0xB0 | page, 0x10 | COLUMN >> 4, COLUMN & 0xF])
                .await?;
            self.spi.flush()?;
            self.mode.set_high();
            let sent = self.spi.write(pixels).await;
            self.spi.flush()?;
            self.mode.set_low();
            sent?;
        }
        Ok(())
    }
}

/// Pixels in bytes of eight rows, lowest bit on top, from left to right, top to bottom.
struct Framebuffer([u8; BYTES]);

impl Framebuffer {
    fn write(&mut self, screen: &Screen) {
        let style = MonoTextStyle::new(&FONT_8X13, BinaryColor::On);
        self.0.fill(0);
        for (line, y) in screen
            .lines
            .iter()
            .zip((0..).step_by(HEIGHT / Screen::LINES))
        {
            let text = Text::with_baseline(line, Point::new(0, y), style, Baseline::Top);
            let Ok(_) = text.draw(self);
        }
    }
}

impl OriginDimensions for Framebuffer {
    fn size(&self) -> Size {
        Size::new(WIDTH as u32, HEIGHT as u32)
    }
}

impl DrawTarget for Framebuffer {
    type Color = BinaryColor;
    type Error = Infallible;

    fn draw_iter<I>(&mut self, pixels: I) -> Result<(), Infallible>
    where
        I: IntoIterator<Item = Pixel<BinaryColor>>,
    {
        for Pixel(Point { x, y }, color) in pixels {
            let (Ok(x @ 0..WIDTH), Ok(y @ 0..HEIGHT)) = (usize::try_from(x), usize::try_from(y))
            else {
                continue;
            };
            let byte = &mut self.0[y / PAGE * WIDTH + x];
            let bit = 1 << (y % PAGE);
            match color {
                BinaryColor::On => *byte |= bit,
                BinaryColor::Off => *byte &= !bit,
            }
        }
        Ok(())
    }
}
