//! Decoder of ARMv6-M instructions (Thumb), with their cycles on a Cortex-M0+ whose memory never waits.
//!
//! It tells what an analysis of time, calls and stack needs: where control goes, what an instruction costs, and how
//! it moves the stack pointer. Encodings are those of the ARMv6-M Architecture Reference Manual, chapter A5; cycles
//! those of the Cortex-M0+ Technical Reference Manual, table 3-1, with the single-cycle multiplier of the RP2040.

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub at: u32,
    /// In bytes.
    pub size: u32,
    /// Cycles; a conditional branch takes [`TAKEN`] more when it is taken.
    pub cycles: u32,
    pub flow: Flow,
    pub op: Op,
    /// Registers that it may change, a bit each.
    pub sets: u16,
}

/// Cycles of a conditional branch that is taken, beyond one that is not.
pub const TAKEN: u32 = 1;

/// Control flow of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// To the next instruction.
    Next,
    Branch(u32),
    /// There, or to the next instruction.
    Conditional(u32),
    /// There, and then to the next instruction.
    Call(u32),
    /// To the address in a register, and then to the next instruction.
    CallRegister,
    Return,
    /// To an address that was computed.
    Jump,
    /// To an exception handler.
    Trap,
}

/// Operation of an instruction, as far as an analysis needs it. Registers are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `MOVS Rd, #n`.
    Constant {
        rd: u8,
        value: u8,
    },
    /// `MOV Rd, Rm`.
    Copy {
        rd: u8,
        rm: u8,
    },
    /// `LDR Rt, [PC, #n]`.
    Literal {
        rt: u8,
        from: u32,
    },
    /// `ADR Rd, label`.
    Address {
        rd: u8,
        to: u32,
    },
    /// `LSLS Rd, Rm, #n`.
    ShiftLeft {
        rd: u8,
        rm: u8,
        by: u8,
    },
    /// `ADD Rd, PC`; the sum of the register and the address of this instruction plus 4.
    AddPc {
        rd: u8,
    },
    /// `LDRB` or `LDRH Rt, [Rn, #n]`.
    LoadNarrow {
        rt: u8,
        rn: u8,
        offset: u8,
        bytes: u8,
    },
    /// `LDR Rt, [Rn, Rm]`.
    LoadIndexed {
        rt: u8,
        rn: u8,
        rm: u8,
    },
    /// `LDRB Rt, [Rn, Rm]`.
    LoadByteIndexed {
        rt: u8,
        rn: u8,
    },
    /// `ADD PC, Rm`.
    JumpBy {
        rm: u8,
    },
    /// `MOV PC, Rm` or `BX Rm`.
    JumpTo {
        rm: u8,
    },
    /// A store to memory; not one to the stack by `PUSH`.
    Store,
    /// Moves the stack pointer by so many bytes; `PUSH` and `SUB SP` down.
    MoveStack(i32),
    /// `ADD SP, Rm`.
    AddToStack {
        rm: u8,
    },
    /// `MOV SP, Rm`.
    SetStack,
    /// `MOV R8, R8` and `NOP`.
    Nop,
    /// `ADDS` and `SUBS` of a constant or a register.
    Add,
    Other,
}

/// Cycles of an instruction, where it leads, and what it does.
type Effect = (u32, Flow, Op);

/// Decodes the instruction at an address; `None` if there is none in ARMv6-M. `second` is the next half-word.
pub fn decode(at: u32, first: u16, second: u16) -> Option<Instruction> {
    let is_wide = first >> 11 > 0b11100;
    let (cycles, flow, op) = match is_wide {
        true => wide(at, first, second)?,
        false => narrow(at, first)?,
    };
    Some(Instruction {
        at,
        size: if is_wide { 4 } else { 2 },
        cycles,
        flow,
        op,
        sets: if is_wide { CALLER_SAVED } else { sets(first) },
    })
}

/// Instructions of one half-word.
fn narrow(at: u32, first: u16) -> Option<Effect> {
    const SIMPLE: Effect = (1, Flow::Next, Op::Other);
    let load = |op| (2, Flow::Next, op);
    let low = |shift: u32| (first >> shift & 7) as u8;
    let (immediate5, immediate8) = ((first >> 6 & 31) as u8, u32::from(first & 0xff));
    let beside = ((at + 4) & !3) + 4 * immediate8;
    let load_narrow = |bytes| Op::LoadNarrow {
        rt: low(0),
        rn: low(3),
        offset: bytes * immediate5,
        bytes,
    };
    Some(match first >> 11 {
        0b00000 => {
            let (rd, rm, by) = (low(0), low(3), immediate5);
            (1, Flow::Next, Op::ShiftLeft { rd, rm, by })
        }
        0b00100 => {
            let (rd, value) = (low(8), immediate8 as u8);
            (1, Flow::Next, Op::Constant { rd, value })
        }
        0b00011 | 0b00110 | 0b00111 => (1, Flow::Next, Op::Add),
        // LSRS, ASRS, CMP with constants.
        0b00001..=0b00101 => SIMPLE,
        0b01000 => match first >> 10 & 1 {
            0 => SIMPLE, // data processing
            _ => special(first)?,
        },
        0b01001 => {
            let (rt, from) = (low(8), beside);
            load(Op::Literal { rt, from })
        }
        0b01010 | 0b01011 => match first >> 9 & 7 {
            0..=2 => load(Op::Store), // STR, STRH, STRB
            4 => load(Op::LoadIndexed {
                rt: low(0),
                rn: low(3),
                rm: low(6),
            }),
            6 => load(Op::LoadByteIndexed {
                rt: low(0),
                rn: low(3),
            }),
            _ => load(Op::Other), // LDRSB, LDRH, LDRSH
        },
        0b01100 | 0b01110 | 0b10000 | 0b10010 => load(Op::Store),
        0b01111 => load(load_narrow(1)),
        0b10001 => load(load_narrow(2)),
        0b01101 | 0b10011 => load(Op::Other),
        0b10100 => {
            let (rd, to) = (low(8), beside);
            (1, Flow::Next, Op::Address { rd, to })
        }
        0b10101 => SIMPLE, // ADD Rd, SP, #n
        0b10110 | 0b10111 => miscellaneous(first)?,
        0b11000 => (1 + immediate8.count_ones(), Flow::Next, Op::Store), // STM
        0b11001 => (1 + immediate8.count_ones(), Flow::Next, Op::Other), // LDM
        0b11010 | 0b11011 => match first >> 8 & 15 {
            14 | 15 => (1, Flow::Trap, Op::Other), // UDF, SVC
            _ => {
                let offset = i32::from(first as u8 as i8) * 2;
                let to = at.wrapping_add(4).wrapping_add_signed(offset);
                (1, Flow::Conditional(to), Op::Other)
            }
        },
        0b11100 => {
            let offset = i32::from((first << 5) as i16 >> 5) * 2;
            let to = at.wrapping_add(4).wrapping_add_signed(offset);
            (2, Flow::Branch(to), Op::Other)
        }
        _ => return None,
    })
}

/// `0100 01..`: additions and moves of all registers, and branches to an address in a register.
fn special(first: u16) -> Option<Effect> {
    let rm = (first >> 3 & 15) as u8;
    let rd = (first & 7 | first >> 4 & 8) as u8;
    Some(match (first >> 8 & 3, rd, rm) {
        (0, PC, _) => (2, Flow::Jump, Op::JumpBy { rm }),
        (0, SP, _) => (1, Flow::Next, Op::AddToStack { rm }),
        (0, _, PC) => (1, Flow::Next, Op::AddPc { rd }),
        (2, PC, LR) => (2, Flow::Return, Op::Other),
        (2, PC, _) => (2, Flow::Jump, Op::JumpTo { rm }),
        (2, SP, _) => (1, Flow::Next, Op::SetStack),
        (2, 8, 8) => (1, Flow::Next, Op::Nop),
        (2, _, _) => (1, Flow::Next, Op::Copy { rd, rm }),
        (0..=2, _, _) => (1, Flow::Next, Op::Other),
        _ if first & 7 != 0 => return None,
        _ if first & 0x80 != 0 => (2, Flow::CallRegister, Op::Other),
        (_, _, LR) => (2, Flow::Return, Op::Other),
        _ => (2, Flow::Jump, Op::JumpTo { rm }),
    })
}

const SP: u8 = 13;
const LR: u8 = 14;
const PC: u8 = 15;

/// Registers that a call does not keep: r0 to r3, r12 and LR.
const CALLER_SAVED: u16 = 0x500f;

/// Registers that an instruction of one half-word may change, a bit each.
fn sets(first: u16) -> u16 {
    let low = |shift: u32| 1 << (first >> shift & 7);
    let any = || 1 << (first & 7 | first >> 4 & 8);
    let list = first & 0xff;
    match first >> 11 {
        0b00000..=0b00011 => low(0),
        0b00100 | 0b00110 | 0b00111 | 0b01001 | 0b10011..=0b10101 => low(8),
        0b01000 => match (first >> 10 & 1, first >> 8 & 3, first >> 6 & 15) {
            (0, _, 8 | 10 | 11) | (1, 1, _) => 0, // TST, CMP, CMN
            (0, _, _) => low(0),
            (1, 3, _) => CALLER_SAVED,
            _ => any(),
        },
        0b01010 | 0b01011 if first >> 9 & 7 < 3 => 0,
        0b01010 | 0b01011 | 0b01101 | 0b01111 | 0b10001 => low(0),
        0b10110 => match first >> 8 & 7 {
            0b010 => low(0), // SXTH, SXTB, UXTH, UXTB
            _ => 0,
        },
        0b10111 => match first >> 8 & 7 {
            0b010 => low(0), // REV
            0b100 | 0b101 => list,
            _ => 0,
        },
        0b11000 => low(8),
        0b11001 => list | low(8),
        _ => 0,
    }
}

/// `1011 ....`: stack, extensions, byte order, hints.
fn miscellaneous(first: u16) -> Option<Effect> {
    let registers = (first & 0x1ff).count_ones();
    let stacked = 4 * registers as i32;
    Some(match first >> 5 & 0x7f {
        0b0000000..=0b0000011 => (1, Flow::Next, Op::MoveStack(4 * i32::from(first & 0x7f))),
        0b0000100..=0b0000111 => (1, Flow::Next, Op::MoveStack(-4 * i32::from(first & 0x7f))),
        // SXTH, SXTB, UXTH, UXTB
        0b0010000..=0b0010111 => (1, Flow::Next, Op::Other),
        0b0100000..=0b0101111 => (1 + registers, Flow::Next, Op::MoveStack(-stacked)),
        0b0110011 => (1, Flow::Next, Op::Other), // CPS
        // REV, REV16, REVSH
        0b1010000..=0b1010011 | 0b1010110 | 0b1010111 => (1, Flow::Next, Op::Other),
        0b1100000..=0b1100111 => (1 + registers, Flow::Next, Op::MoveStack(stacked)),
        0b1101000..=0b1101111 => (3 + registers, Flow::Return, Op::MoveStack(stacked)),
        0b1110000..=0b1110111 => (1, Flow::Trap, Op::Other), // BKPT
        0b1111000..=0b1111111 => match first & 0xff {
            0x00 | 0x10 | 0x40 => (1, Flow::Next, Op::Nop), // NOP, YIELD, SEV
            0x20 | 0x30 => (2, Flow::Next, Op::Other),      // WFE, WFI
            _ => return None,
        },
        _ => return None,
    })
}

/// Instructions of two half-words.
fn wide(at: u32, first: u16, second: u16) -> Option<Effect> {
    let (first, second) = (u32::from(first), u32::from(second));
    if first >> 11 == 0b11110 && second >> 14 == 3 && second >> 12 & 1 == 1 {
        let sign = first >> 10 & 1;
        let bit = |second: u32| 1 ^ second & 1 ^ sign;
        let offset = (sign << 24 | bit(second >> 13) << 23 | bit(second >> 11) << 22)
            | (first & 0x3ff) << 12
            | (second & 0x7ff) << 1;
        // From 25 bits.
        let offset = (offset << 7) as i32 >> 7;
        let to = at.wrapping_add(4).wrapping_add_signed(offset);
        Some((3, Flow::Call(to), Op::Other))
    } else if first & 0xfff0 == 0xf380 && second & 0xff00 == 0x8800 // MSR
        || first == 0xf3ef && second & 0xf000 == 0x8000 // MRS
        || first == 0xf3bf && matches!(second & 0xfff0, 0x8f40 | 0x8f50 | 0x8f60)
    // DSB, DMB, ISB
    {
        Some((3, Flow::Next, Op::Other))
    } else if first & 0xfff0 == 0xf7f0 && second & 0xf000 == 0xa000 {
        Some((1, Flow::Trap, Op::Other)) // UDF.W
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: u32 = 0x2000_0100;

    fn one(first: u16) -> Instruction {
        decode(AT, first, 0).unwrap_or_else(|| panic!("{first:04x}"))
    }

    #[test]
    fn branches_lead_where_their_offsets_say() {
        let at = AT;
        assert_eq!(one(0xe7fe).flow, Flow::Branch(at), "b .");
        assert_eq!(one(0xe400).flow, Flow::Branch(at + 4 - 2048));
        assert_eq!(one(0xe3ff).flow, Flow::Branch(at + 4 + 2046));
        assert_eq!(one(0xd0fe).flow, Flow::Conditional(at), "beq .");
        assert_eq!(one(0xdd7f).flow, Flow::Conditional(at + 4 + 254));
        assert_eq!(one(0xdb80).flow, Flow::Conditional(at + 4 - 256));
        assert_eq!((one(0xe7fe).cycles, one(0xd0fe).cycles), (2, 1));
    }

    /// Offset 0 has both J bits set; the farthest ones have each bit of the offset set or cleared.
    #[test]
    fn calls_reach_16_megabytes() {
        let call = |first, second| decode(AT, first, second).unwrap();
        assert_eq!(call(0xf000, 0xf800).flow, Flow::Call(AT + 4));
        assert_eq!(call(0xf7ff, 0xfffe).flow, Flow::Call(AT), "bl .");
        assert_eq!(call(0xf001, 0xf801).flow, Flow::Call(AT + 4 + 0x1002));
        assert_eq!(
            call(0xf3ff, 0xd7ff).flow,
            Flow::Call(AT + 4 + 0xff_fffe),
            "forward"
        );
        assert_eq!(call(0xf400, 0xd000).flow, Flow::Call(AT + 4 - 0x100_0000));
        assert_eq!(
            (call(0xf000, 0xf800).cycles, call(0xf000, 0xf800).size),
            (3, 4)
        );
    }

    #[test]
    fn stack_moves_and_cycles_count_registers() {
        let effect = |first| (one(first).op, one(first).cycles);
        assert_eq!(
            effect(0xb5f0),
            (Op::MoveStack(-20), 6),
            "push {{r4-r7, lr}}"
        );
        assert_eq!(effect(0xb4f0), (Op::MoveStack(-16), 5), "push {{r4-r7}}");
        assert_eq!(effect(0xbcf0), (Op::MoveStack(16), 5), "pop {{r4-r7}}");
        assert_eq!(effect(0xbdf0), (Op::MoveStack(20), 8), "pop {{r4-r7, pc}}");
        assert_eq!(one(0xbdf0).flow, Flow::Return);
        assert_eq!(effect(0xb082), (Op::MoveStack(-8), 1), "sub sp, #8");
        assert_eq!(effect(0xb07f), (Op::MoveStack(508), 1), "add sp, #508");
        assert_eq!(effect(0xc80e), (Op::Other, 4), "ldm r0!, {{r1-r3}}");
        assert_eq!(effect(0xc00e), (Op::Store, 4), "stm r0!, {{r1-r3}}");
    }

    #[test]
    fn jumps_through_registers_are_told_from_returns() {
        assert_eq!(one(0x4770).flow, Flow::Return, "bx lr");
        assert_eq!(one(0x46f7).flow, Flow::Return, "mov pc, lr");
        assert_eq!(one(0x4718).flow, Flow::Jump, "bx r3");
        assert_eq!(one(0x4798).flow, Flow::CallRegister, "blx r3");
        assert_eq!(one(0x469f).op, Op::JumpTo { rm: 3 }, "mov pc, r3");
        assert_eq!(one(0x4487).op, Op::JumpBy { rm: 0 }, "add pc, r0");
        assert_eq!(one(0x4478).op, Op::AddPc { rd: 0 }, "add r0, pc");
        assert_eq!(one(0x46c0).op, Op::Nop, "mov r8, r8");
        assert_eq!(one(0xbf00).op, Op::Nop, "nop");
        assert_eq!(one(0x44a5).op, Op::AddToStack { rm: 4 }, "add sp, r4");
        assert_eq!(one(0x46bd).op, Op::SetStack, "mov sp, r7");
    }

    #[test]
    fn addresses_beside_the_program_are_words() {
        for at in [AT, AT + 2] {
            let literal = decode(at, 0x4b02, 0).unwrap();
            let from = AT + 4 + 8;
            assert_eq!(literal.op, Op::Literal { rt: 3, from }, "ldr r3, [pc, #8]");
            assert_eq!(literal.cycles, 2);
            let address = decode(at, 0xa601, 0).unwrap();
            let to = AT + 4 + 4;
            assert_eq!(address.op, Op::Address { rd: 6, to }, "adr r6, #4");
        }
    }

    #[test]
    fn memory_takes_two_cycles_and_arithmetic_one() {
        for (first, name) in [
            (0x6008, "str r0, [r1]"),
            (0x7008, "strb r0, [r1]"),
            (0x8008, "strh r0, [r1]"),
            (0x9001, "str r0, [sp, #4]"),
            (0x5088, "str r0, [r1, r2]"),
        ] {
            assert_eq!((one(first).cycles, one(first).op), (2, Op::Store), "{name}");
        }
        for (first, name) in [
            (0x6808, "ldr r0, [r1]"),
            (0x9801, "ldr r0, [sp, #4]"),
            (0x5688, "ldrsb r0, [r1, r2]"),
            (0x5e88, "ldrsh r0, [r1, r2]"),
        ] {
            assert_eq!((one(first).cycles, one(first).op), (2, Op::Other), "{name}");
        }
        let narrow = |bytes, offset| Op::LoadNarrow {
            rt: 0,
            rn: 1,
            offset,
            bytes,
        };
        assert_eq!(one(0x7908).op, narrow(1, 4), "ldrb r0, [r1, #4]");
        assert_eq!(one(0x8888).op, narrow(2, 4), "ldrh r0, [r1, #4]");
        for first in [
            0x1840_u16, 0x3001, 0x2a00, 0x4348, 0x4088, 0xb2c0, 0xba00, 0xa801,
        ] {
            assert_eq!(
                (one(first).cycles, one(first).flow),
                (1, Flow::Next),
                "{first:04x}"
            );
        }
    }

    #[test]
    fn changed_registers_are_known() {
        for (first, sets, name) in [
            (0x2344, 1 << 3, "movs r3, #68"),
            (0x0089, 1 << 1, "lsls r1, r1, #2"),
            (0x4288, 0, "cmp r0, r1"),
            (0x4208, 0, "tst r0, r1"),
            (0x4348, 1 << 0, "muls r0, r1"),
            (0x4690, 1 << 8, "mov r8, r2"),
            (0x44a5, 1 << 13, "add sp, r4"),
            (0x4b02, 1 << 3, "ldr r3, [pc, #8]"),
            (0x9a00, 1 << 2, "ldr r2, [sp]"),
            (0x6848, 1 << 0, "ldr r0, [r1, #4]"),
            (0x7048, 0, "strb r0, [r1, #1]"),
            (0x5688, 1 << 0, "ldrsb r0, [r1, r2]"),
            (0xb2c2, 1 << 2, "uxtb r2, r0"),
            (0xba02, 1 << 2, "rev r2, r0"),
            (0xc80e, 0b1111, "ldm r0!, {r1-r3}"),
            (0xc00e, 1 << 0, "stm r0!, {r1-r3}"),
            (0xbc0c, 0b1100, "pop {r2, r3}"),
            (0xb5f0, 0, "push {r4-r7, lr}"),
            (0xa901, 1 << 1, "add r1, sp, #4"),
            (0x4798, CALLER_SAVED, "blx r3"),
        ] {
            assert_eq!(one(first).sets, sets, "{name}");
        }
        assert_eq!(one(0x2344).op, Op::Constant { rd: 3, value: 68 });
        assert_eq!(one(0x4601).op, Op::Copy { rd: 1, rm: 0 }, "mov r1, r0");
    }

    #[test]
    fn barriers_and_special_registers_take_three_cycles() {
        for (first, second) in [
            (0xf3ef, 0x8010), // mrs r0, primask
            (0xf380, 0x8810), // msr primask, r0
            (0xf3bf, 0x8f5f), // dmb
            (0xf3bf, 0x8f4f), // dsb
            (0xf3bf, 0x8f6f), // isb
        ] {
            let wide = decode(AT, first, second).unwrap();
            assert_eq!((wide.cycles, wide.size, wide.flow), (3, 4, Flow::Next));
        }
    }

    #[test]
    fn what_is_not_of_armv6m_is_refused() {
        for (first, second) in [
            (0xb100, 0),      // cbz
            (0xbf08, 0),      // it eq
            (0xf000, 0x8000), // beq.w
            (0xfbb0, 0xf0f1), // udiv
            (0xe92d, 0x4ff0), // push.w
        ] {
            assert_eq!(decode(AT, first, second), None, "{first:04x}");
        }
        assert_eq!(one(0xdefe).flow, Flow::Trap);
        assert_eq!(one(0xbe00).flow, Flow::Trap);
    }
}
