// What rp2040js 1.4.1 lacks or gets wrong, as far as the firmware needs it. Each fix touches private fields of
// the stock objects: the version in package.json is exact for that reason.

import { BasePeripheral } from 'rp2040js';

export function fix(mcu) {
  mcu.peripherals[0x14000] = new ReadsZero(mcu, 'XIP_CTRL');
  mcu.peripherals[0x40018] = new QspiPins(mcu, 'IO_QSPI');
  mcu.peripherals[0x40060] = new RingOscillator(mcu, 'ROSC');
  mcu.peripherals[0x40064] = new ReadsZero(mcu, 'VREG_AND_CHIP_RESET');
  // The select line of the flash is pulled up, and read by the boot button.
  mcu.qspi[1].padValue = 0x5a;
  for (const i2c of mcu.i2c) fixI2c(i2c);
  for (const uart of mcu.uart) fixUart(uart, mcu.dma);
  fixPwm(mcu.pwm);
  fixDma(mcu.dma);
  fixPush(mcu.core);
  ignoreWrites(mcu.usbCtrl, [0x48, 0x5c, 0x7c, 0x80, 0x84, 0x88, 0x8c, 0x98]);
}

/**
 * PUSH takes a cycle per register, the link register included: Cortex-M0+ Technical Reference Manual, table 3-1. To be
 * reported: cortex-m0-core.ts of rp2040js 1.4.1 adds no cycle where it stores the link register.
 */
function fixPush(core) {
  const PUSH_WITH_LR = 0xb5;
  const { executeInstruction, readUint16 } = core;
  // What an instruction reads first is itself.
  let opcode = null;
  core.readUint16 = (address) => {
    const value = readUint16.call(core, address);
    opcode ??= value;
    return value;
  };
  core.executeInstruction = () => {
    opcode = null;
    const cycles = executeInstruction.call(core);
    if (opcode >> 8 !== PUSH_WITH_LR) return cycles;
    core.cycles++;
    return cycles + 1;
  };
}

/** Registers that a driver clears at its start and that have nothing to clear here. */
function ignoreWrites(peripheral, offsets) {
  const { writeUint32 } = peripheral;
  peripheral.writeUint32 = (offset, value) => {
    if (!offsets.includes(offset)) writeUint32.call(peripheral, offset, value);
  };
}

/** CHAN_ABORT: reads 0 once the abort is done, and here it is at once. */
function fixDma(dma) {
  const CHAN_ABORT = 0x444;
  const { readUint32 } = dma;
  dma.readUint32 = (offset) => (offset === CHAN_ABORT ? 0 : readUint32.call(dma, offset));
}

/** A block whose registers nobody needs, but whose reads must not say "busy" forever. */
class ReadsZero extends BasePeripheral {
  readUint32() {
    return 0;
  }
  writeUint32() {}
}

/** Runs, and gives a random bit that is always the same: runs must repeat exactly. */
class RingOscillator extends BasePeripheral {
  constructor(mcu, name) {
    super(mcu, name);
    this.registers = new Map();
  }
  readUint32(offset) {
    const STATUS = 0x18, RANDOM_BIT = 0x1c;
    if (offset === STATUS) return 0x80001000;
    if (offset === RANDOM_BIT) return 1;
    return this.registers.get(offset) ?? 0;
  }
  writeUint32(offset, value) {
    this.registers.set(offset, value);
  }
}

/** The six pins of the flash: control registers that hold what is written, and the level of each pin. */
class QspiPins extends BasePeripheral {
  constructor(mcu, name) {
    super(mcu, name);
    this.ctrl = new Array(6).fill(0);
  }
  readUint32(offset) {
    const pin = this.rp2040.qspi[offset >> 3];
    if (pin === undefined) return 0;
    const FROM_PAD = 17, TO_PERIPHERAL = 19;
    if (offset & 4) return this.ctrl[offset >> 3];
    return pin.rawInputValue ? (1 << FROM_PAD) | (1 << TO_PERIPHERAL) : 0;
  }
  writeUint32(offset, value) {
    if (offset & 4 && offset >> 3 < 6) this.ctrl[offset >> 3] = value;
  }
}

/** Interrupts: the mask register is missing, and two of the requests are levels, not events. */
function fixI2c(i2c) {
  const INTR_MASK = 0x30, RX_FULL = 1 << 2, TX_EMPTY = 1 << 4;
  const { readUint32, writeUint32, completeRead, completeWrite, completeStop } = i2c;
  const levels = () => {
    const full = i2c.rxFIFO.itemCount > i2c.rxThreshold ? RX_FULL : 0;
    const empty = i2c.txFIFO.itemCount <= i2c.txThreshold ? TX_EMPTY : 0;
    i2c.intRaw = (i2c.intRaw & ~(RX_FULL | TX_EMPTY)) | full | empty;
    i2c.checkInterrupts();
  };
  i2c.readUint32 = (offset) => {
    const value = readUint32.call(i2c, offset);
    levels();
    return value;
  };
  i2c.writeUint32 = (offset, value) => {
    const SDA_HOLD = 0x7c, DMA_CR = 0x88, DMA_TDLR = 0x8c, DMA_RDLR = 0x90;
    if (offset === INTR_MASK) i2c.intEnable = value & 0x1fff;
    // Hold time and DMA levels change nothing here: there are no wires, and the drivers use no DMA.
    else if (![SDA_HOLD, DMA_CR, DMA_TDLR, DMA_RDLR].includes(offset)) writeUint32.call(i2c, offset, value);
    levels();
  };
  const after = (complete) => (...args) => {
    complete.apply(i2c, args);
    levels();
  };
  i2c.completeRead = after(completeRead);
  i2c.completeWrite = after(completeWrite);
  i2c.completeStop = after(completeStop);
}

/** The DMA control register, and a receive request that follows the FIFO. */
function fixUart(uart, dma) {
  const DMACR = 0x48;
  let dmacr = 0;
  const { readUint32, writeUint32, feedByte } = uart;
  const request = () => {
    if (dmacr & 1 && !uart.rxFIFO.empty) dma.setDREQ(uart.dreq.rx);
    else dma.clearDREQ(uart.dreq.rx);
  };
  uart.readUint32 = (offset) => {
    if (offset === DMACR) return dmacr;
    const value = readUint32.call(uart, offset);
    request();
    return value;
  };
  uart.writeUint32 = (offset, value) => {
    if (offset === DMACR) dmacr = value & 7;
    else writeUint32.call(uart, offset, value);
    request();
  };
  uart.feedByte = (value) => {
    feedByte.call(uart, value);
    request();
  };
}

/** Reading back EN: the stock property can only be written. */
function fixPwm(pwm) {
  const EN = 0xa0;
  const { readUint32 } = pwm;
  pwm.readUint32 = (offset) =>
    offset === EN
      ? pwm.channels.reduce((all, { csr }, i) => all | ((csr & 1) << i), 0)
      : readUint32.call(pwm, offset);
}
