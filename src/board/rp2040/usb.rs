//! USB serial port for telemetry and commands.

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
    class::cdc_acm::{self, BufferedReceiver, CdcAcmClass, CdcAcmError},
};
use embedded_io_async::{ErrorType, Read, Write};
use static_cell::{ConstStaticCell, StaticCell};

type Usb = Driver<'static, USB>;

/// Packet size in bytes.
const PACKET: u16 = 64;
/// Timeout of a write to a desktop that has opened the port but does not read.
const TIMEOUT: Duration = Duration::from_millis(20);

/// Receiving half.
pub struct Receiver(BufferedReceiver<'static, Usb>);

/// Sending half.
pub struct Sender(cdc_acm::Sender<'static, Usb>);

/// Creates the port and spawns its task.
pub fn serial(
    usb: Peri<'static, USB>,
    interrupts: impl Binding<USBCTRL_IRQ, InterruptHandler<USB>>,
    product: &'static str,
    serial_number: &'static str,
    spawner: Spawner,
) -> (Receiver, Sender) {
    static CONFIGURATION: ConstStaticCell<[u8; 128]> = ConstStaticCell::new([0; 128]);
    static CONTROL: ConstStaticCell<[u8; 64]> = ConstStaticCell::new([0; 64]);
    static BUFFER: ConstStaticCell<[u8; PACKET as usize]> =
        ConstStaticCell::new([0; PACKET as usize]);
    static STATE: StaticCell<cdc_acm::State> = StaticCell::new();

    // Raspberry Pi's vendor and product id of an RP2040 serial port.
    let mut config = Config::new(0x2E8A, 0x000A);
    config.manufacturer = Some("tinystar");
    config.product = Some(product);
    config.serial_number = Some(serial_number);
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
    type Error = CdcAcmError;
}

impl Read for Receiver {
    /// Fails at once without a desktop.
    async fn read(&mut self, bytes: &mut [u8]) -> Result<usize, CdcAcmError> {
        loop {
            // An empty packet is not the end of the stream.
            let count = self.0.read(bytes).await?;
            if count > 0 || bytes.is_empty() {
                return Ok(count);
            }
        }
    }
}

impl ErrorType for Sender {
    type Error = CdcAcmError;
}

impl Write for Sender {
    /// Fails at once if the port is not open, and after [`TIMEOUT`] if it is not read.
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, CdcAcmError> {
        if !self.0.dtr() {
            return Err(CdcAcmError::NotConnected);
        }
        // After a full packet, desktops wait for more.
        let count = bytes.len().min(usize::from(PACKET) - 1);
        with_timeout(TIMEOUT, self.0.write(&bytes[..count]))
            .await
            .unwrap_or(Err(CdcAcmError::NotConnected))
    }

    async fn flush(&mut self) -> Result<(), CdcAcmError> {
        Ok(())
    }
}
