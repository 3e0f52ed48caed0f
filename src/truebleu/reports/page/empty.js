"use strict";
// A page without data: people drop texts, which are counted and compared where they are.

async function awaitTexts() {
  const core = await Core.load(await inflated("core"));
  const description = parsed(await inflated("description"));
  const form = document.getElementById("drop");
  const message = document.getElementById("message");
  form.hidden = false;
  form.addEventListener("change", async () => {
    const files = (name) => [...form.elements[name].files];
    if (files("references").length === 0 || files("systems").length < 2) return;
    message.textContent = "Counting …";
    try {
      const given = [files("source").slice(0, 1), files("references"), files("systems")];
      browse(await counted(core, description, given, form.elements.tokenizer.value));
      message.textContent = browser.store.metrics.map((metric) => metric.signature).join("\n");
    } catch (problem) {
      message.textContent = problem.message;
    }
  });
  form.dataset.ready = "yes";
}

// The segments of a text as the command line reads them.
async function linesOf(file) {
  const lines = new TextDecoder().decode(await file.arrayBuffer()).split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  return lines.map((line) => line.replace(/\r$/, ""));
}

async function counted(core, description, [source, references, systems], tokenizer) {
  const files = [...source, ...references, ...systems];
  const columns = await Promise.all(files.map(linesOf));
  const { length } = columns[0];
  const other = columns.findIndex((lines) => lines.length !== length);
  if (other > 0) {
    throw new Error(`${files[other].name}: ${columns[other].length} segments, but ${files[0].name} has ${length}`);
  }
  core.exports.forget();
  for (const file of [...references, ...systems]) {
    const bytes = core.give(new Uint8Array(await file.arrayBuffer()));
    if (core.exports.add_text(bytes) < 0) throw new Error(`${file.name} is not UTF-8`);
  }
  const metrics = description.metrics.map((metric) => withTokenizer(metric, tokenizer || fitting(core, description)));
  for (const metric of metrics) {
    core.addTable(metric, systems.length);
    core.exports.count_texts(metric.table, references.length);
  }
  const names = (texts) => texts.map((file) => file.name.replace(/\.\w+$/, ""));
  const named = {
    metrics, segments: length, systems: names(systems), references: names(references), has_source: source.length > 0,
  };
  const texts = columns[0].map((_, place) => columns.map((lines) => lines[place]));
  return new Store(core, { ...description, ...named }, texts);
}

// The tokenizer that fits the script of the references.
function fitting(core, { unspaced_share: unspaced, kana_share: share }) {
  const [han, kana, others, spaced] = core.taken(core.exports.scripts(0), 4);
  const without = han + kana + others;
  if (without <= unspaced * (without + spaced)) return "13a";
  return others < han + kana && kana <= share * (han + kana) ? "zh" : "char";
}

function withTokenizer(metric, tokenizer) {
  if (!("tokenizer" in metric.core)) return { ...metric };
  const signature = metric.signature.replace(/tok:[^|]*/, `tok:${tokenizer}`);
  const [texts, segments] = [metric.core, metric.core_of_segments].map((core) => ({ ...core, tokenizer }));
  return { ...metric, signature, core: texts, core_of_segments: segments };
}
