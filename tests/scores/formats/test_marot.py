"""Scores in the metadata of Marot's files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.scores.formats.files import is_table, read, written
from truebleu.errors import CorpusError
from truebleu.scores.formats import read_evaluations

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "system doc docSegId globalSegId rater source target category severity metadata".replace(
    " ", "\t"
)


def row(system: str, segment: str, metadata: Any = None, rater: str = "r1") -> str:
    told = "" if metadata is None else json.dumps(metadata)
    fields = (system, "d1", segment, segment, rater, "s", "a <v>b</v>", "Style", "Minor", told)
    return "\t".join(fields)


def metrics(**scores: float) -> dict[str, Any]:
    return {"segment": {"metrics": scores}}


def lines(*rows: str) -> str:
    return "".join(f"{line}\n" for line in rows)


ROWS = (
    row("a", "2", metrics(COMET=0.5)),
    row("a", "1", metrics(COMET=0.75)),
    row("a", "1", {"timestamp": 1}, rater="r2"),
    row("b", "1"),
    row("b", "1", metrics(COMET=0.25)),
    row("b", "2"),
)


@pytest.mark.parametrize("header", [(), (HEADER,)])
def test_scores_are_in_the_metadata_of_any_row(tmp_path: Path, header: tuple[str, ...]) -> None:
    path = written(tmp_path, "mqm.tsv", lines(*header, *ROWS))
    scores = read(path)
    assert scores.name == "COMET"
    # A segment without a score is missing.
    assert scores.by_system == {"a": [0.75, 0.5], "b": [0.25, None]}
    assert read_evaluations(path)[0].labels("doc") == {"1": "d1", "2": "d1"}


def test_one_of_several_metrics_is_chosen(tmp_path: Path) -> None:
    text = lines(row("a", "1", metrics(COMET=0.5, BLEURT=0.25)))
    assert read(written(tmp_path, "mqm.tsv", text), "BLEURT").by_system == {"a": [0.25]}


def test_annotations_without_scores_are_not_of_this_kind(tmp_path: Path) -> None:
    assert is_table(written(tmp_path, "mqm.tsv", lines(HEADER, row("a", "1"))))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((*ROWS, row("a", "1", metrics(COMET=1.0))), "line 7: COMET 1.0 of item 1 of a"),
        ((*ROWS, "a\tb"), "line 7: 2 fields"),
        ((*ROWS, row("a", "3").removesuffix("\t") + "\t{"), "line 7: metadata '{'"),
        ((row("a", "1", metrics(COMET="high")),), "line 1: COMET 'high'"),  # type: ignore[arg-type]
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, rows: tuple[str, ...], message: str) -> None:
    with pytest.raises(CorpusError) as refusal:
        read(written(tmp_path, "mqm.tsv", lines(*rows)))
    assert message in str(refusal.value)
