"""Levels and coverages of every default, on designs whose truth is known.

Each design is a function that gives rows; add yours to `DESIGNS`. A row is a rate with its binomial
error beside what it should be; where the two disagree, it says what the program prints there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from evidence.data import read_set
from truebleu.metrics.registry import as_metrics
from truebleu.reports.document import Column, Document, Table
from truebleu.reports.formats.markdown import render as markdown
from truebleu.reports.formats.tsv import render as tsv
from truebleu.reports.resampling import ENOUGH_DOCUMENTS, LARGEST_SHARE
from truebleu.resampling import Bootstrap, Units
from truebleu.significance.corrections import default_correction
from truebleu.significance.intervals import interval_bounds
from truebleu.significance.pairs import all_pair_tests
from truebleu.significance.settings import CompareSettings, default_interval
from truebleu.significance.statistics import MetricStatistics, bootstrap_scores, spreads
from truebleu.significance.tests import default_replicates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from truebleu._settings import Unit
    from truebleu.significance.statistics import Pair

ALPHA = 0.05
# A pair with runaway outputs, where no interval holds, and three without.
PAIRS = (
    ("Gemini-1.5-Pro", "GPT-4"),
    ("GPT-4", "Aya23"),
    ("ONLINE-B", "Claude-3.5"),
    ("Aya23", "ONLINE-B"),
)
METRICS = ("bleu", "ter", "chrf")
FEW = f"fewer than {ENOUGH_DOCUMENTS} documents"
# A warning counts as printed where at least this share of the samples gets it.
USUALLY = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A rate beside what it should be.

    Attributes:
        default: what is asked of which default.
        design: the null or the pool, and its size.
        expected: the rate that is promised.
        rate: how often it happened.
        trials: of how many.
        printed: the warnings that the program gives there.
        share_warned: the share of trials in which it warns of one unit.
    """

    default: str
    design: str
    expected: float
    rate: float
    trials: int
    printed: str = ""
    share_warned: float = 0.0

    @property
    def error(self) -> float:
        """Two binomial standard errors of the promised rate."""
        return float(2 * np.sqrt(self.expected * (1 - self.expected) / self.trials))

    @property
    def holds(self) -> bool:
        """Whether the rate is within its error, or on the safe side of it."""
        off = self.rate - self.expected
        return bool(abs(off) <= self.error or (off < 0) == (self.expected < 0.5))

    @property
    def warned(self) -> bool:
        """Whether the program warns there: of few documents, or of one unit in most samples."""
        return FEW in self.printed or self.share_warned >= USUALLY


@cache
def pool(metric: str) -> tuple[MetricStatistics, Units, dict[str, int]]:
    """WMT24 en-es by one metric: counts by segment, its documents, and the place of each system."""
    test_set = read_set("wmt24-en-es", documents=True)
    (parsed,) = as_metrics([metric])
    rows = parsed.count(test_set).array()
    by_segment = MetricStatistics.of(parsed.name, parsed, rows, Units.segments(len(rows)))
    places = {name: place for place, name in enumerate(test_set.systems)}
    return by_segment, Units.documents(test_set.documents or ()), places


def _like(statistics: MetricStatistics, rows: NDArray[np.float64]) -> MetricStatistics:
    return MetricStatistics(statistics.label, statistics.metric, np.ascontiguousarray(rows))


def rejected(
    statistics: MetricStatistics, pairs: list[Pair], seed: int, replicates: int | None = None
) -> NDArray[np.bool_]:
    """Which pairs the defaults call different."""
    correction = default_correction(len(pairs))
    number = replicates or default_replicates(correction, len(pairs), ALPHA)
    settings = CompareSettings(
        correction=correction, seed=seed, replicates=1000, test_replicates=number
    )
    (tests,) = all_pair_tests([statistics], [], pairs, settings, lambda _first, _count: [])
    return np.asarray(tests.p_adjusted <= ALPHA)


def two_systems() -> Iterator[Row]:
    """The level of a comparison of two systems, segments or documents exchanged by a fair coin."""
    trials = 200
    for metric in ("bleu", "ter"):
        by_segment, documents, places = pool(metric)
        by_document = documents.add_up(by_segment.rows)
        designs = [("segments", by_segment.rows, 500)]
        designs += [("documents", by_document, count) for count in (20, 60, len(by_document))]
        for kind, rows, count in designs:
            hits = 0
            for trial in range(trials):
                generator = np.random.default_rng([trial, count])
                chosen = generator.choice(len(rows), size=count, replace=False)
                names = PAIRS[trial % len(PAIRS)]
                both = rows[chosen][:, [places[name] for name in names]]
                coins = generator.random(count) < 0.5
                both[coins] = both[coins][:, ::-1]
                hits += int(rejected(_like(by_segment, both), [(0, 1)], trial, 1999)[0])
            yield Row(
                default=f"compare, level ({by_segment.label})",
                design=f"{count} {kind} exchanged",
                expected=ALPHA,
                rate=hits / trials,
                trials=trials,
            )


def families() -> Iterator[Row]:
    """The chance of any false alarm among many systems, none or half of which differ."""
    by_segment, _, _ = pool("bleu")
    order = np.argsort(-by_segment.scores)
    for systems, trials in ((2, 1000), (5, 300), (10, 100), (20, 60), (40, 30)):
        pairs = list(combinations(range(systems), 2))
        half = systems // 2
        for truth in ("full", "partial"):
            if truth == "partial" and systems < 4:
                continue
            hits = 0
            for trial in range(trials):
                generator = np.random.default_rng([trial, systems, len(truth)])
                segments = generator.choice(len(by_segment.rows), size=100, replace=False)
                groups = [order] * systems
                if truth == "partial":  # the first half of the systems draws from better ones
                    groups = [order[:8]] * half + [order[8:]] * (systems - half)
                drawn = np.stack([generator.choice(group, size=100) for group in groups], axis=1)
                statistics = _like(by_segment, by_segment.rows[segments[:, None], drawn])
                found = rejected(statistics, pairs, trial)
                null = [
                    truth == "full" or (a < half) == (b < half) for a, b in pairs
                ]  # pairs that are equal in truth
                hits += bool(found[null].any())
            yield Row(
                default="compare, any false alarm (BLEU)",
                design=f"{systems} systems, {truth} null, 100 segments",
                expected=ALPHA,
                rate=hits / trials,
                trials=trials,
            )


def coverage() -> Iterator[Row]:
    """How often intervals of differences hold the pool's difference."""
    trials = 150
    for metric in METRICS:
        by_segment, documents, places = pool(metric)
        pairs: list[Pair] = [(places[a], places[b]) for a, b in PAIRS]
        by_document = _like(by_segment, documents.add_up(by_segment.rows))
        for kind, whole, count in (
            ("segments", by_segment, 300),
            ("documents", by_document, 20),
            ("documents", by_document, 60),
            ("documents", by_document, 150),
        ):
            unit: Unit = "segment" if kind == "segments" else "document"
            method = default_interval(None, unit)
            truth = np.array([whole.scores[a] - whole.scores[b] for a, b in pairs])
            hits, warned = np.zeros(len(pairs)), np.zeros(len(pairs))
            for trial in range(trials):
                generator = np.random.default_rng([trial, count])
                sample = _like(whole, whole.rows[generator.integers(0, len(whole.rows), count)])
                bootstrap = Bootstrap(replicates=600, seed=trial)
                (scores,) = bootstrap_scores([sample], Units.segments(count), bootstrap)
                low, high = interval_bounds(sample, scores, pairs, method, 0.95)
                hits += (low <= truth) & (truth <= high)
                warned += [
                    (spread.largest_share or 0) > LARGEST_SHARE for spread in spreads(sample, pairs)
                ]
            few = kind == "documents" and count < ENOUGH_DOCUMENTS
            for name, some in ((" against ".join(PAIRS[0]), [0]), ("three other pairs", [1, 2, 3])):
                yield Row(
                    default=f"{method} interval of a difference ({by_segment.label})",
                    design=f"{count} {kind} drawn, {name}",
                    expected=1 - ALPHA,
                    rate=float(hits[some].mean()) / trials,
                    trials=trials,
                    printed=_printed(float(warned[some].mean()) / trials, few=few),
                    share_warned=float(warned[some].mean()) / trials,
                )


def _printed(share: float, *, few: bool) -> str:
    """The warnings that samples get: of few documents always, of one unit in this share."""
    one = f"one unit carries over {100 * LARGEST_SHARE:.0f} % (in {100 * share:.0f} % of samples)"
    return "; ".join([FEW] * few + [one] * (share > 0))


#: What the page measures, in this order.
DESIGNS: tuple[Callable[[], Iterator[Row]], ...] = (two_systems, families, coverage)


@dataclass(frozen=True, slots=True)
class Rates:
    """The page of all rates."""

    rows: tuple[Row, ...]

    def write(self, folder: Path) -> None:
        """Write the page and its table."""
        columns = (
            Column("default", "default"),
            Column("design", "design"),
            Column("expected", "promised", 3),
            Column("rate", "measured", 3),
            Column("error", "± error", 3),
            Column("holds", "holds"),
            Column("printed", "printed there"),
        )
        rows = tuple(
            {column.name: getattr(row, column.name) for column in columns} for row in self.rows
        )
        table = Table(columns, rows)
        document = Document((table,), table)
        (folder / "tables").mkdir(parents=True, exist_ok=True)
        (folder / "tables" / "defaults.tsv").write_text(tsv(document), encoding="utf-8")
        held = sum(row.holds for row in self.rows)
        silent = sum(not row.holds and not row.warned for row in self.rows)
        parts = [
            "# Do the defaults keep their promises?",
            f"**Answer.** {held} of {len(self.rows)} rates are within their error of what is "
            f"promised or on the safe side; of the others, {len(self.rows) - held - silent} are "
            f"warned of and {silent} are not.",
            "Systems made equal by construction, and samples from pools whose truth is known, "
            "from WMT24 en-es. *Promised* is the level of a test or of an interval; the error is "
            "two binomial standard errors. *Printed there* are the warnings that the program gives "
            f"there; one that fewer than {100 * USUALLY:.0f} % of the samples get does not count.",
            markdown(document).rstrip(),
            "Made by `make evidence`; figures and sentences come from the run itself.",
        ]
        (folder / "defaults.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def page() -> Rates:
    """Run all designs."""
    return Rates(tuple(row for design in DESIGNS for row in design()))
