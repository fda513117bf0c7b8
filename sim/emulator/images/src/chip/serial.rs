//! Sends back what comes in over USB, with every letter made upper case.

use embassy_futures::join::join;
use embassy_rp::{
    Peripherals, bind_interrupts,
    peripherals::USB,
    usb::{Driver, InterruptHandler},
};
use embassy_time::Timer;
use embassy_usb::{
    Builder, Config,
    class::cdc_acm::{CdcAcmClass, State},
    driver::EndpointError,
};

bind_interrupts!(struct Irqs {
    USBCTRL_IRQ => InterruptHandler<USB>;
});

pub async fn run(p: Peripherals) {
    let driver = Driver::new(p.USB, Irqs);
    let (mut configuration, mut bos, mut msos, mut control) =
        ([0; 256], [0; 256], [0; 256], [0; 64]);
    let mut state = State::new();
    let mut builder = Builder::new(
        driver,
        Config::new(0x1209, 0x0001),
        &mut configuration,
        &mut bos,
        &mut msos,
        &mut control,
    );
    let mut port = CdcAcmClass::new(&mut builder, &mut state, 64);
    let mut usb = builder.build();
    let echo = async {
        loop {
            port.wait_connection().await;
            while !port.dtr() {
                Timer::after_millis(1).await;
            }
            defmt::println!("opened");
            let mut bytes = [0; 64];
            let _: Result<(), EndpointError> = async {
                loop {
                    let length = port.read_packet(&mut bytes).await?;
                    bytes.make_ascii_uppercase();
                    port.write_packet(&bytes[..length]).await?;
                }
            }
            .await;
        }
    };
    join(usb.run(), echo).await;
}
