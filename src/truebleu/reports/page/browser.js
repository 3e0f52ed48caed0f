"use strict";
// The segment browser: a list of segments, one of them in full, and the scores of what is left.

const ROW = 52;
// Taller elements are cut off by some browsers; the list then moves faster than its scroll bar.
const TALLEST = 2e7;
const MOST_OPTIONS = 2000;

const SORTS = {
  contribution: "largest contribution",
  ahead: "most for the first system",
  behind: "most for the second system",
  difference: "difference of segment scores",
  first: "best of the first system",
  second: "best of the second system",
  number: "order of the test set",
};

// What the address remembers, with its usual values.
const USUAL = {
  segment: "", metric: "", a: "", b: "", sort: "contribution", text: "", regex: "", in: "",
  document: "", slice: "", flag: "", all: "", against: "reference",
};

// All numbers of the page: rounded, with one minus sign, a plus where asked; "–" for none.
function number(value, digits, sign = "") {
  if (value === null || !Number.isFinite(value)) return "–";
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value < 0 ? "−" : sign) + text;
}

// A bound beside 0 decides: it must not look like 0.
function interval(low, high, digits, sign = "") {
  const open = (bound) => (Number.isFinite(bound) ? bound : null);
  const near = [open(low), open(high)].filter((bound) => bound && !Number(bound.toFixed(digits)));
  const shown = (more) => near.every((bound) => Number(bound.toFixed(digits + more)));
  let finer = digits;
  if (near.length > 0 && shown(2)) finer += shown(1) ? 1 : 2;
  const from = open(low) === null ? "(−∞" : `[${number(low, finer, sign)}`;
  return `${from}, ${open(high) === null ? "∞)" : `${number(high, finer, sign)}]`}`;
}

function pText(p) {
  return p < 0.0001 ? "< 0.0001" : p.toFixed(4);
}

// A difference with an arrow, so that colour is not all that tells better from worse.
function change(value, metric, digits = metric.digits) {
  const text = number(value, digits, "+");
  if (metric.higher === null || !/[1-9]/.test(text)) return element("span", {}, text);
  return (value > 0) === metric.higher
    ? element("span", { class: "up" }, `▲ ${text}`)
    : element("span", { class: "down" }, `▼ ${text}`);
}

function tableOf(headings, rows) {
  const cells = (tag, values) => values.map((value, place) => {
    const scope = tag === "th" ? { scope: "col" } : {};
    return element(tag, { class: place > 0 ? "number" : null, ...scope }, value);
  });
  return element("div", { class: "scroll" }, element(
    "table", {},
    element("thead", {}, element("tr", {}, ...cells("th", headings))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells("td", row)))),
  ));
}

class Browser {
  constructor(root, store) {
    this.root = root;
    this.store = store;
    this.state = { ...USUAL };
    this.looks = new Set();
    this.turn = 0;
    this.kept = Array.from({ length: store.count }, (_, place) => place);
    this.order = this.kept;
    this.build();
    this.read();
    window.addEventListener("hashchange", () => this.read());
  }

  // Numbers.

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

  build() {
    const { store } = this;
    const option = (value, title = value) => element("option", { value }, title);
    const select = (name, options, title) => {
      const made = element("select", { name }, ...options);
      made.addEventListener("change", () => this.change({ [name]: made.value }));
      return element("label", {}, title, made);
    };
    const typed = (name, title, properties = {}) => {
      const made = element("input", { name, ...properties });
      let timer = 0;
      made.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(() => this.change({ [name]: made.value }), 250);
      });
      return element("label", { class: "wide" }, title, made);
    };
    const box = (name, title) => {
      const made = element("input", { type: "checkbox", name });
      made.addEventListener("change", () => this.change({ [name]: made.checked ? "yes" : "" }));
      return element("label", { class: "inline" }, made, title);
    };
    const systems = store.systems.map((name) => option(name));
    const flags = [...new Set(Object.values(store.flags).flatMap(Object.keys))];
    const slices = store.variables.map((variable, number) => element(
      "optgroup", { label: variable.name },
      ...variable.labels.map((label, place) => option(`${number}:${place}`, label)),
    ));
    const controls = [
      select("metric", store.metrics.map((metric) => option(metric.label)), "Metric"),
      select("a", systems, "First system"),
      select("b", systems.map((one) => one.cloneNode(true)), "Second system"),
      select("sort", Object.entries(SORTS).map(([value, title]) => option(value, title)), "Sort by"),
    ];
    if (store.has_texts) {
      const fields = ["source", "reference", "output"].filter(
        (kind) => store.fields.some((field) => field.kind === kind),
      );
      controls.push(
        typed("text", "Text", { type: "search", spellcheck: "false", autocomplete: "off" }),
        select("in", [option("", "any text"), ...fields.map((kind) => option(kind))], "In"),
        box("regex", "regular expression"),
      );
    }
    if (store.documents !== null) {
      const list = element("datalist", { id: "documents" });
      for (const name of store.documents.labels.slice(0, MOST_OPTIONS)) list.append(option(name));
      controls.push(typed("document", "Document", { type: "search", list: "documents" }), list);
    }
    if (slices.length > 0) controls.push(select("slice", [option("", "all"), ...slices], "Slice"));
    if (flags.length > 0) {
      const any = [option("", "all"), option("any", "any flag")];
      controls.push(select("flag", [...any, ...flags.map((flag) => option(flag))], "Flagged"));
    }
    controls.push(element(
      "button", { type: "button", onclick: () => this.clear() }, "Clear the selection",
    ));
    this.problem = element("p", { class: "error", role: "alert" });
    this.summary = element("div", { class: "summary", "aria-live": "polite" });
    this.inner = element("div", { class: "inner" });
    this.list = element(
      "div", { class: "list", tabindex: "0", role: "listbox", "aria-label": "Segments" },
      this.inner,
    );
    this.list.addEventListener("scroll", () => this.draw());
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.detail = element("div", { class: "detail" });
    this.root.append(
      element("div", { class: "controls", role: "search" }, ...controls),
      this.problem,
      this.summary,
      element("div", { class: "panes" }, this.list, this.detail),
      element(
        "p", { class: "keys" }, element("kbd", {}, "↑"), " ", element("kbd", {}, "↓"),
        " or ", element("kbd", {}, "j"), " ", element("kbd", {}, "k"), " next and previous, ",
        element("kbd", {}, "/"), " find, ", element("kbd", {}, "c"), " copy the segment",
      ),
    );
    document.addEventListener("keydown", (event) => this.globalKey(event));
    window.addEventListener("resize", () => this.draw());
  }

  // The state, which is in the address.

  defaults() {
    const { store } = this;
    const [a, b] = store.pairs[0] ?? [0, 1];
    return {
      ...USUAL,
      metric: store.metrics[0].label,
      a: store.systems[a],
      b: store.systems[b],
      against: store.references.length > 0 ? "reference" : "",
    };
  }

  read() {
    const written = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    const next = this.defaults();
    for (const name of Object.keys(next)) {
      if (written.has(name)) next[name] = written.get(name);
    }
    const { store } = this;
    const usual = this.defaults();
    if (!store.metrics.some((metric) => metric.label === next.metric)) next.metric = usual.metric;
    for (const name of ["a", "b"]) {
      if (!store.systems.includes(next[name])) next[name] = usual[name];
    }
    if (next.a === next.b) next.b = store.systems.find((name) => name !== next.a);
    if (!(next.sort in SORTS)) next.sort = usual.sort;
    this.state = next;
    this.update();
  }

  change(values) {
    const { a, b } = this.state;
    Object.assign(this.state, values);
    // Who chooses the other system swaps them: a system is not compared with itself.
    if (this.state.a === this.state.b) Object.assign(this.state, { a: b, b: a });
    this.write();
    this.update();
  }

  write() {
    const usual = this.defaults();
    const kept = Object.entries(this.state).filter(([name, value]) => value !== usual[name]);
    const written = new URLSearchParams(kept).toString();
    history.replaceState(null, "", written ? `#${written}` : location.pathname + location.search);
  }

  clear() {
    this.change({ text: "", regex: "", in: "", document: "", slice: "", flag: "" });
  }

  get filter() {
    const { text, regex, in: where, document: name, slice, flag } = this.state;
    return text || name || slice || flag ? JSON.stringify([text, regex, where, name, slice, flag]) : "";
  }

  // Selecting and sorting.

  update() {
    this.turn += 1;
    const { turn } = this;
    for (const control of this.root.querySelectorAll("[name]")) {
      const value = this.state[control.name];
      if (control.type === "checkbox") control.checked = value !== "";
      else if (control !== document.activeElement || control.tagName === "SELECT") {
        control.value = value;
      }
    }
    this.problem.textContent = "";
    const kept = this.selected();
    if (kept === null) return;
    this.kept = kept;
    this.order = this.sorted(kept);
    const place = this.store.place(Number(this.state.segment));
    const known = this.state.segment !== "" && this.order.includes(place);
    this.chosen = known ? place : this.order[0];
    this.resize();
    if (known) this.show(this.order.indexOf(place));
    else this.list.scrollTop = 0;
    this.draw();
    this.drawDetail();
    this.drawSummary(turn);
  }

  selected() {
    const { store, state } = this;
    let places = Array.from({ length: store.count }, (_, place) => place);
    if (state.document && store.documents !== null) {
      const { labels, of } = store.documents;
      const exact = labels.indexOf(state.document);
      const wanted = exact >= 0
        ? new Set([exact])
        : new Set(labels.flatMap((label, n) => (label.includes(state.document) ? [n] : [])));
      places = places.filter((place) => wanted.has(of[place]));
    }
    if (state.slice) {
      const [number, label] = state.slice.split(":").map(Number);
      const variable = store.variables[number];
      if (variable) places = places.filter((place) => variable.of[place] === label);
    }
    if (state.flag) {
      const flagged = new Set();
      for (const system of [state.a, state.b]) {
        for (const [flag, found] of Object.entries(store.flags[system] ?? {})) {
          if (state.flag === "any" || flag === state.flag) for (const n of found) flagged.add(n);
        }
      }
      places = places.filter((place) => flagged.has(place));
    }
    if (!state.text) return places;
    let matches;
    if (state.regex) {
      try {
        const expression = new RegExp(state.text, "iu");
        matches = (text) => expression.test(text);
      } catch (error) {
        this.problem.textContent = error.message;
        return null;
      }
    } else {
      const wanted = state.text.toLowerCase();
      matches = (text) => text.toLowerCase().includes(wanted);
    }
    const fields = store.fields.flatMap(
      (field, n) => (!state.in || field.kind === state.in ? [n] : []),
    );
    return places.filter(
      (place) => fields.some((field) => matches(store.texts[place][field] ?? "")),
    );
  }

  sorted(places) {
    const { sort } = this.state;
    if (sort === "number") return places;
    const { metric } = this;
    const [a, b] = this.pair;
    const found = this.contributions();
    const better = metric.higher === false ? -1 : 1;
    const score = (system, place) => this.store.segmentScore(metric, system, place);
    const best = (system, place) => better * (score(system, place) ?? -better * Infinity);
    const value = {
      contribution: (place) => Math.abs(found[place]),
      ahead: (place) => better * found[place],
      behind: (place) => -better * found[place],
      difference: (place) => Math.abs((score(a, place) ?? 0) - (score(b, place) ?? 0)),
      first: (place) => best(a, place),
      second: (place) => best(b, place),
    }[sort];
    const keys = new Float64Array(this.store.count);
    for (const place of places) keys[place] = value(place);
    return [...places].sort((x, y) => keys[y] - keys[x] || x - y);
  }

  // The list: only the rows that can be seen are in the page.

  resize() {
    this.height = Math.min(this.order.length * ROW, TALLEST);
    this.inner.style.height = `${this.height}px`;
  }

  first() {
    if (this.order.length * ROW <= TALLEST) return Math.floor(this.list.scrollTop / ROW);
    const rest = Math.max(1, this.height - this.list.clientHeight);
    const last = this.order.length - Math.floor(this.list.clientHeight / ROW);
    return Math.floor((this.list.scrollTop / rest) * last);
  }

  top(index, first) {
    return this.order.length * ROW <= TALLEST
      ? index * ROW
      : this.list.scrollTop + (index - first) * ROW;
  }

  draw() {
    const first = Math.max(0, this.first() - 4);
    const last = Math.min(this.order.length, this.first() + Math.ceil(this.list.clientHeight / ROW) + 5);
    const rows = [];
    for (let index = first; index < last; index += 1) rows.push(this.row(index, this.first()));
    this.inner.replaceChildren(...rows);
    this.list.setAttribute("aria-activedescendant", `segment-${this.store.number(this.chosen ?? 0)}`);
  }

  row(index, first) {
    const { store } = this;
    const place = this.order[index];
    const number = store.number(place);
    const labels = [store.name(place)];
    const [a, b] = this.pair;
    const flags = [...new Set([...store.flagsOf(a, place), ...store.flagsOf(b, place)])];
    if (flags.length > 0) labels.push(`⚑ ${flags.join(", ")}`);
    if (store.documents !== null) labels.push(store.documents.labels[store.documents.of[place]]);
    const digits = Math.max(3, this.metric.digits);
    const opening = store.has_texts ? (store.texts[place][0] ?? "").slice(0, 300) : "";
    const text = element("div", { class: "text", dir: "auto" }, opening);
    const row = element(
      "div",
      {
        class: "row", role: "option", id: `segment-${number}`,
        "aria-selected": String(place === this.chosen),
        "aria-posinset": index + 1, "aria-setsize": this.order.length,
      },
      element(
        "div", { class: "top" },
        element("span", {}, labels.join(" · ")),
        change(this.contributions()[place], this.metric, digits),
      ),
      text,
    );
    row.style.top = `${this.top(index, first)}px`;
    row.addEventListener("click", () => this.choose(index));
    return row;
  }

  show(index) {
    if (this.order.length * ROW > TALLEST) {
      const last = Math.max(1, this.order.length - Math.floor(this.list.clientHeight / ROW));
      const rest = this.height - this.list.clientHeight;
      this.list.scrollTop = Math.min(1, index / last) * rest;
      return;
    }
    const top = index * ROW;
    const bottom = top + ROW - this.list.clientHeight;
    if (this.list.scrollTop > top) this.list.scrollTop = top;
    else if (this.list.scrollTop < bottom) this.list.scrollTop = bottom;
  }

  choose(index) {
    if (this.order.length === 0) return;
    const place = this.order[Math.max(0, Math.min(this.order.length - 1, index))];
    this.chosen = place;
    this.state.segment = String(this.store.number(place));
    this.write();
    this.show(this.order.indexOf(place));
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
    if (event.key === "/") this.root.querySelector("input[name=text]")?.focus();
    else if (event.key === "j") this.choose(now + 1);
    else if (event.key === "k") this.choose(now - 1);
    else if (event.key === "c") this.copy();
    else return;
    event.preventDefault();
  }

  // One segment in full.

  drawDetail() {
    const { store, state } = this;
    const place = this.chosen;
    if (place === undefined) {
      this.detail.replaceChildren(element("p", {}, "No segment is left."));
      return;
    }
    const texts = store.has_texts ? store.texts[place] : null;
    const labels = [];
    if (store.documents !== null) labels.push(store.documents.labels[store.documents.of[place]]);
    for (const variable of store.variables) {
      labels.push(`${variable.name}: ${variable.labels[variable.of[place]]}`);
    }
    const parts = [
      element("h3", {}, `Segment ${store.name(place)}`),
      element("p", { class: "labels", dir: "auto" }, labels.join(" · ")),
    ];
    const [a, b] = this.pair;
    const shown = state.all ? store.systems.map((_, system) => system) : [...new Set([a, b])];
    if (texts !== null) parts.push(...this.texts(place, texts, shown));
    parts.push(this.numbers(place, shown));
    const copied = element("span", { role: "status" });
    parts.push(element(
      "div", { class: "actions" },
      element("button", { type: "button", onclick: () => this.copy(copied) }, "Copy the segment"),
      element(
        "button",
        { type: "button", onclick: () => this.toClipboard(location.href, copied) },
        "Copy a link to it",
      ),
      copied,
    ));
    this.detail.replaceChildren(...parts);
  }

  texts(place, texts, shown) {
    const { store, state } = this;
    const parts = [];
    store.fields.slice(0, store.firstOutput).forEach((field, n) => {
      if (texts[n] === null) return;
      parts.push(element(
        "div", { class: "text-block", "data-kind": field.kind },
        element("p", { class: "who" }, field.kind === "source" ? "Source" : `Reference ${field.title}`),
        paragraph(texts[n]),
      ));
    });
    const options = [
      ["reference", "with the reference"], ["other", "with each other"], ["", "not at all"],
    ];
    const against = element(
      "select", { "aria-label": "Compare outputs" },
      ...options.map(([value, title]) => element("option", { value }, title)),
    );
    against.value = state.against;
    against.addEventListener("change", () => this.change({ against: against.value }));
    const all = element("input", { type: "checkbox" });
    all.checked = state.all !== "";
    all.addEventListener("change", () => this.change({ all: all.checked ? "yes" : "" }));
    parts.push(element(
      "div", { class: "controls" },
      element("label", {}, "Compare outputs", against),
      store.systems.length > 2 ? element("label", { class: "inline" }, all, "all systems") : null,
    ));
    const [a, b] = this.pair;
    const reference = texts[store.has_source ? 1 : 0];
    for (const system of shown) {
      const text = texts[store.firstOutput + system];
      let other = null;
      if (state.against === "reference") other = reference;
      else if (state.against === "other") other = texts[store.firstOutput + (system === b ? a : b)];
      const who = element("p", { class: "who" }, store.systems[system]);
      for (const flag of store.flagsOf(system, place)) {
        who.append(element("span", { class: "flag" }, flag));
      }
      parts.push(element(
        "div", { class: "text-block", "data-kind": "output", "data-system": store.systems[system] },
        who, paragraph(text, { other, spans: store.spansOf(system, place) }),
      ));
    }
    if (state.against) {
      const what = state.against === "reference" ? "the reference" : "the other output";
      parts.push(element(
        "p", { class: "legend" }, element("ins", { class: "extra" }, "underlined"),
        ` is not in ${what}, `, element("del", { class: "missing" }, "struck out"),
        ` is only in ${what}`,
      ));
    }
    return parts;
  }

  numbers(place, shown) {
    const { store } = this;
    const [a, b] = this.pair;
    const people = Object.entries(store.human);
    const headings = [
      "", ...store.metrics.map((metric) => metric.label), ...people.map(([label]) => label),
    ];
    const rows = shown.map((system) => [
      store.systems[system],
      ...store.metrics.map((metric) => number(store.segmentScore(metric, system, place), metric.digits)),
      ...people.map(([, scores]) => number(scores[system]?.[place] ?? null, 2)),
    ]);
    const blank = people.map(() => "");
    rows.push([
      "difference",
      ...store.metrics.map((metric) => {
        const [left, right] = [a, b].map((system) => store.segmentScore(metric, system, place));
        return number(left === null || right === null ? null : left - right, metric.digits, "+");
      }),
      ...blank,
    ]);
    rows.push([
      "contribution",
      ...store.metrics.map((metric) =>
        change(this.contributions(metric)[place], metric, Math.max(4, metric.digits))),
      ...blank,
    ]);
    return tableOf(headings, rows);
  }

  async copy(status) {
    const { store } = this;
    if (this.chosen === undefined) return;
    const place = this.chosen;
    const texts = store.has_texts ? store.texts[place] : [];
    const lines = [["segment", store.name(place)]];
    if (store.documents !== null) {
      lines.push(["document", store.documents.labels[store.documents.of[place]]]);
    }
    texts.forEach((text, n) => lines.push([store.fields[n].title, text ?? ""]));
    for (const metric of store.metrics) {
      store.systems.forEach((name, system) => {
        lines.push([`${metric.label} of ${name}`, store.segmentScore(metric, system, place) ?? ""]);
      });
      lines.push([
        `${metric.label} contribution to ${this.state.a} − ${this.state.b}`,
        this.contributions(metric)[place],
      ]);
    }
    const clean = (value) => String(value).replace(/[\t\r\n]/g, " ");
    await this.toClipboard(lines.map((line) => line.map(clean).join("\t")).join("\n"), status);
  }

  async toClipboard(text, status) {
    const shown = status ?? this.detail.querySelector("[role=status]");
    this.copied = text;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Where pages from files may not use it, the old way may work.
      const area = element("textarea", {});
      area.value = text;
      this.root.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    if (shown) shown.textContent = "copied";
  }

  // The scores of what is left.

  async drawSummary(turn) {
    const { store, kept } = this;
    const whole = this.filter === "";
    if (!whole) this.looks.add(this.filter + this.state.a + this.state.b);
    const count = (number) => number.toLocaleString("en");
    const part = store.numbers === null ? "" : ` (of ${count(store.segments)} in all)`;
    const title = whole
      ? `All ${count(store.count)} segments${part}`
      : `${count(kept.length)} of ${count(store.count)} segments${part}`;
    const parts = [element("p", {}, element("strong", {}, title))];
    if (kept.length === 0) {
      parts.push(element("p", {}, "No segment fits the selection: there is nothing to score."));
      this.summary.replaceChildren(...parts);
      return;
    }
    const headings = [
      "", this.state.a, this.state.b, "difference", ...(whole ? [] : ["they contribute"]), "p",
    ];
    const rows = store.metrics.map((metric) => this.compared(metric, whole));
    const reason = element("p", { class: "note" });
    parts.push(tableOf(headings, rows.map((row) => row.cells)), reason);
    if (!whole) {
      const looks = this.looks.size === 1 ? "one selection" : `${this.looks.size} selections`;
      parts.push(element(
        "p", { class: "caution" },
        `Chosen after looking: p is multiplied by the ${looks} looked at since this page was `
        + "opened. Take it as a hint, and test it on new data.",
      ));
    }
    if (store.systems.length > 2) parts.push(this.allSystems());
    this.summary.replaceChildren(...parts);
    const looks = whole ? 1 : this.looks.size;
    for (const { metric, fill } of rows) {
      const result = await store.compare(metric, this.pair, kept, () => turn !== this.turn);
      if (turn !== this.turn) return;
      fill(result, looks);
      if (result === null && metric.core !== null) {
        reason.textContent = `No p and no intervals: these segments are one ${store.unit}, `
          + "which says nothing about the spread.";
      }
    }
  }

  // A metric's row of the summary, and what fills in the intervals and p when they are there.
  compared(metric, whole) {
    const { store, kept } = this;
    const scores = store.scores(metric, kept);
    const found = this.contributions(metric);
    const sum = kept.reduce((total, place) => total + found[place], 0);
    const cell = (value) => element("span", {}, value, element("span", { class: "interval" }));
    const [left, right] = this.pair.map((system) => scores[system]);
    const cells = metric.core === null
      ? [1, 2, 3].map(() => element("span", {}, "not recomputed"))
      : [
        cell(number(left, metric.digits)),
        cell(number(right, metric.digits)),
        cell(change(left === null || right === null ? null : left - right, metric)),
      ];
    const p = element("span", { "data-p": metric.label }, metric.core === null ? "–" : "…");
    const fill = (result, looks) => {
      p.textContent = result === null ? "–" : pText(Math.min(1, result.p * looks));
      if (result === null) return;
      const { low, high, lowA, highA, lowB, highB } = result;
      [[lowA, highA, ""], [lowB, highB, ""], [low, high, "+"]].forEach(([from, to, sign], n) => {
        cells[n].lastChild.textContent = ` ${interval(from, to, metric.digits, sign)}`;
      });
    };
    const row = [metric.label, ...cells, ...(whole ? [] : [change(sum, metric)]), p];
    return { metric, cells: row, fill };
  }

  allSystems() {
    const { store, kept } = this;
    const [, b] = this.pair;
    const by = store.metrics.map((metric) => store.scores(metric, kept));
    const headings = [
      "System",
      ...store.metrics.flatMap((metric) => [metric.label, `− ${store.systems[b]}`]),
    ];
    const rows = store.systems.map((name, system) => [
      name,
      ...store.metrics.flatMap((metric, n) => {
        const [score, other] = [by[n][system], by[n][b]];
        const difference = score === null || other === null ? null : score - other;
        return [number(score, metric.digits), change(difference, metric)];
      }),
    ]);
    const folded = element("details", {}, element("summary", {}, "All systems"), tableOf(headings, rows));
    folded.open = this.allOpen ?? false;
    folded.addEventListener("toggle", () => { this.allOpen = folded.open; });
    return folded;
  }
}

// The JSON of the report, as a file.
async function download() {
  const data = new Blob([await inflated("result")], { type: "application/json" });
  const link = element("a", { href: URL.createObjectURL(data), download: "report.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

let browser = null;

async function start() {
  document.documentElement.classList.add("script");
  const button = document.getElementById("download");
  button.hidden = false;
  button.addEventListener("click", download);
  // Tables beyond the first of each pair wait until they are asked for; paper shows all.
  const folded = document.querySelectorAll("details.table:not(:first-of-type), details ~ details");
  for (const part of folded) part.open = false;
  window.addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("main details")) part.open = true;
  });
  const root = document.getElementById("browser");
  if (root === null) return;
  const store = await opened();
  root.hidden = false;
  browser = new Browser(root, store);
  root.dataset.ready = "yes";
}

start();
