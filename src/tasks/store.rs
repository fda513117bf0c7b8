//! Saves the wall map and the calibration in flash.

use embassy_futures::join::join;
use embedded_storage_async::nor_flash::MultiwriteNorFlash;
use planner_core::Observation;

use super::{SharedNavigator, stay_alive};
use crate::{
    boards::BoardConfig,
    log::debug,
    navigator,
    signals::{Signals, StoreRequest, Task},
    store::{Store, StoreError},
    telemetry::{Frame, Stored},
};

/// Reads the store, then serves [`Signals::store_request`].
///
/// A damaged store is cleared. After reading and after each request, it reports the state of the map in
/// flash and signals [`Signals::store_done`].
pub async fn store(
    signals: &Signals,
    board: &BoardConfig,
    navigator: &SharedNavigator<'_>,
    flash: impl MultiwriteNorFlash,
) -> ! {
    let alive = stay_alive(signals, Task::Store);
    let serve = async {
        let mut server = StoreServer {
            signals,
            board,
            navigator,
            store: Store::new(flash, board.store),
            has_map: false,
        };
        signals.set_storing(true);
        let mut stored = server.load().await;
        loop {
            signals.set_storing(false);
            debug!("map in flash: {}", stored);
            signals.set_stored(stored);
            signals.store_done.signal(());
            let request = signals.store_request.wait().await;
            signals.set_storing(true);
            stored = server.save(request).await;
        }
    };
    join(alive, serve).await.0
}

struct StoreServer<'a, 'n, F: MultiwriteNorFlash> {
    signals: &'a Signals,
    board: &'a BoardConfig,
    navigator: &'a SharedNavigator<'n>,
    store: Store<F>,
    /// True if flash holds a map of the settings in use; saving the calibration preserves it.
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
        let settings = &record.settings;
        let field = settings.field;
        if !settings.is_valid() || !settings.fits(self.board) {
            return Stored::Foreign;
        }
        let mut navigator = self.navigator.lock().await;
        if field != self.signals.field() && navigator::begin(&mut navigator, field).is_err() {
            return Stored::Foreign;
        }
        self.signals.set_settings(settings.clone());
        self.signals.send(Frame::Settings(settings.clone()));
        let Some(walls) = record.walls() else {
            return Stored::Empty;
        };
        for (cell, side, occupancy) in walls {
            // Never fails: the walls are those of the field.
            let _ = navigator.preload(Observation::Wall(cell, side, occupancy));
        }
        if navigator::restart(&mut navigator, field).is_err() {
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
            let map = self.has_map.then_some(navigator.map());
            let (settings, calibration) = (self.signals.settings(), self.signals.calibration());
            self.store.stage(&settings, calibration, map);
            if map.is_some() {
                let withheld = self.signals.withheld();
                self.store.withhold(settings.field, withheld.into_iter());
            }
        }
        // What was doubted and never sensed again is kept.
        let mut written = match self.store.merge().await {
            Ok(()) => self.store.write().await,
            Err(error) => Err(error),
        };
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
