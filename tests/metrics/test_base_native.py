"""The native metrics: gradients, and refusals in place of panics."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from truebleu import BLEU, CHRF, NIST, TER, SentenceBLEU, _core
from truebleu.errors import SettingError, TruebleuError
from truebleu.metrics import GTM, MBLEU, PER, WER, LengthRatio
from truebleu.metrics.base import Metric

if TYPE_CHECKING:
    from truebleu.metrics.base import NativeMetric

METRICS: list[NativeMetric] = [
    BLEU(),
    BLEU(smooth="add-k", max_order=2),
    MBLEU(),
    SentenceBLEU(),
    CHRF(word_order=2),
    CHRF(eps_smoothing=True),
    TER(),
    NIST(),
    WER(),
    PER(),
    GTM(exponent=2),
    LengthRatio(),
]
OUTPUTS = ["the cat sat on the red mat today", "a b c d e f x y", "one two three four five"]
REFERENCES = ["the cat sat on the mat this day", "a b c d e f g h i", "one two three four six"]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: str(metric.signature))
def test_the_gradient_agrees_with_central_differences(metric: NativeMetric) -> None:
    # Uneven sums: at equal lengths a brevity penalty has a kink.
    sums = metric.statistics(OUTPUTS, REFERENCES).sum(axis=0) * 1.25 + 0.5
    rows = np.stack([sums, sums * 1.5])
    expected = Metric.gradient(metric, rows)
    np.testing.assert_allclose(metric.gradient(rows), expected, rtol=1e-6, atol=1e-7)
    assert metric.gradient(rows[np.newaxis]).shape == (1, *rows.shape)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: str(metric.signature))
@pytest.mark.parametrize("more", [-1, 1])
def test_rows_of_another_width_are_refused(metric: NativeMetric, more: int) -> None:
    width = metric.width
    row = [1.0] * (width + more)
    with pytest.raises(SettingError, match=f"sums: '{width + more} columns'"):
        metric.describe(row, 1)
    with pytest.raises(SettingError, match="columns"):
        metric.native().score(row)
    for method in (metric.score, metric.gradient, metric.native().scores, metric.native().gradient):
        with pytest.raises(SettingError, match="sums"):
            method(np.ones((2, width + more)))
    with pytest.raises(SettingError, match="sums"):
        metric.describe([], 1)
    with pytest.raises(IndexError, match=f"expected {width}"):
        _core.Pairs([(0, 1)]).differences(
            np.ones((2, 2, width + more)), np.ones((2, width + more)), metric.native()
        )


@pytest.mark.parametrize(
    ("metric", "setting", "value"),
    [
        (BLEU, "tokenize", 5),
        (BLEU, "tokenize", None),
        (BLEU, "smooth", ["exp"]),
        (BLEU, "smooth_value", "much"),
        (BLEU, "lowercase", "yes"),
        (BLEU, "max_order", 2.0),
        (CHRF, "beta", 2.5),
        (CHRF, "whitespace", 1),
        (TER, "normalized", "no"),
        (NIST, "zero_history", None),
        (GTM, "exponent", "two"),
        (WER, "tokenize", b"13a"),
        (SentenceBLEU, "k", None),
        (SentenceBLEU, "smoothing", 4.5),
        (MBLEU, "max_order", True),
    ],
)
def test_a_setting_of_the_wrong_type_is_refused(metric: Any, setting: str, value: object) -> None:
    with pytest.raises(SettingError):
        metric(**{setting: value})


NUMBERS = st.one_of(
    st.integers(-3, 2**64 + 3), st.floats(), st.sampled_from([10**12, 2**63, -(2**63)])
)
ANYTHING: st.SearchStrategy[Any] = st.one_of(
    NUMBERS, st.none(), st.text(max_size=3), st.booleans(), st.lists(NUMBERS)
)
FEW = st.integers(0, 4)


def matrices(least: int, most: int) -> st.SearchStrategy[np.ndarray[Any, Any]]:
    shapes = st.tuples(*[FEW] * least) | st.tuples(*[FEW] * most)
    numbers = st.sampled_from([0.0, 1.0, -1.0, 1e300, np.nan, np.inf])
    return st.builds(np.full, shapes, numbers)


def ends_well(call: Any) -> None:
    """Anything but a panic, which is no Exception."""
    with suppress(TruebleuError, ValueError, TypeError, IndexError, OverflowError, MemoryError):
        call()


@pytest.mark.slow
@given(st.data())
@settings(max_examples=200)
def test_no_argument_makes_the_native_metrics_panic(data: st.DataObject) -> None:
    metric = data.draw(st.sampled_from(METRICS)).native()
    ends_well(lambda: metric.details(data.draw(st.lists(NUMBERS, max_size=20))))
    ends_well(lambda: metric.score(data.draw(ANYTHING)))
    ends_well(lambda: metric.scores(data.draw(matrices(2, 2))))
    ends_well(lambda: metric.gradient(data.draw(matrices(1, 3))))
    texts = st.lists(st.lists(st.none() | st.text(max_size=5), max_size=3), max_size=3)
    ends_well(lambda: metric.count(data.draw(texts), data.draw(texts)))


@pytest.mark.slow
@given(st.data())
@settings(max_examples=200)
def test_no_argument_makes_a_kernel_panic(data: st.DataObject) -> None:
    draw = data.draw
    count = st.sampled_from([0, 1, 3, 2**40, 2**63, 2**64 - 1])
    first = st.sampled_from([0, 5, 2**64 - 2])
    run = {"first": draw(first), "replicates": draw(count), "seed": draw(st.integers(0, 2))}
    rows, pairs = draw(matrices(2, 2)), st.lists(st.tuples(FEW, FEW), max_size=3)
    strata = draw(pairs)
    kernels = [
        lambda: _core.Rows(rows).bootstrap_sums(strata=strata, **run),
        lambda: _core.Rows(rows).swapped_sums(**run),
        lambda: _core.heads(draw(st.lists(FEW)), **run),
        lambda: _core.Pairs(draw(pairs)).sums(draw(matrices(3, 3)), rows),
        lambda: _core.Pairs(draw(pairs)).differences(draw(matrices(3, 3)), rows, TER().native()),
    ]
    for kernel in kernels:
        ends_well(kernel)
