// The wires between the chip's pins and what is soldered to them.
//
// A pin reads what drives it: the chip itself, else the part, else its own pull resistor. The stock object
// knows none of the three and reads low unless told.

import { GPIOPinState } from 'rp2040js';

const FUNCTION_PWM = 4;
/** After a reset, pads of the chip read their pins, pull down and drive 4 mA. */
const PAD_RESET = 0x56;

export class Pins {
  constructor() {
    /** What each part drives its pin to, or null. Survives a reset of the chip: parts have their own will. */
    this.driven = new Array(30).fill(null);
    this.gpio = [];
    /** Called before pin `index` changes, so that who samples pins can catch up. */
    this.beforeChange = () => {};
  }

  attach(mcu) {
    this.gpio = mcu.gpio;
    for (const pin of this.gpio) {
      pin.padValue = PAD_RESET;
      pin.lastValue = pin.value;
      pin.addListener(() => this.settle(pin.index));
      this.settle(pin.index);
    }
  }

  /** A part drives pin `index` to `level`, or lets go of it (null). */
  drive(index, level) {
    if (this.driven[index] !== level) {
      this.driven[index] = level;
      this.settle(index);
    }
  }

  settle(index) {
    const pin = this.gpio[index];
    // Nothing reads back a pulse width: at 20 kHz that would be a lot of work for nobody.
    if (!pin || pin.functionSelect === FUNCTION_PWM) return;
    const level = this.level(pin);
    if (level !== pin.rawInputValue) {
      this.beforeChange(index);
      pin.setInputValue(level);
    }
  }

  level(pin) {
    const { value } = pin;
    if (value === GPIOPinState.High || value === GPIOPinState.Low) return value === GPIOPinState.High;
    const driven = this.driven[pin.index];
    if (driven !== null) return driven;
    if (value === GPIOPinState.InputPullUp) return true;
    return value === GPIOPinState.InputBusKeeper ? pin.rawInputValue : false;
  }
}
