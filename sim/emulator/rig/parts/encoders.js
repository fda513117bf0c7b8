// Two quadrature encoders: from wheel speeds to edges on the pins, at the time each is due.

/** Left, right: the pins of A and B on each board. Forward is A before B. */
export const ZUMO_WHEELS = [
  { a: 12, b: 13 },
  { a: 8, b: 9 },
];
export const PICO_WHEELS = [
  { a: 2, b: 3 },
  { a: 4, b: 5 },
];
/** A and B in each quarter of a period. */
const QUARTERS = [
  [false, false],
  [true, false],
  [true, true],
  [false, true],
];

export class Encoders {
  constructor(pins, wheels) {
    this.pins = pins;
    this.wheels = wheels.map((pair) => ({ ...pair, speed: 0, quarter: 0, fraction: 0, since: 0, alarm: null }));
    for (const wheel of this.wheels) this.show(wheel);
  }

  attach(mcu) {
    this.clock = mcu.clock;
    for (const wheel of this.wheels) {
      wheel.alarm = mcu.clock.createAlarm(() => this.edge(wheel));
      wheel.since = mcu.clock.nanos;
      this.schedule(wheel);
    }
  }

  /** Speeds in counts per second, positive forward. */
  set(speeds) {
    this.wheels.forEach((wheel, i) => {
      if (wheel.speed === speeds[i]) return;
      this.progress(wheel);
      wheel.speed = speeds[i];
      this.schedule(wheel);
    });
  }

  /** `fraction` is how far the wheel is past the last edge, in counts, 0 up to 1 going forward. */
  progress(wheel) {
    if (!wheel.alarm) return;
    const { nanos } = this.clock;
    wheel.fraction += (wheel.speed * (nanos - wheel.since)) / 1e9;
    wheel.since = nanos;
  }

  schedule(wheel) {
    if (!wheel.alarm) return;
    wheel.alarm.cancel();
    if (wheel.speed === 0) return;
    const left = wheel.speed > 0 ? 1 - wheel.fraction : wheel.fraction;
    wheel.alarm.schedule(Math.max(0, (left * 1e9) / Math.abs(wheel.speed)));
  }

  edge(wheel) {
    const forward = wheel.speed > 0;
    wheel.since = this.clock.nanos;
    wheel.quarter = (wheel.quarter + (forward ? 1 : 3)) % 4;
    wheel.fraction = forward ? 0 : 1;
    this.show(wheel);
    this.schedule(wheel);
  }

  show({ a, b, quarter }) {
    this.pins.drive(a, QUARTERS[quarter][0]);
    this.pins.drive(b, QUARTERS[quarter][1]);
  }
}
