"""Pairing: the scores of several systems, item by item, in one order."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from truebleu.errors import (
    CorpusError,
    DuplicateSystemError,
    EmptyTextError,
    MalformedFileError,
    MissingColumnError,
    UnpairedSegmentsError,
)
from truebleu.scores.evaluations import Evaluation, Item
from truebleu.scores.pairing import SegmentScores, most_answers, pair_items, pair_scores


def item(name: str, score: object = 1.0, **values: Any) -> Item:
    return Item(name=name, scores={"score": score}, line=int(name[1:]) + 1, **values)


def evaluation(system: str, *items: Item, **values: Any) -> Evaluation:
    return Evaluation(system=system, label=f"{system}.jsonl", digest="", items=items, **values)


def scores_of(*evaluations: Evaluation, **options: Any) -> dict[str, Any]:
    return dict(pair_scores(evaluations, pair_items(evaluations), **options).by_system)


# Items.


def test_items_of_all_systems_are_in_order_of_appearance() -> None:
    first = evaluation("a", item("q1"), item("q2", checksum="2"))
    second = evaluation("b", item("q3"), item("q1", checksum="1"), item("q2", checksum="2"))
    items = pair_items([first, second])
    assert items == {"q1": "1", "q2": "2", "q3": ""}
    assert list(items) == ["q1", "q2", "q3"]


@pytest.mark.parametrize("name", ["Q1", "q01", "q 1"])
def test_items_whose_names_differ_by_spelling_are_named(name: str) -> None:
    first = evaluation("a", item("q1"), item("q2"))
    second = evaluation("b", item("q2"), item("q9")._replace(name=name))
    with pytest.raises(MalformedFileError, match=rf"line 10: item '{name}'; expected 'q1', as in"):
        pair_items([first, second])


def test_names_that_one_file_has_both_are_not_spellings() -> None:
    first = evaluation("a", item("q1"), item("q1")._replace(name="Q1"))
    second = evaluation("b", item("q1")._replace(name="Q1"))
    assert list(pair_items([first, second])) == ["q1", "Q1"]


def test_two_scales_of_one_file_are_refused_and_of_two_files_are_not() -> None:
    def of(system: str, scores: list[float], label: str) -> Evaluation:
        items = [item(f"q{place}", score) for place, score in enumerate(scores)]
        return Evaluation(system=system, label=label, digest="", items=tuple(items))

    small, large = [0.5, 0.6, 0.7], [51.0, 62.0, 73.0]
    assert len(scores_of(of("a", small, "a.tsv"), of("b", large, "b.tsv"))) == 2
    with pytest.raises(MalformedFileError, match=r"t\.tsv: line 1: score 0\.5 and 51"):
        scores_of(of("a", small, "t.tsv"), of("b", large, "t.tsv"))


def test_an_item_with_two_texts_is_refused() -> None:
    first = evaluation("a", item("q1", checksum="1"))
    with pytest.raises(MalformedFileError, match=r"b\.jsonl: line 2: another text of item q1 than"):
        pair_items([first, evaluation("b", item("q1", checksum="2"))])


@pytest.mark.parametrize(
    ("evaluations", "error", "message"),
    [
        ([], EmptyTextError, "systems"),
        ([evaluation("a", item("q1")), evaluation("a", item("q1"))], DuplicateSystemError, "'a'"),
        ([evaluation("a")], EmptyTextError, r"a\.jsonl"),
        (
            [
                evaluation("a", item("q1"), benchmark="x"),
                evaluation("a", item("q1"), benchmark="y"),
            ],
            CorpusError,
            "the benchmarks x and y of a; expected one benchmark",
        ),
        (
            [
                evaluation("a", item("q1"), benchmark="x"),
                evaluation("b", item("q1"), benchmark="y"),
            ],
            CorpusError,
            r"items of y; expected x, as in a\.jsonl",
        ),
        (
            [evaluation("a", item("q1"), data="x"), evaluation("b", item("q1"), data="y")],
            CorpusError,
            r"items of y; expected x, as in a\.jsonl",
        ),
        (
            [evaluation("a", item("q1")), evaluation("b", item("q1"), has_names=False)],
            CorpusError,
            "items without names",
        ),
        (
            [
                evaluation("a", item("q1"), has_names=False),
                evaluation("b", item("q1"), item("q2"), has_names=False),
            ],
            UnpairedSegmentsError,
            r"b\.jsonl: b: 2 segments, but a\.jsonl: a has 1",
        ),
    ],
)
def test_evaluations_that_do_not_pair_are_refused(
    evaluations: list[Evaluation], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        pair_items(evaluations)


# Scores.


def test_scores_are_in_the_order_of_the_items() -> None:
    first = evaluation("a", item("q1", 1), item("q2", 2))
    second = evaluation("b", item("q3", 30), item("q2", 20))
    assert scores_of(first, second) == {"a": [1, 2, None], "b": [None, 20, 30]}


def test_paired_scores_tell_their_items_only_if_these_have_names() -> None:
    named, unnamed = (
        [evaluation(system, item("q1"), item("q2"), has_names=has_names) for system in "ab"]
        for has_names in (True, False)
    )
    assert pair_scores(named, pair_items(named)).items == (("q1", ""), ("q2", ""))
    assert pair_scores(unnamed, pair_items(unnamed)).items is None


def test_the_digest_is_of_the_scores_alone() -> None:
    def digest(value: float, label: str = "a") -> str:
        evaluations = [evaluation(label, item("q1", value)), evaluation("b", item("q1", 2))]
        return pair_scores(evaluations, pair_items(evaluations)).digest

    assert digest(1) == digest(1)
    assert len({digest(1), digest(1.5), digest(1, "c")}) == 3


def test_scores_by_another_name_are_refused_unless_one_is_chosen() -> None:
    first = evaluation("a", item("q1"))
    other = evaluation("b", Item(name="q1", scores={"f1": 0.5, "score": 1}, line=1))
    only = evaluation("b", Item(name="q1", scores={"f1": 0.5}, line=1))
    with pytest.raises(
        CorpusError, match=r"b\.jsonl: scores by f1; expected score, as in a\.jsonl"
    ):
        scores_of(first, only)
    assert scores_of(first, other, column="score") == {"a": [1], "b": [1]}
    with pytest.raises(CorpusError, match="f1, score"):
        scores_of(first, other)


def test_answers_of_another_filter_are_refused() -> None:
    first = evaluation("a", item("q1", filter="strict"))
    other = evaluation("b", item("q1", filter="loose"))
    with pytest.raises(
        CorpusError, match="answers of the filter loose; expected answers of the filter strict"
    ):
        scores_of(first, other)


def test_directions_that_contradict_each_other_are_refused() -> None:
    higher, lower, unknown = (
        evaluation(system, item("q1"), higher=directions)
        for system, directions in (("a", {"score": True}), ("b", {"score": False}), ("c", {}))
    )
    items = pair_items([higher, lower, unknown])
    assert pair_scores([unknown, lower], items).higher_is_better is False
    assert pair_scores([unknown], items).higher_is_better is None
    with pytest.raises(CorpusError, match=r"b\.jsonl: score as lower is better; expected higher"):
        pair_scores([higher, lower], items)


# Several answers to an item.


def answered(right: int, answers: int) -> Evaluation:
    return evaluation("a", *(item("q1", float(n < right), answer=f"{n}") for n in range(answers)))


@pytest.mark.parametrize("way", ["pass@1", "pass@2", "pass@3", "pass^1", "pass^2", "pass^3"])
@pytest.mark.parametrize("right", [0, 1, 3, 5])
def test_pass_at_k_is_the_share_of_all_choices_of_k_answers(way: str, right: int) -> None:
    choices = list(combinations([True] * right + [False] * (5 - right), int(way[-1])))
    passed = [any(choice) if "@" in way else all(choice) for choice in choices]
    (score,) = scores_of(answered(right, 5), answers=way)["a"]
    assert score == pytest.approx(sum(passed) / len(passed))


def test_the_mean_is_over_the_answers_with_a_score() -> None:
    answers = evaluation("a", *(item("q1", score, answer=f"{score}") for score in (1, None, 0, 1)))
    assert scores_of(answers) == {"a": [pytest.approx(2 / 3)]}
    assert scores_of(answers, answers="pass@1") == {"a": [pytest.approx(2 / 3)]}
    failed = evaluation("a", item("q1", None), item("q2", 1))
    assert scores_of(failed, answers="pass@1") == {"a": [None, 1]}


@pytest.mark.parametrize(
    ("answers", "way", "message"),
    [
        (answered(1, 2), "pass@3", "2 scored answers to item q1; expected at least 3"),
        (
            evaluation("a", item("q1", 0.5)),
            "pass@1",
            "the score 0.5 of item q1; expected 0 or 1 for pass@1",
        ),
    ],
)
def test_answers_that_cannot_pass_are_refused(answers: Evaluation, way: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        scores_of(answers, answers=way)


def test_runs_are_systems_in_order_of_appearance() -> None:
    runs = evaluation(
        "a",
        item("q1", 1, answer="e2"),
        item("q1", 0, answer="e1"),
        item("q2", 0.5, answer="e1"),
        are_runs=True,
    )
    assert most_answers(runs) == 2
    assert scores_of(runs, answers="runs") == {"a.run1": [1, None], "a.run2": [0, 0.5]}


def test_answers_are_counted_by_item_and_filter() -> None:
    filtered = [item("q1", filter=name, answer=f"{n}") for name in "xy" for n in range(2)]
    assert most_answers(evaluation("a", *filtered, item("q2"))) == 2


# Scores by segment.


def segment_scores(values: Any, **changes: Any) -> SegmentScores:
    return SegmentScores(label="s.tsv", digest="d", by_system={"a": values}, **changes)


def test_scores_are_returned_by_system_and_number_of_segments() -> None:
    scores = segment_scores([1.0, None, 3.0])
    assert scores.segments == 3
    assert scores.of("a", 3) == [1.0, None, 3.0]
    assert scores.comparable(["a", "x"]) == {"a": [1.0, None, 3.0], "x": []}
    with pytest.raises(MissingColumnError, match="no system 'b'; it has a"):
        scores.of("b", 3)
    with pytest.raises(UnpairedSegmentsError, match="3 segments, but the test set has 2"):
        scores.of("a", 2)


def test_scores_are_checked_against_the_outputs_that_were_scored() -> None:
    scores = segment_scores([1.0, 2.0], texts={"a": ["x", " y "]})
    assert scores.of("a", 2, ["x ", "y"]) == [1.0, 2.0]
    assert scores.of("a", 2, None) == [1.0, 2.0]
    with pytest.raises(MalformedFileError, match=r"a score of 'y' for segment 2 of a; .*'z'"):
        scores.of("a", 2, ["x", "z"])


def test_numbered_segments_may_be_missing() -> None:
    rows = evaluation("a", *(Item(name=n, scores={"": 1}, line=1) for n in ("1", "4")))
    scores = segment_scores(rows, first_segment=1)
    assert scores.segments == 4
    assert scores.of("a", 4) == [1, None, None, 1]
    with pytest.raises(MalformedFileError, match="segment 4; expected a segment from 1 to 3"):
        scores.of("a", 3)
