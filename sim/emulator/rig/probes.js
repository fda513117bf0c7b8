// Cycles of calls of functions, all that they call included and all that interrupts them left out.

export class Probes {
  constructor(addresses) {
    /** By address: how often it was called, and the cycles of the longest call. */
    this.calls = new Map(addresses.map((address) => [address, { calls: 0, longest: 0 }]));
    /** Calls in progress. */
    this.active = [];
  }

  before({ registers, IPSR }) {
    const pc = registers[15] & ~1, sp = registers[13];
    const { active } = this;
    for (;;) {
      const last = active[active.length - 1];
      if (!last || pc !== last.back || sp !== last.sp || IPSR !== last.exception) break;
      active.pop();
      last.call.calls++;
      last.call.longest = Math.max(last.call.longest, last.cycles);
    }
    const call = this.calls.get(pc);
    if (call) active.push({ call, back: registers[14] & ~1, sp, exception: IPSR, cycles: 0 });
  }

  after({ IPSR }, cycles) {
    for (const call of this.active) if (call.exception === IPSR) call.cycles += cycles;
  }

  take() {
    return [...this.calls].map(([address, { calls, longest }]) => [address, calls, longest]);
  }
}
