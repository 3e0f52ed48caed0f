// Texts as elements, which only have text nodes: differences between two texts, matching n-grams, marked errors.

// Maximum number of characters of a text shown at first, and of pairs of tokens compared.
const LONGEST_SHOWN = 4000;
const MOST_CELLS = 4e6;
// Scripts without spaces between words, whose characters are compared.
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]/u;
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
  const [left, right] = [tokensOf(text), tokensOf(other)];
  const [n, m, width] = [left.length, right.length, right.length + 1];
  if ((n + 1) * width > MOST_CELLS) return null;
  const [words, others] = [left, right].map((tokens) => tokens.map((token) => token.trim()));
  const longest = new Uint32Array((n + 1) * width);
  for (let i = n - 1; i >= 0; i -= 1) {
    for (let j = m - 1; j >= 0; j -= 1) {
      const at = i * width + j;
      longest[at] = words[i] === others[j] ? longest[at + width + 1] + 1 : Math.max(longest[at + width], longest[at + 1]);
    }
  }
  const runs = [];
  const add = (kind, token) => {
    if (runs.length > 0 && runs[runs.length - 1][0] === kind) runs[runs.length - 1][1] += token;
    else runs.push([kind, token]);
  };
  let [i, j] = [0, 0];
  while (i < n || j < m) {
    const at = i * width + j;
    const kind = i < n && j < m && words[i] === others[j] ? "same"
      : j >= m || (i < n && longest[at + width] >= longest[at + 1]) ? "extra" : "missing";
    add(kind, kind === "missing" ? right[j] : left[i]);
    if (kind !== "missing") i += 1;
    if (kind !== "extra") j += 1;
  }
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
  return left.map((token, index) => [`match-${orders[index]}`, token]);
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
function paragraph(text, { other = null, ngrams = false } = {}) {
  const shown = element("p", { class: "text", dir: "auto" });
  if (text.length > LONGEST_SHOWN) {
    const all = () => shown.replaceChildren(text);
    const button = element("button", { type: "button", onclick: all }, `Show all ${text.length} characters`);
    shown.append(text.slice(0, LONGEST_SHOWN), " … ", button);
    return shown;
  }
  const plain = other === null || other.length > LONGEST_SHOWN;
  const [runs, note] = plain ? [null, ""] : compared(text, other, ngrams);
  if (note) shown.dataset.note = note;
  if (runs === null) shown.append(text);
  else {
    for (const [kind, part] of runs) {
      const word = part.trimEnd();
      if (kind === "same") shown.append(part);
      else shown.append(element(TAGS[kind] ?? "span", { class: kind }, word), part.slice(word.length));
    }
  }
  return shown;
}
