"""What studies have in common: settings, rates, means, relative intervals and their laws."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.stats import binomtest

from truebleu import count
from truebleu.agreement.data import as_lists
from truebleu.errors import ArgumentTypeError, SettingError
from truebleu.significance.intervals import medians_and_relative_intervals
from truebleu.simulation import simulate
from truebleu.studies import study_power, study_references
from truebleu.studies._study import (
    Estimate,
    binomial_rate,
    bounded,
    clustered_rate,
    columns,
    doubling,
    fit_law,
    from_record,
    mean_estimate,
    mean_of_known,
    ratio_rate,
    relative_intervals,
)

TEXTS = simulate(segments=40, systems=[0.1, 0.3], seed=2)


def test_other_texts_have_another_fingerprint() -> None:
    settings = {"sizes": [10], "samples": 5, "replicates": 50}
    first, same, other = (
        study_power(texts, ["bleu"], **settings).to_dict()["settings"]["pool"]  # type: ignore[arg-type]
        for texts in (TEXTS, TEXTS, simulate(segments=40, systems=[0.1, 0.3], seed=3))
    )
    assert first == same
    assert first["outputs_fingerprint"] != other["outputs_fingerprint"]
    assert first["segments"] == 40
    assert "|nrefs:1|" in first["metrics"][0]["signature"]


def test_a_result_is_its_table_its_sentences_and_a_plot() -> None:
    result = study_power(TEXTS, ["bleu"], tests=["ar"], sizes=[10, 20], samples=5, replicates=50)
    values = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert values["study"] == "power"
    assert values["rows"] == list(result.rows)
    assert values["sentences"] == list(result.sentences)
    document = result.to_document()
    assert document.data.rows == tuple(result.rows)
    assert document.sentences == tuple(result.sentences)
    (chart,) = document.charts
    assert chart.plot.errors == ("right_low", "right_high")
    # What only the chart shows is no column of the table.
    assert {column.name for column in chart.table.columns} - set(document.data.names) == {
        "case",
        "sample",
    }
    assert len(result.to_frame()) == len(result.rows)


def test_a_share_has_its_bounds() -> None:
    names = [column.name for column in columns(bounded("right", "Right"))]
    rate = binomial_rate(7, 10)
    cells = rate.cells("right")
    assert list(cells) == names == ["right", "right_low", "right_high"]
    assert Estimate.from_cells(cells, "right") == rate


@pytest.mark.parametrize(("hits", "repetitions"), [(0, 7), (97, 100), (7, 7), (250, 1000)])
def test_a_share_has_wilsons_interval(hits: int, repetitions: int) -> None:
    expected = binomtest(hits, repetitions).proportion_ci(method="wilson")
    share = binomial_rate(hits, repetitions)
    assert share.value == hits / repetitions
    assert (share.low, share.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_perfectly_correlated_hits_count_once() -> None:
    hits = np.repeat(np.arange(40)[:, None] < 30, 9, axis=1)
    share = clustered_rate(hits)
    # As many as samples, less the one that the estimate of the variance takes.
    expected = ratio_rate(hits[:, 0], np.ones(40))
    assert share == expected
    wilson = binomtest(30, 40).proportion_ci(method="wilson")
    assert (share.low, share.high) == pytest.approx((wilson.low, wilson.high), abs=0.005)
    assert share.value == 0.75


def test_samples_without_variance_count_once() -> None:
    assert clustered_rate(np.ones((30, 9))) == binomial_rate(30, 30)
    assert clustered_rate(np.zeros((30, 9))) == binomial_rate(0, 30)
    # Every sample has one hit of two: still no surer than as many trials.
    assert clustered_rate(np.tile([1, 0], (30, 1))) == binomial_rate(30, 60)


def test_samples_without_trials_do_not_count() -> None:
    full = ratio_rate([3, 1, 4], [4, 4, 5])
    assert ratio_rate([3, 0, 1, 0, 4], [4, 0, 4, 0, 5]) == full
    assert full.value == 8 / 13


def test_intervals_of_clusters_have_their_coverage() -> None:
    random = np.random.default_rng(3)
    held_by_clusters = held_by_trials = 0
    for _ in range(1000):
        totals = random.integers(0, 12, size=60)
        chances = random.beta(8, 2, size=60)  # 0.8 on average, and the same within a sample
        hits = random.binomial(totals, chances)
        by_clusters = ratio_rate(hits, totals)
        by_trials = binomial_rate(int(hits.sum()), int(totals.sum()))
        held_by_clusters += (by_clusters.low or 0) <= 0.8 <= (by_clusters.high or 0)
        held_by_trials += (by_trials.low or 0) <= 0.8 <= (by_trials.high or 0)
    # Four standard errors around 95 %; taken for independent, the trials hold it less often.
    assert 0.922 < held_by_clusters / 1000 < 0.978
    assert held_by_trials / 1000 < 0.922


def test_a_share_is_written_in_percent() -> None:
    assert str(binomial_rate(97, 100)) == "97.0 % (91.5 to 99.0)"


# Zhang & Vogel (2004, Table 2): widths in percent at 10, 20, 50, 80 and 100 % of the data.
SHARES = (10, 20, 50, 80, 100)
TABLE_2 = {
    "NIST": (9.89, 7.18, 4.70, 3.76, 3.38),
    "BLEU": (27.06, 19.27, 12.20, 9.64, 8.76),
    "M-BLEU": (15.08, 10.77, 6.85, 5.42, 4.96),
    "human": (9.42, 6.79, 4.39, 3.48, 3.12),
}


def test_intervals_of_all_systems_equal_intervals_of_each() -> None:
    scores = np.random.default_rng(1).normal([30.0, -2.0, 0.1], [1.0, 0.5, 0.2], size=(500, 3))
    intervals = relative_intervals(scores, 0.9)
    for system, (median, bounds) in enumerate(medians_and_relative_intervals(scores, 0.9)):
        assert bounds is not None
        assert_allclose(
            intervals[:, system], [median, bounds[0] / 100, bounds[1] / 100], rtol=1e-12
        )


def test_a_median_of_zero_has_no_relative_interval_and_no_nan_in_a_record() -> None:
    record = as_lists(relative_intervals(np.zeros((40, 1)), 0.95))
    assert record == [[0.0], [None], [None]]
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert np.isnan(from_record(record)[1:]).all()


def test_the_law_is_the_least_squares_line_of_the_logarithms() -> None:
    rng = np.random.default_rng(2)
    sizes = [100, 250, 400, 900, 1500]
    widths = 3.0 * np.array(sizes) ** -0.4 * np.exp(rng.normal(0, 0.05, 5))
    law = fit_law(sizes, widths)
    line = stats.linregress(np.log(sizes), np.log(widths))
    assert law is not None
    assert law.exponent == pytest.approx(line.slope, rel=1e-12)
    assert law.constant == pytest.approx(np.exp(line.intercept), rel=1e-12)


@pytest.mark.parametrize("metric", TABLE_2)
def test_the_papers_own_widths_narrow_by_about_thirty_percent_when_data_double(metric: str) -> None:
    law = fit_law(SHARES, TABLE_2[metric])
    assert law is not None
    # "A rough rule of thumb": §4.1.
    assert law.narrowing == pytest.approx(0.30, abs=0.03)


def test_a_law_inverts_widths_to_sizes() -> None:
    law = fit_law([10, 20, 40], [4.0, 3.0, 2.0])
    assert law is not None
    assert law.size(law.width(33)) == pytest.approx(33)


def test_two_widths_have_no_law_and_growing_widths_no_size() -> None:
    assert fit_law([10, 20, 40], [4.0, 0.0, float("nan")]) is None
    flat = fit_law([10, 20, 40], [2.0, 2.0, 2.0])
    assert flat is not None
    assert flat.size(1.0) is None


def test_a_doubling_is_fitted_to_mean_widths() -> None:
    rng = np.random.default_rng(3)
    sizes = [100, 200, 400]
    widths = np.array([1.0, 0.7, 0.5]) * np.exp(rng.normal(0, 0.1, (50, 3)))
    narrowings = [1 - 2 ** np.polyfit(np.log(sizes), np.log(width), 1)[0] for width in widths]
    found = doubling(sizes, widths)
    assert found is not None
    of_means = 1 - 2 ** np.polyfit(np.log(sizes), np.log(widths.mean(axis=0)), 1)[0]
    assert found.value == pytest.approx(of_means, rel=1e-9)
    low, high = stats.t.interval(0.95, 49, found.value, stats.sem(narrowings))
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)


def test_a_single_repetition_has_no_error() -> None:
    assert mean_estimate([0.25]) == Estimate(0.25, None, None)
    assert str(mean_estimate([0.25])) == "25.0 %"


def test_means_leave_out_missing_values() -> None:
    values = np.array([[1.0, np.nan, np.nan], [3.0, 5.0, np.nan]])
    assert_allclose(mean_of_known(values), [2.0, 5.0, np.nan])


@pytest.mark.parametrize(
    ("argument", "value", "kind"), [("test_set", ["a b"], "TestSet"), ("runner", "j", "Runner")]
)
def test_other_objects_than_a_study_takes_are_refused(argument: str, value: Any, kind: str) -> None:
    arguments: dict[str, Any] = {"test_set": TEXTS, argument: value}
    with pytest.raises(ArgumentTypeError, match=f"{argument}: .* of the class {kind}"):
        study_power(**arguments)


def test_counts_give_the_result_of_their_texts() -> None:
    quick: dict[str, Any] = {"sizes": [10], "samples": 5, "replicates": 50}
    of_texts = study_power(TEXTS, "chrf", **quick)
    assert study_power(count(TEXTS, None, "chrf"), **quick) == of_texts


def test_metrics_with_counts_are_rejected() -> None:
    with pytest.raises(SettingError, match="expected no metrics with counts"):
        study_power(count({"a": [1, 0], "b": [0, 1]}), "bleu")


def test_a_study_of_references_needs_texts() -> None:
    scores: Any = count({"a": [1, 0], "b": [0, 1]})
    with pytest.raises(ArgumentTypeError, match="of the class TestSet"):
        study_references(scores)


def test_every_study_reports_identical_outputs() -> None:
    copied = replace(TEXTS, systems={**TEXTS.systems, "copy": TEXTS.systems["system-1"]})
    result = study_power(copied, ["bleu"], sizes=[10], samples=5, replicates=50)
    assert result.to_dict()["settings"]["pool"]["copies"] == [["system-1", "copy"]]
    assert "system-1 and copy are the same text" in " ".join(str(result).split())
    quick: dict[str, Any] = {"sizes": [5], "samples": 5, "replicates": 50}
    alone = study_power(TEXTS, **quick)
    assert "copies" not in alone.settings["pool"]
    scores = count({"a": [1.0, 2.0] * 5, "b": [2.0, 1.0] * 5})
    assert "copies" not in study_power(scores, **quick).settings["pool"]
    assert "same text" not in str(alone)
