//! Tasks of a board with an RP2040, and the data they share.

use core::fmt::Write;

use embassy_executor::Spawner;
use embassy_rp::rom_data;
use embassy_sync::mutex::Mutex;
use embassy_time::{Duration, Timer};
use heapless::String;
use static_cell::{ConstStaticCell, StaticCell};
use tinystar::{
    boards::BoardConfig,
    config::FIELD,
    navigator::{self, Navigator},
    signals::Signals,
    tasks::{self, SharedNavigator},
};

use super::{
    flash::Flash,
    usb::{Receiver, Sender},
};

/// Declares the tasks of a board, its `SIGNALS`, and `start(spawner, board)`, which spawns all tasks. Tasks
/// cannot be generic, so those with devices of their own are declared per board.
macro_rules! board_tasks {
    ($board:ident is $product:literal, $config:ident:
     sense($proximity:ident), drive($odometry:ident, $motors:ident), panel($panel:ident), supervise($system:ident)) => {
        /// Channels between tasks.
        pub static SIGNALS: ::tinystar::signals::Signals =
            ::tinystar::signals::Signals::new($config.calibration);

        /// Spawns all tasks; called once.
        pub fn start(spawner: ::embassy_executor::Spawner, board: $board) {
            use $crate::board::rp2040::{self, tasks};

            let mut flash = rp2040::Flash::new(board.flash);
            let number = tasks::serial_number(&mut flash);
            let serial = rp2040::serial(board.usb, Interrupts, $product, number, spawner);
            tasks::spawn(spawner, &SIGNALS, &$config, flash, serial);
            // Spawning a task fails only the second time.
            spawner.spawn(supervise(board.system).unwrap());
            spawner.spawn(panel(board.panel).unwrap());
            // Sensing and driving preempt the planner.
            let executor = rp2040::interrupt_executor();
            executor.spawn(sense(board.proximity).unwrap());
            executor.spawn(drive(board.odometry, board.motors).unwrap());
        }

        #[embassy_executor::task]
        async fn sense(mut proximity: $proximity) -> ! {
            ::tinystar::tasks::sense(&SIGNALS, &$config, &mut proximity).await
        }

        #[embassy_executor::task]
        async fn drive(mut odometry: $odometry, mut motors: $motors) -> ! {
            ::tinystar::tasks::drive(&SIGNALS, &$config, &mut odometry, &mut motors).await
        }

        #[embassy_executor::task]
        async fn panel(mut panel: $panel) -> ! {
            ::tinystar::tasks::panel(&SIGNALS, &$config, &mut panel).await
        }

        #[embassy_executor::task]
        async fn supervise(mut system: $system) -> ! {
            ::tinystar::tasks::supervise(&SIGNALS, &$config, &mut system).await
        }
    };
}
pub(crate) use board_tasks;

/// Spawns the tasks that are the same on every board; called once.
pub fn spawn(
    spawner: Spawner,
    signals: &'static Signals,
    board: &'static BoardConfig,
    flash: Flash,
    (receiver, sender): (Receiver, Sender),
) {
    let navigator = navigator();
    // Spawning a task fails only the second time.
    spawner.spawn(plan(signals, board, navigator).unwrap());
    spawner.spawn(report(signals, navigator, receiver, sender).unwrap());
    spawner.spawn(store(signals, board, navigator, flash).unwrap());
    spawner.spawn(bootloader(signals).unwrap());
}

/// USB serial number: the flash chip's, in hexadecimal; called once.
pub fn serial_number(flash: &mut Flash) -> &'static str {
    static NUMBER: StaticCell<String<16>> = StaticCell::new();
    let mut number = String::new();
    for byte in flash.unique_id() {
        // It fits: two digits per byte.
        let _ = write!(number, "{byte:02X}");
    }
    NUMBER.init(number)
}

fn navigator() -> &'static SharedNavigator<'static> {
    static NAVIGATOR: ConstStaticCell<Navigator> = ConstStaticCell::new(Navigator::new());
    static SHARED: StaticCell<SharedNavigator<'static>> = StaticCell::new();
    let navigator = NAVIGATOR.take();
    // `config` does not compile with an invalid field.
    navigator::begin(navigator, FIELD).unwrap();
    SHARED.init(Mutex::new(navigator))
}

/// Restarts the chip as a USB drive on request, after the answer to the command has been sent.
#[embassy_executor::task]
async fn bootloader(signals: &'static Signals) -> ! {
    const ANSWER: Duration = Duration::from_millis(100);
    loop {
        signals.restart_to_bootloader.wait().await;
        Timer::after(ANSWER).await;
        rom_data::reset_to_usb_boot(0, 0);
    }
}

#[embassy_executor::task]
async fn plan(
    signals: &'static Signals,
    board: &'static BoardConfig,
    navigator: &'static SharedNavigator<'static>,
) -> ! {
    tasks::plan(signals, board, navigator).await
}

#[embassy_executor::task]
async fn report(
    signals: &'static Signals,
    navigator: &'static SharedNavigator<'static>,
    receiver: Receiver,
    sender: Sender,
) -> ! {
    tasks::report(signals, navigator, receiver, sender).await
}

#[embassy_executor::task]
async fn store(
    signals: &'static Signals,
    board: &'static BoardConfig,
    navigator: &'static SharedNavigator<'static>,
    flash: Flash,
) -> ! {
    tasks::store(signals, board, navigator, flash).await
}
