//! Hand-assembled functions whose cycles are known: on the emulated chip and by analysis.

use std::{collections::HashMap, rc::Rc, time::Duration};

use emulator::{Add, Counter, Emulator, FLASH_MISS_CYCLES, Image};

use super::{
    cfg::Cfg,
    path::{Body, Bound, Cost, Facts, Longest},
    program::Program,
};

const FLASH: u32 = 0x1000_0000;
const VECTORS: u32 = FLASH + 0x100;
const RESET: u32 = FLASH + 0x200;
/// Address of the kernels in flash: at the beginning of a line.
const KERNEL: u32 = FLASH + 0x300;
const STACK: u32 = 0x2000_8000;
const PIN: u8 = 28;

/// An ELF file with one segment at the beginning of flash.
fn elf(image: &[u8]) -> Vec<u8> {
    let mut file = Vec::from(*b"\x7FELF\x01\x01\x01\0\0\0\0\0\0\0\0\0");
    file.extend([2, 0, 40, 0]);
    for word in [1_u32, RESET | 1, 52, 0, 0] {
        file.extend(word.to_le_bytes());
    }
    for half in [52_u16, 32, 1, 40, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    let length = image.len() as u32;
    for word in [1, 84, FLASH, FLASH, length, length, 5, 4] {
        file.extend(word.to_le_bytes());
    }
    file.extend(image);
    file
}

/// A program that calls a kernel with a pin high, again and again.
fn program(kernel: &[u16]) -> Vec<u8> {
    let mut image = vec![0; (KERNEL - FLASH) as usize];
    let mut put = |at: u32, bytes: &[u8]| {
        let at = (at - FLASH) as usize;
        image[at..at + bytes.len()].copy_from_slice(bytes);
    };
    put(VECTORS, &STACK.to_le_bytes());
    put(VECTORS + 4, &(RESET | 1).to_le_bytes());
    let code: &[u16] = &[
        0x4c08, // ldr r4, control of the pin
        0x2505, // movs r5, #5: SIO
        0x6025, // str r5, [r4]
        0x4c08, // ldr r4, SIO
        0x2501, // movs r5, #1
        0x072d, // lsls r5, r5, #28
        0x6265, // str r5, [r4, #0x24]: output
        0x4e07, // ldr r6, the kernel
        0x6165, // str r5, [r4, #0x14]: high
        0x47b0, // blx r6
        0x61a5, // str r5, [r4, #0x18]: low
        0xe7fb, // b to the first of these
        0x46c0, // fill
        0x46c0, 0x46c0, 0x46c0, 0x46c0, 0x46c0,
    ];
    let code: Vec<u8> = code.iter().flat_map(|half| half.to_le_bytes()).collect();
    put(RESET, &code);
    let words = [0x4001_4004 + 8 * u32::from(PIN), 0xd000_0000, KERNEL | 1];
    for (n, word) in words.into_iter().enumerate() {
        put(RESET + 36 + 4 * n as u32, &u32::to_le_bytes(word));
    }
    image.extend(kernel.iter().flat_map(|half| half.to_le_bytes()));
    image
}

/// Starts a kernel on the emulated chip.
fn start(kernel: &[u16]) -> Emulator {
    let image = Image::parse(&elf(&program(kernel)));
    Emulator::start(image.unwrap_or_else(|error| panic!("{error}"))).unwrap()
}

/// Cycles of the first and of the last call of a kernel on the emulated chip, from the rise of the pin to its fall.
fn laps(kernel: &[u16], miss_cycles: u32) -> [u64; 2] {
    let mut emulator = start(kernel);
    emulator.set_flash_waits(miss_cycles).unwrap();
    emulator.watch(PIN).unwrap();
    emulator.power_on().unwrap();
    let outputs = emulator.run(Duration::from_millis(1)).unwrap();
    assert!(outputs.faults().is_empty(), "{outputs:?}");
    let laps = [outputs.laps.first(), outputs.laps.last()];
    laps.map(|lap| *lap.expect("the kernel returns"))
}

/// `blx` and the store that ends a lap, which the pin follows when it is done.
const CALL: u64 = 2 + 1;

/// The bound of a kernel whose loops take so many back edges, inner loops first; `words` at its end are data.
fn bound(kernel: &[u16], back_edges: &[i64], words: u32) -> u64 {
    let mut program = Program::assembled(KERNEL, kernel);
    let end = KERNEL + 2 * kernel.len() as u32;
    program.add_data(end - 4 * words..end);
    let cfg = Rc::new(Cfg::new(&program, program.function(KERNEL).unwrap()).unwrap());
    let bounds = back_edges
        .iter()
        .map(|times| Bound::Times(*times))
        .enumerate();
    let bounds: HashMap<_, _> = bounds.collect();
    assert_eq!(bounds.len(), cfg.loops.len());
    let facts = Rc::new(Facts {
        bounds,
        ..Facts::default()
    });
    let calls = |_| Ok(Cost::zero(0));
    let longest = Longest {
        prices: &[],
        is_traced: false,
        calls: &calls,
    };
    let cost = longest.function(&Body { cfg, facts });
    cost.unwrap_or_else(|stop| panic!("{stop:?}"))
        .unwrap()
        .cycles as u64
}

/// `movs r0, #20; 2: subs r0, #1; bne 2; bx lr`
const COUNT: &[u16] = &[0x2014, 0x3801, 0xd1fd, 0x4770];

/// Nested loops with memory and a product: `push {r4, lr}; movs r0, #6; sub sp, #8; 6: movs r1, #5; 8: str r1, [sp];
/// ldr r2, [sp]; muls r2, r1; subs r1, #1; bne 8; subs r0, #1; bne 6; add sp, #8; pop {r4, pc}`
const NESTED: &[u16] = &[
    0xb510, 0x2006, 0xb082, 0x2105, 0x9100, 0x9a00, 0x434a, 0x3901, 0xd1fa, 0x3801, 0xd1f7, 0xb002,
    0xbd10,
];

/// A branch that is taken in every other iteration: `movs r0, #8; 2: lsrs r1, r0, #1; bcc 8; ldr r2, [pc, #0];
/// 8: subs r0, #1; bne 2; bx lr; fill; word`
const EVERY_OTHER: &[u16] = &[
    0x2008, 0x0841, 0xd300, 0x4a02, 0x3801, 0xd1fa, 0x4770, 0x46c0, 0x1234, 0x5678,
];

#[test]
fn bounds_of_counted_loops_are_exact() {
    assert_eq!(laps(COUNT, 0)[1], CALL + bound(COUNT, &[19], 0));
    // POP with PC is bounded by a cycle more than the emulator counts.
    assert_eq!(laps(NESTED, 0)[1], CALL + bound(NESTED, &[4, 5], 0) - 1);
}

#[test]
fn probes_measure_calls_from_entry_to_return() {
    let mut emulator = start(COUNT);
    emulator.start_probes(&[KERNEL, KERNEL + 64]).unwrap();
    emulator.power_on().unwrap();
    emulator.run(Duration::from_millis(1)).unwrap();
    let [kernel, other] = emulator.take_probes().unwrap().try_into().unwrap();
    assert_eq!(
        (kernel.function, kernel.longest),
        (KERNEL, bound(COUNT, &[19], 0))
    );
    assert!(kernel.calls > 100, "{kernel:?}");
    assert_eq!((other.calls, other.longest), (0, 0));
}

#[test]
fn counters_count_in_each_call() {
    let add = |from: Option<u32>, at| Add {
        from: from.map(|from| KERNEL + from),
        at: KERNEL + at,
        amount: 1,
    };
    let inner = Counter {
        begins: vec![KERNEL + 6],
        first: -1,
        adds: vec![add(None, 8)],
        ..Counter::default()
    };
    let outer = Counter {
        begins: vec![KERNEL],
        adds: vec![add(None, 6)],
        ..inner.clone()
    };
    let by_outer = Counter {
        by: Some((KERNEL + 6, 0)),
        ..inner.clone()
    };
    let all_back_edges = Counter {
        per_call: true,
        adds: vec![add(Some(16), 8)],
        ..Counter::default()
    };
    let register = Counter {
        value: Some((KERNEL + 18, 0)),
        ..Counter::default()
    };
    let never = Counter {
        adds: vec![add(None, 64)],
        ..Counter::default()
    };
    let counters = [inner, outer, by_outer, all_back_edges, register, never];
    let mut emulator = start(NESTED);
    emulator.start_counters(&[KERNEL], &counters).unwrap();
    emulator.power_on().unwrap();
    emulator.run(Duration::from_millis(1)).unwrap();
    let by_outer = (1..=6).rev().map(|lap| (lap, 4)).collect();
    let largest = [
        vec![(0, 4)],
        vec![(0, 5)],
        by_outer,
        vec![(0, 24)],
        vec![(0, 6)],
        vec![],
    ];
    assert_eq!(emulator.take_counters().unwrap(), largest);
    // Outside of the functions nothing is counted.
    emulator.start_counters(&[KERNEL + 64], &counters).unwrap();
    emulator.run(Duration::from_millis(1)).unwrap();
    assert_eq!(emulator.take_counters().unwrap(), [const { vec![] }; 6]);
}

#[test]
fn bounds_cover_branches_either_way() {
    let (measured, bound) = (laps(EVERY_OTHER, 0)[1], CALL + bound(EVERY_OTHER, &[7], 1));
    assert!(
        measured < bound && bound < measured + 10,
        "{measured} {bound}"
    );
}

/// `push {r4-r7, lr}; pop {r4-r7}; pop {pc}`: the emulator's own count lacks the cycle of the link register.
#[test]
fn a_push_takes_a_cycle_for_the_link_register() {
    let kernel = [0xb5f0, 0xbcf0, 0xbd00];
    assert_eq!(laps(&kernel, 0)[1], CALL + 6 + 5 + 3);
}

/// The kernel is one line; that of its caller is in the cache when the pin rises.
#[test]
fn a_line_of_flash_is_waited_for_once() {
    let [first, last] = laps(COUNT, FLASH_MISS_CYCLES);
    assert_eq!(first - last, u64::from(FLASH_MISS_CYCLES));
    assert_eq!(laps(COUNT, 0), [last, last]);
}

/// Reads three words of flash that have one place in a cache of two ways, again and again.
#[test]
fn more_lines_than_ways_never_stay() {
    let kernel = |lines: u16| {
        let mut kernel = vec![0x2001, 0x0340]; // movs r0, #1; lsls r0, r0, #13: a way of the cache
        kernel.extend([0x2110, 0x0609]); // movs r1, #16; lsls r1, r1, #24: flash
        kernel.push(0x2208); // movs r2, #8
        for _ in 0..lines {
            kernel.extend([0x680b, 0x1809]); // ldr r3, [r1]; adds r1, r1, r0
        }
        kernel.extend([0x2110, 0x0609, 0x3a01]); // again; subs r2, #1
        let back = -(i16::try_from(2 * lines).unwrap() + 3 + 2);
        kernel.push(0xd100 | back as u8 as u16); // bne
        kernel.push(0x4770); // bx lr
        kernel
    };
    let waits = |lines| laps(&kernel(lines), FLASH_MISS_CYCLES)[1] - laps(&kernel(lines), 0)[1];
    let miss = u64::from(FLASH_MISS_CYCLES);
    assert_eq!(waits(2), 0);
    assert_eq!(waits(3), 8 * 3 * miss);
}
