"""`truebleu.rerank`: every model, on small lists."""

from __future__ import annotations

from typing import Any

import pytest

import truebleu
from tests.nbest.small_lists import informative
from truebleu.errors import SettingError, UnknownNameError
from truebleu.nbest import NBest

FAST: dict[str, Any] = {"replicates": 100}


def test_given_weights_choose_and_the_gain_is_measured() -> None:
    lists, references = informative()
    result = truebleu.rerank(lists, references, weights={"quality": 1.0}, metrics=["chrf"], **FAST)
    assert result.gains[0].difference > 0
    assert [gain.metric for gain in result.gains] == ["chrF2", "BLEU"]
    assert result.changed == sum(index > 0 for index in result.indices)
    assert "given weights" in str(result)
    assert truebleu.rerank(lists, weights={"quality": 1.0}).gains == ()


def test_quality_columns_may_count_downwards() -> None:
    lists = NBest.of(
        [["a", "b"], ["c", "d"]], features={"qe": [[2, 1], [3, 4]], "errors": [[5, 1], [1, 1]]}
    )
    assert truebleu.rerank(lists, model="quality", features=["qe"]).texts == ("a", "d")
    assert truebleu.rerank(lists, model="quality", features=["-errors"]).texts == ("b", "c")
    both = truebleu.rerank(lists, model="quality", features=["qe", "-errors"])
    assert both.weights["errors"] < 0 < both.weights["qe"]


@pytest.mark.parametrize("model", ["log-linear", "noisy-channel"])
def test_trained_models_gain_on_segments_that_they_did_not_see(model: Any) -> None:
    lists, references = informative(segments=30)
    columns = ["quality", "noise"] if model == "noisy-channel" else []
    options = {"model": model, "metrics": ["chrf"], "features": columns, "folds": 2, **FAST}
    crossed = truebleu.rerank(lists, references, **options)
    assert crossed.folds == 2
    assert crossed.gains[0].difference > 0
    test, test_references = informative(seed=9)
    other = truebleu.rerank(
        test, test_references, train=lists, train_references=references, **options
    )
    assert (other.folds, other.trained_on) == (None, 30)
    assert other.gains[0].difference > 0
    if model == "log-linear":
        assert other.selected[0] == "quality"
        assert other.gamma in [point.gamma for point in other.path]
        assert "constant" not in other.weights


def test_what_does_nothing_or_is_missing_is_refused() -> None:
    lists, references = informative()
    for options, reason in (
        ({}, "weights"),
        ({"model": "quality"}, "columns"),
        ({"model": "quality", "features": ["quality"], "weights": {"quality": 1.0}}, "none"),
        ({"model": "log-linear", "features": ["quality"]}, "all features"),
        ({"weights": {"quality": 1.0}, "length_penalty": 1.0}, "noisy channel"),
        ({"model": "noisy-channel", "features": ["quality"]}, "two or more"),
    ):
        with pytest.raises(SettingError, match=reason):
            truebleu.rerank(lists, references, **options)
    with pytest.raises(UnknownNameError, match="model"):
        truebleu.rerank(lists, model="neural")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="nothing"):
        truebleu.rerank(lists, weights={"nothing": 1.0})
