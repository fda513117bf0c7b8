// Two motors: the mean duty over a slice of time. Those of a Zumo are behind drivers with a direction and a
// pulse-width input each, those of a Pico robot behind H-bridges with two inputs.

const PWM = 4;
const SLICE = 7;
/** Left, right. Right is channel A of the slice, left channel B. Direction low is forward. */
const ZUMO = [
  { pwm: 15, direction: 11, channel: 'B' },
  { pwm: 14, direction: 10, channel: 'A' },
];
/** Left, right: inputs 1 and 2 of the bridge, channels A and B of a slice. */
const PICO = [
  { inputs: [10, 11], slice: 5 },
  { inputs: [12, 13], slice: 6 },
];
/** Full duty, forward. */
export const FULL = 10000;

export class Motors {
  constructor() {
    this.sums = [0, 0];
    this.duty = [0, 0];
    this.since = 0;
    this.begin = 0;
  }

  attach(mcu, chip) {
    this.mcu = mcu;
    this.chip = chip;
    this.update();
    const { pwm } = mcu;
    const { writeUint32 } = pwm;
    pwm.writeUint32 = (offset, value) => {
      writeUint32.call(pwm, offset, value);
      this.update();
    };
    for (const pin of this.directions) mcu.gpio[pin].addListener(() => this.update());
  }

  update() {
    this.integrate();
    this.duty = this.levels();
  }

  get directions() {
    return ZUMO.map(({ direction }) => direction);
  }

  /** Share of time for which a pin is high. */
  high(pin, slice, channel) {
    const { csr, cc, top } = this.mcu.pwm.channels[slice];
    if (this.mcu.gpio[pin].functionSelect !== PWM || !(csr & 1)) return 0;
    const compare = channel === 'A' ? cc & 0xffff : cc >>> 16;
    return Math.min(1, compare / (top + 1));
  }

  levels() {
    const { gpio } = this.mcu;
    return ZUMO.map(({ pwm, direction, channel }) => {
      const duty = this.high(pwm, SLICE, channel);
      return FULL * (gpio[direction].outputEnable && gpio[direction].outputValue ? -duty : duty);
    });
  }

  integrate() {
    const { now } = this.chip;
    for (const i of [0, 1]) this.sums[i] += this.duty[i] * (now - this.since);
    this.since = now;
  }

  /** The mean duty of both since this was last taken. */
  take() {
    if (!this.chip?.mcu) this.duty = [0, 0];
    if (this.chip) this.integrate();
    const length = this.since - this.begin;
    const mean = this.sums.map((sum, i) => Math.round(length > 0 ? sum / length : this.duty[i]));
    this.sums = [0, 0];
    this.begin = this.since;
    return mean;
  }
}

/**
 * H-bridges, of which both slices count from the same instant. The motor gets voltage while one input is high and the
 * other low; while both are high it is shorted and goes on slowly (slow decay), while both are low it floats and soon
 * has no current (fast decay). A small geared motor does not turn with fast decay at the duties of a slow robot.
 */
export class Bridges extends Motors {
  get directions() {
    return [];
  }

  levels() {
    return PICO.map(({ inputs: [first, second], slice }) => {
      const a = this.high(first, slice, 'A'), b = this.high(second, slice, 'B');
      const driven = a - b;
      const floats = Math.min(1 - a, 1 - b) > Math.min(a, b);
      const STANDS = 0.5;
      return floats && Math.abs(driven) < STANDS ? 0 : FULL * driven;
    });
  }
}
