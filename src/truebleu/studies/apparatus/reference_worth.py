"""What references are worth in test data: the table, the chart and the sentences of that study."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.exhibits import Exhibit, Field, Plot, Row
from truebleu.studies.apparatus.widths import (
    HIGH,
    LOW,
    Law,
    Spread,
    fit_law,
    from_record,
    mean_of_known,
    or_none,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.studies.apparatus.journal import Key, Record
    from truebleu.studies.apparatus.pool import Pool

# Relative differences of widths below this are rounding.
SAME = 1e-9

FIELDS = (
    Field("metric", "Metric"),
    Field("references", "References"),
    Field("sets", "Sets"),
    Field("share", "Share", percent=True),
    Field("size", "Units"),
    Field("median", "Mean of medians", 3),
    Field("low", "Interval from", 2, percent=True, sign=True),
    Field("high", "to", 2, percent=True, sign=True),
    Field("width", "Relative width", 2, percent=True),
    Field("alone", "As one reference on", 0, percent=True),
)
PLOT_FIELDS = (Field("with", "References"),)


@dataclass(frozen=True, slots=True, eq=False)
class _WithReferences:
    """One metric with so many references.

    Attributes:
        count: the number of references.
        sets: how many sets of so many there were.
        values: medians and bounds, shaped (size, value), means over all else.
        widths: shaped (repetition, size), means over sets and systems.
        by_system: shaped (system, size).
        sizes: the units of each size.
    """

    count: int
    sets: int
    values: NDArray[np.float64]
    widths: NDArray[np.float64]
    by_system: NDArray[np.float64]
    sizes: Sequence[int]

    @classmethod
    def of(cls, count: int, found: NDArray[np.float64], sizes: Sequence[int]) -> _WithReferences:
        """Of values shaped (set, size, repetition, value, system)."""
        widths = found[:, :, :, HIGH] - found[:, :, :, LOW]
        return cls(
            count,
            len(found),
            mean_of_known(found, axis=(0, 2, 4)),
            mean_of_known(widths, axis=(0, 3)).T,
            mean_of_known(widths, axis=(0, 2)).T,
            sizes,
        )

    @property
    def law(self) -> Law | None:
        """By which the mean width narrows."""
        return fit_law(self.sizes, mean_of_known(self.widths))


def references_exhibit(
    pool: Pool, records: Mapping[Key, Record], subject: dict[str, Any]
) -> Exhibit:
    """The result of the study, from the values of every set of references."""
    rows: list[Row] = []
    findings: list[str] = []
    for one in pool.counted:
        counts = sorted({len(key) - 1 for key in records})
        groups = [
            _WithReferences.of(
                count,
                np.stack(
                    [
                        from_record(record[one.label])
                        for key, record in records.items()
                        if len(key) - 1 == count
                    ]
                ),
                subject["sizes"],
            )
            for count in counts
        ]
        rows += _rows(one.label, groups, subject)
        findings += _findings(one.label, groups)
    drawn = "s were taken" if len(records) > 1 else " was taken"
    findings.append(
        f"{len(records)} set{drawn} of {subject['test_set']['references']} references, with all "
        f"systems, on the same parts and replicates; figures are means over sets, systems and "
        f"{subject['repetitions']} random growths."
    )
    return Exhibit(
        name="references",
        title=f"Relative intervals of the level {100 * subject['level']:g} % by the number of "
        "references and the share of the test set",
        fields=FIELDS,
        rows=tuple(rows),
        findings=tuple(findings),
        plot=Plot(mark="line", x="share", y="width", series="with", panel="metric"),
        plot_rows=tuple({**row, "with": _references(row["references"])} for row in rows),
        plot_fields=PLOT_FIELDS,
        settings=subject,
    )


def _references(count: object) -> str:
    return "1 reference" if count == 1 else f"{count} references"


def _rows(label: str, groups: Sequence[_WithReferences], subject: Mapping[str, Any]) -> list[Row]:
    rows: list[Row] = []
    for group in groups:
        for place, size in enumerate(group.sizes):
            median, low, high = group.values[place]
            rows.append(
                {
                    "metric": label,
                    "references": group.count,
                    "sets": group.sets,
                    "share": subject["shares"][place],
                    "size": size,
                    "median": float(median),
                    "low": or_none(low),
                    "high": or_none(high),
                    "width": or_none(high - low),
                    "alone": _alone(groups[0].law, high - low, group.sizes[-1]),
                }
            )
    return rows


def _alone(law: Law | None, width: float, size: int) -> float | None:
    """The share of the data on which one reference gives an interval of this width."""
    if law is None or not width > 0:
        return None
    needed = law.size(width)
    return None if needed is None else needed / size


def worth_in_data(fewer: Law | None, more: Law | None, size: int) -> float | None:
    """The share of so many units with which more references give the interval of fewer on all.

    By the laws of both (Zhang & Vogel 2004, Table 4, has 80 to 90 % for 2 references beside 1).
    None where a law is missing, or more data do not narrow the interval.
    """
    if fewer is None or more is None:
        return None
    needed = more.size(fewer.width(size))
    return None if needed is None else needed / size


def _findings(label: str, groups: Sequence[_WithReferences]) -> list[str]:
    widths = [float(mean_of_known(group.widths)[-1]) for group in groups]
    if any(group.law is None for group in groups):
        return [f"{label}: nothing can be said: scores are 0 or do not vary."]
    if max(widths) - min(widths) <= SAME * max(widths):
        return [f"{label}: its intervals do not depend on the references."]
    steps = [_step(label, fewer, more) for fewer, more in pairwise(groups)]
    return [_steps(label, groups, widths), *steps]


def _steps(label: str, groups: Sequence[_WithReferences], widths: Sequence[float]) -> str:
    change = 1 - widths[-1] / widths[0]
    verb = "narrower" if change > 0 else "wider"
    return (
        f"{label}: with {groups[-1].count} references the interval is {100 * abs(change):.1f} % "
        f"{verb} than with one, {100 * widths[-1]:.2f} % of the score instead of "
        f"{100 * widths[0]:.2f} %."
    )


def _step(label: str, fewer: _WithReferences, more: _WithReferences) -> str:
    """What one reference more is worth, with its spread over growths and over systems."""
    shares = _shares(fewer.widths, more.widths, more.sizes)
    by_system = _shares(fewer.by_system, more.by_system, more.sizes)
    if not shares or not by_system:
        return (
            f"{label}: what reference {more.count} is worth cannot be told: more data do not help."
        )
    spread = Spread.of(shares)
    mean = spread.value
    error = ""
    if spread.low is not None and spread.high is not None:
        error = f" (error {100 * spread.low:.0f} to {100 * spread.high:.0f})"
    lowest, highest = (f"{100 * share:.0f}" for share in (min(by_system), max(by_system)))
    systems = f", from {lowest} to {highest} by system," if lowest != highest else ""
    worth = (
        f"the further reference is worth {100 * (1 / mean - 1):.0f} % more data"
        if mean < 1
        else f"the further reference widens it as {100 * (1 - 1 / mean):.0f} % less data would"
    )
    return (
        f"{label}: all of the data with {_references(fewer.count)} give as narrow an interval as "
        f"{100 * mean:.0f} %{error}{systems} of them with {more.count}; {worth}."
    )


def _shares(
    fewer: NDArray[np.float64], more: NDArray[np.float64], sizes: Sequence[int]
) -> list[float]:
    """The share of the data that is worth a reference, for each row of widths by size."""
    found = (
        worth_in_data(fit_law(sizes, a), fit_law(sizes, b), sizes[-1])
        for a, b in zip(fewer, more, strict=True)
    )
    return [share for share in found if share is not None]
