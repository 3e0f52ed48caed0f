"use strict";
// Where the segments come from: blocks in this page, or a server that sends them piece by piece.

const ARRAYS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f8: Float64Array };
// Segments that a server sends at a time, and how many such pieces are kept.
const PIECE = 1000;
const MOST_PIECES = 200;

function block(name) {
  return document.getElementById(`data-${name}`);
}

async function inflated(name) {
  const text = atob(block(name).textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function parsed(buffer) {
  return JSON.parse(new TextDecoder().decode(buffer));
}

class EmbeddedSource {
  async open() {
    const [description, statistics, texts] = await Promise.all(
      ["description", "statistics", "texts"].map(inflated),
    );
    this.description = parsed(description);
    this.statistics = statistics;
    this.texts = parsed(texts);
  }

  async segment(place) {
    return this.texts[place];
  }

  ready(place) {
    return this.texts[place];
  }

  async *pieces() {
    yield [0, this.texts];
  }

  result() {
    return inflated("result");
  }
}

class ServedSource {
  constructor() {
    this.loaded = new Map();
  }

  async fetched(path) {
    // The token is in this page's own address, and a header shows that this page asks.
    const token = new URLSearchParams(location.search).get("token");
    const answer = await fetch(path, { headers: { "X-Token": token }, cache: "no-store" });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.arrayBuffer();
  }

  async open() {
    const [description, statistics] = await Promise.all([
      this.fetched("/description"),
      this.fetched("/statistics"),
    ]);
    this.description = parsed(description);
    this.statistics = statistics;
  }

  async piece(number) {
    if (!this.loaded.has(number)) {
      const first = number * PIECE;
      const last = Math.min(first + PIECE, this.description.segments);
      this.loaded.set(number, this.fetched(`/texts/${first}-${last}`).then((buffer) => {
        const texts = parsed(buffer);
        this.loaded.set(number, texts);
        return texts;
      }));
      if (this.loaded.size > MOST_PIECES) this.loaded.delete(this.loaded.keys().next().value);
    }
    return this.loaded.get(number);
  }

  async segment(place) {
    const texts = await this.piece(Math.floor(place / PIECE));
    return texts[place % PIECE];
  }

  ready(place) {
    const texts = this.loaded.get(Math.floor(place / PIECE));
    return Array.isArray(texts) ? texts[place % PIECE] : undefined;
  }

  async *pieces() {
    for (let first = 0; first < this.description.segments; first += PIECE) {
      yield [first, await this.piece(first / PIECE)];
    }
  }

  result() {
    return this.fetched("/result");
  }
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
  constructor(source) {
    this.source = source;
    Object.assign(this, source.description);
    this.count = this.numbers === null ? this.segments : this.numbers.length;
    let offset = 0;
    for (const metric of this.metrics) {
      metric.arrays = [];
      for (const [kind, stored, back] of metric.columns) {
        const size = this.count * this.systems.length;
        const coded = new ARRAYS[stored](source.statistics, offset, size);
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
