"""Plans from pilots."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from truebleu.corpus import as_test_set
from truebleu.errors import SettingError, TruebleuError
from truebleu.metrics import FunctionMetric
from truebleu.planning.plan import plan
from truebleu.significance.compare import compare
from truebleu.significance.gate import gate
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.planning.plan import PairPlan
    from truebleu.schema import Alternative, TextUnit


@pytest.fixture(scope="module")
def texts() -> TestSet:
    channels = {
        "old": Channel.at_rate(0.25),
        "new": Channel.at_rate(0.22),
        "best": Channel.at_rate(0.1),
    }
    return simulate(segments=300, systems=channels, seed=8)


def two(texts: TestSet, *names: str) -> TestSet:
    return replace(texts, systems={name: texts.systems[name] for name in names or ("old", "new")})


def test_the_answers_of_a_plan_agree_with_each_other(texts: TestSet) -> None:
    (found,) = plan(two(texts), difference=2.0, unit="segment").plans
    assert found.units_needed is not None
    assert found.smallest_difference is not None
    assert found.power_now is not None
    again = plan(two(texts), difference=found.smallest_difference, unit="segment").plans[0]
    assert again.units_by_pilot == 300
    assert again.power_now == pytest.approx(0.8)
    by_pilot = next(size for size in found.sizes if size.units == found.units_by_pilot)
    assert by_pilot.power == pytest.approx(0.8, abs=0.002)
    assert (found.units_by_pilot or 0) < found.units_needed
    low, high = found.units_needed_interval or (None, None)
    assert low is not None
    assert high is not None
    assert low < found.units_needed < high
    assert [size.units for size in found.sizes] == sorted({size.units for size in found.sizes})
    assert {300, found.units_needed} <= {size.units for size in found.sizes}


def test_a_higher_power_a_smaller_difference_and_more_comparisons_need_more(
    texts: TestSet,
) -> None:
    def needed(difference: float = 2.0, **settings: Any) -> int:
        planned = plan(two(texts), difference=difference, **settings)
        return planned.plans[0].units_by_pilot or 0

    base = needed()
    assert needed(1.0) == pytest.approx(4 * base, rel=0.1)
    assert needed(power=0.9) > base
    assert needed(level=0.99) > base
    assert needed(alternative="greater") < base
    five = needed(comparisons=5)
    assert five > base
    assert five == needed(level=0.99)


def test_two_systems_are_a_pair_in_their_order_and_more_need_a_baseline(texts: TestSet) -> None:
    (found,) = plan(two(texts)).plans
    (compared,) = compare(two(texts)).comparisons
    assert (found.a, found.b) == (compared.a, compared.b) == ("old", "new")
    assert found.pilot_difference == compared.difference
    with pytest.raises(SettingError, match="3 systems given: choose one"):
        plan(texts)
    result = plan(texts, difference=2.0, baseline="new")
    assert [(pair.a, pair.b) for pair in result.plans] == [("old", "new"), ("best", "new")]
    assert result.settings.comparisons == 2
    alone = plan(two(texts, "new", "best"), difference=2.0, baseline="new", comparisons=2)
    assert result.plans[1].units_needed == alone.plans[0].units_needed


@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_a_one_sided_test_looks_for_a_better_system(texts: TestSet, metric: str) -> None:
    """ "greater" means better, of TER too, which is lower-is-better."""

    def smallest(first: str, second: str, alternative: Alternative) -> float:
        pair = two(texts, first, second)
        (found,) = plan(pair, difference=2.0, metrics=[metric], alternative=alternative).plans
        return found.smallest_difference or 0.0

    assert smallest("old", "best", "greater") == pytest.approx(
        smallest("best", "old", "less"), rel=1e-9
    )
    assert smallest("old", "best", "greater") != pytest.approx(
        smallest("old", "best", "less"), rel=1e-9
    )
    assert smallest("old", "best", "greater") < smallest("old", "best", "two-sided")


def test_documents_are_counted_with_their_segments(texts: TestSet) -> None:
    documents = len(set(texts.documents or ()))
    (found,) = plan(two(texts), difference=2.0, metrics=["chrf"], unit="document").plans
    assert found.units == documents
    assert found.segments == 300
    assert found.units_needed is not None
    assert found.segments_needed == pytest.approx(found.units_needed * 300 / documents, abs=1)
    by_segment = plan(two(texts), difference=2.0, metrics=["chrf"], unit="segment").plans[0]
    assert found.design_effect == pytest.approx(
        (found.sd**2 / documents) / (by_segment.sd**2 / 300)
    )


def test_segments_that_go_together_are_warned_about() -> None:
    reference = ["the cat sat on the mat today", "a dog ran over the green hill"] * 100
    documents = tuple(f"d{i // 10}" for i in range(200))
    good = [line if i // 10 % 2 else line[::-1] for i, line in enumerate(reference)]
    bad = [line if i % 3 else line[:9] for i, line in enumerate(reference)]
    pilot = replace(as_test_set({"a": bad, "b": good}, reference), documents=documents)
    (found,) = plan(pilot, difference=1.0, metrics=["chrf"], unit="segment").plans
    assert found.design_effect is not None
    assert found.design_effect > 2
    assert "dependent segments" in found.warnings


def test_a_pilot_that_hangs_on_one_segment_is_warned_about() -> None:
    reference = ["the cat sat on the mat today"] * 100
    almost = ["the cat sat on the hat today" if i % 2 else line for i, line in enumerate(reference)]
    odd = [line + " today" * 400 * (i == 7) for i, line in enumerate(reference)]
    (found,) = plan({"a": almost, "b": odd}, reference, difference=1.0, metrics=["ter"]).plans
    assert (found.largest_share or 0) > 0.9
    assert "one unit decides" in found.warnings


@pytest.mark.parametrize(("largest", "planned"), [(10.0, True), (10.3, False)])
def test_a_unit_with_most_of_the_variance_leaves_no_size_to_plan(
    largest: float, planned: bool
) -> None:
    # Of 101 deviations the largest has about largest² / (largest² + 100) of the squares.
    found = plan_of([largest, *[1.0, -1.0] * 50])
    assert (found.largest_share < 0.5) == planned
    assert (found.units_needed is not None) == planned
    assert found.units_by_pilot is not None
    assert planned or found.reasons["units_needed"] == "one segment makes up 51 % of the variance"


def test_each_metric_has_its_own_difference(texts: TestSet) -> None:
    result = plan(two(texts), difference=[2.0, 1.0], metrics=["bleu", "chrf"])
    assert [found.difference for found in result.plans] == [2.0, 1.0]
    with pytest.raises(SettingError, match="2 differences"):
        plan(two(texts), difference=[2.0, 1.0], metrics=["bleu"])


def test_exactly_the_missing_values_have_a_reason(texts: TestSet) -> None:
    results = [
        plan(two(texts)),
        plan(two(texts), difference=1.0),
        plan(two(texts), difference=1e-9),
        plan(two(texts), margin=1.0),
    ]
    for result in results:
        written = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert written["version"] == 1
        for found in written["plans"]:
            absent = {name for name, value in found.items() if value is None}
            assert absent == set(found["reasons"])


@pytest.mark.parametrize("asked", [None, 2.0])
def test_the_chart_has_what_it_plots(texts: TestSet, asked: float | None) -> None:
    result = plan(two(texts), difference=asked, metrics=["bleu", "chrf"], unit="segment")
    (chart,) = result.to_document().charts
    assert chart.title == (
        "Smallest difference detected with a power of 80 %, by segments"
        if asked is None
        else f"Power to detect a difference of {asked:g}, by segments"
    )
    assert chart.plot.x == "units"
    assert chart.plot.y == ("smallest_difference" if asked is None else "power")
    assert {row["plan"] for row in chart.table.rows} == {"BLEU: old − new", "chrF2: old − new"}
    for row in chart.table.rows:
        assert isinstance(row[chart.plot.y], float)
    for column in chart.table.columns:
        assert all(column.name in row for row in chart.table.rows)
    assert len(chart.sentences) == 2


def test_results_compare_pickle_and_print(texts: TestSet) -> None:
    result = plan(two(texts), difference=2.0)
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301
    assert result == plan(two(texts), difference=2.0)
    assert str(result).startswith(
        "To detect a difference of 2 BLEU with a power of 80 %, a test set"
    )
    assert "<table" in result._repr_html_()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"power": 0.0}, "power: 0.0"),
        ({"power": 1.0}, "power: 1.0"),
        ({"power": float("nan")}, "power: nan"),
        ({"power": 0.04}, "more than 0.05"),
        ({"level": 1.0}, "level: 1.0"),
        ({"comparisons": 0}, "comparisons: 0"),
        ({"unit": "block"}, "unknown unit 'block'"),
        ({"alternative": "more"}, "unknown alternative 'more'"),
        ({"replicates": 10}, "replicates: 10; expected at least 40"),
        ({"seed": -1}, "seed: -1"),
    ],
)
def test_settings_without_meaning_are_refused(
    texts: TestSet, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(TruebleuError, match=message):
        plan(two(texts), **settings)


def test_pilots_that_tell_nothing_are_refused(texts: TestSet) -> None:
    same = two(texts, "old").systems["old"]
    copies = as_test_set({"a": same, "b": same}, texts.references)
    with pytest.raises(SettingError, match="a plan needs its variance"):
        plan(copies, difference=1.0)
    with pytest.raises(SettingError, match="1 system given: it takes at least two"):
        plan(two(texts, "old"), difference=1.0)
    with pytest.raises(SettingError, match="a test set with documents"):
        plan(texts.systems, texts.references, difference=1.0, unit="document", baseline="old")
    lone = replace(two(texts), documents=("d",) * 300)
    with pytest.raises(SettingError, match="'one document'; expected at least two"):
        plan(lone, difference=1.0, unit="document")


def test_two_segments_are_enough_for_an_answer_and_a_warning() -> None:
    reference = ["the cat sat on the mat", "a dog ran over the hill"]
    systems = {"a": ["the cat sat on the mat", "a dog ran"], "b": reference}
    (found,) = plan(systems, reference, difference=1.0, metrics=["bleu"]).plans
    assert found.smallest_difference is None
    assert "at least 6 units" in found.reasons["smallest_difference"]
    assert "small pilot" in found.warnings


LINES = st.lists(st.text(alphabet="ab ", max_size=6), min_size=2, max_size=9)


@pytest.mark.slow
@given(texts=LINES.flatmap(lambda r: st.tuples(st.just(r), *[lists_like(r)] * 2)), data=st.data())
def test_any_pilot_gives_a_plan_or_a_reason(
    texts: tuple[list[str], list[str], list[str]], data: st.DataObject
) -> None:
    reference, a, b = texts
    metric = data.draw(st.sampled_from(["bleu", "chrf", "ter", "nist", "length", "sentbleu"]))
    refusal = ""
    try:
        result = plan({"a": a, "b": b}, reference, difference=1.0, metrics=[metric], replicates=50)
        json.dumps(result.to_dict(), allow_nan=False)
        assert str(result)
    except SettingError as error:
        refusal = str(error)
    assert not refusal or refusal.endswith("a plan needs its variance")


def lists_like(lines: list[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.text(alphabet="ab ", max_size=6), min_size=len(lines), max_size=len(lines))


def test_a_margin_says_when_an_equal_system_passes() -> None:
    pilot = simulate(segments=300, systems=[0.2, 0.22], seed=4)
    (found,) = plan(pilot, margin=2.0).plans
    margin = found.margin
    assert margin is not None
    assert margin.gate_units is not None
    assert margin.equivalence_units is not None
    # Two one-sided tests must both show it: with the power .8 each is wanted with .9.
    assert margin.gate_units < margin.equivalence_units < 2 * margin.gate_units
    (wider,) = plan(pilot, margin=4.0).plans
    assert wider.margin is not None
    assert margin.gate_units / (wider.margin.gate_units or 1) == pytest.approx(4, rel=0.15)
    (without,) = plan(pilot).plans
    assert without.margin is None


def test_margins_are_one_for_all_metrics_or_one_for_each() -> None:
    pilot = simulate(segments=60, systems=[0.2, 0.25], seed=4)
    result = plan(pilot, metrics=["bleu", "ter"], margin=[1.0, 2.0])
    assert [found.margin and found.margin.margin for found in result.plans] == [1.0, 2.0]
    with pytest.raises(SettingError, match="margin: '3 margins'"):
        plan(pilot, metrics=["bleu", "ter"], margin=[1.0, 2.0, 3.0])
    with pytest.raises(SettingError, match="margin"):
        plan(pilot, margin=-1.0)


def test_a_plan_with_a_margin_prints_and_is_json() -> None:
    result = plan(simulate(segments=60, systems=[0.2, 0.25], seed=4), margin=3.0)
    assert "To pass a truly equal system with probability" in str(result)
    written = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert written["plans"][0]["margin"]["margin"] == 3.0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gate", "equivalence"])
def test_equal_systems_pass_as_often_as_planned(kind: str) -> None:
    # Scores of segments, some of which run away to the disadvantage of the new system.
    rng, tail = np.random.default_rng(9), 4.0

    def gains(count: int) -> NDArray[np.float64]:
        away = (rng.random(count) < 0.05) * rng.exponential(tail, size=count)
        return np.asarray(rng.normal(size=count) + 0.05 * tail - away)

    metric = FunctionMetric(function=lambda output, _: float(output), name="value")

    def outputs(count: int) -> dict[str, list[str]]:
        new = [repr(float(value)) for value in gains(count)]
        return {"old": ["0"] * count, "new": new}

    texts = outputs(20_000)
    planned = plan(texts, [""] * 20_000, metrics=[metric], margin=0.2, baseline="old")
    pilot = planned.plans[0].margin
    assert pilot is not None
    units = pilot.gate_units if kind == "gate" else pilot.equivalence_units
    assert units is not None
    shown = 0
    for _ in range(400):
        sample = outputs(units)
        if kind == "gate":
            result = gate(sample, [""] * units, [metric], baseline="old", margin=0.2)
            shown += result.passed
        else:
            comparison = compare(sample, [""] * units, [metric], margin=0.2, replicates=40)
            shown += bool(comparison.comparisons[0].equivalent)
    # Three standard deviations of a share of .8 in 400 are .06.
    assert 0.74 < shown / 400 < 0.86


VALUE = FunctionMetric(function=lambda output, _: float(output), name="value")


def plan_of(differences: Sequence[float], **options: Any) -> PairPlan:
    """A plan from a pilot of two systems with these differences."""
    count = len(differences)
    systems = {"a": list(map(str, differences)), "b": ["0"] * count}
    defaults: dict[str, Any] = {"difference": 1.0, "metrics": [VALUE], "replicates": 100}
    (found,) = plan(systems, ["0"] * count, **defaults | options).plans
    return found


@pytest.mark.parametrize(("units", "warned"), [(29, True), (30, False)])
def test_a_pilot_of_fewer_than_30_units_is_warned_about(units: int, warned: bool) -> None:
    found = plan_of([n % 5 - 2 for n in range(units)])
    assert ("small pilot" in found.warnings) == warned


@pytest.mark.parametrize(
    ("units", "unit", "warned"),
    [
        (29, "document", False),
        (30, "document", True),
        (99, "document", True),
        (100, "document", False),
        (99, "segment", False),
    ],
)
def test_a_pilot_of_30_to_99_documents_is_warned_about(
    units: int, unit: TextUnit, warned: bool
) -> None:
    documents = [f"d{n}" for n in range(units)]
    found = plan_of([n % 5 - 2 for n in range(units)], documents=documents, unit=unit)
    assert ("few documents" in found.warnings) == warned


def test_fewer_than_30_needed_units_are_warned_about() -> None:
    needed = {}
    for hundredths in range(60, 90):
        found = plan_of([n % 5 - 2 for n in range(100)], difference=hundredths / 100)
        needed[found.units_needed] = "few units needed" in found.warnings
    assert needed[29]
    assert not needed[30]


@pytest.mark.parametrize(
    ("units", "largest", "share", "warned"),
    [
        # More than a fifth of the variance, and of 40 units more than 10 / 40 of it.
        (100, 4.8, 0.19, False),
        (100, 5.2, 0.21, True),
        (40, 3.45, 0.23, False),
        (40, 3.75, 0.26, True),
    ],
)
def test_a_unit_with_much_of_the_variance_is_warned_about(
    units: int, largest: float, share: float, warned: bool
) -> None:
    found = plan_of([largest, *([1.0, -1.0] * units)[: units - 1]])
    assert found.largest_share == pytest.approx(share, abs=0.01)
    assert ("one unit decides" in found.warnings) == warned


@pytest.mark.parametrize(("alike", "effect", "warned"), [(58, 1.16, False), (62, 1.24, True)])
def test_a_design_effect_above_a_fifth_is_warned_about(
    alike: int, effect: float, warned: bool
) -> None:
    # Documents of two segments, whose differences are alike in so many of 100.
    pairs = [(1.0, 1.0), (-1.0, -1.0)] * (alike // 2) + [(1.0, -1.0)] * (100 - alike)
    documents = [f"d{n // 2}" for n in range(200)]
    found = plan_of(
        [value for pair in pairs for value in pair], unit="segment", documents=documents
    )
    assert found.design_effect == pytest.approx(effect, abs=0.02)
    assert ("dependent segments" in found.warnings) == warned
