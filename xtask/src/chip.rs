//! Images of `bench-chip`: how they are built, and one run of one.

use std::{path::PathBuf, time::Duration};

use anyhow::{Context, Result, bail};
use bench_chip::{
    Job,
    walk::{MOST_TICKS, Report, unpack},
};
use emulator::{Calls, Counter, Emulator, FLASH_MISS_CYCLES, Image, Largest};
use planner_core::Work;

use crate::{
    CHIP,
    cargo::{cargo, target_dir},
};

/// The pin that is high while a planner works.
const STOPWATCH: u8 = 28;
const SLICE: Duration = Duration::from_millis(100);
/// Virtual time in which a run must end.
const LIMIT: Duration = Duration::from_secs(300);

/// Builds all images of `bench-chip` as the firmware is built, but for an optimisation level.
pub fn build(opt_level: &str) -> Result<()> {
    cargo(format!(
        "build --quiet --profile chip -p bench-chip --bins --target {CHIP}"
    ))
    .env("CARGO_PROFILE_CHIP_OPT_LEVEL", opt_level)
    // In place of .cargo/config.toml: there is no boot loader and no log in these images.
    .env("RUSTFLAGS", "-C link-arg=-Tlink.x -C link-arg=--nmagic")
    .run_quietly()
}

/// Path of an image that was built with the profile `chip`.
pub fn path(image: &str) -> Result<PathBuf> {
    Ok(target_dir()?.join(CHIP).join("chip").join(image))
}

/// A run of an image.
pub struct Run {
    pub report: Report,
    /// Cycles of each tick.
    pub laps: Vec<u64>,
    /// Work of each tick, as far as the image has room for; of none if it has no table of it.
    pub work: Vec<Work>,
    pub profile: Option<emulator::Profile>,
    /// Calls of functions that were asked for.
    pub calls: Vec<Calls>,
    /// What was counted, by counter.
    pub counters: Vec<Largest>,
}

/// What is measured and counted inside a run, by address.
#[derive(Clone, Copy, Default)]
pub struct Probes<'a> {
    /// Functions whose calls are measured.
    pub functions: &'a [u32],
    /// Functions in whose calls is counted.
    pub counted: &'a [u32],
    pub counters: &'a [Counter],
}

/// Quantity that is watched in a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Watch {
    /// Cycles of each tick, as if flash never waited.
    Laps,
    /// The same with waits for flash.
    LapsWithFlash,
    /// Cycles of each function, as if flash never waited.
    Profile,
}

/// Runs `job` on `image`.
pub fn run(image: &str, job: Job, watch: Watch) -> Result<Run> {
    run_with_probes(image, job, watch, Probes::default())
}

/// Runs `job` on `image`, and measures and counts what is asked for.
pub fn run_with_probes(image: &str, job: Job, watch: Watch, probes: Probes) -> Result<Run> {
    let mut emulator = Emulator::start(Image::read(path(image)?)?)?;
    let profile = watch == Watch::Profile;
    if watch == Watch::LapsWithFlash {
        emulator.set_flash_waits(FLASH_MISS_CYCLES)?;
    }
    let symbol = |emulator: &Emulator, name| {
        let symbol = emulator.image().symbol(name);
        symbol.with_context(|| format!("{image} has no {name}"))
    };
    let (job_at, result_at) = (symbol(&emulator, "JOB")?, symbol(&emulator, "RESULT")?);
    let work_at = emulator.image().symbol("WORK");
    emulator.watch(STOPWATCH)?;
    emulator.power_on()?;
    let words = [
        job.limit,
        job.side.into(),
        job.world as u32,
        job.seed,
        job.situation as u32,
    ];
    let words: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    emulator.write(job_at, &words)?;
    if profile {
        emulator.start_profile()?;
    }
    emulator.start_probes(probes.functions)?;
    if !probes.counters.is_empty() {
        emulator.start_counters(probes.counted, probes.counters)?;
    }
    let mut laps = Vec::new();
    let mut passed = Duration::ZERO;
    let result = loop {
        let outputs = emulator.run(SLICE)?;
        passed += SLICE;
        laps.extend(&outputs.laps);
        if let Some(fault) = outputs.faults().first() {
            bail!("{image} failed: {fault:?}");
        }
        let result = read_words(&mut emulator, result_at, 1 + Report::WORDS)?;
        if result[0] == 1 {
            break result;
        }
        if passed >= LIMIT {
            bail!("{image} did not end within {LIMIT:?} of virtual time");
        }
    };
    let report = Report {
        arrived: result[1] == 1,
        moves: result[2],
        ticks: result[3],
        expansions: result[4],
        requeues: result[5],
        bytes: result[6],
    };
    let words = match work_at {
        Some(at) => read_words(&mut emulator, at, 2 * laps.len().min(MOST_TICKS as usize))?,
        None => Vec::new(),
    };
    let words = words.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
    Ok(Run {
        work: words.map(unpack).collect(),
        profile: profile.then(|| emulator.take_profile()).transpose()?,
        calls: emulator.take_probes()?,
        counters: emulator.take_counters()?,
        report,
        laps,
    })
}

fn read_words(emulator: &mut Emulator, at: u32, words: usize) -> Result<Vec<u32>> {
    let bytes = emulator.read(at, 4 * words)?;
    Ok(bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect())
}
