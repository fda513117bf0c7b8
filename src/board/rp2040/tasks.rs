//! Tasks that are the same on every board with this chip, and what they share.

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

/// The map; called once.
pub fn atlas() -> &'static SharedAtlas<'static> {
    static MEMORY: ConstStaticCell<[u32; atlas::MEMORY.len()]> =
        ConstStaticCell::new(atlas::MEMORY);
    static ATLAS: StaticCell<SharedAtlas<'static>> = StaticCell::new();
    // `config` does not compile with a field that is none.
    let atlas = Atlas::new(FIELD, MEMORY.take()).unwrap();
    ATLAS.init(Mutex::new(atlas))
}

/// The planners; called once.
pub fn brain() -> Brain<'static> {
    static MEMORY: ConstStaticCell<brain::Memory> = ConstStaticCell::new(brain::MEMORY);
    // As with the map.
    Brain::new(FIELD, MEMORY.take()).unwrap()
}

/// [`tasks::plan`].
#[embassy_executor::task]
pub async fn plan(atlas: &'static SharedAtlas<'static>, brain: Brain<'static>) -> ! {
    tasks::plan(&SIGNALS, atlas, brain).await
}

/// [`tasks::report`].
#[embassy_executor::task]
pub async fn report(atlas: &'static SharedAtlas<'static>, receiver: Receiver, sender: Sender) -> ! {
    tasks::report(&SIGNALS, atlas, receiver, sender).await
}

/// [`tasks::store`].
#[embassy_executor::task]
pub async fn store(atlas: &'static SharedAtlas<'static>, flash: Flash) -> ! {
    tasks::store(&SIGNALS, atlas, flash).await
}
