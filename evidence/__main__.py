"""Write the pages of docs/evidence: python -m evidence [STUDY...]."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from time import monotonic
from traceback import print_exc

from evidence import papers
from evidence.data import DATA
from evidence.papers import PAGES as PAPERS

DOCS = Path(__file__).parents[1] / "docs" / "evidence"
# Modules in the order of the papers; each has a function `page`.
NAMES = (
    "sampling",
    "coverage",
    "power",
    "accuracy",
    "test-size",
    "references",
    "replicates",
    "sensitivity",
    "type-one",
    "length",
    "smoothing",
    "tuning",
    "tuning-decoder",
    "reranking",
)
# Pages without a study come first, whole papers last.
PAGES = ("defaults", "small-samples", "raters", "inputs", "explain", *NAMES, *PAPERS)
INDEX = """# Evidence

What the papers measured, measured again on public data: WMT21, WMT23 and WMT24, a set with four
references, and the outputs of several optimizer runs. Every page has the study's table and chart,
the paper's figures beside them, and a sentence on whether they agree. `make evidence` writes these
pages anew; it needs the data, which are not part of the project.

| study | answer |
| --- | --- |
"""


def main(names: list[str]) -> None:
    """Write the pages of some studies or of all, and the index with every page's answer."""
    unknown = sorted(set(names) - set(PAGES))
    if unknown:
        sys.exit(f"unknown study: {', '.join(unknown)} (known: {', '.join(PAGES)})")
    if not DATA.is_dir():
        sys.exit(f"{DATA}: no such folder; the evidence needs the public data sets in it")
    DOCS.mkdir(parents=True, exist_ok=True)
    failed = [name for name in names or PAGES if not write_page(name, DOCS)]
    write_index()
    if failed:
        sys.exit(f"failed: {', '.join(failed)}; these pages are as they were, the others are new")


def write_page(name: str, folder: Path) -> bool:
    """Write one page; on failure, print the error and leave the old page unchanged."""
    started = monotonic()
    try:
        if name in PAPERS:
            papers.page(name).write(folder)
        else:
            import_module(f"evidence.{name.replace('-', '_')}").page().write(folder)
    except Exception:  # a failure must not stop the other pages
        print(f"{name}: failed", file=sys.stderr)
        print_exc()
        return False
    print(f"{name}: {monotonic() - started:.1f} s", flush=True)
    return True


def write_index() -> None:
    """Write the index: each existing page with its title and answer."""
    lines = []
    for name in PAGES:
        path = DOCS / f"{name}.md"
        if path.exists():
            text = path.read_text(encoding="utf-8")
            title = text.split("\n", 1)[0].removeprefix("# ")
            answer = text.split("**Answer.** ", 1)[1].split("\n\n", 1)[0].replace("\n", " ")
            lines.append(f"| [{title}]({name}.md) | {answer} |\n")
    (DOCS / "README.md").write_text(INDEX + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
