"""Files of weights, what weights choose, and what a choice gains: compare's own numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.nbest.small_lists import small_lists
from truebleu import CHRF, TER, compare
from truebleu.errors import MalformedFileError, SettingError, UnknownNameError
from truebleu.nbest import NBest, oracle_scores
from truebleu.nbest.choices import (
    format_weights,
    measure_gain,
    read_weights,
    weighted_choices,
    weights_format,
)

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.nbest.choices import WeightsFormat

WEIGHTS = {"LM0": 0.5, "TM0_0": -0.25, "TM0_1": 1e-9, "a b": 3.0}


@pytest.mark.parametrize("kind", ["tsv", "json", "ini"])
def test_written_weights_can_be_read(kind: WeightsFormat, tmp_path: Path) -> None:
    path = tmp_path / f"weights.{kind}"
    path.write_text(format_weights(WEIGHTS, kind))
    assert weights_format(path) == kind
    assert read_weights(str(path)) == WEIGHTS


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a\tb\n", "line 1: weight 'b'"),
        ("a\t1\na\t2\n", "line 2: 'a' again"),
        ("a\n", "line 1"),
        ("a\tnan\n", "finite"),
        ("\n", "no weights"),
        ("{1}", "JSON"),
        ("[weight]\nLM0\n", "line 2"),
    ],
)
def test_bad_files_are_refused(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_text(text)
    with pytest.raises(MalformedFileError, match=reason):
        read_weights(str(path))


def test_weights_choose_the_first_of_the_best() -> None:
    lists = NBest.of([["a", "b", "c"], ["d", "e"]], features={"f": [[1, 2, 2], [0, 0]]})
    assert weighted_choices(lists, {"f": 1.0}).tolist() == [1, 0]
    with pytest.raises(UnknownNameError, match="g"):
        weighted_choices(lists, {"g": 1.0})


def test_moses_cannot_have_sparse_weights_in_its_ini() -> None:
    with pytest.raises(SettingError, match="sparse"):
        format_weights({"a": 1.0}, "ini", sparse=frozenset({"a"}))


# Gains.


LISTS, REFERENCES = small_lists(segments=12, seed=4)
FIRST = np.zeros(12, dtype=np.int64)
LAST = np.array([size - 1 for size in LISTS.sizes])


def test_a_gain_is_what_compare_says_of_the_chosen_texts() -> None:
    gain, other = measure_gain(LISTS, REFERENCES, [CHRF()], FIRST, [LAST], seed=5, replicates=200)
    texts = {"baseline": LISTS.choose(FIRST), "chosen": LISTS.choose(LAST)}
    comparison = compare(
        texts, REFERENCES, metrics=["chrf"], baseline="baseline", replicates=200, seed=5
    )
    (pair,) = comparison.comparisons
    assert (gain.baseline, gain.score) == tuple(
        comparison.systems[name]["chrF2"].score for name in texts
    )
    assert gain.p == pair.p
    # A metric that nobody chose by stands beside it.
    assert other.metric == "BLEU"
    assert gain.difference == pytest.approx(gain.score - gain.baseline)
    assert gain.is_better == (gain.difference > 0)
    assert (gain.runs, gain.deviation) == ((gain.score,), None)


def test_a_gain_has_the_scores_of_first_random_and_oracle_choices() -> None:
    gain, _ = measure_gain(LISTS, REFERENCES, [TER()], FIRST, [LAST], seed=5, replicates=200)
    (oracle,) = oracle_scores(LISTS, REFERENCES, metrics=["ter"]).metrics
    assert gain.first == gain.baseline == pytest.approx(oracle.first)
    assert gain.oracle == pytest.approx(oracle.best) != oracle.worst
    draws = np.random.default_rng(1).random((1000, len(LISTS)))
    texts = [LISTS.choose((draw * LISTS.sizes).astype(int)) for draw in draws]
    drawn = [TER().corpus(text, REFERENCES).score for text in texts]
    # TER is a quotient of sums, so that its mean is that of the mean sums but for little.
    assert gain.by_chance == pytest.approx(np.mean(drawn), rel=0.01)


def test_runs_have_a_mean_and_a_deviation() -> None:
    runs = [LAST, FIRST, LAST]
    gain, _ = measure_gain(LISTS, REFERENCES, [TER()], FIRST, runs, seed=5, replicates=200)
    assert gain.score == pytest.approx(np.mean(gain.runs))
    assert gain.deviation == pytest.approx(np.std(gain.runs, ddof=1))
    assert gain.runs[1] == pytest.approx(gain.baseline)
    # Lower is better.
    assert gain.is_better == (gain.difference < 0)
