"""What every study has: settings that repeat it, typed rows, and estimates with their errors.

Zhang & Vogel (2004, §3.1) write an interval as percents of the median, so that metrics of different
scales can be set side by side. Their rule that twice the data make it some 30 % narrower (§4.1) is
a power law of the size with an exponent of about -1/2.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from truebleu._results import Result
from truebleu.corpus.test_set import fingerprint
from truebleu.significance.intervals import percentile_interval
from truebleu.significance.student import student_quantile
from truebleu.significance.tests import monte_carlo_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.corpus.nbest.lists import NBest
    from truebleu.corpus.test_set import TestSet, TextLike
    from truebleu.metrics.base import Metric


VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedMetric:
    """A metric of a study.

    Attributes:
        label: its name in rows.
        signature: all that must match before two scores may be compared.
        higher_is_better: None for a metric without direction.
        digits: decimals that its scores deserve.
    """

    label: str
    signature: str
    higher_is_better: bool | None
    digits: int

    @classmethod
    def of(cls, metric: Metric, label: str, references: int | None) -> StudiedMetric:
        """The metric on a test set with so many references."""
        return cls(
            label=label,
            signature=str(metric.signature.with_references(references)),
            higher_is_better=metric.higher_is_better,
            digits=metric.digits,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSummary:
    """The texts of a study, known by sizes, names and fingerprints.

    Attributes:
        segments: of the test set.
        systems: their names; empty where systems are simulated.
        references: how many there are.
        reference_names: of the files or columns.
        documents: how many there are, if that is known.
        domains: how many there are, if that is known.
        unit: what is sampled and resampled.
        metrics: by which the systems are scored.
        references_fingerprint: tells other references from these; None where they are simulated.
        outputs_fingerprint: tells other outputs from these; likewise.
        documents_fingerprint: tells other documents from these; None where they are unknown.
        domains_fingerprint: tells other domains from these; likewise.
        counts_fingerprint: tells other counts from these, whatever they were made of: texts,
            parses, score files; None where nothing is counted before the study begins.
    """

    segments: int
    systems: tuple[str, ...] = ()
    references: int
    reference_names: tuple[str, ...] = ()
    documents: int | None = None
    domains: int | None = None
    unit: str = "segment"
    metrics: tuple[StudiedMetric, ...]
    references_fingerprint: str | None = None
    outputs_fingerprint: str | None = None
    documents_fingerprint: str | None = None
    domains_fingerprint: str | None = None
    counts_fingerprint: str | None = None

    @classmethod
    def of(
        cls, test_set: TestSet, metrics: Sequence[Metric], labels: Sequence[str], unit: str
    ) -> PoolSummary:
        """The summary of a test set."""
        references = test_set.references_per_segment
        return cls(
            segments=len(test_set),
            systems=tuple(test_set.systems),
            references=len(test_set.references),
            reference_names=tuple(test_set.reference_names),
            documents=None if test_set.documents is None else len(set(test_set.documents)),
            domains=None if test_set.domains is None else len(set(test_set.domains)),
            unit=unit,
            metrics=tuple(
                StudiedMetric.of(metric, label, references)
                for metric, label in zip(metrics, labels, strict=True)
            ),
            references_fingerprint=fingerprint(test_set.references),
            outputs_fingerprint=fingerprint(list(test_set.systems.values())),
            documents_fingerprint=_of_labels(test_set.documents),
            domains_fingerprint=_of_labels(test_set.domains),
        )

    @classmethod
    def of_lists(
        cls, lists: NBest, references: Sequence[TextLike], metrics: Iterable[Metric]
    ) -> PoolSummary:
        """The summary of n-best lists, which have no systems."""
        return cls(
            segments=len(lists),
            references=len(references),
            metrics=tuple(
                StudiedMetric.of(metric, metric.name, len(references)) for metric in metrics
            ),
            references_fingerprint=fingerprint(references),
            outputs_fingerprint=fingerprint([lists.texts]),
        )

    def metric(self, label: str) -> StudiedMetric:
        """The metric of this name."""
        return next(metric for metric in self.metrics if metric.label == label)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySettings:
    """All that is needed to repeat a study; the journal's first line.

    Attributes:
        pool: what was studied.
        seed: of all that is drawn.
    """

    STUDY: ClassVar[str]
    #: Goes up when a study's tasks find something else for the same settings and counts.
    METHOD: ClassVar[int] = 1

    pool: PoolSummary
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, with the study's name."""
        return {"study": self.STUDY, "method": self.METHOD, **_fields(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyResult(Result):
    """The base of what studies return: their settings and typed rows."""

    settings: StudySettings

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--format json`` prints them."""
        return {"version": VERSION, "study": self.settings.STUDY, **_fields(self)}


def _of_labels(labels: Sequence[str] | None) -> str | None:
    return None if labels is None else fingerprint([labels])


def plain(value: Any) -> Any:
    """Dataclasses as dictionaries and tuples as lists, as JSON has them."""
    if is_dataclass(value):
        return _fields(value)
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    return value


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: plain(getattr(value, field.name)) for field in fields(value)}


# Rates and means over samples, with the error that they have by chance.


# Many tests, levels and metrics are judged side by side: at 95 % every twentieth of them would be
# blamed for what was chance.
REJECTION_CONFIDENCE = 0.99


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something happened, as a share, with its 95 % interval."""

    value: float
    low: float
    high: float

    def holds(self, expected: float) -> bool:
        """Whether the expected share is within the error."""
        return self.low <= expected <= self.high

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f})"


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its 95 % error over independent samples; no error from a single one."""

    value: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """The mean of values; the error is Student's, that of a mean over so many."""
        array = np.asarray(values, dtype=np.float64)
        mean = float(array.mean())
        if len(array) < 2:
            return cls(mean, None, None)
        error = float(array.std(ddof=1)) / len(array) ** 0.5
        half = student_quantile(0.95, len(array) - 1) * error
        return cls(mean, mean - half, mean + half)

    def around(self, value: float) -> Mean:
        """The same error around another value."""
        if self.low is None or self.high is None:
            return Mean(value, None, None)
        return Mean(value, value + self.low - self.value, value + self.high - self.value)

    def negated(self) -> Mean:
        """The same with the other sign."""
        low = None if self.high is None else -self.high
        return Mean(-self.value, low, None if self.low is None else -self.low)

    def percent(self) -> str:
        """For a sentence: the share in percent, with the error where there is one."""
        if self.low is None or self.high is None:
            return f"{100 * self.value:.1f} %"
        return f"{100 * self.value:.1f} % (error {100 * self.low:.1f} to {100 * self.high:.1f})"


def binomial_rate(hits: int, trials: int) -> Rate:
    """A share of independent trials, with its binomial interval (Wilson 1927)."""
    return _rate(hits / trials, trials)


def rejection_rate(rejections: int, trials: int) -> Rate:
    """The same with an interval of 99 %, for rates of which many are judged side by side."""
    value = rejections / trials
    low, high = monte_carlo_interval(value, trials, REJECTION_CONFIDENCE)
    return Rate(value, float(low), float(high))


def clustered_rate(hits: ArrayLike) -> Rate:
    """A share of hits, shaped (sample, anything), where only samples are independent.

    All systems and pairs are tested on the same samples, so their hits are correlated.
    """
    array = np.asarray(hits, dtype=np.float64)
    by_sample = array.reshape(len(array), -1)
    totals = np.full(len(by_sample), by_sample.shape[1])
    return ratio_rate(by_sample.sum(axis=1), totals)


def ratio_rate(hits: ArrayLike, totals: ArrayLike) -> Rate:
    """A share of hits in trials, of which every sample has some, many or none; shaped (sample,).

    The variance of the share is that of a ratio of two sums over independent samples (Cochran
    1977, §6.4). The interval is Wilson's of as many independent trials as would vary as much, and
    of no more than there are. Where all trials hit, or none does, the samples show no variance:
    then they count as one trial each.
    """
    hit, total = np.asarray(hits, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    hit, total = hit[total > 0], total[total > 0]
    count, trials = len(total), float(total.sum())
    share = float(hit.sum()) / trials
    equivalent = float(count)
    if count > 1 and 0 < share < 1:
        residuals = hit - share * total
        variance = float(residuals @ residuals) * count / (count - 1) / trials**2
        equivalent = min(trials, share * (1 - share) / variance) if variance > 0 else trials
    return _rate(share, max(1, round(equivalent)))


def _rate(value: float, trials: int) -> Rate:
    low, high = (float(bound) for bound in monte_carlo_interval(value, trials, 0.95))
    # At 0 and 1 the bound is the share itself, but for rounding.
    return Rate(value, min(low, value), max(high, value))


# Widths of intervals relative to the score, and the law by which they narrow.


Floats: TypeAlias = "NDArray[np.float64]"

#: What independent units would give: 1 - 1 / sqrt(2).
SQUARE_ROOT_NARROWING = 1 - 2**-0.5
# A law has two unknowns; one size more shows whether it is one.
FEWEST_SIZES = 3
# Axes of what `relative_intervals` keeps of each system.
MEDIAN, LOW, HIGH = range(3)


def relative_intervals(scores: Floats, level: float) -> Floats:
    """Each system's median, and the bounds of its interval as shares of the median's size.

    The same as `medians_and_relative_intervals` as an array, shaped (3, system). A median of 0 has
    no shares: its bounds are NaN, which never leaves this module; see `as_record`.
    """
    low, high = percentile_interval(scores, level)
    median = np.median(scores, axis=0)
    size = np.where(median == 0, np.nan, np.abs(median))
    return np.stack([median, (low - median) / size, (high - median) / size])


def as_record(values: Floats) -> list[object]:
    """The values as nested lists for a journal, with None where there is none."""
    plain = values.astype(object)
    plain[np.isnan(values)] = None
    listed: list[object] = plain.tolist()
    return listed


def from_record(values: object) -> Floats:
    """The values as an array, with NaN where there is none."""
    return np.array(values, dtype=np.float64)


def mean_of_known(values: Floats, axis: int | tuple[int, ...] = 0) -> Floats:
    """Means along an axis over what is known; NaN where nothing is."""
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.asarray(np.where(count == 0, np.nan, total / np.maximum(count, 1)))


def or_none(value: float) -> float | None:
    """A number for a table: None instead of NaN."""
    return None if np.isnan(value) else float(value)


@dataclass(frozen=True, slots=True)
class Law:
    """width = constant * size ** exponent, by least squares on logarithms.

    Attributes:
        constant: the width that one unit would have.
        exponent: -0.5 for independent units.
        misfit: the largest factor, less 1, by which the law misses a width that it was fitted to.
    """

    constant: float
    exponent: float
    misfit: float

    @property
    def narrowing(self) -> float:
        """By which share doubling the data narrows the interval; below 0 where it widens it."""
        return float(1 - 2**self.exponent)

    def width(self, size: float) -> float:
        """The width at a size."""
        return float(self.constant * size**self.exponent)

    def size(self, width: float) -> float | None:
        """The size at which the interval has this width; None where more data do not narrow it."""
        if self.exponent >= 0:
            return None
        return float((width / self.constant) ** (1 / self.exponent))


def fit_law(sizes: Sequence[int], widths: ArrayLike) -> Law | None:
    """The law of widths at these sizes; None with fewer than three widths that are above 0.

    >>> law = fit_law([100, 200, 400], [0.2, 0.2 / 2**0.5, 0.1])
    >>> round(law.exponent, 6), round(law.narrowing, 3)
    (-0.5, 0.293)
    """
    values = np.asarray(widths, dtype=np.float64)
    # A comparison with NaN is false, so that what is not known is left out too.
    fit = values > 0
    if fit.sum() < FEWEST_SIZES:
        return None
    x, y = np.log(np.asarray(sizes, dtype=np.float64)[fit]), np.log(values[fit])
    exponent = float(((x - x.mean()) * y).sum() / ((x - x.mean()) ** 2).sum())
    intercept = float(y.mean() - exponent * x.mean())
    misfit = float(np.expm1(np.abs(y - intercept - exponent * x).max()))
    return Law(float(np.exp(intercept)), exponent, misfit)


def doubling(sizes: Sequence[int], widths: Floats) -> Mean | None:
    """By which share doubling narrows intervals, from widths shaped (repetition, size).

    The law is that of the means over repetitions, as the paper averages. Its error is that of
    another random growth of the same pool: a law is fitted to every repetition too. None where
    there is no law.
    """
    law = fit_law(sizes, mean_of_known(widths))
    if law is None:
        return None
    single = [law.narrowing for law in (fit_law(sizes, row) for row in widths) if law is not None]
    return Mean.of(single).around(law.narrowing)
