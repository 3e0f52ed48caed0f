"""The step of action.yml that decides: gates each test set, and writes what a pipeline shows.

Reads its inputs from the environment, so that no shell takes a file name apart. Writes the job
summary, annotations, a JUnit file and HTML reports. Exits with 0 if every test set passes, 1 if one
fails, 2 at bad input.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

from truebleu import gate, read_test_set
from truebleu.errors import SettingError, TruebleuError
from truebleu.metrics.statistics_files import find_statistics, read_statistics
from truebleu.reports.document import Document, one_line, render
from truebleu.reports.formats.markdown import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from truebleu.significance.gate import GateResult


@dataclass(frozen=True)
class Files:
    """The files of one test set."""

    name: str
    new: Path
    baseline: Path
    references: Path
    documents: Path | None


def test_sets(environment: Mapping[str, str]) -> Iterator[Files]:
    """One test set of files; or of folders, one for every file of the folder of new outputs."""
    paths = {
        name: Path(environment[name])
        for name in ("NEW", "BASELINE", "REFERENCES", "DOCUMENTS")
        if environment.get(name)
    }
    for name in ("NEW", "BASELINE", "REFERENCES"):
        if name not in paths:
            raise SettingError(name.lower(), "", "a file or a folder")
    new = paths["NEW"]
    if not new.is_dir():
        yield Files(new.stem, new, paths["BASELINE"], paths["REFERENCES"], paths.get("DOCUMENTS"))
        return
    outputs = sorted(path for path in new.iterdir() if path.is_file())
    if not outputs:
        raise SettingError("new", str(new), "a folder with a file of outputs for each test set")
    for output in outputs:
        others = {name: _same_name(path, output) for name, path in paths.items() if name != "NEW"}
        yield Files(
            output.name.split(".")[0],
            output,
            others["BASELINE"],
            others["REFERENCES"],
            others.get("DOCUMENTS"),
        )


def _same_name(folder: Path, output: Path) -> Path:
    """The file of a folder that belongs to an output: the same name, whatever its ending."""
    beginning = output.name.split(".")[0]
    pattern = f"{escape(beginning)}.*"  # a name with brackets is no pattern
    matches = sorted(folder.glob(pattern)) if folder.is_dir() else []
    if len(matches) != 1:
        found = [str(path) for path in matches] or str(folder)
        raise SettingError("folder", found, f"one file {folder / beginning}.* for {output}")
    return matches[0]


def decide(files: Files, environment: Mapping[str, str], level: float) -> GateResult:
    """The gate's decision about one test set."""
    systems, saved = [f"new={files.new}"], None
    if find_statistics(str(files.baseline)) is None:
        systems.append(f"baseline={files.baseline}")
    else:
        saved = read_statistics(files.baseline)
    texts = read_test_set(systems, [files.references], documents=files.documents)
    margin = environment.get("MARGIN", "")
    return gate(
        texts,
        saved,
        metrics=environment.get("METRICS", "").split() or ["bleu", "chrf"],
        margin=_number("margin", margin) if margin else None,
        level=level,
    )


def _number(name: str, written: str) -> float:
    try:
        return float(written)
    except ValueError:
        raise SettingError(name, written, "a number") from None


def annotation(kind: str, title: str, text: str) -> str:
    """A command to GitHub that shows a line beside the run; nothing in it can begin another."""
    title = _data(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={title}::{_data(text)}"


def _data(text: str) -> str:
    return one_line(text).replace("%", "%25")


def main(environment: Mapping[str, str]) -> int:
    """Gate all test sets and write what is shown of it."""
    listed = list(test_sets(environment))
    # Several test sets share the error (Bonferroni): one more must not make false alarms likelier.
    level = _number("level", environment.get("LEVEL") or "0.95")
    level = 1 - (1 - level) / len(listed) if environment.get("MARGIN", "") == "" else level
    folder = Path(environment.get("RESULTS") or "truebleu-results")
    folder.mkdir(parents=True, exist_ok=True)
    summary, passed = [], True
    for files in listed:
        result = decide(files, environment, level)
        passed = passed and result.passed
        document: Document = result.to_document()
        for check in document.checks:
            kind = "notice" if check.passed else "error"
            print(annotation(kind, f"{files.name}: {check.name}", check.reason))
        summary.append(f"## truebleu: {escaped(files.name)}\n\n{render(result, 'github')}")
        (folder / f"{files.name}.junit.xml").write_text(render(result, "junit"), encoding="utf-8")
    text = "\n".join(summary)
    (folder / "summary.md").write_text(text, encoding="utf-8")
    if "GITHUB_STEP_SUMMARY" in environment:
        with Path(environment["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8") as file:
            file.write(text)
    if "GITHUB_OUTPUT" in environment:
        with Path(environment["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
            file.write(f"passed={str(passed).lower()}\n")
    return 0 if passed else 1


if __name__ == "__main__":
    try:
        sys.exit(main(os.environ))
    except TruebleuError as error:
        print(annotation("error", "truebleu", str(error)))
        sys.exit(2)
