"""References: how many translations of each segment are worth how much test data.

Zhang & Vogel (2004, §4.2, Fig. 8, Tables 3 and 4) score one system with 1, 2, 3 and 4 references on
50 % to 100 % of the test set: relative intervals narrow with every reference, by as much as 10 to
15 % more data would narrow them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, islice
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from truebleu.errors import SettingError
from truebleu.inference.replication import bootstrap_scores
from truebleu.inference.settings import CompareSettings
from truebleu.metrics.metric import require_whole_number
from truebleu.resampling import Bootstrap, Units
from truebleu.seeds import DEFAULT_SEED
from truebleu.streams import Streams
from truebleu.studies.apparatus.journal import Runner, Task
from truebleu.studies.apparatus.parts import orders_of_growth, sizes_of_shares
from truebleu.studies.apparatus.pool import Pool, PoolUnit
from truebleu.studies.apparatus.reference_worth import references_exhibit
from truebleu.studies.apparatus.samples import require_repetitions
from truebleu.studies.apparatus.widths import FEWEST_SIZES, as_record, relative_intervals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.exhibits import Exhibit
    from truebleu.metrics.metric import Metric
    from truebleu.studies.apparatus.journal import Record

USUAL_SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
FEWEST_REPETITIONS = 2
# What choosing among too many sets of references takes its random numbers for.
PURPOSE = "sets of references"
# Beyond this many, sets are drawn one by one instead of being listed.
MOST_LISTED = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class _Growth:
    """The sizes of parts, and for each repetition the order in which units are added."""

    sizes: Sequence[int]
    orders: Sequence[NDArray[np.int64]]


def study_references(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    shares: Sequence[float] | None = None,
    repetitions: int = 20,
    subsets: int = 20,
    unit: PoolUnit = "segment",
    samples: int = 1000,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> Exhibit:
    """What a further reference does to relative intervals, beside what more data do.

    All sets of references are judged on the same parts of the test set and the same replicates, so
    that their intervals differ by the references alone. The paper takes its references in order;
    here the mean over all sets of each size is taken, so that no translator's style decides.

    Args:
        test_set: with two references at least, all of them complete.
        metrics: by which to score.
        shares: of the test set; 50 % to 100 % if not given, as in the paper's Table 4.
        repetitions: random growths to average over.
        subsets: the most sets of references of each size; more are chosen among at random.
        unit: what is added and resampled: segments or documents.
        samples: the bootstrap's replicates.
        level: of the intervals.
        seed: of growth, choice and replicates.
        runner: keeps the results and shows progress.
    """
    settings = CompareSettings(samples=samples, level=level, seed=seed)
    require_repetitions(repetitions, FEWEST_REPETITIONS, "one does not show how parts differ")
    require_whole_number("subsets", subsets, 1, MOST_LISTED)
    _require_references(test_set)
    chosen = sorted(USUAL_SHARES if shares is None else shares)
    whole = Pool.of(test_set, metrics, unit)
    sizes = sizes_of_shares(chosen, len(whole), unit)
    if len(sizes) < FEWEST_SIZES:
        raise SettingError("shares", len(sizes), f"at least {FEWEST_SIZES}, to fit a law to")
    orders = orders_of_growth(len(whole), repetitions, seed)
    sets = sets_of_references(len(test_set.references), subsets, seed)
    subject = {
        "study": "references",
        **whole.outline,
        "shares": chosen,
        "sizes": sizes,
        "repetitions": repetitions,
        "subsets": subsets,
        "samples": samples,
        "level": level,
        "seed": seed,
    }
    growth = _Growth(sizes, orders)
    tasks = [
        Task(("references", *one), partial(_intervals, test_set, one, whole, growth, settings))
        for one in sets
    ]
    records = (runner or Runner()).run(subject, tasks)
    return references_exhibit(whole, records, subject)


def sets_of_references(references: int, most: int, seed: int) -> list[tuple[int, ...]]:
    """Sets of 1, 2, … of the references: all of a size, or so many of them chosen at random.

    >>> sets_of_references(3, 20, seed=1)
    [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    """
    found: list[tuple[int, ...]] = []
    for size in range(1, references + 1):
        if comb(references, size) <= most:
            found += combinations(range(references), size)
        else:
            found += _choice(references, size, most, seed)
    return found


def _choice(references: int, size: int, most: int, seed: int) -> list[tuple[int, ...]]:
    streams = Streams(seed, f"{PURPOSE} {size}")
    drawn: set[tuple[int, ...]] = set()
    index = 0
    while len(drawn) < most:
        random = streams.at(index)
        keys = sorted((random(), reference) for reference in range(references))
        drawn.add(tuple(sorted(reference for _, reference in islice(keys, size))))
        index += 1
    return sorted(drawn)


def _require_references(test_set: TestSet) -> None:
    count = len(test_set.references)
    if count < 2:
        raise SettingError("references", count, "at least 2: a further one is what is studied")
    if test_set.references_per_segment is None:
        lacking = [
            name
            for name, text in zip(test_set.reference_names, test_set.references, strict=True)
            if None in text
        ]
        expected = (
            "references that have every segment; with fewer of them some segments would have none"
        )
        raise SettingError("references", f"absent segments in {', '.join(lacking)}", expected)


def _intervals(
    test_set: TestSet,
    chosen: tuple[int, ...],
    whole: Pool,
    growth: _Growth,
    settings: CompareSettings,
) -> Record:
    """Each metric's values with these references, shaped (size, repetition, value, system)."""
    limited = replace(
        test_set,
        references=tuple(test_set.references[index] for index in chosen),
        reference_names=tuple(test_set.reference_names[index] for index in chosen),
    )
    pool = Pool.of(limited, [one.metric for one in whole.counted], whole.unit)
    bootstrap = Bootstrap(replicates=settings.samples, seed=settings.seed)
    found: dict[str, list[list[object]]] = {one.label: [] for one in pool.counted}
    for place, size in enumerate(growth.sizes):
        by_metric: dict[str, list[object]] = {label: [] for label in found}
        for repetition, order in enumerate(growth.orders):
            counted = pool.take(np.sort(order[:size]))
            # The same for all sets of references, so that these alone make the difference.
            first = (repetition * len(growth.sizes) + place) * settings.samples
            scores = bootstrap_scores(counted, Units.segments(size), bootstrap, first=first)
            for one, replicates in zip(counted, scores, strict=True):
                values = as_record(relative_intervals(replicates, settings.level))
                by_metric[one.label].append(values)
        for label, values in by_metric.items():
            found[label].append(values)
    return dict(found)
