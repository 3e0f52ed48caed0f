"""Inputs of verbs: texts, scores in their place, counts, or files of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

import truebleu
from truebleu import compare, count, score
from truebleu.counts import Counts, save_counts
from truebleu.counts.inputs import (
    are_scores,
    count_items,
    counts_of,
    counts_of_files,
    read_texts,
    with_baseline,
)
from truebleu.errors import (
    CorpusError,
    OtherCountsError,
    RefusedError,
    SettingError,
    UnpairedSegmentsError,
)
from truebleu.scores import GivenScores, ItemScores

if TYPE_CHECKING:
    from pathlib import Path

SCORES = {"a": [0, 1, 1, 0, 1, 1], "b": [1, 1, 1, 1, 0, 1]}
ROWS = [(system, f"q{i}", score) for system, own in SCORES.items() for i, score in enumerate(own)]
NAMES = ["system", "item", "score"]


def sums(systems: Any, metrics: Any = None) -> list[list[float]]:
    return count(systems, metrics=metrics).metrics[0].rows.sums()


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
@pytest.mark.parametrize("metrics", ["scores", None], ids=["scores", "default"])
def test_scores_need_no_texts(systems: Any, metrics: str | None) -> None:
    assert sums(systems, metrics) == [[4, 6], [5, 6]]


def test_items_of_a_long_frame_pair_by_their_names() -> None:
    ordered = pd.DataFrame(ROWS, columns=NAMES)
    shuffled = ordered.sample(frac=1, random_state=1).sort_values("system", kind="stable")
    differences = [
        truebleu.compare(frame, replicates=200).comparisons[0].difference
        for frame in (ordered, shuffled)
    ]
    assert differences == [pytest.approx(-1 / 6)] * 2


def test_judgments_in_words_count_if_scores_are_requested() -> None:
    words = {"a": ["correct", "wrong"], "b": ["correct", "correct"]}
    assert sums(words, "scores") == [[1, 2], [2, 2]]
    with pytest.raises(SettingError, match="references: None"):
        count(words)


def test_every_verb_takes_scores() -> None:
    assert float(truebleu.score(SCORES)["b"]["score"]) == pytest.approx(5 / 6)
    assert truebleu.compare(SCORES, replicates=99).comparisons[0].metric == "score"
    assert truebleu.gate(SCORES, baseline="a", replicates=99).old == "a"
    assert truebleu.explain(SCORES, replicates=99).comparison.comparisons[0].metric == "score"
    assert truebleu.plan(SCORES, replicates=99).plans[0].metric == "score"


def test_documents_of_scores_are_labels_or_a_field() -> None:
    labels = ["x", "x", "y", "y", "z", "z"]
    listed = count(SCORES, documents=labels, domains=["d"] * 6).outline
    rows = {
        name: [{"score": s, "passage": label} for s, label in zip(own, labels, strict=True)]
        for name, own in SCORES.items()
    }
    named = count(rows, documents="passage").outline
    assert listed.documents == named.documents == named.labels("passage") == tuple(labels)
    assert listed.domains == ("d",) * 6
    with pytest.raises(UnpairedSegmentsError, match="documents: 1 segments"):
        count(SCORES, documents=["x"])


def test_several_answers_are_scored_as_the_metric_says() -> None:
    rows = {name: [{"id": "q", "score": s} for s in own] for name, own in SCORES.items()}
    counts = count(rows, metrics="scores:answers=pass@6")
    assert counts.labels == ["score pass@6"]
    assert counts.metrics[0].rows.sums() == [[1, 1], [1, 1]]


def test_scores_refuse_metrics_of_texts_and_a_source() -> None:
    with pytest.raises(SettingError, match="chrF2 needs"):
        count(SCORES, metrics="chrf")
    with pytest.raises(SettingError, match=r"source: .*; expected None with scores"):
        counts_of(SCORES, source=["a"] * 6)


def test_the_outline_of_items_has_models_and_no_references() -> None:
    outline = count(ItemScores.of(SCORES)).outline
    assert (outline.rows, outline.systems, outline.segments) == ("items", ("a", "b"), 6)
    assert (outline.reference_names, outline.references_each) == ((), 0)
    assert outline.names is None


def test_scores_of_items_and_of_a_file_are_counted_together(tmp_path: Path) -> None:
    (tmp_path / "judge.tsv").write_text("a\tb\n" + "0.5\t0.25\n" * 6)
    counts = count(SCORES, metrics=["scores", f"scores:path={tmp_path / 'judge.tsv'}"])
    assert counts.labels == ["score", "judge"]
    assert [metric.rows.sums() for metric in counts.metrics] == [
        [[4, 6], [5, 6]],
        [[3, 6], [1.5, 6]],
    ]


# Items without a score.

GAPS = {"a": [None, 1, 0, 1, 1], "b": [1, 1, 0, None, 0]}


def test_common_items_are_the_only_ones_counted() -> None:
    documents = ["d1", "d1", "d2", "d2", "d3"]
    counts = count(GAPS, metrics="scores:missing=common", documents=documents)
    assert (len(counts), counts.outline.documents) == (3, ("d1", "d2", "d3"))
    only = {name: [own[1], own[2], own[4]] for name, own in GAPS.items()}
    expected = count(only, documents=["d1", "d2", "d3"])
    assert counts.metrics[0].rows == expected.metrics[0].rows
    assert len(count(GAPS, metrics="scores:missing=omit")) == 5


def test_common_items_have_a_fingerprint_of_their_own() -> None:
    rows = {
        name: [{"id": f"q{index}", "score": s} for index, s in enumerate(own)]
        for name, own in GAPS.items()
    }
    counts = count(rows, metrics="scores:missing=common")
    kept = {name: [own[1], own[2], own[4]] for name, own in rows.items()}
    assert counts.outline.names == ("q1", "q2", "q4")
    assert counts.fingerprints == count(kept).fingerprints
    assert counts.fingerprints != count(rows, metrics="scores:missing=omit").fingerprints


def test_dropping_items_does_not_change_the_digest_of_scores() -> None:
    common, omitted = (
        count(GAPS, metrics=f"scores:missing={missing}") for missing in ("common", "omit")
    )
    signatures = [counts.signature(counts.metrics[0]) for counts in (common, omitted)]
    assert signatures[0]["scores"] == signatures[1]["scores"]


def test_metrics_without_a_common_item_are_refused() -> None:
    rows = {name: [{"id": "p", "x": 1, "y": None}, {"id": "q", "x": None, "y": 1}] for name in "ab"}
    metrics = ["scores:column=x,missing=common", "scores:column=y,missing=common"]
    with pytest.raises(SettingError, match="no item with scores by x and y of all systems"):
        count(rows, metrics=metrics)


# Runs of scored models.

TWICE = {
    name: [
        {"id": f"q{item}", "epoch": epoch, "score": int((item + epoch) % 3 > first)}
        for item in range(4)
        for epoch in range(2)
    ]
    for first, name in enumerate("ab")
}


def test_runs_are_systems_only_if_the_verb_says_so() -> None:
    by_runs = counts_of(TWICE, by_runs=True).outline
    assert by_runs.systems == ("a.run1", "a.run2", "b.run1", "b.run2")
    assert by_runs.runs == {"a": ("a.run1", "a.run2"), "b": ("b.run1", "b.run2")}
    averaged = counts_of(TWICE).outline
    assert (averaged.systems, averaged.runs) == (("a", "b"), None)


@pytest.mark.parametrize("metrics", ["scores:answers=mean", "scores:answers=pass@1"])
def test_answers_that_a_metric_combines_are_no_runs(metrics: str) -> None:
    assert counts_of(TWICE, metrics=metrics, by_runs=True).outline.runs is None


def test_runs_add_up_to_the_average() -> None:
    items = ItemScores.of(TWICE)
    runs, averaged = (
        count_items(items, by_runs=by_runs).metrics[0].rows.floats() for by_runs in (True, False)
    )
    assert_array_equal(runs.reshape(4, 2, 2, 2).mean(axis=2), averaged)


# Counts in place of texts.


def test_counts_are_taken_as_they_are() -> None:
    counts = count(["the cat"], ["the cat"], ["bleu", "chrf"])
    assert count(counts) == counts
    assert score(counts).systems == score(["the cat"], ["the cat"], ["bleu", "chrf"]).systems


def test_counts_get_other_documents_and_domains() -> None:
    counts = count(SCORES, domains=["d"] * 6)
    labelled = count(counts, documents=list("xxyyzz"))
    assert labelled.outline.documents == tuple("xxyyzz")
    assert labelled.outline.domains == ("d",) * 6
    assert count(counts, documents="domain").outline.documents == ("d",) * 6
    with pytest.raises(UnpairedSegmentsError, match="domains: 2 segments, but the test set has 6"):
        count(counts, domains=["x", "y"])


@pytest.mark.parametrize("argument", ["references", "metrics", "source"])
def test_counts_refuse_what_they_have(argument: str) -> None:
    counts = count({"a": ["x y"], "b": ["x"]}, ["x y"])
    arguments: dict[str, Any] = {argument: "bleu" if argument == "metrics" else ["x y"]}
    with pytest.raises(SettingError, match=f"{argument}: .*; expected None with counts"):
        counts_of(counts, **arguments)


VERBS: dict[str, Any] = {
    "score": truebleu.score,
    "compare": truebleu.compare,
    "gate": truebleu.gate,
    "explain": truebleu.explain,
    "plan": truebleu.plan,
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("argument", ["references", "metrics"])
def test_verbs_reject_metrics_and_references_with_counts(verb: str, argument: str) -> None:
    arguments: dict[str, Any] = {argument: "bleu" if argument == "metrics" else ["x"] * 6}
    options: dict[str, Any] = {"baseline": "a"} if verb == "gate" else {}
    with pytest.raises(SettingError, match=f"{argument}: .*; expected None with counts"):
        VERBS[verb](count(SCORES), **arguments, **options)


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


def test_texts_are_counted_by_each_metric() -> None:
    counts = count(["the cat sat"], ["the cat sat"], ["bleu", "chrf"])
    assert counts.labels == ["BLEU", "chrF2"]
    assert counts.outline.systems == ("system",)
    assert counts.texts is not None
    assert count(counts.texts, metrics="ter").labels == ["TER"]


def test_bleu_is_the_default_metric_of_texts() -> None:
    assert count(["the cat sat"], ["the cat sat"]).labels == ["BLEU"]
    assert list(score(["the cat sat"], ["the cat sat"])["system"]) == ["BLEU"]


def test_scores_from_an_iterator_are_all_there() -> None:
    assert sums({name: iter(own) for name, own in SCORES.items()}, "scores") == [[4, 6], [5, 6]]
    with pytest.raises(SettingError, match="references: None"):
        sums({name: iter(own) for name, own in SCORES.items()})


@pytest.mark.parametrize(
    "systems", [{}, {"a": []}, pd.DataFrame(), {"a": [], "b": [1]}, [], 3, None], ids=repr
)
def test_systems_that_are_nothing_are_refused(systems: Any) -> None:
    with pytest.raises((CorpusError, SettingError)):
        count(systems)


# Files of any kind.

REFERENCE = ["the cat sat on the mat", "a dog ran"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    texts = {"ref": REFERENCE, "old": REFERENCE, "new": ["the cat sat on a mat", "a dog ran"]}
    for name, lines in texts.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "docs.txt").write_text("d1\nd2\n")
    for name, own in {"x": "1\n0\n1\n", "y": "1\n1\n0\n"}.items():
        (tmp_path / f"{name}.txt").write_text(own)
    (tmp_path / "comet.tsv").write_text("old\tnew\n0.5\t0.25\n0.75\t0.5\n")
    monkeypatch.chdir(tmp_path)
    counts = counts_of_files(["old.txt"], ["ref.txt"], ["bleu", "chrf"], fingerprints=True)
    save_counts(counts, "old.npz")
    save_counts(count({"z": [0, 1, 1]}), "z.npz")
    return tmp_path


def without_warnings(counts: Counts) -> dict[str, Any]:
    return score(counts).to_dict()["systems"]  # type: ignore[no-any-return]


@pytest.mark.usefixtures("folder")
def test_saved_counts_need_no_metrics_and_no_references() -> None:
    counts = counts_of_files(["old.npz"], [])
    assert (counts.labels, counts.outline.systems) == (["BLEU", "chrF2"], ("old",))
    assert counts_of_files(["old.npz"], [], "chrf").labels == ["chrF2"]
    assert counts_of_files(["other=old.npz"], []).outline.systems == ("other",)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("references", [[], ["ref.txt"]], ids=["alone", "with-references"])
def test_saved_counts_are_compared_with_texts(references: list[str]) -> None:
    texts = counts_of_files(["new.txt", "old.txt"], ["ref.txt"], ["bleu", "chrf"])
    if references:
        mixed = counts_of_files(["new.txt", "old.npz"], references, ["bleu", "chrf"])
    else:
        new = counts_of_files(["new.txt"], ["ref.txt"], ["bleu", "chrf"], fingerprints=True)
        save_counts(new, "new.npz")
        mixed = counts_of_files(["new.npz", "old.npz"], [])
    assert mixed.outline.systems == ("new", "old")
    assert mixed.texts is None
    assert without_warnings(mixed) == without_warnings(texts)


@pytest.mark.usefixtures("folder")
def test_saved_counts_are_checked_against_references() -> None:
    counts = counts_of_files(["old.npz"], ["ref.txt"])
    assert counts.outline.systems == ("old",)
    assert counts.outline.reference_names == ("ref",)
    with pytest.raises(OtherCountsError, match=r"old\.npz: text of the references"):
        counts_of_files(["old.npz"], ["new.txt"])
    with pytest.raises(OtherCountsError, match=r"old\.npz: text of the references"):
        counts_of_files(["old.npz", "new.txt"], ["new.txt"])
    with pytest.raises(OtherCountsError, match=r"z\.npz: segments: 3; expected 2"):
        counts_of_files(["old.npz", "z.npz"], [])


@pytest.mark.usefixtures("folder")
def test_texts_are_forgotten_unless_they_are_kept() -> None:
    forgotten = counts_of_files(["new.txt"], ["ref.txt"])
    kept = counts_of_files(["new.txt"], ["ref.txt"], keep_texts=True)
    assert forgotten.texts is None
    assert kept.require_texts() == read_texts(["new.txt"], ["ref.txt"])
    assert without_warnings(forgotten) == without_warnings(kept)


@pytest.mark.usefixtures("folder")
def test_scores_are_taken_without_metrics_and_without_references() -> None:
    counts = counts_of_files(["x.txt", "y.txt"], [])
    assert (counts.outline.rows, counts.outline.systems) == ("items", ("x", "y"))
    assert counts.metrics[0].rows.sums() == [[2, 3], [2, 3]]
    assert counts_of_files(["x.txt", "y.txt"], [], "scores") == counts


@pytest.mark.usefixtures("folder")
def test_scores_of_all_systems_need_no_systems() -> None:
    counts = counts_of_files([], [], "scores:path=comet.tsv", documents="docs.txt")
    assert (counts.labels, counts.outline.systems) == (["comet"], ("old", "new"))
    assert counts.outline.documents == ("d1", "d2")
    assert counts.metrics[0].rows.sums() == [[1.25, 2], [0.75, 2]]
    with pytest.raises(SettingError, match="which BLEU needs"):
        counts_of_files([], [], "bleu,scores:path=comet.tsv")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("systems", "references", "options", "message"),
    [
        (["new.txt", "old.npz"], [], {}, "no reference given"),
        (["new.txt"], [], {}, "-r FILE"),
        (
            ["old.npz"],
            [],
            {"documents": "docs.txt"},
            "documents docs.txt needs texts: saved counts",
        ),
        (["old.npz"], ["ref.txt"], {"source": "ref.txt"}, "source ref.txt needs texts"),
        (["new.txt"], [], {"source": "ref.txt"}, "no reference given"),
        (["x.txt"], [], {"strict": True}, "strict needs texts"),
        (["old.npz"], [], {"metrics": "scores"}, "leave out -m scores"),
    ],
)
def test_files_that_do_not_go_together_are_refused(
    systems: list[str], references: list[str], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        counts_of_files(systems, references, **options)


@pytest.mark.usefixtures("folder")
def test_files_of_scores_are_told_from_texts_and_counts() -> None:
    assert are_scores(["x.txt", "y.txt"])
    assert are_scores(["comet.tsv#old"])
    for other in ("new.txt", "old.npz", "comet.tsv#none", "nowhere.txt"):
        assert not are_scores(["x.txt", other])
    assert not are_scores([])


@pytest.mark.usefixtures("folder")
def test_texts_need_references() -> None:
    with pytest.raises(RefusedError, match="no reference given"):
        read_texts(["new.txt"], [])
    with pytest.raises(RefusedError, match=r"source new\.txt needs texts"):
        read_texts(["new.txt"], [], source="new.txt")


@pytest.mark.usefixtures("folder")
def test_given_scores_and_texts_of_files_are_counted_together() -> None:
    counts = counts_of_files(["old.txt", "new.txt"], ["ref.txt"], "bleu,scores:path=comet.tsv")
    assert counts.labels == ["BLEU", "comet"]
    given = GivenScores(path="comet.tsv")
    in_memory = count({"old": REFERENCE, "new": REFERENCE}, REFERENCE, given)
    assert counts.metrics[1].rows == in_memory.metrics[0].rows


def test_a_baseline_of_the_same_name_gets_another_one() -> None:
    assert with_baseline(["a/de.txt"], "b/old.txt") == (["a/de.txt", "old=b/old.txt"], "old")
    systems, name = with_baseline(["a/de.txt"], "b/de.txt")
    assert (systems[1], name) == ("de (baseline)=b/de.txt", "de (baseline)")
    assert with_baseline(["a/de.txt"], "x=b/de.txt")[1] == "x"


@pytest.mark.parametrize("systems", [["a b", "c"], [["a b"], ["a c"]]])
def test_systems_without_names_are_answered_with_the_right_call(systems: list[object]) -> None:
    with pytest.raises(SettingError, match=r'compare\(\{"a": outputs_a, "b": outputs_b\}, ref'):
        compare(systems, ["a b"])  # type: ignore[arg-type]
