//! Keeps the learned map and the calibration in flash.

use embassy_futures::join::join;
use embassy_time::Timer;
use embedded_storage_async::nor_flash::MultiwriteNorFlash;

use super::SharedAtlas;
use crate::{
    config,
    report::Stored,
    signals::{Keep, Signals, Task},
    store::{Store, Trouble},
};

/// Reads what was kept, then keeps what it is told to.
///
/// A store that is damaged is cleared. It tells what became of the map, and signals
/// [`Signals::kept`] after each, and when it has read.
pub async fn store(
    signals: &Signals,
    atlas: &SharedAtlas<'_>,
    flash: impl MultiwriteNorFlash,
) -> ! {
    let alive = async {
        loop {
            signals.check_in(Task::Store);
            Timer::after(config::SUPERVISE_PERIOD / 4).await;
        }
    };
    let keep = async {
        let mut keeper = Keeper {
            signals,
            atlas,
            store: Store::new(flash),
            has_map: false,
        };
        let mut stored = keeper.load().await;
        loop {
            signals.set_stored(stored);
            signals.kept.signal(());
            stored = keeper.keep(signals.keep.wait().await).await;
        }
    };
    join(alive, keep).await.0
}

struct Keeper<'a, 'm, F: MultiwriteNorFlash> {
    signals: &'a Signals,
    atlas: &'a SharedAtlas<'m>,
    store: Store<F>,
    /// Whether a map of this field is kept; it stays when only the calibration is written.
    has_map: bool,
}

impl<F: MultiwriteNorFlash> Keeper<'_, '_, F> {
    async fn load(&mut self) -> Stored {
        let kept = match self.store.load().await {
            Ok(Some(kept)) => kept,
            Ok(None) => return Stored::Empty,
            Err(Trouble::Foreign) => return Stored::Foreign,
            Err(Trouble::Flash) => return Stored::Failed,
            Err(Trouble::Damaged) => {
                return match self.store.clear().await {
                    Ok(()) => Stored::Damaged,
                    Err(_) => Stored::Failed,
                };
            }
        };
        if kept.calibration.is_valid() {
            self.signals.set_calibration(kept.calibration);
        }
        if kept.map.is_none() {
            return Stored::Empty;
        }
        self.has_map = kept.fill(&mut *self.atlas.lock().await);
        if self.has_map {
            Stored::Loaded
        } else {
            Stored::Foreign
        }
    }

    async fn keep(&mut self, what: Keep) -> Stored {
        self.has_map = match what {
            Keep::Map => true,
            Keep::NoMap => false,
            Keep::Calibration => self.has_map,
        };
        {
            let atlas = self.atlas.lock().await;
            let map = self.has_map.then_some(&*atlas);
            self.store.note(self.signals.calibration(), map);
        }
        let mut written = self.store.write().await;
        if written == Err(Trouble::Damaged) {
            // All that was kept is in the record that could not be written.
            written = match self.store.clear().await {
                Ok(()) => self.store.write().await,
                Err(trouble) => Err(trouble),
            };
        }
        match written {
            Ok(()) => Stored::Saved,
            Err(_) => Stored::Failed,
        }
    }
}
