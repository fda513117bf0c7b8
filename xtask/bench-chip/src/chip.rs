//! The chip, as far as a stopwatch needs it.

use core::ptr::{read_volatile, write_volatile};

use panic_halt as _;
use planner_core::{BuildError, Work};

use crate::{
    Job, Situation,
    walk::{MOST_TICKS, Report, Watch, pack},
    world::Kind,
};

/// Written by the rig at power-on, before the first instruction: limit, side, world, seed, situation.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".uninit.JOB")]
static mut JOB: [u32; 5] = [0; 5];

/// Read by the rig when the first word is 1.
#[unsafe(no_mangle)]
static mut RESULT: [u32; 16] = [0; 16];

/// Packed work of each tick, read by the rig along with the result.
#[unsafe(no_mangle)]
static mut WORK: [[u32; 2]; MOST_TICKS as usize] = [[0; 2]; MOST_TICKS as usize];

/// The pin that is high while the planner works.
const PIN: u32 = 28;
const PIN_CONTROL: *mut u32 = (0x4001_4004 + 8 * PIN) as *mut u32;
const SIO_FUNCTION: u32 = 5;
const OUTPUT_SET: *mut u32 = 0xd000_0014 as *mut u32;
const OUTPUT_CLEAR: *mut u32 = 0xd000_0018 as *mut u32;
const ENABLE_SET: *mut u32 = 0xd000_0024 as *mut u32;

/// Tells the rig by a pin and by a table.
pub struct Rig;

impl Watch for Rig {
    fn stopwatch(&mut self, on: bool) {
        // SAFETY: write-only registers of the chip that set or clear single bits.
        unsafe { write_volatile(if on { OUTPUT_SET } else { OUTPUT_CLEAR }, 1 << PIN) }
    }

    fn work(&mut self, tick: u32, work: Work) {
        // SAFETY: within the table, which nobody else touches.
        unsafe {
            let place = (&raw mut WORK).cast::<[u32; 2]>();
            write_volatile(place.add(tick.min(MOST_TICKS - 1) as usize), pack(work));
        }
    }
}

/// Runs the job that the rig has left, and leaves the result.
pub fn run(planner: fn(Job, &mut Rig) -> Result<Report, BuildError>) -> ! {
    // SAFETY: one core and no interrupts: nobody else touches the pin's registers or the two variables.
    unsafe {
        write_volatile(PIN_CONTROL, SIO_FUNCTION);
        write_volatile(ENABLE_SET, 1 << PIN);
        let [limit, side, world, seed, situation] = read_volatile(&raw const JOB);
        let job = Job {
            limit,
            side: side as u16,
            world: Kind::ALL[world as usize % Kind::ALL.len()],
            seed,
            situation: Situation::ALL[situation as usize % Situation::ALL.len()],
        };
        // A planner that cannot be built has done nothing.
        let report = planner(job, &mut Rig).unwrap_or_default();
        let mut result = [0; 16];
        result[1..=Report::WORDS].copy_from_slice(&report.words());
        write_volatile(&raw mut RESULT, result);
        write_volatile((&raw mut RESULT).cast::<u32>(), 1);
    }
    loop {
        // SAFETY: waits for an interrupt; none is enabled.
        unsafe { core::arch::asm!("wfi") }
    }
}
