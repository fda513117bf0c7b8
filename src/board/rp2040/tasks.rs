//! Tasks that are the same on every board with this chip, and what they share.

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

/// Spawns them all; called once. Plan, report and store are the same on every board.
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
