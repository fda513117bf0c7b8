//! The tasks of a board with this chip, and what they share.

use embassy_executor::Spawner;
use embassy_rp::{Peri, peripherals::FLASH};
use embassy_sync::mutex::Mutex;
use static_cell::{ConstStaticCell, StaticCell};
use tinystar::{
    atlas::{self, Atlas},
    brain::{self, Brain},
    config::FIELD,
    signals::Signals,
    tasks::{self, SharedAtlas},
};

use super::{
    flash::Flash,
    usb::{Receiver, Sender},
};

/// What flows between tasks.
pub static SIGNALS: Signals = Signals::new();

/// Declares `start(spawner, board)`, which spawns all tasks of a board, each with its parts; its USB port is
/// served by the `Interrupts` that are bound there. A task cannot be generic, so that those with parts of
/// their own are declared for each board.
macro_rules! board_tasks {
    ($board:ident is $product:literal:
     sense($proximity:ident), drive($odometry:ident, $motors:ident), panel($panel:ident), supervise($guard:ident)) => {
        /// Spawns all tasks; called once.
        pub fn start(spawner: ::embassy_executor::Spawner, board: $board) {
            use $crate::board::rp2040::{self, tasks};

            let serial = rp2040::serial(board.usb, Interrupts, $product, spawner);
            tasks::spawn(spawner, board.flash, serial);
            // A task can be spawned as long as it was not spawned before, and each is spawned once.
            spawner.spawn(supervise(board.guard).unwrap());
            spawner.spawn(panel(board.panel).unwrap());
            // What moves, and what sees where to, cannot wait for the planner.
            let urgent = rp2040::urgent();
            urgent.spawn(sense(board.proximity).unwrap());
            urgent.spawn(drive(board.odometry, board.motors).unwrap());
        }

        #[embassy_executor::task]
        async fn sense(mut proximity: $proximity) -> ! {
            ::tinystar::tasks::sense(&$crate::board::rp2040::tasks::SIGNALS, &mut proximity).await
        }

        #[embassy_executor::task]
        async fn drive(mut odometry: $odometry, mut motors: $motors) -> ! {
            ::tinystar::tasks::drive(
                &$crate::board::rp2040::tasks::SIGNALS,
                &mut odometry,
                &mut motors,
            )
            .await
        }

        #[embassy_executor::task]
        async fn panel(mut panel: $panel) -> ! {
            ::tinystar::tasks::panel(&$crate::board::rp2040::tasks::SIGNALS, &mut panel).await
        }

        #[embassy_executor::task]
        async fn supervise(mut guard: $guard) -> ! {
            ::tinystar::tasks::supervise(&$crate::board::rp2040::tasks::SIGNALS, &mut guard).await
        }
    };
}
pub(crate) use board_tasks;

/// Spawns those that are the same on every board; called once.
pub fn spawn(
    spawner: Spawner,
    flash: Peri<'static, FLASH>,
    (receiver, sender): (Receiver, Sender),
) {
    let atlas = atlas();
    // A task can be spawned as long as it was not spawned before, and each is spawned once.
    spawner.spawn(plan(atlas, brain()).unwrap());
    spawner.spawn(report(atlas, receiver, sender).unwrap());
    spawner.spawn(store(atlas, Flash::new(flash)).unwrap());
}

fn atlas() -> &'static SharedAtlas<'static> {
    static MEMORY: ConstStaticCell<[u32; atlas::MEMORY.len()]> =
        ConstStaticCell::new(atlas::MEMORY);
    static ATLAS: StaticCell<SharedAtlas<'static>> = StaticCell::new();
    // `config` does not compile with a field that is none.
    let atlas = Atlas::new(FIELD, MEMORY.take()).unwrap();
    ATLAS.init(Mutex::new(atlas))
}

fn brain() -> Brain<'static> {
    static MEMORY: ConstStaticCell<brain::Memory> = ConstStaticCell::new(brain::MEMORY);
    // As with the map.
    Brain::new(FIELD, MEMORY.take()).unwrap()
}

#[embassy_executor::task]
async fn plan(atlas: &'static SharedAtlas<'static>, brain: Brain<'static>) -> ! {
    tasks::plan(&SIGNALS, atlas, brain).await
}

#[embassy_executor::task]
async fn report(atlas: &'static SharedAtlas<'static>, receiver: Receiver, sender: Sender) -> ! {
    tasks::report(&SIGNALS, atlas, receiver, sender).await
}

#[embassy_executor::task]
async fn store(atlas: &'static SharedAtlas<'static>, flash: Flash) -> ! {
    tasks::store(&SIGNALS, atlas, flash).await
}
