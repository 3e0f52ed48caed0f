"""What is said of smoothings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from truebleu.human import HumanScores
from truebleu.simulation import simulate
from truebleu.studies.smoothing import study_smoothing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.corpus import TestSet
    from truebleu.studies.smoothing import SmoothingResult, SmoothingRow


QUICK: dict[str, Any] = {"replicates": 100, "permutations": 50, "tokenize": "none"}


def scores(rows: Mapping[str, Sequence[float | None]], **others: Any) -> HumanScores:
    values: dict[str, Any] = {"label": "human.tsv", "level": "segment", "signature": "test"}
    return HumanScores(scores={name: tuple(row) for name, row in rows.items()}, **values | others)


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=40, systems=[0.2, 0.3, 0.4, 0.5], references=2, seed=5)


def row(found: SmoothingResult, label: str) -> SmoothingRow:
    return found.row(label)


def test_scores_of_whole_systems_leave_tau_out_and_say_so(pool: TestSet) -> None:
    levels = {name: [float(-n)] for n, name in enumerate(pool.systems)}
    result = study_smoothing(pool, scores(levels, level="system"), **QUICK)
    assert all(one.tau.value is None and one.p is None for one in result.rows)
    assert all(one.gamma.low is None for one in result.rows)
    assert row(result, "7").gamma.value is not None
    sentences = result.to_document().sentences
    assert any("people scored whole systems" in line for line in sentences)
    json.dumps(result.to_dict(), allow_nan=False)
