"""Files of error spans, and their scores by the verbs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.shell import answer, refuses, run
from truebleu import compare, score
from truebleu.counts.counting import count_files
from truebleu.errors import MalformedFileError, SettingError
from truebleu.human.span_matching import Span
from truebleu.human.spans import SpanMeasure, read_span_annotations

if TYPE_CHECKING:
    from pathlib import Path


def error(start: Any, end: Any, severity: str = "minor", **others: Any) -> dict[str, Any]:
    return {"start": start, "end": end, "severity": severity, **others}


def lines(system: str, *ratings: list[dict[str, Any]] | None) -> str:
    texts = [None if errors is None else json.dumps({"errors": errors}) for errors in ratings]
    return "".join(f"{system}\t{text}\n" for text in texts)


GOLD = lines("A", [error(0, 4)], [], None, [error(2, 6, "major"), error(8, 9)]) + lines(
    "B", [error(1, 3)], [error(5, 9, "critical")], [error(0, 2)], []
)
NEAR = lines("A", [error(0, 4)], [], None, [error(2, 6, "major")]) + lines(
    "B", [error(1, 4)], [error(5, 9, "major")], [error(0, 2)], []
)
FAR = lines("A", [error(3, 9)], [error(0, 1)], [], []) + lines("B", [], [], None, [])


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, str]:
    paths = [tmp_path / f"{name}.en-de.seg.rating" for name in ("gold", "near", "far")]
    for path, text in zip(paths, (GOLD, NEAR, FAR), strict=True):
        path.write_text(text)
    return str(paths[0]), str(paths[1]), str(paths[2])


def test_lines_become_spans_of_systems(tmp_path: Path) -> None:
    path = tmp_path / "x.rating"
    scored = [error(0, 4, "Major"), error(3, 3, is_source_error=True, score=0)]
    unscored = [error("missing", "missing"), error(0, 4, "neutral")]
    path.write_text(lines("A", [*scored, *unscored], None))
    spans = read_span_annotations(str(path)).spans
    assert spans == {"A": [[Span(0, 4, True), Span(3, 3, False, True)], None]}
    kept = read_span_annotations(str(path), weightless=False).spans
    assert kept == {"A": [[Span(0, 4, True)], None]}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A None\n", "line 1: 1 fields"),
        ("A\t{}\n", "line 1"),
        ("A\t[1]\n", "line 1"),
        ("A\tNone\nA\t{\n", "line 2"),
        (lines("A", [error(4, 2)]), "line 1"),
        (lines("A", [error(-1, 2)]), "line 1"),
        (lines("A", [error(0, 10**9)]), "line 1"),
        (lines("A", [error(0.5, 2)]), "line 1"),
        (lines("A", [error(0, 2, "terrible")]), "terrible"),
        ('A\t{"errors": [3]}\n', "line 1: 3"),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, text: str, found: str) -> None:
    path = tmp_path / "x.rating"
    path.write_text(text)
    with pytest.raises(MalformedFileError, match=found):
        read_span_annotations(str(path))


def test_outputs_that_all_annotate_are_compared(files: tuple[str, str, str]) -> None:
    gold, *predictions = files
    counts = count_files(predictions, [gold], "spans:measure=mp")
    assert counts.outline.systems == ("near", "far")
    # Segment 3 of A has no gold spans, and that of B no prediction of `far`.
    assert len(counts) == 6
    assert counts.outline.documents == ("1", "2", "4", "1", "2", "4")
    assert counts.outline.labels("system") == ("A", "A", "A", "B", "B", "B")
    assert [warning.count for warning in counts.outline.warnings] == [1]
    values = score(counts)["near"]["MP F1"]
    assert values.to_dict() == {
        "score": pytest.approx(8 / 9),
        "precision": 1.0,
        "recall": pytest.approx(4 / 5),
        "f1": pytest.approx(8 / 9),
    }
    result = compare(counts, replicates=200)
    assert result.comparisons[0].difference == pytest.approx(8 / 9 - 2 * (1 / 2) * (1 / 5) / 0.7)


def test_the_command_line_scores_and_compares_spans(files: tuple[str, str, str]) -> None:
    gold, *predictions = files
    both = run("compare", "-r", gold, *predictions, "-m", "spans", "spans:measure=wmt25")
    assert both.code == 0
    assert "near" in both.out
    assert "WMT25 characters F1" in both.out
    values = answer("score", "-r", gold, predictions[0], "-m", "spans:measure=em,part=recall")
    (system,) = values["systems"]
    assert system["name"] == "near"
    assert system["scores"]["EM recall"]["score"] == pytest.approx(4 / 6)
    refuses("one file of gold spans", "score", predictions[0], "-m", "spans")
    refuses("metrics", "score", "-r", gold, predictions[0], "-m", "spans", "bleu")


def test_spans_are_cut_off_at_the_end_of_the_output(files: tuple[str, str, str]) -> None:
    gold, near, _ = files
    measures = [SpanMeasure(measure="wmt25", texts="")]
    (whole,) = count_files([near], [gold], measures).metrics
    assert whole.rows.sums()[0][3] == 4 + 5 + 2 + 4 + 2


def test_outputs_are_found_in_the_evaluation_set(tmp_path: Path) -> None:
    for folder, name, text in (
        ("human-scores", "en-de.mqm.seg.rating", lines("A", [error(0, 9)])),
        ("system-outputs/en-de", "A.txt", "four\n"),
        ("predictions", "p.rating", lines("A", [error(0, 20)])),
    ):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / name).write_text(text)
    gold = str(tmp_path / "human-scores" / "en-de.mqm.seg.rating")
    counts = count_files([tmp_path / "predictions" / "p.rating"], [gold], "spans:measure=wmt25")
    assert counts.metrics[0].rows.sums()[0] == [4, 4, 4, 4]


def test_files_that_do_not_fit_are_refused(tmp_path: Path, files: tuple[str, str, str]) -> None:
    other = tmp_path / "other.rating"
    other.write_text(lines("A", []))
    with pytest.raises(MalformedFileError, match="1 lines of A"):
        count_files([other], [files[0]], "spans")
    other.write_text(lines("C", []))
    with pytest.raises(MalformedFileError, match="no output that"):
        count_files([other], [files[0]], "spans")
    with pytest.raises(SettingError, match="two predictors"):
        count_files([files[1], files[1]], [files[0]], "spans")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"measure": "em", "major": 5.0}, "minor and major"),
        ({"penalty": 0.5, "major": 5.0}, "minor and major"),
        ({"measure": "wmt23", "matching": "greedy"}, "matching"),
        ({"measure": "mp", "matching": "pairs"}, "matching"),
        ({"penalty": 2.0}, "penalty"),
    ],
)
def test_settings_without_meaning_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        SpanMeasure(**settings)


def test_macro_averages_reward_silence(tmp_path: Path) -> None:
    gold, silent = tmp_path / "gold.rating", tmp_path / "silent.rating"
    gold.write_text(lines("A", [error(0, 3)], []))
    silent.write_text(lines("A", [], []))
    counts = count_files([silent], [gold], ["spans", "spans:average=macro"])
    scores = [float(value) for value in score(counts)["silent"].values()]
    assert scores == [0.0, 0.5]
