"""Which pairs each metric tells apart: the tables, the charts and the sentences of sensitivity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.exhibits import Exhibit, Field, Plot, Row
from truebleu.inference.arguments import TIE_TOLERANCE
from truebleu.inference.multiplicity import adjust
from truebleu.studies.apparatus.conclusions import TEST_NAMES
from truebleu.studies.apparatus.widths import (
    HIGH,
    LOW,
    MEDIAN,
    Spread,
    from_record,
    mean_of_known,
    or_none,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.inference.counted import Counted
    from truebleu.inference.replication import Pair
    from truebleu.studies.apparatus.journal import Key, Record
    from truebleu.studies.apparatus.pool import Pool

TESTS = ("interval", "ar")
# Where every metric tells apart at least this share, more data cannot show which is better at it.
SATURATED = 0.95

FIELDS = (
    Field("metric", "Metric"),
    Field("size", "Units"),
    Field("samples", "Samples"),
    Field("test", "Test"),
    Field("correction", "Correction"),
    Field("pairs", "Pairs"),
    Field("told", "Told apart", 1),
    Field("share", "Share", 1, percent=True),
    Field("low", "from", 1, percent=True),
    Field("high", "to", 1, percent=True),
    Field("width", "Relative width", 2, percent=True),
)
PLOT_FIELDS = (Field("by", "Test and correction"), Field("on", "Sample"))
SYSTEM_FIELDS = (
    Field("metric", "Metric"),
    Field("size", "Units"),
    Field("system", "System"),
    Field("median", "Median", 3),
    Field("low", "Interval from", 2, percent=True, sign=True),
    Field("high", "to", 2, percent=True, sign=True),
    Field("width", "Relative width", 2, percent=True),
    Field("told", "Others told apart", 1),
)


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """What one metric concluded on the samples of one size.

    Attributes:
        one: the metric, with its counts of the whole.
        size: units in a sample.
        p: p-values by test, shaped (sample, pair).
        scores: shaped (sample, system).
        intervals: medians and relative bounds, shaped (sample, value, system).
    """

    one: Counted
    size: int
    p: Mapping[str, NDArray[np.float64]]
    scores: NDArray[np.float64]
    intervals: NDArray[np.float64]

    @classmethod
    def of(cls, one: Counted, size: int, records: Mapping[Key, Record]) -> _Told:
        """What the records of this size say of the metric."""
        found = [record[one.label] for key, record in records.items() if key[0] == size]
        return cls(
            one,
            size,
            {test: np.array([record[test] for record in found]) for test in TESTS},
            np.array([record["scores"] for record in found]),
            np.stack([from_record(record["intervals"]) for record in found]),
        )

    def apart(self, test: str, correction: str, alpha: float) -> NDArray[np.bool_]:
        """Which pairs are told apart, shaped (sample, pair)."""
        # A share of wins that means 0.05 is not quite that in floats, nor a multiple of it.
        limit = alpha * (1 + TIE_TOLERANCE)
        return np.stack([adjust(p, correction) <= limit for p in self.p[test]])

    @property
    def widths(self) -> NDArray[np.float64]:
        """The systems' mean relative widths over samples."""
        return mean_of_known(self.intervals[:, HIGH] - self.intervals[:, LOW])

    @property
    def width(self) -> float:
        """The mean relative width of all systems; NaN where none has one."""
        return float(mean_of_known(self.widths))


def sensitivity_exhibit(
    pool: Pool, pairs: Sequence[Pair], records: Mapping[Key, Record], settings: dict[str, Any]
) -> Exhibit:
    """The result of the study, from the p-values and intervals of every sample."""
    told = [_Told.of(one, size, records) for size in settings["sizes"] for one in pool.counted]
    by_system = settings["by_system"]
    rows = (
        [row for one in told for row in _system_rows(pool, pairs, one, settings)]
        if by_system
        else [row for one in told for row in _test_rows(one, settings)]
    )
    several = len(settings["sizes"]) > 1
    return Exhibit(
        name="sensitivity",
        title=f"Relative intervals of the level {100 * settings['level']:g} % by metric and system"
        if by_system
        else f"Pairs of {len(pool.names)} systems told apart at the level "
        f"{100 * settings['level']:g} %, by metric",
        fields=SYSTEM_FIELDS if by_system else FIELDS,
        rows=tuple(rows),
        findings=tuple(_findings(pool, pairs, told, settings)),
        plot=Plot(
            mark="point",
            x="system",
            y="width",
            series="metric",
            panel="size" if several else None,
            zero_y=True,
        )
        if by_system
        else Plot(
            mark="bar",
            x="metric",
            y="share",
            low="low",
            high="high",
            interval="95 % over samples",
            series="by",
            panel="on" if several else None,
            zero_y=True,
        ),
        plot_rows=None if by_system else tuple(_named(row, pool) for row in rows),
        plot_fields=() if by_system else PLOT_FIELDS,
        settings=settings,
    )


def _named(row: Row, pool: Pool) -> Row:
    correction = "" if row["correction"] == "none" else f", {row['correction']}"
    return {**row, "by": f"{row['test']}{correction}", "on": f"{row['size']} {pool.unit}s"}


def _alpha(settings: Mapping[str, Any]) -> float:
    return round(1 - float(settings["level"]), 12)


def _corrections(settings: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(("none", settings["correction"])))


def _test_rows(told: _Told, settings: Mapping[str, Any]) -> list[Row]:
    rows: list[Row] = []
    for test in TESTS:
        for correction in _corrections(settings):
            apart = told.apart(test, correction, _alpha(settings))
            spread = Spread.of(apart.mean(axis=1).tolist())
            rows.append(
                {
                    "metric": told.one.label,
                    "size": told.size,
                    "samples": len(apart),
                    "test": TEST_NAMES[test],
                    "correction": correction,
                    "pairs": apart.shape[1],
                    "told": float(apart.sum(axis=1).mean()),
                    "share": spread.value,
                    "low": None if spread.low is None else max(0.0, spread.low),
                    "high": None if spread.high is None else min(1.0, spread.high),
                    "width": or_none(told.width),
                }
            )
    return rows


def _system_rows(
    pool: Pool, pairs: Sequence[Pair], told: _Told, settings: Mapping[str, Any]
) -> list[Row]:
    apart = told.apart("ar", settings["correction"], _alpha(settings)).mean(axis=0)
    means = mean_of_known(told.intervals)
    return [
        {
            "metric": told.one.label,
            "size": told.size,
            "system": name,
            "median": float(means[MEDIAN, system]),
            "low": or_none(means[LOW, system]),
            "high": or_none(means[HIGH, system]),
            "width": or_none(told.widths[system]),
            "told": float(
                sum(share for share, pair in zip(apart, pairs, strict=True) if system in pair)
            ),
        }
        for system, name in enumerate(pool.names)
    ]


def _findings(
    pool: Pool, pairs: Sequence[Pair], told: Sequence[_Told], settings: Mapping[str, Any]
) -> list[str]:
    found: list[str] = []
    for size in settings["sizes"]:
        of_size = [one for one in told if one.size == size]
        start = f"On {size:,} {pool.unit}s"
        found += _most(start, of_size, settings)
        found += _opposed(start, of_size, pairs, settings)
        found += _narrowest(start, of_size)
    return found


def _most(start: str, told: Sequence[_Told], settings: Mapping[str, Any]) -> list[str]:
    """The metric that tells most pairs apart by approximate randomization, and how sure that is."""
    alpha, correction = _alpha(settings), settings["correction"]
    apart = {one.one.label: one.apart("ar", correction, alpha) for one in told}
    order = sorted(apart, key=lambda label: -float(apart[label].mean()))
    pairs = apart[order[0]].shape[1]
    corrected = "without correction" if correction == "none" else f"corrected ({correction})"
    amounts = ", ".join(f"{label} {_amount(apart[label])}" for label in order)
    found = [
        f"{start}, pairs of {pairs} told apart by approximate randomization, {corrected}: "
        f"{amounts}."
    ]
    if len(order) == 1:
        found.append("Another metric (-m) would show which of them tells more pairs apart.")
    for other in order[1:]:
        found.append(f"{start}: {_beside(order[0], apart[order[0]], other, apart[other])}.")
    if len(order) > 1 and min(float(one.mean()) for one in apart.values()) >= SATURATED:
        found.append(
            f"{start} every metric tells at least {100 * SATURATED:g} % of the pairs apart; "
            "smaller samples (--sizes) show more of how metrics differ."
        )
    return found


def _amount(apart: NDArray[np.bool_]) -> str:
    told = float(apart.sum(axis=1).mean())
    number = f"{told:.0f}" if told == int(told) else f"{told:.1f}"
    return f"{number} ({100 * apart.mean():.1f} %)"


def _beside(best: str, apart: NDArray[np.bool_], other: str, others: NDArray[np.bool_]) -> str:
    """How two metrics differ: by the pairs that only one of them tells apart."""
    only, only_other = (apart & ~others).sum(axis=1), (others & ~apart).sum(axis=1)
    counts = f"{best} alone tells {only.mean():g} pairs apart, {other} alone {only_other.mean():g}"
    if len(apart) == 1:
        return counts
    difference = Spread.of((apart.mean(axis=1) - others.mean(axis=1)).tolist())
    low, high = difference.low or 0.0, difference.high or 0.0
    sure = "clear" if low > 0 else "within the error"
    return (
        f"{counts} on average; the difference of {100 * difference.value:.1f} points "
        f"({100 * low:.1f} to {100 * high:.1f} over {len(apart)} samples) is {sure}"
    )


def _opposed(
    start: str, told: Sequence[_Told], pairs: Sequence[Pair], settings: Mapping[str, Any]
) -> list[str]:
    """Pairs of which two metrics are sure in opposite directions: sensitive is not right."""
    left, right = np.array(pairs).T
    directed = [one for one in told if one.one.metric.higher_is_better is not None]
    better = [
        one.apart("ar", settings["correction"], _alpha(settings))
        * np.sign(one.one.sign * (one.scores[:, left] - one.scores[:, right]))
        for one in directed
    ]
    found = []
    for first, one in enumerate(directed):
        for second in range(first + 1, len(directed)):
            opposed = float((better[first] * better[second] < 0).sum(axis=1).mean())
            if opposed:
                found.append(
                    f"{one.one.label} and {directed[second].one.label} the other way round "
                    f"in {opposed:g}"
                )
    if not found:
        return []
    return [f"{start}, two metrics tell pairs apart with opposite winners: {'; '.join(found)}."]


def _narrowest(start: str, told: Sequence[_Told]) -> list[str]:
    known = sorted((one.width, one.one.label) for one in told if not np.isnan(one.width))
    without = [one.one.label for one in told if np.isnan(one.width)]
    found = []
    if known:
        widths = ", ".join(f"{label} {100 * width:.2f} %" for width, label in known)
        found.append(f"{start} the mean widths of the intervals, of the score, are {widths}.")
    if without:
        found.append(
            f"{start} there is no relative interval of {', '.join(without)}: medians are 0."
        )
    return found
