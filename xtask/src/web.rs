//! `cargo xtask web`: the window of the simulator as a folder that any web server can hand out.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::{
    cargo::{cargo, root, target_dir},
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
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-save", "--prefix"]);
    install.arg(&tools).arg("playwright-core@1");
    done(&mut install)?;
    fs::copy(root.join("xtask/web/check.mjs"), tools.join("check.mjs"))?;
    done(
        Command::new("node")
            .arg(tools.join("check.mjs"))
            .arg(page)
            .arg(&tools),
    )
}

fn done(command: &mut Command) -> Result<()> {
    println!("$ {command:?}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => bail!("{command:?}: {status}"),
        Err(error) => bail!("{command:?}: {error}"),
    }
}
