"""Statistics files stand for texts: every verb gives the same numbers, and no text is needed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import truebleu
from truebleu.corpus import as_test_set
from truebleu.errors import (
    AbsentTextError,
    DuplicateSystemError,
    OtherStatisticsError,
    SettingError,
)
from truebleu.metrics import SavedStatistics, SavedTestSet, read_statistics, save_statistics
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.corpus import TestSet

METRICS = ["bleu", "chrf", "ter"]
SYSTEMS = {"a": Channel.at_rate(0.1), "b": Channel.at_rate(0.2), "c": Channel.at_rate(0.25)}
SYSTEMS["d"] = Channel.at_rate(0.3)


@pytest.fixture(scope="module")
def texts() -> TestSet:
    test_set = simulate(segments=60, systems=SYSTEMS, seed=3)
    return replace(test_set, domains=tuple("xy"[place % 2] for place in range(60)))


@pytest.fixture(scope="module")
def file(texts: TestSet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "all.npz"
    save_statistics(SavedStatistics.of(texts, METRICS), path)
    return path


@pytest.fixture
def saved(file: Path) -> SavedTestSet:
    return SavedTestSet.of(read_statistics(file))


def plain(result: Any) -> dict[str, Any]:
    """A result but for what only texts can tell."""
    values: dict[str, Any] = result.to_dict()
    values.pop("warnings", None)
    values.get("test_set", {}).pop("reference_names", None)
    return values


def test_a_file_keeps_every_count_and_label(texts: TestSet, file: Path) -> None:
    counted = SavedStatistics.of(texts, METRICS)
    for before, after in zip(counted, read_statistics(file), strict=True):
        assert (after.system, after.output) == (before.system, before.output)
        assert (after.fingerprint, after.domains) == (texts.fingerprint, texts.domains)
        for signature, rows in before.rows.items():
            np.testing.assert_array_equal(after.rows[signature], rows)


def test_scores_are_those_of_the_texts(texts: TestSet, saved: SavedTestSet) -> None:
    for segments in (False, True):
        of_texts = truebleu.score(texts, metrics=METRICS, per_segment=segments)
        of_saved = truebleu.score(saved, metrics=METRICS, per_segment=segments)
        assert plain(of_saved) == plain(of_texts)


def test_comparisons_are_those_of_the_texts(texts: TestSet, saved: SavedTestSet) -> None:
    settings: dict[str, Any] = {"metrics": METRICS, "replicates": 500}
    assert plain(truebleu.compare(saved, **settings)) == plain(truebleu.compare(texts, **settings))


def test_runs_are_taken_by_their_names(texts: TestSet, saved: SavedTestSet) -> None:
    settings: dict[str, Any] = {"runs": {"x": ["c", "a"], "y": ["d", "b"]}, "replicates": 500}
    assert plain(truebleu.compare(saved, **settings)) == plain(truebleu.compare(texts, **settings))


def test_plans_are_those_of_the_texts(texts: TestSet, saved: SavedTestSet) -> None:
    two = {name: texts.systems[name] for name in ("a", "b")}
    of_texts = truebleu.plan(replace(texts, systems=two), replicates=100)
    pair = SavedTestSet.of(saved.saved[:2])
    assert plain(truebleu.plan(pair, replicates=100)) == plain(of_texts)


def test_explanations_leave_out_what_needs_text(texts: TestSet, saved: SavedTestSet) -> None:
    settings: dict[str, Any] = {"baseline": "a", "replicates": 200}
    (of_saved, *_), (of_texts, *_) = (
        truebleu.explain(test_set, **settings).pairs for test_set in (saved, texts)
    )
    assert of_saved.segments == of_texts.segments
    assert of_saved.parts == of_texts.parts
    assert [variable.name for variable in of_saved.variables] == ["domain"]
    assert not of_saved.ngrams
    with pytest.raises(SettingError, match="counts"):
        truebleu.explain(saved, counts={"the": 3}, **settings)


def test_reading_a_text_says_that_it_is_not_there(saved: SavedTestSet) -> None:
    with pytest.raises(AbsentTextError, match=r"all\.npz: statistics without text"):
        list(saved.systems["a"])
    with pytest.raises(AbsentTextError):
        truebleu.sample(saved, size=10)


def test_metrics_that_were_not_saved_are_refused(saved: SavedTestSet) -> None:
    with pytest.raises(OtherStatisticsError, match=r"expected WER\|"):
        truebleu.score(saved, metrics=["wer"])
    with pytest.raises(OtherStatisticsError, match="case:lc"):
        truebleu.score(saved, metrics=["bleu:lowercase"])


def test_statistics_of_other_references_and_names_that_clash_are_refused(
    texts: TestSet, saved: SavedTestSet
) -> None:
    other = as_test_set({"e": ["x"] * 60}, ["y"] * 60)
    (stranger,) = SavedStatistics.of(other, METRICS)
    with pytest.raises(OtherStatisticsError, match="text of the references"):
        SavedTestSet.of((*saved.saved, stranger))
    with pytest.raises(DuplicateSystemError):
        SavedTestSet.of((saved.saved[0], saved.saved[0]))
    (elsewhere, *_) = SavedStatistics.of(replace(texts, domains=("z",) * 60), METRICS)
    with pytest.raises(OtherStatisticsError, match="domains"):
        SavedTestSet.of((saved.saved[1], elsewhere))


def test_systems_of_one_file_have_the_same_metrics(texts: TestSet, tmp_path: Path) -> None:
    (first, *_), (_, second, *_) = (
        SavedStatistics.of(texts, metrics) for metrics in (["bleu"], ["ter"])
    )
    with pytest.raises(SettingError, match="the same metrics for all systems"):
        save_statistics([first, second], tmp_path / "both.npz")
