"""Studies as documents, by subject, and what their reports share: cells of rates, and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu.reports.document import Column
from truebleu.significance.tests import fewest_units
from truebleu.studies._tests import STUDY_TESTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from truebleu.reports.document import Row, Value
    from truebleu.studies._study import Mean, Rate
    from truebleu.studies.power import Tie, TrialSettings

TEST_TITLES = {name: test.title for name, test in STUDY_TESTS.items()}
NULL_TITLES = {
    "segment": "outputs swapped by segment",
    "document": "outputs swapped by document",
    "simulated": "simulated systems with equal channels",
    "sampled": "samples of two systems with one score on the whole test set",
}


def rate_columns(name: str, heading: str, low: str = "from") -> tuple[Column, ...]:
    """A share with the bounds of its interval."""
    return (
        Column(name, heading, 1, percent=True),
        Column(f"{name}_low", low, 1, percent=True),
        Column(f"{name}_high", "to", 1, percent=True),
    )


def rate_of(name: str) -> dict[str, Callable[[Any], Value]]:
    """The cells of those columns, for rows that have the share as an attribute of that name."""

    def cell_of(cell: str) -> Callable[[Any], Value]:
        return lambda row: rate_cells(name, getattr(row, name))[cell]

    return {cell: cell_of(cell) for cell in (name, f"{name}_low", f"{name}_high")}


def title_of_test(row: Any) -> str:
    """The title of the test that a row is about."""
    return TEST_TITLES[row.test]


def rate_cells(name: str, rate: Rate | Mean | None) -> Row:
    """The cells of those columns."""
    if rate is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: rate.value, f"{name}_low": rate.low, f"{name}_high": rate.high}


def trial_notes(settings: TrialSettings, ties: Sequence[Tie], alpha: float) -> list[str]:
    """What a reader must know of trials: ties, metrics without direction, samples too small."""
    notes = []
    for metric in settings.pool.metrics:
        tied = [f"{tie.a} and {tie.b}" for tie in ties if tie.metric == metric.label]
        if tied:
            notes.append(
                f"{metric.label}: {'; '.join(tied)} tie in the pool, so no conclusion about them "
                "can be right."
            )
        if metric.higher_is_better is None:
            notes.append(
                f"{metric.label} has no better or worse: a right conclusion says which system has "
                "more, as in the pool."
            )
    least = fewest_units(alpha)
    small = [size for size in settings.sizes if size < least]
    if small and "ar" in settings.tests:
        notes.append(
            f"{TEST_TITLES['ar'].capitalize()} of {small[-1]} {settings.pool.unit}s cannot "
            f"conclude anything at the level {100 * (1 - alpha):g} %: it needs at least {least}."
        )
    return notes
