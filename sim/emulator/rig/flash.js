// Flash memory as the part behaves: erasing sets a sector to ones, programming can only clear bits, both take
// time, and power may be lost in the middle. It outlives the chip, which is made anew at every boot.

const SIZE = 16 * 1024 * 1024;
const SECTOR = 4096;
const PAGE = 256;
/** Typical times of a W25Q part. */
const ERASE_NANOS = 45e6;
const PROGRAM_NANOS = 0.4e6;

export class Flash {
  constructor() {
    this.bytes = new Uint8Array(SIZE).fill(0xff);
    /** Operations since this was last taken: `{ erase: address }` or `{ program: address, length }`. */
    this.log = [];
    /** Power is lost in the middle of this many operations from now; 0: never. */
    this.cutAfter = 0;
    this.erases = 0;
    this.programs = 0;
  }

  /** Puts `data` at `offset` the way a programmer does, not the chip. */
  load(offset, data) {
    this.bytes.set(data, offset);
  }

  /** Erases sectors; false if power was lost on the way. `wait` passes virtual time. */
  erase(offset, count, wait) {
    for (let at = offset; at < offset + count; at += SECTOR) {
      const cut = this.cuts();
      this.erases++;
      this.log.push({ erase: at, length: SECTOR, cut });
      wait(cut ? ERASE_NANOS / 2 : ERASE_NANOS);
      this.bytes.fill(0xff, at, at + (cut ? SECTOR / 2 : SECTOR));
      if (cut) return false;
    }
    return true;
  }

  /** Programs pages; false if power was lost on the way. */
  program(offset, data, wait) {
    for (let done = 0; done < data.length; ) {
      const at = offset + done;
      const length = Math.min(PAGE - (at % PAGE), data.length - done);
      const cut = this.cuts();
      this.programs++;
      this.log.push({ program: at, length, cut });
      wait(cut ? PROGRAM_NANOS / 2 : PROGRAM_NANOS);
      // A page is padded with ones, which change nothing: what is cut in half is what is being written.
      const written = [];
      for (let i = 0; i < length; i++) if (data[done + i] !== 0xff) written.push(i);
      const whole = cut ? written.length >> 1 : written.length;
      for (const i of written.slice(0, whole)) this.bytes[at + i] &= data[done + i];
      if (cut) {
        // The byte being written got half of its bits.
        if (whole < written.length) this.bytes[at + written[whole]] &= data[done + written[whole]] | 0xf0;
        return false;
      }
      done += length;
    }
    return true;
  }

  cuts() {
    return this.cutAfter > 0 && --this.cutAfter === 0;
  }

  takeLog() {
    const log = this.log;
    this.log = [];
    return log;
  }
}
