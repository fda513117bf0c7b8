// Three infrared receivers and two groups of LEDs. A receiver goes low while LEDs pulse at 56 kHz brightly enough
// for what stands in front to reflect it. The width of the pulse sets how bright.

const PWM = 4;
const SLICE = 0;
const CARRIER_HZ = 56000;
/** A receiver takes a carrier that is this much off, as a share. */
const BAND = 0.1;
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
    /** For each receiver and each LED side, the narrowest pulse that it detects, in nanoseconds. */
    this.thresholds = [[Infinity, Infinity], [Infinity, Infinity], [Infinity, Infinity]];
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

  set(thresholds) {
    this.thresholds = thresholds;
    this.update();
  }

  update() {
    if (!this.mcu) return;
    const widths = LEDS.map((led) => this.width(led));
    RECEIVERS.forEach((pin, receiver) => {
      const seen = widths.some((width, side) => width > 0 && width >= this.thresholds[receiver][side]);
      this.pins.drive(pin, !seen);
    });
  }

  /** Width of the pulses in nanoseconds; 0 is dark. */
  width({ pin, channel }) {
    const { pwm, gpio, clkSys } = this.mcu;
    const { csr, cc, top, timer } = pwm.channels[SLICE];
    if (gpio[pin].functionSelect !== PWM || !(csr & 1)) return 0;
    const tick = (timer.prescaler * 1e9) / clkSys;
    const frequency = 1e9 / ((top + 1) * tick);
    if (Math.abs(frequency / CARRIER_HZ - 1) > BAND) return 0;
    return (channel === 'A' ? cc & 0xffff : cc >>> 16) * tick;
  }
}
