// A made-up boot ROM: the table of functions that a program looks up by two-letter codes, and nothing else.
//
// Each function is an address that holds `bx lr`. When the program counter gets there, `Rom.call` does the
// function's work; then the instruction returns. No line of the real ROM is in here.

const TABLE_POINTER = 0x14;
const DATA_POINTER = 0x16;
const LOOKUP_POINTER = 0x18;
const TABLE = 0x40;
const STUBS = 0x200;
const BX_LR = 0x4770;
const FLASH_BASE = 0x10000000;

/** Cycles that a function of the ROM takes besides its loop; a guess, such calls are rare. */
const CALL_CYCLES = 20;

export class Rom {
  constructor(chip) {
    this.chip = chip;
    this.names = ['lookup', 'IF', 'EX', 'RE', 'RP', 'FC', 'CX', 'C4', 'MC', 'S4', 'MS', 'P3', 'R3', 'L3', 'T3', 'UB', 'WV'];
    /** From two-letter code, as a number, to the address of the stub. */
    this.codes = new Map();
    this.names.forEach((name, i) => {
      if (i > 0) this.codes.set(name.charCodeAt(0) | (name.charCodeAt(1) << 8), STUBS + 4 * i);
    });
  }

  install(bootrom) {
    const view = new DataView(bootrom.buffer);
    view.setUint16(TABLE_POINTER, TABLE, true);
    view.setUint16(DATA_POINTER, TABLE, true);
    view.setUint16(LOOKUP_POINTER, STUBS | 1, true);
    for (let i = 0; i < this.names.length; i++) view.setUint16(STUBS + 4 * i, BX_LR, true);
  }

  /** The work of the function at `pc`, just before its `bx lr`. */
  call(pc) {
    const name = this.names[(pc - STUBS) >> 2];
    if (pc < STUBS || (pc & 3) !== 0 || name === undefined) {
      this.chip.fault(`jump into the boot ROM at ${hex(pc)}`);
      return;
    }
    const { mcu, flash } = this.chip;
    const r = mcu.core.registers;
    let cycles = CALL_CYCLES;
    switch (name) {
      case 'lookup':
        r[0] = this.codes.has(r[1]) ? this.codes.get(r[1]) | 1 : 0;
        break;
      case 'RE':
        this.erase(r[0], r[1]);
        break;
      case 'RP':
        this.program(r[0], r[1], r[2]);
        break;
      case 'C4':
      case 'MC':
        for (let i = 0; i < r[2]; i++) mcu.writeUint8(r[0] + i, mcu.readUint8(r[1] + i));
        cycles += r[2];
        break;
      case 'S4':
      case 'MS':
        for (let i = 0; i < r[2]; i++) mcu.writeUint8(r[0] + i, r[1] & 0xff);
        cycles += r[2];
        break;
      case 'P3': {
        let ones = 0;
        for (let value = r[0]; value; value &= value - 1) ones++;
        r[0] = ones;
        break;
      }
      case 'R3': {
        let reversed = 0;
        for (let i = 0; i < 32; i++) if (r[0] & (1 << i)) reversed |= 1 << (31 - i);
        r[0] = reversed;
        break;
      }
      case 'L3':
        r[0] = Math.clz32(r[0]);
        break;
      case 'T3':
        r[0] = r[0] ? 31 - Math.clz32(r[0] & -r[0]) : 32;
        break;
      case 'UB':
        this.chip.halt('usb-boot');
        break;
      case 'WV':
        this.chip.fault('core 1 is not emulated');
        break;
      // IF, EX, FC and CX set up the flash controller, which has nothing to set up here.
    }
    this.chip.spend(cycles);
  }

  erase(address, count) {
    const { flash } = this.chip;
    const offset = address & 0xffffff;
    if (offset % 4096 || count % 4096 || offset + count > flash.bytes.length) {
      this.chip.fault(`erase of ${count} bytes of flash at ${hex(offset)}`);
    } else if (!flash.erase(offset, count, (nanos) => this.chip.pass(nanos))) {
      this.chip.losePower();
    }
  }

  program(address, source, count) {
    const { flash, mcu } = this.chip;
    const offset = address & 0xffffff;
    if (offset % 256 || count % 256 || offset + count > flash.bytes.length) {
      this.chip.fault(`program of ${count} bytes of flash at ${hex(offset)}`);
      return;
    }
    if (source >= FLASH_BASE && source < 0x20000000) {
      this.chip.fault('program of flash from flash, which cannot be read meanwhile');
      return;
    }
    const data = new Uint8Array(count);
    for (let i = 0; i < count; i++) data[i] = mcu.readUint8(source + i);
    if (!flash.program(offset, data, (nanos) => this.chip.pass(nanos))) this.chip.losePower();
  }
}

function hex(value) {
  return `0x${value.toString(16)}`;
}
