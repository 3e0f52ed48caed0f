"""Parts of a test set: random growth unit by unit, and a part as a test set of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from truebleu.errors import SettingError, TruebleuError
from truebleu.inference.counted import Counted
from truebleu.resampling import Units
from truebleu.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet, TextLike
    from truebleu.studies.apparatus.pool import Pool, PoolUnit

# What the order of growth takes its random numbers for.
PURPOSE = "growth of a test set"
# The bootstrap of fewer units says next to nothing about the spread.
FEWEST_UNITS = 5


def sizes_of_shares(shares: Sequence[float], pool: int, unit: str) -> list[int]:
    """How many units the shares of a pool are, ascending; each must be a size of its own.

    >>> sizes_of_shares([0.1, 0.5, 1.0], 101, "document")
    [10, 50, 101]
    """
    if not shares:
        raise SettingError("shares", "none", "at least one")
    sizes: dict[int, float] = {}
    for share in sorted(shares):
        if not (isfinite(share) and 0 < share <= 1):
            raise SettingError("share", f"{100 * share:g} %", "more than 0 and at most 100 %")
        size = round(share * pool)
        if size < FEWEST_UNITS:
            found = f"{100 * share:g} % of {pool} {unit}s"
            raise SettingError("share", found, f"at least {FEWEST_UNITS} {unit}s in a part")
        if size in sizes:
            found = f"{100 * sizes[size]:g} % and {100 * share:g} %"
            raise SettingError("shares", found, f"shares that differ by a {unit} at least")
        sizes[size] = share
    return list(sizes)


def orders_of_growth(pool: int, repetitions: int, seed: int) -> list[NDArray[np.int64]]:
    """For each repetition a random order of the units.

    The first n of it are the part of size n, as Zhang & Vogel (2004, §4.1) add random documents to
    those they have: every part holds the smaller ones, and units are never drawn twice.
    """
    streams = Streams(seed, PURPOSE)
    orders = []
    for repetition in range(repetitions):
        random = streams.at(repetition)
        keys = np.fromiter((random() for _ in range(pool)), dtype=np.float64, count=pool)
        orders.append(np.argsort(keys, kind="stable"))
    return orders


def part_of(test_set: TestSet, units: Units, chosen: NDArray[np.int64]) -> TestSet:
    """The chosen units as a test set of its own, its segments in the order of the whole."""
    places = np.flatnonzero(np.isin(units.of_segment, chosen)).tolist()

    def taken(text: TextLike) -> list[str | None]:
        whole = list(text)
        return [whole[place] for place in places]

    def labels(of_segments: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if of_segments is None else tuple(of_segments[place] for place in places)

    return replace(
        test_set,
        systems={name: taken(text) for name, text in test_set.systems.items()},
        references=tuple(taken(text) for text in test_set.references),
        source=None if test_set.source is None else taken(test_set.source),
        documents=labels(test_set.documents),
        domains=labels(test_set.domains),
        warnings=(),
    )


def units_of(test_set: TestSet, unit: PoolUnit) -> Units:
    """The units of a test set of which a pool was made, or of a part of it."""
    if unit == "document" and test_set.documents is not None:
        return Units.documents(test_set.documents)
    return Units.segments(len(test_set))


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some units of a pool, in its order.

    Attributes:
        pool: the whole, counted.
        test_set: its texts.
        chosen: the units, ascending.
    """

    pool: Pool
    test_set: TestSet
    chosen: NDArray[np.int64]

    def __len__(self) -> int:
        """The number of units."""
        return len(self.chosen)

    def counted(self, *, anew: bool = False) -> list[Counted]:
        """The counts of the part: those of the pool, or as of a test set of its own.

        A mean of segment scores is the same in any company, and its scores may be from elsewhere:
        it is never counted anew.
        """
        taken = self.pool.take(self.chosen)
        if not anew:
            return taken
        unit = self.pool.unit
        part = part_of(self.test_set, units_of(self.test_set, unit), self.chosen)
        return [one if one.metric.is_mean else _count(one, part, unit) for one in taken]

    def weighed_by_the_whole(self, *, anew: bool = False) -> list[str]:
        """The metrics that count this part by itself differently than within its pool, like NIST.

        Args:
            anew: refuse metrics that cannot count a part by itself, as with parses that are files
                of the whole test set.
        """
        found = []
        for index, within in enumerate(self.pool.take(self.chosen)):
            alone = replace(
                self, pool=replace(self.pool, counted=self.pool.counted[index : index + 1])
            )
            try:
                (counted,) = alone.counted(anew=True)
            except TruebleuError:
                if anew:
                    expected = "metrics that need nothing but the texts of a part"
                    raise SettingError("recount", within.label, expected) from None
                continue
            # Grids of exact sums differ by less than a billionth, weights of n-grams by much more.
            if not np.allclose(counted.rows, within.rows, rtol=1e-6, atol=1e-9):
                found.append(within.label)
        return found


def part_of_order(pool: Pool, test_set: TestSet, order: NDArray[np.int64], size: int) -> Part:
    """The first units of an order of growth, in the order of the pool."""
    return Part(pool, test_set, np.sort(order[:size]))


def _count(one: Counted, part: TestSet, unit: PoolUnit) -> Counted:
    rows = one.metric.count(part).array()
    return Counted.of(one.label, one.metric, rows, units_of(part, unit))
