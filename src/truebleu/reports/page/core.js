"use strict";
// The core of truebleu, compiled to WebAssembly: all scores, tests and intervals come from it.

// Replicates that are made before the page may do something else.
const STEP = 250;

class Core {
  static async load(bytes) {
    const { instance } = await WebAssembly.instantiate(bytes, {});
    return new Core(instance.exports);
  }

  constructor(exports) {
    this.exports = exports;
  }

  // Puts bytes, or whole numbers, where the next call reads them.
  give(data) {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data.buffer);
    const room = this.exports.room(bytes.length);
    new Uint8Array(this.exports.memory.buffer, room, bytes.length).set(bytes);
    return bytes.length;
  }

  taken(pointer, count) {
    return new Float64Array(this.exports.memory.buffer, pointer, count).slice();
  }

  // Adds a table for a metric; a metric that the core does not have gets none.
  addTable(metric, systems) {
    if (metric.core === null) return;
    const settings = JSON.stringify(metric.core);
    metric.table = this.exports.new_table(this.give(settings), systems);
    if (metric.table < 0) throw new Error(`the core refuses ${settings}`);
  }

  // The rows of a table, to be filled: for each segment those of all systems.
  rows(metric, systems, segments) {
    const pointer = this.exports.rows(metric.table, segments);
    return new Float64Array(this.exports.memory.buffer, pointer, segments * systems * this.exports.width(metric.table));
  }

  scores(metric, systems, places) {
    this.give(Uint32Array.from(places));
    return this.taken(this.exports.scores(metric.table, places.length), systems);
  }

  segmentScores(metric, system, segments) {
    return this.taken(this.exports.segment_scores(metric.table, system), segments);
  }

  contributions(metric, a, b, segments) {
    return this.taken(this.exports.contributions(metric.table, a, b), segments);
  }

  // What the comparison found so far; null before its test is done.
  results(metric) {
    const length = this.exports.results(metric.table);
    const text = new Uint8Array(this.exports.memory.buffer, this.exports.text(), length);
    return JSON.parse(new TextDecoder().decode(text));
  }

  // Compares both systems on some segments as `truebleu compare` does, with settings written as JSON; null
  // if there is nothing to test, or `stop` says to give up. Tells what the test found before intervals are
  // drawn.
  async compare(metric, systems, segments, units, settings, stop, tell = () => {}) {
    const numbers = new Map();
    const renumbered = units.map((unit) => {
      if (!numbers.has(unit)) numbers.set(unit, numbers.size);
      return numbers.get(unit);
    });
    const request = JSON.stringify({ systems, segments, units: renumbered });
    // The seed may be beyond JavaScript's numbers: the settings stay as they are written.
    const bytes = this.give(`${request.slice(0, -1)},"settings":${settings}}`);
    if (!this.exports.begin(metric.table, bytes)) return null;
    let pause = performance.now();
    let found = null;
    for (let left = 1; left > 0;) {
      left = this.exports.advance(metric.table, STEP);
      if (found === null) {
        found = this.results(metric);
        if (found !== null) tell(found);
      }
      if (performance.now() - pause > 12) {
        await new Promise((resume) => setTimeout(resume));
        if (stop()) return null;
        pause = performance.now();
      }
    }
    return this.results(metric);
  }
}
