//! Access to files, on a desktop or in a browser.

use std::{
    path::{Path, PathBuf},
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
    pub fn take(&self) -> Vec<Delivery> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Opens the file dialog of a desktop or a browser, delivers to the [`Inbox`] and then asks for a repaint.
pub type Choose = fn(&egui::Context, &Inbox);

/// Reads a file that was dropped on the window.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn read(_ctx: &egui::Context, file: DroppedFileHandle, inbox: &Inbox) {
    let (path, content) = (file.path().to_owned(), file.bytes());
    inbox.put(Delivery { path, content });
}

/// Reads a file that was dropped on the page.
#[cfg(all(target_arch = "wasm32", feature = "web"))]
pub(crate) fn read(ctx: &egui::Context, file: DroppedFileHandle, inbox: &Inbox) {
    let (ctx, inbox) = (ctx.clone(), inbox.clone());
    wasm_bindgen_futures::spawn_local(async move {
        let content = file.bytes_async().await;
        let path = file.path().to_owned();
        inbox.put(Delivery { path, content });
        ctx.request_repaint();
    });
}

/// Reads the file beside another, if files have neighbours here, which they have not in a browser.
pub(crate) fn read_beside(path: &Path, name: &str) -> Option<Vec<u8>> {
    // Authors file maps in folders that need not be here.
    let name = Path::new(name).file_name()?;
    std::fs::read(path.with_file_name(name)).ok()
}
