//! The display, an SH1106 with 128 by 64 dots, and button C, which shares a pin with it.
//!
//! The sharing is why this is no driver crate: those keep the pin to themselves.

use core::convert::Infallible;

use embassy_rp::{
    Peri, dma,
    gpio::{Flex, Level, Output, Pull},
    interrupt::typelevel::{Binding, DMA_IRQ_0},
    peripherals::{DMA_CH0, PIN_0, PIN_1, PIN_2, PIN_3, SPI0},
    spi::{self, Async, Spi},
};
use embassy_time::{Duration, block_for};
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
/// Rows of dots in a byte.
const PAGE: usize = 8;
const BYTES: usize = WIDTH * HEIGHT / PAGE;
/// The controller has 132 columns; the first and the last two are not there.
const COLUMN: u8 = 2;
/// Both lines settle within this.
const SETTLE: Duration = Duration::from_micros(10);

/// Left and right, then top and bottom swapped: so it is mounted. Full contrast; not inverted; on.
const SETUP: [u8; 6] = [0xA1, 0xC8, 0x81, 0xFF, 0xA6, 0xAF];

/// The display, and button C.
pub struct Display {
    spi: Spi<'static, SPI0, Async>,
    /// High for dots, low for commands and otherwise; the button pulls it low when it floats.
    mode: Flex<'static>,
    reset: Output<'static>,
    canvas: Canvas,
    is_set_up: bool,
}

impl Display {
    /// A dark display, until it is first told to show something.
    pub fn new(
        spi: Peri<'static, SPI0>,
        clock: Peri<'static, PIN_2>,
        data: Peri<'static, PIN_3>,
        dma: Peri<'static, DMA_CH0>,
        interrupts: impl Binding<DMA_IRQ_0, dma::InterruptHandler<DMA_CH0>> + 'static,
        mode: Peri<'static, PIN_0>,
        reset: Peri<'static, PIN_1>,
    ) -> Self {
        let mut mode = Flex::new(mode);
        mode.set_pull(Pull::Up);
        mode.set_low();
        mode.set_as_output();
        let mut config = spi::Config::default();
        // The controller's data sheet allows a clock every 250 ns.
        config.frequency = 4_000_000;
        Self {
            spi: Spi::new_txonly(spi, clock, data, dma, interrupts, config),
            mode,
            reset: Output::new(reset, Level::Low),
            canvas: Canvas([0; BYTES]),
            is_set_up: false,
        }
    }

    /// Shows a screen; takes 2 ms, during which others run.
    pub async fn show(&mut self, screen: &Screen) {
        self.canvas.write(screen);
        // Nothing comes back from a display: it cannot fail, and the driver has no error to give.
        let _ = self.send().await;
    }

    /// Whether button C is down.
    pub fn button(&mut self) -> bool {
        self.mode.set_as_input();
        block_for(SETTLE);
        let is_down = self.mode.is_low();
        self.mode.set_as_output();
        is_down
    }

    async fn send(&mut self) -> Result<(), spi::Error> {
        if !self.is_set_up {
            block_for(SETTLE);
            self.reset.set_high();
            block_for(SETTLE);
            self.spi.write(&SETUP).await?;
            self.is_set_up = true;
        }
        for (page, dots) in (0..).zip(self.canvas.0.chunks_exact(WIDTH)) {
            self.spi
                .write(&[0xB0 | page, 0x10 | COLUMN >> 4, COLUMN & 0xF])
                .await?;
            self.spi.flush()?;
            self.mode.set_high();
            let sent = self.spi.write(dots).await;
            self.spi.flush()?;
            self.mode.set_low();
            sent?;
        }
        Ok(())
    }
}

/// What is shown: bytes of eight rows each, the lowest bit on top, from left to right, top to bottom.
struct Canvas([u8; BYTES]);

impl Canvas {
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

impl OriginDimensions for Canvas {
    fn size(&self) -> Size {
        Size::new(WIDTH as u32, HEIGHT as u32)
    }
}

impl DrawTarget for Canvas {
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
