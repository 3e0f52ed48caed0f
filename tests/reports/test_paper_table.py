"""Tables for papers: decimals, bold print, marks, and sacreBLEU's signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from truebleu import compare, score
from truebleu.metrics.base import Signature
from truebleu.reports.document import render
from truebleu.reports.paper_table import BETTER, WORSE, PaperColumn, paper_table

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.reports.document import Row

UNKNOWN = Signature.of("score")


def column(*scores: float, digits: int = 2, higher_is_better: bool | None = True) -> PaperColumn:
    """Make a column of systems a, b, c, …"""
    by_system = dict(zip("abcdef", scores, strict=False))
    return PaperColumn(
        label="m",
        scores=by_system,
        digits=digits,
        higher_is_better=higher_is_better,
        signature=UNKNOWN,
    )


def cells(metric: PaperColumn) -> list[str]:
    names = {name: name for name in metric.scores}
    return [row[1] for row in paper_table("System", names, [metric], "").cells()]


def bold(rows: tuple[Row, ...]) -> list[object]:
    return [row["system"] for row in rows if row["m bold"]]


@pytest.mark.parametrize(
    ("metric", "expected", "note"),
    [
        (column(42.66, 7.0), ["42.7", "7.0"], "Note."),
        (column(0.85473, 0.8, digits=4), ["85.5", "80.0"], "Note. m × 100."),
        (column(1.0, -0.5, digits=4), ["100.0", "-50.0"], "Note. m × 100."),
        (column(1.01, 0.5, digits=4), ["1.01", "0.50"], "Note."),
    ],
    ids=["points", "COMET", "all within 1", "beyond 1"],
)
def test_scores_of_at_most_1_are_printed_in_points(
    metric: PaperColumn, expected: list[str], note: str
) -> None:
    table = paper_table("System", {"a": "a", "b": "b"}, [metric], "Note.")
    assert ([row[1] for row in table.cells()], table.legend) == (expected, note)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (column(1.0, 2.04, 1.96), ["b", "c"]),
        (column(1.0, 2.06, 1.94), ["b"]),
        (column(1.0, 2.0, 3.0, higher_is_better=False), ["a"]),
        (column(1.0, 2.0, 3.0, higher_is_better=None), []),
    ],
    ids=["equal as printed", "one best", "lower is better", "no direction"],
)
def test_the_best_score_as_printed_is_bold(metric: PaperColumn, expected: list[str]) -> None:
    names = {name: name for name in metric.scores}
    assert bold(paper_table("System", names, [metric], "").rows) == expected


@pytest.mark.parametrize(
    ("signature", "has_one"),
    [
        (("BLEU", {"eff": False, "tok": "13a", "smooth": "exp", "n": 4}), True),
        (("BLEU", {"eff": False, "tok": "13a", "smooth": "exp", "n": 3}), False),
        (("BLEU", {"eff": False, "tok": "mteval", "smooth": "exp", "n": 4}), False),
        (("BLEU", {"eff": False, "tok": "13a", "smooth": "exp", "n": 4, "len": "average"}), False),
        (("NIST", {"tok": "13a", "n": 5}), False),
    ],
)
def test_only_scores_that_sacrebleu_has_get_its_signature(
    signature: tuple[str, dict[str, str | int | bool]], has_one: bool
) -> None:
    name, fields = signature
    known = Signature.of(name, case="mixed", **fields).with_references(1)
    assert (known.sacrebleu is not None) == has_one


@pytest.mark.parametrize(
    ("metric", "theirs", "settings"),
    [
        ("bleu", "BLEU", {}),
        ("bleu:smooth=floor,tokenize=intl", "BLEU", {"smooth_method": "floor", "tokenize": "intl"}),
        ("chrf:word_order=2", "CHRF", {"word_order": 2}),
        ("ter", "TER", {}),
    ],
)
def test_the_signature_is_the_one_that_sacrebleu_prints(
    metric: str, theirs: str, settings: dict[str, object]
) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    text, reference = ["the cat sat on a mat"], ["the cat sat on the mat"]
    scorer = getattr(sacrebleu, theirs)(**settings)
    name = scorer.corpus_score(text, [reference]).name
    (signature,) = score({"a": text}, reference, [metric]).signatures.values()
    assert signature.sacrebleu == f"sacreBLEU: {name}|{scorer.get_signature()}"


SYSTEMS = "ONLINE-B ONLINE-W ONLINE-A GPT4-5shot ONLINE-Y ONLINE-G ONLINE-M ZengHuiMT Lan-BridgeMT"
# The rows of a table of WMT 2023 that was set by hand: BLEU, chrF and COMET against ONLINE-B.
BY_HAND = {
    "ONLINE-B (baseline)": "42.7 69.1 84.8",
    "ONLINE-W": f"47.8{BETTER} 71.8{BETTER} 85.5{BETTER}",
    "ONLINE-A": f"43.7 69.7{BETTER} 83.7{WORSE}",
    "GPT4-5shot": "43.6 69.1 85.0",
    "ONLINE-Y": f"43.6 69.1 84.1{WORSE}",
    "ONLINE-G": f"43.2 69.0 82.5{WORSE}",
    "ONLINE-M": f"40.5{WORSE} 66.9{WORSE} 81.7{WORSE}",
    "ZengHuiMT": f"40.5{WORSE} 69.4 79.4{WORSE}",
    "Lan-BridgeMT": f"39.4{WORSE} 66.1{WORSE} 80.4{WORSE}",
}


@pytest.mark.slow
def test_a_table_of_wmt_2023_is_the_one_set_by_hand(shared: Path) -> None:
    folder = shared / "data/wmt23-eval-set"

    def lines(name: str) -> list[str]:
        return (folder / name).read_text(encoding="utf-8").split("\n")[:-1]

    comparison = compare(
        {name: lines(f"system-outputs/en-de/{name}.txt") for name in SYSTEMS.split()},
        lines("references/en-de.refA.txt"),
        ["bleu", "chrf", f"scores:path={folder / 'metric-scores/en-de/COMET-refA.seg.score'}"],
        documents=[line.split("\t")[1] for line in lines("documents/en-de.docs")],
        baseline="ONLINE-B",
    )
    (table,) = (block for block in comparison.to_document().blocks if hasattr(block, "paper"))
    assert table.paper is not None
    shown = {}
    for row, cells in zip(table.paper.rows, table.paper.cells(), strict=True):
        marks = [row[column.mark] or "" for column in table.paper.columns[1:] if column.mark]
        shown[cells[0]] = " ".join(f"{c}{m}" for c, m in zip(cells[1:], marks, strict=True))
    assert shown == BY_HAND


def test_the_best_cluster_is_bold_if_there_is_no_baseline() -> None:
    reference = [f"{n} a b c d e" for n in range(60)]
    best, good = [*reference[:-1], "x"], [*reference[:-2], "x", "x"]
    bad = ["x y z" if n % 2 else line for n, line in enumerate(reference)]
    systems = {"bad": bad, "best": best, "good": good}
    written = render(compare(systems, reference, ["bleu"], people=None), "latex")
    rows = [line.partition(" &")[0] for line in written.splitlines() if "textbf" in line]
    assert rows == ["best", "good"]
    assert "Bold: best cluster" in written
    nobody = render(compare({"a": best, "b": good}, reference, ["bleu"]), "latex")
    assert "textbf" not in nobody
    assert "No system or group of systems beats all others" in nobody
