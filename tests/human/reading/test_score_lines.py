"""Score files of mt-metrics-eval, whose names give the level of their scores."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from tests.human.asking import scores
from truebleu.errors import CorpusError

if TYPE_CHECKING:
    from tests.writing import Folder

MAJOR = '{"errors": [{"severity": "major", "category": "Style"}]}'
SEGMENTS = "a None\na -0.000000\na -2\na -3\nb None\nb -1\nb None\nb -5\n"
DOCUMENTS = "a None\na -1\na -3\nb None\nb -0.5\nb -5\n"
DOMAINS = "canary a None\nnews a -1\nchat a -3\nnews b -0.5\nchat b -5\n"
RATINGS = "".join(f"{s}\t{x}\n" for s in "ab" for x in ("None", MAJOR, "None", MAJOR))


@pytest.mark.parametrize(
    ("ending", "text", "level", "of_a", "of_b"),
    [
        ("mqm.seg.score", SEGMENTS, "segment", (0.0, -2.0, -3.0), (-1.0, None, -5.0)),
        ("mqm.rater1.sys.score", "a -1.5\nb -3\n", "system", (-1.5,), (-3.0,)),
        ("mqm.doc.score", DOCUMENTS, "document", (-1.0, -3.0), (-0.5, -5.0)),
        ("mqm.domain.score", DOMAINS, "domain", (-3.0, -1.0), (-5.0, -0.5)),
        ("mqm.seg.rating", RATINGS, "segment", (-5.0, None, -5.0), (-5.0, None, -5.0)),
    ],
)
def test_files_are_read_at_the_level_in_their_name_without_a_canary(
    folder: Folder,
    ending: str,
    text: str,
    level: str,
    of_a: tuple[float | None, ...],
    of_b: tuple[float | None, ...],
) -> None:
    path = folder.write(f"en-de.{ending}", text)
    human = scores(path, segments=3, documents=["x", "x", "y"])
    assert (human.level, human.scores) == (level, {"a": of_a, "b": of_b})


def test_a_compressed_file_is_known_by_the_same_name(folder: Folder) -> None:
    path = folder.write("en-de.mqm.seg.score.gz", gzip.compress(b"a 1\na 2\nb 3\nb None\n"))
    assert scores(path).scores == {"a": (1.0, 2.0), "b": (3.0, None)}


def test_scores_that_do_not_fit_the_texts_are_refused(folder: Folder) -> None:
    path = folder.write("en-de.mqm.seg.score", "a 1\na 2\na 3\nb 1\nb 2\n")
    with pytest.raises(CorpusError, match=r"2 scores of 'b'.*3 \(one per segment\)"):
        scores(path, segments=3)
    with pytest.raises(
        CorpusError, match="line 2: 3 fields; expected 2 fields, as in SYSTEM SCORE"
    ):
        scores(folder.write("x.seg.score", "a 1\nb x 2\n"), segments=1)
    with pytest.raises(CorpusError, match="line 2: 'high'"):
        scores(folder.write("x.seg.score", "a 1\nb high\n"), segments=1)
