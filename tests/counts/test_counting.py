"""Counting: texts of a file give the same digits in parts and in memory."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import truebleu
from truebleu import BLEU, CHRF, NIST, compare, resampling
from truebleu.corpus import TestSet, _files as files, as_test_set, read_test_set
from truebleu.corpus._files import OpenedFile
from truebleu.counts import count_files
from truebleu.counts.counting import count_texts
from truebleu.errors import (
    AbsentSegmentError,
    AbsentTextError,
    MissingColumnError,
    SettingError,
    SuspiciousTextError,
    UnpairedSegmentsError,
)
from truebleu.explanation import split_difference
from truebleu.scores import GivenScores
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from truebleu.corpus._reading import TestSetParts
    from truebleu.counts import Counts

HALF = ["first"] * 150 + ["second"] * 150
TEXTS: dict[str, Any] = {"systems": ["a.txt", "b.txt"], "references": ["ref.txt"]}
TEXTS["documents"] = "docs.txt"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = simulate(
        segments=300, systems={"a": Channel.at_rate(0.2), "b": Channel.at_rate(0.16)}, seed=3
    )
    for name, text in {"ref": texts.references[0], **texts.systems}.items():
        Path(f"{name}.txt").write_text("".join(f"{segment}\n" for segment in text))
    Path("docs.txt").write_text("".join(f"d{number // 6 % 40}\n" for number in range(300)))


@pytest.fixture
def whole() -> TestSet:
    return read_test_set(**TEXTS)


def in_parts(
    monkeypatch: pytest.MonkeyPatch, metrics: Any, size: int = 4_000, **options: Any
) -> Counts:
    """Count the same texts in parts of `size` bytes."""
    monkeypatch.setattr(files, "PART_BYTES", size)
    monkeypatch.setattr(OpenedFile, "PIECE", 256)
    return count_files(metrics=metrics, **TEXTS, **options)


@pytest.mark.slow
@pytest.mark.parametrize("size", [200, 4_000, 1 << 25])
@pytest.mark.parametrize("metrics", [["bleu", "chrf", "ter"], ["nist"]], ids=str)
def test_verbs_give_the_same_digits_for_parts(
    size: int, metrics: list[str], whole: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten = in_parts(monkeypatch, metrics, size)
    for verb, settings in (
        (truebleu.score, {}),
        (truebleu.score, {"per_segment": True}),
        (truebleu.score, {"confidence": True, "by": ["document"]}),
        (truebleu.compare, {"replicates": 200}),
        (truebleu.compare, {"replicates": 200, "unit": "segment", "by": {"half": HALF}}),
        (truebleu.compare, {"replicates": 200, "margin": 1.0}),
        (truebleu.gate, {"baseline": "b", "margin": 1.0}),
    ):
        expected = verb(whole, metrics=metrics, **settings)
        found = verb(forgotten, **settings)
        assert found.to_dict() == expected.to_dict()


@pytest.mark.parametrize("test", ["ar", "scaled", "bootstrap"])
def test_narrow_numbers_give_the_same_digits(
    test: str, whole: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {"replicates": 200, "test": test}
    for unit in ("segment", "document"):
        expected = truebleu.compare(whole, metrics=["bleu", "chrf"], unit=unit, **settings)
        with monkeypatch.context() as patch:
            patch.setattr(resampling, "MOST_FLOATS", 0)
            patch.setattr(resampling, "BLOCK", 64)
            forgotten = in_parts(monkeypatch, ["bleu", "chrf"])
            assert forgotten.metrics[0].rows.stored().dtype == "int16"
            found = truebleu.compare(forgotten, unit=unit, **settings)
        assert found.to_dict() == expected.to_dict()


def test_narrow_numbers_do_not_change_contributions(
    whole: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_texts = truebleu.count(whole, metrics=["bleu", "chrf", "ter"])
    narrow = in_parts(monkeypatch, ["bleu", "chrf", "ter"], fingerprints=True)
    for expected, found in zip(of_texts.metrics, narrow.metrics, strict=True):
        assert found.rows.stored().dtype == "int16"
        of_floats, of_narrow = [
            split_difference(metric.scorer, *metric.rows.floats().swapaxes(0, 1)).by_segment
            for metric in (expected, found)
        ]
        assert np.abs(of_floats).max() > 0
        assert_array_equal(of_narrow, of_floats)
    settings: dict[str, Any] = {"baseline": "b", "replicates": 100}
    explained = [
        truebleu.explain(counts.only("BLEU"), **settings).pairs[0] for counts in (of_texts, narrow)
    ]
    assert explained[0].segments == explained[1].segments
    assert explained[0].documents == explained[1].documents


def test_runs_are_some_of_the_systems(whole: TestSet, monkeypatch: pytest.MonkeyPatch) -> None:
    forgotten = in_parts(monkeypatch, ["bleu"])
    settings: dict[str, Any] = {"replicates": 200, "runs": {"y": ["b"], "x": ["a"]}}
    expected = truebleu.compare(whole, metrics="bleu", **settings).to_dict()
    assert truebleu.compare(forgotten, **settings).to_dict() == expected


def test_counting_in_parts_does_not_change_fingerprints(
    whole: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten = in_parts(monkeypatch, None, fingerprints=True)
    assert forgotten.fingerprints == whole.fingerprints
    assert forgotten.lengths == whole.reference_lengths


def test_fingerprints_are_absent_unless_requested() -> None:
    counts = count_files(**TEXTS)
    assert counts.outline.fingerprints is None
    with pytest.raises(AbsentTextError, match="fingerprints=True"):
        _ = counts.fingerprints


@pytest.mark.parametrize("size", [200, 1 << 25])
def test_counting_in_parts_does_not_change_the_outline(
    size: int, whole: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    outline = in_parts(monkeypatch, None, size).outline
    known = [warning for warning in outline.warnings if warning.code != "shifted"]
    expected = [warning for warning in whole.outline.warnings if warning.code != "shifted"]
    assert known == expected
    assert replace(outline, warnings=()) == replace(whole.outline, warnings=())


def test_references_vary_if_one_part_lacks_some(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"a": f"x {number}", "one": f"x {number}"} for number in range(9)]
    lines = [str(row).replace("'", '"') for row in rows]
    lines[7] = lines[7][:-1] + ', "two": "y"}'
    Path("t.jsonl").write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(files, "PART_BYTES", 20)
    counts = count_files(["t.jsonl#a"], ["t.jsonl#one", "t.jsonl#two"])
    assert counts.outline.references_each is None
    assert counts.signature(counts.metrics[0])["nrefs"] == "var"


def test_watch_sees_every_part(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def watch(parts: TestSetParts) -> None:
        seen.append(parts.segments)

    in_parts(monkeypatch, None, watch=watch)
    assert len(seen) > 3
    assert seen == sorted(seen)
    assert seen[-1] == 300


def test_strict_makes_warnings_errors() -> None:
    Path("a.txt").write_text("x\ty\n" * 300)
    assert "tabs" in [warning.code for warning in count_files(**TEXTS).outline.warnings]
    with pytest.raises(SuspiciousTextError, match="tab"):
        count_files(**TEXTS, strict=True)


def test_nist_weighs_n_grams_by_all_references(
    whole: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    (found,) = in_parts(monkeypatch, "nist", 200).metrics
    assert_array_equal(found.rows.floats(), NIST().count(whole).array())


def test_given_scores_are_checked_against_all_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores = {name: [index / 300 for index in range(300)] for name in "ab"}
    metrics = ["bleu", GivenScores.of(scores, name="COMET")]
    counts = in_parts(monkeypatch, metrics, 200)
    assert counts.labels == ["BLEU", "COMET"]
    assert counts.metrics[1].rows.sums()[0] == [pytest.approx(149.5), 300]
    with pytest.raises(UnpairedSegmentsError, match="299 segments, but the test set has 300"):
        in_parts(monkeypatch, [GivenScores.of({name: scores[name][1:] for name in "ab"})], 200)


def test_metrics_default_to_bleu(whole: TestSet) -> None:
    assert count_files(**TEXTS).labels == count_texts(whole).labels == ["BLEU"]


def test_a_metric_requested_twice_is_refused_before_counting(whole: TestSet) -> None:
    with pytest.raises(SettingError, match="BLEU twice"):
        count_files(**TEXTS, metrics="bleu,bleu")
    with pytest.raises(SettingError, match="BLEU twice"):
        count_texts(whole, "bleu,bleu")


def test_texts_are_counted_on_first_use(whole: TestSet, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []
    original = CHRF.count

    def count(metric: CHRF, test_set: TestSet) -> Any:
        counted.append(metric.name)
        return original(metric, test_set)

    monkeypatch.setattr(CHRF, "count", count)
    counts = count_texts(whole, ["bleu", "chrf"])
    assert counts.texts is not None
    with pytest.raises(truebleu.TruebleuError):
        truebleu.compare(counts, level=3)
    assert counted == []
    for _ in range(2):
        counts.metrics[1].rows.sums()
    assert counted == ["chrF2"]


def test_texts_in_memory_are_examined_once() -> None:
    blank = {"a": ["x y", "z", ""] * 20}
    counts = count_texts(TestSet(systems=blank, references=(["x y", "z", "w"] * 20,)))
    assert [warning.code for warning in counts.outline.warnings] == ["blank"]
    assert counts.texts is not None
    again = count_texts(counts.texts)
    assert again.outline.warnings == counts.outline.warnings


def test_settings_that_references_decide_are_fixed_by_all_of_them() -> None:
    references = ["plain words"] * 3 + ["他用很多时间写代码。"] * 20
    counts = count_texts(TestSet(systems={"a": references}, references=(references,)))
    assert counts.metrics[0].scorer == BLEU(tokenize="zh")


def test_a_metric_that_splits_at_spaces_is_reported_for_a_script_without() -> None:
    references = ["他用很多时间写代码。"] * 20
    test_set = TestSet(systems={"a": references}, references=(references,))
    counts = count_texts(test_set, ["bleu:tokenize=13a", "chrf"])
    warnings = [w for w in counts.outline.warnings if w.code == "unspaced"]
    assert [warning.text for warning in warnings] == ["BLEU"]
    assert "use tokenize=zh" in warnings[0].message


def test_a_script_that_changes_after_the_first_part_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = ["plain words"] * 20 + ["他用很多时间写代码。"] * 200
    for name in ("ref", "a", "b"):
        Path(f"{name}.txt").write_text("\n".join(lines) + "\n")
    Path("docs.txt").write_text("d\n" * 220)
    with pytest.raises(SettingError, match="Chinese in all"):
        in_parts(monkeypatch, ["bleu"], 300)
    counts = in_parts(monkeypatch, ["bleu:tokenize=13a"], 300)
    assert counts.outline.warnings[-1].code == "unspaced"
    assert len(in_parts(monkeypatch, ["bleu"], 1 << 25)) == 220


def test_a_missing_given_score_is_refused_before_anything_is_compared(whole: TestSet) -> None:
    scores: dict[str, list[float | None]] = {"a": [None, *[1.0] * 299], "b": [1.0] * 300}
    made: list[int] = []
    with pytest.raises(AbsentSegmentError, match="'a': segment 1: no score"):
        compare(whole, metrics=["bleu", GivenScores.of(scores)], progress=made.append)
    assert made == []


def test_given_scores_need_not_cover_systems_that_are_left_out() -> None:
    texts = as_test_set({name: ["x", "y"] for name in "abc"}, ["x", "y"])
    scores = GivenScores.of({"a": [1, 2], "c": [3, None]}, missing="common")
    counts = count_texts(texts, scores)
    chosen = counts.select(["c", "a"]).select(["a", "c"])
    for kept in (chosen, pickle.loads(pickle.dumps(chosen))):  # noqa: S301  # our own
        assert kept.metrics[0].rows.floats().tolist() == [[[1, 1], [3, 1]], [[0, 0], [0, 0]]]
    assert counts.select(["a"]).metrics[0].rows.sums() == [[3, 2]]
    with pytest.raises(MissingColumnError, match="no system 'b'"):
        counts.metrics[0].rows.sums()


def test_common_scores_depend_on_the_selected_systems_only() -> None:
    texts = as_test_set({name: ["x", "y"] for name in "ab"}, ["x", "y"])
    counts = count_texts(texts, GivenScores.of({"a": [1, 2], "b": [3, None]}, missing="common"))
    before = counts.select(["a"]).metrics[0].rows.sums()
    assert counts.metrics[0].rows.sums() == [[1, 1], [3, 1]]
    for counted in (counts, pickle.loads(pickle.dumps(counts))):  # noqa: S301  # our own
        assert counted.select(["a"]).metrics[0].rows.sums() == before == [[3, 2]]
