//! A window that takes a picture or a measurement, and closes.

use std::{
    cell::RefCell,
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    rc::Rc,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use eframe::egui::{self, ColorImage, ViewportCommand};
use sim::{error::BadInput, options::window::WindowOptions};
use sim_window::{App, Watch};

/// Size of the window in points.
pub const SIZE: [f32; 2] = [1280.0, 820.0];
/// Frames until all sizes have settled.
const SETTLE: u32 = 6;
/// Frames that a measurement leaves out at its beginning.
const WARM_UP: u32 = 30;

/// The purpose of an unattended window.
pub enum Unattended {
    Picture(PathBuf),
    Measure(Duration),
}

impl Unattended {
    /// The purpose that the command line names, if any.
    pub fn new(look: &WindowOptions) -> Option<Self> {
        let measure = |seconds: u32| Self::Measure(Duration::from_secs(seconds.into()));
        let picture = look.picture.clone().map(Self::Picture);
        picture.or(look.measure.map(measure))
    }
}

/// A window that can be run unattended.
pub trait Screen: eframe::App {
    /// Returns whether it is still seeking the moment to show.
    fn is_busy(&self) -> bool;

    /// Keeps playing, from the start again after the end.
    fn keep_moving(&mut self);
}

impl Screen for App {
    fn is_busy(&self) -> bool {
        self.is_seeking()
    }

    fn keep_moving(&mut self) {
        if self.is_over() {
            self.seek(0);
        }
        if !self.is_playing() && !self.is_seeking() {
            self.set_speed(60.0);
            self.play(true);
        }
    }
}

impl Screen for Watch {
    fn is_busy(&self) -> bool {
        self.is_seeking()
    }

    fn keep_moving(&mut self) {
        if !self.is_playing() && !self.is_seeking() {
            self.play(true);
        }
    }
}

/// The reason why there is no picture.
pub type Failure = Rc<RefCell<Option<BadInput>>>;

/// A window without a user.
pub struct UnattendedWindow {
    screen: Box<dyn Screen>,
    unattended: Unattended,
    frames: u32,
    begin: Instant,
    last: Instant,
    slowest: Duration,
    picture: Arc<Mutex<Option<Arc<ColorImage>>>>,
    failure: Failure,
    is_done: bool,
}

impl UnattendedWindow {
    pub fn new(screen: Box<dyn Screen>, unattended: Unattended, failure: Failure) -> Self {
        let now = Instant::now();
        Self {
            screen,
            unattended,
            frames: 0,
            begin: now,
            last: now,
            slowest: Duration::ZERO,
            picture: Arc::default(),
            failure,
            is_done: false,
        }
    }

    /// Takes a picture once nothing moves any more; `true` when it is saved, or cannot be.
    fn take_picture(&mut self, ctx: &egui::Context) -> bool {
        let Unattended::Picture(path) = &self.unattended else {
            return false;
        };
        let taken = self
            .picture
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(image) = taken {
            if let Err(error) = save(path, &image) {
                let problem = format!("cannot write {}: {error}", path.display());
                *self.failure.borrow_mut() = Some(BadInput(problem));
            }
            return true;
        }
        if self.screen.is_busy() {
            self.frames = 0;
        }
        if self.frames == SETTLE {
            let place = Arc::clone(&self.picture);
            ctx.request_screenshot(move |image| {
                *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(image);
            });
        }
        false
    }

    /// Counts frames while the robot walks; `true` when the time is over.
    fn measure(&mut self) -> bool {
        let Unattended::Measure(time) = self.unattended else {
            return false;
        };
        let now = Instant::now();
        if self.frames <= WARM_UP {
            self.begin = now;
        } else {
            self.slowest = self.slowest.max(now - self.last);
        }
        self.last = now;
        self.screen.keep_moving();
        let elapsed = now - self.begin;
        if elapsed < time {
            return false;
        }
        let frames = self.frames - WARM_UP;
        // Nobody is left to be told that standard output is closed.
        let _ = writeln!(
            io::stdout(),
            "{:.1} frames per second over {:.1} s, the slowest frame {:.1} ms",
            f64::from(frames) / elapsed.as_secs_f64(),
            elapsed.as_secs_f64(),
            self.slowest.as_secs_f64() * 1e3,
        );
        true
    }
}

impl eframe::App for UnattendedWindow {
    /// Ignores the pointer: wherever it happens to be, a picture shows no hovered cell.
    fn raw_input_hook(&mut self, _ctx: &egui::Context, input: &mut egui::RawInput) {
        let is_pointer = |event: &egui::Event| {
            use egui::Event::{MouseMoved, PointerButton, PointerMoved};
            matches!(
                event,
                MouseMoved(_) | PointerMoved(_) | PointerButton { .. }
            )
        };
        input.events.retain(|event| !is_pointer(event));
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        self.frames += 1;
        self.screen.ui(ui, frame);
        let ctx = ui.ctx();
        if self.frames == 1 {
            // Not the size that a user left behind.
            ctx.send_viewport_cmd(ViewportCommand::InnerSize(SIZE.into()));
        }
        if !self.is_done && (self.take_picture(ctx) || self.measure()) {
            self.is_done = true;
            ctx.send_viewport_cmd(ViewportCommand::Close);
        }
        ctx.request_repaint();
    }
}

fn save(path: &Path, image: &ColorImage) -> Result<(), Box<dyn std::error::Error>> {
    let [width, height] = image.size.map(|side| side as u32);
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let pixels: Vec<u8> = image
        .pixels
        .iter()
        .flat_map(|pixel| [pixel.r(), pixel.g(), pixel.b()])
        .collect();
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(())
}
