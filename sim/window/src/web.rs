//! The window in a browser: draws on the canvas `tinystar` of the page it is loaded by.
//!
//! The query string of the page's address holds options of `sim view`, as in
//! `?maze=61x41&open=60&planner=rtd&limit=32`.

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("error: this is for a browser; `cargo xtask web` builds it");
    std::process::exit(1);
}

#[cfg(target_arch = "wasm32")]
fn main() {
    page::open();
}

#[cfg(target_arch = "wasm32")]
mod page {
    use clap::Parser;
    use eframe::{
        WebOptions, WebRunner, egui,
        wasm_bindgen::JsCast,
        web_sys::{self, HtmlCanvasElement},
    };
    use sim::options::view::ViewOptions;
    use sim_window::{
        App,
        host::{Delivery, Inbox},
        shell::{remembered, set_theme},
    };
    use wasm_bindgen_futures::spawn_local;

    /// The element that the page has for the window.
    const CANVAS: &str = "tinystar";

    pub fn open() {
        let document = web_sys::window().and_then(|window| window.document());
        let canvas = document
            .and_then(|document| document.get_element_by_id(CANVAS))
            .and_then(|element| element.dyn_into::<HtmlCanvasElement>().ok());
        // A page without it shows its own text.
        let Some(canvas) = canvas else {
            return;
        };
        spawn_local(async {
            let creator: eframe::AppCreator<'static> = Box::new(|cc| Ok(Box::new(app(cc))));
            // Errors go to the console, and the page keeps its text.
            let _ = WebRunner::new()
                .start(canvas, WebOptions::default(), creator)
                .await;
        });
    }

    fn app(cc: &eframe::CreationContext<'_>) -> App {
        let arguments = arguments(&cc.integration_info.web_info.location.query);
        let settings = remembered(cc);
        let asked = ViewOptions::try_parse_from(
            ["sim-view".to_owned()].into_iter().chain(arguments.clone()),
        );
        let scenario = asked.map_err(|error| error.to_string()).and_then(|args| {
            set_theme(&cc.egui_ctx, args.window.theme.as_deref());
            let scenario = args.scenario().map_err(|error| error.to_string())?;
            Ok((args, scenario))
        });
        match scenario {
            Ok((args, scenario)) if !arguments.is_empty() => {
                App::open_with(settings, &args, scenario, choose)
            }
            Ok(_) => App::new(settings, choose),
            Err(problem) => {
                let mut app = App::new(settings, choose);
                app.show_error(problem.lines().next().unwrap_or_default());
                app
            }
        }
    }

    /// The command line in an address.
    fn arguments(query: &str) -> Vec<String> {
        query
            .split('&')
            .filter(|part| !part.is_empty())
            .flat_map(|part| match part.split_once('=') {
                Some((name, value)) => vec![format!("--{name}"), value.to_owned()],
                None => vec![format!("--{part}")],
            })
            .collect()
    }

    fn choose(ctx: &egui::Context, inbox: &Inbox) {
        let (ctx, inbox) = (ctx.clone(), inbox.clone());
        spawn_local(async move {
            if let Some(file) = rfd::AsyncFileDialog::new().pick_file().await {
                let content = Ok(file.read().await);
                let path = file.file_name().into();
                inbox.put(Delivery { path, content });
                ctx.request_repaint();
            }
        });
    }
}
