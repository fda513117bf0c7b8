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

/// Something that arrives later than it was asked for.
#[derive(Debug)]
pub enum Message {
    File(Delivery),
    /// A line on what was done.
    Notice(String),
    /// A line on what could not be done, and what to do instead.
    Problem(String),
}

/// A queue of what arrives, perhaps later and from another thread.
#[derive(Clone, Debug, Default)]
pub struct Inbox(Arc<Mutex<Vec<Message>>>);

impl Inbox {
    /// Delivers a file.
    pub fn put(&self, delivery: Delivery) {
        self.push(Message::File(delivery));
    }

    /// Delivers a message.
    pub fn push(&self, message: Message) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(message);
    }

    /// All that has arrived.
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Functions of a desktop or a browser that the window needs.
#[derive(Clone, Copy)]
pub struct Host {
    /// Opens a file dialog, delivers to the [`Inbox`] and then asks for a repaint.
    pub choose: fn(&egui::Context, &Inbox),
    /// Saves a file under a name that the user may change; says what came of it in the [`Inbox`].
    pub save: fn(&egui::Context, &Inbox, &str, Vec<u8>),
    /// Makes a query string part of the page's address, and returns the address; a desktop has none.
    pub address: Option<fn(&str) -> String>,
}

/// Neither files nor an address, for tests.
impl Default for Host {
    fn default() -> Self {
        Self {
            choose: |_, _| (),
            save: |_, _, _, _| (),
            address: None,
        }
    }
}

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
