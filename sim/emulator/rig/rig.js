// An emulated RP2040 on a Zumo 2040, or with --pico on a Pico robot. One request per line on standard input, one answer per line on standard
// output, both JSON; README.md in this folder lists them. Ends when standard input does. With --stock-core it does
// without core.js, to the same effect.

import { createInterface } from 'node:readline';
import { Chip } from './chip.js';
import { Counts } from './counts.js';
import { Flash } from './flash.js';
import { Pins } from './pins.js';
import { Probes } from './probes.js';
import { Rtt } from './rtt.js';
import { UsbHost } from './usb.js';
import { Battery } from './parts/battery.js';
import { Buttons, PicoButtons } from './parts/buttons.js';
import { Display } from './parts/display.js';
import { Distances } from './parts/distances.js';
import { Encoders, PICO_WHEELS, ZUMO_WHEELS } from './parts/encoders.js';
import { Imu } from './parts/imu.js';
import { Bridges, Motors } from './parts/motors.js';
import { Proximity } from './parts/proximity.js';

/** Raised when a request or an answer changes its meaning. */
const PROTOCOL = 1;
const FLASH_BASE = 0x10000000;

const pins = new Pins();
const flash = new Flash();
const isPico = process.argv.includes('--pico');
const motors = isPico ? new Bridges() : new Motors();
const encoders = new Encoders(pins, isPico ? PICO_WHEELS : ZUMO_WHEELS);
const distances = new Distances();
const proximity = new Proximity(pins);
const imu = new Imu();
const display = new Display();
const buttons = isPico ? new PicoButtons(pins) : new Buttons(pins);
const battery = new Battery();
const usb = new UsbHost();
const rtt = new Rtt();
const parts = isPico
  ? [motors, encoders, distances, buttons, usb, rtt]
  : [motors, encoders, proximity, imu, display, buttons, battery, usb, rtt];
const chip = new Chip(flash, pins, parts, process.argv.includes('--stock-core'));

const bytes = (text) => Buffer.from(text, 'base64');
const text = (data) => Buffer.from(data).toString('base64');

const inputs = {
  wheels: (speeds) => encoders.set(speeds),
  proximity: (thresholds) => proximity.set(thresholds),
  gyro: (milliDegreesPerSecond) => (imu.turning = milliDegreesPerSecond),
  distances: (millivolts) => distances.set(millivolts),
  battery: (millivolts) => battery.set(millivolts),
  buttons: (pressed) => buttons.set(pressed),
  i2c: (bus) => (imu.bus = bus),
  magnetometer: (present) => (imu.magnetometerPresent = present),
  plugged: (plugged) => usb.plug(plugged),
  usb: (data) => usb.send(bytes(data)),
};

const requests = {
  hello: () => ({ protocol: PROTOCOL }),
  load({ segments, rtt: address, stack }) {
    for (const { at, data } of segments) flash.load(at - FLASH_BASE, bytes(data));
    rtt.address = address ?? 0;
    chip.stack = stack ?? null;
    return {};
  },
  power({ on }) {
    if (on) {
      chip.powerOn();
    } else {
      chip.powerOff();
      imu.powerOff();
      display.powerOff();
    }
    return {};
  },
  reset() {
    chip.reset();
    return {};
  },
  flash({ missCycles }) {
    chip.missCycles = missCycles;
    return {};
  },
  cut({ after }) {
    flash.cutAfter = after;
    return {};
  },
  run({ nanos, inputs: changed }) {
    for (const [name, value] of Object.entries(changed ?? {})) {
      if (!(name in inputs)) throw new Error(`unknown input: ${name}`);
      inputs[name](value);
    }
    const cycles = chip.cycles;
    chip.run(chip.now + nanos);
    if (chip.mcu) chip.forgetWarnings();
    const answer = {
      now: Math.round(chip.now),
      powered: chip.mcu !== null,
      duty: motors.take(),
      cycles: chip.cycles - cycles,
      usb: text(usb.take()),
      rtt: text(rtt.take()),
      flash: flash.takeLog(),
      events: chip.events,
      laps: chip.laps,
    };
    chip.events = [];
    chip.laps = [];
    return answer;
  },
  display: () => ({ picture: text(display.picture()) }),
  read({ at, length }) {
    const memory = chip.memory(at, length);
    if (!memory) throw new Error(`no memory at ${at}, ${length} bytes`);
    return { data: text(memory) };
  },
  write({ at, data }) {
    const written = bytes(data);
    const memory = chip.memory(at, written.length);
    if (!memory) throw new Error(`no memory at ${at}, ${written.length} bytes`);
    memory.set(written);
    return {};
  },
  pins: () => ({ levels: (chip.mcu?.gpio ?? []).map((pin) => pin.inputValue) }),
  watch({ pin }) {
    chip.watch(pin);
    return {};
  },
  profile({ on }) {
    const counts = chip.takeProfile();
    if (on) chip.startProfile();
    else chip.profile = null;
    return { counts };
  },
  probe({ functions }) {
    const calls = chip.probes?.take() ?? [];
    chip.probes = functions.length > 0 ? new Probes(functions) : null;
    return { calls };
  },
  count({ plan }) {
    const counts = chip.counts?.take() ?? [];
    chip.counts = plan ? new Counts(plan) : null;
    return { counts };
  },
  stack: () => ({ untouched: chip.untouchedStack() }),
};

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const { do: name, ...request } = JSON.parse(line);
    if (!Object.hasOwn(requests, name)) throw new Error(`unknown request: ${name}`);
    answer = requests[name](request);
  } catch (error) {
    answer = { error: error.message };
    // Where in the rig it happened, for whoever mends it.
    console.error(error.stack);
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
