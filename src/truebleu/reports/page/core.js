// The core of truebleu, compiled to WebAssembly: all scores, tests and intervals come from it.

// Number of replicates between pauses, in which the page reacts to its reader.
const STEP = 250;

class Core {
  static async load(bytes) {
    const { instance } = await WebAssembly.instantiate(bytes, {});
    return new Core(instance.exports);
  }

  constructor(exports) {
    this.exports = exports;
  }

  // Writes bytes or whole numbers into memory for the next call.
  give(data) {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data.buffer);
    const room = this.exports.room(bytes.length);
    new Uint8Array(this.exports.memory.buffer, room, bytes.length).set(bytes);
    return bytes.length;
  }

  // Copies numbers out of the core's memory.
  copy(pointer, count) {
    return new Float64Array(this.exports.memory.buffer, pointer, count).slice();
  }

  // Adds a table for a metric, if the core has the metric.
  addTable(metric, systems) {
    if (metric.core === null) return;
    const settings = JSON.stringify(metric.core);
    metric.table = this.exports.new_table(this.give(settings), systems);
    if (metric.table < 0) throw new Error(`invalid settings of a metric: ${settings}`);
  }

  // Returns the rows of a table, to be filled: by segment, then by system.
  rows(metric, systems, segments) {
    const pointer = this.exports.rows(metric.table, segments);
    return new Float64Array(this.exports.memory.buffer, pointer, segments * systems * this.exports.width(metric.table));
  }

  scores(metric, systems, segments) {
    this.give(Uint32Array.from(segments));
    return this.copy(this.exports.scores(metric.table, segments.length), systems);
  }

  segmentScores(metric, system, segments) {
    return this.copy(this.exports.segment_scores(metric.table, system), segments);
  }

  contributions(metric, a, b, segments) {
    return this.copy(this.exports.contributions(metric.table, a, b), segments);
  }

  // Compares both systems on some segments as `truebleu compare` does, with settings as JSON. Returns null
  // if there is nothing to test or `stop` returns true.
  async compare(metric, systems, segments, units, settings, stop) {
    const sorted = [...new Set(units)].sort((a, b) => a - b);
    const numbers = new Map(sorted.map((unit, number) => [unit, number]));
    const renumbered = units.map((unit) => numbers.get(unit));
    const request = JSON.stringify({ systems, segments, units: renumbered });
    // JavaScript would round a large seed, so the settings are passed on as text.
    const bytes = this.give(`${request.slice(0, -1)},"settings":${settings}}`);
    if (!this.exports.begin(metric.table, bytes)) return null;
    let pause = performance.now();
    let results = null;
    for (let remaining = 1; results === null && remaining > 0;) {
      remaining = this.exports.advance(metric.table, STEP);
      const length = this.exports.results(metric.table);
      // Null before the test is done.
      results = JSON.parse(new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, this.exports.text(), length)));
      if (performance.now() - pause > 12) {
        await new Promise((resume) => setTimeout(resume));
        if (stop()) return null;
        pause = performance.now();
      }
    }
    return { ...results, largest_unit: sorted[results.largest_unit] ?? null };
  }
}
