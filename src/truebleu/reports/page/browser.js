"use strict";
// The segment browser: a list of segments, one segment in full, and scores of the selection.

const ROW = 52;
const MOST_OPTIONS = 2000;
const COUNTS = new Intl.NumberFormat("en");

// Orders of the list, with their titles for segments of systems or items of models.
const SORTS = {
  contribution: () => "largest contribution",
  ahead: ({ system }) => `most for the first ${system}`,
  behind: ({ system }) => `most for the second ${system}`,
  difference: ({ row }) => `difference of ${row} scores`,
  first: ({ system }) => `best of the first ${system}`,
  second: ({ system }) => `best of the second ${system}`,
  number: () => "order of the test set",
};
const AGAINST = {
  reference: "with the reference", other: "with each other", ngrams: "matched n-grams", "": "not at all",
};

// The state in the address, with its default values.
const DEFAULTS = {
  segment: "", metric: "", a: "", b: "", sort: "contribution", text: "", regex: "", in: "",
  document: "", slice: "", flag: "", all: "", against: "reference",
};
const FILTERS = ["text", "regex", "in", "document", "slice", "flag"];

// Describes the intervals of a comparison.
function methodOf({ method, pass_fail: isPassFail }, titles) {
  const differences = isPassFail
    ? "Tango's intervals of differences (scores are 0 or 1)" : "intervals of differences by inverting the test";
  return `${titles[method]} intervals of scores, ${differences}`;
}

// Describes the intervals of all metrics, given the metrics of each method.
function methodsOf(methods) {
  if (methods.size === 1) return `${capital([...methods.keys()][0])}.`;
  return [...methods].map(([method, labels]) => `${labels.join(", ")}: ${method}.`).join(" ");
}

class Browser {
  constructor(root, store) {
    this.root = root;
    this.store = store;
    this.state = { ...DEFAULTS };
    this.looks = new Set();
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

  // Makes a control that changes the state and shows it.
  control(name, input, ...rest) {
    const value = () => (input.type === "checkbox" ? (input.checked ? "yes" : "") : input.value);
    let timer = 0;
    input.name = name;
    input.addEventListener(input.type === "search" ? "input" : "change", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.change({ [name]: value() }), input.type === "search" ? 250 : 0);
    });
    return element("label", { class: input.type }, ...rest);
  }

  select(name, title, options) {
    const input = element("select", {}, ...options);
    return this.control(name, input, title, input);
  }

  search(name, title, properties = {}) {
    const input = element("input", { type: "search", spellcheck: "false", autocomplete: "off", ...properties });
    return this.control(name, input, title, input);
  }

  box(name, title) {
    const input = element("input", { type: "checkbox" });
    return this.control(name, input, input, title);
  }

  build() {
    const { store } = this;
    const option = (value, title = value) => element("option", { value }, short(title));
    const swap = () => this.change({ a: this.state.b, b: this.state.a });
    const controls = [
      this.select("metric", "Metric", store.metrics.map((metric) => option(metric.label))),
      this.select("a", `First ${store.system}`, store.systems.map((name) => option(name))),
      element("button", { type: "button", "aria-label": `Swap the ${store.system}s`, onclick: swap }, "⇄"),
      this.select("b", `Second ${store.system}`, store.systems.map((name) => option(name))),
      this.select("sort", "Sort by", Object.entries(SORTS).map(([name, title]) => option(name, title(store)))),
    ];
    if (store.has_texts) {
      const kinds = new Set(store.fields.map((field) => field.kind));
      controls.push(
        this.search("text", "Text"),
        this.select("in", "In", [option("", "any text"), ...[...kinds].map((kind) => option(kind))]),
        this.box("regex", "regular expression"),
      );
    }
    if (store.documents !== null) {
      const names = store.documents.labels.slice(0, MOST_OPTIONS).map((name) => element("option", { value: name }));
      controls.push(
        this.search("document", "Document", { list: "documents" }),
        element("datalist", { id: "documents" }, ...names),
      );
    }
    if (store.variables.length > 0) {
      const slices = store.variables.map(({ name, labels }) => element(
        "optgroup", { label: name }, ...labels.map((label) => option(`${name}:${label}`, label)),
      ));
      controls.push(this.select("slice", "Slice", [option("", "all"), ...slices]));
    }
    const flags = [...new Set(Object.values(store.flags).flatMap(Object.keys))];
    if (flags.length > 0) {
      const any = [option("", "all"), option("any", "any flag")];
      controls.push(this.select("flag", "Flagged", [...any, ...flags.map((flag) => option(flag))]));
    }
    const clear = () => this.change(Object.fromEntries(FILTERS.map((name) => [name, ""])));
    controls.push(element("button", { type: "button", onclick: clear }, "Clear the selection"));
    this.problem = element("p", { class: "error", role: "alert" });
    this.summary = element("div", { class: "summary", "aria-live": "polite" });
    this.inner = element("div", { class: "inner" });
    this.list = element(
      "div", { class: "list", tabindex: "0", role: "listbox", "aria-label": `${capital(store.row)}s` }, this.inner,
    );
    this.list.addEventListener("scroll", () => this.draw());
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.detail = element("div", { class: "detail" });
    this.root.replaceChildren(
      element("div", { class: "controls", role: "search" }, ...controls),
      this.problem,
      this.summary,
      element("div", { class: "panes" }, this.list, this.detail),
      element("p", { class: "keys" }, `Keys: ↑ ↓ or j k for the next and previous ${store.row}, / to find, c to copy`),
    );
  }

  // The state, kept in the address.

  defaults() {
    const { store } = this;
    const [a, b] = store.pairs[0] ?? [0, 1];
    return {
      ...DEFAULTS, metric: store.metrics[0].label, a: store.systems[a], b: store.systems[b],
      against: store.references.length > 0 ? "reference" : "",
    };
  }

  read() {
    const { store } = this;
    const parameters = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    const defaults = this.defaults();
    const next = Object.fromEntries(
      Object.entries(defaults).map(([name, value]) => [name, parameters.get(name) ?? value]),
    );
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

  change(values) {
    const { a, b } = this.state;
    Object.assign(this.state, values);
    // Choosing the other system swaps both: a system is never compared with itself.
    if (this.state.a === this.state.b) Object.assign(this.state, { a: b, b: a });
    this.write();
    this.update();
  }

  write() {
    const defaults = this.defaults();
    const changed = Object.entries(this.state).filter(([name, value]) => value !== defaults[name]);
    const parameters = new URLSearchParams(changed).toString();
    history.replaceState(null, "", parameters ? `#${parameters}` : location.pathname + location.search);
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
      else if (control !== document.activeElement || control.tagName === "SELECT") control.value = value;
    }
    this.problem.textContent = "";
    const selection = this.selected();
    if (selection === null) return;
    this.selection = selection;
    this.order = this.sorted(selection);
    const place = this.store.place(Number(this.state.segment));
    const listed = this.state.segment !== "" && this.order.includes(place);
    this.chosen = listed ? place : this.order[0];
    this.inner.style.height = `${this.order.length * ROW}px`;
    if (listed) this.show(this.order.indexOf(place));
    else this.list.scrollTop = 0;
    this.draw();
    this.drawDetail();
    this.drawSummary(this.turn);
  }

  // Returns a function that tells whether a text matches; null if the expression is invalid.
  matcher() {
    const { text, regex } = this.state;
    if (!regex) return (other) => other.toLowerCase().includes(text.toLowerCase());
    try {
      const expression = new RegExp(text, "iu");
      return (other) => expression.test(other);
    } catch (error) {
      this.problem.textContent = error.message;
      return null;
    }
  }

  selected() {
    const { store, state } = this;
    let { indices: places } = store;
    if (state.document && store.documents !== null) {
      const { labels, of } = store.documents;
      const exact = labels.includes(state.document);
      const fits = labels.map((label) => (exact ? label === state.document : label.includes(state.document)));
      places = places.filter((place) => fits[of[place]]);
    }
    const variable = store.variables.find(({ name }) => state.slice.startsWith(`${name}:`));
    if (variable) {
      const label = variable.labels.indexOf(state.slice.slice(variable.name.length + 1));
      places = places.filter((place) => variable.of[place] === label);
    }
    if (state.flag) {
      const fits = (flags) => (state.flag === "any" ? flags.length > 0 : flags.includes(state.flag));
      places = places.filter((place) => this.pair.some((system) => fits(store.flagsOf(system, place))));
    }
    if (!state.text) return places;
    const matches = this.matcher();
    if (matches === null) return null;
    const fields = store.fields.flatMap(({ kind }, n) => (!state.in || kind === state.in ? [n] : []));
    return places.filter((place) => fields.some((field) => matches(store.texts[place][field] ?? "")));
  }

  sorted(places) {
    const { sort } = this.state;
    if (sort === "number") return places;
    const { metric } = this;
    const [a, b] = this.pair;
    const contributions = this.contributions();
    const better = metric.higher === false ? -1 : 1;
    const score = (system, place) => this.store.segmentScore(metric, system, place);
    const best = (system, place) => better * (score(system, place) ?? -better * Infinity);
    const value = {
      contribution: (place) => Math.abs(contributions[place]),
      ahead: (place) => better * contributions[place],
      behind: (place) => -better * contributions[place],
      difference: (place) => Math.abs((score(a, place) ?? 0) - (score(b, place) ?? 0)),
      first: (place) => best(a, place),
      second: (place) => best(b, place),
    }[sort];
    const keys = new Float64Array(this.store.count);
    for (const place of places) keys[place] = value(place);
    return [...places].sort((x, y) => keys[y] - keys[x] || x - y);
  }

  // The list: only visible rows are elements of the page.

  draw() {
    const top = Math.floor(this.list.scrollTop / ROW);
    const last = Math.min(this.order.length, top + Math.ceil(this.list.clientHeight / ROW) + 5);
    const rows = [];
    for (let index = Math.max(0, top - 4); index < last; index += 1) rows.push(this.row(index));
    this.inner.replaceChildren(...rows);
    this.list.setAttribute("aria-activedescendant", `segment-${this.store.number(this.chosen ?? 0)}`);
  }

  row(index) {
    const { store } = this;
    const place = this.order[index];
    const labels = [store.name(place)];
    const flags = [...new Set(this.pair.flatMap((system) => store.flagsOf(system, place)))];
    if (flags.length > 0) labels.push(`⚑ ${flags.join(", ")}`);
    if (store.documents !== null) labels.push(store.documents.labels[store.documents.of[place]]);
    const opening = store.has_texts ? (store.texts[place][0] ?? "").slice(0, 300) : "";
    const contribution = this.contributions()[place];
    const row = element(
      "div",
      {
        class: "row", role: "option", id: `segment-${store.number(place)}`,
        "aria-selected": String(place === this.chosen),
        "aria-posinset": index + 1, "aria-setsize": this.order.length,
        onclick: () => this.choose(index),
      },
      element(
        "div", { class: "top" }, element("span", {}, labels.join(" · ")),
        change(contribution, this.metric, Math.max(3, this.metric.digits)),
      ),
      element("div", { class: "text", dir: "auto" }, opening),
    );
    row.style.top = `${index * ROW}px`;
    return row;
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
    this.write();
    this.show(at);
    this.draw();
    this.drawDetail();
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.list.clientHeight / ROW) - 1);
    const now = this.order.indexOf(this.chosen);
    const steps = {
      ArrowDown: now + 1, ArrowUp: now - 1, PageDown: now + page, PageUp: now - page,
      Home: 0, End: this.order.length - 1,
    };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.choose(steps[event.key]);
  }

  globalKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const now = this.order.indexOf(this.chosen);
    const actions = {
      "/": () => this.root.querySelector("input[name=text]")?.focus(),
      j: () => this.choose(now + 1),
      k: () => this.choose(now - 1),
      c: () => this.copy(),
    };
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  }

  // One segment in full.

  drawDetail() {
    const { store } = this;
    const place = this.chosen;
    if (place === undefined) {
      this.detail.replaceChildren();
      return;
    }
    const labels = store.documents === null ? [] : [store.documents.labels[store.documents.of[place]]];
    for (const variable of store.variables) {
      labels.push(`${variable.name}: ${variable.labels[variable.of[place]]}`);
    }
    const shown = this.state.all ? store.systems.map((_, system) => system) : this.pair;
    const link = () => toClipboard(location.href, this.detail);
    this.detail.replaceChildren(
      element("h3", {}, `${capital(store.row)} ${store.name(place)}`),
      element("p", { class: "labels", dir: "auto" }, labels.join(" · ")),
      ...(store.has_texts ? this.texts(place, store.texts[place], shown) : []),
      this.numbers(place, shown),
      element(
        "div", { class: "actions" },
        element("button", { type: "button", onclick: () => this.copy() }, `Copy the ${store.row}`),
        element("button", { type: "button", onclick: link }, "Copy a link to it"),
        element("span", { role: "status" }),
      ),
    );
  }

  texts(place, texts, shown) {
    const { store, state } = this;
    const block = (kind, who, text) => element(
      "div", { class: "text-block", "data-kind": kind }, element("p", { class: "who" }, ...who), text,
    );
    const given = store.fields.slice(0, store.firstOutput).flatMap(({ title, kind }, n) => {
      const who = kind === "source" ? "Source" : `Reference ${title}`;
      return texts[n] === null ? [] : [block(kind, [who], paragraph(texts[n]))];
    });
    const options = Object.entries(AGAINST).map(([value, title]) => element("option", { value }, title));
    const against = this.select("against", "Compare outputs", options);
    against.querySelector("select").value = state.against;
    const all = this.box("all", `all ${store.system}s`);
    all.querySelector("input").checked = state.all !== "";
    const [a, b] = this.pair;
    const reference = texts[store.has_source ? 1 : 0];
    const outputs = shown.map((system) => {
      const text = texts[store.firstOutput + system];
      const other = state.against === "other" ? texts[store.firstOutput + (system === b ? a : b)] : reference;
      const flags = store.flagsOf(system, place).map((flag) => element("span", { class: "flag" }, flag));
      const spans = store.spansOf(system, place);
      const marked = paragraph(text, { other: state.against ? other : null, spans, ngrams: state.against === "ngrams" });
      return block("output", [store.systems[system], ...flags], marked);
    });
    const other = state.against === "other" ? "the other output" : "the reference";
    const legend = state.against === "ngrams"
      ? ["shaded: matched in the reference, darker in longer n-grams"]
      : [
        element("ins", { class: "extra" }, "underlined"), ` is not in ${other}, `,
        element("del", { class: "missing" }, "struck out"), ` is only in ${other}; `,
        "texts that differ in more than half are not marked",
      ];
    return [
      ...given,
      element("div", { class: "controls" }, against, store.systems.length > 2 ? all : null),
      element("div", { class: "outputs" }, ...outputs),
      state.against ? element("p", { class: "legend" }, ...legend) : null,
    ].filter((part) => part !== null);
  }

  numbers(place, shown) {
    const { store } = this;
    const people = Object.entries(store.human);
    const score = (metric, system) => store.segmentScore(metric, system, place);
    const blank = people.map(() => "");
    return tableOf(`Scores of the ${store.row}`, ["", ...store.metrics.map(({ label }) => label), ...people.map(([label]) => label)], [
      ...shown.map((system) => [
        store.systems[system],
        ...store.metrics.map((metric) => number(score(metric, system), metric.digits)),
        ...people.map(([, scores]) => number(scores[system]?.[place] ?? null, 2)),
      ]),
      ["difference", ...store.metrics.map((metric) => {
        const [left, right] = this.pair.map((system) => score(metric, system));
        return number(left === null || right === null ? null : left - right, metric.digits, "+");
      }), ...blank],
      ["contribution", ...store.metrics.map((metric) => (
        change(this.contributions(metric)[place], metric, Math.max(4, metric.digits))
      )), ...blank],
    ]);
  }

  async copy() {
    const { store, chosen: place } = this;
    if (place === undefined) return;
    const lines = [[store.row, store.name(place)]];
    if (store.documents !== null) lines.push(["document", store.documents.labels[store.documents.of[place]]]);
    if (store.has_texts) store.texts[place].forEach((text, n) => lines.push([store.fields[n].title, text ?? ""]));
    for (const metric of store.metrics) {
      store.systems.forEach((name, system) => {
        lines.push([`${metric.label} of ${name}`, store.segmentScore(metric, system, place) ?? ""]);
      });
      const title = `${metric.label} contribution to ${this.state.a} − ${this.state.b}`;
      lines.push([title, this.contributions(metric)[place]]);
    }
    const clean = (value) => String(value).replace(/[\t\r\n]/g, " ");
    await toClipboard(lines.map((line) => line.map(clean).join("\t")).join("\n"), this.detail);
  }

  // The scores of the selection.

  async drawSummary(turn) {
    const { store, selection } = this;
    const whole = this.filter === "";
    if (!whole) this.looks.add(this.filter + this.state.a + this.state.b);
    const looks = whole ? 1 : this.looks.size;
    const count = whole ? "All" : `${COUNTS.format(selection.length)} of`;
    const part = store.numbers === null ? "" : ` (of ${COUNTS.format(store.segments)} in all)`;
    const title = element("strong", {}, `${count} ${COUNTS.format(store.count)} ${store.row}s${part}`);
    if (selection.length === 0) {
      const empty = `No ${store.row} matches the selection.`;
      this.summary.replaceChildren(element("p", {}, title), element("p", {}, empty));
      return;
    }
    const headings = [
      "", this.state.a, this.state.b, "difference", ...(whole ? [] : ["contribution"]), "p",
    ];
    const rows = store.metrics.map((metric) => this.summaryRow(metric, whole));
    const note = element("p", { class: "note" });
    const caution = `Exploratory: p is multiplied by the number of selections (${looks}) viewed since this page `
      + "was opened. Test the result on new data.";
    this.summary.replaceChildren(
      element("p", {}, title),
      tableOf("Scores of the selection", headings, rows.map((row) => row.cells)),
      note,
      ...(whole ? [] : [element("p", { class: "caution" }, caution)]),
      ...(store.systems.length > 2 ? [this.allSystems()] : []),
    );
    const methods = new Map();
    for (const { metric, known, fill } of rows) {
      const stop = () => turn !== this.turn;
      const result = await store.compare(metric, this.pair, selection, stop, (part) => fill(part, looks));
      if (turn !== this.turn) return;
      fill(result, looks);
      if (result === null && known) {
        const unit = store.unit === "segment" ? store.row : store.unit;
        note.textContent = `No p and no intervals: these ${store.row}s are one ${unit}, and one ${unit} does not show how scores vary.`;
      }
      if (result !== null) {
        const method = methodOf(result, store.interval_titles);
        methods.set(method, [...(methods.get(method) ?? []), metric.label]);
        note.textContent = methodsOf(methods);
      }
    }
  }

  // Makes a metric's row of the summary, and a function that adds the intervals and p.
  summaryRow(metric, whole) {
    const { store, selection } = this;
    const scores = store.scores(metric, selection);
    const contributions = this.contributions(metric);
    const sum = selection.reduce((total, place) => total + contributions[place], 0);
    const cell = (value) => element("span", {}, value, element("span", { class: "interval" }));
    const [left, right] = this.pair.map((system) => scores[system]);
    const known = left !== null && right !== null;
    const cells = metric.core === null
      ? [1, 2, 3].map(() => element("span", {}, "not recomputed"))
      : [
        cell(number(left, metric.digits)),
        cell(number(right, metric.digits)),
        cell(change(known ? left - right : null, metric)),
      ];
    const p = element("span", { "data-p": metric.label }, metric.core === null ? "–" : "…");
    const fill = (result, looks) => {
      p.textContent = result === null ? "–" : pText(Math.min(1, result.p * looks));
      if (result === null) return;
      const show = (n, [low, high], sign) => {
        cells[n].lastChild.textContent = ` ${interval(low, high, metric.digits, sign)}`;
      };
      result.intervals?.forEach((ends, n) => show(n, ends, ""));
      show(2, result.interval, "+");
    };
    return { metric, known, cells: [metric.label, ...cells, ...(whole ? [] : [change(sum, metric)]), p], fill };
  }

  allSystems() {
    const { store, selection } = this;
    const [, b] = this.pair;
    const by = store.metrics.map((metric) => store.scores(metric, selection));
    const headings = [capital(store.system), ...store.metrics.flatMap(({ label }) => [label, `− ${store.systems[b]}`])];
    const rows = store.systems.map((name, system) => [
      name,
      ...store.metrics.flatMap((metric, n) => {
        const [score, other] = [by[n][system], by[n][b]];
        const difference = score === null || other === null ? null : score - other;
        return [number(score, metric.digits), change(difference, metric)];
      }),
    ]);
    const title = `All ${store.system}s`;
    const folded = element("details", {}, element("summary", {}, title), tableOf(title, headings, rows));
    folded.open = this.allOpen ?? false;
    folded.addEventListener("toggle", () => { this.allOpen = folded.open; });
    return folded;
  }
}
