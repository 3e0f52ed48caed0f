"""Claims about intervals of agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from truebleu import BLEU, _core
from truebleu.agreement.bootstrap import (
    Replicates,
    Resample,
    bootstrap_agreement,
    bootstrap_system_agreement,
)
from truebleu.agreement.coefficients import coefficient, measure
from truebleu.agreement.data import mean_of_segments
from truebleu.errors import SettingError, UnknownNameError
from truebleu.significance.unit_counts import UnitCounts
from truebleu.simulation import simulate

if TYPE_CHECKING:
    from truebleu.agreement.coefficients import Grouping
    from truebleu.resampling import Values


def scores(seed: int, systems: int, segments: int) -> tuple[Values, dict[str, Values]]:
    """People who give whole points, and two metrics that are people plus noise."""
    random = np.random.default_rng(seed)
    truth = random.normal(size=(systems, segments)) - np.arange(systems)[:, np.newaxis] / 4
    human = np.round(2 * truth)
    return human, {
        "near": truth + random.normal(size=truth.shape),
        "far": truth + 2 * random.normal(size=truth.shape),
    }


@pytest.mark.slow
def test_an_interval_over_segments_covers_the_truth_about_95_times_in_100() -> None:
    # Segments are draws from one population, in which scores of people and metric are normal with
    # correlation 0.6. It is about segments like these, for these 3 systems; there are 100.
    runs, correlation = 300, 0.6
    random = np.random.default_rng(1)
    by = coefficient("pearson", grouping="system")
    covered = 0
    for _ in range(runs):
        human, noise = random.normal(size=(2, 3, 100))
        metric = correlation * human + np.sqrt(1 - correlation**2) * noise
        replicates = bootstrap_agreement(human, {"metric": metric}, by, replicates=400)
        interval = replicates.interval("metric")
        assert interval.low is not None
        assert interval.high is not None
        covered += interval.low <= correlation <= interval.high
    # Three standard errors of a share of 300 around 0.95, and 0.01 for the percentile method.
    assert abs(covered / runs - 0.95) < 3 * (0.05 * 0.95 / runs) ** 0.5 + 0.01


def test_an_interval_over_few_systems_covers_the_truth_about_90_times_in_100() -> None:
    runs, correlation = 300, 0.6
    random = np.random.default_rng(17)
    by = coefficient("pearson")
    covered = 0
    for _ in range(runs):
        human, noise = random.normal(size=(2, 10))
        metric = {"metric": correlation * human + np.sqrt(1 - correlation**2) * noise}
        replicates = bootstrap_agreement(human, metric, by, resample="systems", replicates=400)
        interval = replicates.interval("metric")
        assert interval.low is not None
        assert interval.high is not None
        covered += interval.low <= correlation <= interval.high
    # Three standard errors of a share of 300 around 0.9.
    assert abs(covered / runs - 0.9) < 3 * (0.1 * 0.9 / runs) ** 0.5


@pytest.mark.slow
def test_an_interval_over_segments_narrows_with_the_root_of_their_number() -> None:
    by = coefficient("acc-eq:calibrated", grouping="item")
    widths = []
    for segments in (100, 1600):
        human, metrics = scores(2, 5, segments)
        interval = bootstrap_agreement(human, metrics, by).interval("near")
        assert interval.low is not None
        assert interval.high is not None
        widths.append(interval.high - interval.low)
    assert widths[0] / widths[1] == pytest.approx(4, rel=0.25)


@pytest.mark.parametrize("resample", ["segments", "systems", "segments+systems"])
@pytest.mark.parametrize("grouping", ["none", "item", "system"])
def test_replicates_lie_around_the_value(resample: Resample, grouping: Grouping) -> None:
    human, metrics = scores(3, 8, 60)
    human[2, 10:30] = np.nan
    by = coefficient("acc-eq", grouping=grouping)
    replicates = bootstrap_agreement(human, metrics, by, resample=resample, replicates=300)
    value = replicates.observed["near"]
    assert value == measure(human, metrics["near"], by).value
    assert value is not None
    # Copies of a cell, were they pairs, would move all replicates up.
    spread = float(np.std(replicates.values[:, 0]))
    assert abs(float(replicates.values[:, 0].mean()) - value) < spread / 2


def test_drawing_systems_too_widens_the_interval() -> None:
    human, metrics = scores(4, 8, 200)
    by = coefficient("pearson")
    widths = []
    for resample in ("segments", "segments+systems"):
        found = bootstrap_agreement(human, metrics, by, resample=resample).interval("near")
        assert found.low is not None
        assert found.high is not None
        widths.append(found.high - found.low)
    assert widths[1] > 1.2 * widths[0]


def test_drawing_documents_of_like_segments_widens_the_interval() -> None:
    # Whole documents on which the metric is right or wrong.
    random = np.random.default_rng(5)
    human = random.normal(size=(4, 200))
    documents = [f"document {number // 10}" for number in range(200)]
    sign = np.repeat(random.choice([-0.2, 1.0], size=20), 10)
    metrics = {"metric": human * sign + 0.1 * random.normal(size=human.shape)}
    by = coefficient("kendall-b", grouping="item")
    by_segment = bootstrap_agreement(human, metrics, by).interval("metric")
    by_document = bootstrap_agreement(
        human, metrics, by, resample="documents", documents=documents
    ).interval("metric")
    assert by_segment.low is not None
    assert by_segment.high is not None
    assert by_document.low is not None
    assert by_document.high is not None
    assert by_document.high - by_document.low > 2 * (by_segment.high - by_segment.low)


def test_a_document_of_its_own_for_each_segment_is_drawing_segments() -> None:
    human, metrics = scores(6, 4, 30)
    by = coefficient("kendall-b", grouping="item")
    names = [str(number) for number in range(30)]
    one = bootstrap_agreement(human, metrics, by, resample="documents", documents=names)
    assert np.array_equal(one.values, bootstrap_agreement(human, metrics, by).values)


def test_differences_are_paired() -> None:
    human, metrics = scores(7, 6, 100)
    twice = {**metrics, "copy": metrics["near"]}
    replicates = bootstrap_agreement(human, twice, coefficient("kendall-b", grouping="item"))
    same = replicates.difference("near", "copy")
    assert (same.low, same.high) == (0.0, 0.0)
    lead = replicates.difference("near", "far")
    assert lead.low is not None
    assert lead.low > 0
    behind = replicates.difference("far", "near")
    assert behind.high == -lead.low


def test_unrated_segments_and_systems_are_not_drawn() -> None:
    human, metrics = scores(8, 4, 40)
    by = coefficient("pearson", grouping="item")
    rated = bootstrap_agreement(human, metrics, by, resample="segments+systems")
    more = np.full((5, 60), np.nan)
    more[:4, :40] = human
    padded = {name: np.pad(metric, ((0, 1), (0, 20))) for name, metric in metrics.items()}
    replicates = bootstrap_agreement(more, padded, by, resample="segments+systems")
    assert np.array_equal(replicates.values, rated.values, equal_nan=True)


@pytest.mark.usefixtures("restored_threads")
def test_a_seed_fixes_the_digits_on_any_threads() -> None:
    human, metrics = scores(9, 4, 40)
    by = coefficient("acc-eq:calibrated", grouping="item")
    found = []
    for count in (1, 2, 5):
        _core.set_threads(count)
        found.append(bootstrap_agreement(human, metrics, by, resample="segments+systems").values)
    assert np.array_equal(found[0], found[1], equal_nan=True)
    assert np.array_equal(found[0], found[2], equal_nan=True)
    other = bootstrap_agreement(human, metrics, by, resample="segments+systems", seed=1).values
    assert not np.array_equal(found[0], other, equal_nan=True)


def test_replicates_without_a_value_are_counted_and_too_many_are_refused() -> None:
    # Of three systems, one is drawn three times in one replicate of nine.
    metrics = {"metric": [1.0, 3.0, 2.0]}
    replicates = bootstrap_agreement(
        [1.0, 2.0, 3.0], metrics, coefficient("kendall-b"), resample="systems"
    )
    interval = replicates.interval("metric")
    # Five standard errors of 1,000 replicates around a ninth.
    undefined = int(np.isnan(replicates.values).sum())
    assert abs(undefined - 1000 / 9) < 50
    assert (interval.low, interval.high) == (None, None)
    assert interval.reason == f"{undefined} of 1000 replicates have no value"


def test_an_undefined_value_has_no_interval() -> None:
    human, _ = scores(11, 3, 10)
    flat = {"flat": np.ones((3, 10))}
    interval = bootstrap_agreement(human, flat, coefficient("pearson")).interval("flat")
    assert (interval.low, interval.high) == (None, None)
    assert interval.reason == "the coefficient is undefined"


def test_invalid_units_of_resampling_raise() -> None:
    human, metrics = scores(12, 3, 10)
    by = coefficient("pearson")
    with pytest.raises(UnknownNameError, match="resample"):
        bootstrap_agreement(human, metrics, by, resample="words")
    with pytest.raises(SettingError, match="the document of each of 10 segments"):
        bootstrap_agreement(human, metrics, by, resample="documents")
    with pytest.raises(SettingError, match="None with resample='segments'"):
        bootstrap_agreement(human, metrics, by, documents=["a"] * 10)
    with pytest.raises(SettingError, match="documents with human scores: 1"):
        bootstrap_agreement(human, metrics, by, resample="documents", documents=["a"] * 10)
    with pytest.raises(SettingError, match="segments with human scores: 1"):
        bootstrap_agreement([1.0, 2.0, 3.0], {"m": [1.0, 2.0, 3.0]}, by)
    with pytest.raises(SettingError, match="at least one"):
        bootstrap_agreement(human, {}, by)


def test_too_few_replicates_with_a_value_make_no_interval_but_say_why() -> None:
    human, metrics = scores(12, 3, 10)
    replicates = bootstrap_agreement(human, metrics, coefficient("pearson"), replicates=30)
    interval = replicates.interval("near")
    assert (interval.low, interval.high) == (None, None)
    assert interval.reason == (
        "30 of 30 replicates have a value, and the level 0.95 needs 40; draw more replicates"
    )


def test_replicates_score_systems_on_the_drawn_segments() -> None:
    human, metrics = scores(13, 6, 50)
    human[1, :20] = np.nan
    replicates = bootstrap_system_agreement(
        human,
        {"near": mean_of_segments(metrics["near"])},
        "pearson",
        replicates=200,
        seed=3,
        correct_noise=False,
    )
    means = np.nanmean(human, axis=1)
    plain = float(np.corrcoef(means, metrics["near"].mean(axis=1))[0, 1])
    assert replicates.observed["near"] == pytest.approx(plain, abs=1e-12)
    # Which segments a replicate draws, shown by segments that count themselves.
    drawn = _core.Rows(np.eye(50)).bootstrap_sums(strata=[(0, 50)], first=0, replicates=200, seed=3)
    for times, value in zip(drawn[:20], replicates.values[:20, 0], strict=True):
        rated = ~np.isnan(human) * times
        people = (np.nan_to_num(human) * rated).sum(axis=1) / rated.sum(axis=1)
        metric = (metrics["near"] * times).sum(axis=1) / 50
        assert value == pytest.approx(float(np.corrcoef(people, metric)[0, 1]), abs=1e-9)


def noisy_systems(seed: int, segments: int) -> tuple[Values, Values, Values]:
    """The true scores of 8 systems, and noisy scores of segments by people and by a metric."""
    rng = np.random.default_rng(seed)
    truth = np.linspace(-1, 1, 8)
    true_metric = truth + 0.3 * np.array([1, -1, 1, 1, -1, -1, 1, -1])
    # Segments are easy or hard for all, people and metric err together in part.
    shared, easy = rng.normal(size=(8, segments)), rng.normal(size=segments)
    human, metric = (
        values[:, np.newaxis] + easy + 4 * shared + 6 * rng.normal(size=(8, segments))
        for values in (truth, true_metric)
    )
    return np.array([truth, true_metric]), human, metric


@pytest.mark.parametrize("name", ["pearson", "spearman", "pairwise-accuracy"])
def test_intervals_of_systems_cover_the_value_on_ever_more_segments(name: str) -> None:
    covered = {True: 0, False: 0}
    runs = 60
    for seed in range(runs):
        truth, human, metric = noisy_systems(seed, 150)
        value = measure(truth[0], truth[1], name).value
        assert value is not None
        for correct in covered:
            found = bootstrap_system_agreement(
                human,
                {"m": mean_of_segments(metric)},
                name,
                replicates=200,
                correct_noise=correct,
            ).interval("m")
            assert found.low is not None
            assert found.high is not None
            covered[correct] += found.low - 1e-9 <= value <= found.high + 1e-9
    # 57 of 60 are expected; plain percentiles lie too low.
    assert covered[True] >= 53
    assert covered[False] < covered[True]


def test_the_share_of_noise_equals_the_simulated_share() -> None:
    _, human, metric = noisy_systems(1, 400)
    replicates = bootstrap_system_agreement(
        human, {"m": mean_of_segments(metric)}, "spearman", replicates=400
    )
    shares = [
        7 * (scores.var(axis=1, ddof=1) / 400).mean() / (8 * scores.mean(axis=1).var())
        for scores in (human - human.mean(axis=0), metric - metric.mean(axis=0))
    ]
    assert replicates.noise["m"] == pytest.approx(max(shares), rel=0.2)


def test_corpus_scores_are_recomputed_on_every_replicate() -> None:
    test_set = simulate(segments=80, systems=[0.05, 0.15, 0.3, 0.5])
    bleu = BLEU()
    rows = bleu.count(test_set).array()
    random = np.random.default_rng(14)
    human = -np.array([[0.05], [0.15], [0.3], [0.5]]) + random.normal(0, 0.1, size=(4, 80))
    counts = UnitCounts("BLEU", bleu, rows)
    replicates = bootstrap_system_agreement(human, {"BLEU": counts}, "pearson", replicates=100)
    interval = replicates.interval("BLEU")
    plain = np.corrcoef(human.mean(axis=1), bleu.score(rows.sum(axis=0)))[0, 1]
    assert replicates.observed["BLEU"] == pytest.approx(float(plain), abs=1e-12)
    assert interval.low is not None
    assert 0.5 < interval.low < 1


def test_systems_are_drawn_from_those_that_people_rated() -> None:
    human, metrics = scores(15, 12, 30)
    human[4] = np.nan
    means = {name: mean_of_segments(metric) for name, metric in metrics.items()}
    replicates = bootstrap_system_agreement(human, means, "pairwise-accuracy", resample="systems")
    kept = np.delete(np.arange(12), 4)
    people = human[kept].mean(axis=1)
    columns = {name: metric[kept].mean(axis=1) for name, metric in metrics.items()}
    by = coefficient("pairwise-accuracy")
    plain = bootstrap_agreement(people, columns, by, resample="systems")
    assert np.allclose(replicates.values, plain.values, atol=1e-12)
    assert replicates.observed == plain.observed


def test_system_scores_that_do_not_fit_are_refused() -> None:
    human, metrics = scores(16, 3, 10)
    with pytest.raises(SettingError, match="as in the human scores"):
        bootstrap_system_agreement(human, {"m": mean_of_segments(np.ones((3, 9)))}, "pearson")
    with pytest.raises(SettingError, match="finite scores"):
        mean_of_segments(metrics["near"] * np.nan)
    human[1:] = np.nan
    with pytest.raises(SettingError, match="systems with human scores"):
        bootstrap_system_agreement(human, {"m": mean_of_segments(metrics["near"])}, "pearson")


@pytest.mark.parametrize(("undefined", "has_interval"), [(50, True), (51, False)])
def test_up_to_a_twentieth_of_the_replicates_may_lack_a_value(
    undefined: int, has_interval: bool
) -> None:
    values = np.arange(1000.0)[:, np.newaxis] / 1000
    values[:undefined] = np.nan
    interval = Replicates(observed={"m": 0.5}, values=values).interval("m")
    assert (interval.low is not None) == has_interval
    assert (interval.reason is None) == has_interval
