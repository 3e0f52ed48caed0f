"""What is read of an evaluation set: the task's choice of references, scores and systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.scores.evaluation_sets import write_set
from truebleu import agree, compare, count
from truebleu.counts.saved import read_counts, save_counts
from truebleu.errors import MalformedFileError, SettingError, TruebleuError, UnknownNameError
from truebleu.metrics.base import GivenMean, StoredMean
from truebleu.scores.evaluation_set import EvaluationSet, is_evaluation_set, language_pairs

if TYPE_CHECKING:
    from pathlib import Path


def test_a_known_set_has_its_standard_reference_and_scores(tmp_path: Path) -> None:
    found = EvaluationSet.read(write_set(tmp_path))
    assert (found.name, found.lp, found.human.name) == ("wmt24", "en-de", "mqm")
    assert found.texts.reference_names == ("refB",)
    # refA is a human translation that the task compared, although nobody judged it here.
    assert found.outline.systems == ("A", "B", "C")
    assert "refA: not judged" in found.notes[0]
    assert found.outline.domains == ("news", "news", "news", "speech")
    assert found.outline.documents == ("d1", "d1", "d2", "d3")
    assert found.outline.warnings == ()


def test_metrics_are_plain_names_of_files_with_this_reference_or_none(tmp_path: Path) -> None:
    found = EvaluationSet.read(write_set(tmp_path))
    assert [scores.name for scores in found.metrics] == ["BLEU", "Model-2"]
    other = EvaluationSet.read(tmp_path / "wmt24", references=["refA"], humans=True)
    assert [scores.name for scores in other.metrics] == ["BLEU", "Model-2"]
    assert other.outline.systems == ("A", "B", "C", "refB")
    assert "refB: a human translation, compared as a system" in other.notes[0]


@pytest.mark.parametrize(("humans", "systems"), [(True, 4), (False, 3), (None, 4)])
def test_human_translations_are_systems_if_the_task_kept_them(
    tmp_path: Path, humans: bool | None, systems: int
) -> None:
    found = EvaluationSet.read(write_set(tmp_path), references=["refA"], humans=humans)
    assert len(found.outline.systems) == systems


def test_an_unknown_set_is_guessed_and_says_so(tmp_path: Path) -> None:
    found = EvaluationSet.read(write_set(tmp_path, "mine"))
    assert found.name is None
    # As many metrics use refA as refB: the first by name.
    assert (found.texts.reference_names, found.human.name) == (("refA",), "mqm")
    assert found.outline.systems == ("A", "B", "C")
    messages = " ".join(warning.message for warning in found.outline.warnings)
    assert "refA was taken" in messages
    assert "mqm was taken, of esa, mqm" in messages


def test_stored_system_scores_are_honoured_and_segments_too(tmp_path: Path) -> None:
    found = EvaluationSet.read(write_set(tmp_path))
    counts = count(found)
    assert counts.labels == ["mqm", "BLEU", "Model-2"]
    human, bleu, model = counts.metrics
    assert (type(human.scorer), type(bleu.scorer)) == (GivenMean, StoredMean)
    rows = bleu.rows.floats()
    assert bleu.scorer.score(rows.sum(axis=0)) == pytest.approx([70, 71, 20], abs=1e-12)
    assert bleu.scorer.segment_scores(rows)[1] == (8, 5, 6, 1)
    # Without two segments of B, its mean is 7 in place of 5: two more than the stored 71.
    part = rows[[0, 2]].sum(axis=0)
    assert bleu.scorer.score(part) == pytest.approx([70 + 8 - 8.25, 71 + 7 - 5, 20 + 1.5 - 2.75])
    assert model.scorer.score(model.rows.floats().sum(axis=0)) == pytest.approx([8.25, 5, 2.75])
    assert human.scorer.score(human.rows.floats().sum(axis=0)) == pytest.approx(
        [-2 / 3, -8 / 3, -16 / 3]
    )
    gradient = bleu.scorer.gradient(part)
    steps = np.eye(3) * 1e-6
    numeric = [
        (bleu.scorer.score(part + step) - bleu.scorer.score(part - step)) / 2e-6 for step in steps
    ]
    assert gradient == pytest.approx(np.stack(numeric, axis=-1), abs=1e-6)


def test_counts_of_a_set_can_be_saved_and_compared(tmp_path: Path) -> None:
    counts = count(EvaluationSet.read(write_set(tmp_path)))
    save_counts(counts, tmp_path / "set.npz")
    again = read_counts(tmp_path / "set.npz")
    assert [type(metric.scorer) for metric in again.metrics] == [GivenMean, StoredMean, GivenMean]
    results = [
        compare(each.only("BLEU"), replicates=2000, unit="segment") for each in (counts, again)
    ]
    assert results[0].comparisons == results[1].comparisons
    assert results[0].comparisons[0].difference == pytest.approx(-1)


def test_requested_metrics_are_added_to_the_stored_metrics(tmp_path: Path) -> None:
    counts = count(EvaluationSet.read(write_set(tmp_path)), metrics="chrf")
    assert counts.labels == ["mqm", "BLEU", "Model-2", "chrF2"]


def spoil(base: Path, path: str, old: str, new: str) -> None:
    file = base / path
    file.write_text(file.read_text().replace(old, new, 1))


@pytest.mark.parametrize(
    ("path", "old", "new", "message"),
    [
        ("metric-scores/en-de/BLEU-refB.seg.score", "A\t9\n", "A 9 9\n", "line 1: 'A 9 9'"),
        ("metric-scores/en-de/BLEU-refB.seg.score", "A\t9\n", "A nan\n", "line 1: 'A nan'"),
        ("metric-scores/en-de/BLEU-refB.seg.score", "A\t9\n", "", "3 scores of A"),
        ("human-scores/en-de.mqm.seg.score", "A\t0\n", "", "3 scores of A"),
        ("human-scores/en-de.mqm.seg.score", "A\t0\n", "A\tgood\n", "line 1"),
        ("system-outputs/en-de/A.txt", "a text by A of line 0\n", "", "A.txt: 3 segments"),
        ("documents/en-de.docs", "news\td1\n", "", "3 segments"),
    ],
)
def test_a_damaged_file_is_named(
    tmp_path: Path, path: str, old: str, new: str, message: str
) -> None:
    base = write_set(tmp_path)
    spoil(base, path, old, new)
    with pytest.raises(TruebleuError, match=message.replace("'", ".")):
        EvaluationSet.read(base)


def test_a_metric_without_scores_of_a_system_is_left_out_and_named(tmp_path: Path) -> None:
    base = write_set(tmp_path)
    spoil(base, "metric-scores/en-de/Model-2-src.seg.score", "C\t2\nC\t3\nC\t1\nC\t5\n", "")
    found = EvaluationSet.read(base)
    assert [scores.name for scores in found.metrics] == ["BLEU"]
    (warning,) = found.outline.warnings
    assert "Model-2 left out" in warning.message
    (base / "metric-scores/en-de/BLEU-refB.seg.score").unlink()
    with pytest.raises(MalformedFileError, match="no metric with scores of all systems"):
        EvaluationSet.read(base)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"lp": "de-en"}, UnknownNameError, "language pair 'de-en'"),
        ({"references": ["refC"]}, UnknownNameError, "reference 'refC'"),
        ({"human": "da"}, UnknownNameError, "human score 'da'"),
    ],
)
def test_unknown_names_are_refused(
    tmp_path: Path, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        EvaluationSet.read(write_set(tmp_path), **arguments)


def test_one_of_several_pairs_must_be_named(tmp_path: Path) -> None:
    base = write_set(tmp_path)
    write_set(tmp_path, lp="en-es")
    assert language_pairs(str(base)) == ["en-de", "en-es"]
    with pytest.raises(SettingError, match=r"2 language pairs.*en-de or en-es"):
        EvaluationSet.read(base)
    assert EvaluationSet.read(base, "en-es").texts.reference_names == ("refA",)


def test_other_folders_are_no_evaluation_sets(tmp_path: Path) -> None:
    assert not is_evaluation_set(tmp_path)
    with pytest.raises(SettingError, match="system-outputs and human-scores"):
        EvaluationSet.read(tmp_path)


def test_verbs_take_the_folder_of_a_set(tmp_path: Path) -> None:
    base = write_set(tmp_path)
    assert count(str(base)).labels == ["mqm", "BLEU", "Model-2"]
    assert count(base, lp="en-de").labels == ["mqm", "BLEU", "Model-2"]
    with pytest.raises(UnknownNameError, match="language pair"):
        compare(base, lp="en-es")
    with pytest.raises(SettingError, match="lp"):
        compare({"a": [1.0], "b": [2.0]}, lp="en-de")
    agreement = agree(base, coefficients=["pearson"])
    assert agreement == agree(EvaluationSet.read(base), coefficients=["pearson"])
    assert agree(base, "esa", lp="en-de").human.file == "en-de.esa.seg.score"
    assert agree(base, references=["refA"], humans=True).human.systems == ("A", "B", "C", "refB")
    with pytest.raises(SettingError, match="lp"):
        agree(EvaluationSet.read(base), lp="en-de")
    with pytest.raises(SettingError, match="humans"):
        agree({"a": [1.0], "b": [2.0]}, {"a": [1], "b": [2]}, humans=True)
