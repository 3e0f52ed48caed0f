"""False alarms among many comparisons of equal systems, with and without correction."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from truebleu._settings import Streams
from truebleu.errors import SettingError, UnknownNameError
from truebleu.execution.journal import Runner
from truebleu.scores.given import GivenScores
from truebleu.significance.compare import compare
from truebleu.simulation import simulate
from truebleu.studies._pool import Pool
from truebleu.studies.multiplicity import (
    USUAL_CORRECTIONS,
    FalseAlarms,
    MultiplicityResult,
    alarms_of,
    correction_settings,
    study_multiplicity,
)

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.corpus import TestSet


RATES = [0.1, 0.15, 0.2, 0.25, 0.3]


@pytest.fixture(scope="module")
def equal_systems() -> TestSet:
    return simulate(segments=60, systems=RATES)


def of_size(result: MultiplicityResult, systems: int) -> dict[str, FalseAlarms]:
    return {row.correction: row for row in result.rows if row.systems == systems}


@pytest.mark.slow
def test_false_alarms_add_up_unless_corrected(equal_systems: TestSet) -> None:
    result = study_multiplicity(equal_systems, ["bleu"], repetitions=200, replicates=999)
    assert [row.comparisons for row in result.rows[::6]] == [1, 3, 6, 10]
    two, five = of_size(result, 2), of_size(result, 5)
    assert two["none"].alarms.low <= 0.05 <= two["none"].alarms.high
    assert five["none"].alarms.low > 0.1
    # Riezler & Maxwell (2005, §4.4): 1 - (1 - .05)^k, which dependent comparisons stay below.
    assert five["none"].expected == pytest.approx(1 - 0.95**10)
    assert five["none"].alarms.value < five["none"].expected
    for correction in ("bonferroni", "holm", "westfall-young", "by"):
        assert five[correction].expected == 0.05
        assert five[correction].alarms.low <= 0.05
    # The bounds that take the dependence into account waste less.
    assert five["westfall-young"].alarms.value >= five["bonferroni"].alarms.value


def test_holm_rejects_something_exactly_when_bonferroni_does(
    equal_systems: TestSet, tmp_path: Path
) -> None:
    journal = tmp_path / "journal.jsonl"
    options: dict[str, Any] = {"corrections": ["bonferroni", "holm", "none"], "alpha": 0.2}
    study_multiplicity(
        equal_systems,
        systems=[4],
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
def test_an_alarm_is_what_compare_would_raise(
    equal_systems: TestSet, test: Any, correction: str
) -> None:
    settings = correction_settings([correction], test, 0.05, 499, 7)
    (one,) = Pool.of(equal_systems, ["bleu"]).statistics
    (alarm,) = alarms_of(one, 0, [5], settings).values()
    expected = compare(
        equal_systems,
        metrics=["bleu"],
        test=test,
        replicates=499,
        seed=7,
        correction=correction,
        unit="segment",
    )
    assert alarm == any(pair.significant for pair in expected.comparisons)
    # The first two are so near each other that no test tells them apart.
    (alarm,) = alarms_of(one, 0, [2], settings).values()
    assert alarm == (expected.comparisons[0].p <= 0.05)


@pytest.mark.slow
def test_tukey_keeps_the_level_for_means(equal_systems: TestSet) -> None:
    draw = Streams(9, "test").at(0)
    scores = GivenScores.of({name: [draw() for _ in range(60)] for name in equal_systems.systems})
    result = study_multiplicity(
        equal_systems, [scores], systems=[3], corrections=["tukey"], repetitions=50, replicates=99
    )
    (row,) = result.rows
    assert row.correction == "tukey"
    assert row.alarms.low <= 0.05 <= row.alarms.high


def test_systems_can_be_simulated_in_any_number() -> None:
    size = simulate(segments=30, systems=[0.1])
    result = study_multiplicity(
        size, null="simulated", corrections=["none"], repetitions=50, replicates=199
    )
    assert [row.systems for row in result.rows] == [2, 3, 4, 5, 6]


def test_the_papers_bootstrap_goes_without_the_correction_that_it_cannot_have(
    equal_systems: TestSet,
) -> None:
    result = study_multiplicity(
        equal_systems, systems=[2], test="bootstrap-absolute", repetitions=50, replicates=99
    )
    assert "westfall-young" not in of_size(result, 2)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"systems": [2, 6]}, "no more than there are: 5"),
        ({"systems": [1]}, "from 2 up"),
        ({"systems": []}, "at least one number"),
        ({"corrections": []}, "some of none"),
        ({"replicates": 100}, "at least 200: corrected for 10 comparisons by Bonferroni"),
        ({"replicates": 500}, "at least 586: corrected for 10 comparisons by Benjamini-Yekutieli"),
        ({"alpha": 2.0}, "level"),
        ({"repetitions": 10}, "at least 50"),
        ({"corrections": ["tukey"]}, "a mean over segments"),
        ({"test": "bootstrap-absolute", "corrections": ["westfall-young"]}, "another one"),
    ],
)
def test_many_comparisons_that_say_nothing_are_refused(
    equal_systems: TestSet, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(SettingError, match=said):
        study_multiplicity(equal_systems, **options)


def test_the_replicates_that_a_refusal_asks_for_are_enough(equal_systems: TestSet) -> None:
    result = study_multiplicity(equal_systems, systems=[5], repetitions=50, replicates=586)
    assert len(result.rows) == 6


def test_unknown_corrections_are_refused(equal_systems: TestSet) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'bonferroni'"):
        study_multiplicity(equal_systems, corrections=["bonferoni"])
