// Buttons A, B and C. A shares its pin with the yellow LED and C with a line of the display: a press is seen only
// while the firmware lets go of the pin. B is the boot button, on the select line of the flash.

const A = 25, C = 0;
/** Start button of a Pico robot, to ground. */
const START = 14;
const SELECT = 1;

export class Buttons {
  constructor(pins) {
    this.pins = pins;
    this.pressed = [false, false, false];
  }

  attach(mcu) {
    this.mcu = mcu;
    this.show();
  }

  set(pressed) {
    this.pressed = pressed;
    this.show();
  }

  show() {
    const [a, b, c] = this.pressed;
    this.drive(a, c);
    this.mcu?.qspi[SELECT].setInputValue(!b);
  }

  drive(a, c) {
    this.pins.drive(A, !a);
    this.pins.drive(C, !c);
  }
}

/** Buttons of a Pico robot: A and B, at pins of their own. A released contact is open, and the chip pulls it up. */
export class PicoButtons extends Buttons {
  drive(a) {
    this.pins.drive(START, a ? false : null);
  }
}
