"use strict";
// Parts of the page: elements, numbers and tables.

const LONGEST_NAME = 25;
// Controls and marks of direction, which could make a name read otherwise.
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// Returns a name as it is shown: controls are escapes, and a long name loses its middle, as names mostly differ
// at their ends.
function short(name) {
  const escaped = name.replace(UNSAFE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const letters = Array.from(escaped);
  if (letters.length <= LONGEST_NAME) return escaped;
  const half = Math.floor(LONGEST_NAME / 2);
  return `${letters.slice(0, half).join("")}…${letters.slice(-half).join("")}`;
}

function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

// Formats a number: rounded, with a minus sign, a plus if `sign` is one; "–" for null.
function number(value, digits, sign = "") {
  if (value === null || !Number.isFinite(value)) return "–";
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value < 0 ? "−" : sign) + text;
}

// Formats an interval. A bound near 0 decides significance, so it must not look like 0.
function interval(low, high, digits, sign = "") {
  if (!Number.isFinite(low) && !Number.isFinite(high)) return "(no interval)";
  const near = [low, high].filter((bound) => bound && Number.isFinite(bound) && !Number(bound.toFixed(digits)));
  const shown = (more) => near.every((bound) => Number(bound.toFixed(digits + more)));
  let finer = digits;
  if (near.length > 0 && shown(2)) finer += shown(1) ? 1 : 2;
  const from = Number.isFinite(low) ? `[${number(low, finer, sign)}` : "(−∞";
  return `${from}, ${Number.isFinite(high) ? `${number(high, finer, sign)}]` : "∞)"}`;
}

function pText(p) {
  return p < 0.0001 ? "< 0.0001" : p.toFixed(4);
}

// Returns a score or difference of 0/1 scores in points.
function scaled(value, metric) {
  return value === null ? null : value * metric.factor;
}

// Formats a score, as a percentage if scores are 0 and 1.
function scoreText(score, metric) {
  return `${number(scaled(score, metric), metric.digits)}${metric.factor > 1 && score !== null ? " %" : ""}`;
}

// Returns the mark of a score of 0 or 1, or the score.
function mark(score, metric, inWords = false) {
  if (score === null || metric.factor === 1 || (score !== 0 && score !== 1)) {
    return element("b", {}, number(scaled(score, metric), metric.digits));
  }
  const good = (score === 1) === (metric.higher !== false);
  const [sign, word] = good ? ["✓", "right"] : ["✗", "wrong"];
  if (inWords) return element("b", {}, word);
  return element("span", { class: good ? "right" : "wrong" }, sign, element("span", { class: "hidden" }, word));
}

// Returns the last line of a text, shortened: there, outputs give their answers.
function ending(text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const last = (lines[lines.length - 1] ?? "").replace(/^\s*(?:####|[^\s:]{1,6}:)\s*/, "").trim();
  return last.length > 24 ? `…${last.slice(-22)}` : last;
}

// Shows a difference with an arrow, so that better and worse differ not only in colour.
function change(value, metric, digits = metric.digits) {
  const text = number(value, digits, "+");
  if (metric.higher === null || !/[1-9]/.test(text)) return element("span", {}, text);
  return (value > 0) === metric.higher
    ? element("span", { class: "up" }, `▲ ${text}`)
    : element("span", { class: "down" }, `▼ ${text}`);
}

// Makes a table of columns, each with classes and a heading, and of rows of cells; "of-row" marks their headings.
function tableOf(look, columns, rows) {
  const line = (cells, isHead) => element("tr", {}, ...cells.map((cell, n) => {
    const [classes] = columns[n];
    const scope = isHead ? "col" : classes === "of-row" ? "row" : null;
    return element(scope === null ? "td" : "th", { class: classes, scope }, cell);
  }));
  return element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Table" }, element(
    "table", { class: look },
    element("thead", {}, line(columns.map(([, heading]) => heading), true)),
    element("tbody", {}, ...rows.map((cells) => line(cells, false))),
  ));
}
