"""Claims about the study of sensitivity."""

from __future__ import annotations

import json
from itertools import combinations
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from truebleu.corpus import TestSet, as_test_set
from truebleu.errors import SettingError, UnknownNameError
from truebleu.execution.journal import Runner
from truebleu.scores import GivenScores
from truebleu.significance.compare import compare
from truebleu.simulation import simulate
from truebleu.studies import StudyResult, power
from truebleu.studies._study import Pool, Testing
from truebleu.studies.power import _sensitivity_sentences, study_sensitivity

if TYPE_CHECKING:
    from pathlib import Path


METRICS = ["bleu", "ter", "chrf"]


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=120, systems=[0.2, 0.21, 0.24, 0.3], document_length=4, seed=6)


def significant(result: StudyResult, metric: str, test: str, correction: str) -> float:
    (row,) = [
        row
        for row in result.rows
        if (row["metric"], row["test"], row["correction"]) == (metric, test, correction)
    ]
    return float(row["significant"])


def said(result: StudyResult) -> tuple[str, ...]:
    return result.to_document().sentences


@pytest.mark.parametrize("unit", ["segment", "document"])
def test_pairs_differ_if_they_differ_by_compare(pool: TestSet, unit: Any) -> None:
    result = study_sensitivity(pool, METRICS, replicates=500, seed=7, unit=unit)
    for correction in ("none", "holm"):
        settings: dict[str, Any] = {
            "replicates": 500,
            "seed": 7,
            "correction": correction,
            "unit": unit,
        }
        compared = compare(pool, metrics=METRICS, **settings)
        for metric in ("BLEU", "TER", "chrF2"):
            pairs = [pair for pair in compared.comparisons if pair.metric == metric]
            real = sum(pair.significant for pair in pairs)
            assert significant(result, metric, "ar", correction) == real
    shares = [row["share"] for row in result.rows]
    assert shares == [row["significant"] / 6 for row in result.rows]
    assert 0 < sum(shares) < len(shares)


def test_relative_intervals_equal_compare(pool: TestSet) -> None:
    found = study_sensitivity(pool, ["bleu"], replicates=500, seed=7)
    compared = compare(pool, metrics=["bleu"], replicates=500, seed=7, unit="segment")
    for row in found.details["systems"]:
        result = compared.systems[row["system"]]["BLEU"]
        assert result.relative_interval is not None
        low, high = result.relative_interval
        assert row["median"] == pytest.approx(result.median, rel=1e-12)
        assert (row["low"], row["high"]) == pytest.approx((low / 100, high / 100), rel=1e-12)
        others = sum(
            pair.significant for pair in compared.comparisons if row["system"] in (pair.a, pair.b)
        )
        assert row["significant"] == others
    widths = [row["width"] or 0.0 for row in found.details["systems"]]
    assert found.rows[0]["width"] == pytest.approx(np.mean(widths))


def human(**scores: list[float]) -> tuple[TestSet, dict[str, list[float]]]:
    count = len(next(iter(scores.values())))
    return as_test_set({name: ["x"] * count for name in scores}, ["x"] * count), scores


def test_the_metric_with_less_noise_is_found_to_be_the_more_sensitive() -> None:
    rng = np.random.default_rng(9)
    quality = {f"s{n}": 10 + 0.15 * n for n in range(6)}
    test_set, _ = human(**{name: [0.0] * 200 for name in quality})
    sharp, dull = (
        GivenScores.of(
            {name: rng.normal(mean, noise, 200).tolist() for name, mean in quality.items()},
            name=label,
        )
        for label, noise in (("sharp", 0.5), ("dull", 3.0))
    )
    result = study_sensitivity(test_set, [dull, sharp], replicates=1000)
    first = said(result)[0]
    assert first.index("sharp") < first.index("dull")
    (wide,) = {row["width"] for row in result.rows if row["metric"] == "dull"}
    (narrow,) = {row["width"] for row in result.rows if row["metric"] == "sharp"}
    # The noise is six times as large, and so is the interval.
    assert isinstance(wide, float)
    assert isinstance(narrow, float)
    assert wide / narrow == pytest.approx(6.0, rel=0.15)


def test_fewer_pairs_differ_on_smaller_samples(
    pool: TestSet,
) -> None:
    result = study_sensitivity(
        pool, ["bleu", "ter"], sizes=[20, 60, 120], samples=6, replicates=500
    )
    for metric in ("BLEU", "TER"):
        small, middle, whole = (
            row["share"]
            for row in result.rows
            if (row["metric"], row["test"], row["correction"]) == (metric, "ar", "none")
        )
        assert small < middle < whole
    assert {row["size"]: row["samples"] for row in result.rows} == {20: 6, 60: 6, 120: 1}
    first = result.rows[0]
    assert first["share_low"] <= first["share"] <= first["share_high"]
    assert result.rows[-1]["share_low"] is None
    # On one sample there is no error to judge the difference by.
    compared = [line for line in said(result) if " more of the pairs than " in line]
    assert [line.split(",")[0] for line in compared] == ["On 20 segments", "On 60 segments"]


def test_a_copy_never_differs() -> None:
    text = [f"segment number {n} of the text" for n in range(30)]
    copies = as_test_set({"a": text, "b": text}, [f"segment {n} of a text" for n in range(30)])
    result = study_sensitivity(copies, METRICS, replicates=200)
    assert {row["significant"] for row in result.rows} == {0.0}


def test_all_corrections_come_from_one_journal(pool: TestSet, tmp_path: Path) -> None:
    journal = tmp_path / "study.jsonl"
    options: dict[str, Any] = {"sizes": [30, 60], "samples": 3, "replicates": 300}
    whole = study_sensitivity(pool, ["bleu"], runner=Runner(journal), **options)
    lines = journal.read_bytes().split(b"\n")
    journal.write_bytes(b"\n".join(lines[:4]) + b"\n")
    assert study_sensitivity(pool, ["bleu"], runner=Runner(journal), **options) == whole
    size = journal.stat().st_size
    study_sensitivity(pool, ["bleu"], runner=Runner(journal), correction="bh", **options)
    assert journal.stat().st_size == size


def test_an_interrupted_study_keeps_finished_metrics(
    pool: TestSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {"metrics": ["bleu", "chrf"], "replicates": 200}
    expected = study_sensitivity(pool, **settings)
    done: list[str] = []
    whole = power._p_values

    def interrupted(*arguments: Any) -> Any:
        if done:
            raise KeyboardInterrupt
        done.append("BLEU")
        return whole(*arguments)

    runner = Runner(journal=tmp_path / "j")
    with monkeypatch.context() as patch:
        patch.setattr(power, "_p_values", interrupted)
        with pytest.raises(KeyboardInterrupt):
            study_sensitivity(pool, **settings, runner=runner)
    # The header, and the first metric.
    assert len((tmp_path / "j").read_bytes().splitlines()) == 2
    assert study_sensitivity(pool, **settings, runner=runner) == expected


@pytest.mark.parametrize(
    ("options", "claim"),
    [
        ({"replicates": 100}, "at least 119 for 6 pairs corrected by Holm"),
        ({"replicates": 10}, "at least 40"),
        ({"sizes": [121]}, "at most 120, the size of the pool"),
        ({"sizes": [1]}, "from 2 up"),
        # 2 / 2**n must be at most 0.05 / 6.
        ({"sizes": [7]}, "at least 8 units, so that any of 6 pairs can be significant"),
        ({"sizes": [5], "correction": "none"}, "at least 6 units"),
        ({"sizes": [50], "samples": 1}, "from 2"),
    ],
)
def test_invalid_settings_are_rejected(pool: TestSet, options: dict[str, Any], claim: str) -> None:
    with pytest.raises(SettingError, match=claim):
        study_sensitivity(pool, ["bleu"], **{"replicates": 500, **options})


def test_an_unknown_correction_and_a_single_system_are_refused(pool: TestSet) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'holm'"):
        study_sensitivity(pool, ["bleu"], replicates=500, correction="holms")
    with pytest.raises(SettingError, match="at least 2 to compare"):
        study_sensitivity(as_test_set(["a", "b"], ["a", "b"]), ["bleu"])


def test_the_interval_concludes_as_in_the_study_of_power() -> None:
    """At 90 % with 40 replicates, winning all but two is just enough."""
    pool = simulate(segments=60, systems=[0.2, 0.21, 0.22, 0.23, 0.24, 0.25, 0.26], seed=3)
    result = study_sensitivity(pool, ["bleu"], replicates=40, level=0.9, correction="none", seed=1)
    one = Pool.of(pool, ["bleu"]).statistics[0]
    testing = Testing(("interval",), 40, 1)
    p_values = testing.conclusions(one, list(combinations(range(7), 2)), 0)["interval"].p
    assert (p_values == 0.1).any()
    assert significant(result, "BLEU", "interval", "none") == (p_values <= 0.1).sum()


def test_a_corrected_p_of_just_alpha_is_significant() -> None:
    """Bonferroni of 15 pairs at 600 replicates: one loss is 15 * 2 / 600 = 0.05."""
    systems = [0.2, 0.21, 0.23, 0.24, 0.26, 0.27]
    pool = simulate(segments=80, systems=systems, seed=1)
    result = study_sensitivity(pool, ["bleu"], replicates=600, correction="bonferroni", seed=1)
    one = Pool.of(pool, ["bleu"]).statistics[0]
    testing = Testing(("interval",), 600, 1)
    p_values = testing.conclusions(one, list(combinations(range(6), 2)), 0)["interval"].p
    losses = np.rint(p_values * 300).astype(int)
    assert (losses == 1).any()
    assert significant(result, "BLEU", "interval", "bonferroni") == (losses <= 1).sum()


@pytest.mark.parametrize("setting", [{"samples": 5}, {"sampling": "systematic"}])
def test_settings_of_samples_without_sizes_are_rejected(setting: dict[str, Any]) -> None:
    pool = simulate(segments=60, systems=[0.1, 0.3], seed=4)
    with pytest.raises(SettingError, match="sizes"):
        study_sensitivity(pool, ["bleu"], replicates=200, **setting)


def test_smaller_samples_are_advised_if_all_pairs_differ() -> None:
    clear = simulate(segments=150, systems=[0.05, 0.5], seed=1)
    result = study_sensitivity(clear, ["bleu", "ter"], replicates=200)
    assert any("--sizes" in finding for finding in said(result))


def test_scores_of_zero_have_no_relative_interval() -> None:
    test_set, scores = human(a=[0.0] * 20, b=[0.0] * 20)
    result = study_sensitivity(test_set, [GivenScores.of(scores, name="human")], replicates=200)
    assert result.rows[0]["width"] is None
    assert "there is no relative interval for human: medians are 0." in said(result)[-1]
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize(("different", "saturated"), [(94, False), (95, True)])
def test_metrics_by_which_95_of_100_pairs_differ_show_no_difference(
    different: int, saturated: bool
) -> None:
    def conclusions(label: str, count: int) -> Any:
        return SimpleNamespace(
            label=label,
            significant=lambda: np.arange(100)[np.newaxis] < count,
            records=[{"ar": [None] * 100}],
            width={"width": None},
        )

    of_size = [conclusions("BLEU", 100), conclusions("TER", different)]
    sentences = " ".join(_sensitivity_sentences("On 100 segments", of_size, "holm"))
    expected = "at least 95 % of the pairs differ significantly by every metric"
    assert (expected in sentences) == saturated
