// Two motors behind drivers with a direction and a pulse-width input each: the mean duty over a slice of time.

const PWM = 4;
const SLICE = 7;
/** Left, right. Right is channel A of the slice, left channel B. Direction low is forward. */
const MOTORS = [
  { pwm: 15, direction: 11, channel: 'B' },
  { pwm: 14, direction: 10, channel: 'A' },
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
    for (const { direction } of MOTORS) mcu.gpio[direction].addListener(() => this.update());
  }

  update() {
    this.integrate();
    this.duty = MOTORS.map((motor) => this.level(motor));
  }

  level({ pwm, direction, channel }) {
    const { gpio } = this.mcu;
    const { csr, cc, top } = this.mcu.pwm.channels[SLICE];
    if (gpio[pwm].functionSelect !== PWM || !(csr & 1)) return 0;
    const compare = channel === 'A' ? cc & 0xffff : cc >>> 16;
    const duty = Math.min(1, compare / (top + 1));
    return FULL * (gpio[direction].outputEnable && gpio[direction].outputValue ? -duty : duty);
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
