"""Tuners against exact arithmetic, Moses, Z-MERT, Travatar and plain definitions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.nbest.small_lists import line_profile
from tests.parity.cases import case_id
from tests.parity.test_tuning import PLAIN_BLEU, cases, lists_of, references_of
from truebleu import SentenceBLEU
from truebleu.nbest.expectation import (
    corpus_score,
    expectation,
    expected_corpus_loss,
    expected_sentence_loss,
    probabilities,
)
from truebleu.nbest.mert import Mert, Window, ascend
from truebleu.nbest.mira import Mira
from truebleu.nbest.pro import Pro, draw_pairs, logistic_loss
from truebleu.nbest.problem import Problem, Search, make_problem, minimize

#: Moses calls the mean "average".
WINDOWS: dict[str | None, Window] = {"average": "mean", "min": "min", None: "mean"}


def problem_of(name: str, divisors: list[float] | None = None) -> Problem:
    problem = make_problem(lists_of(name), references_of(name), [PLAIN_BLEU], scale=False)
    if divisors is None:
        return problem
    scales = np.array(divisors)
    return replace(problem, matrix=problem.matrix / scales, scales=scales)


@pytest.mark.parametrize("case", cases("line"), ids=case_id)
def test_profiles_of_lines_are_exact(case: dict[str, Any]) -> None:
    settings, expect = case["settings"], case["expect"]
    profile = line_profile(problem_of(case["input"]), settings["origin"], settings["direction"])
    assert len(profile.boundaries) == len(expect["boundaries"])
    assert profile.boundaries == pytest.approx(np.array(expect["boundaries"]), rel=1e-9)
    assert np.abs(profile.scores / 100 - expect["scores"]).max() < 1e-12
    assert list(profile.first) == expect["first_index"]
    changes: list[dict[int, int]] = [{} for _ in expect["boundaries"]]
    for boundary, segment, candidate in profile.changes:
        changes[boundary][segment] = candidate
    assert changes == [dict(pairs) for pairs in expect["changes"]]
    best = int(profile.scores.argmax())
    assert best == expect["best_interval"]
    assert profile.scores[best] / 100 == pytest.approx(expect["best_score"], abs=1e-12)


@pytest.mark.parametrize("case", cases("coordinate-ascent"), ids=case_id)
def test_searches_along_features_take_the_path_of_moses(case: dict[str, Any]) -> None:
    given, expect = case["settings"], case["expect"]
    settings = Mert(
        restarts=0,
        directions=0,
        window=given["window"],
        window_kind=WINDOWS[given["smoothing"]],
        ends=(1000.0, 0.1),
        nearest=0.00015,
    )
    problem = problem_of(case["input"])
    ascent = ascend(problem, settings, Search.of(given["start"]))
    assert ascent.objective / 100 == pytest.approx(expect["objective"], rel=1e-9)
    assert ascent.weights == pytest.approx(np.array(expect["weights"]), rel=1e-6, abs=1e-12)
    assert problem.value(ascent.weights) / 100 == pytest.approx(expect["bleu"], rel=1e-9)
    assert len(ascent.path) == expect["passes"]
    for (objective, weights), step in zip(ascent.path, expect["path"], strict=True):
        assert objective / 100 == pytest.approx(step["objective"], rel=1e-9)
        assert weights == pytest.approx(step["weights"], rel=1e-6, abs=1e-12)
    if expect["moses"]["same_path"]:
        assert ascent.objective / 100 == pytest.approx(expect["moses"]["objective"], rel=1e-5)
        moses = np.array(expect["moses"]["weights"])
        assert ascent.weights == pytest.approx(moses, rel=2e-3, abs=1e-5)


@pytest.mark.parametrize("case", cases("zmert"), ids=case_id)
def test_one_search_reaches_what_zmert_reaches(case: dict[str, Any]) -> None:
    problem, expect = problem_of(case["input"]), case["expect"]
    start = case["settings"]["start"]
    assert problem.value(start) / 100 == pytest.approx(expect["initial_bleu"], rel=1e-12)
    # Z-MERT ends elsewhere on a line, so its score is a floor.
    found = Mert().weights(problem, Search.of(start, seed=1))
    assert problem.value(found) / 100 >= expect["final_bleu"] - 1e-12


@pytest.mark.parametrize("case", cases("mert-restarts"), ids=case_id)
def test_restarts_are_as_good_as_in_other_tools(case: dict[str, Any]) -> None:
    expect = case["expect"]
    problem = make_problem(lists_of(case["input"]), references_of(case["input"]), [PLAIN_BLEU])
    start = problem.scaled(case["settings"]["start"])
    found = [
        problem.value(Mert().weights(problem, Search.of(start, seed=seed))) / 100 for seed in (1, 2)
    ]
    others = [run["bleu"] for tool in ("moses_n20", "zmert_ipi20") for run in expect[tool]]
    assert min(found) >= min(others)
    assert max(found) <= expect["best_known_bleu"] * 1.01


@pytest.mark.usefixtures("shared")
def test_one_search_is_no_worse_than_travatars() -> None:
    (case,) = cases("travatar-mert")
    given, expect = case["settings"], case["expect"]
    problem = problem_of(case["input"], given["divide_features_by"]).take(range(given["segments"]))
    assert problem.value(given["start"]) / 100 == pytest.approx(expect["start_bleu"], rel=1e-9)
    assert problem.value(expect["weights"]) / 100 == pytest.approx(expect["bleu"], rel=1e-9)
    found = Mert(restarts=0).weights(problem, Search.of(given["start"], seed=1))
    assert problem.value(found) / 100 >= expect["bleu"] - 1e-9


@pytest.mark.parametrize("case", cases("kbmira"), ids=case_id)
def test_mira_takes_every_step_of_the_plain_run(case: dict[str, Any]) -> None:
    given, expect = case["settings"], case["expect"]
    problem = problem_of(case["input"])
    start = np.zeros(len(problem.names))
    start[:5] = given["start"]
    settings = Mira(
        step=given["C"],
        decay=given["decay"],
        epochs=given["passes"],
        background=given["background"],
        safe_hope=given["safe_hope"],
        shuffle=False,
    )
    run = settings.run(problem, Search.of(start))
    for epoch, wanted in zip(run.epochs, expect["epochs"], strict=True):
        assert epoch.updates == wanted["updates"]
        assert epoch.mean_loss == pytest.approx(wanted["mean_loss"], rel=1e-6)
        assert epoch.objective / 100 == pytest.approx(wanted["bleu"], rel=1e-6)
    assert run.objective / 100 == pytest.approx(expect["best_bleu"], rel=1e-6)
    if isinstance(expect["weights"], dict):
        # Dense features are named by their position; sparse weights of 0 are not listed.
        names = [f"F{place}" for place in range(5)] + list(problem.names[5:])
        found = dict(zip(names, run.weights.tolist(), strict=True))
        for name, weight in found.items():
            assert weight == pytest.approx(expect["weights"].get(name, 0.0), rel=1e-6, abs=1e-8)
    else:
        wanted_weights = np.array(expect["weights"])
        assert run.weights[: len(wanted_weights)] == pytest.approx(
            wanted_weights, rel=1e-6, abs=1e-9
        )
    same = expect["moses"].get("epochs_equal_to_plain", 0)
    for epoch, theirs in zip(run.epochs[:same], expect["moses"]["epochs"], strict=False):
        assert epoch.updates == theirs["updates"]
        assert epoch.objective / 100 == pytest.approx(theirs["bleu"], rel=1e-4)
        # Losses in single precision drift a little further from the same path.
        assert epoch.mean_loss == pytest.approx(theirs["mean_loss"], rel=3e-3)


@pytest.mark.parametrize("case", cases("kbmira-range"), ids=case_id)
def test_shuffled_mira_is_within_the_range_of_moses(case: dict[str, Any]) -> None:
    given = case["settings"]
    settings = Mira(step=given["C"], decay=given["decay"], epochs=given["passes"])
    problem = problem_of(case["input"])
    found = [
        settings.run(problem, Search.of(given["start"], seed=seed)).objective / 100
        for seed in range(10)
    ]
    theirs = [run["best_bleu"] for run in case["expect"]["runs"]]
    spread = max(theirs) - min(theirs)
    assert min(theirs) - spread <= np.mean(found) <= max(theirs) + spread
    assert abs(np.mean(found) - np.mean(theirs)) < 2 * np.std(theirs) + 1e-4


@pytest.mark.usefixtures("shared")
def test_the_classifier_of_pro_finds_the_optimum() -> None:
    (case,) = cases("pro-classifier")
    differences = np.array(case["settings"]["positive_differences"])
    differences /= case["settings"]["divide_features_by"]
    for penalty, expect in case["expect"].items():
        l2 = float(penalty)
        penalised = partial(logistic_loss, differences=differences, l2=l2)
        weights = minimize(penalised, Search.of(np.zeros(5)))
        loss, _ = logistic_loss(weights, differences, l2)
        assert loss == pytest.approx(expect["objective"], rel=1e-9)
        assert weights == pytest.approx(np.array(expect["weights"]), rel=1e-5)


@pytest.mark.usefixtures("shared")
def test_pro_is_within_the_range_of_moses() -> None:
    (case,) = cases("pro-range")
    divisors = case["settings"]["divide_features_by"]
    problem = problem_of(case["input"], divisors)
    test = problem_of(case["settings"]["test_input"], divisors)
    runs = case["expect"]["runs"]
    for seed in (1, 2, 3):
        pairs, _ = draw_pairs(problem, Pro(), seed=seed)
        counts = [run["pairs"] for run in runs]
        assert min(counts) - 30 <= len(pairs) <= max(counts) + 30
        weights = Pro().weights(problem, Search.of(np.zeros(5), seed=seed))
        for name, part in (("bleu", problem), ("test_bleu", test)):
            theirs = [run[name] for run in runs]
            spread = max(theirs) - min(theirs)
            value = part.value(weights) / 100
            assert min(theirs) - spread <= value <= max(theirs) + spread


@pytest.mark.usefixtures("shared")
def test_expected_bleu_and_its_gradient_follow_the_formula() -> None:
    (case,) = cases("expected-bleu")
    segments = range(case["settings"]["segments"])
    problem = problem_of(case["input"]).take(segments)
    utilities = np.concatenate(case["expect"]["utilities"])
    assert problem.lengths.tolist() == case["settings"]["reference_lengths"]
    smoothed = make_problem(
        lists_of(case["input"]),
        references_of(case["input"]),
        [SentenceBLEU(tokenize="none", smoothing=2)],
    ).take(segments)
    assert np.abs(smoothed.utilities() - utilities).max() < 1e-9
    for point in case["expect"]["points"]:
        for wanted, scale in ((point, 1.0), (point["scale_0_1"], 0.1)):
            loss, gradient = expected_sentence_loss(
                problem, point["weights"], utilities=utilities, l2=10, scale=scale
            )
            assert loss == pytest.approx(wanted["objective_lambda_10"], rel=1e-9)
            assert gradient == pytest.approx(
                np.array(wanted["gradient_lambda_10"]), rel=1e-9, abs=1e-9
            )
        scores = problem.model_scores(point["weights"])
        expected, _ = expectation(scores, utilities, problem.offsets)
        weighted = problem.lengths @ expected
        assert weighted == pytest.approx(point["length_weighted_expected_bleu"], rel=1e-9)
        # "Mean" is that of words, not of segments.
        mean = weighted / problem.lengths.sum()
        assert mean == pytest.approx(point["mean_expected_sentence_bleu"], rel=1e-9)
        scores = problem.model_scores(point["weights"])
        sums = probabilities(scores, problem.offsets) @ problem.rows
        nine = [*np.stack([sums[2:6], sums[6:10]], axis=1).ravel(), sums[1]]
        assert nine == pytest.approx(point["expected_statistics"], rel=1e-9)
        hard, smooth = corpus_score(problem, sums, None)[0], corpus_score(problem, sums, 1000)[0]
        assert hard == pytest.approx(point["expected_corpus_bleu_hard_bp"], rel=1e-9)
        assert smooth == pytest.approx(point["expected_corpus_bleu_smooth_bp_1000"], rel=1e-9)


@pytest.mark.usefixtures("shared")
def test_minimum_risk_follows_shen_and_others() -> None:
    (case,), (utilities_case,) = cases("mrt"), cases("expected-bleu")
    segments = case["settings"]["segments"]
    lists = lists_of(case["input"])
    offsets = lists.offsets[: segments + 1]
    losses = -np.concatenate(utilities_case["expect"]["utilities"])[: offsets[-1]]
    scores = lists.feature(case["settings"]["logprob"])[: offsets[-1]]
    for point in case["expect"]["points"]:
        risk, gradient = expectation(scores, losses, offsets, point["alpha"])
        assert risk == pytest.approx(np.array(point["risk"]), rel=1e-9)
        wanted = np.concatenate(point["gradient_wrt_logprob"])
        assert gradient == pytest.approx(wanted, rel=1e-9, abs=1e-12)


@pytest.mark.usefixtures("shared")
def test_expected_corpus_bleu_is_travatars_and_its_optimum_no_worse() -> None:
    (case,) = cases("expected-corpus-bleu")
    given, expect = case["settings"], case["expect"]
    problem = problem_of(case["input"], given["divide_features_by"]).take(range(given["segments"]))
    points = ((given["start"], expect["start"]), (expect["travatar_end_weights"], expect["end"]))
    for weights, wanted in points:
        for steepness, name in ((given["brevity_constant"], "smooth"), (None, "hard")):
            loss, _ = expected_corpus_loss(problem, weights, steepness=steepness)
            assert -loss == pytest.approx(wanted[name], rel=1e-9)
    best = problem.value(expect["travatar_end_weights"]) / 100
    assert best == pytest.approx(expect["one_best_bleu_at_end"], rel=1e-9)
    assert expect["start"]["smooth"] == pytest.approx(expect["travatar_start"], abs=1e-6)
    found = minimize(lambda w: expected_corpus_loss(problem, w), Search.of(given["start"]))
    assert -expected_corpus_loss(problem, found)[0] >= expect["travatar_end"]
