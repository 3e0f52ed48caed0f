"use strict";
// The segments, read from elements of the page.

const ARRAYS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f8: Float64Array };

async function inflated(name) {
  const text = atob(document.getElementById(`data-${name}`).textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function known(value) {
  return Number.isFinite(value) ? value : null;
}

function parsed(buffer) {
  return JSON.parse(new TextDecoder().decode(buffer));
}

// Loads the core, the description, the statistics and the texts from the page.
async function openStore() {
  const [core, description, statistics, texts] = await Promise.all(
    ["core", "description", "statistics", "texts"].map(inflated),
  );
  const store = new Store(await Core.load(core), parsed(description), parsed(texts));
  store.fill(statistics);
  return store;
}

// Decodes whole numbers that are stored as differences to an earlier column, and then to the first
// system, with the sign in the lowest bit.
function decoded(column, Kind, before) {
  const unfolded = (value) => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);
  const first = Float64Array.from(column[0], unfolded);
  return column.map((values, system) => {
    const numbers = new Kind(values.length);
    for (let place = 0; place < values.length; place += 1) {
      const difference = system === 0 ? first[place] : unfolded(values[place]) + first[place];
      numbers[place] = before === null ? difference : difference + before[system][place];
    }
    return numbers;
  });
}

// Description and texts of the segments; the core has the statistics.
class Store {
  constructor(core, description, texts) {
    Object.assign(this, description);
    this.core = core;
    this.texts = texts;
    this.count = this.numbers === null ? this.segments : this.numbers.length;
    this.indices = Array.from({ length: this.count }, (_, place) => place);
    this.cache = new Map();
    this.flagged = this.systems.map((name) => Object.fromEntries(
      Object.entries(this.flags[name] ?? {}).map(([flag, places]) => [flag, new Set(places)]),
    ));
    this.firstOutput = this.fields.length - this.systems.length;
    this.answersFrom = this.fields.length;
  }

  // Passes the statistics of the page to the core.
  fill(statistics) {
    let offset = 0;
    for (const metric of this.metrics) {
      const columns = [];
      for (const [kind, stored, back] of metric.columns) {
        const size = this.count * this.systems.length;
        const coded = new ARRAYS[stored](statistics, offset, size);
        offset += Math.ceil(coded.byteLength / 8) * 8;
        const column = this.systems.map(
          (_, n) => coded.subarray(n * this.count, (n + 1) * this.count),
        );
        const before = back > 0 ? columns[columns.length - back] : null;
        columns.push(stored === "f8" ? column : decoded(column, ARRAYS[kind], before));
      }
      if (metric.core === null) continue;
      this.core.addTable(metric, this.systems.length);
      const rows = this.core.rows(metric, this.systems.length, this.count);
      for (let place = 0, to = 0; place < this.count; place += 1) {
        for (let system = 0; system < this.systems.length; system += 1) {
          for (const column of columns) rows[to++] = column[system][place];
        }
      }
    }
  }

  cached(key, make) {
    if (!this.cache.has(key)) this.cache.set(key, make());
    return this.cache.get(key);
  }

  // Returns the scores of all systems on some segments; null if they cannot be computed.
  scores(metric, places) {
    if (metric.core === null || places.length === 0) return this.systems.map(() => null);
    return [...this.core.scores(metric, this.systems.length, places)].map(known);
  }

  // Returns the score of one segment, or null.
  segmentScore(metric, system, place) {
    if (metric.core === null) return metric.segment_scores[system][place];
    const key = `s ${metric.label} ${system}`;
    return known(this.cached(key, () => this.core.segmentScores(metric, system, this.count))[place]);
  }

  // Returns each segment's contribution to the difference of two systems on the whole test set.
  contributions(metric, a, b) {
    return this.cached(`c ${metric.label} ${a} ${b}`, () => {
      if (a === b) return new Float64Array(this.count);
      if (metric.core !== null) return this.core.contributions(metric, a, b, this.count);
      return metric.contributions[`${a} ${b}`] ?? new Float64Array(this.count);
    });
  }

  compare(metric, pair, places, stop) {
    if (metric.core === null || pair[0] === pair[1] || places.length === 0) return null;
    const units = this.units === null ? places : places.map((place) => this.units[place]);
    return this.core.compare(metric, pair, places, units, this.settings, stop);
  }

  number(place) {
    return this.numbers === null ? place + 1 : this.numbers[place];
  }

  // Returns the name of a segment, or its number.
  name(place) {
    return this.names === null ? String(this.number(place)) : this.names[place];
  }

  place(number) {
    return this.numbers === null ? number - 1 : this.numbers.indexOf(number);
  }

  flagsOf(system, place) {
    const flags = this.flagged[system];
    return Object.keys(flags).filter((flag) => flags[flag].has(place));
  }

  spansOf(system, place) {
    return this.spans[this.systems[system]]?.[place] ?? [];
  }
}
