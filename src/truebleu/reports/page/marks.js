"use strict";
// Texts as elements: differences between two texts, matching n-grams, and marked errors. Texts
// only ever become text nodes.

// Maximum number of characters of a text shown at first, and of pairs of tokens compared.
const LONGEST_SHOWN = 4000;
const MOST_CELLS = 4e6;
// Scripts without spaces between words, whose characters are compared.
const UNSPACED = new RegExp(
  "[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\p{sc=Tibt}]",
  "u",
);
const WORDS = /[\p{L}\p{M}\p{N}_]+|\s+|[^\s\p{L}\p{M}\p{N}_]/gu;

// Splits a text into words with the spaces after them, or into words or characters of scripts
// without spaces.
function tokensOf(text) {
  if (!UNSPACED.test(text)) {
    const tokens = [];
    for (const [part] of text.matchAll(WORDS)) {
      if (/^\s/u.test(part) && tokens.length > 0) tokens[tokens.length - 1] += part;
      else tokens.push(part);
    }
    return tokens;
  }
  if (typeof Intl.Segmenter !== "function") return Array.from(text);
  return Array.from(new Intl.Segmenter().segment(text), (part) => part.segment);
}

// Compares two texts by a longest common subsequence; returns runs of [kind, text] of kind "same",
// "extra" (only in the first) or "missing" (only in the other), or null if the texts are too long.
function differences(text, other) {
  const left = tokensOf(text);
  const right = tokensOf(other);
  const key = (token) => token.trim();
  const same = (i, j) => key(left[i]) === key(right[j]);
  let start = 0;
  while (start < left.length && start < right.length && same(start, start)) start += 1;
  let [n, m] = [left.length, right.length];
  while (n > start && m > start && same(n - 1, m - 1)) [n, m] = [n - 1, m - 1];
  const width = m - start + 1;
  if ((n - start + 1) * width > MOST_CELLS) return null;
  const longest = new Uint32Array((n - start + 1) * width);
  for (let i = n - start - 1; i >= 0; i -= 1) {
    for (let j = m - start - 1; j >= 0; j -= 1) {
      longest[i * width + j] = same(start + i, start + j)
        ? longest[(i + 1) * width + j + 1] + 1
        : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  const runs = [];
  const add = (kind, token) => {
    if (runs.length > 0 && runs[runs.length - 1][0] === kind) runs[runs.length - 1][1] += token;
    else runs.push([kind, token]);
  };
  for (let i = 0; i < start; i += 1) add("same", left[i]);
  let [i, j] = [0, 0];
  while (i < n - start || j < m - start) {
    const [a, b] = [start + i, start + j];
    if (i < n - start && j < m - start && same(a, b)) {
      add("same", left[a]);
      [i, j] = [i + 1, j + 1];
    } else if (
      j >= m - start ||
      (i < n - start && longest[(i + 1) * width + j] >= longest[i * width + j + 1])
    ) {
      add("extra", left[a]);
      i += 1;
    } else {
      add("missing", right[b]);
      j += 1;
    }
  }
  for (let k = n; k < left.length; k += 1) add("same", left[k]);
  return runs;
}

// Labels each token of a text with the order (up to four) of its longest n-gram in another text.
function matched(text, other) {
  const key = (tokens) => tokens.map((token) => token.trim().toLowerCase()).join("\n");
  const [left, right] = [tokensOf(text), tokensOf(other)];
  const orders = left.map(() => 0);
  for (let order = 1; order <= 4; order += 1) {
    const ngrams = new Set(right.map((_, start) => key(right.slice(start, start + order))));
    for (let start = 0; start + order <= left.length; start += 1) {
      if (ngrams.has(key(left.slice(start, start + order)))) orders.fill(order, start, start + order);
    }
  }
  return left.map((token, place) => [`match-${orders[place]}`, token]);
}

const TAGS = { extra: "ins", missing: "del" };

// Returns runs of a text and a note; if more than half would be marked, only matching n-grams are shaded.
function compared(text, other, ngrams) {
  const runs = ngrams ? null : differences(text, other);
  const size = (chosen) => chosen.reduce((sum, [, part]) => sum + part.length, 0);
  if (runs !== null && size(runs.filter(([kind]) => kind !== "same")) <= size(runs) / 2) return [runs, ""];
  return [matched(text, other), ngrams ? "" : "too different to mark: matched n-grams are shaded"];
}

// Makes a paragraph of text, compared with another text if one is given.
function paragraph(text, { other = null, spans = [], ngrams = false } = {}) {
  const shown = element("p", { class: "text", dir: "auto" });
  if (text.length > LONGEST_SHOWN) {
    const all = () => shown.replaceChildren(text);
    const button = element("button", { type: "button", onclick: all }, `Show all ${text.length} characters`);
    shown.append(text.slice(0, LONGEST_SHOWN), " … ", button);
    return shown;
  }
  const plain = other === null || other.length > LONGEST_SHOWN;
  const [runs, note] = plain || spans.length > 0 ? [null, ""] : compared(text, other, ngrams);
  if (note) shown.dataset.note = note;
  if (spans.length > 0) shown.append(...withSpans(text, spans));
  else if (runs === null) shown.append(text);
  else {
    for (const [kind, part] of runs) {
      const word = part.trimEnd();
      if (kind === "same") shown.append(part);
      else shown.append(element(TAGS[kind] ?? "span", { class: kind }, word), part.slice(word.length));
    }
  }
  return shown;
}

// Underlines marked errors in a text, each followed by its severity and category.
function withSpans(text, spans) {
  const characters = Array.from(text);
  const parts = [];
  let done = 0;
  for (const [start, end, severity, category] of [...spans].sort((a, b) => a[0] - b[0])) {
    const from = Math.max(start, done);
    if (end <= from) continue;
    parts.push(characters.slice(done, from).join(""));
    const label = category ? `${severity}: ${category}` : severity;
    parts.push(element("span", { class: "span", title: label }, characters.slice(from, end).join("")));
    parts.push(element("span", { class: "span-label" }, ` ${label}`));
    done = end;
  }
  parts.push(characters.slice(done).join(""));
  return parts;
}
