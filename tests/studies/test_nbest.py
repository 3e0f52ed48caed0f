"""Studies of n-best lists: tuning by every smoothing, and a reranker by several metrics."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.nbest.small_lists import informative, small_lists
from truebleu.corpus.nbest import NBest
from truebleu.errors import SettingError
from truebleu.nbest.expectation import ExpectedBleu
from truebleu.nbest.problem import Search, count_candidates, drop_duplicates, make_problem
from truebleu.nbest.reranking import rerank
from truebleu.significance.compare import compare
from truebleu.simulation.decoder import FEATURES, Decoder
from truebleu.studies.nbest import (
    _reranking_sentences,
    _tuning_sentences,
    study_reranking,
    study_tuning,
    undecided_sentences,
    with_redundant,
)


def test_every_row_equals_its_tuner() -> None:
    lists, references = informative(segments=20)
    test, test_references = informative(segments=20)
    result = study_tuning(
        lists,
        [references],
        test,
        [test_references],
        smoothings=("0", "3"),
        repeats=2,
        epochs=3,
        replicates=100,
    )
    assert [row["tuner"] for row in result.rows] == ["0", "3", "mira", "mert"]
    problem = make_problem(lists, references, ["sentbleu:smoothing=0"])
    search = Search.of(np.zeros(len(problem.names)), seed=result.settings["seed"])
    weights = ExpectedBleu(epochs=3).weights(problem, search)
    plain = count_candidates(lists, references, "bleu")
    alone = study_tuning(
        lists,
        [references],
        test,
        [test_references],
        smoothings=("0",),
        repeats=1,
        epochs=3,
        replicates=100,
    )
    assert alone.rows[0]["development"] == pytest.approx(plain.score(problem.choices(weights)))
    assert alone.rows[0]["difference"] is None
    assert result.rows[1]["p"] is not None
    assert "smoothing" in str(result)


def test_an_outer_loop_finds_what_the_first_lists_do_not_have() -> None:
    own, other = Decoder(segments=15, seed=1), Decoder(segments=15, seed=2)
    given = (own.nbest(size=5), [own.references], other.nbest(size=5), [other.references])
    study = partial(study_tuning, *given, smoothings=("0",), repeats=1, epochs=5, replicates=50)
    decoders = (partial(own.nbest, size=5), partial(other.nbest, size=5))
    fixed = study()
    looped = study(decoders=decoders, rounds=6)
    for before, after in zip(fixed.rows, looped.rows, strict=True):
        assert after["test"] > before["test"] + 10
        assert after["development"] > before["development"] + 10
    assert "up to 6 times" in str(looped)
    assert "up to" not in str(fixed)


def test_sparse_features_of_later_rounds_are_tuned_except_by_mert() -> None:
    own, other = (Decoder(segments=12, seed=seed, sparse=True) for seed in (1, 2))
    decoders = (partial(own.nbest, size=5), partial(other.nbest, size=5))
    given = (decoders[0](), [own.references], decoders[1](), [other.references])

    result = study_tuning(
        *given,
        decoders=decoders,
        rounds=3,
        smoothings=("0",),
        repeats=1,
        epochs=2,
        replicates=50,
    )
    sparse = given[0].sparse
    assert sparse is not None
    assert result.settings["features"] == len(FEATURES) + sparse.size
    assert result.details["features"] > result.settings["features"]
    assert "MERT tunes only the features of all candidates" in str(result)


def test_rounds_need_decoders_and_decoders_rounds() -> None:
    lists, references = informative()
    given = (lists, [references], lists, [references])
    with pytest.raises(SettingError, match="rounds: 2; expected at least 2 rounds with decoders"):
        study_tuning(*given, rounds=2)
    with pytest.raises(SettingError, match="rounds: 1"):
        study_tuning(*given, decoders=(Decoder(segments=2).nbest, Decoder(segments=2).nbest))


def test_settings_without_a_baseline_are_refused() -> None:
    lists, references = informative()
    with pytest.raises(SettingError, match="0 and other smoothings"):
        study_tuning(lists, [references], lists, [references], smoothings=("1",))


# Reranking.


@pytest.mark.slow
def test_rows_equal_compare_of_both_models() -> None:
    lists, references = small_lists(segments=40)
    result = study_reranking(
        lists, [references], ["nist", "chrf"], ngrams=2, folds=2, replicates=100, gamma=0.1
    )
    models = {
        name: rerank(
            lists,
            references,
            ngrams=orders,
            metrics=["nist"],
            folds=2,
            gamma=0.1,
            replicates=50,
        )
        for name, orders in (("baseline", 0), ("reranking", 2))
    }
    texts = {name: list(model.texts) for name, model in models.items()}
    expected = compare(
        texts, references, metrics=["nist", "chrf"], replicates=100, baseline="baseline"
    )
    assert [row["metric"] for row in result.rows] == ["NIST", "chrF2"]
    for row, pair in zip(result.rows, expected.comparisons, strict=True):
        assert row["difference"] == pair.difference
        assert row["approxrand"] == pair.p
        assert row["changed"] > 0
        assert row["verdict"] in {"better", "worse", "cannot tell"}
    assert result.details["selected"] == len(models["reranking"].selected)
    assert "segments" in str(result)


def test_variants_with_redundant_features_are_compared_with_the_reranker() -> None:
    lists, references = small_lists(segments=40)
    lists = drop_duplicates(lists)
    result = study_reranking(
        lists, [references], ["bleu"], ngrams=1, gamma=0.1, redundant=[1, 3], replicates=100
    )
    first, *variants = result.rows
    assert first["compared"] == "baseline : reranking"
    assert [row["compared"] for row in variants] == ["1 : 2", "1 : 3"]
    assert {row["baseline"] for row in variants} == {first["reranking"]}
    assert result.details["gamma"] == 0.1
    for row in variants:
        texts = {
            "1": rerank(lists, references, ngrams=1, gamma=0.1).texts,
            "2": rerank(
                with_redundant(lists, 1 if row["b"] == "2" else 3, result.settings["seed"]),
                references,
                ngrams=1,
                gamma=0.1,
            ).texts,
        }
        assert row["changed"] == sum(a != b for a, b in zip(*texts.values(), strict=True))
        for test, name in (("ar", "approxrand"), ("bootstrap-absolute", "bootstrap")):
            expected = compare(texts, references, test=test, replicates=100, baseline="1")
            assert row[name] == expected.comparisons[0].p
    assert "of 2 variants with" in str(result)


def test_redundant_features_correlate_with_the_original_ones() -> None:
    lists, _ = informative(segments=200)
    more = with_redundant(lists, 3, seed=1)
    assert more.feature_names[: len(lists.feature_names)] == lists.feature_names
    assert len(more.feature_names) == len(lists.feature_names) + 3
    own, copy = more.features[:, 0], more.feature("redundant-1")
    # The correlation with noise of 0.3 standard deviations: 1 / sqrt(1.09).
    assert np.corrcoef(own, copy)[0, 1] == pytest.approx(0.958, abs=0.02)
    bare = NBest.of([["a", "b"]])
    with pytest.raises(SettingError, match="lists that have features to copy"):
        study_reranking(bare, [["a"]], redundant=[1])


def test_something_to_compare_by_is_needed() -> None:
    lists, references = informative()
    with pytest.raises(SettingError, match="metrics"):
        study_reranking(lists, [references], metrics=[])


def test_significant_tuners_are_named_by_direction() -> None:
    settings = {
        **dict.fromkeys(("candidates", "test_segments", "rounds"), 1),
        "is_sparse": False,
        "margin": 0.5,
        "pool": {"segments": 1},
    }
    parts = ("development", "test")
    marks = {f"{mark}_{part}": 1.0 for mark in ("first", "by_chance", "oracle") for part in parts}
    marks["features"] = 1

    def said(p: float, reach: float = 0.5) -> str:
        rows = [
            {"tuner": "0", "test": 1.0, "difference": None, "p": None},
            {"tuner": "2", "test": 1.4, "difference": 0.4, "p": p, "low": -0.1, "high": reach},
            {"tuner": "mira", "test": 0.6, "difference": -0.4, "p": p, "low": -9.0, "high": 0.1},
        ]
        return " ".join(_tuning_sentences(rows, marks, settings))

    assert "Equivalent to no smoothing within 0.50: 2. Cannot tell from no smoothing: mira" in (
        said(0.06)
    )
    assert "smoothing: 2 and mira; intervals reach differences of 9.00." in said(0.06, reach=0.51)
    assert "Equivalent" not in said(0.05)
    assert "Cannot tell" not in said(0.05)
    assert "Significantly better than no smoothing: 2." in said(0.05)
    assert "Significantly worse than no smoothing: mira." in said(0.05)
    assert "worse than the first or random candidates of the test lists: mira." in said(0.05)


def test_nothing_is_said_about_the_sign_of_an_undecided_difference() -> None:
    settings = {"candidates": 1, "pool": {"segments": 1}, "train_for": "NIST"}
    details: dict[str, Any] = {"gamma": 1.0, "selected": 1, "below": True}
    details |= dict.fromkeys(("score", "first", "by_chance", "oracle"), 1.0)
    shared = {"a": "baseline", "changed": 1}

    rows = [
        {**shared, "metric": "NIST", "difference": 0.2, "verdict": "better"},
        {**shared, "metric": "BLEU", "difference": -0.1, "verdict": "cannot tell"},
    ]
    said = " ".join(_reranking_sentences(rows, details, settings))
    assert said.endswith("random candidates. Better by NIST. Cannot tell by BLEU.")
    assert "Warning: the reranker is worse than the first or random candidates." in said


def test_a_model_compared_with_itself_gets_no_p_value_and_no_verdict() -> None:
    lists, references = informative(segments=20)
    result = study_reranking(lists, [references], ["bleu"], ngrams=1, gamma=1e6, replicates=100)
    (row,) = result.rows
    assert row["changed"] == 0
    assert row["verdict"] == "the same choices"
    assert [row[name] for name in ("low", "high", "approxrand", "bootstrap")] == [None] * 4
    assert "Nothing follows about the metrics: a model is compared with itself." in str(result)
    assert "Cannot tell" not in str(result)


def test_tuners_without_an_interval_are_undecided() -> None:
    row = {"tuner": "copy", "p": 1.0, "p_adjusted": 1.0, "low": None, "high": None}
    assert list(undecided_sentences([row], 0.5)) == [
        "Cannot tell from no smoothing, as too few choices differ: copy."
    ]
