"use strict";
// The core of truebleu, compiled to WebAssembly: all scores, tests and intervals come from it.

// Replicates that are made before the page may do something else.
const STEP = 250;
const RESULTS = [
  "units", "differing", "replicates", "exact", "p", "difference", "low", "high",
  "scoreA", "lowA", "highA", "scoreB", "lowB", "highB",
];

function lines(settings) {
  return Object.entries(settings).map((pair) => pair.join("=")).join("\n");
}

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
    const length = this.give(`${lines(metric.core)}\n\n${lines(metric.core_of_segments)}`);
    const weights = metric.weights.reduce((bits, column) => bits | (1 << column), 0);
    const sign = metric.higher === false ? -1 : 1;
    metric.table = this.exports.new_table(length, systems, sign, weights);
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

  results(metric) {
    const values = this.taken(this.exports.results(metric.table), RESULTS.length);
    const [least, most] = metric.limits;
    const inside = (name, value) =>
      /^(low|high)./.test(name) ? Math.min(Math.max(value, least ?? -Infinity), most ?? Infinity) : value;
    return Object.fromEntries(RESULTS.map((name, place) => [name, inside(name, values[place])]));
  }

  // Both systems on some segments as `truebleu compare` has them; null where there are fewer than two
  // units, or where `stop` says to give up. What the test found is told before intervals are drawn.
  async compare(metric, [a, b], places, units, settings, stop, tell = () => {}) {
    const numbers = new Map();
    const renumbered = units.map((unit) => {
      if (!numbers.has(unit)) numbers.set(unit, numbers.size);
      return numbers.get(unit);
    });
    this.give(Uint32Array.from([...places, ...renumbered]));
    const { seed, replicates, level, interval } = settings;
    const begun = this.exports.begin(
      metric.table, a, b, places.length, BigInt(seed), replicates, level, interval === "percentile",
    );
    if (!begun) return null;
    let pause = performance.now();
    let told = interval !== "percentile";
    for (let left = 1; left > 0;) {
      left = this.exports.advance(metric.table, STEP);
      if (!told && left <= replicates) {
        told = true;
        tell(this.results(metric));
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
