//! `cargo xtask web`: the window of the simulator as a folder that any web server can hand out.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use crate::{
    cargo::{cargo, root, target_dir, tool},
    setup,
};

/// The target of browsers.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The page may not be larger, in bytes as they are sent: people wait for it.
const LARGEST: u64 = 2_000_000;

/// The browser of the tests, where Debian has it.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Build options.
#[derive(clap::Args)]
pub struct Args {
    /// The folder
    #[arg(long, value_name = "DIR", default_value = "target/web")]
    out: PathBuf,
    /// Then test the page in a headless Chromium, at the size of a desktop and of a phone; needs chromium, node and npm
    #[arg(long)]
    test: bool,
}

/// Builds the folder.
pub fn run(args: &Args) -> Result<()> {
    setup::target(TARGET)?;
    cargo(format!(
        "build --profile browser -p sim-window --bin sim-web --features web --target {TARGET}"
    ))
    .run()?;
    let root = root();
    let out = root.join(&args.out);
    fs::create_dir_all(&out).with_context(|| out.display().to_string())?;
    let module = target_dir()?.join(TARGET).join("browser/sim-web.wasm");
    cargo(format!(
        "run --quiet -p web-bindings -- {} sim/window/page/index.html {}",
        module.display(),
        out.display()
    ))
    .run()?;
    // GitHub Pages would leave out files that it takes for its own.
    fs::write(out.join(".nojekyll"), "")?;
    let mut bytes = 0;
    for file in fs::read_dir(&out)? {
        let file = file?;
        let length = file.metadata()?.len();
        println!("{:>7} kB  {}", length.div_ceil(1000), file.path().display());
        bytes += length;
    }
    ensure!(
        bytes <= LARGEST,
        "the page has {bytes} bytes, more than {LARGEST}"
    );
    println!(
        "to see it: python3 -m http.server --directory {}",
        out.display()
    );
    if args.test {
        test(root, &out)?;
    }
    Ok(())
}

/// Has a browser use the page.
fn test(root: &Path, page: &Path) -> Result<()> {
    let chromium = env::var("CHROMIUM").unwrap_or_else(|_| CHROMIUM.to_owned());
    ensure!(
        Path::new(&chromium).exists(),
        "there is no {chromium}: apt-get install chromium, or name another in the variable CHROMIUM"
    );
    for program in ["node", "npm"] {
        ensure!(
            tool(program, "--version").succeeds(),
            "there is no {program}: install it from https://nodejs.org (Debian: apt-get install nodejs npm)"
        );
    }
    let tools = root.join("target/web-test");
    fs::create_dir_all(&tools)?;
    let folder = tools.display();
    let install = format!("install --silent --no-save --prefix {folder} playwright-core@1");
    tool("npm", install).run()?;
    fs::copy(root.join("xtask/web/test.mjs"), tools.join("test.mjs"))?;
    tool(
        "node",
        format!("{folder}/test.mjs {} {folder}", page.display()),
    )
    .env("CHROMIUM", chromium)
    .run()
}
