// Counts of executed instructions in calls of some functions: iterations of loops, units of budgets, values of registers.

const RAM = 0x20000000;
const RAM_HALVES = 0x42000 >> 1;

/**
 * A counter: `{ root, begins, first, adds, value, by }`.
 *
 * It becomes `first` where an address in `begins` is executed, and, if `root`, where a call begins. `adds` are
 * `[from, at, amount]`: added where `at` is executed, if not null directly after `from`. `value`, `[at, register]`, makes
 * it the register's value there. `by`, `[at, register]`, keeps largest values apart by what the register held there.
 */
export class Counts {
  constructor({ roots, counters }) {
    this.counters = counters;
    /** By address: what is done there. */
    this.inRam = new Array(RAM_HALVES);
    this.elsewhere = new Map();
    for (const root of roots) this.at(root).isRoot = true;
    counters.forEach(({ begins, first, adds, value, by }, index) => {
      for (const at of begins) this.at(at).begins.push([index, first]);
      for (const [from, at, amount] of adds) this.at(at).adds.push([index, from, amount]);
      if (value) this.at(value[0]).values.push([index, value[1]]);
      if (by) this.at(by[0]).keys.push([index, by[1]]);
    });
    /** By counter: its largest values by key. */
    this.most = counters.map(() => new Map());
    /** Calls in progress and values of counters, by exception. */
    this.levels = new Map();
  }

  at(address) {
    const at = (address - RAM) >> 1;
    const fresh = () => ({ isRoot: false, begins: [], adds: [], values: [], keys: [] });
    if (at >= 0 && at < RAM_HALVES) return (this.inRam[at] ??= fresh());
    if (!this.elsewhere.has(address)) this.elsewhere.set(address, fresh());
    return this.elsewhere.get(address);
  }

  level(exception) {
    let level = this.levels.get(exception);
    if (!level) {
      const zeros = () => new Array(this.counters.length).fill(0);
      level = { calls: [], last: 0, counts: zeros(), keys: zeros() };
      this.levels.set(exception, level);
    }
    return level;
  }

  before({ registers, IPSR }) {
    const pc = registers[15] & ~1;
    const level = this.level(IPSR);
    const { calls, last, counts, keys } = level;
    level.last = pc;
    while (calls.length > 0) {
      const { back, sp } = calls[calls.length - 1];
      if (pc !== back || sp !== registers[13]) break;
      calls.pop();
    }
    const here = pc >= RAM ? this.inRam[(pc - RAM) >> 1] : this.elsewhere.get(pc);
    if (!here) return;
    if (here.isRoot) {
      if (calls.length === 0) {
        this.counters.forEach(({ root, first }, index) => {
          if (root) counts[index] = first;
        });
      }
      calls.push({ back: registers[14] & ~1, sp: registers[13] });
    }
    if (calls.length === 0) return;
    for (const [index, register] of here.keys) keys[index] = registers[register] >>> 0;
    for (const [index, first] of here.begins) counts[index] = first;
    for (const [index, from, amount] of here.adds) {
      if (from !== null && from !== last) continue;
      counts[index] += amount;
      this.record(index, keys[index], counts[index]);
    }
    for (const [index, register] of here.values) this.record(index, keys[index], registers[register] >>> 0);
  }

  record(index, key, count) {
    const most = this.most[index];
    if (!(most.get(key) >= count)) most.set(key, count);
  }

  /** By counter: pairs of a key, 0 without one, and the largest value. */
  take() {
    return this.most.map((most) => [...most]);
  }
}
