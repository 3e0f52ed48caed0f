"""Scores of other programs: means, missing scores, signatures and the command line."""

from __future__ import annotations

import csv
import json
import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import truebleu
from tests.cli import shell
from truebleu.corpus import as_test_set
from truebleu.errors import AbsentSegmentError, CorpusError, SettingError, UnknownNameError
from truebleu.metrics.base import GivenMean, MeanScorer, Metric
from truebleu.metrics.registry import as_requested
from truebleu.reports import render
from truebleu.scores import GivenScores, ItemScores

if TYPE_CHECKING:
    from truebleu.corpus import TestSet
    from truebleu.metrics.base import CountedRows

THREE = ["one", "two", "three"]
SYSTEMS = as_test_set({"a": THREE, "b": THREE}, THREE)
NUMBERS = st.floats(-1e6, 1e6)


def attached(scores: GivenScores, test_set: TestSet = SYSTEMS) -> tuple[GivenMean, CountedRows]:
    """The scorer of the scores, and their rows for a test set."""
    scorer, rows_of = scores.attach(test_set.outline, test_set)
    return scorer, rows_of(test_set.outline.systems)


def parsed(text: str) -> GivenScores:
    """The scores that a text names."""
    (scores,) = as_requested(text)
    assert isinstance(scores, GivenScores)
    return scores


def means_of(scores: GivenScores) -> list[float]:
    scorer, rows = attached(scores)
    return [float(score) for score in scorer.score(rows.sums())]


@given(st.lists(NUMBERS, min_size=3, max_size=3), st.permutations([0, 1, 2]))
def test_the_score_is_the_mean_in_any_order_and_by_blocks(
    values: list[float], order: list[int]
) -> None:
    counts = truebleu.count(THREE, THREE, GivenScores.of({"system": values}, name="m"))
    (metric,) = counts.metrics
    scorer, rows = metric.scorer, metric.rows.floats()[:, 0]
    expected = pytest.approx(np.mean(values), rel=1e-9, abs=1e-9)
    assert truebleu.score(counts)["system"]["m"].score == expected
    assert scorer.score(rows[order].sum(axis=0)) == expected
    assert scorer.score(rows[:1].sum(axis=0) + rows[1:].sum(axis=0)) == expected
    np.testing.assert_array_equal(scorer.score(rows), np.array(values) + 0.0)


def test_given_scores_are_no_metric_but_yield_a_scorer() -> None:
    scores = GivenScores.of({"a": [1, 2, 3], "b": [1, 2, 3]}, name="m")
    scorer, _ = attached(scores)
    assert not isinstance(scores, Metric)
    assert not isinstance(scorer, Metric)
    assert isinstance(scorer, MeanScorer)


def test_every_system_gets_its_own_scores_whatever_their_order() -> None:
    values = {"x": [9, 9, 9], "b": [4, 5, 6], "a": [1, 2, 3]}
    given_scores = GivenScores.of(values, name="m", higher_is_better=False)
    scores = truebleu.score({"a": THREE, "b": THREE}, THREE, [given_scores])
    assert scores["a"]["m"].score == 2
    assert scores["b"]["m"].to_dict() == {"score": 5.0, "segments": 3}
    assert scores.higher_is_better == {"m": False}


MISSING: dict[str, list[float | None]] = {"a": [1, None, 3], "b": [10, 20, None]}


def test_a_missing_score_is_an_error_by_default() -> None:
    with pytest.raises(AbsentSegmentError) as refusal:
        attached(GivenScores.of(MISSING))
    assert str(refusal.value).startswith("scores: scores of 'a': segment 2: no score")
    several = GivenScores.of({**MISSING, "a": [1, None, None]})
    with pytest.raises(AbsentSegmentError, match="nor for 1 other segments"):
        attached(several)


def test_a_missing_score_can_be_omitted_and_never_counts_as_zero() -> None:
    scores = GivenScores.of(MISSING, missing="omit")
    assert means_of(scores) == [2.0, 15.0]
    assert attached(scores)[1].array()[1].tolist() == [[0, 0], [20, 1]]


def test_a_segment_without_a_score_is_null_with_a_note_and_an_empty_cell() -> None:
    given_scores = GivenScores.of(MISSING, name="m", missing="omit")
    metrics: list[Any] = [given_scores, "chrf"]
    scores = truebleu.score({"a": THREE, "b": THREE}, THREE, metrics, per_segment=True)
    (a, b) = scores.to_dict()["systems"]
    assert a["scores"]["m"]["segments"] == [1, None, 3]
    assert b["scores"]["m"]["segments"] == [10, 20, None]
    assert a["scores"]["m"]["note"] == "segments without a score: 1 of 3"
    assert "note" not in a["scores"]["chrF2"]
    tsv = [line.split("\t") for line in render(scores, "tsv").splitlines() if line[0] != "#"]
    assert [row[2] for row in tsv[1:]] == ["1.0", "", "3.0", "10.0", "20.0", ""]
    assert "a: m: segments without a score: 1 of 3" in render(scores, "text")


def test_a_row_of_segments_written_with_empty_cells_is_read_as_it_was(tmp_path: Path) -> None:
    given_scores = GivenScores.of(MISSING, name="m", missing="omit")
    systems = {"a": THREE, "b": THREE}
    written = truebleu.score(systems, THREE, [given_scores], per_segment=True)
    (tmp_path / "m.tsv").write_text(render(written, "tsv"))
    again = GivenScores(path=str(tmp_path / "m.tsv"), column="m", missing="omit")
    read = truebleu.score(systems, THREE, [again], per_segment=True)
    assert [system.segments for system in read.systems] == [
        system.segments for system in written.systems
    ]


def test_too_few_scores_to_resample_are_refused_in_words() -> None:
    scores = GivenScores.of({"a": [1, None, None], "b": [1, 2, 3]}, name="m", missing="omit")
    with pytest.raises(SettingError, match="too few scores to resample"):
        truebleu.compare({"a": THREE, "b": THREE}, THREE, [scores])


def test_people_see_four_decimals_of_given_scores_and_two_of_others() -> None:
    metric = GivenScores.of({"a": [0.81, 0.82, 0.835], "b": [0.8, 0.8, 0.8]}, name="m")
    systems = {"a": THREE, "b": ["one", "two", "tree"]}
    metrics: list[Any] = [metric, "chrf"]
    scores = truebleu.score(systems, THREE, metrics, per_segment=True)
    plain = truebleu.score(systems, THREE, metrics)
    assert render(plain).splitlines()[2].split() == ["a", "0.8217", "100.00"]
    assert render(scores).splitlines()[4].split() == ["a", "3", "0.8350", "100.00"]
    comparison = truebleu.compare(systems, THREE, [metric])
    assert re.search(r"a       0\.8217  \[0\.\d{4}, 0\.\d{4}\]", str(comparison))


def test_segments_that_a_system_lacks_can_be_left_out_for_all() -> None:
    scores = GivenScores.of(MISSING, missing="common")
    assert means_of(scores) == [1.0, 10.0]
    # Only systems of the test set count.
    _, alone = attached(scores, as_test_set({"b": THREE}, THREE))
    assert alone.sums() == [[30.0, 2.0]]


@pytest.mark.parametrize("missing", ["omit", "common"])
def test_a_system_without_any_score_is_refused(missing: Any) -> None:
    scores = GivenScores.of({"a": [None, None, 1], "b": [None] * 3}, missing=missing)
    with pytest.raises(SettingError, match="'no score at all'; expected at least one"):
        attached(scores)
    disjoint = GivenScores.of({"a": [1, None, None], "b": [None, 1, None]}, missing="common")
    with pytest.raises(SettingError, match="of a segment that all systems have"):
        attached(disjoint)


def test_a_sum_without_scores_has_no_mean() -> None:
    scorer, rows = attached(GivenScores.of(MISSING, missing="omit", name="m"))
    with pytest.raises(SettingError, match="m: sums: 'a count of 0'"):
        scorer.score(rows.array())
    with pytest.raises(SettingError, match="m: sums: 'a count of 0'"):
        scorer.describe([0.0, 0.0], 1)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ("path=s.tsv,missing=zero", UnknownNameError, "unknown missing 'zero'"),
        ("path=s.tsv,higher_is_better=x", SettingError, "expected yes or no"),
        ("path=s.tsv,table=x", UnknownNameError, "unknown setting of scores 'table'"),
        ("path=s.tsv,_scores=x", UnknownNameError, "unknown setting of scores '_scores'"),
    ],
)
def test_impossible_settings_are_refused(
    settings: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as refusal:
        parsed(f"scores:{settings}")
    assert message in str(refusal.value)


def test_a_file_is_read_when_the_scores_are_attached() -> None:
    scores = parsed("scores:path=none.tsv")
    with pytest.raises(CorpusError, match=r"none\.tsv: no such file"):
        attached(scores)
    with pytest.raises(SettingError, match="scores:path=FILE"):
        attached(GivenScores())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("comet.tsv").write_text("a\tb\n0.5\t0.25\n0.75\t0.5\n")
    Path("a").write_text("x\ny\n")
    Path("b").write_text("x\nz\n")
    return tmp_path


def scorer_of(text: str) -> GivenMean:
    """The scorer of a text's scores for systems a and b of two segments."""
    test_set = as_test_set({"a": ["x", "y"], "b": ["x", "z"]}, ["x", "y"])
    return attached(parsed(text), test_set)[0]


def test_the_signature_has_the_digest_and_the_settings(folder: Path) -> None:
    text = "scores:path=comet.tsv,missing=omit,higher_is_better=no"
    scorer = scorer_of(text)
    assert scorer.name == "comet"
    assert scorer.higher_is_better is False
    assert str(scorer.signature).startswith("comet|scores:")
    assert "|missing:omit|version:" in str(scorer.signature)
    assert scorer_of(text) == scorer
    assert pickle.loads(pickle.dumps(scorer)) == scorer  # noqa: S301
    assert parsed(text) == parsed(text)
    (folder / "comet.tsv").write_text("a\tb\n0.5\t0.25\n0.75\t0.6\n")
    assert scorer_of(text).signature != scorer.signature


@pytest.mark.usefixtures("folder")
def test_the_digest_is_of_all_scores_whatever_is_missing() -> None:
    digests = {
        GivenScores.of(MISSING, missing=missing)
        .attach(SYSTEMS.outline, None)[0]
        .signature["scores"]
        for missing in ("omit", "common")
    }
    assert len(digests) == 1


def test_a_copy_with_another_setting_keeps_the_rest(folder: Path) -> None:
    scores = GivenScores(path=str(folder / "comet.tsv"), name="COMET")
    copy = replace(scores, missing="omit")
    assert (copy.name, copy.missing, copy.path) == ("COMET", "omit", scores.path)


def test_a_path_may_have_an_equals_sign(folder: Path) -> None:
    (folder / "x=1.tsv").write_text((folder / "comet.tsv").read_text())
    assert scorer_of("scores:path=x=1.tsv").name == "x=1"


def run(*arguments: str) -> shell.Result:
    return shell.run("score", "-r", "a", "a", "b", *arguments)


@pytest.mark.usefixtures("folder")
def test_the_command_line_accepts_given_scores_with_other_metrics() -> None:
    result = run("-m", "scores:path=comet.tsv,name=COMET", "-m", "bleu", "--format", "json")
    assert result.code == 0, result.err
    systems = json.loads(result.out)["systems"]
    assert [system["scores"]["COMET"]["score"] for system in systems] == [0.625, 0.375]


def test_our_own_table_of_segment_scores_can_be_read_back(folder: Path) -> None:
    metrics = ("-m", "bleu", "-m", "chrf")
    written = run(*metrics, "--per-segment", "--format", "tsv").out
    (folder / "segments.tsv").write_text(written)
    segments = json.loads(run(*metrics, "--per-segment", "--format", "json").out)["systems"]
    read = run("-m", "scores:path=segments.tsv,column=chrF2", "--format", "json")
    for ours, system in zip(json.loads(read.out)["systems"], segments, strict=True):
        mean = np.mean(system["scores"]["chrF2"]["segments"])
        assert ours["scores"]["segments"]["score"] == pytest.approx(mean, rel=1e-12)


def test_the_command_line_names_the_file_and_line(folder: Path) -> None:
    (folder / "comet.tsv").write_text("a\tb\n0.5\t0.25\n0.75\tgood\n")
    result = run("-m", "scores:path=comet.tsv")
    assert result.code == 2
    assert "comet.tsv: line 3: b 'good'; expected a number" in result.err


@pytest.mark.parametrize("name", ["wmt21-en-de", "ted-mqm-en-de"])
def test_mean_mqm_scores_equal_mt_metrics_eval(shared: Path, name: str) -> None:
    data = shared / "data" / name
    with (shared / "golden" / f"meta-sys-{name}.tsv").open(encoding="utf-8") as file:
        expected = {row["system"]: row["human"] for row in csv.DictReader(file, delimiter="\t")}
    files = [str(data / "sys" / f"{system}.txt") for system in expected]
    test_set = truebleu.read_test_set(files, [str(data / "refA.txt")])
    path = data / "human-mqm.tsv"
    for missing in ("omit", "common"):
        metric = f"scores:path={path},missing={missing},name=MQM"
        scores = truebleu.score(test_set, metrics=metric)
        for system, human in expected.items():
            assert scores[system]["MQM"].score == pytest.approx(float(human), abs=1e-9)


def test_a_tool_says_name_and_direction_by_default(tmp_path: Path) -> None:
    lines = "".join(
        json.dumps({"hypothesis": text, "prediction": value, "system_id": system}) + "\n"
        for system, texts in SYSTEMS.systems.items()
        for text, value in zip(texts, (1.0, 2.0, 3.0), strict=True)
    )
    file = tmp_path / "out.jsonl"
    file.write_text(lines)
    scorer, rows = attached(parsed(f"scores:path={file}"))
    assert (scorer.name, scorer.higher_is_better) == ("MetricX", False)
    assert scorer.score(rows.sums()).tolist() == [2.0, 2.0]
    renamed, _ = attached(parsed(f"scores:path={file},name=mine,higher_is_better=yes"))
    assert (renamed.name, renamed.higher_is_better) == ("mine", True)


@pytest.mark.parametrize(
    ("name", "values", "higher", "assumed"),
    [
        ("error_rate", [0.1, 0.2, 0.3], False, False),
        ("latency_ms", [100, 200, 300], False, False),
        ("brier_score", [0.1, 0.2, 0.3], False, False),
        ("TER", [10, 20, 30], False, False),
        ("MQM", [0, 1, 5], False, False),
        ("MQM", [0, -1, -5], True, False),  # errors that are stored as negative numbers
        ("MetricX-23", [0.2, -1.0, -5.0], True, False),  # negated, the best slightly above 0
        ("metricx", [0.2, 1.0, 5.0], False, False),
        ("bits_per_byte", [0.1, 0.2, 0.3], False, False),
        ("neg_log_likelihood", [0.1, 0.2, 0.3], False, False),
        ("word_perplexity", [10, 20, 30], False, False),
        ("toxicity", [0.1, 0.2, 0.3], False, False),
        ("edit_distance", [10, 20, 30], False, False),
        ("likelihood", [-1, -2, -3], True, False),
        ("acc_norm", [0, 1, 1], True, False),
        ("quality", [0.1, 0.2, 0.3], True, True),
        ("terse", [1, 2, 3], True, True),
    ],
)
def test_a_direction_is_told_by_the_name_or_reported_as_assumed(
    tmp_path: Path, name: str, values: list[float], higher: bool, assumed: bool
) -> None:
    for system in "ab":
        lines = "".join(f"q{n},{value}\n" for n, value in enumerate(values))
        (tmp_path / f"{system}.csv").write_text(f"id,{name}\n{lines}")
    test_set = ItemScores.read([tmp_path / "a.csv", tmp_path / "b.csv"])
    result = truebleu.compare(test_set)
    assert result.metrics[name].higher_is_better is higher
    line = f"{name}: higher is better (assumed; if not, use lower_is_better=True)"
    assert (line in str(result)) == assumed
    turned = truebleu.compare(test_set, metrics="scores:higher_is_better=no")
    assert turned.metrics[name].higher_is_better is False
    assert "assumed" not in str(turned)


@pytest.mark.parametrize(
    "name", ["index", "trial", "train_trial_index", "run_id", "timestamp", "created_at", "seed", ""]
)
def test_accounts_are_no_scores(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.csv").write_text(f"item,{name},grade\nx,5,1\ny,6,0\n")
    scores = truebleu.score(ItemScores.read([tmp_path / "a.csv"]))
    assert scores["a"]["grade"].score == 0.5
