"""Saved counts stand for texts: every verb gives the same numbers, and no text is needed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import truebleu
from truebleu.counts import read_counts, save_counts
from truebleu.errors import AbsentTextError, SettingError
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.corpus import TestSet
    from truebleu.counts import Counts

METRICS = ["bleu", "chrf", "ter"]
SYSTEMS = {"a": Channel.at_rate(0.1), "b": Channel.at_rate(0.2), "c": Channel.at_rate(0.25)}
SYSTEMS["d"] = Channel.at_rate(0.3)


@pytest.fixture(scope="module")
def texts() -> TestSet:
    test_set = simulate(segments=60, systems=SYSTEMS, seed=3)
    return replace(test_set, domains=tuple("xy"[index % 2] for index in range(60)))


@pytest.fixture(scope="module")
def saved(texts: TestSet, tmp_path_factory: pytest.TempPathFactory) -> Counts:
    path = tmp_path_factory.mktemp("saved") / "all.npz"
    save_counts(truebleu.count(texts, metrics=METRICS), path)
    return read_counts(path)


def plain(result: Any) -> dict[str, Any]:
    """The JSON of a result except for warnings about texts."""
    values: dict[str, Any] = result.to_dict()
    values.pop("warnings", None)
    return values


@pytest.mark.parametrize("segments", [False, True])
def test_saved_counts_give_the_scores_of_the_texts(
    segments: bool, texts: TestSet, saved: Counts
) -> None:
    of_texts = truebleu.score(texts, metrics=METRICS, per_segment=segments)
    assert plain(truebleu.score(saved, per_segment=segments)) == plain(of_texts)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"runs": {"x": ["c", "a"], "y": ["d", "b"]}},
        {"by": ["domain"]},
        {"baseline": "b", "unit": "segment"},
    ],
    ids=str,
)
def test_saved_counts_give_the_comparison_of_the_texts(
    settings: dict[str, Any], texts: TestSet, saved: Counts
) -> None:
    settings = {"replicates": 300, **settings}
    of_texts = truebleu.compare(texts, metrics=METRICS, **settings)
    assert plain(truebleu.compare(saved, **settings)) == plain(of_texts)


def test_saved_counts_give_the_plan_of_the_texts(texts: TestSet, saved: Counts) -> None:
    two = replace(texts, systems={name: texts.systems[name] for name in ("a", "b")})
    of_texts = truebleu.plan(two, metrics="bleu", replicates=100)
    of_saved = truebleu.plan(saved.only("BLEU").select(["a", "b"]), replicates=100)
    assert plain(of_saved) == plain(of_texts)


def test_saved_counts_give_the_gate_result_of_the_texts(texts: TestSet, saved: Counts) -> None:
    two = replace(texts, systems={name: texts.systems[name] for name in ("a", "b")})
    settings: dict[str, Any] = {"baseline": "b", "replicates": 200, "margin": 1.0}
    of_texts = truebleu.gate(two, metrics=METRICS, **settings)
    assert plain(truebleu.gate(saved.select(["a", "b"]), **settings)) == plain(of_texts)


def test_explanations_lack_only_what_needs_text(texts: TestSet, saved: Counts) -> None:
    settings: dict[str, Any] = {"baseline": "a", "replicates": 200}
    of_saved = truebleu.explain(saved.only("BLEU"), **settings).pairs[0]
    of_texts = truebleu.explain(texts, metrics="bleu", **settings).pairs[0]
    assert of_saved.segments == of_texts.segments
    assert of_saved.parts == of_texts.parts
    assert [variable.name for variable in of_saved.variables] == ["domain"]
    assert not of_saved.ngrams
    with pytest.raises(SettingError, match="counts"):
        truebleu.explain(saved, counts={"the": 3}, **settings)


def test_sample_needs_texts(saved: Counts) -> None:
    with pytest.raises(SettingError, match="references: None; expected a list of segments"):
        truebleu.sample(saved, size=10)  # type: ignore[arg-type]


def test_check_needs_texts(saved: Counts, tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("a text\n")
    with pytest.raises(AbsentTextError, match="the segments: counts without text"):
        truebleu.check(saved, train=[str(tmp_path / "train.txt")])
