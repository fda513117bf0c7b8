//! Saves the wall map and the calibration in flash.

use embassy_futures::join::join;
use embedded_storage_async::nor_flash::MultiwriteNorFlash;
use planner_core::Observation;

use super::{SharedNavigator, stay_alive};
use crate::{
    boards::BoardConfig,
    mission::Field,
    navigator,
    signals::{Signals, StoreRequest, Task},
    store::{Store, StoreError},
    telemetry::Stored,
};

/// Reads the store, then serves [`Signals::store_request`].
///
/// A damaged store is cleared. After reading and after each request, it reports the state of the map in
/// flash and signals [`Signals::store_done`].
pub async fn store(
    signals: &Signals,
    board: &BoardConfig,
    field: Field,
    navigator: &SharedNavigator<'_>,
    flash: impl MultiwriteNorFlash,
) -> ! {
    let alive = stay_alive(signals, Task::Store);
    let serve = async {
        let mut server = StoreServer {
            signals,
            field,
            navigator,
            store: Store::new(flash, board.store),
            has_map: false,
        };
        let mut stored = server.load().await;
        loop {
            signals.set_stored(stored);
            signals.store_done.signal(());
            stored = server.save(signals.store_request.wait().await).await;
        }
    };
    join(alive, serve).await.0
}

struct StoreServer<'a, 'n, F: MultiwriteNorFlash> {
    signals: &'a Signals,
    field: Field,
    navigator: &'a SharedNavigator<'n>,
    store: Store<F>,
    /// Whether flash holds a map of this field; saving the calibration preserves it.
    has_map: bool,
}

impl<F: MultiwriteNorFlash> StoreServer<'_, '_, F> {
    async fn load(&mut self) -> Stored {
        let record = match self.store.load().await {
            Ok(Some(record)) => record,
            Ok(None) => return Stored::Empty,
            Err(StoreError::Foreign) => return Stored::Foreign,
            Err(StoreError::Flash) => return Stored::Failed,
            Err(StoreError::Damaged) => {
                return match self.store.clear().await {
                    Ok(()) => Stored::Damaged,
                    Err(_) => Stored::Failed,
                };
            }
        };
        if record.calibration.is_valid() {
            self.signals.set_calibration(record.calibration);
        }
        if record.map.is_none() {
            return Stored::Empty;
        }
        let Some(walls) = record.walls(self.field) else {
            return Stored::Foreign;
        };
        let mut navigator = self.navigator.lock().await;
        for (cell, side, occupancy) in walls {
            // Never fails: the walls are those of the field.
            let _ = navigator.preload(Observation::Wall(cell, side, occupancy));
        }
        if navigator::restart(&mut navigator, self.field).is_err() {
            return Stored::Foreign;
        }
        self.has_map = true;
        Stored::Loaded
    }

    async fn save(&mut self, request: StoreRequest) -> Stored {
        self.has_map = match request {
            StoreRequest::SaveMap => true,
            StoreRequest::DeleteMap => false,
            StoreRequest::SaveCalibration => self.has_map,
        };
        {
            let navigator = self.navigator.lock().await;
            let map = self.has_map.then_some((self.field, navigator.map()));
            self.store.stage(self.signals.calibration(), map);
        }
        let mut written = self.store.write().await;
        if written == Err(StoreError::Damaged) {
            // The staged record holds everything, so nothing is lost.
            written = match self.store.clear().await {
                Ok(()) => self.store.write().await,
                Err(error) => Err(error),
            };
        }
        match written {
            Ok(()) => Stored::Saved,
            Err(_) => Stored::Failed,
        }
    }
}
