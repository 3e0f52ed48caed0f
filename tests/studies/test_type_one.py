"""Errors of type I: tests that keep their level are seen to, and those that do not are caught."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from truebleu import _core
from truebleu.corpus import TestSet, read_test_set
from truebleu.errors import SettingError, UnknownNameError
from truebleu.execution.journal import Runner
from truebleu.schema import Streams
from truebleu.scores import GivenScores
from truebleu.significance.compare import compare
from truebleu.significance.settings import CompareSettings
from truebleu.simulation import simulate
from truebleu.studies._study import Pool, Row, StudyResult, binomial_rate
from truebleu.studies.type_one import (
    USUAL_CORRECTIONS,
    alarms_of,
    level_verdict,
    study_equivalents,
    study_multiplicity,
    study_type_one,
)

if TYPE_CHECKING:
    from pathlib import Path


SEGMENTS = 60


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=SEGMENTS, systems=[0.1, 0.3], document_length=6)


@pytest.fixture(scope="module")
def mean_scores() -> GivenScores:
    """Scores of segments that go together within documents of six."""
    draw = Streams(5, "test").at(0)
    easy = [draw() for _ in range(SEGMENTS)]
    of_document = [draw() for _ in range(SEGMENTS // 6)]
    return GivenScores.of(
        {
            "system-1": easy,
            "system-2": [
                score + 2 * of_document[place // 6] + draw() / 4 for place, score in enumerate(easy)
            ],
        }
    )


def rejected(result: StudyResult, alpha: float = 0.05) -> dict[str, Row]:
    return {row["test"]: row for row in result.rows if row["alpha"] == alpha}


def holds(row: Row, alpha: float = 0.05) -> bool:
    return bool(row["rejected_low"] <= alpha <= row["rejected_high"])


def said(result: StudyResult) -> tuple[str, ...]:
    return result.to_document().sentences


@pytest.mark.slow
def test_randomization_keeps_its_level_and_the_papers_bootstrap_does_not(pool: TestSet) -> None:
    result = study_type_one(pool, ["bleu"], repetitions=400, replicates=399)
    by_test = rejected(result)
    randomization = by_test["ar"]
    assert holds(randomization)
    assert 0.03 < randomization["rejected"] < 0.08
    absolute = by_test["bootstrap-absolute"]
    assert absolute["verdict"] == "too often"
    assert absolute["rejected"] > 1.5 * randomization["rejected"]
    # One-sided at the level 95 %: twice as often in either direction.
    assert by_test["wins"]["verdict"] == "too often"
    assert by_test["wins"]["rejected"] >= by_test["interval"]["rejected"]
    assert any("has a smaller p-value than" in finding for finding in said(result))


@pytest.mark.slow
def test_randomization_keeps_every_level_with_any_metric(pool: TestSet) -> None:
    result = study_type_one(pool, ["ter", "length"], tests=["ar"], repetitions=200, replicates=199)
    assert [holds(row, row["alpha"]) for row in result.rows] == [True] * 6


def test_segments_of_exchanged_documents_are_not_independent(
    pool: TestSet, mean_scores: GivenScores
) -> None:
    documents = tuple(f"d{place // 6}" for place in range(SEGMENTS))
    test_set = replace(pool, documents=documents)
    shares = {}
    for unit in ("segment", "document"):
        result = study_type_one(
            test_set,
            [mean_scores],
            null="document",
            unit=unit,
            tests=["ar"],
            repetitions=200,
            replicates=199,
        )
        shares[unit] = rejected(result)["ar"]
        warned = any("Whole documents were swapped" in finding for finding in said(result))
        assert warned == (unit == "segment")
    assert shares["segment"]["verdict"] == "too often"
    assert shares["segment"]["rejected"] > 0.2
    assert holds(shares["document"])


def test_documents_matter_on_real_texts(shared: Path) -> None:
    folder = shared / "data" / "wmt24-en-es"
    systems = [str(path) for path in sorted((folder / "sys").iterdir())[:4]]
    documents = str(folder / "docs.tsv")
    test_set = read_test_set(systems, [str(folder / "refA.txt")], documents=documents)
    shares = []
    for null, unit in (("segment", "segment"), ("document", "segment"), ("document", "document")):
        result = study_type_one(
            test_set,
            ["bleu"],
            null=null,  # type: ignore[arg-type]
            unit=unit,  # type: ignore[arg-type]
            tests=["ar"],
            repetitions=150,
            replicates=199,
        )
        shares.append(rejected(result)["ar"]["verdict"])
    # 150 repetitions show what is wrong, and not that a level holds.
    assert shares == ["undecided", "too often", "undecided"]


def test_rejection_rates_equal_shares_of_recorded_p_values(pool: TestSet, tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    result = study_type_one(
        pool, ["bleu"], alphas=[0.2], repetitions=50, replicates=99, runner=Runner(journal)
    )
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    for row, test in zip(result.rows, lines[0]["tests"], strict=True):
        p_values = [p for line in lines[1:] for p in line["record"]["BLEU"][test]]
        assert len(p_values) == 50
        hits = sum(p <= 0.2 for p in p_values)
        assert row["rejected"] == hits / 50
        # Five rows that hold together with 95 %.
        interval = binomtest(hits, 50).proportion_ci(1 - 0.05 / 5, method="wilson")
        assert (row["rejected_low"], row["rejected_high"]) == pytest.approx(tuple(interval))


def test_an_interrupted_study_resumes(pool: TestSet, tmp_path: Path) -> None:
    def study(journal: Path | None) -> StudyResult:
        return study_type_one(
            pool, ["bleu"], tests=["ar"], repetitions=60, replicates=99, runner=Runner(journal)
        )

    whole, journal = study(None), tmp_path / "journal.jsonl"
    study(journal)
    lines = journal.read_text().splitlines(keepends=True)
    assert len(lines) == 4
    journal.write_text("".join(lines[:2]))
    assert study(journal) == whole
    assert journal.read_text() == "".join(lines)


def test_results_do_not_depend_on_threads(pool: TestSet) -> None:
    def study() -> StudyResult:
        return study_type_one(pool, ["bleu"], repetitions=50, replicates=99)

    before = _core.threads()
    result = study()
    try:
        _core.set_threads(1)
        assert study() == result
    finally:
        _core.set_threads(before)


def test_another_seed_is_another_study(pool: TestSet) -> None:
    rows = [
        study_type_one(pool, ["bleu"], repetitions=50, replicates=99, seed=seed).rows
        for seed in (0, 1)
    ]
    assert rows[0] != rows[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"repetitions": 49}, "from 50"),
        ({"repetitions": True}, "a whole number"),
        ({"replicates": 98}, "smallest possible p is 0.0101"),
        ({"replicates": 0}, "from 1 up"),
        ({"alphas": [1.5]}, "above 0 and below 1"),
        ({"seed": -1}, "seed"),
        ({"alphas": [1e-7], "replicates": 10**8}, "at least 25 segments: swaps of fewer"),
    ],
)
def test_invalid_settings_are_rejected(options: dict[str, Any], said: str) -> None:
    small = simulate(segments=20, systems=[0.1, 0.3])
    with pytest.raises(SettingError, match=said):
        study_type_one(small, **options)


def test_unknown_tests_are_refused(pool: TestSet) -> None:
    with pytest.raises(UnknownNameError, match="bootstrap"):
        study_type_one(pool, tests=["bootstraps"])


def test_one_system_cannot_be_compared() -> None:
    with pytest.raises(SettingError, match="systems: 1; expected at least 2"):
        study_type_one(simulate(segments=20, systems=[0.1]))


# Systems that are given, and taken for equal.


@pytest.fixture(scope="module")
def given_systems() -> TestSet:
    return simulate(segments=80, systems=[0.2, 0.2, 0.3])


def test_p_values_equal_compare(given_systems: TestSet) -> None:
    result = study_equivalents(given_systems, ["bleu", "ter"], replicates=499, seed=3)
    for test in ("ar", "bootstrap-absolute"):
        expected = compare(
            given_systems,
            metrics=["bleu", "ter"],
            test=test,
            replicates=499,
            seed=3,
            unit="segment",
        ).comparisons
        rows = [row for row in result.rows if row["test"] == test]
        assert [row["p"] for row in rows] == [pair.p for pair in expected]
        assert [row["difference"] for row in rows] == pytest.approx(
            [pair.difference for pair in expected]
        )
    assert (result.rows[2]["a"], result.rows[2]["b"]) == ("system-1", "system-3")
    assert "system-1 : system-3" in str(result)


def test_the_papers_table_comes_out_on_runs_of_one_optimizer(shared: Path) -> None:
    """Riezler & Maxwell (2005, Table 2): the bootstrap's p is smaller in every comparison."""
    folder = shared / "data" / "iwslt-optimizer-runs"
    runs = [str(folder / f"baseline.opt{run}.txt") for run in range(3)]
    result = study_equivalents(read_test_set(runs, [str(folder / "ref.txt")]), replicates=2000)
    randomization, absolute = (
        [row["p"] for row in result.rows if row["test"] == test]
        for test in ("ar", "bootstrap-absolute")
    )
    assert len(absolute) == 3
    assert all(p < other for p, other in zip(absolute, randomization, strict=True))
    assert (
        result.to_document()
        .sentences[1]
        .endswith("compared with approximate randomization, p is smaller for 3 and larger for 0.")
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"replicates": 10}, "at least 19"),
        ({"alpha": 0.0}, "above 0 and up to 0.5"),
        ({"unit": "document"}, "at least 6"),
    ],
)
def test_invalid_settings_of_equivalents_are_rejected(options: dict[str, Any], said: str) -> None:
    small = simulate(segments=20, systems=[0.2, 0.2])
    with pytest.raises(SettingError, match=said):
        study_equivalents(small, ["bleu"], **options)


def test_one_system_is_refused_and_so_is_an_unknown_test(given_systems: TestSet) -> None:
    with pytest.raises(SettingError, match="systems: 1"):
        study_equivalents(simulate(segments=20, systems=[0.2]))
    with pytest.raises(UnknownNameError, match="known: ar"):
        study_equivalents(given_systems, tests=["student"])


@pytest.mark.parametrize(
    ("hits", "repetitions", "verdict"),
    [
        (100, 2000, "holds"),
        (5, 100, "undecided"),
        # The binomial tails are .00069 from 133 up, .00050 from 134 up; .00051 and .00033 below.
        (133, 2000, "undecided"),
        (134, 2000, "too often"),
        (69, 2000, "holds"),
        (68, 2000, "too seldom"),
    ],
)
def test_a_level_holds_only_with_evidence(hits: int, repetitions: int, verdict: str) -> None:
    rate = binomial_rate(hits, repetitions)
    assert level_verdict(rate, 0.05, repetitions, rows=1) == verdict


@pytest.mark.parametrize("rows", [1, 18])
def test_a_level_that_is_kept_fails_in_one_table_of_a_thousand(rows: int) -> None:
    """By the binomial distribution itself, over all numbers of rejections."""
    chances = binom(2000, 0.05).pmf(np.arange(2001))
    fails = sum(
        chance
        for hits, chance in enumerate(chances)
        if level_verdict(binomial_rate(hits, 2000), 0.05, 2000, rows).startswith("too")
    )
    assert 0.0004 < rows * fails <= 0.001


def test_copies_never_differ_significantly() -> None:
    texts = simulate(segments=20, systems=[0.2])
    copies = replace(texts, systems=dict.fromkeys("ab", texts.systems["system-1"]))
    result = study_type_one(copies, repetitions=50, replicates=99, alphas=[0.2])
    assert {row["rejected"] for row in result.rows} == {0.0}
    assert {row["verdict"] for row in result.rows} == {"too seldom"}
    assert said(result)[-2].endswith("as the outputs do not differ by this metric.")
    assert said(result)[-1].startswith("a and b are the same text")


# Many comparisons of equal systems, with and without correction.


RATES = [0.1, 0.15, 0.2, 0.25, 0.3]


@pytest.fixture(scope="module")
def equal_systems() -> TestSet:
    return simulate(segments=60, systems=RATES)


def of_size(result: StudyResult, systems: int) -> dict[str, Row]:
    return {row["correction"]: row for row in result.rows if row["systems"] == systems}


@pytest.mark.slow
def test_false_alarms_add_up_unless_corrected(equal_systems: TestSet) -> None:
    result = study_multiplicity(equal_systems, ["bleu"], repetitions=200, replicates=999)
    assert [row["comparisons"] for row in result.rows[::5]] == [1, 3, 6, 10]
    two, five = of_size(result, 2), of_size(result, 5)
    assert two["none"]["alarms_low"] <= 0.05 <= two["none"]["alarms_high"]
    assert five["none"]["alarms_low"] > 0.1
    # Riezler & Maxwell (2005, §4.4): 1 - (1 - .05)^k, which dependent comparisons stay below.
    assert five["none"]["expected"] == pytest.approx(1 - 0.95**10)
    assert five["none"]["alarms"] < five["none"]["expected"]
    for correction in ("bonferroni", "holm", "westfall-young"):
        assert five[correction]["expected"] == 0.05
        assert five[correction]["alarms_low"] <= 0.05
    # The bounds that take the dependence into account waste less.
    assert five["westfall-young"]["alarms"] >= five["bonferroni"]["alarms"]


def test_holm_rejects_something_exactly_when_bonferroni_does(
    equal_systems: TestSet, tmp_path: Path
) -> None:
    journal = tmp_path / "journal.jsonl"
    options: dict[str, Any] = {"corrections": ["bonferroni", "holm", "none"], "alpha": 0.2}
    study_multiplicity(
        equal_systems,
        together=[4],
        repetitions=50,
        replicates=199,
        **options,
        runner=Runner(journal),
    )
    records = [json.loads(line)["record"] for line in journal.read_text().splitlines()[1:]]
    alarms = {
        name: "".join(record["BLEU"][f"4 {name}"] for record in records)
        for name in options["corrections"]
    }
    assert alarms["holm"] == alarms["bonferroni"] != alarms["none"]
    assert {len(alarm) for alarm in alarms.values()} == {50}


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
@pytest.mark.parametrize("correction", USUAL_CORRECTIONS)
def test_an_alarm_equals_a_rejection_by_compare(
    equal_systems: TestSet, test: Any, correction: str
) -> None:
    settings = {
        correction: CompareSettings(test=test, replicates=499, seed=7, correction=correction)
    }
    (one,) = Pool.of(equal_systems, ["bleu"]).statistics
    (alarm,) = alarms_of([5], settings, [(0, one)])[one.label].values()
    expected = compare(
        equal_systems,
        metrics=["bleu"],
        test=test,
        replicates=499,
        seed=7,
        correction=correction,
        unit="segment",
    )
    assert bool(int(alarm)) == any(pair.significant for pair in expected.comparisons)
    # The first two are so near each other that no test tells them apart.
    (alarm,) = alarms_of([2], settings, [(0, one)])[one.label].values()
    assert bool(int(alarm)) == (expected.comparisons[0].p <= 0.05)


@pytest.mark.slow
def test_tukey_keeps_the_level_for_means(equal_systems: TestSet) -> None:
    draw = Streams(9, "test").at(0)
    scores = GivenScores.of({name: [draw() for _ in range(60)] for name in equal_systems.systems})
    result = study_multiplicity(
        equal_systems, [scores], together=[3], corrections=["tukey"], repetitions=50, replicates=99
    )
    (row,) = result.rows
    assert row["correction"] == "tukey"
    assert row["alarms_low"] <= 0.05 <= row["alarms_high"]


def test_the_papers_bootstrap_leaves_out_westfall_young(
    equal_systems: TestSet,
) -> None:
    result = study_multiplicity(
        equal_systems, together=[2], test="bootstrap-absolute", repetitions=50, replicates=99
    )
    assert "westfall-young" not in of_size(result, 2)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"together": [2, 6]}, "at most 5 systems, as given"),
        ({"together": [1]}, "from 2 up"),
        ({"replicates": 100}, "at least 199 for 10 comparisons corrected by Bonferroni"),
        ({"alpha": 2.0}, "above 0 and up to 0.5"),
        ({"repetitions": 10}, "from 50"),
        ({"corrections": ["tukey"]}, "a mean over segments"),
        (
            {"test": "bootstrap-absolute", "corrections": ["westfall-young"]},
            "expected holm with the test",
        ),
    ],
)
def test_invalid_settings_of_multiplicity_are_rejected(
    equal_systems: TestSet, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(SettingError, match=said):
        study_multiplicity(equal_systems, **options)


def test_the_replicates_that_an_error_names_are_enough(equal_systems: TestSet) -> None:
    result = study_multiplicity(equal_systems, together=[5], repetitions=50, replicates=199)
    assert len(result.rows) == 5


def test_unknown_corrections_are_refused(equal_systems: TestSet) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'bonferroni'"):
        study_multiplicity(equal_systems, corrections=["bonferoni"])
