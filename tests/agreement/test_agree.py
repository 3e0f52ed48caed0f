"""Claims about agree: values, intervals, tests and what cannot be answered."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest

import truebleu
from tests.agreement.judged_texts import (
    RATES,
    SEGMENTS,
    comparisons,
    human_scores,
    people,
    reordered,
    texts,
)
from truebleu.agreement.agree import (
    AgreeSettings,
    _with_interval as with_interval,
    agree,
    answer as answer_of,
    choose_test,
    default_coefficients,
    leaderboard,
)
from truebleu.agreement.bootstrap import Replicates, resampling_of
from truebleu.agreement.coefficients import MetricAgreement, coefficient
from truebleu.agreement.data import AgreementData, HumanData, MetricData, mean_of_segments
from truebleu.agreement.tests import MetricTest, Permute, permutation_test, soft_pairwise_test
from truebleu.counts.counting import count_texts
from truebleu.errors import SettingError, UnknownNameError
from truebleu.human import Judgment
from truebleu.metrics.function import FunctionMetric
from truebleu.metrics.threads import set_threads
from truebleu.scores.given import GivenScores
from truebleu.significance.compare import compare
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from truebleu.agreement.agree import Agreement
    from truebleu.agreement.data import Human
    from truebleu.human import HumanScores

RANKS = ("spearman", "kendall-b", "tau-13", "chen-cherry", "pairwise-accuracy", "acc-eq:0")
EVERYTHING = ("spa", "pearson", "acc-eq", "pearson:level=segment,grouping=none", *RANKS)
QUICK: dict[str, Any] = {"replicates": 100, "permutations": 50}


def given(scores: dict[str, Any], name: str = "M", **settings: Any) -> GivenScores:
    return GivenScores.of(scores, name=name, **settings)


def human_as_metric(human: HumanScores, name: str = "M") -> GivenScores:
    return given(dict(human.scores), name, missing="omit")


def values(agreement: Agreement) -> dict[tuple[str, str], float | None]:
    return {
        (answer.question, metric.metric): metric.value
        for answer in agreement.answers
        for metric in answer.metrics
    }


def test_a_metric_equal_to_the_human_scores_gets_the_most_there_is() -> None:
    human = human_scores(whole=False, decimals=3)
    agreement = agree(texts(), human, [human_as_metric(human)], coefficients=EVERYTHING, **QUICK)
    for answer in agreement.answers:
        assert answer["M"].value == pytest.approx(1.0), answer.title


def test_monotone_transforms_leave_rank_coefficients_alone() -> None:
    human = human_scores(whole=False)
    plain = {name: [1 + u for u in row] for name, row in zip(RATES, noise_rows(), strict=True)}
    bent = {name: [u**3 for u in row] for name, row in plain.items()}
    of_segments = [name for name in RANKS if name not in ("spearman", "pairwise-accuracy")]
    of_segments += ["spearman:level=segment", "kendall-a:grouping=none", "kendall-c"]
    agreement = agree(
        texts(), human, [given(plain, "A"), given(bent, "B")], coefficients=of_segments, **QUICK
    )
    for answer in agreement.answers:
        assert answer["A"].value == pytest.approx(answer["B"].value, abs=1e-12), answer.title


def noise_rows() -> list[tuple[float, ...]]:
    from tests.agreement.judged_texts import noise

    return [noise(SEGMENTS, 500 + number) for number in range(len(RATES))]


def test_a_lower_is_better_metric_equals_its_negation() -> None:
    human = human_scores()
    rows = dict(zip(RATES, noise_rows(), strict=True))
    turned = {name: [-u for u in row] for name, row in rows.items()}
    metrics = [given(rows, "up"), given(turned, "down", higher_is_better=False)]
    agreement = agree(texts(), human, metrics, coefficients=EVERYTHING, **QUICK)
    for answer in agreement.answers:
        assert answer["up"].value == pytest.approx(answer["down"].value, abs=1e-12)
        assert answer["up"].low == pytest.approx(answer["down"].low, abs=1e-12)
        assert answer.pairs[0].p == 1.0
    assert agreement.metrics["down"].scores["good"] == pytest.approx(np.mean(turned["good"]))
    assert "down: lower is better, so its scores are negated." in str(agreement)


def test_a_constant_metric_is_undefined_in_words() -> None:
    constant = given({name: [7.0] * SEGMENTS for name in RATES}, "flat")
    agreement = agree(texts(), human_scores(), ["bleu", constant], coefficients=EVERYTHING, **QUICK)
    for name in ("pearson", "spearman", "kendall-b", "tau-13"):
        one = agreement[name]["flat"]
        assert (one.value, one.low, one.high, one.rank) == (None, None, None, None)
        assert any("the metric" in note for note in one.notes), name
        assert agreement[name].metrics[-1].metric == "flat"
        assert agreement[name].pairs == ()
    # What has a value by definition says that it tells nothing.
    for name in ("pairwise-accuracy", "soft-pairwise-accuracy", "chen-cherry", "acc-eq"):
        assert any("are equal" in note for note in agreement[name]["flat"].notes), name
    assert "NaN" not in json.dumps(agreement.to_dict())


def test_people_who_give_everything_the_same_score_leave_all_undefined() -> None:
    human = people(dict.fromkeys(RATES, (50.0,) * SEGMENTS))
    agreement = agree(
        texts(), human, ["bleu", "ter"], coefficients=["pearson", "kendall-b", "tau-14"], **QUICK
    )
    for answer in agreement.answers:
        assert [metric.value for metric in answer.metrics] == [None, None]
        assert all("people" in metric.notes[0] for metric in answer.metrics)


def test_relabelling_systems_changes_no_value() -> None:
    # Without human ties, as the p-values of soft pairwise accuracy count ties on both sides.
    human = human_scores(decimals=6)
    order = ("twin", "bad", "good", "poor", "fair")
    plain = values(agree(texts(), human, ["bleu", "ter"], coefficients=EVERYTHING, **QUICK))
    moved = values(
        agree(reordered(texts(), order), human, ["bleu", "ter"], coefficients=EVERYTHING, **QUICK)
    )
    for key, value in plain.items():
        assert moved[key] == pytest.approx(value, abs=2e-5 if "soft" in key[0] else 1e-12), key


def test_reordering_segments_changes_no_value() -> None:
    human, test_set = human_scores(whole=False), texts()
    order = list(np.argsort(noise_rows()[0]))

    def moved(row: Any) -> tuple[Any, ...]:
        return tuple(row[i] for i in order)

    other = replace(
        test_set,
        systems={name: list(moved(list(text))) for name, text in test_set.systems.items()},
        references=tuple(list(moved(list(text))) for text in test_set.references),
        source=None,
        documents=None,
        domains=None,
    )
    shuffled = people({name: moved(row) for name, row in human.scores.items()})
    questions = [name for name in EVERYTHING if name != "spa"]
    plain = values(agree(test_set, human, ["bleu", "ter"], coefficients=questions, **QUICK))
    again = values(agree(other, shuffled, ["bleu", "ter"], coefficients=questions, **QUICK))
    for key, value in plain.items():
        assert again[key] == pytest.approx(value, abs=1e-12), key


@pytest.mark.parametrize("resample", ["segments", "documents", "systems", "segments+systems"])
def test_a_seed_fixes_the_digits_on_any_threads(resample: Any) -> None:
    settings = QUICK | {"resample": resample}
    found = []
    for threads in (1, 2):
        set_threads(threads)
        found.append(agree(texts(), human_scores(whole=False), ["bleu", "ter"], **settings))
    set_threads(0)
    assert found[0].to_dict() == found[1].to_dict()
    other = agree(texts(), human_scores(whole=False), ["bleu", "ter"], **(settings | {"seed": 1}))
    assert other.to_dict() != found[0].to_dict()


def test_intervals_resample_the_requested_units() -> None:
    human = human_scores(whole=False)
    for resample in ("segments", "documents", "systems", "segments+systems", "documents+systems"):
        settings = QUICK | {"resample": resample, "replicates": 200}
        agreement = agree(
            texts(), human, ["bleu"], coefficients=["pearson", "kendall-b", "spa"], **settings
        )
        assert agreement["pearson"].resampled == agreement["kendall-b"].resampled == resample
        soft = agreement["soft-pairwise-accuracy"]
        assert soft.resampled == resample.removesuffix("+systems").replace("systems", "segments")
        assert bool(soft.notes) == resample.endswith("systems")
        for answer in agreement.answers:
            one = answer["BLEU"]
            assert one.low is None or one.high is None or one.low <= one.high


@pytest.mark.parametrize(
    ("systems", "resample", "warned"),
    [
        (7, "systems", True),
        (7, "segments+systems", True),
        (8, "systems", False),
        (7, "segments", False),
    ],
)
def test_intervals_over_fewer_than_8_systems_are_warned_of(
    systems: int, resample: Any, warned: bool
) -> None:
    rng = np.random.default_rng(3)
    scored = {f"s{number}": tuple(rng.normal(size=20)) for number in range(systems)}
    human = people(scored)
    agreement = agree(
        simulate(segments=20, systems=dict.fromkeys(scored, Channel.at_rate(0.2))),
        human,
        ["chrf"],
        coefficients=["pearson", "kendall-b"],
        **(QUICK | {"resample": resample}),
    )
    assert any("too narrow" in note for note in agreement["pearson"].notes) == warned
    assert not any("too narrow" in note for note in agreement["kendall-b"].notes)


def test_scored_documents_are_resampled() -> None:
    test_set = texts()
    assert test_set.documents is not None
    items = tuple(dict.fromkeys(test_set.documents))
    scores = {
        name: tuple(90 - 100 * rate - i for i in range(len(items))) for name, rate in RATES.items()
    }
    agreement = agree(test_set, people(scores, "document", items), ["bleu"], **QUICK)
    assert {answer.resampled for answer in agreement.answers} == {"documents"}
    assert agreement["kendall-b"].title == "Kendall's tau-b of documents, by item"
    assert agreement["kendall-b"]["BLEU"].groups == len(items)
    # All documents are in the same order by people, so that only ties of BLEU could matter.
    assert agreement["pearson"]["BLEU"].value == pytest.approx(
        np.corrcoef(
            [100 * (0.9 - rate) for rate in RATES.values()],
            [agreement.metrics["BLEU"].scores[name] for name in RATES],
        )[0, 1]
    )


def test_scores_of_whole_systems_answer_questions_about_systems_only() -> None:
    human = people({name: (100 - 100 * rate,) for name, rate in RATES.items()}, "system")
    agreement = agree(texts(), human, ["bleu"], **QUICK)
    assert {answer.level for answer in agreement.answers} == {"system"}
    assert agreement["pearson"].resampled == "systems"
    assert "Systems were resampled" in agreement["pearson"].notes[0]
    for question in ("kendall-b", "spa"):
        with pytest.raises(SettingError, match="human scores of whole systems"):
            agree(texts(), human, ["bleu"], coefficients=[question], **QUICK)


def test_comparisons_are_counted_as_people_made_them() -> None:
    human = comparisons()
    agreement = agree(texts(), human, ["bleu"], **QUICK)
    scores = {
        name: [found_segment.score for found_segment in sentence_scores(name)] for name in RATES
    }
    concordant = discordant = tied = 0
    for judgment in human.judgments:
        if judgment.verdict == 0:
            continue
        lead = scores[judgment.left][judgment.segment] - scores[judgment.right][judgment.segment]
        concordant += lead * judgment.verdict > 0
        discordant += lead * judgment.verdict < 0
        tied += lead == 0
    expected = (concordant - discordant) / (concordant + discordant + tied)
    assert agreement["chen-cherry"]["BLEU"].value == pytest.approx(expected)
    expected = (concordant - discordant) / (concordant + discordant)
    assert agreement["tau-13"]["BLEU"].value == pytest.approx(expected)
    assert agreement.human.comparisons == 120
    assert agreement["pearson"].resampled == "segments"


def sentence_scores(name: str) -> list[Any]:
    from truebleu.metrics.bleu import BLEU

    (reference,) = texts().references
    outputs = list(texts().systems[name])
    return [BLEU().sentence(str(o), str(r)) for o, r in zip(outputs, list(reference), strict=True)]


def test_a_system_that_only_ties_has_no_share_of_wins() -> None:
    judgments = (
        Judgment(0, "good", "bad", 1),
        Judgment(1, "fair", "bad", 1),
        Judgment(2, "good", "fair", 1),
        Judgment(3, "twin", "fair", 0),
    )
    human = replace(comparisons(), judgments=judgments, systems=("good", "fair", "bad", "twin"))
    agreement = agree(
        texts(), human, ["bleu"], coefficients=["pairwise-accuracy", "chen-cherry"], **QUICK
    )
    assert agreement.human.scores == {"good": 1.0, "fair": 0.5, "bad": 0.0, "twin": None}
    assert "Only ties in the judgments of twin: no share of wins." in str(agreement)
    assert agreement["pairwise-accuracy"]["BLEU"].value == 1.0
    json.dumps(agreement.to_dict(), allow_nan=False)


def test_one_judged_segment_has_values_and_no_interval() -> None:
    human = people({name: (100 * rate, *(None,) * (SEGMENTS - 1)) for name, rate in RATES.items()})
    agreement = agree(texts(), human, ["bleu"], **QUICK)
    for answer in agreement.answers:
        one = answer["BLEU"]
        assert one.value is not None
        assert (one.low, one.high) == (None, None)
        assert "no interval: people judged only one segment" in one.notes


def test_a_replicate_in_which_a_system_has_no_rating_does_without_it() -> None:
    rows = {name: list(row) for name, row in human_scores().scores.items()}
    rows["bad"] = [*rows["bad"][:1], *[None] * (SEGMENTS - 1)]
    for system_scores in ("all", "rated"):
        settings = QUICK | {"system_scores": system_scores}
        metric = given({name: [1.0 * i for i in range(SEGMENTS)] for name in RATES})
        agreement = agree(texts(), people(rows), ["bleu", metric], **settings)
        assert agreement["pearson"]["BLEU"].low is not None
        json.dumps(agreement.to_dict(), allow_nan=False)


def test_pairs_of_systems_without_a_common_segment_are_told() -> None:
    half = SEGMENTS // 2
    rows = {
        "good": [5.0] * half + [None] * half,
        "fair": [4.0] * half + [None] * half,
        "poor": [None] * half + [2.0] * half,
        "bad": [None] * half + [1.0] * half,
    }
    agreement = agree(texts(), people(rows), ["bleu"], coefficients=["spa"], **QUICK)
    assert agreement.answers[0].notes == ("4 of 6 pairs of systems share nothing that was rated.",)


def test_exchanged_system_scores_give_the_exact_p() -> None:
    agreement = agree(texts(), human_scores(), ["bleu", "ter"], coefficients=["pearson"], **QUICK)
    (pair,) = agreement["pearson"].pairs
    human = np.array([agreement.human.scores[name] for name in RATES])
    better, worse = (
        (1 if label == "BLEU" else -1)
        * np.array([agreement.metrics[label].scores[name] for name in RATES])
        for label in (pair.better, pair.worse)
    )
    a, b = ((one - one.mean()) / one.std() for one in (better, worse))
    observed = np.corrcoef(human, a)[0, 1] - np.corrcoef(human, b)[0, 1]
    reached = 0
    for coins in product([False, True], repeat=len(human)):
        first, second = np.where(coins, b, a), np.where(coins, a, b)
        lead = np.corrcoef(human, first)[0, 1] - np.corrcoef(human, second)[0, 1]
        reached += abs(lead) >= observed - 1e-12
    assert (pair.exact, pair.permutations) == (True, 32)
    assert pair.p == pytest.approx(reached / 32)


def test_p_values_are_corrected_for_the_number_of_pairs() -> None:
    metrics = ["bleu", "ter", "chrf"]
    raw = agree(
        texts(),
        human_scores(),
        metrics,
        coefficients=["kendall-b"],
        **(QUICK | {"correction": "none"}),
    )
    corrected = agree(
        texts(),
        human_scores(),
        metrics,
        coefficients=["kendall-b"],
        **(QUICK | {"correction": "bonferroni"}),
    )
    for pair, same in zip(raw["kendall-b"].pairs, corrected["kendall-b"].pairs, strict=True):
        assert pair.p_adjusted == pair.p == same.p
        assert same.p_adjusted == pytest.approx(min(1.0, 3 * (same.p or 0.0)))
    assert corrected["kendall-b"].smallest_p == pytest.approx(3 / 51)


def test_williams_test_is_for_plain_pearson_only() -> None:
    settings = QUICK | {"test": "williams"}
    agreement = agree(
        texts(), human_scores(), ["bleu", "ter"], coefficients=["pearson"], **settings
    )
    assert agreement["pearson"].method == "williams"
    for question in ("spearman", "pearson:level=segment", "spa"):
        with pytest.raises(SettingError, match="Williams' test is for Pearson's r without groups"):
            agree(texts(), human_scores(), ["bleu", "ter"], coefficients=[question], **settings)


def test_a_tie_threshold_is_for_one_metric_or_for_outcomes_of_pairs() -> None:
    human = human_scores()
    alone = agree(texts(), human, ["bleu"], coefficients=["kendall-b:5"], **QUICK)
    assert alone["kendall-b"]["BLEU"].value is not None
    with pytest.raises(SettingError, match="one metric at a time"):
        agree(texts(), human, ["bleu", "ter"], coefficients=["kendall-b:5"], **QUICK)
    both = agree(texts(), human, ["bleu", "ter"], coefficients=["acc-eq:5"], **QUICK)
    assert both["acc-eq"].method == "pairs"
    assert "rejects too often" in str(both)


def test_the_default_questions_are_those_that_can_be_answered() -> None:
    assert default_coefficients(comparisons())[0] == "chen-cherry"
    assert "acc-eq" in default_coefficients(human_scores())
    of_systems = default_coefficients(people(dict.fromkeys(RATES, (1.0,)), "system"))
    assert "acc-eq" not in of_systems


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"resample": "words"}, "unknown resample 'words'"),
        ({"test": "t"}, "unknown test 't'"),
        ({"permute": "cells"}, "unknown permute 'cells'"),
        ({"correction": "all"}, "unknown correction 'all'"),
        ({"system_scores": "some"}, "unknown system_scores 'some'"),
        ({"replicates": 10}, "at least 40 at the level 0.95"),
        ({"replicates": 0}, "replicates: 0"),
        ({"permutations": 0}, "permutations: 0"),
        ({"seed": -1}, "seed: -1"),
        ({"level": 1.5}, "level: 1.5"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: Any, message: str) -> None:
    with pytest.raises(SettingError) as refused:
        AgreeSettings(**settings)
    assert message in str(refused.value)


def test_units_that_cannot_be_resampled_raise_before_the_work() -> None:
    unknown = replace(texts(), documents=None)
    with pytest.raises(SettingError, match="a test set with documents"):
        agree(unknown, human_scores(), ["bleu"], **(QUICK | {"resample": "documents"}))
    with pytest.raises(SettingError, match="people compared pairs of systems"):
        agree(texts(), comparisons(), ["bleu"], **(QUICK | {"resample": "systems"}))
    with pytest.raises(SettingError, match="soft-pairwise-accuracy"):
        agree(texts(), comparisons(), ["bleu"], coefficients=["spa"], **QUICK)


def test_an_unknown_metric_or_coefficient_is_named() -> None:
    with pytest.raises(UnknownNameError):
        agree(texts(), human_scores(), ["blue"], **QUICK)
    with pytest.raises(UnknownNameError):
        agree(texts(), human_scores(), ["bleu"], coefficients=["kendal"], **QUICK)


def test_counts_name_their_metrics() -> None:
    with pytest.raises(SettingError, match="None with counts, which have their own"):
        agree(count_texts(texts()), human_scores(), "ter")


def test_progress_hears_of_every_question() -> None:
    heard: list[int] = []
    agree(
        texts(),
        human_scores(),
        ["bleu"],
        coefficients=["pearson", "kendall-b"],
        **QUICK,
        progress=heard.append,
    )
    assert heard == [1, 1]


def test_answers_are_found_by_coefficient_and_by_label() -> None:
    agreement = agree(
        texts(),
        human_scores(),
        ["bleu"],
        coefficients=["pearson", "pearson:level=segment"],
        **QUICK,
    )
    assert agreement["pearson"].level == "system"
    label = "segment|pearson|grouping:item|average:macro"
    assert agreement[label].level == "segment"
    with pytest.raises(KeyError):
        agreement["kendall-b"]
    with pytest.raises(KeyError):
        agreement["pearson"]["TER"]


def test_results_can_be_pickled_compared_and_shown() -> None:
    agreement = agree(texts(), human_scores(), ["bleu", "ter"], coefficients=["pearson"], **QUICK)
    assert pickle.loads(pickle.dumps(agreement)) == agreement  # noqa: S301  # our own
    assert str(agreement).startswith("By pearson, ")
    assert "<table" in agreement._repr_html_()


def test_outputs_and_scores_may_be_plain_lists() -> None:
    test_set, human = texts(), human_scores()
    by_name = {name: list(text) for name, text in test_set.systems.items()}
    plain = agree(
        by_name,
        dict(human.scores),
        ["bleu"],
        references=[list(text) for text in test_set.references],
        documents=test_set.documents,
        coefficients=["kendall-b"],
        **QUICK | {"resample": "documents"},
    )
    whole = agree(
        test_set, human, ["bleu"], coefficients=["kendall-b"], **QUICK | {"resample": "documents"}
    )
    assert plain.answers == whole.answers


def test_counts_give_the_answers_of_their_texts() -> None:
    human, metrics = human_scores(whole=False), ["bleu", "ter"]
    expected = agree(texts(), human, metrics, **QUICK)
    counts = count_texts(texts(), metrics)
    assert agree(counts, human, **QUICK) == expected
    assert agree(replace(counts, texts=None), human, **QUICK) == expected


def test_comparing_and_judging_the_same_counts_counts_texts_once() -> None:
    calls = []

    def length(output: str, references: list[str]) -> float:
        calls.append(references)
        return float(len(output))

    metric = FunctionMetric(function=length, name="length")
    counts = count_texts(texts(), metric)
    compare(counts, replicates=100)
    agree(counts, human_scores(), **QUICK)
    assert len(calls) == len(RATES) * SEGMENTS


def test_scores_of_unjudged_systems_may_be_missing() -> None:
    rows = dict(zip(RATES, noise_rows(), strict=True))
    human = people({name: human_scores().scores[name] for name in ("good", "poor", "bad")})
    some = given({name: rows[name] for name in human.scores})
    judged = replace(texts(), systems={name: texts().systems[name] for name in human.scores})
    agreement = agree(texts(), human, some, **QUICK)
    assert agreement.answers == agree(judged, human, some, **QUICK).answers
    assert agreement.human.unjudged == ("fair", "twin")


def test_scores_of_items_are_judged_like_any_metric() -> None:
    human = {"old": [1, 2, 3, 4], "new": [2, 4, 3, 5]}
    scored = {"old": [0.1, 0.2, 0.3, 0.4], "new": [0.2, 0.4, 0.3, 0.5]}
    agreement = agree(scored, human, coefficients=["kendall-b", "pairwise-accuracy"], **QUICK)
    assert set(values(agreement).values()) == {1.0}
    assert agreement.test_set.rows == "items"
    assert "a system's score is the mean of its segments' scores" in agreement.human.notes[0]


def test_a_direction_fixed_beforehand_halves_p_in_that_direction_only() -> None:
    def p(alternative: str, metrics: list[str]) -> float:
        settings = QUICK | {"alternative": alternative}
        agreement = agree(texts(), human_scores(), metrics, coefficients=["pearson"], **settings)
        return agreement["pearson"].pairs[0].p or 0.0

    (pair,) = agree(texts(), human_scores(), ["bleu", "ter"], coefficients=["pearson"], **QUICK)[
        "pearson"
    ].pairs
    order = ["bleu", "ter"] if pair.better == "BLEU" else ["ter", "bleu"]
    # Swapping everything turns a difference round, so that the two tails are alike.
    assert p("greater", order) == p("observed", order) == pytest.approx((pair.p or 0.0) / 2)
    assert p("greater", order[::-1]) > 0.5
    assert p("observed", order[::-1]) == p("observed", order)


def test_tests_of_segments_are_about_these_systems_and_tests_of_systems_about_others_too() -> None:
    human = human_scores(whole=False, decimals=3)
    metrics: list[Any] = [human_as_metric(human, "best"), "ter"]
    agreement = agree(texts(), human, metrics, coefficients=["spa", "kendall-b"], **QUICK)
    for answer in agreement.answers:
        assert (answer.method, answer.about_systems) == ("scores", False)
    assert agreement.to_document().sentences == (
        "By soft-pairwise-accuracy, best agrees best with human raters, but not significantly "
        "better than any other metric.",
        "By kendall-b, best agrees better with human raters than TER.",
        "The verdict uses soft-pairwise-accuracy, the first coefficient; the others are tested "
        "separately and shown for information.",
    )
    assert "for these systems only" in " ".join(str(agreement).split())
    agreement = agree(
        texts(), human, metrics, coefficients=["spa", "kendall-b"], permute="systems", **QUICK
    )
    for answer in agreement.answers:
        assert (answer.method, answer.about_systems) == ("systems", True)
        test = answer.pairs[0]
        assert (test.exact, test.permutations) == (True, 2 ** len(RATES))
        assert test.smallest_p == 2 / 2 ** len(RATES)
    assert "these systems" not in str(agreement)
    with pytest.raises(SettingError, match="for comparisons of pairs"):
        agree(texts(), comparisons(), ["bleu", "ter"], permute="systems", **QUICK)


def test_a_correlation_of_two_systems_is_undefined() -> None:
    rows = {name: human_scores().scores[name] for name in ("good", "bad")}
    found = agree(texts(), people(rows), ["bleu", "ter"], **QUICK)
    for label in ("BLEU", "TER"):
        agreement = found["pearson"][label]
        assert (agreement.value, agreement.low, agreement.rank) == (None, None, None)
        assert "undefined for fewer than three systems" in agreement.notes[0]
        assert found["pairwise-accuracy"][label].value == 1.0
    assert found["pearson"].pairs == ()


def test_lower_is_better_human_scores_are_negated() -> None:
    human = human_scores()
    penalties = {
        name: [None if score is None else -score for score in row]
        for name, row in human.scores.items()
    }
    wrong = agree(texts(), penalties, ["bleu"], **QUICK)
    assert wrong.all_negative
    assert any("--human-lower-is-better" in line for line in wrong.to_document().sentences)
    right = agree(texts(), penalties, ["bleu"], human_lower_is_better=True, **QUICK)
    assert not right.all_negative
    assert values(right) == values(agree(texts(), human, ["bleu"], **QUICK))
    assert right.settings.human_lower_is_better
    assert right.human.signature.endswith("|negated")
    assert "so they are negated" in str(right)
    with pytest.raises(SettingError, match="False for comparisons of pairs"):
        agree(texts(), comparisons(), ["bleu"], human_lower_is_better=True, **QUICK)


def test_an_interval_that_cannot_be_given_leaves_the_other_answers_alone() -> None:
    # In some of 40 replicates no two scores of a segment differ by so much.
    human = human_scores()
    spread = max(score for row in human.scores.values() for score in row if score is not None)
    found = agree(
        texts(),
        human,
        ["bleu"],
        coefficients=[f"kendall-like:{spread - 0.5:g}", "pearson"],
        replicates=40,
        permutations=50,
    )
    agreement = found["kendall-like"]["BLEU"]
    assert agreement.low is None
    assert any("no interval" in note for note in agreement.notes) or agreement.value is None
    assert found["pearson"]["BLEU"].low is not None


# The test of two metrics.


CALIBRATED = coefficient("acc-eq:calibrated", grouping="item")
PEARSON = coefficient("pearson", level="system")


def rejections(permute: Permute, trials: int = 200) -> int:
    """How often the test of calibrated ties tells equally good metrics apart, two-sided at .05."""
    rng = np.random.default_rng(33)
    rejected = 0
    for trial in range(trials):
        quality = 0.5 * rng.normal(size=(8, 1))
        human = np.round(rng.normal(size=(8, 40)) + quality)
        metrics = {name: human + 2 * rng.normal(size=human.shape) for name in "ab"}
        settings = AgreeSettings(permute=permute, permutations=99, seed=trial)
        test, _ = choose_test(human, metrics, CALIBRATED, settings)
        rejected += (test("a", "b").p or 0.0) <= 0.05
    return rejected


def test_permuted_scores_hold_their_level_and_permuted_outcomes_do_not() -> None:
    # 10 of 200 are expected, with a standard deviation of 3.1.
    assert 2 <= rejections("scores") <= 19
    assert rejections("pairs") > 19


def test_the_test_has_the_requested_method() -> None:
    human = np.arange(12.0).reshape(3, 4)
    metrics = {"a": human, "b": -human}
    for permute in get_args(Permute):
        settings = AgreeSettings(permute=permute)
        assert choose_test(human, metrics, CALIBRATED, settings)[1] == permute
    plain = coefficient("kendall-b", grouping="item")
    assert choose_test(human, metrics, plain, AgreeSettings(permute="pairs"))[1] == "scores"


def test_all_permutations_of_a_dozen_systems_are_made() -> None:
    rng = np.random.default_rng(1)
    human = rng.normal(size=12)
    metrics = {"a": human + rng.normal(size=12), "b": rng.normal(size=12)}
    test, _ = choose_test(human, metrics, PEARSON, AgreeSettings(permutations=10))
    found = test("a", "b")
    assert (found.exact, found.permutations, found.smallest_p) == (True, 4096, 2 / 4096)
    many = np.arange(15.0)
    test, _ = choose_test(many, {"a": many, "b": -many}, PEARSON, AgreeSettings(permutations=10))
    found = test("a", "b")
    assert (found.exact, found.permutations, found.smallest_p) == (False, 10, 1 / 11)


def test_a_p_value_close_to_the_level_has_more_permutations() -> None:
    rng = np.random.default_rng(5)
    human = rng.normal(size=(4, 40))
    metrics = {
        "near": human + rng.normal(size=(4, 40)),
        "far": human + 1.3 * rng.normal(size=(4, 40)),
    }

    def tested(alpha: float) -> MetricTest:
        people = HumanData(
            systems=tuple("abcd"), means=human.mean(axis=1), item="segment", scores=human, size=40
        )
        scored = {n: MetricData(mean_of_segments(m), m) for n, m in metrics.items()}
        data = AgreementData(people, scored, None)
        settings = AgreeSettings(permutations=100, replicates=100, level=1 - alpha)
        by = coefficient("kendall-b", grouping="item")
        (pair,) = answer_of(data, by, settings, resampling_of(by, data, "segments")).pairs
        return pair

    few = tested(0.02)
    assert few.permutations == 100
    assert few.p is not None
    assert 0.1 < few.p < 0.5
    # Close is within 3 standard errors of a p from 100 permutations.
    error = (few.p * (1 - few.p) / 100) ** 0.5
    # At 2.95 of them, twice as many permutations are clear.
    expected = ((-3.05, 100), (-2.95, 200), (0.0, 1000), (2.95, 200), (3.05, 100))
    for distance, permutations in expected:
        pair = tested(few.p + distance * error)
        assert pair.permutations == permutations
        assert pair.p == pytest.approx(few.p, abs=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("bias", [0.0, 0.5])
def test_equally_good_metrics_are_told_apart_one_time_in_twenty(bias: float) -> None:
    """Two metrics that are the truth with independent noise, and a bias of their own per system.

    Tests that swap single scores hold without the bias; with it, metrics differ on these systems,
    and only tests that swap whole systems say that they need not on others.
    """
    rng = np.random.default_rng(11)
    runs = 300
    rejected = {"spa": 0, "spa, systems": 0, "kendall-b": 0, "kendall-b, systems": 0, "pearson": 0}
    by = coefficient("kendall-b", grouping="item")
    for seed in range(runs):
        truth = rng.normal(size=(8, 60)) + 0.4 * rng.normal(size=(8, 1))
        human = np.round(truth + rng.normal(size=truth.shape))
        first, second = (
            truth + rng.normal(size=truth.shape) + bias * rng.normal(size=(8, 1)) for _ in range(2)
        )
        means = [scores.mean(axis=1) for scores in (human, first, second)]
        p_values = {
            "spa": soft_pairwise_test(human, first, second, permutations=199, seed=seed),
            "spa, systems": soft_pairwise_test(human, first, second, unit="system"),
            "kendall-b": permutation_test(human, first, second, by, permutations=199, seed=seed),
            "kendall-b, systems": permutation_test(human, first, second, by, unit="system"),
            "pearson": permutation_test(means[0], means[1], means[2], coefficient("pearson")),
        }
        for name, test in p_values.items():
            rejected[name] += (test.p or 0.0) <= 0.05
    # 15 of 300 are expected, with a standard deviation of 3.8.
    held = {"spa, systems", "kendall-b, systems", "pearson"}
    for name, count in rejected.items():
        if bias and name not in held:
            assert count > 30, name
        else:
            assert 4 <= count <= 27, name


@pytest.mark.parametrize(("noise", "warned"), [(0.1, False), (0.101, True)])
def test_noise_of_more_than_a_tenth_of_the_variance_is_noted(noise: float, warned: bool) -> None:
    values = np.arange(100.0)[:, np.newaxis] / 100
    replicates = Replicates(observed={"m": 0.5}, values=values, noise={"m": noise})
    agreement = with_interval(MetricAgreement(value=0.5, metric="m"), replicates, None, 0.95)
    notes = " ".join(agreement.notes)
    assert ("noise is 10 % of the variance between systems" in notes) == warned


# Leaderboards.


def pair_of_metrics(names: tuple[str, ...], systems: int = 3, **options: Any) -> Any:
    """An agreement by some coefficients about the first systems."""
    human = {name: [4 - i, 3.0 - i, 5 - 2 * i] for i, name in enumerate("ABCD"[:systems])}
    scores = {name: [1.0, 2.0 - i, 3 - i] for i, name in enumerate("ABCD"[:systems])}
    return agree(truebleu.count(scores), human, coefficients=names, permutations=20, **options)


def test_a_leaderboard_averages_shares_and_mapped_correlations() -> None:
    found = pair_of_metrics(("pairwise-accuracy", "pearson", "acc-eq"))
    accuracy, correlation, ties = (answer["score"].value for answer in found.answers)
    (row,) = found.leaderboard
    assert row.average == pytest.approx((accuracy + (correlation + 1) / 2 + ties) / 3)
    assert row.values == (accuracy, correlation, ties)


def test_a_leaderboard_pools_pairwise_accuracies_over_language_pairs() -> None:
    names = ("pairwise-accuracy", "acc-eq")
    first, second = (pair_of_metrics(names, systems) for systems in (3, 4))
    (row,) = leaderboard([first, second])
    accuracies = [found["pairwise-accuracy"]["score"].value for found in (first, second)]
    pooled = (3 * accuracies[0] + 6 * accuracies[1]) / 9
    ties = [found["acc-eq"]["score"].value for found in (first, second)]
    assert row.values == pytest.approx((pooled, *ties))
    assert row.average == pytest.approx((2 * pooled + sum(ties)) / 4)


def test_a_leaderboard_needs_the_same_coefficients() -> None:
    with pytest.raises(SettingError, match="different coefficients"):
        leaderboard([pair_of_metrics(("pearson",)), pair_of_metrics(("acc-eq",))])
    with pytest.raises(SettingError, match="at least one"):
        leaderboard([])


@pytest.mark.parametrize("pairwise", [False, True])
def test_a_system_that_is_a_reference_is_left_out_with_its_judgments(*, pairwise: bool) -> None:
    test_set = texts()
    reference = list(test_set.references[0])
    systems = {name: list(text) for name, text in test_set.systems.items()}
    human: Human = human_scores()
    judged: Human = people({**human_scores().scores, "copy": human_scores().scores["bad"]})
    if pairwise:
        human = comparisons()
        verdicts = (*human.judgments, Judgment(0, "good", "copy", 1))
        judged = replace(human, systems=(*human.systems, "copy"), judgments=verdicts)
    with_copy = {**systems, "copy": reference}
    found = agree(with_copy, judged, references=[reference], replicates=100)
    expected = agree(systems, human, references=[reference], replicates=100)
    assert found.answers == expected.answers
    assert "copy is a reference: it and its human judgments are left out." in found.human.notes
