"""The draws are NumPy's in sacreBLEU's order, whatever number of them is made at once."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
import pytest

from truebleu.compat.sacrebleu import _resampling as draws
from truebleu.errors import SettingError

SEED = "12345"


@pytest.mark.parametrize("size", [1, 2, 3, 31, 32, 33, 40])
@pytest.mark.parametrize("block", [1, 64, 100, 2**20])
def test_draws_by_blocks_are_those_of_one_call(
    size: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draws, "BLOCK", block)
    table = np.random.default_rng(1).integers(0, 50, size=(size, 4)).astype(np.float64)
    stream, numbers = draws.generator(SEED), np.random.default_rng(int(SEED))
    ((swapped, others),) = draws.swap_sums([table], 70, stream)
    swaps = numbers.integers(2, size=(70, size), dtype=bool)
    np.testing.assert_array_equal(swapped, swaps @ table)
    np.testing.assert_array_equal(others, ~swaps @ table)
    # The stream goes on where one call would have left it.
    (sums,) = draws.bootstrap_sums([table], 70, stream)
    rows = numbers.choice(size, size=(70, size), replace=True)
    np.testing.assert_array_equal(sums, table[rows].sum(axis=1))


def test_sums_beyond_single_precision_are_rounded_row_after_row() -> None:
    # 2 ** 24 and 1 is 2 ** 24 in single precision: the order of adding decides.
    table = np.tile([2.0**23, 1.0, 3.0], (6, 1))
    table[::2] = [1.0, 1.0, 2.0]
    (sums,) = draws.bootstrap_sums([table], 50, draws.generator(SEED))
    rows = np.random.default_rng(int(SEED)).choice(6, size=(50, 6), replace=True)
    plain = []
    for row in rows:
        total = np.zeros(3, dtype=np.float32)
        for segment in row:
            total = total + table[segment].astype(np.float32)
        plain.append(total)
    np.testing.assert_array_equal(sums, plain)
    assert (sums != table[rows].sum(axis=1)).any()


def test_fractions_are_added_from_the_first_segment_to_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(draws, "BLOCK", 1)
    thirds = np.random.default_rng(2).integers(1, 100, size=300) / 3
    table = np.stack([np.ones(300), thirds], axis=1)
    ((swapped, others),) = draws.swap_sums([table], 5, draws.generator(SEED))
    swaps = np.random.default_rng(int(SEED)).integers(2, size=(5, 300), dtype=bool)
    for trial, mask in enumerate(swaps):
        # The sum of later Pythons is too exact for this.
        assert swapped[trial, 1] == reduce(add, thirds[mask].tolist())
        assert others[trial, 1] == reduce(add, thirds[~mask].tolist())


def test_the_first_draws_of_the_default_seed_are_those_on_record() -> None:
    # ../shared/facts/sacrebleu.md, section 6.1.
    stream = draws.generator(draws.SEED)
    assert stream.choice(10, size=(1, 10)).tolist() == [[6, 2, 7, 3, 2, 7, 6, 6, 9, 3]]
    bits = draws.generator(draws.SEED).integers(2, size=16, dtype=bool)
    assert bits.astype(int).tolist() == [1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("seed", ["-1", "x", "1.5", ""])
def test_what_is_no_seed_is_refused(seed: str) -> None:
    with pytest.raises(SettingError, match="SACREBLEU_SEED"):
        draws.generator(seed)
