//! A serial port over USB, for reports and commands.

use core::convert::Infallible;

use embassy_executor::Spawner;
use embassy_rp::{
    Peri,
    interrupt::typelevel::{Binding, USBCTRL_IRQ},
    peripherals::USB,
    usb::{Driver, InterruptHandler},
};
use embassy_time::{Duration, with_timeout};
use embassy_usb::{
    Builder, Config, UsbDevice,
    class::cdc_acm::{self, BufferedReceiver, CdcAcmClass},
};
use embedded_io_async::{ErrorType, Read, Write};
use static_cell::{ConstStaticCell, StaticCell};

type Usb = Driver<'static, USB>;

/// Bytes of a packet.
const PACKET: u16 = 64;
/// A desktop that has opened the port but does not read is waited for so long.
const PATIENCE: Duration = Duration::from_millis(20);

/// What a desktop says.
pub struct Receiver(BufferedReceiver<'static, Usb>);

/// What a desktop hears, if it listens. The robot does not wait for it.
pub struct Sender(cdc_acm::Sender<'static, Usb>);

/// Makes the port, and the task that serves it.
pub fn serial(
    usb: Peri<'static, USB>,
    interrupts: impl Binding<USBCTRL_IRQ, InterruptHandler<USB>>,
    product: &'static str,
    spawner: Spawner,
) -> (Receiver, Sender) {
    static CONFIGURATION: ConstStaticCell<[u8; 128]> = ConstStaticCell::new([0; 128]);
    static CONTROL: ConstStaticCell<[u8; 64]> = ConstStaticCell::new([0; 64]);
    static BUFFER: ConstStaticCell<[u8; PACKET as usize]> =
        ConstStaticCell::new([0; PACKET as usize]);
    static STATE: StaticCell<cdc_acm::State> = StaticCell::new();

    // Raspberry Pi's numbers for a serial port of an RP2040.
    let mut config = Config::new(0x2E8A, 0x000A);
    config.manufacturer = Some("tinystar");
    config.product = Some(product);
    let mut builder = Builder::new(
        Driver::new(usb, interrupts),
        config,
        CONFIGURATION.take(),
        &mut [],
        &mut [],
        CONTROL.take(),
    );
    let port = CdcAcmClass::new(&mut builder, STATE.init(cdc_acm::State::new()), PACKET);
    let (sender, receiver) = port.split();
    spawner.spawn(serve(builder.build()).unwrap());
    (
        Receiver(receiver.into_buffered(BUFFER.take())),
        Sender(sender),
    )
}

#[embassy_executor::task]
async fn serve(mut device: UsbDevice<'static, Usb>) -> ! {
    device.run().await
}

impl ErrorType for Receiver {
    type Error = Infallible;
}

impl Read for Receiver {
    /// Waits for a desktop for as long as there is none.
    async fn read(&mut self, bytes: &mut [u8]) -> Result<usize, Infallible> {
        if bytes.is_empty() {
            return Ok(0);
        }
        loop {
            self.0.wait_connection().await;
            // A packet without bytes, or a desktop that left: neither is the end of what will be said.
            if let Ok(count @ 1..) = self.0.read(bytes).await {
                return Ok(count);
            }
        }
    }
}

impl ErrorType for Sender {
    type Error = Infallible;
}

impl Write for Sender {
    /// What nobody listens to is dropped, and so is what is not read in time.
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        // A full packet says that there is more to come, and desktops wait for it.
        let count = bytes.len().min(usize::from(PACKET) - 1);
        if count > 0 && self.0.dtr() {
            let _ = with_timeout(PATIENCE, self.0.write_packet(&bytes[..count])).await;
        }
        Ok(count)
    }

    async fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
