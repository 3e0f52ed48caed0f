"""sacreBLEU's paired tests and intervals come out the same, digit by digit."""

from __future__ import annotations

import json
import logging
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_array_equal

from tests.compat.copies import data, in_both, needs_data, parts
from truebleu.compat import _patch

# Words in common, so that every order has matches and the usual formulas apply.
TEXT = "the cat sat on the old mat and looked at the small bird in the tree"


def text(seed: int, errors: float, size: int = 60) -> list[str]:
    stream, words = np.random.default_rng(seed), TEXT.split()
    return [
        " ".join("oh" if stream.random() < errors else word for word in words[: 6 + i % 8])
        for i in range(size)
    ]


REFERENCES = [text(0, 0.05), text(1, 0.1), text(2, 0.15)]
SYSTEMS = [("base", text(3, 0.2)), ("new", text(4, 0.22)), ("copy", text(3, 0.2))]
SETTINGS = [
    ("BLEU", {}),
    ("BLEU", {"smooth_method": "add-k", "smooth_value": 0.5}),
    ("BLEU", {"max_ngram_order": 2}),
    ("CHRF", {}),
    ("CHRF", {"word_order": 2, "beta": 3}),
    ("CHRF", {"eps_smoothing": True}),
    ("TER", {}),
]


def numbers(results: dict[str, list[Any]]) -> list[list[dict[str, Any]]]:
    """The columns of a paired test in Python's own numbers, where sacreBLEU's may be NumPy's."""
    return [
        [{key: x and float(x) for key, x in parts(result).items()} for result in column]
        for name, column in results.items()
        if name != "System"
    ]


@pytest.mark.parametrize("references", [REFERENCES[:1], REFERENCES], ids=["one", "three"])
@pytest.mark.parametrize(("kind", "interval"), [("bs", -1), ("ar", -1), ("ar", 50)])
@pytest.mark.parametrize(("name", "arguments"), SETTINGS)
def test_paired_tests_agree(
    name: str, arguments: dict[str, Any], kind: str, interval: int, references: list[list[str]]
) -> None:
    systems = SYSTEMS if name != "TER" else [(system, lines[:15]) for system, lines in SYSTEMS]
    lines = [reference[: len(systems[0][1])] for reference in references]

    def test(metrics: Any, significance: Any) -> Any:
        metric = getattr(metrics, name)(**arguments, references=lines)
        signatures, results = significance.PairedTest(
            systems, {name: metric}, None, kind, n_samples=200, n_ar_confidence=interval
        )()
        return numbers(results), signatures

    plain, ours = in_both(test)
    assert ours == plain
    # sacreBLEU 2.0 can't score other orders than 4.
    assert "p_value" in ours or "max_ngram_order" in arguments


@needs_data
@pytest.mark.parametrize("kind", ["bs", "ar"])
def test_paired_tests_of_real_texts_and_several_metrics_agree(kind: str) -> None:
    systems = [(f"{i}", data(f"four-references/out.{i}.txt", 100)) for i in range(3)]
    references = [data("four-references/ref0.txt", 100)]

    def test(metrics: Any, significance: Any) -> Any:
        both = {"BLEU": metrics.BLEU(), "CHRF": metrics.CHRF()}
        _, results = significance.PairedTest(systems, both, references, kind, 500, n_jobs=2)()
        return numbers(results)

    plain, ours = in_both(test)
    assert ours == plain


def test_texts_whose_replicates_need_smoothing_agree() -> None:
    systems = [("base", ["a b", "c d e f"]), ("new", ["a c", "c d e f g"])]

    def test(metrics: Any, significance: Any) -> Any:
        of_all = {"BLEU": metrics.BLEU(), "CHRF": metrics.CHRF(), "TER": metrics.TER()}
        references = [["a b", ""], [None, "c d e f g"]]
        return [
            numbers(significance.PairedTest(systems, of_all, references, kind, 99)()[1])
            for kind in ("bs", "ar")
        ]

    plain, ours = in_both(test)
    assert ours == plain


@pytest.mark.parametrize("seed", ["7", "none"])
@pytest.mark.parametrize(("name", "arguments"), SETTINGS)
def test_intervals_of_corpus_scores_agree(
    name: str, arguments: dict[str, Any], seed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", seed)

    def score(metrics: Any, _: Any) -> Any:
        metric = getattr(metrics, name)(**arguments)
        score = metric.corpus_score(SYSTEMS[0][1][:20], [REFERENCES[0][:20]], n_bootstrap=100)
        kept = parts(score) if seed != "none" else round(float(score._mean) / 10)
        return kept, str(metric.get_signature())

    plain, ours = in_both(score)
    assert ours == plain


def test_metrics_of_others_are_resampled_by_their_own_formulas() -> None:
    def test(metrics: Any, significance: Any) -> Any:
        class Halved(metrics.CHRF):  # type: ignore[misc]
            def _compute_f_score(self, statistics: Any) -> float:
                return float(super()._compute_f_score(statistics)) / 2

        metric = Halved(references=REFERENCES[:1])
        return [
            numbers(significance.PairedTest(SYSTEMS, {"half": metric}, None, kind, 50)()[1])
            for kind in ("bs", "ar")
        ]

    plain, ours = in_both(test)
    assert ours == plain


def test_intervals_can_be_written_as_json() -> None:
    significance = import_module("truebleu.compat.sacrebleu.significance")
    metric = import_module("truebleu.compat.sacrebleu.metrics").CHRF()
    _, results = significance.PairedTest(SYSTEMS, {"chrF": metric}, REFERENCES, "bs", 50)()
    assert json.loads(json.dumps([parts(result) for result in results["chrF2"]]))


def test_log_messages_equal_sacrebleus(caplog: pytest.LogCaptureFixture) -> None:
    def test(metrics: Any, significance: Any) -> Any:
        caplog.clear()
        with caplog.at_level(logging.INFO):
            for kind in ("bs", "ar"):
                significance.PairedTest(SYSTEMS, {"B": metrics.BLEU()}, REFERENCES, kind, 20, 20)()
        return list(caplog.messages)

    plain, ours = in_both(test)
    assert ours == plain


@given(st.integers(0, 2**31), st.integers(1, 40), st.sampled_from([1, 30, 2**20]), st.booleans())
def test_sums_of_draws_equal_row_by_row_sums(
    seed: int, size: int, largest: int, whole: bool
) -> None:
    stream = np.random.default_rng(seed)
    numbers = stream.integers(0, largest + 1, size=(size, 3)) / (1 if whole else 3)
    table = numbers.astype(np.float32)
    drawn = np.random.default_rng(seed).choice(size, size=(30, size), replace=True)
    sums = _patch.Draws(np.random.default_rng(seed), 30, size).sums(table)
    assert_array_equal(sums, [table[segments].sum(axis=0) for segments in drawn])


@given(st.integers(0, 2**31), st.integers(1, 40), st.sampled_from([3, 2**22]))
def test_sums_of_swaps_are_products_with_zeros_and_ones(seed: int, size: int, largest: int) -> None:
    stream = np.random.default_rng(seed)
    first, second = stream.integers(0, largest, size=(2, size, 4))
    swaps = stream.integers(2, size=(50, size), dtype=np.bool_)
    expected = swaps @ first + ~swaps @ second, ~swaps @ first + swaps @ second
    assert_array_equal(_patch.swapped_sums(first, second, swaps), expected)


def test_draws_beyond_one_block_continue_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_patch, "BLOCK", 8)
    table = np.arange(21, dtype=np.float32).reshape(7, 3)
    drawn = np.random.default_rng(5).choice(7, size=(9, 7), replace=True)
    sums = _patch.Draws(np.random.default_rng(5), 9, 7).sums(table)
    assert_array_equal(sums, [table[segments].sum(axis=0) for segments in drawn])
