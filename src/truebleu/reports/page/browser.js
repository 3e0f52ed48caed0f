// The segment browser: a list of segments, one segment in full, and scores of the selection.

const ROW = 52;
const MOST_OPTIONS = 2000;
const COUNTS = new Intl.NumberFormat("en");

// Orders of the list, with their titles for segments of systems or items of models.
const SORTS = {
  contribution: () => "largest contribution",
  ahead: ({ system }) => `most for the first ${system}`,
  behind: ({ system }) => `most for the second ${system}`,
  number: () => "order of the test set",
};
const AGAINST = {
  reference: "with the reference", other: "with each other", ngrams: "matched n-grams", "": "not at all",
};

// The state in the address, with its default values. The outcome names who is better: a, b, or
// neither, which may be because both are right (e) or wrong (n).
const DEFAULTS = {
  segment: "", metric: "", a: "", b: "", sort: "contribution", text: "", regex: "", in: "",
  document: "", slice: "", flag: "", outcome: "", all: "", against: "reference",
};
const FILTERS = ["text", "regex", "in", "document", "slice", "flag"];

class Browser {
  constructor(root, store) {
    this.root = root;
    this.store = store;
    this.state = { ...DEFAULTS };
    this.looks = new Set();
    this.pending = {};
    this.turn = 0;
    this.selection = store.indices;
    this.order = this.selection;
    this.build();
    this.read();
  }

  get metric() {
    return this.store.metrics.find((metric) => metric.label === this.state.metric);
  }

  get pair() {
    return [this.store.systems.indexOf(this.state.a), this.store.systems.indexOf(this.state.b)];
  }

  contributions(metric = this.metric) {
    return this.store.contributions(metric, ...this.pair);
  }

  // The parts of the page.

  // Makes a control that changes the state and shows it. What is being typed is applied after a pause, or
  // with the next change of another control.
  control(name, title, input) {
    const [typed, box] = [input.type === "search", input.type === "checkbox"];
    const value = () => (box ? (input.checked ? "yes" : "") : input.value);
    let timer = 0;
    input.name = name;
    input.addEventListener(typed ? "input" : "change", () => {
      clearTimeout(timer);
      if (!typed) return this.change({ [name]: value() });
      this.pending[name] = value();
      timer = setTimeout(() => this.change({}, { replace: this.typing === name, typing: name }), 250);
      return undefined;
    });
    return element("label", { class: input.type }, ...(box ? [input, title] : [title, input]));
  }

  select(name, title, options) {
    return this.control(name, title, element("select", {}, ...options));
  }

  search(name, title, properties = {}) {
    const looks = { type: "search", spellcheck: "false", autocomplete: "off" };
    return this.control(name, title, element("input", { ...looks, ...properties }));
  }

  box(name, title) {
    return this.control(name, title, element("input", { type: "checkbox" }));
  }

  build() {
    const { store } = this;
    const option = (value, title = value) => element("option", { value }, short(title));
    const swap = () => this.change({ a: this.state.b, b: this.state.a });
    const systems = store.systems.map((name) => option(name));
    const controls = [];
    if (store.hasTexts) controls.push(this.search("text", store.is_items ? "Question, target or output" : "Text"));
    if (store.variables.length > 0) {
      const options = ({ name, labels }) => labels.map((label) => option(`${name}:${label}`, label));
      const slices = store.variables.map((variable) => element("optgroup", { label: variable.name }, ...options(variable)));
      controls.push(this.select("slice", "Slice", [option("", "all"), ...slices]));
    }
    const flags = [...new Set(Object.values(store.flags).flatMap(Object.keys))];
    if (flags.length > 0) {
      const any = [option("", "all"), option("any", "any flag")];
      controls.push(this.select("flag", "Flagged", [...any, ...flags.map((flag) => option(flag))]));
    }
    if (store.documents !== null) {
      const names = [...new Set(store.documents)].slice(0, MOST_OPTIONS);
      const list = element("datalist", { id: "documents" }, ...names.map((value) => element("option", { value })));
      controls.push(this.search("document", "Document", { list: "documents" }), list);
    }
    const sorts = Object.entries(SORTS).map(([name, title]) => option(name, title(store)));
    controls.push(this.select("sort", "Sort by", sorts));
    if (store.metrics.length > 1) {
      controls.push(this.select("metric", "Metric", store.metrics.map(({ label }) => option(label))));
    }
    if (store.systems.length > 2) {
      controls.push(
        this.select("a", `First ${store.system}`, systems),
        element("button", { type: "button", "aria-label": `Swap the ${store.system}s`, onclick: swap }, "⇄"),
        this.select("b", `Second ${store.system}`, systems.map((node) => node.cloneNode(true))),
      );
    }
    if (store.hasTexts && !store.is_items) {
      const kinds = [...new Set(store.fields.map(({ kind }) => kind))].map((kind) => option(kind));
      controls.push(this.select("in", "In", [option("", "any text"), ...kinds]), this.box("regex", "regular expression"));
    }
    const everything = { ...Object.fromEntries(FILTERS.map((name) => [name, ""])), outcome: "aben" };
    this.showAll = element("button", { type: "button", onclick: () => this.change(everything) });
    controls.push(this.showAll);
    this.bar = document.getElementById("outcomes");
    this.problem = element("p", { class: "error", role: "alert" });
    this.summary = element("div", { class: "summary", "aria-live": "polite" });
    this.inner = element("div", { class: "inner" });
    this.list = element(
      "div", { class: "list", tabindex: "0", role: "listbox", "aria-label": `${capital(store.row)}s` }, this.inner,
    );
    this.list.addEventListener("scroll", () => this.draw());
    this.heading = element("div", { class: "row-heading", "aria-hidden": "true" });
    this.detail = element("article", { class: "detail" });
    this.root.replaceChildren(
      element("div", { class: "controls", role: "search" }, ...controls),
      this.problem,
      this.summary,
      element("div", { class: "panes" }, element("div", {}, this.heading, this.list), this.detail),
      element("p", { class: "keys" }, `Keys: ↑ ↓ or j k for the next and previous ${store.row}, / to find`),
    );
  }

  // The state, kept in the address.

  defaults() {
    const { store } = this;
    const [a, b] = store.pairs[0] ?? [0, 1];
    return {
      ...DEFAULTS, metric: store.result.settings.primary ?? store.metrics[0].label, a: store.systems[a], b: store.systems[b],
      against: store.reference < 0 ? "" : "reference",
      sort: store.is_items ? "number" : "contribution", outcome: store.is_items ? "ab" : "abe",
    };
  }

  read() {
    const { store } = this;
    const parameters = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    const defaults = this.defaults();
    const next = Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, parameters.get(name) ?? value]));
    const valid = {
      metric: store.metrics.map((metric) => metric.label),
      a: store.systems, b: store.systems, sort: Object.keys(SORTS), against: Object.keys(AGAINST),
    };
    for (const [name, values] of Object.entries(valid)) {
      if (!values.includes(next[name])) next[name] = defaults[name];
    }
    if (next.a === next.b) next.b = store.systems.find((name) => name !== next.a);
    this.state = next;
    this.update();
  }

  change(values, { replace = false, typing = "" } = {}) {
    const { a, b } = this.state;
    Object.assign(this.state, this.pending, values);
    this.pending = {};
    this.typing = typing;
    // Choosing the other system swaps both: a system is never compared with itself.
    if (this.state.a === this.state.b) Object.assign(this.state, { a: b, b: a });
    this.write(replace);
    this.update();
  }

  // Writes the state into the address; a change can be undone by going back, unless it replaces the last.
  write(replace) {
    const defaults = this.defaults();
    const changed = Object.entries(this.state).filter(([name, value]) => value !== defaults[name]);
    const parameters = new URLSearchParams(changed).toString();
    const address = parameters ? `#${parameters}` : location.pathname + location.search;
    if (replace) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
  }

  get filter() {
    const { text, document: name, slice, flag } = this.state;
    return text || name || slice || flag ? FILTERS.map((key) => this.state[key]).join("\t") : "";
  }

  // Selecting and sorting.

  update() {
    this.turn += 1;
    for (const control of this.root.querySelectorAll("[name]")) {
      const value = this.state[control.name];
      if (control.type === "checkbox") control.checked = value !== "";
      else if (!(control.name in this.pending)) control.value = value;
    }
    this.problem.textContent = "";
    const selection = this.selected();
    if (selection === null) return;
    this.selection = selection;
    const outcomes = this.outcomes();
    this.drawBar(outcomes);
    this.order = this.sorted(selection.filter((segment) => this.state.outcome.includes(outcomes[segment])));
    const segment = this.store.indices.find((index) => String(this.store.number(index)) === this.state.segment);
    const listed = this.order.includes(segment);
    this.chosen = listed ? segment : this.order[0];
    this.inner.style.height = `${this.order.length * ROW}px`;
    if (listed) this.show(this.order.indexOf(segment));
    else this.list.scrollTop = 0;
    this.draw();
    this.drawDetail();
    this.drawSummary(this.turn);
    drawPair(this);
  }

  // Returns who is better in each segment: a, b, or neither, e; n if both are wrong.
  outcomes() {
    const { store, metric } = this;
    const [a, b] = this.pair;
    return store.cached(`o ${metric.label} ${a} ${b}`, () => {
      const better = metric.higher === false ? -1 : 1;
      const contributions = this.contributions();
      return store.indices.map((segment) => {
        const [left, right] = store.is_items
          ? [a, b].map((system) => store.segmentScore(metric, system, segment)) : [contributions[segment], 0];
        const difference = better * ((left ?? 0) - (right ?? 0));
        if (difference === 0) return metric.factor > 1 && left === 0 ? "n" : "e";
        return difference > 0 ? "a" : "b";
      });
    });
  }

  drawBar(outcomes) {
    const { store, state, metric } = this;
    const counts = { a: 0, b: 0, e: 0, n: 0 };
    for (const segment of this.selection) counts[outcomes[segment]] += 1;
    const rated = metric.factor > 1 && store.is_items;
    const [a, b] = [short(state.a), short(state.b)];
    const titles = rated
      ? { a: `only ${a}`, b: `only ${b}`, e: "both", n: "neither" }
      : { a: `${a} ahead`, e: "equal", b: `${b} ahead` };
    const toggle = (outcome) => {
      const [all, now] = [Object.keys(titles), state.outcome];
      const whole = all.every((name) => now.includes(name));
      const next = all.filter((name) => (whole ? name === outcome : now.includes(name) !== (name === outcome)));
      this.change({ outcome: (next.length > 0 ? next : all).join("") });
    };
    this.bar.replaceChildren(...Object.entries(titles).map(([outcome, title]) => {
      const look = { class: `outcome-${outcome}`, "aria-pressed": String(state.outcome.includes(outcome)) };
      const words = [element("b", {}, COUNTS.format(counts[outcome])), ` ${title}`];
      const button = element("button", { type: "button", onclick: () => toggle(outcome), ...look }, ...words);
      // Buttons are as wide as their share of the segments, if their words fit.
      button.style.flexGrow = counts[outcome];
      return button;
    }));
    const heading = document.getElementById("segments-title");
    if (rated) heading.textContent = `${COUNTS.format(counts.a + counts.b)} ${store.row}s that only one ${store.system} gets right`;
    this.showAll.textContent = `Show all ${COUNTS.format(store.count)}`;
  }

  // Returns a function that tells whether a text matches; null if the expression is invalid.
  matcher() {
    const { text, regex } = this.state;
    try {
      const expression = new RegExp(regex ? text : text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "iu");
      return (other) => expression.test(other);
    } catch (error) {
      this.problem.textContent = error.message;
      return null;
    }
  }

  selected() {
    const { store, state } = this;
    let { indices: segments } = store;
    if (state.document && store.documents !== null) {
      const exact = store.documents.includes(state.document);
      segments = segments.filter((segment) => (exact ? store.documents[segment] === state.document : store.documents[segment].includes(state.document)));
    }
    const variable = store.variables.find(({ name }) => state.slice.startsWith(`${name}:`));
    if (variable) {
      const label = variable.labels.indexOf(state.slice.slice(variable.name.length + 1));
      segments = segments.filter((segment) => variable.of[segment] === label);
    }
    if (state.flag) {
      const fits = (flags) => (state.flag === "any" ? flags.length > 0 : flags.includes(state.flag));
      segments = segments.filter((segment) => this.pair.some((system) => fits(store.flagsOf(system, segment))));
    }
    if (!state.text) return segments;
    const matches = this.matcher();
    if (matches === null) return null;
    const fields = store.fields.flatMap(({ kind }, n) => (!state.in || kind === state.in ? [n] : []));
    return segments.filter((segment) => fields.some((field) => matches(store.texts[segment][field] ?? "")));
  }

  sorted(segments) {
    const { sort } = this.state;
    if (sort === "number") return segments;
    const { metric } = this;
    const contributions = this.contributions();
    const better = metric.higher === false ? -1 : 1;
    const value = {
      contribution: (segment) => Math.abs(contributions[segment]),
      ahead: (segment) => better * contributions[segment],
      behind: (segment) => -better * contributions[segment],
    }[sort];
    const keys = new Float64Array(this.store.count);
    for (const segment of segments) keys[segment] = value(segment);
    return [...segments].sort((x, y) => keys[y] - keys[x] || x - y);
  }

  // The list: only visible rows are elements of the page.

  draw() {
    const top = Math.floor(this.list.scrollTop / ROW);
    const last = Math.min(this.order.length, top + Math.ceil(this.list.clientHeight / ROW) + 5);
    const rows = [];
    for (let index = Math.max(0, top - 4); index < last; index += 1) rows.push(this.row(index));
    this.inner.replaceChildren(...rows);
    this.heading.hidden = !this.store.is_items;
    const titles = [this.store.row, "question", "target", short(this.state.a), short(this.state.b)];
    const looks = ["", "question", "target", "answer", "answer"];
    this.heading.replaceChildren(...titles.map((title, n) => element("span", { class: looks[n] }, title)));
    this.list.setAttribute("aria-activedescendant", `segment-${this.store.number(this.chosen ?? 0)}`);
  }

  row(index) {
    const { store } = this;
    const segment = this.order[index];
    const [look, cells] = store.is_items ? ["row item", this.itemCells(segment)] : ["row", this.segmentCells(segment)];
    const row = element("div", {
      class: look, role: "option", id: `segment-${store.number(segment)}`, onclick: () => this.choose(index),
      "aria-selected": String(segment === this.chosen), "aria-posinset": index + 1, "aria-setsize": this.order.length,
    }, ...cells);
    row.style.top = `${index * ROW}px`;
    return row;
  }

  segmentCells(segment) {
    const { store } = this;
    const labels = [store.name(segment)];
    const flags = [...new Set(this.pair.flatMap((system) => store.flagsOf(system, segment)))];
    if (flags.length > 0) labels.push(`⚑ ${flags.join(", ")}`);
    if (store.documents !== null) labels.push(store.documents[segment]);
    const opening = (store.texts[segment][0] ?? "").slice(0, 300);
    const contribution = this.contributions()[segment];
    return [
      element(
        "div", { class: "top" }, element("span", {}, labels.join(" · ")),
        change(contribution, this.metric, Math.max(3, this.metric.digits)),
      ),
      element("div", { class: "text", dir: "auto" }, opening),
    ];
  }

  // Name, question and target of an item, and the mark and answer of both models.
  itemCells(segment) {
    const { store, metric } = this;
    const texts = store.texts[segment];
    const answers = this.pair.map((system) => element(
      "span", { class: "answer" }, mark(store.segmentScore(metric, system, segment), metric),
      ` ${ending(texts[store.firstAnswer + system] || texts[store.firstOutput + system] || "")}`,
    ));
    return [
      element("span", { class: "soft" }, store.name(segment)),
      element("span", { class: "question", dir: "auto" }, (texts[0] ?? "").slice(0, 300)),
      element("span", { class: "target" }, ending(texts[1] ?? "")),
      ...answers,
    ];
  }

  show(index) {
    const top = index * ROW;
    const bottom = top + ROW - this.list.clientHeight;
    this.list.scrollTop = Math.max(bottom, Math.min(top, this.list.scrollTop));
  }

  choose(index) {
    if (this.order.length === 0) return;
    const at = Math.max(0, Math.min(this.order.length - 1, index));
    this.chosen = this.order[at];
    this.state.segment = String(this.store.number(this.chosen));
    this.write(true);
    this.show(at);
    this.draw();
    this.drawDetail();
  }

  key(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.list.clientHeight / ROW) - 1);
    const now = this.order.indexOf(this.chosen);
    const inList = {
      ArrowDown: now + 1, ArrowUp: now - 1, PageDown: now + page, PageUp: now - page, Home: 0, End: this.order.length - 1,
    };
    const steps = { j: now + 1, k: now - 1, ...(event.target === this.list ? inList : {}) };
    if (event.key === "/") this.root.querySelector("input[name=text]")?.focus();
    else if (event.key in steps) this.choose(steps[event.key]);
    else return;
    event.preventDefault();
  }

  // One segment in full.

  drawDetail() {
    const { store } = this;
    const segment = this.chosen;
    if (segment === undefined) {
      this.detail.replaceChildren();
      return;
    }
    const labels = store.documents === null ? [] : [store.documents[segment]];
    for (const variable of store.variables) {
      labels.push(`${variable.name}: ${variable.labels[variable.of[segment]]}`);
    }
    const shown = this.state.all ? store.systems.map((_, system) => system) : this.pair;
    this.detail.replaceChildren(...[
      element("h3", {}, `${capital(store.row)} ${store.name(segment)}`),
      element("p", { class: "labels", dir: "auto" }, labels.join(" · ")),
      ...(store.hasTexts ? this.texts(segment, store.texts[segment], shown) : []),
      store.is_items && store.metrics.length === 1 && this.metric.factor > 1 ? null : this.numbers(segment, shown),
    ].filter((part) => part !== null));
  }

  texts(segment, texts, shown) {
    const { store, state } = this;
    const block = (kind, who, text) => element(
      "div", { class: "text-block", "data-kind": kind }, element("p", { class: "who" }, ...who), text,
    );
    const given = store.fields.slice(0, store.firstOutput).flatMap(({ title, kind }, n) => (
      texts[n] ? [block(kind, [short(title)], paragraph(texts[n]))] : []
    ));
    if (store.is_items) {
      return [...given, ...shown.map((system) => block(
        "output", [short(store.systems[system]), " · ", mark(store.segmentScore(this.metric, system, segment), this.metric, true)],
        paragraph(texts[store.firstOutput + system] ?? ""),
      ))];
    }
    const options = Object.entries(AGAINST).map(([value, title]) => element("option", { value }, title));
    const against = this.select("against", "Compare outputs", options);
    against.querySelector("select").value = state.against;
    const all = this.box("all", `all ${store.system}s`);
    all.querySelector("input").checked = state.all !== "";
    const [a, b] = this.pair;
    const reference = texts[store.reference];
    const outputs = shown.map((system) => {
      const text = texts[store.firstOutput + system];
      const other = state.against === "other" ? texts[store.firstOutput + (system === b ? a : b)] : reference;
      const flags = store.flagsOf(system, segment).map((flag) => element("span", { class: "badge" }, flag));
      const marked = paragraph(text, { other: state.against ? other : null, ngrams: state.against === "ngrams" });
      const note = marked.dataset.note ? element("span", { class: "soft" }, ` · ${marked.dataset.note}`) : null;
      return block("output", [short(store.systems[system]), ...flags, ...(note ? [note] : [])], marked);
    });
    const other = state.against === "other" ? "the other output" : "the reference";
    const legend = state.against === "ngrams"
      ? ["shaded: matched in the reference, darker in longer n-grams"]
      : [
        element("ins", { class: "extra" }, "underlined"), ` is not in ${other}, `,
        element("del", { class: "missing" }, "struck out"), ` is only in ${other}`,
      ];
    return [
      ...given,
      element("div", { class: "controls" }, against, store.systems.length > 2 ? all : null),
      element("div", { class: "outputs" }, ...outputs),
      state.against ? element("p", { class: "legend" }, ...legend) : null,
    ].filter((part) => part !== null);
  }

  numbers(segment, shown) {
    const { store } = this;
    const people = Object.entries(store.human);
    const blank = people.map(() => "");
    const scores = (metric) => this.pair.map((system) => store.segmentScore(metric, system, segment));
    const difference = (metric, [left, right]) => (left === null || right === null ? null : scaled(left - right, metric));
    const titles = [...store.metrics.map(({ label }) => label), ...people.map(([label]) => label)];
    const rows = shown.map((system) => [
      short(store.systems[system]),
      ...store.metrics.map((metric) => number(scaled(store.segmentScore(metric, system, segment), metric), metric.digits)),
      ...people.map(([, values]) => number(values[system]?.[segment] ?? null, 2)),
    ]);
    rows.push(["difference", ...store.metrics.map((metric) => number(difference(metric, scores(metric)), metric.digits, "+")), ...blank]);
    const contribution = (metric) => change(this.contributions(metric)[segment], metric, Math.max(4, metric.digits));
    if (!store.is_items) rows.push(["contribution", ...store.metrics.map(contribution), ...blank]);
    return tableOf("", [["of-row", store.system], ...titles.map((title) => ["number", title])], rows);
  }

  // The scores of the selection.

  async drawSummary(turn) {
    const { store, selection, state } = this;
    const [first, second] = this.pair;
    if (this.filter === "") return this.summary.replaceChildren();
    this.looks.add(this.filter + state.a + state.b);
    const looks = this.looks.size;
    const part = store.numbers === null ? "" : ` (of ${COUNTS.format(store.total)} in all)`;
    const title = `${COUNTS.format(selection.length)} of ${COUNTS.format(store.count)} ${store.row}s${part}`;
    const heading = element("p", {}, element("strong", {}, title));
    if (selection.length === 0) return this.summary.replaceChildren(heading, `No ${store.row} matches the selection.`);
    const [cautions, chart] = [element("div", {}), element("div", {})];
    this.summary.replaceChildren(heading, chart, cautions);
    const rows = store.metrics.map((metric) => {
      const scores = store.scores(metric, selection);
      const [left, right] = [scores[first], scores[second]];
      const difference = left === null || right === null ? null : left - right;
      return { metric, label: metric.label, scores: [left, right], difference, p: [metric.core === null ? "not recomputed" : "…"] };
    });
    const draw = () => chart.replaceChildren(forest(rows, [state.a, state.b], ["p"], store.level));
    draw();
    const notes = new Set([`Exploratory: p is multiplied by the number of selections (${looks}) viewed since this page was `
      + "opened. Test the result on new data."]);
    for (const row of rows) {
      const result = await store.compare(row.metric, this.pair, selection, () => turn !== this.turn);
      if (turn !== this.turn) return undefined;
      if (row.metric.core === null) continue;
      const p = result === null ? null : Math.min(1, result.p * looks);
      Object.assign(row, { p: [p === null ? "–" : pText(p)], significant: p !== null && p <= 1 - store.level, bounds: result?.interval });
      if (row.metric === this.metric) cautionsOf(store, row, result).forEach((caution) => notes.add(caution));
    }
    draw();
    cautions.replaceChildren(...[...notes].map((note) => element("p", { class: "caution" }, note)));
    return undefined;
  }
}

// Returns the cautions that the command line gives about a selection.
function cautionsOf(store, { metric, difference }, result) {
  const unit = store.unit === "segment" ? store.row : store.unit;
  if (result === null) {
    const none = `No p and no interval: these ${store.row}s are one ${unit}, and one ${unit} does not show how scores vary.`;
    return difference === null ? [] : [none];
  }
  const cautions = [];
  const { units, differing_units: differing, largest_share: share, largest_unit: largest } = result;
  if (differing === 0) cautions.push(`${metric.label} counts the same in every ${unit} of both.`);
  else if (result.is_moot) {
    cautions.push(`Only ${COUNTS.format(differing)} of ${COUNTS.format(units)} ${unit}s differ: no interval, as no difference can be significant.`);
  }
  if (units < store.few_units && !result.pass_fail) {
    cautions.push(`With fewer than ${store.few_units} ${unit}s, intervals can be too narrow if scores are skewed.`);
  } else if (store.unit === "document" && units < store.enough_documents) {
    cautions.push(`Fewer than ${store.enough_documents} documents: intervals may be too narrow.`);
  }
  if (share > store.largest_share && units >= 1 / store.largest_share && !result.pass_fail) {
    const name = store.unit === "document" ? `Document ${store.documents[store.units?.indexOf(largest) ?? largest]}` : `${capital(unit)} ${largest}`;
    cautions.push(`${name} accounts for ${(100 * share).toFixed(0)} % of the variance: intervals may be too narrow.`);
  }
  return cautions;
}
