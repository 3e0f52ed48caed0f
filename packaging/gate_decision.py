"""The decision of action.yml: gates each test set, and writes what a pipeline shows.

Reads its inputs from the environment, so that no shell takes a file name apart. Writes the job
summary, annotations, a JUnit file and HTML reports. Exits with 0 if every test set passes, 1 if one
fails, 2 at bad input, 3 at a fault; its last line says which, for `gate_action.py`.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from traceback import print_exc
from typing import TYPE_CHECKING, Any

from gate_action import FAULT, VERDICTS

from truebleu import gate, report
from truebleu.counts.inputs import counts_of_files
from truebleu.errors import SettingError, TruebleuError
from truebleu.reports.document import Document, one_line, render
from truebleu.reports.formats.markdown import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu import Counts
    from truebleu.significance.gate import GateResult


@dataclass(frozen=True)
class Files:
    """The files of one test set."""

    name: str
    new: Path
    baseline: Path
    references: Path | None
    documents: Path | None


def chosen_metrics(environment: Mapping[str, str]) -> list[str]:
    """Return the metrics, written as on the command line."""
    return environment.get("METRICS", "").split() or ["bleu", "chrf"]


def by_scores(metrics: Sequence[str]) -> bool:
    """Whether the files have scores of items, and no texts."""
    return any(metric.partition(":")[0] == "scores" for metric in metrics)


def test_sets(environment: Mapping[str, str]) -> Iterator[Files]:
    """One test set of files; or of folders, one for every file of the folder of new outputs."""
    paths = {
        name: Path(environment[name])
        for name in ("NEW", "BASELINE", "REFERENCES", "DOCUMENTS")
        if environment.get(name)
    }
    texts_needed = not by_scores(chosen_metrics(environment))
    for name in ("NEW", "BASELINE", *(("REFERENCES",) if texts_needed else ())):
        if name not in paths:
            raise SettingError(name.lower(), "", "a file or a folder")
    if not texts_needed and "REFERENCES" in paths:
        raise SettingError("references", str(paths["REFERENCES"]), "none beside scores of items")
    new = paths["NEW"]
    if not new.is_dir():
        references, documents = paths.get("REFERENCES"), paths.get("DOCUMENTS")
        yield Files(new.stem, new, paths["BASELINE"], references, documents)
        return
    # Not .gitkeep and the like.
    outputs = sorted(path for path in new.glob("[!.]*") if path.is_file())
    if not outputs:
        raise SettingError("new", str(new), "a folder with a file of outputs for each test set")
    beginnings = Counter(map(_beginning, outputs))
    for output in outputs:
        # de.txt and de.bak.txt begin alike: such twins go by their whole names.
        name = _beginning(output) if beginnings[_beginning(output)] == 1 else output.name
        others = {
            # Clusters of items are a field of theirs, and no folder.
            role: path if role == "DOCUMENTS" and not texts_needed else _partner(path, name, output)
            for role, path in paths.items()
            if role != "NEW"
        }
        yield Files(
            name,
            output,
            others["BASELINE"],
            others.get("REFERENCES"),
            others.get("DOCUMENTS"),
        )


def _beginning(path: Path) -> str:
    return path.name.split(".")[0]


def _partner(folder: Path, name: str, output: Path) -> Path:
    """Find the file of a folder for an output: one with its name or beginning with `name`."""
    if (folder / output.name).is_file():
        return folder / output.name
    pattern = f"{escape(name)}.*"  # a name with brackets is no pattern
    matches = sorted(folder.glob(pattern)) if folder.is_dir() and name != output.name else []
    if len(matches) != 1:
        found = [str(path) for path in matches] or str(folder)
        wanted = folder / (output.name if name == output.name else f"{name}.*")
        raise SettingError("folder", found, f"one file {wanted} for {output}")
    return matches[0]


def decide(files: Files, environment: Mapping[str, str], level: float) -> tuple[GateResult, Counts]:
    """Gate one test set; return the decision and the counts."""
    margin = environment.get("MARGIN", "")
    options: dict[str, Any] = {
        "margin": _number("margin", margin) if margin else None,
        "level": level,
    }
    counts = counts_of_files(
        [f"new={files.new}", f"baseline={files.baseline}"],
        [] if files.references is None else [str(files.references)],
        chosen_metrics(environment),
        documents=None if files.documents is None else str(files.documents),
        keep_texts=True,
    )
    return gate(counts, baseline="baseline", **options), counts


def _number(name: str, written: str) -> float:
    try:
        return float(written)
    except ValueError:
        raise SettingError(name, written, "a number") from None


def annotation(kind: str, title: str, text: str) -> str:
    """Return a GitHub command that shows a line with the run; `text` cannot begin another."""
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
        result, counts = decide(files, environment, level)
        passed = passed and result.passed
        document: Document = result.to_document()
        for check in document.checks:
            kind = "notice" if check.passed else "error"
            print(annotation(kind, f"{files.name}: {check.name}", check.reason))
        summary.append(f"## truebleu: {escaped(files.name)}\n\n{render(result, 'github')}")
        (folder / f"{files.name}.junit.xml").write_text(render(result, "junit"), encoding="utf-8")
        page = report(counts)
        page.save(folder / f"{files.name}.html", overwrite=True)
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
        status = main(os.environ)
    except (TruebleuError, OSError) as error:
        print(annotation("error", "truebleu", str(error)))
        status = 2
    except Exception:
        print_exc()
        sys.exit(FAULT)
    print(VERDICTS[status])
    sys.exit(status)
