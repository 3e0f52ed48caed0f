"""Slices of a test set: contributions to a difference by kind of segment.

A variable cuts the test set into slices, whose contributions add up to the difference. Variables
use only source, references and metadata: a slice chosen by a system's output would favour that
system, whatever the truth (see docs/explanation/contributions.md).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Literal

import numpy as np

from truebleu.errors import CorpusError, SettingError
from truebleu.explanation.contributions import mean_gradient
from truebleu.resampling import Bootstrap, on_exact_grid
from truebleu.schema import ComparedByValue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.outline import ColumnsLike, Outline
    from truebleu.corpus.test_set import TestSet
    from truebleu.counts.counts import Counts
    from truebleu.explanation.contributions import Contributions
    from truebleu.metrics.base import Scorer
    from truebleu.resampling import Units, Values

Origin = Literal["source", "reference", "metadata"]

# Fewest units in a slice that is tested.
FEWEST_UNITS = 10
# Ratio from which statistics tie: if few units carry the whole difference, the statistic of a slice
# without any of these units depends only slightly, and only on the amount of its text.
NEARLY = 0.9
# Lower limit on a variance over units, as a share of its mean over permutations. At 0, damage in a
# small slice hid behind permuted labels that met no damage; at 1, one even spread in fifteen was
# reported as uneven (evidence/damage.py).
LEAST_VARIANCE = 0.5
# Largest number of slices; the other labels are pooled as "other".
MOST_SLICES = 12
OTHER = "other"
# Largest number of values of a field by which items are sliced unasked.
MOST_VALUES = 20

MARKUP = re.compile(r"https?://|www\.|<[^>]*>|&\w+;|[@#]\w")
DIGIT = re.compile(r"\d")
QUESTION = re.compile(r"[?？؟]\W*$")
WORD = re.compile(r"\w+")


def _has_capital_inside(text: str) -> bool:
    """Return whether a capital begins a word within a sentence, often a name."""
    words = text.split()
    return any(word[0].isupper() and before[-1] not in ".!?:…" for before, word in pairwise(words))


#: Predicates of segments, by name of the variable.
SEGMENT_TRAITS: Mapping[str, Callable[[str], bool]] = {
    "has a digit": lambda text: DIGIT.search(text) is not None,
    "has a URL, markup, @ or #": lambda text: MARKUP.search(text) is not None,
    "ends with a question mark": lambda text: QUESTION.search(text) is not None,
    "has a capital inside": _has_capital_inside,
}


@dataclass(frozen=True, slots=True, eq=False)
class Variable(ComparedByValue):
    """A variable that cuts the test set into slices.

    Attributes:
        name: name of the variable.
        origin: source of the labels.
        labels: labels of the slices, in reading order.
        of_segment: index of each segment's slice.
    """

    name: str
    origin: Origin
    labels: tuple[str, ...]
    of_segment: NDArray[np.int64]

    @classmethod
    def of(cls, name: str, origin: Origin, labels: Sequence[str]) -> Variable:
        """Make a variable of labels, the largest slices first; small ones are pooled if many.

        >>> Variable.of("domain", "metadata", ["news", "sport", "news"]).labels
        ('news', 'sport')
        """
        common = [label for label, _ in Counter(labels).most_common()]
        if len(common) > MOST_SLICES:
            common = [*common[: MOST_SLICES - 1], OTHER]
        indices = {label: index for index, label in enumerate(common)}
        of_segment = [indices.get(label, len(common) - 1) for label in labels]
        return cls(name, origin, tuple(common), np.array(of_segment, dtype=np.int64))

    @classmethod
    def quarters(cls, name: str, origin: Origin, values: Sequence[float]) -> Variable | None:
        """Cut segments into quarters by a number, from low to high; None if it hardly varies."""
        numbers = np.asarray(values, dtype=np.float64)
        cuts = np.unique(np.quantile(numbers, [0.25, 0.5, 0.75]))
        cuts = cuts[cuts > numbers.min()]
        if not len(cuts):
            return None
        bounds = [f"{cut:.3g}" for cut in cuts]
        inner = [f"{low} to {high}" for low, high in pairwise(bounds)]
        labels = (f"below {bounds[0]}", *inner, f"{bounds[-1]} and more")
        return cls(name, origin, labels, np.searchsorted(cuts, numbers, side="right"))

    @classmethod
    def yes_or_no(cls, name: str, origin: Origin, values: Sequence[bool]) -> Variable | None:
        """Cut segments by a boolean; return None if all segments have one value."""
        flags = np.asarray(values, dtype=np.bool_)
        if flags.all() or not flags.any():
            return None
        return cls(name, origin, ("yes", "no"), np.where(flags, 0, 1).astype(np.int64))


def variables(
    counts: Counts,
    columns: ColumnsLike | None = None,
    word_counts: Mapping[str, int] | None = None,
) -> list[Variable]:
    """List all variables of a test set; without columns also fields of items with few values.

    Args:
        counts: counts with domains, and with texts if they are known.
        columns: more labels, one for each segment, by name; or names of known labels.
        word_counts: frequencies of words in the training data, or None to count the test set.
    """
    outline = counts.outline
    cuts: list[Variable | None] = []
    if outline.domains is not None:
        cuts.append(Variable.of("domain", "metadata", outline.domains))
    for name, labels in outline.columns(columns).items():
        if name != "domain" or labels != outline.domains:
            cuts.append(Variable.of(name, "metadata", labels))
    known = {variable.name for variable in cuts if variable is not None}
    for name in outline.field_names:
        field = None if name in known or columns else _field_of(outline, name)
        if field is not None and field not in (outline.domains, outline.documents):
            cuts.append(Variable.of(name, "metadata", field))
    if counts.texts is not None:
        cuts += _of_text(counts.texts, word_counts)
    elif word_counts is not None:
        raise SettingError("counts", type(word_counts), "no counts of words without texts")
    chosen = [variable for variable in cuts if variable is not None and len(variable.labels) > 1]
    names = [variable.name for variable in chosen]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise SettingError("by", twice, "a name that differs from the other variables' names")
    return chosen


def _field_of(outline: Outline, name: str) -> tuple[str, ...] | None:
    """Return a field of items with 2 to 20 values, which all models and runs share; else None."""
    try:
        labels = outline.labels(name)
    except CorpusError:  # missing for an item, or different in another model's file
        return None
    fits = labels is not None and 2 <= len(set(labels)) <= MOST_VALUES
    return tuple(labels) if labels is not None and fits else None


def _of_text(test_set: TestSet, word_counts: Mapping[str, int] | None) -> list[Variable | None]:
    """List the variables of the source, or of the first reference if there is no source."""
    origin: Origin = "reference" if test_set.source is None else "source"
    text = [segment or "" for segment in (test_set.source or test_set.references[0])]
    repeats = Counter(text)
    return [
        Variable.quarters(f"{origin} characters", origin, [len(segment) for segment in text]),
        *(
            Variable.yes_or_no(name, origin, [holds(segment) for segment in text])
            for name, holds in SEGMENT_TRAITS.items()
        ),
        Variable.yes_or_no("is repeated", origin, [repeats[segment] > 1 for segment in text]),
        _word_frequency(text, origin, word_counts),
    ]


def _word_frequency(
    text: Sequence[str], origin: Origin, counts: Mapping[str, int] | None
) -> Variable | None:
    """Cut segments into quarters by the mean log frequency of their words, rare words first."""
    words = [[word.lower() for word in WORD.findall(segment)] for segment in text]
    known = counts if counts is not None else Counter(word for line in words for word in line)
    values = [
        sum(log(1 + known.get(word, 0)) for word in line) / len(line) if line else 0.0
        for line in words
    ]
    return Variable.quarters("mean log frequency of words", origin, values)


def reference_shares(counts: Counts) -> Values:
    """Return each segment's share of the characters of the references, or of the items."""
    lengths = np.array(counts.lengths, dtype=np.float64)
    total = lengths.sum()
    return lengths / total if total else np.full(len(lengths), 1 / len(lengths))


def members(variable: Variable) -> Values:
    """Return the indicator matrix of slices, shaped (segment, slice)."""
    return np.asarray(
        variable.of_segment[:, None] == np.arange(len(variable.labels)), dtype=np.float64
    )


def units_in(variable: Variable, units: Units) -> NDArray[np.int64]:
    """Count the units with segments in each slice."""
    pairs = np.unique(np.stack([variable.of_segment, units.of_segment]), axis=1)
    return np.bincount(pairs[0], minlength=len(variable.labels))


def even_spread_ps(
    parts: Sequence[Variable],
    by_segment: Values,
    shares: Values,
    units: Units,
    *,
    replicates: int,
    seed: int,
) -> list[Values]:
    """Compute adjusted p-values of the hypothesis that slices contribute like their shares of text.

    Under the hypothesis, a slice with the share w of the text contributes w of the difference. Its
    excess over that is divided by its standard error over units and compared with its distribution
    when the labels are permuted over the segments. Labels keep the order within their units, and so
    do contributions; only the assignment between them is random. So the test is robust to rare
    large contributions, to dependence within units, and, since the statistic is studentized, to
    segments of unequal length (Chung & Romano 2013, Ann. Stat. 41:484-507). A variance is at least
    half its mean over the permutations. P-values are adjusted by the step-down maximum (Westfall &
    Young 1993, Alg. 4.1).

    Args:
        parts: variables.
        by_segment: contribution of each segment.
        shares: share of each segment in the text.
        units: units of dependent segments.
        replicates: number of permutations.
        seed: seed of the permutations.

    Returns:
        For each variable a value per slice; NaN for a slice of too few units to test.
    """
    starts = np.cumsum([0, *(len(variable.labels) for variable in parts)])
    width = int(starts[-1])
    # Index of each segment's slice by each variable, among the slices of all variables.
    slices = np.stack([variable.of_segment for variable in parts], axis=1) + starts[:-1]
    tested = np.concatenate([units_in(variable, units) for variable in parts]) >= FEWEST_UNITS
    adjusted = np.full(len(tested), np.nan)
    excess = by_segment - by_segment.sum() * shares
    if tested.any() and excess.any():
        by_unit = units.add_up(excess[:, None])[:, 0]
        cells = width * units.of_segment[:, None]
        excesses, weights = (np.repeat(values, len(parts)) for values in (excess, shares))
        squared, of_segments = excesses**2, len(units) == len(excess)

        def totals_and_variances(labels: NDArray[np.int64]) -> tuple[Values, Values]:
            share = np.bincount(labels.ravel(), weights, width)
            # Sum of squares of inside - share * by_unit, without another large array.
            if of_segments:
                products = np.asarray(np.bincount(labels.ravel(), squared, width), np.float64)
                squares = products
            else:
                inside = np.bincount((cells + labels).ravel(), excesses, len(units) * width)
                inside = inside.reshape(len(units), width)
                squares, products = np.einsum("us,us->s", inside, inside), by_unit @ inside
            squares = squares - share * (2 * products - share * (by_unit @ by_unit))
            return np.abs(np.bincount(labels.ravel(), excesses, width)), squares

        statistics = np.empty((replicates + 1, 2, width))
        statistics[0] = totals_and_variances(slices)
        source = np.empty(len(slices), dtype=np.int64)
        for number in range(1, replicates + 1):
            generator = np.random.default_rng([seed, number])
            targets, sources = (_shuffled_segments(units, generator) for _ in range(2))
            source[targets] = sources
            statistics[number] = totals_and_variances(slices.take(source, axis=0))
        statistics = statistics[:, :, tested]
        totals, variances = statistics[:, 0], statistics[:, 1]
        # If permuted labels meet none of few large contributions, their variance is almost 0.
        spread = np.sqrt(np.maximum(variances, LEAST_VARIANCE * variances.mean(axis=0)))
        relative = np.divide(totals, spread, out=np.zeros_like(totals), where=spread > 0)
        adjusted[tested] = _step_down_maximum(relative)
    elif tested.any():
        adjusted[tested] = 1.0
    return np.split(adjusted, starts[1:-1])


def _shuffled_segments(units: Units, generator: np.random.Generator) -> NDArray[np.int64]:
    """Return the indices of the segments with the units in a random order."""
    order = generator.permutation(len(units))
    if len(units) == len(units.of_segment):
        return order
    return np.argsort(np.argsort(order)[units.of_segment], kind="stable")


def _step_down_maximum(statistics: Values) -> Values:
    """Compute adjusted p-values of the first row of statistics, among all rows.

    Each column is divided by its 95th percentile, so that a slice with few large contributions,
    whose statistic is heavy-tailed, does not mask the other slices.
    """
    percentiles = np.quantile(statistics, 0.95, axis=0)
    relative = np.divide(
        statistics, percentiles, out=np.zeros_like(statistics), where=percentiles > 0
    )
    order = np.argsort(-relative[0], kind="stable")
    # Running maximum from the least to the most significant column.
    largest = np.maximum.accumulate(relative[:, order[::-1]], axis=1)[:, ::-1]
    reached = largest >= relative[0, order] * NEARLY
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(reached.mean(axis=0))
    return adjusted


def simultaneous_intervals(
    metric: Scorer,
    rows: Values,
    parts: Sequence[Variable],
    contributions: Contributions,
    units: Units,
    *,
    replicates: int,
    seed: int,
    level: float,
) -> list[tuple[Values, Values]]:
    """Compute simultaneous intervals of all slices' contributions.

    The bootstrap resamples units and integrates the gradient in every replicate. The half-width of
    all intervals is the same number of standard errors, by the largest deviation of any slice.

    Args:
        metric: scorer whose scores differ.
        rows: statistics of the two systems, shaped (segment, 2, column).
        parts: variables.
        contributions: contributions to the difference.
        units: units to resample.
        replicates: number of bootstrap replicates.
        seed: seed of the bootstrap.
        level: confidence that all intervals cover.

    Returns:
        For each variable the lower and the upper bounds of its slices.
    """
    columns = rows.shape[2]
    # The last slice of a variable follows from the total.
    blocks = [
        (contributions.rows[:, None] * members(variable)[:, :-1, None]).reshape(len(rows), -1)
        for variable in parts
    ]
    wide = np.concatenate([rows.reshape(len(rows), -1), *blocks], axis=1)
    by_unit = on_exact_grid(units.add_up(wide))
    sums = Bootstrap(replicates=replicates, seed=seed).sums(by_unit, units, 0, replicates)
    first, second = sums[:, :columns], sums[:, columns : 2 * columns]
    gradient, _ = mean_gradient(metric, second, first, tolerance=1e-7)
    total = np.einsum("rc,rc->r", first - second, gradient)
    values, start = [], 2 * columns
    for variable in parts:
        width = (len(variable.labels) - 1) * columns
        block = sums[:, start : start + width].reshape(replicates, -1, columns)
        start += width
        contributed = np.einsum("rbc,rc->rb", block, gradient)
        values.append(np.column_stack([contributed, total - contributed.sum(axis=1)]))
    observed = [contributions.by_segment @ members(variable) for variable in parts]
    flat, centre = np.concatenate(values, axis=1), np.concatenate(observed)
    spread = flat.std(axis=0, ddof=1)
    varies = spread > 1e-12 * max(1.0, float(np.abs(centre).max(initial=0.0)))
    deviations = np.abs(flat[:, varies] - centre[varies]) / spread[varies]
    factor = float(np.quantile(deviations.max(axis=1, initial=0.0), level))
    ends = np.cumsum([len(variable.labels) for variable in parts])[:-1]
    half = np.split(factor * spread, ends)
    return [(mid - width, mid + width) for mid, width in zip(observed, half, strict=True)]
