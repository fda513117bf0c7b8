// The programmable input/output block, in place of the stock one, which runs on wall time, runs machines that
// are not enabled, and knows neither clock dividers nor delays nor joined FIFOs.
//
// Machines run in step with the processor, cycle by cycle. What makes that affordable: a machine whose state
// comes back to what it was, without having done anything that others can see, will go round the same loop until
// an input changes, and so will one that is stalled. Such a machine sleeps: its cycles are only counted, and when
// somebody looks at it or a pin that it reads is about to change, it makes up the rest of the last round. The
// result is the same as if it had run all the while.
//
// Not modelled: the two flip-flops that delay inputs by two cycles, OUT_STICKY, and side effects of IRQ flags
// that one machine sets and another awaits in the very same cycle.

import { BasePeripheral } from 'rp2040js';

const CTRL = 0x000, FSTAT = 0x004, FDEBUG = 0x008, FLEVEL = 0x00c, TXF0 = 0x010, RXF0 = 0x020;
const IRQ = 0x030, IRQ_FORCE = 0x034, INPUT_SYNC_BYPASS = 0x038, DBG_PADOUT = 0x03c, DBG_PADOE = 0x040;
const DBG_CFGINFO = 0x044, INSTR_MEM0 = 0x048, INSTR_MEM31 = 0x0c4, SM0 = 0x0c8, SM_STRIDE = 0x18;
const INTR = 0x128, IRQ0_INTE = 0x12c, IRQ0_INTF = 0x130, IRQ0_INTS = 0x134;
const IRQ1_INTE = 0x138, IRQ1_INTF = 0x13c, IRQ1_INTS = 0x140;
// Registers of one machine
const CLKDIV = 0x00, EXECCTRL = 0x04, SHIFTCTRL = 0x08, ADDR = 0x0c, INSTR = 0x10, PINCTRL = 0x14;

const EXEC_STALLED = 0x80000000;
const PIN_MASK = 0x3fffffff;
/** Rounds longer than this many instructions are not recognised: the machine then simply runs. */
const LONGEST_ROUND = 256;

class Machine {
  constructor(pio, index) {
    this.pio = pio;
    this.index = index;
    // Read by the stock GPIOPin, which must leave this machine alone.
    this.waiting = false;
    this.enabled = false;
    this.x = 0;
    this.y = 0;
    this.pc = 0;
    this.isr = 0;
    this.isrCount = 0;
    this.osr = 0;
    this.osrCount = 32;
    this.rx = [];
    this.tx = [];
    this.clkdiv = 0x10000;
    this.execctrl = 0x1f << 12;
    this.shiftctrl = 0b11 << 18;
    this.pinctrl = 5 << 26;
    this.divider = 256;
    /** Phase of the clock divider, in 1/256 of a system cycle. */
    this.phase = 0;
    this.delay = 0;
    /** An instruction that was written to INSTR, or by `out exec`, and is still to be done; or -1. */
    this.forced = -1;
    this.irqWaited = false;
    this.asleep = false;
    /** System cycles slept through. */
    this.owed = 0;
    this.forget();
  }

  /** Starts to look for a round anew. */
  forget() {
    this.mark = null;
    this.sinceMark = 0;
    this.markLimit = 8;
    this.pinsRead = 0;
    this.round = 0;
  }

  get rxDepth() {
    return this.shiftctrl & 0x80000000 ? 8 : this.shiftctrl & 0x40000000 ? 0 : 4;
  }
  get txDepth() {
    return this.shiftctrl & 0x40000000 ? 8 : this.shiftctrl & 0x80000000 ? 0 : 4;
  }
  get pushThreshold() {
    return (this.shiftctrl >>> 20) & 0x1f || 32;
  }
  get pullThreshold() {
    return (this.shiftctrl >>> 25) & 0x1f || 32;
  }

  /** Lets `cycles` of the system clock pass, which must be 1 unless the machine sleeps. */
  tick(cycles) {
    if (this.asleep) {
      this.owed += cycles;
      return;
    }
    this.phase += 256 * cycles;
    while (this.phase >= this.divider && !this.asleep) {
      this.phase -= this.divider;
      this.step();
    }
  }

  wake() {
    if (!this.asleep) return;
    this.asleep = false;
    this.phase += 256 * this.owed;
    this.owed = 0;
    const steps = Math.floor(this.phase / this.divider);
    this.phase -= steps * this.divider;
    for (let i = steps % this.round; i > 0; i--) this.execute();
    this.forget();
  }

  step() {
    this.seen = false;
    this.execute();
    if (this.seen) {
      this.forget();
      return;
    }
    const mark = this.mark;
    this.sinceMark++;
    if (mark !== null && mark.pc === this.pc && this.same(mark)) {
      this.round = this.sinceMark;
      this.asleep = true;
      return;
    }
    if (mark === null || this.sinceMark === this.markLimit) {
      if (mark !== null && this.markLimit < LONGEST_ROUND) this.markLimit *= 2;
      this.mark = {
        pc: this.pc, x: this.x, y: this.y, isr: this.isr, isrCount: this.isrCount,
        osr: this.osr, osrCount: this.osrCount, delay: this.delay, forced: this.forced, irqWaited: this.irqWaited,
      };
      this.sinceMark = 0;
      this.pinsRead = 0;
    }
  }

  same(mark) {
    return (
      mark.x === this.x && mark.y === this.y && mark.isr === this.isr && mark.isrCount === this.isrCount &&
      mark.osr === this.osr && mark.osrCount === this.osrCount && mark.delay === this.delay &&
      mark.forced === this.forced && mark.irqWaited === this.irqWaited
    );
  }

  /** One cycle of the machine: an instruction, or a part of one. */
  execute() {
    if (this.delay > 0) {
      this.delay--;
      return;
    }
    const forced = this.forced;
    if (forced >= 0) {
      this.forced = -1;
      if (!this.instruction(forced, false)) this.forced = forced;
      return;
    }
    this.instruction(this.pio.instructions[this.pc], true);
  }

  /** Carries out `opcode`; false if it stalls. `next`: then go to the next instruction. */
  instruction(opcode, next) {
    const sideCount = this.pinctrl >>> 29;
    const field = (opcode >> 8) & 0x1f;
    if (sideCount) this.sideSet(field, sideCount);
    const from = this.pc;
    this.jumped = false;
    if (!this.operate(opcode)) return false;
    this.delay = field & ((1 << (5 - sideCount)) - 1);
    if (next && !this.jumped) {
      const wrapTop = (this.execctrl >>> 12) & 0x1f;
      this.pc = from === wrapTop ? (this.execctrl >>> 7) & 0x1f : (from + 1) & 0x1f;
    }
    return true;
  }

  sideSet(field, sideCount) {
    const optional = this.execctrl & 0x40000000;
    if (optional && !(field & 0x10)) return;
    const count = optional ? sideCount - 1 : sideCount;
    const value = (field >> (5 - sideCount)) & ((1 << count) - 1);
    this.output(value, (this.pinctrl >>> 10) & 0x1f, count, !!(this.execctrl & 0x20000000));
  }

  operate(opcode) {
    const arg = opcode & 0xff;
    switch (opcode >>> 13) {
      case 0:
        if (this.condition(arg >> 5)) this.jump(arg);
        return true;
      case 1:
        return this.wait(!!(arg & 0x80), (arg >> 5) & 3, arg & 0x1f);
      case 2:
        return this.in(arg >> 5, arg & 0x1f || 32);
      case 3:
        return this.out(arg >> 5, arg & 0x1f || 32);
      case 4:
        return arg & 0x80 ? this.pull(!!(arg & 0x40), !!(arg & 0x20)) : this.push(!!(arg & 0x40), !!(arg & 0x20));
      case 5:
        this.mov(arg >> 5, (arg >> 3) & 3, arg & 7);
        return true;
      case 6:
        return this.irq(!!(arg & 0x40), !!(arg & 0x20), this.irqNumber(arg & 0x1f));
      default:
        this.set(arg >> 5, arg & 0x1f);
        return true;
    }
  }

  jump(to) {
    this.pc = to & 0x1f;
    this.jumped = true;
  }

  condition(code) {
    switch (code) {
      case 0: return true;
      case 1: return this.x === 0;
      case 2: {
        const taken = this.x !== 0;
        this.x = (this.x - 1) >>> 0;
        return taken;
      }
      case 3: return this.y === 0;
      case 4: {
        const taken = this.y !== 0;
        this.y = (this.y - 1) >>> 0;
        return taken;
      }
      case 5: return this.x !== this.y;
      case 6: return this.pin((this.execctrl >>> 24) & 0x1f) === 1;
      default: return this.osrCount < this.pullThreshold;
    }
  }

  wait(polarity, source, index) {
    if (source === 2) {
      const bit = 1 << this.irqNumber(index);
      if (!!(this.pio.irq & bit) !== polarity) return false;
      if (polarity) {
        this.pio.irq &= ~bit;
        this.did();
        this.pio.irqUpdated();
      }
      return true;
    }
    const pin = source === 1 ? (index + ((this.pinctrl >>> 15) & 0x1f)) & 0x1f : index;
    return (this.pin(pin) === 1) === polarity;
  }

  in(source, bits) {
    const value = bits < 32 ? this.source(source, bits) & ((1 << bits) - 1) : this.source(source, 32);
    // An autopush that cannot push must not shift twice when it is tried again.
    const auto = this.shiftctrl & 0x10000;
    if (auto && this.isrCount + bits >= this.pushThreshold && this.rx.length >= this.rxDepth) {
      this.flag(0);
      return false;
    }
    if (bits === 32) this.isr = value >>> 0;
    else if (this.shiftctrl & 0x40000) this.isr = ((this.isr >>> bits) | (value << (32 - bits))) >>> 0;
    else this.isr = ((this.isr << bits) | value) >>> 0;
    this.isrCount = Math.min(32, this.isrCount + bits);
    if (auto && this.isrCount >= this.pushThreshold) this.give();
    return true;
  }

  give() {
    this.rx.push(this.isr);
    this.isr = 0;
    this.isrCount = 0;
    this.did();
    this.pio.fifosUpdated(this);
  }

  take() {
    this.osr = this.tx.shift();
    this.osrCount = 0;
    this.did();
    this.pio.fifosUpdated(this);
  }

  push(ifFull, block) {
    if (ifFull && this.isrCount < this.pushThreshold) return true;
    if (this.rx.length < this.rxDepth) {
      this.give();
      return true;
    }
    this.flag(0);
    if (block) return false;
    this.isr = 0;
    this.isrCount = 0;
    return true;
  }

  pull(ifEmpty, block) {
    if (ifEmpty && this.osrCount < this.pullThreshold) return true;
    if (this.tx.length > 0) {
      this.take();
      return true;
    }
    this.flag(24);
    if (block) return false;
    this.osr = this.x;
    this.osrCount = 0;
    return true;
  }

  out(destination, bits) {
    if (this.shiftctrl & 0x20000 && this.osrCount >= this.pullThreshold) {
      if (this.tx.length === 0) {
        this.flag(24);
        return false;
      }
      this.take();
    }
    let value = this.osr;
    if (bits === 32) this.osr = 0;
    else if (this.shiftctrl & 0x80000) {
      value &= (1 << bits) - 1;
      this.osr >>>= bits;
    } else {
      value >>>= 32 - bits;
      this.osr = (this.osr << bits) >>> 0;
    }
    value >>>= 0;
    this.osrCount = Math.min(32, this.osrCount + bits);
    const base = this.pinctrl & 0x1f, count = (this.pinctrl >>> 20) & 0x3f;
    switch (destination) {
      case 0: this.output(value, base, count, false); break;
      case 1: this.x = value; break;
      case 2: this.y = value; break;
      case 4: this.output(value, base, count, true); break;
      case 5: this.jump(value); break;
      case 6: this.isr = value; this.isrCount = bits; break;
      case 7: this.forced = value & 0xffff; break;
    }
    return true;
  }

  mov(destination, operation, source) {
    let value = source === 5 ? this.status() : this.source(source, 32);
    if (operation === 1) value = ~value;
    else if (operation === 2) value = reverse(value);
    value >>>= 0;
    switch (destination) {
      case 0: this.output(value, this.pinctrl & 0x1f, (this.pinctrl >>> 20) & 0x3f, false); break;
      case 1: this.x = value; break;
      case 2: this.y = value; break;
      case 4: this.forced = value & 0xffff; break;
      case 5: this.jump(value); break;
      case 6: this.isr = value; this.isrCount = 0; break;
      case 7: this.osr = value; this.osrCount = 0; break;
    }
  }

  irq(clear, wait, number) {
    const bit = 1 << number;
    if (clear) {
      if (this.pio.irq & bit) {
        this.pio.irq &= ~bit;
        this.did();
        this.pio.irqUpdated();
      }
      return true;
    }
    if (this.irqWaited) {
      if (this.pio.irq & bit) return false;
      this.irqWaited = false;
      return true;
    }
    if (!(this.pio.irq & bit)) {
      this.pio.irq |= bit;
      this.did();
      this.pio.irqUpdated();
    }
    this.irqWaited = wait;
    return !wait;
  }

  set(destination, value) {
    const base = (this.pinctrl >>> 5) & 0x1f, count = (this.pinctrl >>> 26) & 7;
    switch (destination) {
      case 0: this.output(value, base, count, false); break;
      case 1: this.x = value; break;
      case 2: this.y = value; break;
      case 4: this.output(value, base, count, true); break;
    }
  }

  irqNumber(index) {
    return index & 0x10 ? (index & 4) | ((index + this.index) & 3) : index & 7;
  }

  status() {
    const level = this.execctrl & 0x10 ? this.rx.length : this.tx.length;
    return level < (this.execctrl & 0xf) ? 0xffffffff : 0;
  }

  /** The `bits` low bits of a source of IN and MOV. */
  source(code, bits) {
    switch (code) {
      case 0: {
        const base = (this.pinctrl >>> 15) & 0x1f;
        let value = 0;
        for (let i = 0; i < bits; i++) value |= this.pin((base + i) & 0x1f) << i;
        return value >>> 0;
      }
      case 1: return this.x;
      case 2: return this.y;
      case 6: return this.isr;
      case 7: return this.osr;
      default: return 0;
    }
  }

  pin(index) {
    this.pinsRead |= 1 << index;
    const pin = this.pio.rp2040.gpio[index];
    return pin !== undefined && pin.inputValue ? 1 : 0;
  }

  output(value, base, count, directions) {
    if (this.pio.output(value, base, count, directions)) this.did();
  }

  /** Something happened that others can see. */
  did() {
    this.seen = true;
  }

  /** Sets a sticky flag of FDEBUG. */
  flag(shift) {
    const bit = 1 << (shift + this.index);
    if (!(this.pio.fdebug & bit)) {
      this.pio.fdebug |= bit;
      this.did();
    }
  }

  restart() {
    this.isr = 0;
    this.isrCount = 0;
    this.osrCount = 32;
    this.delay = 0;
    this.forced = -1;
    this.irqWaited = false;
  }

  read(register) {
    switch (register) {
      case CLKDIV: return this.clkdiv;
      case EXECCTRL: return (this.execctrl | (this.forced >= 0 ? EXEC_STALLED : 0)) >>> 0;
      case SHIFTCTRL: return this.shiftctrl;
      case ADDR: return this.pc;
      case INSTR: return this.pio.instructions[this.pc];
      default: return this.pinctrl;
    }
  }

  write(register, value) {
    switch (register) {
      case CLKDIV:
        this.clkdiv = value;
        this.divider = (value >>> 16 || 0x10000) * 256 + ((value >>> 8) & 0xff);
        break;
      case EXECCTRL:
        this.execctrl = value & 0x7fffffff;
        break;
      case SHIFTCTRL:
        // Joining or parting the FIFOs empties them.
        if ((this.shiftctrl ^ value) & 0xc0000000) {
          this.rx = [];
          this.tx = [];
        }
        this.shiftctrl = value;
        this.pio.fifosUpdated(this);
        break;
      case INSTR:
        this.forced = -1;
        this.delay = 0;
        if (!this.instruction(value & 0xffff, false)) this.forced = value & 0xffff;
        this.delay = 0;
        break;
      case PINCTRL:
        this.pinctrl = value;
        break;
    }
  }
}

export class Pio extends BasePeripheral {
  constructor(mcu, index) {
    super(mcu, `PIO${index}`);
    this.index = index;
    this.firstIrq = 7 + 2 * index;
    this.instructions = new Uint32Array(32);
    this.irq = 0;
    this.fdebug = 0;
    this.inputSyncBypass = 0;
    this.pinValues = 0;
    this.pinDirections = 0;
    this.enable = [0, 0];
    this.force = [0, 0];
    /** Whether a machine has to run with the processor. */
    this.busy = false;
    /** Up to when, in nanoseconds, the machines have run. */
    this.at = mcu.clock.nanos;
    this.machines = [0, 1, 2, 3].map((i) => new Machine(this, i));
    for (const machine of this.machines) this.fifosUpdated(machine);
  }

  /** Runs all machines up to now. */
  catchUp() {
    const cycle = 1e9 / this.rp2040.clkSys;
    let cycles = Math.floor((this.rp2040.clock.nanos - this.at) / cycle + 1e-6);
    this.at += cycles * cycle;
    while (cycles > 0) {
      if (!this.busy) {
        for (const machine of this.machines) if (machine.enabled) machine.tick(cycles);
        return;
      }
      for (const machine of this.machines) if (machine.enabled) machine.tick(1);
      cycles--;
      this.busy = this.machines.some((machine) => machine.enabled && !machine.asleep);
    }
  }

  /** Runs all machines up to now and lets them see what changes next. */
  wake() {
    this.catchUp();
    for (const machine of this.machines) machine.wake();
    this.busy = this.machines.some((machine) => machine.enabled);
  }

  /** Pin `index` is about to change. */
  beforeChange(index) {
    const bit = 1 << index;
    if (this.machines.some((machine) => machine.enabled && (!machine.asleep || machine.pinsRead & bit))) {
      this.catchUp();
      for (const machine of this.machines) {
        if (machine.pinsRead & bit) {
          machine.wake();
          if (machine.enabled) this.busy = true;
        }
      }
    }
  }

  get intRaw() {
    let raw = (this.irq & 0xf) << 8;
    for (const { index, rx, tx, txDepth } of this.machines) {
      if (rx.length > 0) raw |= 1 << index;
      if (tx.length < txDepth) raw |= 0x10 << index;
    }
    return raw;
  }

  status(line) {
    return (this.intRaw & this.enable[line]) | this.force[line];
  }

  checkInterrupts() {
    for (const line of [0, 1]) this.rp2040.setInterrupt(this.firstIrq + line, this.status(line) !== 0);
  }

  irqUpdated() {
    for (const machine of this.machines) {
      machine.wake();
      if (machine.enabled) this.busy = true;
    }
    this.checkInterrupts();
  }

  fifosUpdated(machine) {
    const { dma } = this.rp2040;
    const first = 8 * this.index + machine.index;
    if (machine.tx.length < machine.txDepth) dma.setDREQ(first);
    else dma.clearDREQ(first);
    if (machine.rx.length > 0) dma.setDREQ(first + 4);
    else dma.clearDREQ(first + 4);
    this.checkInterrupts();
  }

  /** Drives `count` pins from `base`; true if that changed anything. */
  output(value, base, count, directions) {
    let mask = 0, bits = 0;
    for (let i = 0; i < count; i++) {
      const pin = (base + i) & 0x1f;
      mask |= 1 << pin;
      bits |= ((value >>> i) & 1) << pin;
    }
    const before = directions ? this.pinDirections : this.pinValues;
    const after = ((before & ~mask) | bits) & PIN_MASK;
    if (after === before) return false;
    if (directions) this.pinDirections = after;
    else this.pinValues = after;
    for (let pin = 0; pin < 30; pin++) {
      if ((before ^ after) & (1 << pin)) this.rp2040.gpio[pin].checkForUpdates();
    }
    return true;
  }

  readUint32(offset) {
    this.wake();
    if (offset >= SM0 && offset < SM0 + 4 * SM_STRIDE) {
      const at = offset - SM0;
      return this.machines[Math.floor(at / SM_STRIDE)].read(at % SM_STRIDE);
    }
    if (offset >= RXF0 && offset < RXF0 + 16) {
      const machine = this.machines[(offset - RXF0) >> 2];
      if (machine.rx.length === 0) {
        this.fdebug |= 1 << (8 + machine.index);
        return 0;
      }
      const value = machine.rx.shift();
      this.fifosUpdated(machine);
      return value;
    }
    const each = (bits) => this.machines.reduce((all, machine) => all | bits(machine), 0) >>> 0;
    switch (offset) {
      case CTRL:
        return each(({ enabled, index }) => (enabled ? 1 << index : 0));
      case FSTAT:
        return each(({ index, rx, tx, rxDepth, txDepth }) =>
          ((tx.length === 0 ? 1 << 24 : 0) | (tx.length >= txDepth ? 1 << 16 : 0) |
           (rx.length === 0 ? 1 << 8 : 0) | (rx.length >= rxDepth ? 1 : 0)) << index);
      case FDEBUG:
        return this.fdebug >>> 0;
      case FLEVEL:
        return each(({ index, rx, tx }) => (tx.length | (rx.length << 4)) << (8 * index));
      case IRQ:
        return this.irq;
      case IRQ_FORCE:
        return 0;
      case INPUT_SYNC_BYPASS:
        return this.inputSyncBypass;
      case DBG_PADOUT:
        return this.pinValues;
      case DBG_PADOE:
        return this.pinDirections;
      case DBG_CFGINFO:
        return 0x200404;
      case INTR:
        return this.intRaw;
      case IRQ0_INTE:
        return this.enable[0];
      case IRQ0_INTF:
        return this.force[0];
      case IRQ0_INTS:
        return this.status(0);
      case IRQ1_INTE:
        return this.enable[1];
      case IRQ1_INTF:
        return this.force[1];
      case IRQ1_INTS:
        return this.status(1);
    }
    return super.readUint32(offset);
  }

  writeUint32(offset, value) {
    this.wake();
    if (offset >= INSTR_MEM0 && offset <= INSTR_MEM31) {
      this.instructions[(offset - INSTR_MEM0) >> 2] = value & 0xffff;
      return;
    }
    if (offset >= SM0 && offset < SM0 + 4 * SM_STRIDE) {
      const at = offset - SM0;
      this.machines[Math.floor(at / SM_STRIDE)].write(at % SM_STRIDE, value);
      return;
    }
    if (offset >= TXF0 && offset < TXF0 + 16) {
      const machine = this.machines[(offset - TXF0) >> 2];
      if (machine.tx.length >= machine.txDepth) this.fdebug |= 1 << (16 + machine.index);
      else machine.tx.push(value >>> 0);
      this.fifosUpdated(machine);
      return;
    }
    switch (offset) {
      case CTRL:
        for (const machine of this.machines) {
          machine.enabled = !!(value & (1 << machine.index));
          if (value & (0x10 << machine.index)) machine.restart();
          if (value & (0x100 << machine.index)) machine.phase = 0;
          machine.forget();
        }
        this.busy = this.machines.some((machine) => machine.enabled);
        return;
      case FDEBUG:
        this.fdebug &= ~this.rawWriteValue;
        return;
      case IRQ:
        this.irq &= ~this.rawWriteValue;
        this.irqUpdated();
        return;
      case IRQ_FORCE:
        this.irq |= this.rawWriteValue & 0xff;
        this.irqUpdated();
        return;
      case INPUT_SYNC_BYPASS:
        this.inputSyncBypass = value;
        return;
      case IRQ0_INTE:
      case IRQ1_INTE:
        this.enable[offset === IRQ0_INTE ? 0 : 1] = value & 0xfff;
        this.checkInterrupts();
        return;
      case IRQ0_INTF:
      case IRQ1_INTF:
        this.force[offset === IRQ0_INTF ? 0 : 1] = value & 0xfff;
        this.checkInterrupts();
        return;
    }
    super.writeUint32(offset, value);
  }
}

function reverse(value) {
  let reversed = 0;
  for (let i = 0; i < 32; i++) if (value & (1 << i)) reversed |= 1 << (31 - i);
  return reversed;
}
