// Three infrared receivers and two groups of LEDs. A receiver goes low while LEDs pulse at 56 kHz brightly enough
// for what stands in front to reflect it. How bright is told by the width of the pulse: six widths, dim to bright.

const PWM = 4;
const SLICE = 0;
const CARRIER_HZ = 56000;
/** A receiver takes a carrier that is this much off, as a share. */
const BAND = 0.1;
const WIDTHS_NANOS = [313, 1000, 2063, 3500, 5375, 7563];
/** Left, front, right. */
const RECEIVERS = [23, 27, 24];
/** Left, right: channel B and channel A of the slice. */
const LEDS = [
  { pin: 17, channel: 'B' },
  { pin: 16, channel: 'A' },
];

export class Proximity {
  constructor(pins) {
    this.pins = pins;
    /** For each receiver and each LED side, at how many of the six widths it sees: 0 never, 6 even the dimmest. */
    this.levels = [[0, 0], [0, 0], [0, 0]];
    for (const pin of RECEIVERS) pins.drive(pin, true);
  }

  attach(mcu) {
    this.mcu = mcu;
    const { pwm } = mcu;
    const { writeUint32 } = pwm;
    pwm.writeUint32 = (offset, value) => {
      writeUint32.call(pwm, offset, value);
      this.update();
    };
    for (const { pin } of LEDS) mcu.gpio[pin].addListener(() => this.update());
    this.update();
  }

  set(levels) {
    this.levels = levels;
    this.update();
  }

  update() {
    if (!this.mcu) return;
    const brightness = LEDS.map((led) => this.brightness(led));
    RECEIVERS.forEach((pin, receiver) => {
      const seen = brightness.some((bright, side) => bright > 0 && bright > 6 - this.levels[receiver][side]);
      this.pins.drive(pin, !seen);
    });
  }

  /** 0 dark, 1 the dimmest of the six widths, 6 the brightest. */
  brightness({ pin, channel }) {
    const { pwm, gpio, clkSys } = this.mcu;
    const { csr, cc, top, timer } = pwm.channels[SLICE];
    if (gpio[pin].functionSelect !== PWM || !(csr & 1)) return 0;
    const tick = (timer.prescaler * 1e9) / clkSys;
    const frequency = 1e9 / ((top + 1) * tick);
    if (Math.abs(frequency / CARRIER_HZ - 1) > BAND) return 0;
    const width = (channel === 'A' ? cc & 0xffff : cc >>> 16) * tick;
    // Widths are made of whole clock ticks: a little below nominal still counts.
    return WIDTHS_NANOS.filter((nominal) => width >= 0.95 * nominal).length;
  }
}
