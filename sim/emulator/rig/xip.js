// The cache in front of the flash: what the core waits for instructions and data that are not in it. Contents are
// always right, only time passes: erasing and programming need not tell the cache.

const FLASH = 0x10000000;
/** Bytes that can be read through the cache; the same flash is mirrored behind them without it. */
const CACHED = 0x01000000;
const WAYS = 2;
const LINE_BITS = 3;
/** 16 kB in two ways of lines of 8 bytes. */
const SET_BITS = 10;
const SETS = 1 << SET_BITS;
const EMPTY = -1;

export class XipCache {
  /** `missCycles`: what a line costs that is read from the flash. */
  constructor(missCycles) {
    this.missCycles = missCycles;
    /** Line in each way of each set, the one used last first. */
    this.lines = new Int32Array(WAYS * SETS).fill(EMPTY);
    this.misses = 0;
    /** Cycles that the core has to wait since this was last taken. */
    this.waits = 0;
  }

  /** Reads a byte, or any more of its line, through the cache. */
  read(address) {
    const offset = (address >>> 0) - FLASH;
    if (offset < 0 || offset >= CACHED) return;
    const line = offset >> LINE_BITS;
    const first = (line & (SETS - 1)) * WAYS;
    const { lines } = this;
    if (lines[first] === line) return;
    if (lines[first + 1] !== line) {
      this.misses++;
      this.waits += this.missCycles;
    }
    lines[first + 1] = lines[first];
    lines[first] = line;
  }

  takeWaits() {
    const { waits } = this;
    this.waits = 0;
    return waits;
  }

  /** Sees every access of `mcu`'s core and of nobody else: DMA waits without holding up the core. */
  attach(mcu) {
    const { core } = mcu;
    for (const name of ['readUint32', 'readUint16', 'readUint8']) {
      const read = core[name];
      core[name] = (address) => {
        this.read(address);
        return read.call(core, address);
      };
    }
  }
}
