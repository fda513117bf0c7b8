// Three analogue distance sensors, left, front and right, on the first channels of the analogue converter.

const REFERENCE_MV = 3300, STEPS = 4096;

export class Distances {
  constructor() {
    this.millivolts = [0, 0, 0];
  }

  attach(mcu) {
    this.adc = mcu.adc;
    this.set(this.millivolts);
  }

  set(millivolts) {
    this.millivolts = millivolts;
    millivolts.forEach((mv, channel) => {
      const raw = Math.round((mv * STEPS) / REFERENCE_MV);
      if (this.adc) this.adc.channelValues[channel] = Math.max(0, Math.min(STEPS - 1, raw));
    });
  }
}
