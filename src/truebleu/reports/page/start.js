// Starts the page when it is opened.

let browser = null;

window.addEventListener("resize", () => browser?.draw());
document.addEventListener("keydown", (event) => browser?.key(event));
// Going back undoes the last filter, too; links of the page to segments show them.
window.addEventListener("popstate", () => {
  if (location.hash === "" || location.hash.includes("=")) browser?.read();
});
window.addEventListener("hashchange", () => {
  if (location.hash.includes("=")) browser?.root.scrollIntoView();
});

// Marks the differences in examples.
function markExamples() {
  for (const example of document.querySelectorAll(".example")) {
    const [reference, ...outputs] = example.querySelectorAll(".text");
    if (outputs.length < 2) continue; // without a reference, there is nothing to mark
    for (const output of outputs) {
      const marked = paragraph(output.textContent, { other: reference.textContent });
      if (marked.dataset.note) output.previousElementSibling.append(` · ${marked.dataset.note}`);
      output.replaceWith(marked);
    }
  }
}

async function start() {
  document.documentElement.classList.add("script");
  const button = document.getElementById("download");
  button.hidden = false;
  button.addEventListener("click", async () => {
    const blob = new Blob([await inflated("result")], { type: "application/json" });
    element("a", { href: URL.createObjectURL(blob), download: "report.json" }).click();
  });
  // Only the first table of each pair is open; on paper all are.
  const folded = document.querySelectorAll("details.table:not(:first-of-type), details ~ details");
  for (const part of folded) part.open = false;
  window.addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("main details")) part.open = true;
  });
  markExamples();
  const root = document.getElementById("browser");
  if (root === null) return;
  const store = await openStore();
  root.hidden = false;
  browser = new Browser(root, store);
  choosePairs(browser);
  root.dataset.ready = "yes";
}

start();
