"use strict";
// The segments, from blocks in this page.

const ARRAYS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f8: Float64Array };

async function inflated(name) {
  const text = atob(document.getElementById(`data-${name}`).textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function parsed(buffer) {
  return JSON.parse(new TextDecoder().decode(buffer));
}

// Descriptions, statistics and texts, as they stand in the page.
async function opened() {
  const [description, statistics, texts] = await Promise.all(
    ["description", "statistics", "texts"].map(inflated),
  );
  return { description: parsed(description), statistics, texts: parsed(texts) };
}

// Whole numbers that were stored as differences: to an earlier column, and then to the first system,
// with the sign in the lowest bit.
function decoded(column, Kind, before) {
  const unfolded = (value) => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);
  const first = Float64Array.from(column[0], unfolded);
  return column.map((values, system) => {
    const made = new Kind(values.length);
    for (let place = 0; place < values.length; place += 1) {
      const apart = system === 0 ? first[place] : unfolded(values[place]) + first[place];
      made[place] = before === null ? apart : apart + before[system][place];
    }
    return made;
  });
}

// Everything about the segments, and the statistics as typed arrays: metric, column, system.
class Store {
  constructor({ description, statistics, texts }) {
    Object.assign(this, description);
    this.texts = texts;
    this.count = this.numbers === null ? this.segments : this.numbers.length;
    let offset = 0;
    for (const metric of this.metrics) {
      metric.arrays = [];
      for (const [kind, stored, back] of metric.columns) {
        const size = this.count * this.systems.length;
        const coded = new ARRAYS[stored](statistics, offset, size);
        offset += Math.ceil(coded.byteLength / 8) * 8;
        const column = this.systems.map(
          (_, n) => coded.subarray(n * this.count, (n + 1) * this.count),
        );
        const before = back > 0 ? metric.arrays[metric.arrays.length - back] : null;
        metric.arrays.push(stored === "f8" ? column : decoded(column, ARRAYS[kind], before));
      }
    }
    // What the texts of a segment are, in their order.
    this.fields = [
      ...(this.has_source ? [{ title: "Source", kind: "source" }] : []),
      ...this.references.map((title) => ({ title, kind: "reference" })),
      ...this.systems.map((title) => ({ title, kind: "output" })),
    ];
    this.flagged = this.systems.map((name) => Object.fromEntries(
      Object.entries(this.flags[name] ?? {}).map(([flag, places]) => [flag, new Set(places)]),
    ));
    this.firstOutput = this.fields.length - this.systems.length;
  }

  number(place) {
    return this.numbers === null ? place + 1 : this.numbers[place];
  }

  // What people know the segment by.
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
