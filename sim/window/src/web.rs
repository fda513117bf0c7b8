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
        WebOptions, WebRunner,
        egui::{self, FontData, FontDefinitions, FontFamily},
        wasm_bindgen::{JsCast, JsValue},
    };
    use epaint_default_fonts::{HACK_REGULAR, UBUNTU_LIGHT};
    use sim::options::view::ViewOptions;
    use sim_window::{
        App,
        host::{Delivery, Host, Inbox, Message},
        link,
        shell::{remembered, set_theme},
    };
    use wasm_bindgen_futures::spawn_local;
    use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, HtmlCanvasElement, Url};

    const HOST: Host = Host {
        choose,
        save,
        address: Some(address),
    };

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

    /// A font for words and one for numbers; those for emoji would be a quarter of the page.
    fn fonts() -> FontDefinitions {
        let mut fonts = FontDefinitions::empty();
        let both = [
            ("words", FontFamily::Proportional, UBUNTU_LIGHT),
            ("numbers", FontFamily::Monospace, HACK_REGULAR),
        ];
        for (name, family, bytes) in both {
            let data = FontData::from_static(bytes).into();
            fonts.font_data.insert(name.to_owned(), data);
            fonts.families.insert(family, vec![name.to_owned()]);
        }
        // Signs that only the other one has.
        for names in fonts.families.values_mut() {
            names.extend(["numbers", "words"].map(str::to_owned));
        }
        fonts
    }

    fn app(cc: &eframe::CreationContext<'_>) -> App {
        cc.egui_ctx.set_fonts(fonts());
        let arguments = link::options(&cc.integration_info.web_info.location.query);
        let settings = remembered(cc);
        let theme = match settings.is_dark {
            Some(true) => Some("dark"),
            Some(false) => Some("light"),
            None => None,
        };
        set_theme(&cc.egui_ctx, theme);
        let asked = ViewOptions::try_parse_from(
            ["sim-view".to_owned()].into_iter().chain(arguments.clone()),
        );
        let scenario = asked.map_err(|error| error.to_string()).and_then(|args| {
            set_theme(&cc.egui_ctx, args.window.theme.as_deref());
            let scenario = args.scenario().map_err(|error| error.to_string())?;
            Ok((args, scenario))
        });
        match scenario {
            Ok((args, scenario)) if !is_bare(&arguments) => {
                let mut app = App::open_with(settings, &args, scenario, HOST);
                app.play(args.initial.tick.is_none());
                app
            }
            Ok(_) => {
                let mut app = App::new(settings, HOST);
                app.introduce();
                app
            }
            Err(problem) => {
                let mut app = App::new(settings, HOST);
                app.show_error(problem.lines().next().unwrap_or_default());
                app
            }
        }
    }

    /// Returns whether an address chooses nothing but a theme.
    fn is_bare(arguments: &[String]) -> bool {
        let mut options = arguments.iter().filter(|word| word.starts_with("--"));
        options.all(|option| option == "--theme")
    }

    /// Writes the state into the address of the page, so that it can be shared and survives a reload.
    fn address(query: &str) -> String {
        let Some(window) = web_sys::window() else {
            return String::new();
        };
        let location = window.location();
        let page = [location.origin(), location.pathname()].map(Result::unwrap_or_default);
        let address = format!("{}?{query}", page.concat());
        // A page that was opened from a file may not; the link is right all the same.
        let _ = window
            .history()
            .and_then(|history| history.replace_state_with_url(&JsValue::NULL, "", Some(&address)));
        address
    }

    /// Has the browser download a file.
    fn save(_: &egui::Context, inbox: &Inbox, name: &str, bytes: Vec<u8>) {
        inbox.push(match download(name, &bytes) {
            Some(()) => Message::Notice(format!("Downloaded {name}")),
            None => Message::Problem(format!("{name}: the browser refuses the download")),
        });
    }

    fn download(name: &str, bytes: &[u8]) -> Option<()> {
        let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
        let kind = BlobPropertyBag::new();
        kind.set_type("image/gif");
        let blob = Blob::new_with_u8_array_sequence_and_options(&parts, &kind).ok()?;
        let url = Url::create_object_url_with_blob(&blob).ok()?;
        let document = web_sys::window()?.document()?;
        let link: HtmlAnchorElement = document.create_element("a").ok()?.dyn_into().ok()?;
        link.set_href(&url);
        link.set_download(name);
        link.click();
        Url::revoke_object_url(&url).ok()
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
