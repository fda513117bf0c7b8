//! `cargo xtask web`: the window of the simulator as a folder that any web server can hand out.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::{
    cargo::{cargo, root, target_dir, tool},
    setup,
};

/// The target of browsers.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// What to build, and where.
#[derive(clap::Args)]
pub struct Args {
    /// The folder
    #[arg(long, value_name = "DIR", default_value = "target/web")]
    out: PathBuf,
    /// Then open the page in a headless Chromium and click in it; needs chromium, node and npm
    #[arg(long)]
    check: bool,
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
        "run --quiet -p web-bindings -- {} {}",
        module.display(),
        out.display()
    ))
    .run()?;
    let page = root.join("sim/window/page/index.html");
    fs::copy(&page, out.join("index.html")).with_context(|| page.display().to_string())?;
    for file in fs::read_dir(&out)? {
        let file = file?;
        let kilobytes = file.metadata()?.len().div_ceil(1000);
        println!("{:>7} kB  {}", kilobytes, file.path().display());
    }
    println!(
        "to see it: python3 -m http.server --directory {}",
        out.display()
    );
    if args.check {
        check(root, &out)?;
    }
    Ok(())
}

/// Has a browser open the page and click in it.
fn check(root: &Path, page: &Path) -> Result<()> {
    let tools = root.join("target/web-check");
    fs::create_dir_all(&tools)?;
    let folder = tools.display();
    let install = format!("install --silent --no-save --prefix {folder} playwright-core@1");
    tool("npm", install).run()?;
    fs::copy(root.join("xtask/web/check.mjs"), tools.join("check.mjs"))?;
    let page = page.display();
    tool("node", format!("{folder}/check.mjs {page} {folder}")).run()
}
