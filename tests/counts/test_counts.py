"""Counts: an outline with rows and scorers, of which systems, segments and metrics are chosen."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pytest
from numpy.testing import assert_array_equal

import truebleu
from truebleu import BLEU
from truebleu.corpus import TestSet
from truebleu.counts import Counts
from truebleu.counts.rows import ArrayRows, Rows
from truebleu.errors import (
    AbsentTextError,
    DuplicateSystemError,
    OtherCountsError,
    SettingError,
    UnknownNameError,
)
from truebleu.metrics import FunctionMetric
from truebleu.scores import GivenScores
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from collections.abc import Sequence

METRICS = ["bleu", "chrf", "ter"]
SYSTEMS = {name: Channel.at_rate(rate) for name, rate in {"a": 0.1, "b": 0.2, "c": 0.25}.items()}
ITEMS = {"old": [0, 1, 1, 0], "new": [1, 1, 0, 1]}


@pytest.fixture(scope="module")
def texts() -> TestSet:
    test_set = simulate(segments=30, systems=SYSTEMS, references=2, seed=5)
    return replace(test_set, domains=tuple("xyz"[index % 3] for index in range(30)))


@pytest.fixture
def counts(texts: TestSet) -> Counts:
    return truebleu.count(texts, metrics=METRICS)


def of_systems(texts: TestSet, *names: str, metrics: Any = tuple(METRICS)) -> Counts:
    chosen = replace(texts, systems={name: texts.systems[name] for name in names})
    return truebleu.count(chosen, metrics=metrics)


def forgotten(counts: Counts) -> Counts:
    """The counts without their texts, but with the fingerprints of the texts."""
    outline = replace(counts.outline, fingerprints=counts.fingerprints)
    return replace(counts, outline=outline, texts=None)


def require_same_numbers(found: Counts, expected: Counts) -> None:
    assert found.labels == expected.labels
    for one, other in zip(found.metrics, expected.metrics, strict=True):
        assert_array_equal(one.rows.floats(), other.rows.floats())


def test_labels_tell_namesakes_apart(texts: TestSet) -> None:
    counts = truebleu.count(texts, metrics="bleu,bleu:tokenize=intl,ter")
    assert counts.labels == ["BLEU[tok:13a]", "BLEU[tok:intl]", "TER"]


def test_a_metric_that_occurs_twice_is_refused(counts: Counts) -> None:
    pairs = [(metric.scorer, metric.rows) for metric in counts.metrics]
    with pytest.raises(SettingError, match="TER twice"):
        Counts.of(counts.outline, [*pairs, pairs[-1]])


def test_a_signature_has_the_number_of_references(counts: Counts) -> None:
    assert str(counts.signature(counts.metrics[0])).startswith("BLEU|nrefs:2|")


@pytest.mark.parametrize("given", [False, True], ids=["items", "given"])
def test_scores_without_texts_have_no_references(given: bool) -> None:
    metrics = GivenScores.of({name: list(map(float, own)) for name, own in ITEMS.items()})
    counts = truebleu.count(ITEMS, metrics=metrics if given else None)
    assert counts.signature(counts.metrics[0])["nrefs"] == "0"


def test_the_length_of_counts_is_the_number_of_segments(counts: Counts) -> None:
    assert len(counts) == 30
    assert len(truebleu.count(ITEMS)) == 4


# Fingerprints, lengths and texts.


def test_lengths_and_fingerprints_equal_the_texts(counts: Counts, texts: TestSet) -> None:
    for known in (counts, forgotten(counts)):
        assert known.lengths == texts.reference_lengths
        assert known.fingerprints == texts.fingerprints


def test_items_have_length_1_and_no_outputs() -> None:
    counts = truebleu.count(ITEMS)
    assert counts.lengths == (1,) * 4
    assert counts.fingerprints.outputs == {}
    with pytest.raises(AbsentTextError, match="old"):
        counts.fingerprints.output("old")


def test_texts_are_required_by_name_of_the_rows(counts: Counts) -> None:
    assert counts.require_texts() is counts.texts
    with pytest.raises(AbsentTextError, match="the segments: counts without text"):
        forgotten(counts).require_texts()
    with pytest.raises(AbsentTextError, match="the items: counts without text"):
        truebleu.count(ITEMS).require_texts()


# Some systems.


def test_systems_are_chosen_in_any_order(counts: Counts, texts: TestSet) -> None:
    chosen = counts.select(["c", "a"])
    assert chosen.outline.systems == ("c", "a")
    assert chosen.texts is not None
    assert list(chosen.texts.systems) == ["c", "a"]
    require_same_numbers(chosen, of_systems(texts, "c", "a"))
    assert truebleu.score(chosen)["c"] == truebleu.score(counts)["c"]


def test_all_systems_in_their_order_are_the_counts_themselves(counts: Counts) -> None:
    assert counts.select(["a", "b", "c"]) is counts


@pytest.mark.parametrize("names", [["d"], ["a", "bb"]])
def test_an_unknown_system_is_refused(names: Sequence[str], counts: Counts) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown system '{names[-1]}'"):
        counts.select(names)


def test_a_system_chosen_twice_is_refused(counts: Counts) -> None:
    with pytest.raises(DuplicateSystemError):
        counts.select(["a", "b", "a"])


# Some segments.


def test_a_subset_has_its_segments_alone(counts: Counts, texts: TestSet) -> None:
    indices = [4, 2, 7]
    part = counts.subset(indices)
    assert part.texts is None
    assert (len(part), part.outline.documents) == (3, counts.outline.subset(indices).documents)
    require_same_numbers(part, truebleu.count(texts.part(indices), metrics=METRICS))


@pytest.mark.parametrize("indices", [[], [30], [-1, 2], [0, 31, 2]], ids=str)
def test_a_subset_of_segments_that_do_not_exist_is_refused(
    indices: list[int], counts: Counts
) -> None:
    with pytest.raises(SettingError, match=r"segments: .*from 0 to 29"):
        counts.subset(indices)


def test_choosing_counts_nothing(texts: TestSet) -> None:
    calls: list[str] = []

    def length(output: str, _: list[str]) -> float:
        calls.append(output)
        return float(len(output))

    counts = truebleu.count(texts, metrics=[FunctionMetric(function=length, name="length")])
    chosen = counts.select(["b", "a"]).subset([3, 5]).only("length")
    assert calls == []
    outputs = [list(map(str, texts.systems[name])) for name in "ba"]
    expected = [[len(output[index]) for output in outputs] for index in (3, 5)]
    assert chosen.metrics[0].rows.floats()[:, :, 0].tolist() == expected
    assert len(calls) == 90
    counts.subset([1]).metrics[0].rows.sums()
    assert len(calls) == 90


# Some metrics.


def test_metrics_are_chosen_by_label_in_any_order(counts: Counts) -> None:
    assert counts.only("ter", "BLEU").labels == ["TER", "BLEU"]
    assert counts.only("TER").texts is counts.texts


def test_an_unknown_metric_is_refused(counts: Counts) -> None:
    with pytest.raises(UnknownNameError, match="unknown metric 'NIST'"):
        counts.only("NIST")
    with pytest.raises(SettingError, match="at least one of BLEU, chrF2, TER"):
        counts.only()


# More systems.


def test_systems_are_added_with_their_fingerprints(counts: Counts, texts: TestSet) -> None:
    joined = of_systems(texts, "b").join(of_systems(texts, "c", "a"))
    assert joined.outline.systems == ("b", "c", "a")
    assert joined.texts is None
    assert joined.fingerprints == replace(
        counts.fingerprints, outputs={name: counts.fingerprints.outputs[name] for name in "bca"}
    )
    assert joined.lengths == counts.lengths
    require_same_numbers(joined, counts.select(["b", "c", "a"]))
    compared, expected = (
        truebleu.compare(each, replicates=99).comparisons
        for each in (joined, counts.select(["b", "c", "a"]))
    )
    assert compared == expected


def test_metrics_of_added_systems_may_be_more_and_in_another_order(texts: TestSet) -> None:
    other = of_systems(texts, "b", metrics="ter,wer,bleu")
    joined = of_systems(texts, "a", metrics="bleu,ter").join(other)
    require_same_numbers(joined, of_systems(texts, "a", "b", metrics="bleu,ter"))


def test_joined_counts_keep_the_documents_of_either(texts: TestSet) -> None:
    without = of_systems(replace(texts, documents=None, domains=None), "a")
    for joined in (
        without.join(of_systems(texts, "b")),
        of_systems(texts, "b").join(without),
    ):
        assert joined.outline.documents == texts.documents
        assert joined.outline.domains == texts.domains


def test_added_systems_keep_the_digits_whatever_is_stored(texts: TestSet) -> None:
    mine, theirs = of_systems(texts, "a"), of_systems(texts, "b")
    narrow = replace(
        theirs,
        metrics=tuple(
            replace(metric, rows=Rows.of(ArrayRows(metric.rows.floats().astype("int16"))))
            for metric in theirs.metrics
        ),
    )
    joined = mine.join(narrow)
    assert all(metric.rows.stored().dtype == "float64" for metric in joined.metrics)
    require_same_numbers(joined, of_systems(texts, "a", "b"))


def refusals(texts: TestSet) -> dict[str, tuple[Counts, str]]:
    """Counts that do not fit those of system a, and what the message says."""
    only_b = {"b": texts.systems["b"]}
    longer = simulate(segments=31, systems=SYSTEMS, references=2, seed=5)
    one = replace(texts, references=texts.references[:1], reference_names=("r",))
    words = [list(map(str, reference)) for reference in texts.references]
    words[1][29] += " x"
    return {
        "segments": (of_systems(longer, "b"), "other: segments: 31; expected 30"),
        "references": (of_systems(one, "b"), "other: references: 1; expected 2"),
        "text": (
            truebleu.count(replace(texts, systems=only_b, references=tuple(words)), None, METRICS),
            "other: text of the references: sha256:",
        ),
        "documents": (
            of_systems(replace(texts, documents=("d",) * 30), "b"),
            "other: documents: other documents; expected the documents of the other counts",
        ),
        "domains": (
            of_systems(replace(texts, domains=("d",) * 30), "b"),
            "other: domains: other domains; expected the domains of the other counts",
        ),
        "signature": (
            of_systems(texts, "b", metrics="bleu:lowercase,chrf,ter"),
            r"other: signature: BLEU\|.*case:lc.* and .*; expected BLEU\|.*case:mixed",
        ),
        "metric": (
            of_systems(texts, "b", metrics="bleu,chrf"),
            r"other: signature: .*; expected TER\|nrefs:2",
        ),
    }


@pytest.mark.parametrize("kept", [True, False], ids=["with-texts", "without"])
@pytest.mark.parametrize(
    "reason",
    ["segments", "references", "text", "documents", "domains", "signature", "metric"],
)
def test_systems_that_do_not_fit_are_refused(reason: str, kept: bool, texts: TestSet) -> None:
    other, message = refusals(texts)[reason]
    with pytest.raises(OtherCountsError, match=message):
        of_systems(texts, "a").join(other if kept else forgotten(other), "other")


def test_a_system_of_the_same_name_is_refused(texts: TestSet, counts: Counts) -> None:
    with pytest.raises(DuplicateSystemError, match="'b'"):
        counts.join(of_systems(texts, "b"))


def test_models_scored_on_other_items_are_refused() -> None:
    rows = {"a": [{"id": f"q{index}", "score": 1} for index in range(3)]}
    other = {"b": [{"id": f"r{index}", "score": 1} for index in range(3)]}
    with pytest.raises(OtherCountsError, match="text of the references"):
        truebleu.count(rows).join(truebleu.count(other))


# Equality and other processes.


def test_counts_of_the_same_texts_are_equal(texts: TestSet, counts: Counts) -> None:
    assert counts == truebleu.count(texts, metrics=METRICS)
    assert counts != truebleu.count(texts, metrics="bleu")
    assert counts != counts.select(["c", "b", "a"])
    assert counts != "counts"
    assert hash(counts) == hash(truebleu.count(texts, metrics=METRICS))


CHOICES = {
    "all": lambda counts: counts,
    "systems": lambda counts: counts.select([*counts.outline.systems[:0:-1]]),
    "subset": lambda counts: counts.subset([3, 1]),
    "both": lambda counts: counts.subset([3, 1]).select(counts.outline.systems[1:]),
    "metrics": lambda counts: counts.only(counts.labels[-1]),
}


@pytest.mark.parametrize("is_counted", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("source", ["texts", "items", "given", "joined"])
def test_pickled_counts_are_equal_before_and_after_counting(
    source: str, choice: str, is_counted: bool, texts: TestSet
) -> None:
    given = GivenScores.of({name: [float(i) for i in range(30)] for name in "abc"}, name="x")
    if source == "texts":
        counts = truebleu.count(texts, metrics=METRICS)
    elif source == "items":
        rows = [{"id": f"q{i}", "score": i, "kind": f"k{i}"} for i in range(4)]
        counts = truebleu.count({"a": rows, "b": rows[::-1]}, documents="kind")
    elif source == "given":
        counts = truebleu.count(texts, metrics=["bleu", given])
    else:
        counts = of_systems(texts, "a").join(of_systems(texts, "b"))
    chosen = CHOICES[choice](counts)
    if is_counted:
        truebleu.score(chosen)
    copy = pickle.loads(pickle.dumps(chosen))  # noqa: S301
    assert copy == chosen
    assert copy.outline.labels("document") == chosen.outline.labels("document")
    assert copy.outline.labels("kind") == chosen.outline.labels("kind")
    assert truebleu.score(copy).systems == truebleu.score(chosen).systems


def test_uncounted_rows_are_pickled_as_texts() -> None:
    counts = truebleu.count({"a": ["x"] * 3000}, ["x"] * 3000, "bleu")
    uncounted = len(pickle.dumps(counts))
    truebleu.score(counts)
    assert len(pickle.dumps(counts)) > 2 * uncounted


def sums_of(counts: Counts) -> list[list[list[float]]]:
    return [metric.rows.sums() for metric in counts.metrics]


def test_a_worker_counts(counts: Counts) -> None:
    parts = [counts.select(["b", "a"]), counts.subset([2, 5]), counts]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        found = list(executor.map(sums_of, parts))
        again = list(executor.map(partial(sums_of), parts))
    assert found == again == [sums_of(part) for part in parts]


def test_a_subset_keeps_the_tokenizer_of_the_whole() -> None:
    chinese = ["他用很多时间写代码。"] * 20
    mixed = TestSet(systems={"a": [*chinese, "x"]}, references=([*chinese, "plain words"],))
    part = truebleu.count(mixed).subset([20])
    assert part.metrics[0].scorer == BLEU(tokenize="zh")
