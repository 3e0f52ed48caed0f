"""Samples: smaller test sets taken of a pool, as Koehn (2004, §3) took them and in other ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from truebleu.errors import SettingError, UnknownNameError
from truebleu.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Draw = Literal["broad", "block", "random", "independent"]

DRAWS: tuple[Draw, ...] = get_args(Draw)
# What the drawing of samples takes its random numbers for.
PURPOSE = "samples of a pool"


def draw_samples(
    draw: Draw, pool: int, size: int, count: int, seed: int
) -> list[NDArray[np.int64]]:
    """Samples of so many units, each in the order of the pool.

    "broad" takes every k-th unit (Koehn 2004, §3.3), "block" consecutive ones (§3.2); both cut the
    pool into samples that share nothing, so there are no more than pool / size of them, and fewer
    than asked for are made; they lie all over the pool, even where they do not use it up. "random"
    draws without replacement. "independent" draws with
    replacement: then the pool is the population itself, and theory applies without the correction
    for a sample that is a good part of its pool.
    """
    if draw not in DRAWS:
        raise UnknownNameError("draw", draw, DRAWS)
    require_size("size", size, pool)
    if draw in ("broad", "block"):
        return _partition(draw, pool, size, count)
    streams = Streams(seed, f"{PURPOSE}: {draw} {size}")
    return [_random(draw, pool, size, streams, index) for index in range(count)]


def _partition(draw: Draw, pool: int, size: int, count: int) -> list[NDArray[np.int64]]:
    """Samples that share nothing, spread evenly where there is room for more.

    Where the size divides the pool, and all samples are asked for, they are the paper's own: units
    1, 101, 201, ... and 2, 102, 202, ... of Koehn's 30,000. Where it does not, k is a fraction.
    """
    available = pool // size
    made = min(count, available)
    numbers = np.arange(made, dtype=np.int64)
    within = np.arange(size, dtype=np.int64)
    if draw == "block":
        return [start + within for start in numbers * pool // made]
    return [start + within * pool // size for start in numbers * available // made]


def _random(draw: Draw, pool: int, size: int, streams: Streams, index: int) -> NDArray[np.int64]:
    random = streams.at(index)
    if draw == "independent":
        # A double has 53 bits: no unit of any real pool is favoured by a billionth.
        numbers = np.fromiter((random() for _ in range(size)), dtype=np.float64, count=size)
        return np.sort((numbers * pool).astype(np.int64))
    keys = np.fromiter((random() for _ in range(pool)), dtype=np.float64, count=pool)
    return np.sort(np.argsort(keys, kind="stable")[:size])


def require_size(setting: str, size: object, pool: int) -> None:
    """Refuse a size that is no size, says nothing, or is larger than the pool."""
    if isinstance(size, bool) or not isinstance(size, int) or size < 2:
        raise SettingError(setting, size, "a whole number from 2 up")
    if size > pool:
        expected = f"no more than the pool has: {pool}"
        raise SettingError(setting, size, expected)


def require_repetitions(repetitions: object, fewest: int, why: str) -> None:
    """Refuse fewer repetitions than can say anything."""
    if isinstance(repetitions, bool) or not isinstance(repetitions, int) or repetitions < fewest:
        raise SettingError("repetitions", repetitions, f"at least {fewest}: {why}")


def sizes_that_fit(
    sizes: Sequence[int] | None, pool: int, usual: Sequence[int], fewest: int = 2
) -> list[int]:
    """The sizes asked for, all checked; or those of the usual ones that leave `fewest` samples.

    A pool too small for any of them is cut into twice as many samples, and into as many.
    """
    if sizes is not None:
        if not sizes:
            raise SettingError("sizes", "none", "at least one size")
        for size in sizes:
            require_size("size", size, pool)
        return sorted(set(sizes))
    fitting = [size for size in usual if fewest * size <= pool]
    if fitting:
        return fitting
    parts = [size for size in (pool // (2 * fewest), pool // fewest) if size >= 2]
    if not parts:
        expected = f"at least {2 * fewest}: {fewest} samples of 2 must fit in it"
        raise SettingError("test set", f"{pool} units", expected)
    return parts


def draw_by_size(
    draw: Draw,
    pool: int,
    sizes: Sequence[int] | None,
    usual: Sequence[int],
    *,
    repetitions: int,
    fewest: int,
    seed: int,
) -> dict[int, list[NDArray[np.int64]]]:
    """The samples of every size, at least so many of each; all is checked before any is drawn.

    Args:
        draw: how samples are taken.
        pool: how many units there are.
        sizes: units in a sample, or None for the usual ones that fit.
        usual: the sizes to choose from then.
        repetitions: how many samples of each size; broad ones and blocks may be fewer.
        fewest: how many there must be at least, or their shares would say nothing.
        seed: of random samples.
    """
    cut = draw in ("broad", "block")
    chosen = sizes_that_fit(sizes, pool, usual, fewest if cut else 2)
    if cut and fewest * chosen[-1] > pool:
        expected = (
            f"at most {pool // fewest} for {fewest} {draw} samples that share nothing; "
            "or draw them at random"
        )
        raise SettingError("size", chosen[-1], expected)
    return {size: draw_samples(draw, pool, size, repetitions, seed) for size in chosen}
