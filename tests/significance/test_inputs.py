"""What callers give to a verb: texts, scores of each item in their place, or files of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import truebleu
from truebleu import compare, score
from truebleu.errors import RefusedError, SettingError, UnpairedSegmentsError
from truebleu.metrics import SavedStatistics, save_statistics
from truebleu.metrics.registry import as_metrics
from truebleu.significance.scores import inputs_of, read_any, with_baseline

if TYPE_CHECKING:
    from pathlib import Path

SCORES = {"a": [0, 1, 1, 0, 1, 1], "b": [1, 1, 1, 1, 0, 1]}
ROWS = [(system, f"q{i}", score) for system, own in SCORES.items() for i, score in enumerate(own)]
NAMES = ["system", "item", "score"]


def sums(systems: Any, metrics: Any = "scores") -> list[list[float]]:
    (metric,), test_set = inputs_of(systems, None, metrics)
    return [list(system) for system in metric.count(test_set).sums()]


@pytest.mark.parametrize(
    "systems",
    [
        SCORES,
        {name: np.array(own, dtype=np.float32) for name, own in SCORES.items()},
        {
            name: [{"id": f"q{i}", "score": s} for i, s in enumerate(v)]
            for name, v in SCORES.items()
        },
        pd.DataFrame(SCORES),
        pd.DataFrame(ROWS[::-1], columns=NAMES).sort_values("system"),
        pd.DataFrame(ROWS, columns=["Model", "question_id", "accuracy"]),
        pl.DataFrame(ROWS, schema=NAMES, orient="row"),
    ],
    ids=["lists", "arrays", "rows", "wide", "long", "other-names", "polars"],
)
@pytest.mark.parametrize("metrics", ["scores", "bleu"], ids=["scores", "default"])
def test_scores_need_no_texts(systems: Any, metrics: str) -> None:
    assert sums(systems, metrics) == [[4, 6], [5, 6]]


def test_items_of_a_long_frame_pair_by_their_names() -> None:
    ordered = pd.DataFrame(ROWS, columns=NAMES)
    shuffled = ordered.sample(frac=1, random_state=1).sort_values("system", kind="stable")
    differences = [
        truebleu.compare(frame, replicates=200).comparisons[0].difference
        for frame in (ordered, shuffled)
    ]
    assert differences == [pytest.approx(-1 / 6)] * 2


def test_judgments_in_words_count_where_scores_are_asked_for() -> None:
    words = {"a": ["correct", "wrong"], "b": ["correct", "correct"]}
    assert sums(words) == [[1, 2], [2, 2]]
    with pytest.raises(SettingError, match="references: None"):
        inputs_of(words, None, "bleu")


def test_every_verb_takes_scores() -> None:
    assert float(truebleu.score(SCORES)["b"]["score"]) == pytest.approx(5 / 6)
    assert truebleu.compare(SCORES, replicates=99).comparisons[0].metric == "score"
    assert truebleu.gate(SCORES, baseline="a", replicates=99).old == "a"
    assert truebleu.explain(SCORES, replicates=99).comparison.comparisons[0].metric == "score"
    assert truebleu.plan(SCORES, replicates=99).plans[0].metric == "score"


def test_documents_of_scores_are_labels_or_a_field() -> None:
    labels = ["x", "x", "y", "y", "z", "z"]
    _, listed = inputs_of(SCORES, None, "scores", documents=labels, domains=["d"] * 6)
    rows = {
        name: [{"score": s, "passage": label} for s, label in zip(own, labels, strict=True)]
        for name, own in SCORES.items()
    }
    _, named = inputs_of(rows, None, "scores", documents="passage")
    assert listed.documents == named.documents == tuple(labels)
    assert listed.domains == ("d",) * 6
    with pytest.raises(UnpairedSegmentsError, match="documents: 1 segments"):
        inputs_of(SCORES, None, "scores", documents=["x"])


def test_answers_are_those_that_the_metric_says() -> None:
    rows = {name: [{"id": "q", "score": s} for s in own] for name, own in SCORES.items()}
    (metric,), test_set = inputs_of(rows, None, "scores:answers=pass@6")
    assert metric.name == "score pass@6"
    assert [list(own) for own in metric.count(test_set).sums()] == [[1, 1], [1, 1]]


def test_scores_go_with_no_metric_of_texts_and_no_source() -> None:
    with pytest.raises(SettingError, match="chrF2 needs"):
        inputs_of(SCORES, None, "chrf")
    with pytest.raises(SettingError, match="source"):
        inputs_of(SCORES, None, "scores", source=["a"] * 6)


@pytest.mark.parametrize(
    ("verb", "call"),
    [
        ("compare", lambda text: truebleu.compare(text, text, text)),
        ("compare", lambda text: truebleu.compare(text, text)),
        ("gate", lambda text: truebleu.gate(text, text, baseline="a")),
        ("explain", lambda text: truebleu.explain(text, text)),
        ("plan", lambda text: truebleu.plan(text, text)),
    ],
    ids=["three-texts", "compare", "gate", "explain", "plan"],
)
def test_outputs_without_names_are_answered_with_the_right_call(verb: str, call: Any) -> None:
    with pytest.raises(RefusedError) as refused:
        call(["the cat sat", "it slept"])
    assert str(refused.value).endswith(f'{verb}({{"a": outputs_a, "b": outputs_b}}, references)')


def test_texts_go_on_as_they_did() -> None:
    metrics, test_set = inputs_of(["the cat sat"], ["the cat sat"], ["bleu", "chrf"])
    assert [metric.name for metric in metrics] == ["BLEU", "chrF2"]
    assert list(test_set.systems) == ["system"]
    assert inputs_of(test_set, None, "ter")[1].systems == test_set.systems


def test_scores_from_an_iterator_are_all_there() -> None:
    assert sums({name: iter(own) for name, own in SCORES.items()}) == [[4, 6], [5, 6]]
    with pytest.raises(SettingError, match="references: None"):
        sums({name: iter(own) for name, own in SCORES.items()}, "bleu")


# Files of any kind make one test set; the baseline gets a name of its own.

REFERENCE = ["the cat sat on the mat", "a dog ran"]
METRICS = as_metrics(["bleu", "chrf"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    texts = {"ref": REFERENCE, "old": REFERENCE, "new": ["the cat sat on a mat", "a dog ran"]}
    for name, lines in texts.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    counted = SavedStatistics.of(read_any(["old.txt"], ["ref.txt"]), METRICS)[0]
    save_statistics(counted, "old.npz")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_statistics_stand_for_texts_beside_texts() -> None:
    texts = read_any(["new.txt", "old.txt"], ["ref.txt"], METRICS)
    mixed = read_any(["new.txt", "old.npz"], ["ref.txt"], METRICS)
    assert list(mixed.systems) == ["new", "old"]
    expected = score(texts, metrics=METRICS).to_dict()["systems"]
    assert score(mixed, metrics=METRICS).to_dict()["systems"] == expected
    assert list(read_any(["other=old.npz"], [], METRICS).systems) == ["other"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("systems", "references", "options", "message"),
    [
        (["new.txt", "old.npz"], [], {}, "no reference given"),
        (["new.txt"], [], {}, "-r FILE"),
        (["old.npz"], [], {"documents": "docs"}, "documents"),
        (["old.npz"], ["ref.txt"], {"source": "ref.txt"}, "source"),
        (["new.txt"], [], {"source": "ref.txt"}, "source"),
        (["new.txt"], [], {"strict": True}, "strict"),
    ],
)
def test_what_cannot_be_read_together_is_refused(
    systems: list[str], references: list[str], options: dict[str, object], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        read_any(systems, references, METRICS, **options)  # type: ignore[arg-type]


def test_the_baseline_is_told_from_a_system_of_the_same_name() -> None:
    assert with_baseline(["a/de.txt"], "b/old.txt") == (["a/de.txt", "old=b/old.txt"], "old")
    systems, name = with_baseline(["a/de.txt"], "b/de.txt")
    assert (systems[1], name) == ("de (baseline)=b/de.txt", "de (baseline)")
    assert with_baseline(["a/de.txt"], "x=b/de.txt")[1] == "x"


@pytest.mark.parametrize("systems", [["a b", "c"], [["a b"], ["a c"]]])
def test_systems_without_names_are_answered_with_the_right_call(systems: list[object]) -> None:
    with pytest.raises(SettingError, match=r'compare\(\{"a": outputs_a, "b": outputs_b\}, ref'):
        compare(systems, ["a b"])  # type: ignore[arg-type]
