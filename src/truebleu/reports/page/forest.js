"use strict";
// Differences with intervals on one axis, as a table with drawings in its rows.

const HEIGHT = 30;
const AXIS = 44;
const MOST_TICKS = 8;

function svg(tag, properties, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// Returns an axis that holds numbers and 0: positions in per cent, and values with a tick.
function axisOf(numbers) {
  const [least, most] = [Math.min(0, ...numbers), Math.max(0, ...numbers)];
  const room = 0.06 * ((most - least) || 1);
  const [low, high] = [least - room, most + room];
  const power = 10 ** Math.floor(Math.log10((high - low) / MOST_TICKS));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => (high - low) / size <= MOST_TICKS);
  const first = Math.ceil(low / step);
  const ticks = Array.from({ length: Math.floor(high / step) - first + 1 }, (_, n) => (first + n) * step);
  return { step, ticks, at: (value) => `${((100 * (value - low)) / (high - low)).toFixed(2)}%` };
}

function gridOf({ ticks, at }, top, bottom) {
  return ticks.map((tick) => svg("line", { class: tick ? "grid" : "zero", x1: at(tick), x2: at(tick), y1: top, y2: bottom }));
}

function axisHeading(axis, [first, second]) {
  const digits = Math.max(0, -Math.floor(Math.log10(axis.step) + 1e-9));
  const labels = axis.ticks.map((tick) => svg("text", { x: axis.at(tick), y: 36, "text-anchor": "middle" }, tick ? number(tick, digits, "+") : "0"));
  const better = () => svg("tspan", { class: "wide" }, " better");
  return svg(
    "svg", { width: "100%", height: AXIS, "aria-hidden": "true" },
    svg("text", { x: 0, y: 14 }, `← ${short(second)}`, better()),
    svg("text", { x: "100%", y: 14, "text-anchor": "end" }, short(first), better(), " →"),
    ...labels, ...gridOf(axis, AXIS - 4, AXIS),
  );
}

// Returns the numbers of a row, turned so that higher is better, and in points for scores of 0 and 1.
function turned({ metric, difference, bounds }) {
  const factor = metric.factor * (metric.higher === false ? -1 : 1);
  const ends = (bounds ?? []).map((bound) => (bound === null ? null : factor * bound));
  if (factor < 0) ends.reverse();
  return [difference === null || difference === undefined ? null : factor * difference, ends];
}

function drawRow(axis, row) {
  const [difference, ends] = turned(row);
  if (difference === null) return "";
  const side = row.significant ? (difference > 0 ? "ahead" : "behind") : "none";
  const bounds = ends.map((bound, n) => (Number.isFinite(bound) ? axis.at(bound) : ["0%", "100%"][n]));
  return svg(
    "svg", { width: "100%", height: HEIGHT, class: side, role: "img", "aria-label": row.label },
    ...gridOf(axis, 0, HEIGHT),
    ...(ends.length > 0 ? [svg("line", { class: "interval", x1: bounds[0], x2: bounds[1], y1: 15, y2: 15 })] : []),
    svg("circle", { class: "dot", cx: axis.at(difference), cy: 15, r: 4.5 }),
  );
}

// Draws differences of two systems below each other: rows have a metric, label, scores, difference, bounds and p.
function forest(rows, names, pTitles, level) {
  const axis = axisOf(rows.flatMap((row) => turned(row).flat()).filter(Number.isFinite));
  const heading = (look, ...content) => element("th", { class: look, scope: "col" }, ...content);
  const body = rows.map((row) => {
    const { metric } = row;
    const [difference, ends] = turned(row);
    const score = (value) => (metric.factor > 1 && value !== null ? `${number(scaled(value, metric), metric.digits)} %` : number(value, metric.digits));
    const label = row.link ? element("a", { href: `#${row.link}` }, row.label) : row.label;
    const note = row.note ?? (metric.higher === false && row.label === metric.label ? "lower is better, turned" : "");
    return element(
      "tr", {},
      element("th", { scope: "row" }, label, note ? element("small", { class: row.note ? null : "wide" }, ` ${note}`) : null),
      ...row.scores.map((value) => element("td", { class: "number wide" }, score(value))),
      element("td", { class: "plot" }, drawRow(axis, row)),
      element("td", { class: "number" }, number(difference, metric.digits, "+")),
      element("td", { class: "number wide" }, ends.length > 0 ? interval(...ends, metric.digits, "+") : ""),
      ...row.p.map((p) => element("td", { class: "number wide", "data-p": row.label }, p)),
    );
  });
  return element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Differences" }, element(
    "table", { class: "forest" },
    element("thead", {}, element(
      "tr", {}, element("td", {}), ...names.map((name) => heading("number wide", short(name))),
      heading("plot", element("span", { class: "hidden" }, "drawing"), axisHeading(axis, names)),
      heading("number", "difference"), heading("number wide", `${100 * level} % interval`),
      ...pTitles.map((title) => heading("number wide", title)),
    )),
    element("tbody", {}, ...body),
  ));
}

// Draws the forest of the chosen pair of many systems, and a sentence on what is known of it.
function drawPair({ store, state, pair, root }) {
  const part = document.getElementById("pair-of-systems");
  if (part === null || store.results === null) return;
  for (const button of document.querySelectorAll(".pick")) {
    button.setAttribute("aria-pressed", String(pair.includes(Number(button.dataset.system))));
  }
  const find = (pairs) => {
    const found = pairs?.find(([a, b]) => pair.includes(a) && pair.includes(b));
    if (found === undefined) return null;
    const [a, , difference, low, high, p, adjusted, significant] = found;
    const bounds = [low ?? -Infinity, high ?? Infinity];
    if (a === pair[0]) return { difference, bounds, p: [pText(p), pText(adjusted)], significant };
    return { difference: -difference, bounds: [-bounds[1], -bounds[0]], p: [pText(p), pText(adjusted)], significant };
  };
  const metrics = store.metrics.filter(({ label }) => label in store.results);
  const rows = metrics.flatMap((metric) => {
    const scores = pair.map((system) => store.scores(metric, store.indices)[system]);
    const found = find(store.results[metric.label]);
    return found === null ? [] : [{ metric, label: metric.label, scores, ...found }];
  });
  const main = metrics.find(({ label }) => label === state.metric);
  for (const group of store.groups) {
    const scores = pair.map((system) => group.scores[main.label][system]);
    const row = { difference: scores[0] - scores[1], p: ["", "not tested"], significant: false, ...find(group.pairs[main.label]) };
    const link = new URLSearchParams({ a: state.a, b: state.b, slice: `${group.column}:${group.label}` });
    rows.push({ metric: main, label: group.label, note: COUNTS.format(group.segments), link, scores, ...row });
  }
  const names = [state.a, state.b];
  const heading = element("h2", {}, names.map(short).join(" − "), element("small", {}, ` choose two ${store.system}s in the table for another pair`));
  const first = rows.find(({ label }) => label === state.metric);
  if (first === undefined) {
    part.replaceChildren(heading, element("p", {}, "This pair was not compared."));
    return;
  }
  const [difference, ends] = turned(first);
  const shown = `${number(difference, main.digits, "+")} ${main.factor > 1 ? "points" : main.label}`;
  const relation = difference > 0 === (main.higher !== null) ? "better" : "worse";
  const verdict = first.significant
    ? `${short(state.a)} is ${relation} than ${short(state.b)}: ${shown}, adjusted p ${first.p[1]}.`
    : `They can't be told apart among ${COUNTS.format(store.results[main.label].length)} pairs: ${shown}, adjusted p ${first.p[1]}.`;
  part.replaceChildren(
    heading,
    element("p", {}, `${verdict} Alone, this pair has p ${first.p[0]} and the interval ${interval(...ends, main.digits, "+")}.`),
    forest(rows, names, ["p alone", "p adjusted"], store.level),
    element("p", { class: "legend" }, "Intervals and p alone are of this pair by itself; p adjusted is for all pairs, in groups for all pairs and groups. Hollow: not significant after the adjustment."),
  );
}

// Lets two clicks in the table choose a pair.
function choosePairs(browser) {
  let picked = [];
  for (const button of document.querySelectorAll(".pick")) {
    button.addEventListener("click", () => {
      picked = [...picked, browser.store.systems[Number(button.dataset.system)]].slice(-2);
      button.setAttribute("aria-pressed", "true");
      if (picked.length < 2 || picked[0] === picked[1]) return;
      browser.change({ a: picked[0], b: picked[1] });
      document.getElementById("pair-of-systems")?.scrollIntoView();
      picked = [];
    });
  }
}
