// The inertial sensors on the I2C bus: an LSM6DSO whose gyroscope turns with the robot, and a LIS3MDL that need
// not be there. A byte takes its nine bit times, and the bus can be made to fail.

const GYRO = 0x6b;
const MAGNETOMETER = 0x1e;
// Registers of the LSM6DSO
const WHO_AM_I = 0x0f, CTRL1_XL = 0x10, CTRL2_G = 0x11, CTRL3_C = 0x12, STATUS = 0x1e;
const OUTX_L_G = 0x22, OUTZ_L_G = 0x26, OUTZ_H_G = 0x27, OUTX_L_A = 0x28, OUTZ_L_A = 0x2c, OUTZ_H_A = 0x2d;
const SOFTWARE_RESET = 1, INCREMENT = 4;
/** Samples per second by the upper four bits of a control register. */
const RATES = [0, 12.5, 26, 52, 104, 208, 416, 833, 1667, 3333, 6667];
/** Milli-degrees per second and LSB by bits 3 and 2 of CTRL2_G; bit 1 means 4.375. */
const GYRO_SCALES = [8.75, 17.5, 35, 70];
/** Milli-g per LSB by bits 3 and 2 of CTRL1_XL. */
const ACCELERATION_SCALES = [0.061, 0.488, 0.122, 0.244];

class Lsm6dso {
  constructor() {
    this.milliDegreesPerSecond = 0;
    this.reset();
  }

  reset() {
    this.registers = new Uint8Array(256);
    this.registers[WHO_AM_I] = 0x6c;
    this.registers[CTRL3_C] = INCREMENT;
    this.gyro = { since: 0, read: 0 };
    this.accelerometer = { since: 0, read: 0 };
  }

  get increments() {
    return !!(this.registers[CTRL3_C] & INCREMENT);
  }

  /** Samples made since the sensor was switched on. */
  samples(control, { since }, now) {
    return Math.floor(((now - since) * (RATES[this.registers[control] >> 4] ?? 0)) / 1e9);
  }

  read(register, now) {
    const gyroSamples = this.samples(CTRL2_G, this.gyro, now);
    const accelerations = this.samples(CTRL1_XL, this.accelerometer, now);
    switch (register) {
      case STATUS:
        return (gyroSamples > this.gyro.read ? 2 : 0) | (accelerations > this.accelerometer.read ? 1 : 0);
      case OUTZ_L_G:
        return this.z(gyroSamples) & 0xff;
      case OUTZ_H_G:
        this.gyro.read = gyroSamples;
        return (this.z(gyroSamples) >> 8) & 0xff;
      case OUTZ_L_A:
      case OUTZ_H_A: {
        // The robot stands upright: one g.
        const raw = accelerations > 0 ? Math.round(1000 / ACCELERATION_SCALES[(this.registers[CTRL1_XL] >> 2) & 3]) : 0;
        if (register === OUTZ_L_A) return raw & 0xff;
        this.accelerometer.read = accelerations;
        return raw >> 8;
      }
      default:
        return register >= OUTX_L_G && register < OUTX_L_A + 4 ? 0 : this.registers[register];
    }
  }

  z(samples) {
    if (samples === 0) return 0;
    const control = this.registers[CTRL2_G];
    const scale = control & 2 ? 4.375 : GYRO_SCALES[(control >> 2) & 3];
    return Math.max(-32768, Math.min(32767, Math.round(this.milliDegreesPerSecond / scale)));
  }

  write(register, value, now) {
    if (register === CTRL3_C && value & SOFTWARE_RESET) {
      this.reset();
      return;
    }
    if (register === WHO_AM_I || register === STATUS || (register >= 0x20 && register <= OUTZ_H_A)) return;
    this.registers[register] = value;
    if (register === CTRL2_G) this.gyro = { since: now, read: 0 };
    if (register === CTRL1_XL) this.accelerometer = { since: now, read: 0 };
  }
}

class Lis3mdl {
  constructor() {
    this.registers = new Uint8Array(256);
    this.registers[WHO_AM_I] = 0x3d;
    this.increments = false;
  }
  // The uppermost bit of a register's address asks to go on to the next.
  read(register) {
    return this.registers[register & 0x7f];
  }
  write(register, value) {
    if ((register & 0x7f) !== WHO_AM_I) this.registers[register & 0x7f] = value;
  }
}

export class Imu {
  constructor() {
    this.lsm6dso = new Lsm6dso();
    this.lis3mdl = new Lis3mdl();
    this.magnetometerPresent = true;
    /** "ok"; "nack": nobody answers; "stuck": a transfer never ends. */
    this.bus = 'ok';
  }

  set turning(milliDegreesPerSecond) {
    this.lsm6dso.milliDegreesPerSecond = milliDegreesPerSecond;
  }

  powerOff() {
    this.lsm6dso.reset();
    this.lis3mdl = new Lis3mdl();
  }

  attach(mcu, chip) {
    const [i2c] = mcu.i2c;
    let device = null, register = -1;
    const alarm = mcu.clock.createAlarm(() => {
      const action = alarm.action;
      alarm.action = null;
      action();
    });
    const later = (bits, action) => {
      if (this.bus === 'stuck') return;
      alarm.action = action;
      alarm.schedule((bits * (i2c.sclLowPeriod + i2c.sclHighPeriod) * 1e9) / mcu.clkSys);
    };
    i2c.onStart = () => later(1, () => i2c.completeStart());
    i2c.onConnect = (address, mode) => {
      const devices = { [GYRO]: this.lsm6dso };
      if (this.magnetometerPresent) devices[MAGNETOMETER] = this.lis3mdl;
      device = this.bus === 'nack' ? undefined : devices[address];
      const WRITE = 0;
      if (mode === WRITE) register = -1;
      later(9, () => i2c.completeConnect(device !== undefined));
    };
    i2c.onWriteByte = (value) => {
      later(9, () => {
        if (this.bus === 'nack' || !device) {
          i2c.completeWrite(false);
          return;
        }
        if (register < 0) register = value;
        else {
          device.write(register, value, chip.now);
          if (device.increments) register = (register + 1) & 0xff;
        }
        i2c.completeWrite(true);
      });
    };
    i2c.onReadByte = () => {
      later(9, () => {
        const value = device && register >= 0 ? device.read(register, chip.now) : 0xff;
        if (device?.increments) register = (register + 1) & 0xff;
        i2c.completeRead(value);
      });
    };
    i2c.onStop = () => later(1, () => i2c.completeStop());
  }
}
