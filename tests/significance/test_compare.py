"""What a comparison is: data that can be compared, kept, printed and tabulated."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from truebleu import compare
from truebleu.simulation import simulate

TEXTS = simulate(segments=40, systems=[0.1, 0.2, 0.3], seed=1)


def test_a_comparison_can_be_compared_and_pickled() -> None:
    result = compare(TEXTS, replicates=100)
    assert result == compare(TEXTS, replicates=100)
    assert result != compare(TEXTS, replicates=100, seed=1)
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301  # made here


def test_texts_and_a_test_set_give_the_same_answer() -> None:
    options: dict[str, Any] = {"metrics": ["bleu", "ter"], "replicates": 100, "unit": "document"}
    from_texts = compare(
        TEXTS.systems,
        dict(zip(TEXTS.reference_names, TEXTS.references, strict=True)),
        documents=TEXTS.documents,
        domains=TEXTS.domains,
        **options,
    )
    assert from_texts == compare(TEXTS, **options)


def test_it_prints_what_the_command_prints() -> None:
    result = compare(TEXTS, metrics=["bleu", "ter"], replicates=100)
    assert "approximate randomization over 40 segments, 100 replicates" in str(result)
    assert "<table" in result._repr_html_()


def test_it_makes_a_data_frame_of_its_pairs() -> None:
    pytest.importorskip("pandas")
    result = compare(TEXTS, metrics=["bleu", "ter"], replicates=100)
    frame = result.to_frame()
    assert len(frame) == len(result.comparisons) == 6
    assert list(frame["p"]) == [pair.p for pair in result.comparisons]


def test_runs_may_be_named_or_told_by_a_pattern() -> None:
    channels = {"a.1": 0.1, "a.2": 0.1, "b.1": 0.2, "b.2": 0.2}
    simulated = simulate(segments=40, systems=list(channels.values()), seed=1)
    texts = dict(zip(channels, simulated.systems.values(), strict=True))
    by_name = compare(
        texts,
        simulated.references,
        replicates=100,
        runs={"a": ["a.1", "a.2"], "b": ["b.1", "b.2"]},
    )
    assert by_name == compare(texts, simulated.references, replicates=100, runs="{system}.{run}")
