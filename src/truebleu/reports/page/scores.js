"use strict";
// Statistics added up and scored, as the command line does it, to rounding.

function brevityPenalty(output, reference) {
  if (output >= reference) return 1;
  return output > 0 ? Math.exp(1 - reference / output) : 0;
}

function total(sums, columns) {
  return columns.reduce((sum, column) => sum + sums[column], 0);
}

// Each kind of score: a function of its settings that returns a function of sums.
const FORMULAS = {
  ratio({ numerator, denominator, scale, empty, alone }) {
    return (sums) => {
      const above = total(sums, numerator);
      const below = total(sums, denominator);
      if (below > 0) return scale * (above / below);
      if (!(above > 0)) return empty;
      return alone === null ? scale * above : alone;
    };
  },

  bleu({ smoothing, value, effective_order: effective }) {
    return (sums) => {
      const orders = (sums.length - 2) / 2;
      const mteval = smoothing === "mteval";
      let penalty = brevityPenalty(sums[0], sums[1]);
      if (mteval && sums[0] === 0) penalty = 0;
      let nothing = true;
      for (let order = 0; order < orders; order += 1) nothing &&= sums[2 + order] === 0;
      if (nothing && !mteval) return 0;
      let halving = 1;
      let logarithms = 0;
      let present = 0;
      let zero = false;
      for (let order = 0; order < orders; order += 1) {
        const added = smoothing === "add-k" && order > 0 ? value : 0;
        const count = sums[2 + order] + added;
        const all = sums[2 + orders + order] + added;
        if (all === 0 && !mteval) break;
        present = order + 1;
        let precision = 0;
        if (count > 0) precision = (100 * count) / all;
        else if (mteval && all === 0) precision = 100;
        else if (mteval || smoothing === "exp") {
          halving *= 2;
          precision = 100 / (halving * all);
        } else if (smoothing === "floor") precision = (100 * value) / all;
        zero ||= precision === 0;
        logarithms += Math.log(precision);
      }
      const order = effective ? present : orders;
      if (zero || present < order) return 0;
      return penalty * Math.exp(logarithms / order);
    };
  },

  mbleu() {
    return (sums) => {
      const orders = (sums.length - 2) / 2;
      let mean = 0;
      for (let order = 0; order < orders; order += 1) {
        const all = sums[2 + orders + order];
        if (all > 0) mean += (100 * sums[2 + order]) / all;
      }
      return brevityPenalty(sums[0], sums[1]) * (mean / orders);
    };
  },

  nist() {
    const factor = Math.log(2) / Math.log(1.5) ** 2;
    return (sums) => {
      const orders = (sums.length - 2) / 2;
      let information = 0;
      for (let order = 0; order < orders; order += 1) {
        information += sums[2 + order] / Math.max(sums[2 + orders + order], 1);
      }
      if (sums[0] <= 0) return 0;
      if (sums[0] >= sums[1]) return information;
      return Math.exp(-factor * Math.log(sums[0] / sums[1]) ** 2) * information;
    };
  },

  chrf({ beta, eps_smoothing: epsilon }) {
    const weight = beta * beta;
    if (epsilon) {
      const ratio = (matched, of) => (of > 0 ? matched / of : 1e-16);
      return (sums) => {
        let sum = 0;
        for (let i = 0; i < sums.length; i += 3) {
          const precision = ratio(sums[i + 2], sums[i]);
          const recall = ratio(sums[i + 2], sums[i + 1]);
          const below = weight * precision + recall;
          sum += below > 0 ? ((1 + weight) * precision * recall) / below : 1e-16;
        }
        return (100 * sum) / (sums.length / 3);
      };
    }
    return (sums) => {
      let precision = 0;
      let recall = 0;
      let orders = 0;
      for (let i = 0; i < sums.length; i += 3) {
        if (sums[i] > 0 && sums[i + 1] > 0) {
          precision += sums[i + 2] / sums[i];
          recall += sums[i + 2] / sums[i + 1];
          orders += 1;
        }
      }
      if (orders === 0 || precision + recall === 0) return 0;
      precision /= orders;
      recall /= orders;
      return 100 * (((1 + weight) * precision * recall) / (weight * precision + recall));
    };
  },
};

// A function of sums; null for a metric whose score this page cannot compute.
function scorer(formula) {
  const make = formula === null ? undefined : FORMULAS[formula.kind];
  return make === undefined ? null : make(formula);
}

// A system's statistics added up over some segments, or over all.
function sumsOf(metric, system, places) {
  return metric.arrays.map((column) => {
    const values = column[system];
    let sum = 0;
    if (places === null) for (const value of values) sum += value;
    else for (const place of places) sum += values[place];
    return sum;
  });
}

// The scores of all systems on some segments; null where they cannot be computed.
function corpusScores(metric, systems, places) {
  const score = scorer(metric.formula);
  if (score === null) return systems.map(() => null);
  return systems.map((_, system) => score(sumsOf(metric, system, places)));
}

// The score of one segment; null where it has none.
function segmentScore(metric, system, place) {
  metric.ofSegment ??= scorer(metric.segment_formula);
  if (metric.ofSegment === null) return metric.segment_scores[system][place];
  return metric.ofSegment(metric.arrays.map((column) => column[system][place]));
}

// What each segment contributes to the difference of two systems over the whole test set.
function contributions(metric, systems, a, b, count) {
  const [first, second] = a < b ? [a, b] : [b, a];
  const pair = first * systems - (first * (first + 1)) / 2 + (second - first - 1);
  const sign = a < b ? 1 : -1;
  const values = new Float64Array(count);
  metric.arrays.forEach((column, number) => {
    const slope = sign * metric.gradients[pair][number];
    const left = column[first];
    const right = column[second];
    for (let place = 0; place < count; place += 1) {
      values[place] += slope * (left[place] - right[place]);
    }
  });
  return values;
}

// Random bits that a seed decides (mulberry32).
function randomBits(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return (bits ^ (bits >>> 14)) >>> 0;
  };
}

const REPLICATES = 2000;
// Differences this close are ties: a sum of fractions depends on the order of adding.
const TIE = 1e-9;

// The p-value of a difference on some segments, by approximate randomization: the outputs of each
// unit are swapped at random. With few units all swaps are made. `stop` says whether to give up.
async function randomization(store, metric, a, b, places, stop) {
  const score = scorer(metric.formula);
  if (score === null) return null;
  const width = metric.arrays.length;
  const rows = new Map();
  for (const place of places) {
    const unit = store.units === null ? place : store.units[place];
    let row = rows.get(unit);
    if (row === undefined) rows.set(unit, (row = new Float64Array(width)));
    for (let column = 0; column < width; column += 1) {
      row[column] += metric.arrays[column][a][place] - metric.arrays[column][b][place];
    }
  }
  const units = [...rows.values()].filter((row) => row.some((value) => value !== 0));
  const left = sumsOf(metric, a, places);
  const right = sumsOf(metric, b, places);
  const observed = score(left) - score(right);
  if (units.length === 0 || !Number.isFinite(observed)) return null;
  const all = 2 ** Math.min(units.length, 30);
  const exact = all <= REPLICATES;
  const replicates = exact ? all : REPLICATES;
  const bits = randomBits(store.seed);
  const moved = new Float64Array(width);
  const swappedLeft = new Array(width);
  const swappedRight = new Array(width);
  const limit = Math.abs(observed) - TIE * Math.max(1, Math.abs(observed));
  let extreme = 0;
  let pause = performance.now();
  for (let replicate = 0; replicate < replicates; replicate += 1) {
    moved.fill(0);
    let word = 0;
    for (let unit = 0; unit < units.length; unit += 1) {
      if (exact) word = replicate >>> unit;
      else if (unit % 32 === 0) word = bits();
      else word >>>= 1;
      if (word & 1) {
        const row = units[unit];
        for (let column = 0; column < width; column += 1) moved[column] += row[column];
      }
    }
    for (let column = 0; column < width; column += 1) {
      swappedLeft[column] = left[column] - moved[column];
      swappedRight[column] = right[column] + moved[column];
    }
    if (Math.abs(score(swappedLeft) - score(swappedRight)) >= limit) extreme += 1;
    if (replicate % 64 === 0 && performance.now() - pause > 12) {
      await new Promise((resume) => setTimeout(resume));
      if (stop()) return null;
      pause = performance.now();
    }
  }
  return exact ? extreme / replicates : (extreme + 1) / (replicates + 1);
}
