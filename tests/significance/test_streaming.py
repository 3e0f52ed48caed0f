"""Scores and comparisons of parts are those of the whole test set, to the last digit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import truebleu
from truebleu.corpus import TestSet, TestSetStream
from truebleu.errors import SettingError, SuspiciousTextError
from truebleu.execution import Processes
from truebleu.metrics import FunctionMetric
from truebleu.metrics.base import set_threads
from truebleu.significance.streaming import Plan, stream_statistics
from truebleu.simulation import simulate

if TYPE_CHECKING:
    from collections.abc import Iterator

METRICS = ["bleu", "chrf", "ter", "sentbleu"]


@pytest.fixture(scope="module")
def whole() -> TestSet:
    made = simulate(segments=1100, systems=[0.1, 0.12, 0.3], references=2, seed=5)
    return TestSet(systems=made.systems, references=made.references)


def in_parts(test_set: TestSet, size: int) -> TestSetStream:
    places = range(0, len(test_set), size)
    return TestSetStream.of([test_set.part(range(i, min(i + size, len(test_set)))) for i in places])


def assert_same(expected: Any, found: Any) -> None:
    """The same digits, but for what only rows can tell: which unit counts most, the jackknife."""
    left, right = expected.to_dict(), found.to_dict()
    for one, other in zip(left["comparisons"], right["comparisons"], strict=True):
        assert other.pop("largest_share") is None
        del one["largest_share"]
        assert other.pop("swap_ratio") == pytest.approx(one.pop("swap_ratio"), rel=1e-6)
        # Standard errors by the delta method instead of the jackknife's.
        bounds, theirs = one.pop("simultaneous_interval"), other.pop("simultaneous_interval")
        assert theirs == bounds or theirs == pytest.approx(bounds, rel=0.02, abs=0.01)
    assert left == right


# Parts need not begin where words of coins do.
@pytest.mark.parametrize("size", [64, 100, 512, 1099, 1100])
def test_a_comparison_of_parts_is_that_of_the_whole(whole: TestSet, size: int) -> None:
    settings: dict[str, Any] = {"metrics": METRICS, "replicates": 200, "seed": 3}
    expected = truebleu.compare(whole, bootstrap="poisson", **settings)
    assert_same(expected, truebleu.compare(in_parts(whole, size), **settings))


@pytest.mark.parametrize("interval", ["percentile", "basic", "delta"])
def test_scores_of_parts_are_those_of_the_whole(whole: TestSet, interval: Any) -> None:
    settings: dict[str, Any] = {
        "metrics": METRICS,
        "confidence": True,
        "replicates": 200,
        "interval": interval,
    }
    expected = truebleu.score(whole, bootstrap="poisson", **settings)
    assert truebleu.score(in_parts(whole, 300), **settings).to_dict() == expected.to_dict()
    scores = truebleu.score(in_parts(whole, 64), metrics=METRICS)
    assert scores.to_dict() == truebleu.score(whole, metrics=METRICS).to_dict()


def test_the_randomization_of_parts_is_that_of_the_usual_comparison(whole: TestSet) -> None:
    usual = truebleu.compare(whole, replicates=500)
    streamed = truebleu.compare(in_parts(whole, 256), replicates=500)
    assert [pair.p for pair in streamed.comparisons] == [pair.p for pair in usual.comparisons]
    assert streamed.settings.bootstrap == "poisson"
    assert "bootstrap" not in usual.settings.to_dict()


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_threads_change_no_digit(whole: TestSet, threads: int) -> None:
    expected = truebleu.compare(in_parts(whole, 128), replicates=100)
    set_threads(threads)
    try:
        assert truebleu.compare(in_parts(whole, 128), replicates=100) == expected
    finally:
        set_threads(0)


@pytest.mark.parametrize("test", ["bootstrap", "bootstrap-absolute"])
def test_tests_by_the_bootstrap_have_the_digits_of_memory(whole: TestSet, test: str) -> None:
    settings: dict[str, Any] = {"replicates": 300, "test": test}
    expected = truebleu.compare(whole, bootstrap="poisson", **settings)
    assert_same(expected, truebleu.compare(in_parts(whole, 640), **settings))


def test_corrections_that_look_at_replicates_have_the_digits_of_memory(whole: TestSet) -> None:
    settings: dict[str, Any] = {"replicates": 300, "correction": "westfall-young"}
    expected = truebleu.compare(whole, bootstrap="poisson", **settings)
    assert_same(expected, truebleu.compare(in_parts(whole, 640), **settings))


def test_few_segments_have_all_swaps_there_are() -> None:
    made = simulate(segments=9, systems=[0.1, 0.5], seed=1)
    few = TestSet(systems=made.systems, references=made.references)
    expected = truebleu.compare(few, bootstrap="poisson", replicates=600)
    assert expected.metrics["BLEU"].exact
    assert_same(expected, truebleu.compare(in_parts(few, 4), replicates=600))


def test_counts_with_fractions_take_two_passes_and_whole_numbers_one(whole: TestSet) -> None:
    for metrics, passes in ((["bleu"], 1), (["bleu", "sentbleu"], 2)):
        counted: list[int] = []
        truebleu.compare(
            in_parts(whole, 512), metrics=metrics, replicates=100, progress=counted.append
        )
        assert sum(counted) == passes * len(whole)


def test_a_generator_is_enough_for_whole_numbers(whole: TestSet) -> None:
    def parts() -> Iterator[TestSet]:
        for i in range(0, 1100, 550):
            yield whole.part(range(i, i + 550))

    result = truebleu.compare(TestSetStream.of(parts()), replicates=100)
    assert result.test_set.segments == 1100
    with pytest.raises(SettingError, match="read twice"):
        truebleu.compare(TestSetStream.of(parts()), metrics=["sentbleu"], replicates=100)


@pytest.mark.parametrize(
    "setting",
    [
        {"unit": "block", "block_length": 5},
        {"by": ["domain"]},
        {"adaptive": True},
        {"runs": "{system}-{run}"},
        {"by_domain": True},
        {"documents": ["a"]},
        {"interval": "hall"},
        {"interval": "bca"},
        {"bootstrap": "multinomial"},
        {"correction": "tukey", "metrics": ["sentbleu"]},
        {"metrics": ["nist"]},
        {"replicates": 20_000_000},
    ],
    ids=str,
)
def test_what_needs_all_segments_is_refused(whole: TestSet, setting: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        truebleu.compare(in_parts(whole, 256), **setting)
    usable = {key: value for key, value in setting.items() if key in ("unit", "by", "interval")}
    if usable:
        with pytest.raises(SettingError):
            truebleu.score(in_parts(whole, 256), confidence=True, **setting)


@pytest.fixture(scope="module")
def labelled(whole: TestSet) -> TestSet:
    """Documents of 1 to 40 segments, some of which end where parts do."""
    lengths = [1, 63, 64, 128, *(1 + 7 * i % 40 for i in range(60))]
    names = [f"document {number}" for number, n in enumerate(lengths) for _ in range(n)]
    return TestSet(
        systems=whole.systems, references=whole.references, documents=tuple(names[: len(whole)])
    )


@pytest.mark.parametrize("size", [64, 100, 1099, 1100])
def test_documents_are_the_unit_where_they_are_known(labelled: TestSet, size: int) -> None:
    settings: dict[str, Any] = {"metrics": METRICS, "replicates": 200, "interval": "percentile"}
    expected = truebleu.compare(labelled, bootstrap="poisson", **settings)
    found = truebleu.compare(in_parts(labelled, size), **settings)
    assert found.settings.unit == "document"
    assert found.units == len(set(labelled.documents or ()))
    for pair, same in zip(found.comparisons, expected.comparisons, strict=True):
        assert pair.p == same.p
        assert pair.interval == same.interval
        assert pair.design_effect == pytest.approx(same.design_effect, rel=1e-5)
    assert [pair.differing_units for pair in found.comparisons] == [
        pair.differing_units for pair in expected.comparisons
    ]


def test_the_size_of_parts_changes_no_digit_by_documents(labelled: TestSet) -> None:
    settings: dict[str, Any] = {"metrics": METRICS, "replicates": 100, "unit": "document"}
    expected = truebleu.compare(in_parts(labelled, 1100), **settings)
    for size in (1, 64, 300):
        assert truebleu.compare(in_parts(labelled, size), **settings) == expected


def test_scores_by_documents_are_those_of_the_whole(labelled: TestSet) -> None:
    settings: dict[str, Any] = {"metrics": METRICS, "confidence": True, "replicates": 200}
    settings["interval"] = "percentile"
    expected = truebleu.score(labelled, bootstrap="poisson", **settings)
    found = truebleu.score(in_parts(labelled, 128), **settings)
    assert found.design_effects is not None
    assert expected.design_effects is not None
    for label, effects in expected.design_effects.items():
        assert found.design_effects[label] == pytest.approx(effects, rel=1e-5)
    same = replace(found, design_effects=expected.design_effects)
    assert same.to_dict() == expected.to_dict()
    assert same.settings is not None
    assert same.settings.unit == "document"


def test_segments_are_the_unit_where_that_is_asked_for(labelled: TestSet) -> None:
    found = truebleu.compare(in_parts(labelled, 512), replicates=100, unit="segment")
    assert (found.units, found.settings.unit) == (1100, "segment")
    unlabelled = TestSet(systems=labelled.systems, references=labelled.references)
    with pytest.raises(SettingError, match="documents that are known"):
        truebleu.compare(in_parts(unlabelled, 512), replicates=100, unit="document")


@pytest.mark.parametrize("size", [64, 600, 1100])
def test_a_document_that_comes_again_is_refused(whole: TestSet, size: int) -> None:
    documents = ("a",) * 600 + ("b",) * 400 + ("a",) * 100
    test_set = TestSet(systems=whole.systems, references=whole.references, documents=documents)
    with pytest.raises(SettingError, match="'a again in segment 1001', expected segments"):
        truebleu.compare(in_parts(test_set, size), replicates=100)


def test_documents_are_not_counted_elsewhere(labelled: TestSet) -> None:
    with pytest.raises(SettingError, match="executor"), ThreadPoolExecutor(2) as executor:
        truebleu.compare(in_parts(labelled, 512), replicates=100, executor=executor)


@pytest.mark.parametrize("size", [64, 1100])
def test_studentized_differences_of_parts_have_the_p_values_of_memory(
    whole: TestSet, size: int
) -> None:
    settings: dict[str, Any] = {"metrics": METRICS, "test": "studentized", "replicates": 400}
    expected = truebleu.compare(whole, **settings)
    found = truebleu.compare(in_parts(whole, size), **settings)
    assert [pair.p for pair in found.comparisons] == [pair.p for pair in expected.comparisons]
    turned = truebleu.compare(in_parts(whole, size), baseline="system-2", **settings)
    usual = truebleu.compare(whole, baseline="system-2", **settings)
    assert [pair.p for pair in turned.comparisons] == [pair.p for pair in usual.comparisons]
    westfall = truebleu.compare(in_parts(whole, size), correction="westfall-young", **settings)
    same = truebleu.compare(whole, correction="westfall-young", **settings)
    assert [pair.p_adjusted for pair in westfall.comparisons] == [
        pair.p_adjusted for pair in same.comparisons
    ]


def test_studentized_differences_of_few_units_and_of_documents(labelled: TestSet) -> None:
    settings: dict[str, Any] = {"test": "studentized", "replicates": 600}
    for test_set in (labelled, labelled.part(range(9))):
        expected = truebleu.compare(test_set, **settings)
        found = truebleu.compare(in_parts(test_set, 128), **settings)
        assert [pair.p for pair in found.comparisons] == [pair.p for pair in expected.comparisons]


def test_a_margin_is_tested_by_replicates_and_the_delta_method(whole: TestSet) -> None:
    settings: dict[str, Any] = {"metrics": ["bleu", "chrf"], "replicates": 2000}
    for margin in (0.5, 1.5, 4.0, 30.0):
        usual = truebleu.compare(whole, margin=margin, **settings)
        found = truebleu.compare(in_parts(whole, 512), margin=margin, **settings)
        for pair, same in zip(found.comparisons, usual.comparisons, strict=True):
            assert pair.equivalence_p == pytest.approx(same.equivalence_p, abs=0.015)
        assert found == truebleu.compare(in_parts(whole, 64), margin=margin, **settings)
    assert found.comparisons[0].equivalent
    assert found.comparisons[0].equivalence_p == pytest.approx(1 / 2001)


def test_a_tokenizer_that_only_the_first_part_suggests_is_refused() -> None:
    latin = TestSet(systems={"a": ["the cat"] * 64}, references=(["the cat"] * 64,))
    han = TestSet(
        systems={"a": ["今天天气很好。" * 9] * 64}, references=(["今天天气很好。" * 9] * 64,)
    )
    with pytest.raises(SettingError, match="tokenizer"):
        truebleu.score(TestSetStream.of([latin, han]))
    chosen = truebleu.score(TestSetStream.of([latin, han]), metrics=["bleu:tokenize=zh"])
    assert chosen["a"]["BLEU"].score == pytest.approx(100)
    unspaced = truebleu.score(TestSetStream.of([latin, han]), metrics=["bleu:tokenize=13a"])
    assert "unspaced" in [warning.code for warning in unspaced.warnings]


def test_strict_streams_refuse_what_is_suspicious(whole: TestSet) -> None:
    texts = dict(whole.systems) | {"copy": whole.references[0]}
    stream = in_parts(TestSet(systems=texts, references=whole.references), 512)
    assert truebleu.score(stream).warnings
    with pytest.raises(SuspiciousTextError):
        truebleu.score(replace(stream, strict=True))


def test_an_error_in_a_metric_ends_the_reading(whole: TestSet) -> None:
    closed = []

    def parts() -> Iterator[TestSet]:
        try:
            while True:
                yield whole
        finally:
            closed.append(True)

    def fail(_output: str, _references: list[str]) -> float:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        truebleu.score(
            TestSetStream.of(parts()), metrics=[FunctionMetric(function=fail, name="fails")]
        )
    assert closed


def test_moments_of_parts_add_up(whole: TestSet) -> None:
    (one,) = stream_statistics(in_parts(whole, 64), ["ter"], Plan(moments=True)).statistics
    (other,) = stream_statistics(in_parts(whole, 1100), ["ter"], Plan(moments=True)).statistics
    np.testing.assert_array_equal(one.products(), other.products())
    assert one.units == 1100


def test_a_score_at_the_corner_of_the_brevity_penalty_has_a_wider_interval() -> None:
    """Half of the outputs are much longer than the references, and half as much shorter."""
    rng = np.random.default_rng(2)
    words = [[f"w{i}" for i in rng.integers(0, 9, 20)] for _ in range(256)]
    references = [" ".join(segment) for segment in words]
    outputs = [
        " ".join(segment + segment[:10] if i % 2 else segment[:10])
        for i, segment in enumerate(words)
    ]
    corner = TestSet(systems={"a": outputs, "b": references}, references=(references,))
    result = truebleu.compare(in_parts(corner, 64), replicates=400, interval="delta")
    assert result.systems["a"]["BLEU"].is_widened
    assert not result.systems["b"]["BLEU"].is_widened
    assert "Intervals of a" in str(result)
    assert result.to_dict()["systems"][0]["scores"]["BLEU"]["is_widened"]
    assert "is_widened" not in result.to_dict()["systems"][1]["scores"]["BLEU"]
    scores = truebleu.score(corner, confidence=True, replicates=400, interval="delta")
    assert scores.systems[0].widened == ("BLEU",)
    assert "Intervals of a (BLEU) hold those of percentiles" in str(scores)


@pytest.mark.parametrize("metrics", [["bleu", "chrf"], ["sentbleu", "ter"]], ids="-".join)
def test_parts_counted_elsewhere_have_the_same_digits(whole: TestSet, metrics: list[str]) -> None:
    stream = in_parts(whole, 128)
    settings: dict[str, Any] = {"metrics": metrics, "replicates": 100}
    with ThreadPoolExecutor(3) as executor:
        found = truebleu.compare(stream, executor=executor, **settings)
        assert found == truebleu.compare(stream, **settings)
        scores = truebleu.score(stream, metrics=metrics, executor=executor)
        assert scores == truebleu.score(stream, metrics=metrics)
        with pytest.raises(SettingError, match="multiple of 64"):
            truebleu.score(in_parts(whole, 100), executor=executor)
        with pytest.raises(SettingError, match="executor"):
            truebleu.score(whole, executor=executor)


@pytest.mark.slow
def test_processes_have_the_same_digits(whole: TestSet) -> None:
    stream = in_parts(whole, 256)
    with Processes(2) as executor:
        found = truebleu.compare(stream, metrics=METRICS, replicates=100, executor=executor)
    assert found == truebleu.compare(stream, metrics=METRICS, replicates=100)


@pytest.mark.parametrize("size", [64, 700])
def test_a_gate_of_parts_decides_as_that_of_the_whole(whole: TestSet, size: int) -> None:
    names = ("system-2", "system-1", "system-3")
    for new, old in ((0, 1), (1, 0), (2, 0)):
        systems = {names[place]: whole.systems[names[place]] for place in (new, old)}
        pair = TestSet(systems=systems, references=whole.references)
        for settings in ({"metrics": METRICS}, {"margin": 2.0, "metrics": ["bleu", "ter"]}):
            usual = truebleu.gate(pair, **settings)
            found = truebleu.gate(in_parts(pair, size), **settings)
            assert [check.passed for check in found.checks] == [
                check.passed for check in usual.checks
            ]
            for check, same in zip(found.checks, usual.checks, strict=True):
                assert check.interval == pytest.approx(same.interval, abs=0.15)
                if "margin" in settings:
                    assert check.p == pytest.approx(same.p, abs=0.01)
                else:
                    assert (check.p, check.p_adjusted) == (same.p, same.p_adjusted)


def test_a_gate_of_documents_and_what_it_refuses(labelled: TestSet) -> None:
    names = list(labelled.systems)[:2]
    pair = replace(labelled, systems={name: labelled.systems[name] for name in names})
    usual, found = truebleu.gate(pair), truebleu.gate(in_parts(pair, 128))
    assert found.settings == usual.settings
    assert (found.units, found.test_set) == (usual.units, usual.test_set)
    assert found.checks[0].p == usual.checks[0].p
    assert found.checks[0].design_effect == pytest.approx(usual.checks[0].design_effect)
    with pytest.raises(SettingError, match="one new and one old"):
        truebleu.gate(in_parts(labelled, 128))
    with pytest.raises(SettingError, match="ledger"):
        truebleu.gate(in_parts(pair, 128), ledger="looks.jsonl")
    with pytest.raises(SettingError, match="executor"), ThreadPoolExecutor(1) as executor:
        truebleu.gate(pair, executor=executor)
    with pytest.raises(SettingError, match="at least 5"):
        truebleu.gate(in_parts(pair.part(range(3)), 128), unit="segment")
