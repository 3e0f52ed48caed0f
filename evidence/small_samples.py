"""Coverage of the intervals of pass/fail scores, and of differences of few items.

Items are drawn with a known rate, alone or in clusters of five with an intraclass correlation of .2
(beta-binomial). Two systems share the outcome of half of the items. The intervals are those of
`compare`: Wilson's or Korn and Graubard's interval of a rate, and Tango's of a difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evidence.page import page_text
from evidence.rates import Design, Question, Row, measured
from truebleu.metrics import GivenMean, Signature
from truebleu.reports.document import Column, Document, Table
from truebleu.reports.formats.machine_readable import render_tsv as tsv
from truebleu.reports.formats.markdown import render as markdown
from truebleu.resampling import Units
from truebleu.significance.intervals import choose_interval, interval_bounds
from truebleu.significance.pairs import all_pair_tests
from truebleu.significance.settings import CompareSettings
from truebleu.significance.unit_counts import UnitCounts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Answers = tuple[Sequence[float], Sequence[float]]

COUNTS, RATES = (10, 20, 50, 100), (0.5, 0.8, 0.95, 0.99)
CLUSTER, CORRELATION = 5, 0.2
TRIALS = 1000
METRIC = GivenMean(name="score", signature=Signature.of("score"))
JOURNAL = Path(__file__).parent / "journal" / "small-samples.jsonl"
KINDS = {1: "items alone", CLUSTER: f"clusters of {CLUSTER}"}


def designs(trials: int | None = None) -> Iterator[Design]:
    """List designs by number of items, rate and kind, for intervals of rates and of differences."""
    for size, kind in KINDS.items():
        for count in COUNTS:
            for rate in RATES:
                for lower in (0.0, min(0.1, 1 - rate)):
                    yield Design(
                        questions=tuple(
                            Question(default=f"{what}, {kind}", design=design, expected=0.95)
                            for what, design in (
                                ("a rate", f"{count} items, {rate - lower:g}"),
                                ("a difference", f"{count} items, {rate:g} and {rate - lower:g}"),
                            )
                        ),
                        # Coverage with few items is cheap to measure, and lowest.
                        trials=trials or max(TRIALS, 40_000 // count),
                        trial=partial(_covered, size, count, rate, lower),
                    )


def _covered(size: int, count: int, rate: float, lower: float, trial: int) -> Answers:
    generator = np.random.default_rng([trial, size, count, int(1000 * rate), int(1000 * lower)])
    shares = np.full(count, 1.0)
    if size > 1:
        parts = (1 - CORRELATION) / CORRELATION
        drawn = generator.beta(rate * parts, (1 - rate) * parts, count // size) / rate
        shares = np.repeat(drawn, size)
    luck, other = generator.random((2, count))
    other = np.where(generator.random(count) < 0.5, luck, other)
    passed = np.stack([luck < rate * shares, other < (rate - lower) * shares], axis=1)
    # The order of items and of clusters does not matter.
    clusters = passed.astype(int).reshape(-1, size, 2) @ (2, 1)
    (low, high), (least, most) = _intervals(tuple(sorted(map(tuple, np.sort(clusters).tolist()))))
    of_difference = (least is None or least <= lower + 1e-12) and (
        most is None or lower - 1e-12 <= most
    )
    return [low <= rate - lower <= high, of_difference], [high == low, least == most]


@lru_cache(maxsize=1 << 16)
def _intervals(
    clusters: tuple[tuple[int, ...], ...],
) -> tuple[tuple[float, float], tuple[float | None, float | None]]:
    """Compute the intervals of the second system and of the difference; items are 2, 1, 3 or 0.

    An item is 3 if both pass, 2 if only the first passes, and 1 if only the second does.
    """
    items = np.array(clusters)
    passed = np.stack([items.ravel() > 1, items.ravel() % 2 == 1], axis=1)
    rows = np.stack([passed, np.ones_like(passed)], axis=2).astype(np.float64)
    units = Units.documents([str(place // items.shape[1]) for place in range(items.size)])
    statistics = UnitCounts.of("score", METRIC, rows, units)
    method = choose_interval(statistics, None, "percentile")
    low, high = interval_bounds(statistics, np.empty((0, 2)), None, method, 0.95)[:, 1]
    settings = CompareSettings(test="scaled", replicates=999)
    (tests,) = all_pair_tests([statistics], [], [(0, 1)], settings, lambda _first, _count: [])
    return (float(low), float(high)), tests.intervals()[0]


@dataclass(frozen=True, slots=True)
class SmallSamples:
    """Page of the rates of small samples."""

    rows: tuple[Row, ...]
    journal: Path | None = None

    def write(self, folder: Path) -> None:
        """Write the page and its table."""
        columns = (
            Column("default", "interval of"),
            Column("design", "design"),
            Column("rate", "covers", 3),
            Column("trials", "trials"),
        )
        whole = Table(columns, tuple(row.cells() for row in self.rows))
        (folder / "tables").mkdir(parents=True, exist_ok=True)
        table_file = folder / "tables" / "small-samples.tsv"
        table_file.write_text(tsv(Document((whole,), whole)), encoding="utf-8")
        (folder / "small-samples.md").write_text(page_text(self._parts()), encoding="utf-8")
        if self.journal is not None:
            self.journal.unlink(missing_ok=True)

    def _parts(self) -> list[str]:
        columns = (
            Column("default", "95 % interval of"),
            Column("cells", "designs"),
            Column("mean", "covers on average", 3),
            Column("least", "at least", 3),
            Column("where", "where that is"),
        )
        sections: dict[str, list[Row]] = {}
        for row in self.rows:
            sections.setdefault(row.question.default, []).append(row)
        summary: list[dict[str, str | float]] = []
        for heading, rows in sections.items():
            worst = min(rows, key=lambda row: row.rate)
            summary.append(
                {
                    "default": heading,
                    "cells": len(rows),
                    "mean": float(np.mean([row.rate for row in rows])),
                    "least": worst.rate,
                    "where": worst.question.design,
                }
            )
        table = Table(columns, tuple(summary))
        none = sum(row.share_warned for row in self.rows)
        least = min(row.rate for row in self.rows)
        return [
            "# Pass/fail scores and few items",
            f"**Answer.** In {len(self.rows)} designs with 10 to 100 items and rates of .5 to .99, "
            f"the intervals that `score` and `compare` print by themselves cover in {least:.3f} or "
            f"more of the samples; {'none' if none == 0 else 'some'} is of width 0.",
            "Rates have Wilson's interval, by documents Korn and Graubard's; differences of two "
            "systems on the same items Tango's, in accord with the test. Wilson's own coverage "
            "falls to .90 near 0 and 1 (exactly .904 with 10 items and a rate of .99); gates, "
            "which must not be fooled, use bounds of Clopper and Pearson, by which a system at the "
            "margin passes in at most 5 % of all samples whatever the rates are. Every design is "
            "in one [table](tables/small-samples.tsv).",
            markdown(Document((table,), table)).rstrip(),
            "Made by `make evidence`; all figures come from the run itself.",
        ]


def page() -> SmallSamples:
    """Run all designs, or the remaining ones of an interrupted run."""
    JOURNAL.parent.mkdir(exist_ok=True)
    return SmallSamples(measured(list(designs()), JOURNAL), JOURNAL)
