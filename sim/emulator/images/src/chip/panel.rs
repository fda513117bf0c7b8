//! Logs presses of the three buttons, and draws a frame and a diagonal on the display.

use embassy_rp::{
    Peripherals, bind_interrupts,
    bootsel::is_bootsel_pressed,
    dma::InterruptHandler,
    gpio::{Flex, Level, Output, Pull},
    peripherals::DMA_CH0,
    spi::{Config, Spi},
};
use embassy_time::Timer;

bind_interrupts!(struct Irqs {
    DMA_IRQ_0 => InterruptHandler<DMA_CH0>;
});

pub async fn run(mut p: Peripherals) {
    let mut data = Flex::new(p.PIN_0);
    let mut reset = Output::new(p.PIN_1, Level::Low);
    let mut config = Config::default();
    config.frequency = 10_000_000;
    let mut spi = Spi::new_txonly(p.SPI0, p.PIN_2, p.PIN_3, p.DMA_CH0, Irqs, config);
    let mut button_a = Flex::new(p.PIN_25);

    // The display is not ready earlier.
    Timer::after_millis(20).await;
    reset.set_high();
    data.set_low();
    data.set_as_output();
    defmt::unwrap!(spi.write(&[0xa1, 0xc8, 0xaf]).await.ok());
    for page in 0..8u8 {
        data.set_low();
        defmt::unwrap!(spi.write(&[0xb0 | page, 0x02, 0x10]).await.ok());
        data.set_high();
        let mut columns = [match page {
            0 => 0x01,
            7 => 0x80,
            _ => 0,
        }; 128];
        (columns[0], columns[127]) = (0xff, 0xff);
        for row in 0..8 {
            columns[usize::from(8 * page + row)] |= 1 << row;
        }
        defmt::unwrap!(spi.write(&columns).await.ok());
    }
    defmt::println!("drawn");

    let mut before = [false; 3];
    loop {
        button_a.set_as_input();
        button_a.set_pull(Pull::Up);
        data.set_as_input();
        data.set_pull(Pull::Up);
        Timer::after_micros(2).await;
        let pressed = [
            button_a.is_low(),
            is_bootsel_pressed(p.BOOTSEL.reborrow()),
            data.is_low(),
        ];
        data.set_low();
        data.set_as_output();
        if pressed != before {
            defmt::println!(
                "{=bool} {=bool} {=bool}",
                pressed[0],
                pressed[1],
                pressed[2]
            );
            before = pressed;
        }
        Timer::after_millis(5).await;
    }
}
