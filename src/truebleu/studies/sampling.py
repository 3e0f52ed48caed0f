"""Sampling: how much scores vary over consecutive blocks, and how much over systematic samples.

Koehn (2004, §3.2-3.4, Figs. 2-4): BLEU of one system ran from 21 to 37 on blocks of 300
consecutive sentences, and from 27 to 31 on samples of every hundredth sentence. What is hard to
translate stands together, so that a block is worth fewer sentences than it has.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np

from truebleu._results import plain
from truebleu._settings import DEFAULT_SEED
from truebleu.execution.journal import Key, Record, Runner, Task
from truebleu.reports.document import Plot
from truebleu.schema import Baseline, Seed, Setting
from truebleu.studies import _pool as pools
from truebleu.studies._study import Floats, Row, StudyResult, columns, settings_of, study

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.registry import MetricsLike
    from truebleu.significance.statistics import MetricStatistics, Pair

__all__ = ["study_sampling"]

Shown = Literal["scores", "differences"]
USUAL_SIZES = (100, 300, 600)
PAPERS_SIZE = 300
# Fewer points do not show to the eye how much they vary.
ENOUGH_POINTS = 10
CUTS: tuple[pools.Sampling, ...] = ("block", "systematic")
# What is smaller than this share of the values is rounding.
ROUNDING = 1e-12


class Quantities(NamedTuple):
    """The systems whose scores are shown, the best first, and the pairs whose differences are."""

    systems: list[int]
    pairs: list[Pair]

    def of(self, scores: ArrayLike, sign: int) -> Floats:
        """The scores and then the differences, of scores shaped (..., system)."""
        array = np.asarray(scores, dtype=np.float64)
        differences = [sign * pools.differences_of(array, self.pairs)] if self.pairs else []
        return np.concatenate([array[..., self.systems], *differences], axis=-1)

    def names(self, pool: pools.Pool) -> list[str]:
        """Each system, and then both of each pair."""
        pairs = [f"{pool.names[a]} against {pool.names[b]}" for a, b in self.pairs]
        return [*(pool.names[system] for system in self.systems), *pairs]


@study
def study_sampling(
    test_set: TestSet,
    metrics: MetricsLike = "bleu",
    *,
    sizes: pools.Sizes = None,
    samples: Annotated[int | None, Setting(least=5)] = None,
    unit: pools.PoolUnit = "segment",
    pairs: pools.Pairs | None = None,
    baseline: Baseline = None,
    independent: Annotated[int, Setting(least=100, most=pools.MOST_TASKS)] = 1000,
    draw: Shown = "scores",
    seed: Seed = DEFAULT_SEED,
    runner: Runner | None = None,
) -> StudyResult:
    """How much do scores vary over consecutive blocks, and how much over systematic samples?

    Koehn (2004, Figs. 2-4): BLEU ran from 21 to 37 on blocks of 300 consecutive sentences, and
    from 27 to 31 on systematic samples, of every hundredth sentence.

    The design effect is the variance over samples divided by the variance over samples of as many
    independent units, drawn from the whole pool with replacement: with an effect of 5 a block of
    300 tells as much as 60 segments drawn at random. Blocks and systematic samples share nothing,
    so that their variance with the divisor n - 1 needs no correction for the finite pool: of units
    in random order both would be those of independent units, and the effect 1 (Cochran 1977, §8.5).
    Above 1, units of a sample are alike; below 1, they are spread over what differs.

    Args:
        test_set: the pool, in its own order, which is what matters here.
        metrics: by which to score.
        samples: how many samples of each kind and size; by default all that fit.
        pairs: whose differences are shown: systems one rank apart ("neighbours", the default), up
            to two ranks apart ("near"), "all", or the names of both systems of each pair.
        independent: how many samples of independent units to compare with.
        draw: whether the chart shows the best system's scores by the first metric (Figs. 2 and
            3) or the differences of the first pair (Fig. 4).
        runner: keeps the results and shows progress.
    """
    asked = {**locals()}
    pool = pools.Pool.of(test_set, metrics, unit)
    quantities = _quantities(pool, pairs, baseline)
    if draw == "differences":
        pool.require_systems(2)
    most = samples or len(pool)
    drawn = {
        cut: pools.draw_by_size(cut, len(pool), sizes, USUAL_SIZES, samples=most, seed=seed)
        for cut in CUTS
    }
    chosen = list(drawn["block"])
    # What is shown changes no task: one journal serves all of it.
    shown = {name: asked.pop(name) for name in ("draw", "pairs", "baseline")}
    settings = settings_of("sampling", asked, pool.settings, sizes=chosen)
    tasks = [
        Task((cut, size), partial(_scores, pool, taken))
        for cut, by_size in drawn.items()
        for size, taken in by_size.items()
    ]
    tasks += [
        Task(("independent", size), partial(_independent, pool, size, independent, seed))
        for size in chosen
    ]
    records = (runner or Runner()).run(settings, tasks)
    rows: list[Row] = []
    sentences: list[str] = []
    for statistics in pool.statistics:
        for size in chosen:
            of_size = list(_variations(pool, statistics, quantities, records, size))
            rows += of_size
            for kind in ("score", "difference"):
                if group := [row for row in of_size if row["kind"] == kind]:
                    mean = mean_variation(group)
                    sentences.append(_worth_of_blocks(mean, statistics.metric.digits, unit))
                    rows += [mean] if len(group) > 1 else []
    first = 0 if draw == "scores" else len(pool.names)
    return StudyResult(
        settings={**settings, **plain(shown)},
        title="Scores and differences on consecutive blocks and on systematic samples",
        columns=columns(
            "metric | size | samples | of: Score or difference | pool [D] | "
            "block_low: Blocks from [D] | block_high: to [D] | block_sd: sd [D] | "
            "systematic_low: Systematic from [D] | systematic_high: to [D] | "
            "systematic_sd: sd [D] | independent_sd: Independent sd [D] | "
            "block_effect: Design effect of blocks [.2f] | "
            "systematic_effect: of systematic [.2f]".replace("[D]", f"[.{pool.digits}f]")
        ),
        rows=rows,
        sentences=sentences,
        # One scale for both panels, so that they compare.
        plot=Plot("point", "sample", "score", panel="case", reference_field="pool", shared_y=True),
        drawn=_points(pool, quantities, first, records, chosen),
    )


def _scores(pool: pools.Pool, samples: Sequence[NDArray[np.int64]]) -> Record:
    """Each metric's scores of all systems on every sample, shaped (sample, system)."""
    taken = [pool.take(sample) for sample in samples]
    return {
        statistics.label: [by_metric[place].scores.tolist() for by_metric in taken]
        for place, statistics in enumerate(pool.statistics)
    }


def _independent(pool: pools.Pool, size: int, count: int, seed: int) -> Record:
    return _scores(pool, pools.draw_samples("independent", len(pool), size, count, seed))


def _quantities(pool: pools.Pool, pairs: pools.Pairs | None, baseline: str | None) -> Quantities:
    first = pool.statistics[0]
    ranking = (-first.sign * first.scores).argsort(kind="stable").tolist()
    if len(pool.names) == 1 and pairs is None and baseline is None:
        return Quantities(ranking, [])
    return Quantities(ranking, pools.choose_pairs(pool, pairs, baseline, usual="neighbours"))


def _variations(
    pool: pools.Pool,
    statistics: MetricStatistics,
    quantities: Quantities,
    records: Mapping[Key, Record],
    size: int,
) -> Iterator[Row]:
    """How much each score and difference varies over samples of one size."""
    values = {
        sampling: quantities.of(records[sampling, size][statistics.label], statistics.sign)
        for sampling in (*CUTS, "independent")
    }
    whole = quantities.of(statistics.scores, statistics.sign)
    for place, name in enumerate(quantities.names(pool)):
        sds = {sampling: standard_deviation(drawn[:, place]) for sampling, drawn in values.items()}
        row: Row = {
            "metric": statistics.label,
            "size": size,
            "samples": len(values["block"]),
            "kind": "score" if place < len(quantities.systems) else "difference",
            "of": name,
            "pool": float(whole[place]),
            "independent_sd": sds["independent"],
        }
        for cut in CUTS:
            drawn = values[cut][:, place]
            row |= {f"{cut}_low": float(drawn.min()), f"{cut}_high": float(drawn.max())}
            row |= design_effect(cut, sds[cut], len(drawn), sds["independent"])
        yield row


def mean_variation(group: Sequence[Row]) -> Row:
    """The mean of variances over systems or pairs, which share all samples."""
    first = group[0]
    names = ("metric", "size", "samples", "kind")
    mean: Row = {name: first[name] for name in names} | {"of": f"mean of {first['kind']}s"}
    sds = {
        kind: float(np.sqrt(np.mean(np.square([row[f"{kind}_sd"] for row in group]))))
        for kind in (*CUTS, "independent")
    }
    mean["independent_sd"] = sds["independent"]
    for cut in CUTS:
        mean |= design_effect(cut, sds[cut], first["samples"], sds["independent"])
    return mean


def design_effect(name: str, sd: float, samples: int, independent_sd: float) -> Row:
    """The standard deviation over so many samples, and its variance beside independent units'.

    The 95 % interval is that of scores of samples that are normal and independent; there is no
    effect where independent units do not vary.
    """
    effect = low = high = None
    if independent_sd:
        from scipy.special import chdtri

        effect, degrees = float((sd / independent_sd) ** 2), samples - 1
        low, high = (float(effect * degrees / chdtri(degrees, tail)) for tail in (0.025, 0.975))
    return {
        f"{name}_sd": sd,
        f"{name}_effect": effect,
        f"{name}_effect_low": low,
        f"{name}_effect_high": high,
    }


def standard_deviation(values: Floats) -> float:
    """With n - 1; 0 where values differ by rounding only."""
    sd = float(values.std(ddof=1))
    return 0.0 if sd <= ROUNDING * float(np.abs(values).max()) else sd


def _worth_of_blocks(mean: Row, digits: int, unit: str) -> str:
    """How much a block is worth in independent units."""
    size, effect = mean["size"], mean["block_effect"]
    begin = (
        f"{mean['metric']} on {size:,} {unit}s: {mean['kind']}s have a standard deviation of "
        f"{mean['block_sd']:.{digits}f} on {mean['samples']} blocks, "
        f"{mean['systematic_sd']:.{digits}f} on systematic samples and "
        f"{mean['independent_sd']:.{digits}f} on independent {unit}s"
    )
    if effect is None:
        return f"{begin}; what does not vary has no design effect."
    if effect == 0:
        return f"{begin}."
    return (
        f"{begin}. A block of {size:,} is worth {size / effect:,.0f} independent {unit}s (design "
        f"effect {effect:.2f}, from {mean['block_effect_low']:.2f} to "
        f"{mean['block_effect_high']:.2f})."
    )


def _points(
    pool: pools.Pool,
    quantities: Quantities,
    place: int,
    records: Mapping[Key, Record],
    sizes: Sequence[int],
) -> list[Row]:
    """One quantity by the first metric, on samples of up to the paper's size and not too few."""
    statistics = pool.statistics[0]
    label, sign = statistics.label, statistics.sign
    enough = (size for size in sizes if len(records["block", size][label]) >= ENOUGH_POINTS)
    size = max((size for size in enough if size <= PAPERS_SIZE), default=sizes[0])
    whole = float(quantities.of(statistics.scores, sign)[place])
    name = quantities.names(pool)[place]
    titles = {"block": "blocks", "systematic": "systematic samples"}
    return [
        {
            "case": f"{label} of {name}, {titles[cut]} of {size}",
            "sample": number,
            "score": float(values[place]),
            "pool": whole,
        }
        for cut in CUTS
        for number, values in enumerate(quantities.of(records[cut, size][label], sign), 1)
    ]
