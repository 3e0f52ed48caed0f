"""What every study has: settings that repeat it, one tidy table, and estimates with their errors.

Zhang & Vogel (2004, §3.1) write an interval as percents of the median, so that metrics of different
scales can be set side by side. Their rule that twice the data make it some 30 % narrower (§4.1) is
a power law of the size with an exponent of about -1/2.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar, cast

import numpy as np

from truebleu._results import Result, plain
from truebleu.corpus.test_set import fingerprint
from truebleu.errors import ArgumentTypeError
from truebleu.reports.document import Column, Document, Plot, Table, charted_document
from truebleu.schema import verb
from truebleu.significance.intervals import percentile_interval
from truebleu.significance.student import student_quantile
from truebleu.significance.tests import monte_carlo_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.corpus.nbest import NBest
    from truebleu.corpus.test_set import TestSet, TextLike
    from truebleu.metrics.base import Metric

__all__ = ["StudyResult"]

Row: TypeAlias = dict[str, Any]
Settings: TypeAlias = dict[str, Any]
Studied = TypeVar("Studied", bound=Callable[..., Any])

# Arguments of studies that are no settings: what was studied is told by its fingerprints.
DATA = ("test_set", "metrics", "metric", "human")
LISTS = ("lists", "references", "test_lists", "test_references", "decoders")
NOT_SETTINGS = (*DATA, *LISTS, "runner")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class StudyResult(Result):
    """What a study returns: its settings, one tidy table, what that says, and a plot of it.

    Attributes:
        settings: all that is needed to repeat it: the arguments, with what was chosen for those
            that were left open, `study`, its name, and `pool`, the texts by sizes, names and
            fingerprints.
        title: of the table and of the chart.
        columns: of the table.
        rows: by the names of the columns; further names are for the chart and for programs.
        sentences: what the rows say.
        plot: how they are drawn; error bars end at what a row has as `_low` and `_high` of y.
        drawn: the rows of the chart, where those of the table are not.
        shown: the table for people, where theirs is not one row for each of `rows`.
        details: what is not of a single row, such as a law that was fitted to several.
    """

    REPORT: ClassVar[str] = "truebleu.studies._study:study_document"

    settings: Settings
    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    sentences: Sequence[str]
    plot: Plot
    drawn: Sequence[Row] | None = None
    shown: Table | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--format json`` prints them."""
        names = ("settings", "rows", "drawn", "details", "sentences")
        values = {name: plain(getattr(self, name)) for name in names if getattr(self, name)}
        return {"version": self.VERSION, "study": self.settings["study"], **values}


def study_document(result: StudyResult) -> Document:
    """The table, what it says, and the chart."""
    table, plot = Table(tuple(result.columns), tuple(result.rows)), result.plot
    drawn = table.rows if result.drawn is None else tuple(result.drawn)
    names = {name: None for row in drawn for name in row if name not in table.names}
    errors = (f"{plot.y}_low", f"{plot.y}_high")
    if errors[0] in names or errors[0] in table.names:
        plot = replace(plot, errors=errors)
    return charted_document(
        result.title,
        result.shown or table,
        result.sentences,
        plot,
        chart=Table((*table.columns, *(Column(name, name.capitalize()) for name in names)), drawn),
        data=table,
    )


# The objects that studies take, and where their classes are.
OBJECTS = {
    "test_set": "truebleu.corpus.test_set:TestSet",
    "lists": "truebleu.corpus.nbest:NBest",
    "test_lists": "truebleu.corpus.nbest:NBest",
    "human": "truebleu.agreement.data:Human",
    "runner": "truebleu.execution.journal:Runner",
}


def study(function: Studied) -> Studied:
    """A verb, which refuses other objects than its annotations name as well."""
    checked, signature = verb(function), inspect.signature(function)

    @wraps(checked)
    def call(*arguments: Any, **named: Any) -> StudyResult:
        asked = signature.bind_partial(*arguments, **named).arguments
        for name in asked.keys() & OBJECTS.keys():
            module, _, kind = OBJECTS[name].partition(":")
            is_left_out = name == "runner" and asked[name] is None
            if not is_left_out and not isinstance(
                asked[name], getattr(import_module(module), kind)
            ):
                raise ArgumentTypeError(name, asked[name], f"an object of the class {kind}")
        return cast("StudyResult", checked(*arguments, **named))

    return cast("Studied", call)


def settings_of(
    study: str, arguments: Mapping[str, Any], pool: Settings, **chosen: object
) -> Settings:
    """All that is needed to repeat a study; also the first line of its journal.

    Args:
        study: its name.
        arguments: those of the function.
        pool: what was studied.
        chosen: what was chosen for arguments that were left open.
    """
    asked = {name: value for name, value in arguments.items() if name not in NOT_SETTINGS}
    settings: Settings = plain({"study": study, "pool": pool, **asked, **chosen})
    return settings


def pool_settings(
    test_set: TestSet, metrics: Sequence[Metric], labels: Sequence[str], unit: str
) -> Settings:
    """A test set, known by sizes, names and fingerprints."""
    references = test_set.references_per_segment
    labelled = {"documents": test_set.documents, "domains": test_set.domains}
    known = {name: labels for name, labels in labelled.items() if labels is not None}
    return {
        "segments": len(test_set),
        "systems": list(test_set.systems),
        "references": len(test_set.references),
        "reference_names": list(test_set.reference_names),
        **{name: len(set(labels)) for name, labels in known.items()},
        "unit": unit,
        "metrics": metric_settings(metrics, labels, references),
        "references_fingerprint": fingerprint(test_set.references),
        "outputs_fingerprint": fingerprint(list(test_set.systems.values())),
        **{f"{name}_fingerprint": fingerprint([labels]) for name, labels in known.items()},
    }


def lists_settings(
    lists: NBest, references: Sequence[TextLike], metrics: Sequence[Metric]
) -> Settings:
    """N-best lists, which have no systems, known likewise."""
    labels = [metric.name for metric in metrics]
    return {
        "segments": len(lists),
        "references": len(references),
        "unit": "segment",
        "metrics": metric_settings(metrics, labels, len(references)),
        "references_fingerprint": fingerprint(references),
        "outputs_fingerprint": fingerprint([lists.texts]),
    }


def metric_settings(
    metrics: Iterable[Metric], labels: Iterable[str], references: int | None
) -> list[Settings]:
    """Metrics by their labels in rows and their signatures on so many references."""
    return [
        {"label": label, "signature": str(metric.signature.with_references(references))}
        for metric, label in zip(metrics, labels, strict=True)
    ]


# Rates and means over samples, with the error that they have by chance.


# Many tests, levels and metrics are judged side by side: at 95 % every twentieth of them would be
# blamed for what was chance.
REJECTION_CONFIDENCE = 0.99


def columns(text: str) -> tuple[Column, ...]:
    """Columns, written as ``name: Heading [format]`` with | between them.

    A heading that is left out is the name. Formats are Python's; % is for shares.

    >>> metric, width = columns("metric | width: Relative width [+.2%]")
    >>> metric.heading, width.heading, width.cell(0.5)
    ('Metric', 'Relative width', '+50.00 %')
    """
    return tuple(map(_column, text.split("|")))


def _column(text: str) -> Column:
    title, _, form = text.strip().removesuffix("]").partition(" [")
    name, _, heading = title.partition(": ")
    digits = form.strip("+.f%")
    return Column(
        name,
        heading or name.capitalize(),
        int(digits) if digits else None,
        percent="%" in form,
        sign="+" in form,
    )


def bounded(name: str, heading: str, low: str = "from") -> str:
    """A share and the bounds of its interval, as `columns` reads them."""
    return f"{name}: {heading} [.1%] | {name}_low: {low} [.1%] | {name}_high: to [.1%]"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share or a mean, with its interval of 95 % where there is one."""

    value: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        value = f"{100 * self.value:.1f} %"
        if self.low is None or self.high is None:
            return value
        return f"{value} ({100 * self.low:.1f} to {100 * self.high:.1f})"

    def cells(self, name: str) -> Row:
        """Those of the columns that `bounded` writes."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}

    @classmethod
    def from_cells(cls, row: Row, name: str) -> Estimate:
        """What a row has in those columns."""
        return cls(row[name], row[f"{name}_low"], row[f"{name}_high"])


def mean_estimate(values: ArrayLike) -> Estimate:
    """The mean over independent samples; its error is Student's, and a single one has none."""
    array = np.asarray(values, dtype=np.float64)
    mean = float(array.mean())
    if len(array) < 2:
        return Estimate(mean)
    error = float(array.std(ddof=1)) / len(array) ** 0.5
    half = student_quantile(0.95, len(array) - 1) * error
    return Estimate(mean, mean - half, mean + half)


def binomial_rate(hits: int, trials: int, confidence: float = 0.95) -> Estimate:
    """A share of independent trials, with its binomial interval (Wilson 1927)."""
    return _rate(hits / trials, trials, confidence)


def rejection_rate(rejections: int, trials: int) -> Estimate:
    """The same with an interval of 99 %, for rates of which many are judged side by side."""
    return binomial_rate(rejections, trials, REJECTION_CONFIDENCE)


def clustered_rate(hits: ArrayLike) -> Estimate:
    """A share of hits, shaped (sample, anything), where only samples are independent.

    All systems and pairs are tested on the same samples, so their hits are correlated.
    """
    array = np.asarray(hits, dtype=np.float64)
    by_sample = array.reshape(len(array), -1)
    totals = np.full(len(by_sample), by_sample.shape[1])
    return ratio_rate(by_sample.sum(axis=1), totals)


def ratio_rate(hits: ArrayLike, totals: ArrayLike) -> Estimate:
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


def _rate(value: float, trials: int, confidence: float = 0.95) -> Estimate:
    low, high = (float(bound) for bound in monte_carlo_interval(value, trials, confidence))
    # At 0 and 1 the bound is the share itself, but for rounding.
    return Estimate(value, min(low, value), max(high, value))


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


def doubling(sizes: Sequence[int], widths: Floats) -> Estimate | None:
    """By which share doubling narrows intervals, from widths shaped (repetition, size).

    The law is that of the means over repetitions, as the paper averages. Its error is that of
    another random growth of the same pool: a law is fitted to every repetition too. None where
    there is no law.
    """
    law = fit_law(sizes, mean_of_known(widths))
    if law is None:
        return None
    single = [law.narrowing for law in (fit_law(sizes, row) for row in widths) if law is not None]
    error, value = mean_estimate(single), law.narrowing
    if error.low is None or error.high is None:
        return Estimate(value)
    return Estimate(value, value + error.low - error.value, value + error.high - error.value)
