"""Claims about the study of test-set size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.studies.columns import numbers
from truebleu.corpus import TestSet, as_test_set, read_test_set
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner
from truebleu.metrics.nist import NIST
from truebleu.scores.given import GivenScores
from truebleu.simulation import simulate
from truebleu.studies._pool import orders_of_growth
from truebleu.studies.test_size import study_test_size

if TYPE_CHECKING:
    from pathlib import Path

QUICK: dict[str, Any] = {"shares": [0.25, 0.5, 1.0], "samples": 4, "replicates": 200}


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=200, systems=[0.15, 0.3], document_length=5, seed=2)


def human(scores: dict[str, list[float]]) -> tuple[TestSet, GivenScores]:
    """A test set whose only content is scores."""
    text = ["x"] * len(next(iter(scores.values())))
    return as_test_set(dict.fromkeys(scores, text), text), GivenScores.of(scores, name="human")


def test_doubling_independent_scores_narrows_their_interval_by_29_percent() -> None:
    scores = np.random.default_rng(5).normal(10.0, 2.0, 1000)
    test_set, metric = human({"a": scores.tolist()})
    result = study_test_size(test_set, [metric], samples=20, replicates=500)
    for size, width in zip(numbers(result, "size"), numbers(result, "width"), strict=True):
        # 2 * 1.96 standard errors of the mean, beside the mean.
        expected = 2 * 1.96 * scores.std() / size**0.5 / scores.mean()
        assert width == pytest.approx(expected, rel=0.05)
    (narrowing,) = result.narrowings
    assert narrowing.doubling is not None
    assert narrowing.doubling.value == pytest.approx(1 - 0.5**0.5, abs=0.01)
    assert f"the interval by {narrowing.doubling.percent()}" in result.to_document().sentences[0]


def test_scores_are_means_over_the_parts_of_random_growth(pool: TestSet) -> None:
    result = study_test_size(pool, ["nist"], recount=True, seed=9, **QUICK)
    outputs, references = list(pool.systems["system-1"]), list(pool.references[0])
    parts = [sorted(order[:50]) for order in orders_of_growth(200, 4, seed=9)]
    alone = [
        NIST().corpus([outputs[i] for i in part], [references[i] for i in part]).score
        for part in parts
    ]
    assert result.rows[0].score == pytest.approx(np.mean(alone), rel=1e-9)
    assert result.rows[0].score_sd == pytest.approx(np.std(alone, ddof=1), rel=1e-6)


def test_nist_grows_with_the_test_set_only_where_its_parts_are_counted_anew(
    pool: TestSet,
) -> None:
    within = study_test_size(pool, ["nist"], **QUICK)
    anew = study_test_size(pool, ["nist"], recount=True, **QUICK)
    small, large = within.rows[0], within.rows[2]
    assert small.score == pytest.approx(large.score, rel=0.05)
    assert any("--recount" in finding for finding in within.to_document().sentences)
    scores = numbers(anew, "score", system="system-1")
    assert scores == sorted(scores)
    assert scores[0] < 0.9 * scores[2]
    assert not any("--recount" in finding for finding in anew.to_document().sentences)
    # The whole is the same, however it is counted.
    assert scores[2] == pytest.approx(large.score, rel=1e-9)


def test_documents_vary_more_than_as_many_segments_and_widen_the_interval() -> None:
    shifts = np.repeat(np.random.default_rng(6).normal(0, 1, 40), 5)
    test_set, metric = human({"a": (5 + shifts).tolist()})
    documents = tuple(f"d{place // 5}" for place in range(200))
    grouped = TestSet(
        systems=test_set.systems,
        references=test_set.references,
        reference_names=test_set.reference_names,
        documents=documents,
    )
    by_segment = study_test_size(grouped, [metric], **QUICK)
    by_document = study_test_size(grouped, [metric], unit="document", **QUICK)
    assert by_document.rows[-1].size == 40
    # Segments of a document are all alike: five of them say as much as one.
    ratio = numbers(by_document, "width")[-1] / numbers(by_segment, "width")[-1]
    assert ratio == pytest.approx(5**0.5, rel=0.15)


def test_an_interrupted_study_goes_on_to_the_same_result(pool: TestSet, tmp_path: Path) -> None:
    journal = tmp_path / "study.jsonl"
    whole = study_test_size(pool, ["bleu"], runner=Runner(journal), **QUICK)
    lines = journal.read_bytes().split(b"\n")
    journal.write_bytes(b"\n".join(lines[:6]) + b"\n")
    assert study_test_size(pool, ["bleu"], runner=Runner(journal), **QUICK) == whole
    assert study_test_size(pool, ["bleu"], **QUICK) == whole


@pytest.mark.parametrize(
    ("options", "claim"),
    [
        ({"shares": [0.5, 1.0]}, "at least 3"),
        ({"shares": [0.01, 0.5, 1.0]}, "at least 5 segments"),
        ({"samples": 1}, "at least 2"),
        ({"replicates": 10}, "at least 40"),
        ({"level": 1.0}, "between 0 and 1"),
    ],
)
def test_what_can_say_nothing_is_refused(
    pool: TestSet, options: dict[str, Any], claim: str
) -> None:
    with pytest.raises(SettingError, match=claim):
        study_test_size(pool, ["bleu"], **{**QUICK, **options})


def test_documents_must_be_known_to_be_added(pool: TestSet) -> None:
    bare = as_test_set(pool.systems, pool.references)
    with pytest.raises(SettingError, match="documents"):
        study_test_size(bare, ["bleu"], unit="document", **QUICK)


def test_real_data_narrow_by_about_30_percent_when_they_double(shared: Path) -> None:
    folder = shared / "data" / "wmt23-he-en"
    test_set = read_test_set([str(folder / "sys" / "GPT4-5shot.txt")], [str(folder / "refA.txt")])
    result = study_test_size(test_set, ["bleu", "ter"], samples=20, replicates=300)
    assert [narrowing.metric for narrowing in result.narrowings] == ["BLEU", "TER"]
    for narrowing in result.narrowings:
        assert narrowing.doubling is not None
        assert 0.27 < narrowing.doubling.value < 0.32
