"""Evidence on sensitivity: Zhang & Vogel (2004, Table 1) and Riezler & Maxwell (2005)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evidence.data import read_set
from evidence.page import Page, Section
from truebleu.reports.document import Column, Plot, Table, charted_document
from truebleu.studies import study_sensitivity

if TYPE_CHECKING:
    from truebleu.reports.document import Document
    from truebleu.studies import StudyResult

METRICS = ("nist", "bleu", "mbleu", "chrf", "ter")
SETS = {
    "wmt23-he-en": (),
    "wmt23-zh-en": (),
    "wmt23-en-cs": (),
    "wmt24-en-es": (),
    "wmt21-en-de": (),
    "four-references": ("ref0", "ref1", "ref2", "ref3"),
}
# Sample size at which not all pairs differ significantly.
SMALL = 200
SAMPLES = 5
REPLICATES = 6000

INTRODUCTION = """
Zhang & Vogel (2004, §3) compared seven systems pair by pair: the interval of the difference either
contains 0 or does not. NIST's relative intervals were the narrowest, so that it seemed more
discriminative than BLEU. Riezler & Maxwell (2005, Table 1) found a reranker's gain significant by
NIST, and its loss not significant by BLEU or F-score. Both concluded that metrics of simple matches
are the more sensitive. Here five metrics judge all pairs of the systems of six public test sets.
"""

TABLE_1 = """
Zhang & Vogel (2004), Table 1, relative intervals on 878 sentences with four references:

| system | NIST | BLEU | M-BLEU |
| --- | ---: | ---: | ---: |
| A | -1.69 to +1.69 % | -4.35 to +4.41 % | -2.48 to +2.48 % |
| B | -2.68 to +2.63 % | -5.44 to +5.32 % | -3.18 to +2.91 % |
| C | -1.83 to +1.87 % | -4.55 to +4.66 % | -2.75 to +2.75 % |
| D | -1.74 to +1.78 % | -4.98 to +5.25 % | -2.51 to +2.60 % |
| E | -2.23 to +2.10 % | -6.48 to +6.88 % | -2.90 to +2.62 % |
| F | -1.82 to +1.75 % | -3.99 to +3.74 % | -2.65 to +2.45 % |
| G | -1.72 to +1.66 % | -4.67 to +4.35 % | -2.58 to +2.42 % |

Riezler & Maxwell (2005), Table 1, reranking beside the baseline on 2,000 sentences:

| | NIST | BLEU | F |
| --- | ---: | ---: | ---: |
| baseline | 6.43 | .301 | .385 |
| reranking | 6.58 | .298 | .383 |
| approximate randomization, p | < .0001 | .158 | .424 |
| bootstrap, p | < .0001 | .1 | - |
"""

COLUMNS = (
    Column("set", "Test set"),
    Column("size", "Segments"),
    Column("metric", "Metric"),
    Column("pairs", "Pairs"),
    Column("interval", "Interval", 1),
    Column("interval_corrected", "Holm", 1),
    Column("randomization", "Randomization", 1),
    Column("corrected", "Holm", 1),
    Column("share", "Share", 1, percent=True),
    Column("width", "Relative width", 2, percent=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One metric on one test set: pairs that differ by each test, without and with Holm."""

    set: str
    size: int
    metric: str
    pairs: int
    interval: float
    interval_corrected: float
    randomization: float
    corrected: float
    share: float
    width: float


@dataclass(frozen=True, slots=True)
class Together:
    """Rows of several runs under one title."""

    title: str
    rows: list[Row]

    def to_document(self) -> Document:
        """Make a table and a chart, as studies have them."""
        rows = tuple(
            {column.name: getattr(row, column.name) for column in COLUMNS} for row in self.rows
        )
        sentence = (
            "Columns are the numbers of pairs that differ significantly by the bootstrap's "
            "interval of the difference and by approximate randomization, each without and with "
            "Holm's correction; the share is that of the last."
        )
        plot = Plot("bar", "set", "share", series="metric", zero_y=True)
        return charted_document(self.title, Table(COLUMNS, rows), [sentence], plot)


def page() -> Page:
    """Make the page from runs on six test sets."""
    runs = {name: _run(name, references) for name, references in SETS.items()}
    rows = [row for name, result in runs.items() for row in _rows(name, result)]
    whole = [row for row in rows if row.size != SMALL]
    small = [row for row in rows if row.size == SMALL]
    sections = (
        Section(
            heading="Six test sets as they are",
            command=_command(""),
            result=Together("Pairs of systems that differ significantly at the level 95 %", whole),
            paper=TABLE_1,
            verdict=_verdict(whole),
        ),
        Section(
            heading=f"Samples of {SMALL} segments",
            command=_command(f" --sizes {SMALL} --samples {SAMPLES}"),
            result=Together(
                f"Pairs that differ significantly at the level 95 % on {SMALL} segments, mean of "
                f"{SAMPLES} samples",
                small,
            ),
            verdict=_verdict(small),
        ),
    )
    return Page(
        name="sensitivity",
        title="By which metric do most pairs of systems differ significantly?",
        introduction=INTRODUCTION,
        summary=_summary(whole, small),
        sections=sections,
    )


def _command(more: str) -> str:
    metrics = " ".join(f"-m {metric}" for metric in METRICS)
    return f"truebleu study sensitivity -r REFERENCE sys/ {metrics} --replicates {REPLICATES}{more}"


def _run(name: str, references: tuple[str, ...]) -> StudyResult:
    test_set = read_set(name, *references)
    sizes = (SMALL, len(test_set))
    return study_sensitivity(test_set, METRICS, sizes=sizes, samples=SAMPLES, replicates=REPLICATES)


def _rows(name: str, result: StudyResult) -> list[Row]:
    """Make a row for each size and metric, with all tests side by side."""
    by_case = {
        (row["size"], row["metric"], row["test"], row["correction"]): row for row in result.rows
    }
    rows = []
    for size, metric in dict.fromkeys((row["size"], row["metric"]) for row in result.rows):
        corrected = by_case[size, metric, "ar", "holm"]
        rows.append(
            Row(
                set=name,
                size=size,
                metric=metric,
                pairs=corrected["pairs"],
                interval=by_case[size, metric, "interval", "none"]["significant"],
                interval_corrected=by_case[size, metric, "interval", "holm"]["significant"],
                randomization=by_case[size, metric, "ar", "none"]["significant"],
                corrected=corrected["significant"],
                share=corrected["share"],
                width=corrected["width"],
            )
        )
    return rows


def _of(rows: list[Row], name: str, metric: str, column: str) -> float:
    (row,) = (row for row in rows if (row.set, row.metric) == (name, metric))
    return float(getattr(row, column))


def _compared(rows: list[Row], column: str) -> tuple[list[str], list[str], list[str]]:
    """List the sets on which more, fewer or as many pairs differ by NIST than by BLEU."""
    more: list[str] = []
    fewer: list[str] = []
    equal: list[str] = []
    for name in SETS:
        nist, bleu = (_of(rows, name, metric, column) for metric in ("NIST", "BLEU"))
        (more if nist > bleu else fewer if nist < bleu else equal).append(name)
    return more, fewer, equal


def _named(names: list[str]) -> str:
    return ", ".join(names) or "none"


def _narrower(rows: list[Row]) -> int:
    return sum(_of(rows, name, "NIST", "width") < _of(rows, name, "BLEU", "width") for name in SETS)


def _verdict(rows: list[Row]) -> str:
    return (
        "By the interval of the difference, which is the paper's way, more pairs differ by NIST "
        f"than by BLEU on {_sentence(rows, 'interval')}. With approximate randomization and "
        f"Holm's correction, more pairs differ by NIST on {_sentence(rows, 'corrected')}. NIST's "
        "relative intervals are "
        f"narrower than BLEU's on {_narrower(rows)} of {len(SETS)} sets; but a narrow interval "
        "around a score does not make a metric sensitive where its scores are close together too."
    )


def _sentence(rows: list[Row], column: str) -> str:
    more, fewer, equal = _compared(rows, column)
    same = f", as many on {_named(equal)}" if equal else ""
    return f"{_named(more)}, and fewer on {_named(fewer)}{same}"


def _best(rows: list[Row]) -> str:
    """Count how often each metric has the most significant pairs, including ties."""
    firsts: dict[str, int] = {}
    for name in SETS:
        of_set = [row for row in rows if row.set == name]
        most = max(row.corrected for row in of_set)
        for row in of_set:
            if row.corrected == most:
                firsts[row.metric] = firsts.get(row.metric, 0) + 1
    ordered = sorted(firsts.items(), key=lambda item: -item[1])
    return ", ".join(f"{metric} on {count}" for metric, count in ordered)


def _summary(whole: list[Row], small: list[Row]) -> str:
    more, fewer, _ = _compared(whole, "corrected")
    by_interval, fewer_by_interval, _ = _compared(whole, "interval")
    return (
        f"Of {len(SETS)} test sets, more pairs differ by NIST than by BLEU on {len(more)} and "
        f"fewer on {len(fewer)} by randomization with Holm's correction, on {len(by_interval)} and "
        f"{len(fewer_by_interval)} by the paper's uncorrected intervals, though its relative "
        f"intervals are narrower on {_narrower(whole)}; on samples of {SMALL} segments most pairs "
        f"differ by {_best(small)} of them."
    )
