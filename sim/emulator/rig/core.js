// A faster way through the instructions that programs are made of: the stock core tries one pattern after the
// other, up to sixty. Results and cycles are the same; whatever is not here, and whatever touches a peripheral, is
// left to the stock core.

const FLASH = 0x10000000;
const RAM = 0x20000000;
/** Peripherals are from here on. */
const PERIPHERALS = 0x40000000;

/** A function that carries out the next instruction of `core` and returns its cycles; what it reads goes by `cache`. */
export function stepper(mcu, cache) {
  const { core, sram, sramView, flash, flash16, flashView } = mcu;
  const r = core.registers;
  const ramEnd = sram.length, flashEnd = flash.length;

  return function step() {
    if (core.interruptsUpdated) return core.executeInstruction();
    const pc = r[15];
    let opcode;
    if (pc - FLASH < flashEnd && pc >= FLASH) opcode = flash16[(pc - FLASH) >> 1];
    else if (pc - RAM < ramEnd && pc >= RAM) opcode = sramView.getUint16((pc - RAM) & ~1, true);
    else return core.executeInstruction();

    const low = opcode & 7, middle = (opcode >> 3) & 7, high = (opcode >> 6) & 7;
    let cycles = 1;
    switch (opcode >> 11) {
      case 0: { // LSLS, by a constant
        const by = (opcode >> 6) & 0x1f, input = r[middle];
        const result = input << by;
        r[low] = result;
        core.N = result < 0;
        core.Z = result === 0;
        if (by) core.C = !!(input & (1 << (32 - by)));
        break;
      }
      case 1: { // LSRS, by a constant
        const by = (opcode >> 6) & 0x1f, input = r[middle];
        const result = by ? input >>> by : 0;
        r[low] = result;
        core.N = (result & 0x80000000) !== 0;
        core.Z = result === 0;
        core.C = ((input >>> (by ? by - 1 : 31)) & 1) === 1;
        break;
      }
      case 2: { // ASRS, by a constant
        r[low] = shiftRight((opcode >> 6) & 0x1f || 32, r[middle]);
        break;
      }
      case 3: // ADDS and SUBS of three bits or a register
        switch ((opcode >> 9) & 3) {
          case 0: r[low] = core.addUpdateFlags(r[middle], r[high]); break;
          case 1: r[low] = core.substractUpdateFlags(r[middle], r[high]); break;
          case 2: r[low] = core.addUpdateFlags(r[middle], high); break;
          case 3: r[low] = core.substractUpdateFlags(r[middle], high); break;
        }
        break;
      case 4: // MOVS
        r[(opcode >> 8) & 7] = opcode & 0xff;
        core.N = false;
        core.Z = (opcode & 0xff) === 0;
        break;
      case 5: // CMP with a constant
        core.substractUpdateFlags(r[(opcode >> 8) & 7], opcode & 0xff);
        break;
      case 6: // ADDS of eight bits
        r[(opcode >> 8) & 7] = core.addUpdateFlags(r[(opcode >> 8) & 7], opcode & 0xff);
        break;
      case 7: // SUBS of eight bits
        r[(opcode >> 8) & 7] = core.substractUpdateFlags(r[(opcode >> 8) & 7], opcode & 0xff);
        break;
      case 8: { // between registers
        let result;
        switch ((opcode >> 6) & 0x1f) {
          case 0: result = r[low] & r[middle]; break; // ANDS
          case 1: result = r[low] ^ r[middle]; break; // EORS
          case 2: { // LSLS
            const by = r[middle] & 0xff, input = r[low];
            result = by < 32 ? input << by : 0;
            if (by) core.C = !!(input & (1 << (32 - by)));
            break;
          }
          case 3: { // LSRS
            const by = r[middle] & 0xff, input = r[low];
            result = by < 32 ? input >>> by : 0;
            core.C = by <= 32 && ((input >>> (by - 1)) & 1) === 1;
            break;
          }
          case 4: result = shiftRight(Math.min(r[middle] & 0xff, 32), r[low]); break; // ASRS
          case 8: result = r[low] & r[middle]; break; // TST
          case 12: result = r[low] | r[middle]; break; // ORRS
          case 13: result = Math.imul(r[low], r[middle]); break; // MULS
          case 14: result = r[low] & ~r[middle]; break; // BICS
          case 15: result = ~r[middle]; break; // MVNS
          case 5: r[low] = core.addUpdateFlags(r[middle], r[low] + (core.C ? 1 : 0)); return done(pc + 2, 1); // ADCS
          case 6: r[low] = core.substractUpdateFlags(r[low], r[middle] + (core.C ? 0 : 1)); return done(pc + 2, 1); // SBCS
          case 9: r[low] = core.substractUpdateFlags(0, r[middle]); return done(pc + 2, 1); // RSBS
          case 10: core.substractUpdateFlags(r[low], r[middle]); return done(pc + 2, 1); // CMP
          case 16: case 17: case 18: case 19: // ADD
          case 24: case 25: case 26: case 27: { // MOV
            const from = (opcode >> 3) & 0xf, to = ((opcode >> 4) & 8) | low;
            if (from === 15 || to === 15 || to === 13) return core.executeInstruction();
            r[to] = opcode & 0x200 ? r[from] : r[to] + r[from];
            return done(pc + 2, 1);
          }
          case 28: case 29: case 30: case 31: { // BX, BLX
            const from = (opcode >> 3) & 0xf;
            if (from === 15 || low) return core.executeInstruction();
            if (opcode & 0x80) {
              r[14] = (pc + 2) | 1;
              return done(r[from] & ~1, 2);
            }
            r[15] = pc + 2;
            core.BXWritePC(r[from]);
            core.cycles += 2;
            return 2;
          }
          default:
            return core.executeInstruction();
        }
        if (((opcode >> 6) & 0x1f) !== 8) r[low] = result;
        core.N = (result & 0x80000000) !== 0;
        core.Z = (result | 0) === 0;
        break;
      }
      case 9: { // LDR from beside the program
        const address = ((pc + 4) & ~3) + ((opcode & 0xff) << 2);
        if (address >= RAM) {
          if (!word(true, (opcode >> 8) & 7, address)) return core.executeInstruction();
        } else {
          const at = address - FLASH;
          if (at < 0 || at + 3 >= flashEnd) return core.executeInstruction();
          if (cache) cache.read(address);
          r[(opcode >> 8) & 7] = flashView.getUint32(at, true);
        }
        cycles = 2;
        break;
      }
      case 12: case 13: { // STR, LDR
        const at = r[middle] + ((opcode >> 4) & 0x7c);
        cycles = 2;
        if (word(opcode & 0x800, low, at)) break;
        if (at < PERIPHERALS || at & 3) return core.executeInstruction();
        r[15] = pc + 2;
        cycles = 1 + core.cyclesIO(at, !(opcode & 0x800));
        if (opcode & 0x800) r[low] = core.readUint32(at);
        else core.writeUint32(at, r[low]);
        break;
      }
      case 14: case 15: { // STRB, LDRB
        const at = r[middle] + ((opcode >> 6) & 0x1f) - RAM;
        if (at < 0 || at >= ramEnd) return core.executeInstruction();
        if (opcode & 0x800) r[low] = sram[at];
        else sram[at] = r[low];
        cycles = 2;
        break;
      }
      case 16: case 17: { // STRH, LDRH
        const at = r[middle] + ((opcode >> 5) & 0x3e) - RAM;
        if (at < 0 || at + 1 >= ramEnd || at & 1) return core.executeInstruction();
        if (opcode & 0x800) r[low] = sramView.getUint16(at, true);
        else sramView.setUint16(at, r[low], true);
        cycles = 2;
        break;
      }
      case 18: case 19: // STR, LDR on the stack
        if (!word(opcode & 0x800, (opcode >> 8) & 7, r[13] + ((opcode & 0xff) << 2))) return core.executeInstruction();
        cycles = 2;
        break;
      case 10: case 11: { // with an address from two registers
        const sum = r[middle] + r[high];
        const at = sum - RAM;
        if (at < 0 || at + 3 >= ramEnd) return core.executeInstruction();
        switch ((opcode >> 9) & 7) {
          case 0: if (at & 3) return core.executeInstruction(); sramView.setUint32(at, r[low], true); break; // STR
          case 1: if (at & 1) return core.executeInstruction(); sramView.setUint16(at, r[low], true); break; // STRH
          case 2: sram[at] = r[low]; break; // STRB
          case 4: if (at & 3) return core.executeInstruction(); r[low] = sramView.getUint32(at, true); break; // LDR
          case 5: if (at & 1) return core.executeInstruction(); r[low] = sramView.getUint16(at, true); break; // LDRH
          case 6: r[low] = sram[at]; break; // LDRB
          default: return core.executeInstruction(); // LDRSB, LDRSH
        }
        cycles = 2;
        break;
      }
      case 21: // ADD, to the stack pointer
        r[(opcode >> 8) & 7] = r[13] + ((opcode & 0xff) << 2);
        break;
      case 22:
        switch ((opcode >> 8) & 7) {
          case 0: { // ADD and SUB of the stack pointer
            const by = (opcode & 0x7f) << 2;
            r[13] += opcode & 0x80 ? -by : by;
            break;
          }
          case 2:
            switch ((opcode >> 6) & 3) {
              case 0: r[low] = (r[middle] << 16) >> 16; break; // SXTH
              case 1: r[low] = (r[middle] << 24) >> 24; break; // SXTB
              case 2: r[low] = r[middle] & 0xffff; break; // UXTH
              case 3: r[low] = r[middle] & 0xff; break; // UXTB
            }
            break;
          case 4: case 5: { // PUSH
            const count = bits(opcode & 0x1ff);
            let at = r[13] - 4 * count - RAM;
            if (at < 0 || at + 4 * count > ramEnd || at & 3) return core.executeInstruction();
            r[13] -= 4 * count;
            for (let i = 0; i < 8; i++) {
              if (!(opcode & (1 << i))) continue;
              sramView.setUint32(at, r[i], true);
              at += 4;
            }
            if (opcode & 0x100) sramView.setUint32(at, r[14], true);
            cycles = 1 + count;
            break;
          }
          default:
            return core.executeInstruction();
        }
        break;
      case 23: { // POP
        const count = bits(opcode & 0x1ff);
        let at = r[13] - RAM;
        if ((opcode & 0x600) !== 0x400 || at < 0 || at + 4 * count > ramEnd || at & 3) return core.executeInstruction();
        r[13] += 4 * count;
        for (let i = 0; i < 8; i++) {
          if (!(opcode & (1 << i))) continue;
          r[i] = sramView.getUint32(at, true);
          at += 4;
        }
        cycles = 1 + count;
        if (!(opcode & 0x100)) break;
        r[15] = pc + 2;
        core.BXWritePC(sramView.getUint32(at, true));
        core.cycles += cycles + 1;
        return cycles + 1;
      }
      case 26: case 27: { // B on a condition
        const condition = (opcode >> 8) & 0xf;
        if (condition >= 14) return core.executeInstruction();
        if (core.checkCondition(condition)) return done(pc + 4 + ((opcode << 24) >> 23), 2);
        break;
      }
      case 28: // B
        return done(pc + 4 + ((opcode << 21) >> 20), 2);
      case 30: { // BL
        let second;
        if (pc >= RAM) {
          if (pc + 4 - RAM > ramEnd) return core.executeInstruction();
          second = sramView.getUint16((pc - RAM) + 2, true);
        } else {
          if (pc + 4 - FLASH > flashEnd) return core.executeInstruction();
          if (cache) cache.read(pc + 2);
          second = flash16[(pc - FLASH + 2) >> 1];
        }
        if ((second & 0xd000) !== 0xd000) return core.executeInstruction();
        const sign = (opcode >> 10) & 1;
        const first = 1 ^ sign ^ ((second >> 13) & 1), other = 1 ^ sign ^ ((second >> 11) & 1);
        const by = (-sign << 24) | (first << 23) | (other << 22) | ((opcode & 0x3ff) << 12) | ((second & 0x7ff) << 1);
        r[14] = (pc + 4) | 1;
        return done(pc + 4 + by, 3);
      }
      default:
        return core.executeInstruction();
    }
    return done(pc + 2, cycles);
  };

  /** Continues at an address after a number of cycles. */
  function done(next, cycles) {
    r[15] = next;
    core.cycles += cycles;
    return cycles;
  }

  /** Shifts a signed number by 0 to 32 bits, with the flags of ASRS. */
  function shiftRight(by, input) {
    const result = by < 32 ? input >> by : input >> 31;
    core.N = result < 0;
    core.Z = result === 0;
    core.C = !!(input & (1 << (by - 1)));
    return result;
  }

  /** Loads or stores a word of RAM; false if it is elsewhere. */
  function word(load, register, address) {
    const at = address - RAM;
    if (at < 0 || at + 3 >= ramEnd || at & 3) return false;
    if (load) r[register] = sramView.getUint32(at, true);
    else sramView.setUint32(at, r[register], true);
    return true;
  }
}

/** The number of bits that are set, of nine. */
function bits(list) {
  let count = 0;
  for (; list; list &= list - 1) count++;
  return count;
}
