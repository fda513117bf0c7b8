// Logs: what the firmware writes into the ring of its first RTT channel, taken out before the ring is full.

const RAM = 0x20000000;
const PERIOD_NANOS = 1e6;

export class Rtt {
  constructor() {
    /** Address of the control block, from the ELF file; 0: none. */
    this.address = 0;
    this.bytes = [];
  }

  attach(mcu) {
    // What the last program wrote at the end; a frame it did not finish ends here.
    this.drain();
    this.bytes.push(0);
    this.mcu = mcu;
    const alarm = mcu.clock.createAlarm(() => {
      this.drain();
      alarm.schedule(PERIOD_NANOS);
    });
    if (this.address) alarm.schedule(PERIOD_NANOS);
  }

  drain() {
    if (!this.address || !this.mcu) return;
    const { sram, sramView } = this.mcu;
    const at = this.address - RAM;
    const UP = 24, BUFFER = 4, SIZE = 8, WRITE = 12, READ = 16;
    const word = (offset) => sramView.getUint32(at + UP + offset, true);
    const buffer = word(BUFFER) - RAM;
    const size = word(SIZE), write = word(WRITE);
    let read = word(READ);
    // Before the firmware has set it up, the block is what RAM was.
    if (buffer < 0 || size === 0 || buffer + size > sram.length || write >= size || read >= size) return;
    while (read !== write) {
      this.bytes.push(sram[buffer + read]);
      read = (read + 1) % size;
    }
    sramView.setUint32(at + UP + READ, read, true);
  }

  take() {
    this.drain();
    const bytes = this.bytes;
    this.bytes = [];
    return bytes;
  }
}
