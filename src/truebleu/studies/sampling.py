"""Spread: how far a score or a difference varies over samples, against independent units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from truebleu._seeds import DEFAULT_SEED, require_replicates, require_seed
from truebleu.errors import SettingError, UnknownNameError
from truebleu.execution.journal import Runner, Task
from truebleu.exhibits import Exhibit, Field, Plot, Row, Value
from truebleu.studies._pairs import choose_pairs
from truebleu.studies._pool import Pool, PoolUnit, draw_by_size, draw_samples, require_count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics
    from truebleu.studies._pairs import Pairs
    from truebleu.studies._pool import Sampling

# What is smaller than this share of the values is rounding.
ROUNDING = 1e-12
# Halvings of an interval that leave nothing of it in floats.
BISECTIONS = 60


class Quantity(NamedTuple):
    """What spreads: a system's score, or by how much one system is better than another.

    Attributes:
        name: for people.
        system: the system, or the better one of the pair.
        other: the worse one; None for a score.
    """

    name: str
    system: int
    other: int | None = None

    def of(self, scores: ArrayLike, sign: int) -> NDArray[np.float64]:
        """Its values, of scores shaped (..., system)."""
        array = np.asarray(scores, dtype=np.float64)
        if self.other is None:
            return np.asarray(array[..., self.system])
        return np.asarray(sign * (array[..., self.system] - array[..., self.other]))


class Cut(NamedTuple):
    """The samples of one kind: the least value, the greatest, and the standard deviation."""

    low: float | None
    high: float | None
    sd: float


@dataclass(frozen=True, slots=True)
class Spread:
    """How far a quantity varies over blocks, over systematic samples and over independent units.

    Attributes:
        name: the quantity.
        pool: its value in the pool; None of a mean over quantities.
        samples: how many blocks there are, and as many systematic samples.
        block: over blocks of consecutive units.
        systematic: over systematic samples.
        independent_sd: the standard deviation over samples of independent units.
    """

    name: str
    pool: float | None
    samples: int
    block: Cut
    systematic: Cut
    independent_sd: float

    def effect(self, cut: Cut) -> float | None:
        """The design effect: the variance over that of independent units; None where both are 0."""
        if self.independent_sd == 0:
            return None
        return float((cut.sd / self.independent_sd) ** 2)

    def effect_interval(self, cut: Cut) -> tuple[float | None, float | None]:
        """The 95 % interval of the design effect, were scores of samples normal and independent."""
        effect, degrees = self.effect(cut), self.samples - 1
        if effect is None:
            return None, None
        return (
            effect * degrees / chi_square(0.975, degrees),
            effect * degrees / chi_square(0.025, degrees),
        )


def spread_of(
    name: str, pool: float, *, block: ArrayLike, systematic: ArrayLike, independent: ArrayLike
) -> Spread:
    """The spread of values over samples of each kind."""
    blocks = np.asarray(block, dtype=np.float64)
    return Spread(
        name,
        pool,
        len(blocks),
        _cut(blocks),
        _cut(np.asarray(systematic)),
        _sd(np.asarray(independent)),
    )


def mean_spread(name: str, spreads: Sequence[Spread]) -> Spread:
    """The mean of variances, which all samples share, as a spread of its own."""
    return Spread(
        name,
        None,
        spreads[0].samples,
        Cut(None, None, _mean_sd([spread.block.sd for spread in spreads])),
        Cut(None, None, _mean_sd([spread.systematic.sd for spread in spreads])),
        _mean_sd([spread.independent_sd for spread in spreads]),
    )


def chi_square(share: float, degrees: int) -> float:
    """The quantile of chi-square, found by bisection; SciPy is not always there."""
    low, high = 0.0, float(degrees)
    while _chi_square_below(high, degrees) < share:
        low, high = high, 2 * high
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _chi_square_below(middle, degrees) < share else (low, middle)
    return (low + high) / 2


def _chi_square_below(value: float, degrees: int) -> float:
    """The share of chi-square below a value: the series of the incomplete gamma function."""
    shape, half = degrees / 2, value / 2
    if half == 0:
        return 0.0
    term = total = math.exp(shape * math.log(half) - half - math.lgamma(shape + 1))
    while term > ROUNDING * total:
        shape += 1
        term *= half / shape
        total += term
    return total


def _cut(values: NDArray[np.float64]) -> Cut:
    return Cut(float(values.min()), float(values.max()), _sd(values))


def _sd(values: NDArray[np.float64]) -> float:
    sd = float(values.std(ddof=1))
    return 0.0 if sd <= ROUNDING * float(np.abs(values).max()) else sd


def _mean_sd(deviations: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(deviations))))


# Sampling: how far scores spread on consecutive blocks, and how far on systematic samples.
#
# Koehn (2004, §3.2-3.4, Figs. 2-4): BLEU of one system ran from 21 to 37 on blocks of 300
# consecutive sentences, and from 27 to 31 on samples of every hundredth sentence. What is hard to
# translate stands together, so that a block is worth fewer sentences than it has.


Shown = Literal["scores", "differences"]

SHOWN: tuple[Shown, ...] = get_args(Shown)
USUAL_SIZES = (100, 300, 600)
PAPERS_SIZE = 300
# Fewer points do not show a spread to the eye.
ENOUGH_POINTS = 10
# The spread of fewer samples is anyone's guess.
FEWEST_SAMPLES = 5
# With so many, the spread of independent units is known within 14 %.
FEWEST_INDEPENDENT = 100
CUTS: tuple[Sampling, ...] = ("block", "systematic")
KINDS = {"block": "blocks", "systematic": "systematic samples"}

PLOT_FIELDS = (
    Field("sample", "Sample"),
    Field("score", "Score", 2),
    Field("whole", "Score of the pool", 2),
    Field("kind", "Samples"),
)


def study_sampling(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    sizes: Sequence[int] | None = None,
    repetitions: int | None = None,
    unit: PoolUnit = "segment",
    pairs: Pairs | None = None,
    baseline: str | None = None,
    samples: int = 1000,
    shown: Shown = "scores",
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> Exhibit:
    """How far scores and differences spread, on consecutive blocks and on systematic samples.

    The design effect is the variance over samples divided by the variance over samples of as many
    independent units, drawn from the whole pool with replacement. Blocks and systematic samples
    share nothing, so that their variance with the divisor n - 1 needs no correction for the finite
    pool: of units in random order both would be those of independent units, and the effect 1
    (Cochran 1977, §8.5). Above 1, units of a sample are alike; below 1, they are spread over what
    differs.

    Args:
        test_set: the pool, in its own order, which is what matters here.
        metrics: by which to score.
        sizes: units in a sample; those of 100, 300 and 600 of which five fit, if not given.
        repetitions: how many samples of each kind and size; all that fit, if not given.
        unit: what samples are made of: segments or documents.
        pairs: whose differences are shown; those of neighbours in rank, if not given.
        baseline: show the differences of all others from this system instead.
        samples: how many samples of independent units to compare with.
        shown: whether the chart shows the best system's scores by the first metric (Figs. 2 and
            3) or the differences of the first pair (Fig. 4).
        seed: of the independent units.
        runner: keeps the results and shows progress.
    """
    _require(samples, shown, seed)
    if repetitions is not None:
        require_count("repetitions", repetitions, FEWEST_SAMPLES, "fewer do not show a spread")
    pool = Pool.of(test_set, metrics, unit)
    quantities = _quantities(pool, pairs, baseline)
    if shown == "differences":
        pool.require_systems(2)
    drawn = {
        draw: draw_by_size(
            draw,
            len(pool),
            sizes,
            USUAL_SIZES,
            samples=repetitions or len(pool),
            fewest=FEWEST_SAMPLES,
            seed=seed,
        )
        for draw in CUTS
    }
    subject = {
        "study": "sampling",
        **pool.outline,
        "sizes": list(drawn["block"]),
        "repetitions": repetitions,
        "samples": samples,
        "seed": seed,
    }
    tasks = [
        Task((draw, size), partial(_scores, pool, taken))
        for draw, by_size in drawn.items()
        for size, taken in by_size.items()
    ]
    tasks += [
        Task(("independent", size), partial(_independent, pool, size, samples, seed))
        for size in subject["sizes"]
    ]
    records = (runner or Runner()).run(subject, tasks)
    return _exhibit(pool, quantities, records, subject, shown)


def _require(samples: int, shown: str, seed: int) -> None:
    if shown not in SHOWN:
        raise UnknownNameError("shown", shown, SHOWN)
    require_seed(seed)
    require_replicates("samples", samples)
    if samples < FEWEST_INDEPENDENT:
        expected = f"at least {FEWEST_INDEPENDENT}, or the spread to compare with is a guess"
        raise SettingError("samples", samples, expected)


def _scores(pool: Pool, samples: Sequence[NDArray[np.int64]]) -> Record:
    """Each metric's scores of all systems on every sample, shaped (sample, system)."""
    taken = [pool.take(sample) for sample in samples]
    return {
        one.label: [by_metric[number].scores.tolist() for by_metric in taken]
        for number, one in enumerate(pool.counted)
    }


def _independent(pool: Pool, size: int, samples: int, seed: int) -> Record:
    return _scores(pool, draw_samples("independent", len(pool), size, samples, seed))


def _quantities(pool: Pool, pairs: Pairs | None, baseline: str | None) -> list[Quantity]:
    """Every system's score, the best system's first, and the differences of pairs."""
    one = pool.counted[0]
    ranking = (-one.sign * one.scores).argsort(kind="stable").tolist()
    found = [Quantity(pool.names[system], system) for system in ranking]
    if len(pool.names) > 1:
        for a, b in choose_pairs(pool, pairs, baseline, usual="neighbours"):
            found.append(Quantity(f"{pool.names[a]} against {pool.names[b]}", a, b))
    elif pairs is not None or baseline is not None:
        pool.require_systems(2)
    return found


def _exhibit(
    pool: Pool,
    quantities: Sequence[Quantity],
    records: Mapping[Key, Record],
    subject: dict[str, Any],
    shown: Shown,
) -> Exhibit:
    rows: list[Row] = []
    findings: list[str] = []
    for one in pool.counted:
        for size in subject["sizes"]:
            spreads = [_spread(one, quantity, records, size) for quantity in quantities]
            systems, differences = spreads[: len(pool.names)], spreads[len(pool.names) :]
            means = []
            for kind, group in (("scores", systems), ("differences", differences)):
                if group:
                    mean = mean_spread(f"mean of {kind}", group)
                    findings.append(_finding(one, size, kind, mean, pool.unit))
                    means += [mean] if len(group) > 1 else []
            rows += [_row(one, size, spread) for spread in [*spreads, *means]]
    digits = max(one.metric.digits for one in pool.counted)
    first = quantities[0 if shown == "scores" else len(pool.names)]
    return Exhibit(
        name="sampling",
        title="Scores and differences on consecutive blocks and on systematic samples",
        fields=_fields(digits),
        rows=tuple(rows),
        findings=tuple(findings),
        # One scale for both panels: how far each spreads is the point.
        plot=Plot(
            mark="point",
            x="sample",
            y="score",
            panel="kind",
            reference_field="whole",
            shared_y=True,
        ),
        plot_rows=tuple(_plot_rows(pool, first, records, subject["sizes"])),
        plot_fields=PLOT_FIELDS,
        settings={**subject, "shown": shown},
    )


def _spread(
    one: MetricStatistics, quantity: Quantity, records: Mapping[Key, Record], size: int
) -> Spread:
    by_draw = {
        draw: quantity.of(records[draw, size][one.label], one.sign)
        for draw in (*CUTS, "independent")
    }
    return spread_of(quantity.name, float(quantity.of(one.scores, one.sign)), **by_draw)


def _fields(digits: int) -> tuple[Field, ...]:
    return (
        Field("metric", "Metric"),
        Field("size", "Size"),
        Field("samples", "Samples"),
        Field("of", "Score or difference"),
        Field("pool", "Pool", digits),
        Field("block_low", "Blocks from", digits),
        Field("block_high", "to", digits),
        Field("block_sd", "sd", digits),
        Field("systematic_low", "Systematic from", digits),
        Field("systematic_high", "to", digits),
        Field("systematic_sd", "sd", digits),
        Field("independent_sd", "Independent sd", digits),
        Field("block_effect", "Design effect of blocks", 2),
        Field("systematic_effect", "of systematic", 2),
    )


def _row(one: MetricStatistics, size: int, spread: Spread) -> Row:
    row: dict[str, Value] = {
        "metric": one.label,
        "size": size,
        "samples": spread.samples,
        "of": spread.name,
        "pool": spread.pool,
        "independent_sd": spread.independent_sd,
    }
    for draw, cut in (("block", spread.block), ("systematic", spread.systematic)):
        row |= {
            f"{draw}_low": cut.low,
            f"{draw}_high": cut.high,
            f"{draw}_sd": cut.sd,
            f"{draw}_effect": spread.effect(cut),
        }
        row[f"{draw}_effect_low"], row[f"{draw}_effect_high"] = spread.effect_interval(cut)
    return row


def _finding(one: MetricStatistics, size: int, kind: str, mean: Spread, unit: str) -> str:
    digits = one.metric.digits
    block, systematic = mean.block.sd, mean.systematic.sd
    begin = f"{one.label} on {size:,} {unit}s: {kind} spread by a standard deviation of "
    begin += (
        f"{block:.{digits}f} on {mean.samples} blocks, {systematic:.{digits}f} on systematic "
        "samples and "
        f"{mean.independent_sd:.{digits}f} on independent {unit}s"
    )
    effect = mean.effect(mean.block)
    if effect is None:
        return f"{begin}; what does not vary has no design effect."
    if effect == 0:
        return f"{begin}."
    low, high = mean.effect_interval(mean.block)
    return (
        f"{begin}. A block of {size:,} is worth {size / effect:,.0f} independent {unit}s (design "
        f"effect {effect:.2f}, from {low:.2f} to {high:.2f})."
    )


def _plot_rows(
    pool: Pool, quantity: Quantity, records: Mapping[Key, Record], sizes: Sequence[int]
) -> list[Row]:
    """One quantity by the first metric, on samples of up to the paper's size and not too few."""
    one = pool.counted[0]
    many = [
        size
        for size in sizes
        if size <= PAPERS_SIZE and len(records["block", size][one.label]) >= ENOUGH_POINTS
    ]
    size = max(many, default=sizes[0])
    whole = float(quantity.of(one.scores, one.sign))
    return [
        {
            "sample": number,
            "score": value,
            "whole": whole,
            "kind": f"{one.label} of {quantity.name}, {KINDS[draw]} of {size}",
        }
        for draw in CUTS
        for number, value in enumerate(
            quantity.of(records[draw, size][one.label], one.sign).tolist(), 1
        )
    ]
