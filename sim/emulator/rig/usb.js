// A desktop computer at the other end of the USB cable: it finds a serial port on the robot, opens it, reads what
// comes and sends what it is given.

const AVAILABLE = 1 << 10;
const EP0_OUT_BUFFER_CONTROL = 0x84;
const PULL_UP = 1 << 16;
const STALL = 1 << 11;
const PACKET = 64;
const CLASS_DATA = 10;
const CLASS_COMMUNICATION = 2;

export class UsbHost {
  constructor() {
    this.plugged = true;
    this.received = [];
    this.outbox = [];
    this.open = false;
  }

  attach(mcu) {
    this.usb = mcu.usbCtrl;
    this.view = mcu.usbDPRAMView;
    this.started = false;
    this.open = false;
    this.armed = new Set();
    this.transfers = [];
    this.transfer = null;
    this.inEndpoint = -1;
    this.outEndpoint = -1;
    const { usb } = this;

    const { DPRAMUpdated, finishRead, handleSieCtrlWrite } = usb;
    usb.DPRAMUpdated = (offset, value) => {
      DPRAMUpdated.call(usb, offset, value);
      // The stock object gives the buffer back to the firmware at once, as if it were full.
      if (value & AVAILABLE && offset >= EP0_OUT_BUFFER_CONTROL && offset <= 0xfc && offset & 4) {
        this.view.setUint32(offset, this.view.getUint32(offset, true) | AVAILABLE, true);
        this.onArmed((offset - EP0_OUT_BUFFER_CONTROL) >> 3);
      }
      if (value & STALL && offset === 0x80) this.onStall();
    };
    usb.finishRead = (endpoint, buffer) => {
      const offset = EP0_OUT_BUFFER_CONTROL + 8 * endpoint;
      this.view.setUint32(offset, this.view.getUint32(offset, true) & ~AVAILABLE, true);
      finishRead.call(usb, endpoint, buffer);
    };
    usb.handleSieCtrlWrite = (value) => {
      handleSieCtrlWrite.call(usb, value);
      this.pulledUp = !!(value & PULL_UP);
      this.greet();
    };
    usb.onResetReceived = () => this.enumerate();
    usb.onEndpointRead = () => {};
    usb.onEndpointWrite = (endpoint, bytes) => this.onBytes(endpoint, bytes);
    this.pulledUp = false;
  }

  plug(plugged) {
    if (plugged === this.plugged) return;
    this.plugged = plugged;
    this.open = false;
    this.started = false;
    if (plugged) this.greet();
  }

  /** A device shows itself by its pull-up; the host then resets the bus. */
  greet() {
    if (this.plugged && this.pulledUp && !this.started) {
      this.started = true;
      this.usb.resetDevice();
    }
  }

  enumerate() {
    this.descriptors = [];
    this.transfers = [
      request(0x00, 5, 1, 0, 0), // set address 1
      request(0x80, 6, 0x0200, 0, 9), // get the head of the configuration
    ];
    this.next();
  }

  next() {
    this.transfer = this.transfers.shift() ?? null;
    if (this.transfer === null) return;
    this.usb.sendSetupPacket(this.transfer.setup);
  }

  onBytes(endpoint, bytes) {
    if (endpoint === this.inEndpoint && this.plugged) {
      for (const byte of bytes) this.received.push(byte);
      return;
    }
    if (endpoint !== 0 || this.transfer === null) return;
    const { transfer } = this;
    if (!transfer.reads) {
      this.done(transfer);
      return;
    }
    transfer.data.push(...bytes);
    if (transfer.data.length >= transfer.length || bytes.length < PACKET) transfer.answered = true;
  }

  /** The firmware is ready to receive on an endpoint. */
  onArmed(endpoint) {
    this.armed.add(endpoint);
    if (endpoint === 0) this.finishControl();
    else this.flush();
  }

  /** The status stage of a control transfer that reads, or the data stage of one that writes. */
  finishControl() {
    const { transfer } = this;
    if (transfer === null || !this.armed.has(0)) return;
    if (transfer.reads) {
      this.deliver(0, new Uint8Array(0));
      // The answer may still be on its way: it takes ten microseconds, this a little longer.
      this.later(() => this.done(transfer));
    } else if (transfer.send) {
      this.deliver(0, transfer.send);
      transfer.send = null;
    }
  }

  later(action) {
    const alarm = this.usb.rp2040.clock.createAlarm(action);
    alarm.schedule(50_000);
  }

  onStall() {
    if (this.transfer !== null) this.next();
  }

  done(transfer) {
    if (this.transfer !== transfer) return;
    const { setup, data } = transfer;
    if (setup[1] === 6 && data.length === 9) {
      this.transfers.push(request(0x80, 6, 0x0200, 0, data[2] | (data[3] << 8)));
    } else if (setup[1] === 6) {
      const { input, output, control } = serialPort(data);
      this.inEndpoint = input;
      this.outEndpoint = output;
      this.transfers.push(request(0x00, 9, 1, 0, 0)); // set configuration 1
      const DATA_TERMINAL_READY = 1, REQUEST_TO_SEND = 2;
      this.transfers.push(request(0x21, 0x22, DATA_TERMINAL_READY | REQUEST_TO_SEND, control, 0));
    } else if (setup[1] === 0x22) {
      this.open = true;
    }
    this.next();
    this.flush();
  }

  send(bytes) {
    this.outbox.push(...bytes);
    this.flush();
  }

  flush() {
    if (!this.open || this.outbox.length === 0 || !this.armed.has(this.outEndpoint)) return;
    this.deliver(this.outEndpoint, Uint8Array.from(this.outbox.splice(0, PACKET)));
  }

  deliver(endpoint, bytes) {
    this.armed.delete(endpoint);
    this.usb.endpointReadDone(endpoint, bytes);
  }

  take() {
    const bytes = this.received;
    this.received = [];
    return bytes;
  }
}

function request(type, code, value, index, length) {
  const setup = Uint8Array.of(type, code, value & 0xff, value >> 8, index & 0xff, index >> 8, length & 0xff, length >> 8);
  return { setup, reads: !!(type & 0x80), length, data: [], send: null, answered: false };
}

/** The endpoints of the serial port in a configuration, and its control interface. */
function serialPort(descriptors) {
  const INTERFACE = 4, ENDPOINT = 5, BULK = 2;
  const port = { input: -1, output: -1, control: 0 };
  let kind = 0;
  for (let at = 0; at + 1 < descriptors.length && descriptors[at] >= 2; at += descriptors[at]) {
    const [, type, third, fourth, , fifth] = descriptors.slice(at, at + 6);
    if (type === INTERFACE) {
      kind = fifth;
      if (kind === CLASS_COMMUNICATION) port.control = third;
    } else if (type === ENDPOINT && kind === CLASS_DATA && (fourth & 3) === BULK) {
      if (third & 0x80) port.input = third & 0xf;
      else port.output = third & 0xf;
    }
  }
  return port;
}
