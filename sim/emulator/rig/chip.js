// The chip: power, boot, and the loop that runs it in virtual time.

import { RP2040 } from 'rp2040js';
import { runner } from './core.js';
import { fix } from './fixes.js';
import { ChipFault, Logger } from './logger.js';
import { Pio } from './pio.js';
import { Probes } from './probes.js';
import { Rom } from './rom.js';
import { XipCache } from './xip.js';

const FLASH_BASE = 0x10000000;
const RAM_BASE = 0x20000000;
const VECTORS = 0x10000100;
const ROM_END = 0x4000;
const HARD_FAULT = 3, NMI = 2;
const WATCHDOG = 0x40058;
const PAINT = 0xa5;
/** How far the clock jumps at most while the core sleeps and a PIO machine has something to do, in nanoseconds. */
const PIO_STRIDE = 128;

export class Chip {
  /** `parts` are told of every boot by `attach(mcu, chip)`. */
  constructor(flash, pins, parts, stock) {
    /** Leave all instructions to the stock core. */
    this.stock = stock;
    this.flash = flash;
    this.pins = pins;
    this.parts = parts;
    this.rom = new Rom(this);
    this.mcu = null;
    /** Virtual time at the last boot, in nanoseconds. */
    this.epoch = 0;
    /** Busy cycles of earlier boots. */
    this.spent = 0;
    this.events = [];
    /** RAM to paint at power-on: `[from, to]`, or null. */
    this.stack = null;
    /** What a line of flash costs that is not in the cache, in cycles; 0: the flash never waits. */
    this.missCycles = 0;
    this.profile = null;
    /** Functions whose calls are measured, or null. */
    this.probes = null;
    /** What is counted, or null. */
    this.counts = null;
    this.stopwatch = -1;
    this.laps = [];
    this.pendingReset = null;
    this.halted = false;
    /** Duration of a number of cycles, in nanoseconds. */
    this.times = new Float64Array(32);
  }

  get now() {
    return this.epoch + (this.mcu ? this.mcu.clock.nanos : 0);
  }

  get cycles() {
    return this.spent + (this.mcu ? this.mcu.core.cycles : 0);
  }

  event(kind, more = {}) {
    this.events.push({ at: Math.round(this.now), event: kind, ...more });
  }

  powerOn() {
    if (this.mcu) return;
    this.boot(null, 'power-on');
  }

  powerOff() {
    if (!this.mcu) return;
    this.forgetWarnings();
    const { now, cycles } = this;
    this.mcu = null;
    this.pins.gpio = [];
    this.epoch = now;
    this.spent = cycles;
  }

  losePower() {
    this.event('power-lost');
    this.halted = true;
    this.lost = true;
  }

  /** The reset line: everything but RAM begins anew. */
  reset() {
    if (this.mcu) this.boot(this.mcu, 'reset-pin');
  }

  boot(old, reason) {
    const { now, cycles } = this;
    if (old) this.forgetWarnings();
    const mcu = new RP2040();
    mcu.logger = new Logger(() => {
      mcu.core.eventRegistered = true;
    });
    mcu.flash = this.flash.bytes;
    mcu.flash16 = new Uint16Array(this.flash.bytes.buffer);
    mcu.flashView = new DataView(this.flash.bytes.buffer);
    this.rom.install(mcu.bootrom);
    fix(mcu);
    mcu.pio = [new Pio(mcu, 0), new Pio(mcu, 1)];
    mcu.peripherals[0x50200] = mcu.pio[0];
    mcu.peripherals[0x50300] = mcu.pio[1];
    if (old) {
      mcu.sram.set(old.sram);
      const before = old.peripherals[WATCHDOG], after = mcu.peripherals[WATCHDOG];
      after.scratchData.set(before.scratchData);
      if (reason !== 'reset-pin') after.reason = before.reason;
    } else if (this.stack) {
      mcu.sram.fill(PAINT, this.stack[0] - RAM_BASE, this.stack[1] - RAM_BASE);
    }
    const watchdog = mcu.peripherals[WATCHDOG];
    // Enabled before it is loaded, it goes off at its next tick, not at once: a forced reset does that.
    watchdog.timer.set(2);
    watchdog.onWatchdogTrigger = () => {
      // Else it would go off again before the firmware sets it.
      watchdog.timer.enable = false;
      watchdog.alarm.enable = false;
      this.pendingReset = watchdog.reason === 1 ? 'watchdog-timer' : 'watchdog-forced';
    };
    mcu.onBreak = () => {
      this.pendingFault = 'breakpoint or undefined instruction';
    };
    mcu.core.VTOR = VECTORS;
    mcu.core.reset();
    this.epoch = now;
    this.spent = cycles;
    this.mcu = mcu;
    const cache = this.missCycles > 0 ? new XipCache(this.missCycles) : null;
    cache?.attach(mcu);
    /** Whether instructions are carried out one at a time. */
    this.single = this.stock || cache !== null;
    const step = this.stock ? () => mcu.core.executeInstruction() : runner(mcu, cache);
    this.step = cache ? withWaits(step, cache, mcu.core) : step;
    this.halted = false;
    this.lost = false;
    this.pendingReset = null;
    this.pendingFault = null;
    this.event('boot', { reason });
    this.pins.beforeChange = (index) => {
      mcu.pio[0].beforeChange(index);
      mcu.pio[1].beforeChange(index);
    };
    this.pins.attach(mcu);
    for (const part of this.parts) part.attach(mcu, this);
    this.attachStopwatch();
  }

  /** Measures, in cycles, how long pin `index` stays high each time. */
  watch(index) {
    this.stopwatch = index;
    this.attachStopwatch();
  }

  attachStopwatch() {
    const { mcu } = this;
    if (!mcu || this.stopwatch < 0) return;
    const HIGH = 1;
    let start = null;
    mcu.gpio[this.stopwatch].addListener((value) => {
      if (value === HIGH) start = mcu.core.cycles;
      else if (start !== null) {
        this.laps.push(mcu.core.cycles - start);
        start = null;
      }
    });
  }

  startProfile() {
    this.profile = { flash: new Float64Array(1 << 20), ram: new Float64Array(1 << 18), other: 0 };
  }

  /** Lets virtual time pass while the core is held up. */
  pass(nanos) {
    this.mcu.core.cycles += Math.round((nanos * this.mcu.clkSys) / 1e9);
    this.mcu.clock.tick(nanos);
  }

  spend(cycles) {
    this.pass((cycles * 1e9) / this.mcu.clkSys);
  }

  fault(text) {
    this.pendingFault = text;
  }

  halt(why) {
    this.event('halted', { why });
    this.halted = true;
  }

  /** Runs up to `until`, in nanoseconds of virtual time since the rig began. */
  run(until) {
    for (;;) {
      if (this.lost) this.powerOff();
      if (!this.mcu) {
        this.epoch = Math.max(this.epoch, until);
        return;
      }
      // The end by the clock of this boot, for all that ask whether it has come: rounded in two ways, it would
      // have come for one and never for the other.
      const { clock } = this.mcu;
      const end = until - this.epoch;
      if (clock.nanosCounter >= end) return;
      if (this.halted) {
        clock.tick(end - clock.nanosCounter);
        clock.nanosCounter = Math.max(clock.nanosCounter, end);
        if (this.pendingReset) this.restart();
        continue;
      }
      try {
        this.execute(end);
      } catch (error) {
        if (!(error instanceof ChipFault)) throw error;
        this.pendingFault = error.message;
      }
      if (this.pendingReset) this.restart();
      else if (this.pendingFault) this.enterFault();
    }
  }

  restart() {
    const reason = this.pendingReset;
    this.event('reset', { reason });
    this.boot(this.mcu, reason);
  }

  /** The hard fault handler of the firmware, or the end if it is that which failed. */
  enterFault() {
    const { core } = this.mcu;
    this.event('fault', { text: this.pendingFault, pc: core.PC >>> 0, lr: core.LR >>> 0 });
    this.pendingFault = null;
    if (core.IPSR === HARD_FAULT || core.IPSR === NMI) this.halt('lock-up');
    else core.exceptionEntry(HARD_FAULT);
  }

  execute(until) {
    const { mcu, profile, probes, counts } = this;
    const { core, clock, pio } = mcu;
    const [pio0, pio1] = pio;
    const { registers } = core;
    const step = this.step;
    const single = this.single || profile || probes || counts;
    let clkSys = 0;
    const times = this.times;
    while (clock.nanosCounter < until) {
      if (core.waiting) {
        // SysTick and PendSV do not wake the stock core by themselves.
        if (core.interruptsUpdated && core.checkForInterrupts()) {
          core.waiting = false;
          continue;
        }
        const busy = pio0.busy || pio1.busy;
        let next = busy ? Math.min(until, clock.nanosCounter + PIO_STRIDE) : until;
        if (clock.nextAlarm && clock.nextAlarm.nanos < next) next = clock.nextAlarm.nanos;
        clock.tick(Math.max(0, next - clock.nanosCounter));
        if (busy) {
          if (pio0.busy) pio0.catchUp();
          if (pio1.busy) pio1.catchUp();
        }
      } else {
        // An interrupt comes before the next instruction, which is then not executed yet.
        if ((probes || counts) && core.interruptsUpdated) core.checkForInterrupts();
        const pc = registers[15];
        if (pc < ROM_END) {
          this.rom.call(pc & ~1);
          if (this.pendingFault || this.halted || this.pendingReset) return;
        }
        if (probes) probes.before(core);
        if (counts) counts.before(core);
        const cycles = step(single || pio0.busy || pio1.busy ? 1 : this.cyclesTo(until));
        if (probes) probes.after(core, cycles);
        if (profile) this.sample(pc, cycles);
        if (mcu.clkSys !== clkSys) {
          clkSys = mcu.clkSys;
          for (let n = 0; n < times.length; n++) times[n] = (n * 1e9) / clkSys;
        }
        const nanos = clock.nanosCounter + (cycles < times.length ? times[cycles] : (cycles * 1e9) / clkSys);
        if (clock.nextAlarm && clock.nextAlarm.nanos <= nanos) clock.tick(nanos - clock.nanosCounter);
        else clock.nanosCounter = nanos;
        if (pio0.busy) pio0.catchUp();
        if (pio1.busy) pio1.catchUp();
      }
      if (this.pendingReset || this.pendingFault) return;
    }
  }

  /** Cycles until `until` or until the next alarm, of which neither comes sooner; at least one. */
  cyclesTo(until) {
    const { clock, clkSys } = this.mcu;
    const { nanosCounter, nextAlarm } = clock;
    const nanos = 1e9 / clkSys;
    // Times that are no whole numbers add up to another sum in one piece.
    if (!Number.isInteger(nanos)) return 1;
    const end = nextAlarm && nextAlarm.nanos < until ? nextAlarm.nanos : until;
    return Math.max(1, Math.floor((end - nanosCounter) / nanos));
  }

  sample(pc, cycles) {
    const { flash, ram } = this.profile;
    if (pc >= RAM_BASE) ram[((pc - RAM_BASE) >> 1) & (ram.length - 1)] += cycles;
    else if (pc >= FLASH_BASE) flash[((pc - FLASH_BASE) >> 1) & (flash.length - 1)] += cycles;
    else this.profile.other += cycles;
  }

  /** Busy cycles by address since the profile began: pairs, in order. */
  takeProfile() {
    const counts = [];
    if (this.profile) {
      for (const [base, table] of [[FLASH_BASE, this.profile.flash], [RAM_BASE, this.profile.ram]]) {
        table.forEach((cycles, i) => {
          if (cycles) counts.push([base + 2 * i, cycles]);
        });
      }
    }
    return counts;
  }

  /** Bytes of the painted stack that were never written, or null. */
  untouchedStack() {
    if (!this.stack || !this.mcu) return null;
    const [from, to] = this.stack.map((address) => address - RAM_BASE);
    let at = from;
    while (at < to && this.mcu.sram[at] === PAINT) at++;
    return at - from;
  }

  memory(address, length) {
    const [bytes, offset] =
      address >= RAM_BASE ? [this.mcu?.sram, address - RAM_BASE] : [this.flash.bytes, address - FLASH_BASE];
    if (!bytes || offset < 0 || length < 0 || offset + length > bytes.length) return null;
    return bytes.subarray(offset, offset + length);
  }

  /** What the emulator did not know how to do, with how often. */
  forgetWarnings() {
    for (const [text, times] of this.mcu.logger.warnings) this.event('warning', { text, times });
    this.mcu.logger.warnings.clear();
  }
}

/** A step that takes as much longer as the core waits for flash: first for the instruction, then for its data. */
function withWaits(step, cache, core) {
  const { registers } = core;
  return () => {
    cache.read(registers[15]);
    const fetch = cache.takeWaits();
    core.cycles += fetch;
    const cycles = step(1);
    const data = cache.takeWaits();
    core.cycles += data;
    return fetch + cycles + data;
  };
}
