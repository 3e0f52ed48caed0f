"""`truebleu.tune`: weights, held-out gains, and what is refused."""

from __future__ import annotations

import pickle
from concurrent.futures import Executor, Future
from typing import Any

import numpy as np
import pytest

import truebleu
from tests.nbest.small_lists import informative, small_lists
from truebleu.errors import SettingError, UnknownNameError
from truebleu.execution import Runner
from truebleu.nbest import TUNERS, Mert, Mira, NBest

FAST: dict[str, Any] = {"replicates": 100}


@pytest.mark.parametrize("method", TUNERS)
def test_every_method_finds_the_feature_that_tells(method: str) -> None:
    lists, references = informative()
    result = truebleu.tune(lists, references, method=method, metrics=["chrf"], folds=3, **FAST)
    weights = result.by_feature
    assert weights["constant"] == 0
    assert weights["quality"] > 0
    influence = {weight.feature: abs(weight.influence) for weight in result.weights}
    assert influence["quality"] > influence["noise"]
    assert result.development[0] > result.start
    assert result.held_out == "folds"
    assert [gain.metric for gain in result.gains] == ["chrF2", "BLEU"]
    assert result.gains[0].difference > 0
    assert "constant within lists" in str(result)


def test_runs_are_replications_with_a_mean_and_a_deviation() -> None:
    lists, references = informative()
    result = truebleu.tune(lists, references, method="mira", repeats=3, folds=2, **FAST)
    assert len(result.development) == len(result.gains[0].runs) == 3
    assert result.gains[0].score == pytest.approx(np.mean(result.gains[0].runs))
    assert all(weight.deviation is not None for weight in result.weights)
    with pytest.raises(SettingError, match="random part"):
        truebleu.tune(lists, references, method="risk", repeats=2, **FAST)


class Pickled(Executor):
    """Runs what is left of a function after a journey to another process."""

    def submit(self, function: Any, /, *_arguments: Any, **_keywords: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(pickle.loads(pickle.dumps(function))())  # noqa: S301
        return future


@pytest.mark.slow
@pytest.mark.parametrize("method", TUNERS)
def test_runs_elsewhere_find_the_same(method: str) -> None:
    lists, references = informative()
    options: dict[str, Any] = {"method": method, "metrics": ["bleu", "ter"], "folds": 2, **FAST}
    options["repeats"] = 2 if TUNERS[method].is_random else 1
    elsewhere = truebleu.tune(lists, references, runner=Runner(executor=Pickled()), **options)
    assert elsewhere == truebleu.tune(lists, references, **options)
    with pytest.raises(SettingError, match=r"progress: .*; set it on the runner"):
        truebleu.tune(lists, references, runner=Runner(executor=Pickled()), progress=print)


def test_test_lists_measure_the_gain() -> None:
    lists, references = informative()
    test, test_references = informative(seed=8, segments=30)
    result = truebleu.tune(
        lists, references, test_lists=test, test_references=test_references, **FAST
    )
    assert (result.held_out, result.held_out_segments, result.folds) == ("test", 30, None)
    assert result.gains[0].difference > 0


def test_fixed_and_bounded_weights_are_kept() -> None:
    lists, references = small_lists(segments=20, features=4)
    for method in ("mert", "mira", "pro", "expected-bleu", "risk"):
        result = truebleu.tune(
            lists,
            references,
            method=method,
            fixed={"f0": 0.5},
            bounds={"f1": (0.1, 0.2)},
            folds=0,
        )
        weights = result.by_feature
        assert weights["f0"] == pytest.approx(0.5)
        assert 0.1 - 1e-9 <= weights["f1"] <= 0.2 + 1e-9
        assert not result.normalized


def test_a_method_is_an_object_or_its_name_with_settings() -> None:
    lists, references = informative()
    written = truebleu.tune(lists, references, method="mira:epochs=3,shuffle=no", folds=0)
    assert written.method == Mira(epochs=3, shuffle=False)
    assert written == truebleu.tune(lists, references, method=written.method, folds=0)
    assert written.to_dict()["method"]["name"] == "mira"


def test_features_that_are_too_large_to_be_squared_are_refused() -> None:
    with pytest.raises(SettingError, match=r"segment 2: f: 1e\+308; .* up to 1e\+100"):
        NBest.of([["a", "b"]] * 2, features={"f": [[1, 2], [0, 1e308]]})


@pytest.mark.parametrize(
    "limits", [{"start": {"f": 1e308}}, {"fixed": {"f": -1e60}}, {"bounds": {"f": (0, 1e99)}}]
)
def test_weights_that_are_too_large_to_be_multiplied_are_refused(limits: dict[str, Any]) -> None:
    lists = NBest.of([["a b", "b"]] * 4, features={"f": [[1e99, -1e99]] * 4, "g": [[0, 1]] * 4})
    with pytest.raises(SettingError, match=r"weight of f: .* from -1e\+50 to 1e\+50"):
        truebleu.tune(lists, ["a b"] * 4, folds=0, **limits)
    with pytest.raises(SettingError, match="weight of f"):
        truebleu.rerank(lists, weights={"f": 1e308})
    # Warnings are errors here: none may come of what is just small enough.
    for method in TUNERS:
        truebleu.tune(lists, ["a b"] * 4, folds=0, method=method, start={"f": 1e50, "g": -1e50})


def test_scores_from_elsewhere_need_no_references() -> None:
    lists, _ = informative()
    result = truebleu.tune(lists, metrics=["feature:quality"], folds=2, **FAST)
    assert set(result.by_feature) == {"noise", "constant"}
    assert result.gains[0].metric == "quality"


def test_the_report_tells_useless_features() -> None:
    lists = NBest.of([["a b", "a b"]] * 4, features={"f": [[1.0, 2.0]] * 4})
    result = truebleu.tune(lists, ["a b"] * 4, method="pro", folds=2, **FAST)
    assert "The weights have no effect" in str(result)
    constant = NBest.of([["a b", "b a"]] * 4, features={"f": [[1.0, 1.0]] * 4})
    text = str(truebleu.tune(constant, ["a b"] * 4, folds=2, **FAST))
    assert "The weights have no effect" in text


def test_bad_input_is_refused() -> None:
    lists, references = small_lists()
    with pytest.raises(UnknownNameError, match="method"):
        truebleu.tune(lists, references, method="simplex")
    with pytest.raises(UnknownNameError, match="setting of mert"):
        truebleu.tune(lists, references, method="mert:decay=0.5")
    with pytest.raises(SettingError, match="an object such as Mert"):
        truebleu.tune(lists, references, method=Mert)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="f9"):
        truebleu.tune(lists, references, fixed={"f9": 1.0})
    with pytest.raises(SettingError, match="folds"):
        truebleu.tune(lists, references, folds=1)
    with pytest.raises(SettingError, match="features"):
        truebleu.tune([["a", "b"]] * 3, ["a"] * 3)
    with pytest.raises(SettingError, match="bounds"):
        truebleu.tune(lists, references, bounds={"f0": (1.0, 0.0)})


def test_results_are_plain_and_the_seed_decides() -> None:
    lists, references = informative()
    first = truebleu.tune(lists, references, folds=2, seed=9, **FAST)
    assert first.to_dict() == truebleu.tune(lists, references, folds=2, seed=9, **FAST).to_dict()
    import json

    json.dumps(first.to_dict(), allow_nan=False)


@pytest.mark.parametrize("copies", [1, 3], ids=["one candidate only", "all candidates equal"])
@pytest.mark.parametrize("method", TUNERS)
def test_lists_with_nothing_to_choose_from_are_said_to_be_so(method: str, copies: int) -> None:
    texts, references = ["a b c d x", "f g h i j"] * 5, ["a b c d e", "f g h i j"] * 5
    values = [[0.1] * copies, [0.2] * copies] * 5
    lists = NBest.of([[text] * copies for text in texts], features={"f": values})
    result = truebleu.tune(lists, references, method=method, folds=2, **FAST)
    assert result.by_feature == {"f": 0.0}
    assert [(gain.difference, gain.p) for gain in result.gains] == [(0.0, 1.0)] * 2
    assert "The weights have no effect" in str(result)
    chosen = truebleu.mbr(lists, metric="chrf")
    assert "All candidates have the same text for 10 of 10 segments." in str(chosen)
