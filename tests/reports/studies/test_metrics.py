"""What is said of metrics by studies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from truebleu.corpus import TestSet, as_test_set, read_test_set
from truebleu.human import HumanScores
from truebleu.scores.given import GivenScores
from truebleu.simulation import simulate
from truebleu.studies import SensitivityResult, study_length, study_sensitivity, study_smoothing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def said(result: SensitivityResult) -> tuple[str, ...]:
    return result.to_document().sentences


def scored(**scores: list[float]) -> tuple[TestSet, dict[str, list[float]]]:
    count = len(next(iter(scores.values())))
    return as_test_set({name: ["x"] * count for name in scores}, ["x"] * count), scores


def test_opposite_winners_are_told_of_even_where_one_metric_is_an_error_rate() -> None:
    rng = np.random.default_rng(10)
    a, b = rng.normal(5, 1, 100).tolist(), rng.normal(7, 1, 100).tolist()
    test_set, scores = scored(a=a, b=b)
    up = GivenScores.of(scores, name="up")
    down = GivenScores.of(scores, name="down", higher_is_better=False)
    negated = GivenScores.of({n: [-s for s in v] for n, v in scores.items()}, name="negated")
    result = study_sensitivity(test_set, [up, down, negated], replicates=200)
    (sentence,) = [finding for finding in said(result) if "opposite winners" in finding]
    assert "up and down the other way round in 1" in sentence
    assert "up and negated the other way round in 1" in sentence
    assert "down and negated" not in sentence


def test_where_all_pairs_differ_smaller_samples_are_advised() -> None:
    clear = simulate(segments=150, systems=[0.05, 0.5], seed=1)
    result = study_sensitivity(clear, ["bleu", "ter"], replicates=200)
    assert any("--sizes" in finding for finding in said(result))


def test_scores_of_zero_have_no_relative_interval_and_a_sentence_says_so() -> None:
    test_set, scores = scored(a=[0.0] * 20, b=[0.0] * 20)
    result = study_sensitivity(test_set, [GivenScores.of(scores, name="human")], replicates=200)
    assert result.rows[0].width is None
    assert "there is no relative interval of human: medians are 0." in said(result)[-1]
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize("way", ["cut", "choice"])
def test_bleu_drops_more_than_gtm_on_real_texts(shared: Path, way: Any) -> None:
    folder = shared / "data" / "wmt21-en-de"
    systems = [str(path) for path in sorted((folder / "sys").iterdir())[:4]]
    test_set = read_test_set(systems, [str(folder / "refA.txt")])
    result = study_length(test_set, way=way)
    first = {row.metric: row.relative or 0.0 for row in reversed(result.rows)}
    assert first["BLEU"] < first["GTM"] < 1
    assert (
        result.to_document()
        .sentences[-1]
        .startswith("Of the higher-is-better metrics, the shortest outputs cost BLEU most")
    )


QUICK: dict[str, Any] = {"replicates": 100, "permutations": 50, "tokenize": "none"}


def judged(rows: Mapping[str, Sequence[float | None]], **others: Any) -> HumanScores:
    values: dict[str, Any] = {"label": "human.tsv", "level": "segment", "signature": "test"}
    return HumanScores(scores={name: tuple(row) for name, row in rows.items()}, **values | others)


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=40, systems=[0.2, 0.3, 0.4, 0.5], references=2, seed=5)


def test_scores_of_whole_systems_leave_tau_out_and_say_so(pool: TestSet) -> None:
    levels = {name: [float(-n)] for n, name in enumerate(pool.systems)}
    result = study_smoothing(pool, judged(levels, level="system"), **QUICK)
    assert all(row.tau.value is None and row.p is None for row in result.rows)
    assert all(row.gamma.low is None for row in result.rows)
    assert result.row("7").gamma.value is not None
    sentences = result.to_document().sentences
    assert any("people scored whole systems" in line for line in sentences)
    json.dumps(result.to_dict(), allow_nan=False)
