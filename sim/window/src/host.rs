//! Access to files, on a desktop or in a browser.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use egui::DroppedFileHandle;

/// A file that somebody has chosen, or why it cannot be read.
#[derive(Debug)]
pub struct Delivery {
    pub path: PathBuf,
    pub content: Result<Vec<u8>, String>,
}

/// A queue of files that arrive, perhaps later and from another thread.
#[derive(Clone, Debug, Default)]
pub struct Inbox(Arc<Mutex<Vec<Delivery>>>);

impl Inbox {
    /// Delivers a file.
    pub fn put(&self, delivery: Delivery) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(delivery);
    }

    /// All that has arrived.
    #[must_use]
    pub fn take(&self) -> Vec<Delivery> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A desktop or a browser. Both deliver to the [`Inbox`] and then ask for a repaint.
pub trait Host {
    /// Opens the file dialog.
    fn choose(&mut self, ctx: &egui::Context, inbox: &Inbox);

    /// Reads a file that was dropped on the window.
    fn read(&mut self, ctx: &egui::Context, file: DroppedFileHandle, inbox: &Inbox);

    /// Reads the file beside another, if files have neighbours here.
    fn read_beside(&mut self, path: &std::path::Path, name: &str) -> Option<Vec<u8>>;
}

/// A file system without dialogs, for tests and for machines that have none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Files;

impl Host for Files {
    fn choose(&mut self, _ctx: &egui::Context, _inbox: &Inbox) {}

    #[cfg(not(target_arch = "wasm32"))]
    fn read(&mut self, _ctx: &egui::Context, file: DroppedFileHandle, inbox: &Inbox) {
        inbox.put(Delivery {
            path: file.path().to_owned(),
            content: file.bytes(),
        });
    }

    #[cfg(target_arch = "wasm32")]
    fn read(&mut self, _ctx: &egui::Context, _file: DroppedFileHandle, _inbox: &Inbox) {}

    fn read_beside(&mut self, path: &std::path::Path, name: &str) -> Option<Vec<u8>> {
        // Authors file maps in folders that need not be here.
        let name = std::path::Path::new(name).file_name()?;
        std::fs::read(path.with_file_name(name)).ok()
    }
}
