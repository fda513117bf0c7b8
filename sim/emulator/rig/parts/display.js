// The SH1106 display on SPI0: what it shows. Its memory is 132 columns wide, of which 128 are seen, from the third.

const WIDTH = 128, HEIGHT = 64, MEMORY = 132, OFFSET = 2;
const DATA_COMMAND = 0, RESET = 1, CLOCK = 2;
const SPI = 1;
/** Time after power-on before which the controller ignores its inputs, in nanoseconds. */
const READY = 20e6;
/** Commands that take a second byte. */
const TWO_BYTES = [0x81, 0xa8, 0xad, 0xd3, 0xd5, 0xd9, 0xda, 0xdb];

export class Display {
  constructor() {
    this.powerOff();
  }

  powerOff() {
    this.memory = new Uint8Array(MEMORY * (HEIGHT / 8));
    /** Power-on, or null while off. */
    this.since = null;
    this.begin();
  }

  /** What the reset line does: the memory stays. */
  begin() {
    this.page = 0;
    this.column = 0;
    this.on = false;
    this.inverted = false;
    this.startLine = 0;
    // A module is mounted such that it is upright with both directions reversed.
    this.columnsReversed = false;
    this.rowsReversed = false;
    this.pending = -1;
  }

  attach(mcu, chip) {
    this.since ??= chip.now;
    const [spi] = mcu.spi;
    const { gpio } = mcu;
    let value = 0;
    const alarm = mcu.clock.createAlarm(() => {
      // The clock line may be switched over to the LEDs, which share the data line.
      const isReady = chip.now - this.since >= READY;
      if (gpio[CLOCK].functionSelect === SPI && isReady) this.byte(value, gpio[DATA_COMMAND].outputValue);
      spi.completeTransmit(0);
    });
    spi.onTransmit = (sent) => {
      value = sent;
      alarm.schedule(spi.clockFrequency ? (spi.dataBits * 1e9) / spi.clockFrequency : 0);
    };
    gpio[RESET].addListener(() => {
      if (gpio[RESET].outputEnable && !gpio[RESET].outputValue) this.begin();
    });
  }

  byte(value, isData) {
    if (!isData) {
      this.command(value);
    } else if (this.column < MEMORY) {
      this.memory[MEMORY * this.page + this.column] = value;
      this.column++;
    }
  }

  command(value) {
    if (this.pending >= 0) {
      this.pending = -1;
    } else if (TWO_BYTES.includes(value)) {
      this.pending = value;
    } else if (value <= 0x0f) {
      this.column = (this.column & 0xf0) | value;
    } else if (value <= 0x1f) {
      this.column = (this.column & 0x0f) | ((value & 0xf) << 4);
    } else if (value >= 0x40 && value <= 0x7f) {
      this.startLine = value & 0x3f;
    } else if (value >= 0xb0 && value <= 0xb7) {
      this.page = value & 7;
    } else {
      switch (value) {
        case 0xa0: this.columnsReversed = false; break;
        case 0xa1: this.columnsReversed = true; break;
        case 0xa6: this.inverted = false; break;
        case 0xa7: this.inverted = true; break;
        case 0xae: this.on = false; break;
        case 0xaf: this.on = true; break;
        case 0xc0: this.rowsReversed = false; break;
        case 0xc8: this.rowsReversed = true; break;
      }
    }
  }

  /** 64 rows of 16 bytes, the leftmost pixel in the uppermost bit; all dark while switched off. */
  picture() {
    const rows = new Uint8Array((WIDTH / 8) * HEIGHT);
    if (!this.on) return rows;
    for (let y = 0; y < HEIGHT; y++) {
      for (let x = 0; x < WIDTH; x++) {
        const row = ((this.rowsReversed ? y : HEIGHT - 1 - y) + this.startLine) % HEIGHT;
        const column = this.columnsReversed ? x + OFFSET : MEMORY - 1 - OFFSET - x;
        const lit = !!(this.memory[MEMORY * (row >> 3) + column] & (1 << (row & 7)));
        if (lit !== this.inverted) rows[(WIDTH / 8) * y + (x >> 3)] |= 0x80 >> (x & 7);
      }
    }
    return rows;
  }
}
