"""LaTeX tables compile, and those for papers fit a column; `make latex` runs these tests alone."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.reports.formats.examples import DOCUMENT, MARKED
from tests.reports.formats.hostile import ATTACKS, Hostile
from truebleu import compare, score
from truebleu.metrics.function import FunctionMetric
from truebleu.reports.document import Document, render
from truebleu.reports.formats import latex
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import Metric

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex: make latex"),
]
# Width of a column of the ACL's style, in TeX's points.
COLUMN = 219.0
NAMES = ("ONLINE-B", "Lan-BridgeMT", "Claude-3.5", "GPT4-5shot", "ZengHuiMT")
PREAMBLE = r"""\documentclass{article}
\usepackage{booktabs}
\newsavebox{\measured}
\begin{document}
"""


def widths(folder: Path, *tables: str) -> list[float]:
    """Compile LaTeX and return the width of each tabular in points."""
    source = PREAMBLE + "\n".join(tables) + "\n\\end{document}\n"
    source = source.replace("\\begin{tabular}", "\\begin{lrbox}{\\measured}\n\\begin{tabular}")
    after = "\\end{tabular}\n\\end{lrbox}\n\\usebox{\\measured}\\typeout{WIDTH \\the\\wd\\measured}"
    (folder / "tables.tex").write_text(source.replace("\\end{tabular}", after), encoding="ascii")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tables.tex"]
    run = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=60)
    output = run.stdout.decode(errors="replace")
    assert run.returncode == 0, output
    return [float(width) for width in re.findall(r"WIDTH ([\d.]+)pt", output)]


@pytest.fixture(scope="module")
def texts() -> TestSet:
    rates = dict(zip(NAMES, (0.05, 0.15, 0.16, 0.3, 0.5), strict=True))
    systems = {name: Channel.at_rate(rate) for name, rate in rates.items()}
    return simulate(segments=300, systems=systems, seed=1)


def comet() -> FunctionMetric:
    def quality(output: str, references: Sequence[str]) -> float:
        words = references[0].split()
        return len({*output.split()} & {*words}) / (1 + len(words))

    return FunctionMetric(function=quality, name="COMET")


def test_three_metrics_fit_a_column(tmp_path: Path, texts: TestSet) -> None:
    metrics: list[str | Metric] = ["bleu", "chrf", comet()]
    against = compare(texts, metrics=metrics, baseline="ONLINE-B", replicates=500)
    long = compare(texts, metrics=metrics, baseline="Lan-BridgeMT", replicates=500)
    every = compare(texts, metrics=metrics, replicates=2000)
    scores = score(texts, metrics=metrics)
    tables = [render(result, "latex") for result in (against, long, every, scores)]
    assert "ONLINE-B (baseline) &" in tables[0]
    found = widths(tmp_path, *tables)
    assert len(found) == 4
    assert max(found) <= COLUMN
    (wide,) = widths(tmp_path, render(against, "latex", details=True))
    assert wide > COLUMN


def test_whatever_a_name_contains_compiles(tmp_path: Path) -> None:
    hostile = [render(Hostile(attack), "latex") for attack in ATTACKS]
    marked = replace(MARKED, legend="† means better than 系统 at 5 %, by BLEU_1 & chrF.")
    documents = [DOCUMENT, Document((MARKED,), MARKED), Document((marked,), marked)]
    tables = [*hostile, *(latex.render(document) for document in documents)]
    assert len(widths(tmp_path, *tables)) == len(tables)
