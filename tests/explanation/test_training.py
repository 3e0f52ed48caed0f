"""Test segments that occur in training text."""

from __future__ import annotations

import gzip
import io
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from truebleu import check, score
from truebleu.corpus import as_test_set
from truebleu.counts.inputs import counts_of
from truebleu.errors import AbsentTextError, SettingError, UnreadableFileError

if TYPE_CHECKING:
    from pathlib import Path

REFERENCES = [
    "One two three four five.",
    "A dog!",
    "Six seven eight nine ten.",
    "Never seen at all.",
]
SYSTEMS = {
    "good": ["One two three four five.", "A dog!", "Six seven eight nine ten.", "Not seen at all."],
    "bad": ["One two three four.", "A cat!", "Six seven eight nine.", "Never was seen at all."],
}


@pytest.fixture
def train(tmp_path: Path) -> list[str]:
    """Two files; the second is compressed, and its last line has no end."""
    plain, packed = tmp_path / "a.txt", tmp_path / "b.gz"
    plain.write_text("nothing\nzero ONE , two three four zero\n")
    packed.write_bytes(gzip.compress(b"x\n\na dog\nsix seven eight nine ten"))
    return [str(plain), str(packed)]


def test_segments_are_found_whole_and_by_ngrams(train: list[str]) -> None:
    result = check(SYSTEMS, REFERENCES, train=train, ngram=4)
    assert result.lines == 6
    assert [(seen.segment, seen.seen, seen.file, seen.line) for seen in result.seen] == [
        (1, "n-gram", train[0], 2),
        (2, "whole", train[1], 3),
        (3, "whole", train[1], 4),
    ]
    assert [seen.segment for seen in check(SYSTEMS, REFERENCES, train=train).seen] == [2, 3]


def test_scores_without_seen_segments_are_the_scores_of_the_others(train: list[str]) -> None:
    result = check(SYSTEMS, REFERENCES, ["bleu", "chrf"], train=train, ngram=4)
    rest = {name: text[3:] for name, text in SYSTEMS.items()}
    whole, without = (
        score(SYSTEMS, REFERENCES, "bleu,chrf"),
        score(rest, REFERENCES[3:], "bleu,chrf"),
    )
    assert len(result.systems) == 4
    for found in result.systems:
        assert found.score == float(whole[found.system][found.metric])
        assert found.without == float(without[found.system][found.metric])
        assert found.difference == found.without - found.score


def test_the_source_is_searched_for_too(train: list[str]) -> None:
    test_set = as_test_set(
        {"a": ["1", "2"]}, ["eins", "zwei"], source=["Six, seven: eight nine ten!", "drei"]
    )
    assert [seen.segment for seen in check(test_set, train=train).seen] == [1]


def test_the_report_covers_no_seen_segments_and_only_seen_segments(
    train: list[str], tmp_path: Path
) -> None:
    nothing = check({"a": ["Never."]}, ["Never."], train=train)
    assert "None of 1 test segments occurs in 6 lines of training text" in str(nothing)
    assert nothing.systems[0].without == nothing.systems[0].score
    everything = tmp_path / "all.txt"
    everything.write_text("\n".join(REFERENCES * 4))
    result = check(SYSTEMS, REFERENCES, train=[everything])
    assert [system.without for system in result.systems] == [None, None]
    assert "4 of 4 test segments occur in 16 lines of training text: 4 as whole" in str(result)
    numbers = [f"number {place}" for place in range(30)]
    everything.write_text("\n".join(numbers))
    assert "20 more are in JSON and TSV" in str(check({"a": numbers}, numbers, train=[everything]))


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(b"a dog\n"))
    monkeypatch.setattr(sys, "stdin", stream)
    assert len(check(SYSTEMS, REFERENCES, train=["-"]).seen) == 1


def test_invalid_inputs_of_check_are_rejected(train: list[str]) -> None:
    wrongs: list[Any] = [[], "corpus.txt"]
    for wrong in wrongs:
        with pytest.raises(SettingError, match="a list of files of training text"):
            check(SYSTEMS, REFERENCES, train=wrong)
    with pytest.raises(UnreadableFileError, match="nowhere: no such file"):
        check(SYSTEMS, REFERENCES, train=["nowhere"])
    without_texts = replace(counts_of(SYSTEMS, REFERENCES), texts=None)
    with pytest.raises(AbsentTextError):
        check(without_texts, train=train)
