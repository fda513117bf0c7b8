//! Reads the inertial sensors and the battery, twenty times a second.

use embassy_rp::{
    Peripherals,
    adc::{self, Adc, Channel},
    bind_interrupts,
    gpio::Pull,
    i2c::{self, Config, I2c},
    peripherals::I2C0,
};
use embassy_time::{Duration, Timer, with_timeout};

bind_interrupts!(struct Irqs {
    I2C0_IRQ => i2c::InterruptHandler<I2C0>;
    ADC_IRQ_FIFO => adc::InterruptHandler;
});

const GYRO: u16 = 0x6b;
const MAGNETOMETER: u16 = 0x1e;
const WHO_AM_I: u8 = 0x0f;
const CTRL2_G: u8 = 0x11;
const STATUS: u8 = 0x1e;
const OUTZ_L_G: u8 = 0x26;
/// 208 Hz, 2000 degrees per second.
const GYRO_ON: u8 = 0b0101_1100;

pub async fn run(p: Peripherals) {
    let mut adc = Adc::new(p.ADC, Irqs, Default::default());
    let mut battery = Channel::new_pin(p.PIN_26, Pull::None);
    let mut config = Config::default();
    config.frequency = 400_000;
    let mut bus = I2c::new_async(p.I2C0, p.PIN_5, p.PIN_4, Irqs, config);
    let mut who = [0];
    match bus.blocking_write_read(GYRO, &[WHO_AM_I], &mut who) {
        Ok(()) => defmt::println!("blocking {=u8:02x}", who[0]),
        Err(_) => defmt::println!("blocking failed"),
    }
    let limit = Duration::from_millis(10);
    loop {
        let raw = adc.read(&mut battery).await.unwrap_or(0);
        defmt::println!("battery {=u32}", u32::from(raw) * 11 * 3300 / 4096);
        for (name, device) in [("gyro", GYRO), ("magnetometer", MAGNETOMETER)] {
            match with_timeout(limit, bus.write_read_async(device, [WHO_AM_I], &mut who)).await {
                Ok(Ok(())) => defmt::println!("{=str} {=u8:02x}", name, who[0]),
                Ok(Err(_)) => defmt::println!("{=str} does not answer", name),
                Err(_) => defmt::println!("{=str} hangs", name),
            }
        }
        let turning = async {
            bus.write_async(GYRO, [CTRL2_G, GYRO_ON]).await?;
            let mut status = [0];
            while status[0] & 2 == 0 {
                bus.write_read_async(GYRO, [STATUS], &mut status).await?;
            }
            let mut z = [0; 2];
            bus.write_read_async(GYRO, [OUTZ_L_G], &mut z).await?;
            bus.write_read_async(GYRO, [STATUS], &mut status).await?;
            Ok::<_, i2c::Error>((i16::from_le_bytes(z), status[0]))
        };
        if let Ok(Ok((z, status))) = with_timeout(limit, turning).await {
            defmt::println!("turning {=i16}, then status {=u8}", z, status);
        }
        Timer::after_millis(40).await;
    }
}
