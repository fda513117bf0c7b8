// A faster way through the instructions that programs are made of: the stock core tries one pattern after the
// other, up to sixty, and keeps all of its state in an object. Results and cycles are the same; whatever is not here,
// and whatever touches a peripheral, is left to the stock core.

const FLASH = 0x10000000;
const RAM = 0x20000000;
/** Peripherals are from here on. */
const PERIPHERALS = 0x40000000;

/**
 * A function that carries out the next instruction of `core`, and more of them while fewer than `limit` cycles have
 * passed and no peripheral is touched; it returns their cycles. What they read goes by `cache`.
 */
export function runner(mcu, cache) {
  const { core, sram, flash } = mcu;
  const r = new Int32Array(core.registers.buffer);
  const ram16 = new Uint16Array(sram.buffer), ram32 = new Int32Array(sram.buffer);
  const flash16 = new Uint16Array(flash.buffer), flash32 = new Int32Array(flash.buffer);
  const ramEnd = sram.length, flashEnd = flash.length;

  return function run(limit) {
    if (core.interruptsUpdated) return core.executeInstruction();
    let { N, Z, C, V } = core;
    let pc = r[15], spent = 0, opcode = 0;
    /** Whether the instruction at `pc` is for the stock core. */
    let left = false;

    while (spent < limit) {
      const inRam = (pc - RAM) >>> 0, inFlash = (pc - FLASH) >>> 0;
      if (inRam < ramEnd) opcode = ram16[inRam >> 1];
      else if (inFlash < flashEnd) opcode = flash16[inFlash >> 1];
      else {
        left = true;
        break;
      }
      const low = opcode & 7, middle = (opcode >> 3) & 7, high = (opcode >> 6) & 7, eight = (opcode >> 8) & 7;
      let next = (pc + 2) | 0, cycles = 1;
      decode: switch (opcode >> 11) {
        case 0: { // LSLS, by a constant
          const by = (opcode >> 6) & 0x1f, input = r[middle];
          const result = input << by;
          r[low] = result;
          N = result < 0;
          Z = result === 0;
          if (by) C = (input & (1 << (32 - by))) !== 0;
          break;
        }
        case 1: { // LSRS, by a constant
          const by = (opcode >> 6) & 0x1f, input = r[middle];
          const result = by ? input >>> by : 0;
          r[low] = result;
          N = false;
          Z = result === 0;
          C = ((input >>> (by ? by - 1 : 31)) & 1) === 1;
          break;
        }
        case 2: { // ASRS, by a constant
          const by = (opcode >> 6) & 0x1f || 32, input = r[middle];
          const result = by < 32 ? input >> by : input >> 31;
          r[low] = result;
          N = result < 0;
          Z = result === 0;
          C = (input & (1 << (by - 1))) !== 0;
          break;
        }
        case 3: { // ADDS and SUBS of three bits or a register
          const a = r[middle], b = opcode & 0x400 ? high : r[high];
          const result = opcode & 0x200 ? (a - b) | 0 : (a + b) | 0;
          r[low] = result;
          N = result < 0;
          Z = result === 0;
          if (opcode & 0x200) {
            C = a >>> 0 >= b >>> 0;
            V = ((a ^ b) & (a ^ result)) < 0;
          } else {
            C = result >>> 0 < a >>> 0;
            V = ((a ^ result) & (b ^ result)) < 0;
          }
          break;
        }
        case 4: { // MOVS
          const result = opcode & 0xff;
          r[eight] = result;
          N = false;
          Z = result === 0;
          break;
        }
        case 5: // CMP with a constant
        case 7: { // SUBS of eight bits
          const a = r[eight], b = opcode & 0xff;
          const result = (a - b) | 0;
          if (opcode & 0x1000) r[eight] = result;
          N = result < 0;
          Z = result === 0;
          C = a >>> 0 >= b;
          V = (a & ~result) < 0;
          break;
        }
        case 6: { // ADDS of eight bits
          const a = r[eight];
          const result = (a + (opcode & 0xff)) | 0;
          r[eight] = result;
          N = result < 0;
          Z = result === 0;
          C = result >>> 0 < a >>> 0;
          V = (~a & result) < 0;
          break;
        }
        case 8: { // between registers
          const operation = (opcode >> 6) & 0x1f;
          let result;
          switch (operation) {
            case 0: result = r[low] & r[middle]; break; // ANDS
            case 1: result = r[low] ^ r[middle]; break; // EORS
            case 2: { // LSLS
              const by = r[middle] & 0xff, input = r[low];
              result = by < 32 ? input << by : 0;
              if (by) C = (input & (1 << (32 - by))) !== 0;
              break;
            }
            case 3: { // LSRS
              const by = r[middle] & 0xff, input = r[low];
              result = by < 32 ? (input >>> by) | 0 : 0;
              C = by <= 32 && ((input >>> (by - 1)) & 1) === 1;
              break;
            }
            case 4: { // ASRS
              const by = Math.min(r[middle] & 0xff, 32), input = r[low];
              result = by < 32 ? input >> by : input >> 31;
              C = (input & (1 << (by - 1))) !== 0;
              break;
            }
            case 5: { // ADCS
              const a = r[middle], b = r[low], carried = (b + (C ? 1 : 0)) | 0;
              result = (a + carried) | 0;
              C = C ? result >>> 0 <= a >>> 0 : result >>> 0 < a >>> 0;
              V = ((a ^ result) & (carried ^ result)) < 0;
              break;
            }
            case 6: case 9: case 10: { // SBCS, RSBS, CMP
              const a = operation === 9 ? 0 : r[low], b = r[middle];
              const borrows = operation === 6 && !C, borrowed = (b + (borrows ? 1 : 0)) | 0;
              result = (a - borrowed) | 0;
              C = borrows ? a >>> 0 > b >>> 0 : a >>> 0 >= b >>> 0;
              V = ((a ^ borrowed) & (a ^ result)) < 0;
              break;
            }
            case 8: result = r[low] & r[middle]; break; // TST
            case 12: result = r[low] | r[middle]; break; // ORRS
            case 13: result = Math.imul(r[low], r[middle]); break; // MULS
            case 14: result = r[low] & ~r[middle]; break; // BICS
            case 15: result = ~r[middle]; break; // MVNS
            case 16: case 17: case 18: case 19: // ADD
            case 24: case 25: case 26: case 27: { // MOV
              const from = (opcode >> 3) & 0xf, to = ((opcode >> 4) & 8) | low;
              r[15] = pc + 4; // as instructions see it
              const result = opcode & 0x200 ? r[from] : (r[to] + r[from]) | 0;
              if (to === 15) {
                next = result & ~1;
                cycles = 2;
              } else r[to] = to === 13 ? result & ~3 : result;
              break decode;
            }
            case 28: case 29: case 30: case 31: { // BX, BLX
              const from = (opcode >> 3) & 0xf, to = r[from];
              if (from === 15 || low || to >>> 28 === 0xf) left = true;
              if (!left && opcode & 0x80) r[14] = next | 1;
              next = to & ~1;
              cycles = 2;
              break decode;
            }
            default:
              left = true;
              break decode;
          }
          if (operation !== 8 && operation !== 10) r[low] = result;
          N = result < 0;
          Z = result === 0;
          break;
        }
        case 9: { // LDR from beside the program
          const address = ((pc + 4) & ~3) + ((opcode & 0xff) << 2);
          const inRam = (address - RAM) >>> 0, inFlash = (address - FLASH) >>> 0;
          if (inRam + 3 < ramEnd) r[eight] = ram32[inRam >> 2];
          else if (inFlash + 3 < flashEnd) {
            if (cache) cache.read(address);
            r[eight] = flash32[inFlash >> 2];
          } else left = true;
          cycles = 2;
          break;
        }
        case 10: case 11: // loads and stores with an address from two registers
          switch ((opcode >> 9) & 7) {
            case 0: left = !store32(r[middle] + r[high], low); break; // STR
            case 1: left = !store16(r[middle] + r[high], low); break; // STRH
            case 2: left = !store8(r[middle] + r[high], low); break; // STRB
            case 4: left = !load32(r[middle] + r[high], low); break; // LDR
            case 5: left = !load16(r[middle] + r[high], low); break; // LDRH
            case 6: left = !load8(r[middle] + r[high], low); break; // LDRB
            default: left = true; // LDRSB, LDRSH
          }
          cycles = 2;
          break;
        case 12: // STR
          left = !store32(r[middle] + ((opcode >> 4) & 0x7c), low);
          cycles = 2;
          break;
        case 13: // LDR
          left = !load32(r[middle] + ((opcode >> 4) & 0x7c), low);
          cycles = 2;
          break;
        case 14: // STRB
          left = !store8(r[middle] + ((opcode >> 6) & 0x1f), low);
          cycles = 2;
          break;
        case 15: // LDRB
          left = !load8(r[middle] + ((opcode >> 6) & 0x1f), low);
          cycles = 2;
          break;
        case 16: // STRH
          left = !store16(r[middle] + ((opcode >> 5) & 0x3e), low);
          cycles = 2;
          break;
        case 17: // LDRH
          left = !load16(r[middle] + ((opcode >> 5) & 0x3e), low);
          cycles = 2;
          break;
        case 18: // STR, on the stack
          left = !store32(r[13] + ((opcode & 0xff) << 2), eight);
          cycles = 2;
          break;
        case 19: // LDR, on the stack
          left = !load32(r[13] + ((opcode & 0xff) << 2), eight);
          cycles = 2;
          break;
        case 20: // ADR
          r[eight] = (pc & ~3) + 4 + ((opcode & 0xff) << 2);
          break;
        case 21: // ADD, to the stack pointer
          r[eight] = (r[13] + ((opcode & 0xff) << 2)) | 0;
          break;
        case 22:
          switch (eight) {
            case 0: { // ADD and SUB of the stack pointer
              const by = (opcode & 0x7f) << 2;
              r[13] = (r[13] + (opcode & 0x80 ? -by : by)) | 0;
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
            case 6: // CPS
              if (opcode === 0xb672) core.PM = true;
              else if (opcode === 0xb662) {
                core.PM = false;
                core.interruptsUpdated = true;
                limit = 0; // an interrupt may be next
              } else left = true;
              break;
            case 4: case 5: { // PUSH
              const count = bits(opcode & 0x1ff);
              let at = (r[13] - 4 * count - RAM) >>> 0;
              if (at + 4 * count > ramEnd || at & 3) {
                left = true;
                break;
              }
              r[13] = (r[13] - 4 * count) | 0;
              for (let i = 0; i < 8; i++) {
                if (!(opcode & (1 << i))) continue;
                ram32[at >> 2] = r[i];
                at += 4;
              }
              if (opcode & 0x100) ram32[at >> 2] = r[14];
              cycles = 1 + count;
              break;
            }
            default:
              left = true;
          }
          break;
        case 23: { // POP
          if (opcode === 0xbf00) break; // NOP
          const count = bits(opcode & 0x1ff);
          let at = (r[13] - RAM) >>> 0;
          if ((opcode & 0x600) !== 0x400 || at + 4 * count > ramEnd || at & 3) {
            left = true;
            break;
          }
          cycles = 1 + count;
          if (opcode & 0x100) {
            next = ram32[(at >> 2) + count - 1];
            if (next >>> 28 === 0xf) {
              left = true;
              break;
            }
            next &= ~1;
            cycles++;
          }
          r[13] = (r[13] + 4 * count) | 0;
          for (let i = 0; i < 8; i++) {
            if (!(opcode & (1 << i))) continue;
            r[i] = ram32[at >> 2];
            at += 4;
          }
          break;
        }
        case 24: case 25: { // STM, LDM
          const count = bits(opcode & 0xff);
          let at = (r[eight] - RAM) >>> 0;
          if (at + 4 * count > ramEnd || at & 3) {
            left = true;
            break;
          }
          const end = (r[eight] + 4 * count) | 0, isLoad = opcode & 0x800;
          for (let i = 0; i < 8; i++) {
            if (!(opcode & (1 << i))) continue;
            if (isLoad) r[i] = ram32[at >> 2];
            else ram32[at >> 2] = r[i];
            at += 4;
          }
          if (!(opcode & (1 << eight))) r[eight] = end;
          cycles = 1 + count;
          break;
        }
        case 26: case 27: { // B on a condition
          let holds;
          switch ((opcode >> 9) & 7) {
            case 0: holds = Z; break;
            case 1: holds = C; break;
            case 2: holds = N; break;
            case 3: holds = V; break;
            case 4: holds = C && !Z; break;
            case 5: holds = N === V; break;
            case 6: holds = N === V && !Z; break;
            default: left = true; // undefined, or SVC
          }
          if (holds !== ((opcode & 0x100) !== 0)) {
            next = (pc + 4 + ((opcode << 24) >> 23)) | 0;
            cycles = 2;
          }
          break;
        }
        case 28: // B
          next = (pc + 4 + ((opcode << 21) >> 20)) | 0;
          cycles = 2;
          break;
        case 30: { // BL, MRS, barriers
          let second = 0;
          if (inRam + 4 <= ramEnd) second = ram16[(inRam + 2) >> 1];
          else if (inFlash + 4 <= flashEnd) {
            if (cache) cache.read(pc + 2);
            second = flash16[(inFlash + 2) >> 1];
          }
          if ((second & 0xd000) !== 0xd000) {
            next = (pc + 4) | 0;
            cycles = 3;
            if (opcode === 0xf3ef && (second & 0xf0ff) === 0x8010) r[(second >> 8) & 0xf] = core.PM ? 1 : 0; // MRS PRIMASK
            else if (opcode !== 0xf3bf || second < 0x8f40 || second >= 0x8f70) left = true; // DSB, DMB, ISB
            break;
          }
          const sign = (opcode >> 10) & 1;
          const first = 1 ^ sign ^ ((second >> 13) & 1), other = 1 ^ sign ^ ((second >> 11) & 1);
          const by = (-sign << 24) | (first << 23) | (other << 22) | ((opcode & 0x3ff) << 12) | ((second & 0x7ff) << 1);
          r[14] = (pc + 4) | 1;
          next = (pc + 4 + by) | 0;
          cycles = 3;
          break;
        }
        default:
          left = true;
      }
      if (left) break;
      pc = next;
      spent += cycles;
    }

    if (spent === 0) {
      const address = peripheral(opcode);
      if (address === 0) return core.executeInstruction();
      r[15] = pc + 2;
      const isLoad = (opcode & 0x800) !== 0, cycles = 1 + core.cyclesIO(address, !isLoad);
      if (isLoad) r[opcode & 7] = core.readUint32(address);
      else core.writeUint32(address, r[opcode & 7] >>> 0);
      core.cycles += cycles;
      return cycles;
    }
    r[15] = pc;
    core.N = N;
    core.Z = Z;
    core.C = C;
    core.V = V;
    core.cycles += spent;
    return spent;
  };

  /** Loads a word of RAM or flash into a register; false if it is elsewhere or accesses are watched. */
  function load32(address, register) {
    const at = (address - RAM) >>> 0, inFlash = (address - FLASH) >>> 0;
    if (address & 3) return false;
    if (at + 3 < ramEnd) r[register] = ram32[at >> 2];
    else if (!cache && inFlash + 3 < flashEnd) r[register] = flash32[inFlash >> 2];
    else return false;
    return true;
  }

  function load16(address, register) {
    const at = (address - RAM) >>> 0, inFlash = (address - FLASH) >>> 0;
    if (address & 1) return false;
    if (at + 1 < ramEnd) r[register] = ram16[at >> 1];
    else if (!cache && inFlash + 1 < flashEnd) r[register] = flash16[inFlash >> 1];
    else return false;
    return true;
  }

  function load8(address, register) {
    const at = (address - RAM) >>> 0, inFlash = (address - FLASH) >>> 0;
    if (at < ramEnd) r[register] = sram[at];
    else if (!cache && inFlash < flashEnd) r[register] = flash[inFlash];
    else return false;
    return true;
  }

  /** Stores a register in RAM; false if the address is elsewhere. */
  function store32(address, register) {
    const at = (address - RAM) >>> 0;
    if (at + 3 >= ramEnd || at & 3) return false;
    ram32[at >> 2] = r[register];
    return true;
  }

  function store16(address, register) {
    const at = (address - RAM) >>> 0;
    if (at + 1 >= ramEnd || at & 1) return false;
    ram16[at >> 1] = r[register];
    return true;
  }

  function store8(address, register) {
    const at = (address - RAM) >>> 0;
    if (at >= ramEnd) return false;
    sram[at] = r[register];
    return true;
  }

  /** The peripheral address that an LDR or STR accesses; 0 for any other instruction. */
  function peripheral(opcode) {
    const base = r[(opcode >> 3) & 7];
    let address;
    if (opcode >> 12 === 6) address = (base + ((opcode >> 4) & 0x7c)) >>> 0;
    else if ((opcode & 0xf600) === 0x5000) address = (base + r[(opcode >> 6) & 7]) >>> 0;
    else return 0;
    return address < PERIPHERALS || address & 3 ? 0 : address;
  }
}

/** The number of bits that are set, of nine. */
function bits(list) {
  let count = 0;
  for (; list; list &= list - 1) count++;
  return count;
}
