// The battery, through a divider by eleven, on the first channel of the analogue converter.

const DIVIDER = 11, REFERENCE_MV = 3300, STEPS = 4096;

export class Battery {
  constructor() {
    this.millivolts = 5000;
  }

  attach(mcu) {
    this.adc = mcu.adc;
    this.set(this.millivolts);
  }

  set(millivolts) {
    this.millivolts = millivolts;
    const raw = Math.round((millivolts * STEPS) / (DIVIDER * REFERENCE_MV));
    if (this.adc) this.adc.channelValues[0] = Math.max(0, Math.min(STEPS - 1, raw));
  }
}
