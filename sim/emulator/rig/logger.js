// What the emulator has to say. It throws what would be a fault of the chip, and keeps the rest for whoever asks.

export class Logger {
  constructor(onSev) {
    this.onSev = onSev;
    this.warnings = new Map();
  }
  debug() {}
  info(component, message) {
    // The stock core does nothing else on SEV, and a thread-mode executor waits for it.
    if (message === 'SEV') this.onSev();
  }
  warn(component, message) {
    const text = `${component}: ${message}`;
    this.warnings.set(text, (this.warnings.get(text) ?? 0) + 1);
  }
  error(component, message) {
    throw new ChipFault(`${component}: ${message}`);
  }
}

/** The chip did what would be a hard fault on silicon, such as an unaligned access. */
export class ChipFault extends Error {}
