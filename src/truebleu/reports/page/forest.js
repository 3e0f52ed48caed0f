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

function axisHeading(axis, [first, second], { higher }) {
  const digits = Math.max(0, -Math.floor(Math.log10(axis.step) + 1e-9));
  const labels = axis.ticks.map((tick) => svg("text", { x: axis.at(tick), y: 36, "text-anchor": "middle" }, tick ? number(tick, digits, "+") : "0"));
  const better = () => svg("tspan", { class: "wide" }, higher === null ? " higher" : " better");
  return svg(
    "svg", { width: "100%", height: AXIS, "aria-hidden": "true" },
    svg("text", { x: 0, y: 14 }, `← ${short(second)}`, better()),
    svg("text", { x: "100%", y: 14, "text-anchor": "end" }, short(first), better(), " →"),
    ...labels, ...gridOf(axis, AXIS - 4, AXIS),
  );
}

// Returns the numbers of a row, turned so that higher is better, and in points for scores of 0 and 1.
function turned({ metric, difference = null, bounds = [] }) {
  const factor = metric.factor * (metric.higher === false ? -1 : 1);
  const ends = bounds.map((bound) => (bound === null ? null : factor * bound));
  return [difference === null ? null : factor * difference, factor < 0 ? ends.reverse() : ends];
}

function drawRow(axis, row) {
  const [difference, ends] = turned(row);
  if (difference === null) return "";
  const side = row.significant ? (difference > 0 ? "ahead" : "behind") : "none";
  const parts = gridOf(axis, 0, HEIGHT);
  if (ends.some(Number.isFinite)) {
    const [x1, x2] = ends.map((bound, n) => (Number.isFinite(bound) ? axis.at(bound) : ["0%", "100%"][n]));
    parts.push(svg("line", { class: "interval", x1, x2, y1: 15, y2: 15 }));
  }
  parts.push(svg("circle", { class: "dot", cx: axis.at(difference), cy: 15, r: 4.5 }));
  return svg("svg", { width: "100%", height: HEIGHT, class: side, role: "img", "aria-label": row.label }, ...parts);
}

// Draws differences of two systems below each other: rows have a metric, label, scores, difference, bounds and p.
function forest(rows, names, pTitles, level) {
  const axis = axisOf(rows.flatMap((row) => turned(row).flat()).filter(Number.isFinite));
  const hidden = (text) => element("span", { class: "hidden" }, text);
  const columns = [
    ["of-row", hidden("row")], ...names.map((name) => ["number wide", short(name)]),
    ["plot", element("div", {}, hidden("drawing"), axisHeading(axis, names, rows[0].metric))],
    ["number", element("span", {}, "diff", element("span", { class: "wide" }, "erence"))],
    ...[`${100 * level} % interval`, ...pTitles].map((title) => ["number wide", title]),
  ];
  return tableOf("forest", columns, rows.map((row) => {
    const { metric, label, note, link, scores, p } = row;
    const [difference, ends] = turned(row);
    const heading = element("span", {}, link ? element("a", { href: `#${link}` }, label) : label);
    if (note) heading.append(element("small", {}, ` ${note}`));
    else if (metric.higher === false) heading.append(element("small", { class: "wide" }, " lower is better, turned"));
    return [
      heading, ...scores.map((score) => scoreText(score, metric)), drawRow(axis, row), number(difference, metric.digits, "+"),
      ends.length > 0 ? interval(...ends, metric.digits, "+") : "", ...p.map((text) => element("span", { "data-p": label }, text)),
    ];
  }));
}

// Returns the comparison of two systems by a metric, turned if it is stored the other way round.
function findPair(pairs, { label }, names) {
  const found = pairs.find(({ metric, a, b }) => metric === label && names.includes(a) && names.includes(b));
  if (found === undefined) return null;
  const { difference, p, p_adjusted: adjusted, significant } = found;
  const [low, high] = found.uncorrected_interval ?? found.interval;
  const bounds = [low ?? -Infinity, high ?? Infinity];
  const shown = { p: [pText(p), pText(adjusted)], significant };
  if (found.a === names[0]) return { difference, bounds, ...shown };
  return { difference: -difference, bounds: bounds.map((bound) => -bound).reverse(), ...shown };
}

// Draws the forest of the chosen pair of many systems, and a sentence on what is known of it.
function drawPair({ store, state, pair, metric: main }) {
  const part = document.getElementById("pair-of-systems");
  if (part === null) return;
  for (const button of document.querySelectorAll(".pick")) {
    button.setAttribute("aria-pressed", String(pair.includes(Number(button.dataset.system))));
  }
  const rows = [];
  const names = [state.a, state.b];
  const { comparisons, groups } = store.result;
  for (const metric of store.metrics) {
    const scores = pair.map((system) => store.scores(metric, store.indices)[system]);
    const found = findPair(comparisons, metric, names);
    if (found !== null) rows.push({ metric, label: metric.label, scores, ...found });
  }
  for (const { column, label, segments, systems, comparisons: tested } of groups) {
    const scores = names.map((name) => systems.find((system) => system.name === name).scores[main.label]);
    const link = new URLSearchParams({ a: state.a, b: state.b, slice: `${column}:${label}` });
    const untested = { difference: scores[0] - scores[1], p: ["", "not tested"], significant: false };
    rows.push({ metric: main, label, note: COUNTS.format(segments), link, scores, ...untested, ...findPair(tested, main, names) });
  }
  const hint = ` choose two ${store.system}s in the table for another pair`;
  const heading = element("h2", {}, names.map(short).join(" − "), element("small", {}, hint));
  const first = rows.find(({ label }) => label === main.label);
  if (first === undefined) {
    part.replaceChildren(heading, element("p", {}, "This pair was not compared."));
    return;
  }
  const [difference, ends] = turned(first);
  const shown = `${number(difference, main.digits, "+")} ${main.factor > 1 ? "points" : main.label}`;
  const [a, b] = names.map(short);
  const words = main.higher === null ? ["above", "below"] : ["better than", "worse than"];
  const verdict = first.significant
    ? `${a} is ${words[difference > 0 ? 0 : 1]} ${b}`
    : `They can't be told apart among ${COUNTS.format(comparisons.filter(({ metric }) => metric === main.label).length)} pairs`;
  const alone = `Alone, this pair has p ${first.p[0]} and the interval ${interval(...ends, main.digits, "+")}.`;
  part.replaceChildren(
    heading,
    element("p", {}, `${verdict}: ${shown}, adjusted p ${first.p[1]}. ${alone}`),
    forest(rows, names, ["p alone", "p adjusted"], store.level),
    element("p", { class: "legend" }, "Intervals and p alone are of this pair by itself; p adjusted is for all pairs, "
      + "in groups for all pairs and groups. Hollow: not significant after the adjustment."),
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
