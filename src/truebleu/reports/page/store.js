// The segments, read from elements of the page.

const ARRAYS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f8: Float64Array };

async function inflated(name) {
  const bytes = Uint8Array.from(atob(document.getElementById(`data-${name}`).textContent), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function known(value) {
  return Number.isFinite(value) ? value : null;
}

// Loads the core, the description, the statistics and the texts from the page.
async function openStore() {
  const names = ["core", "statistics", "description", "texts", "result"];
  const [core, statistics, ...others] = await Promise.all(names.map(inflated));
  const parsed = others.map((buffer) => JSON.parse(new TextDecoder().decode(buffer)));
  const store = new Store(await Core.load(core), ...parsed);
  store.fill(statistics);
  return store;
}

// Description and texts of the segments; the core has the statistics.
class Store {
  constructor(core, description, texts, result) {
    const { unit, level } = result.settings;
    Object.assign(this, description, { core, texts, result, unit, level, total: result.test_set.segments });
    this.systems = result.systems.map(({ name }) => name);
    this.count = this.numbers === null ? this.total : this.numbers.length;
    this.indices = Array.from({ length: this.count }, (_, segment) => segment);
    this.cache = new Map();
    this.flagged = this.systems.map((name) => Object.fromEntries(
      Object.entries(this.flags[name] ?? {}).map(([flag, segments]) => [flag, new Set(segments)]),
    ));
    const first = (kind) => this.fields.findIndex((field) => field.kind === kind);
    [this.reference, this.firstOutput, this.firstAnswer] = ["reference", "output", "answer"].map(first);
    this.hasTexts = this.fields.length > 0;
  }

  // Passes the statistics of the page to the core.
  fill(statistics) {
    const [systems, size] = [this.systems.length, this.systems.length * this.count];
    let offset = 0;
    for (const metric of this.metrics) {
      const [kind, backs] = metric.columns;
      const values = new ARRAYS[kind](statistics, offset, size * backs.length);
      offset += Math.ceil(values.byteLength / 8) * 8;
      // Arrays of whole numbers add modulo their range, as the differences were made. A column is
      // the difference to an earlier column, and in it each system the difference to the first.
      backs.forEach((back, column) => {
        const start = column * size;
        if (back > 0) for (let i = start; i < start + size; i += 1) values[i] += values[i - back * size];
      });
      if (metric.core === null) continue;
      this.core.addTable(metric, systems);
      const rows = this.core.rows(metric, systems, this.count);
      const plain = kind === "f8";
      for (let column = 0; column < backs.length; column += 1) {
        for (let system = 0; system < systems; system += 1) {
          for (let segment = 0; segment < this.count; segment += 1) {
            const at = column * size + system * this.count + segment;
            if (!plain && system > 0) values[at] += values[column * size + segment];
            rows[(segment * systems + system) * backs.length + column] = values[at];
          }
        }
      }
    }
  }
  cached(key, make) {
    if (!this.cache.has(key)) this.cache.set(key, make());
    return this.cache.get(key);
  }

  // Returns the scores of all systems on some segments; null if they cannot be computed.
  scores(metric, segments) {
    if (metric.core === null || segments.length === 0) return this.systems.map(() => null);
    return [...this.core.scores(metric, this.systems.length, segments)].map(known);
  }

  // Returns the score of one segment, or null.
  segmentScore(metric, system, segment) {
    if (metric.core === null) return metric.segment_scores[system][segment];
    const key = `s ${metric.label} ${system}`;
    return known(this.cached(key, () => this.core.segmentScores(metric, system, this.count))[segment]);
  }

  // Returns each segment's contribution to the difference of two systems on the whole test set.
  contributions(metric, a, b) {
    return this.cached(`c ${metric.label} ${a} ${b}`, () => {
      if (a === b) return new Float64Array(this.count);
      if (metric.core !== null) return this.core.contributions(metric, a, b, this.count);
      return metric.contributions[`${a} ${b}`] ?? new Float64Array(this.count);
    });
  }

  compare(metric, pair, segments, stop) {
    if (metric.core === null || pair[0] === pair[1] || segments.length === 0) return null;
    const units = this.units === null ? segments : segments.map((segment) => this.units[segment]);
    return this.core.compare(metric, pair, segments, units, this.settings, stop);
  }

  number(segment) {
    return this.numbers === null ? segment + 1 : this.numbers[segment];
  }

  // Returns the name of a segment, or its number.
  name(segment) {
    return this.names === null ? String(this.number(segment)) : this.names[segment];
  }

  flagsOf(system, segment) {
    const flags = this.flagged[system];
    return Object.keys(flags).filter((flag) => flags[flag].has(segment));
  }
}
