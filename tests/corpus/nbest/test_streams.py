"""Lists read part by part are those of the whole file, and so is what is refused."""

from __future__ import annotations

import gzip
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest

from truebleu.corpus.nbest import read_nbest, streams
from truebleu.corpus.nbest.reading import ListFormat, ScatteredListsError
from truebleu.corpus.nbest.streams import ListStream
from truebleu.errors import CorpusError, TruebleuError

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.corpus.nbest import NBest

MOSES = "".join(
    f"{segment} ||| text {segment}.{place} ||| LM0= -{place} ||| -{place}\n"
    for segment in range(7)
    for place in range(1 + segment % 3)
)
FILES = {
    "moses": MOSES,
    "moses with blank lines": MOSES.replace("\n3 ", "\n\n\n3 ") + "\n\n",
    "carriage returns": MOSES.replace("\n", "\r\n"),
    "no end of the last line": MOSES.rstrip("\n"),
    "byte-order mark": "\ufeff" + MOSES,
    "cdec": MOSES.replace("LM0= ", "lm="),
    "objects of segments": "".join(
        f'{{"id": "s{n}", "source": "q{n}", "candidates": ["a{n}", "b"], "logprobs": [-1, -2]}}\n'
        for n in range(5)
    ),
    "objects of candidates": "".join(
        f'{{"id": {n // 2}, "text": "t{n}", "count": {n + 1}}}\n' for n in range(9)
    ),
    "fairseq": "".join(f"S-{n}\tq\nH-{n}\t-0.5\tx{n}\nP-{n}\t-1.0 -2.0\n" for n in (2, 0, 1)),
}


def parts(path: Path, **settings: Any) -> list[NBest]:
    stream = ListStream(str(path), ListFormat(**settings))
    taken = []
    while (part := stream.take()) is not None:
        taken.append(part)
    assert stream.read == sum(map(len, taken))
    assert stream.take() is None
    return taken


@pytest.fixture(params=[1, 20, 10**6])
def part_size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(streams, "PART_CHARACTERS", request.param)
    return int(request.param)


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("compressed", [False, True])
def test_the_parts_are_the_whole(
    tmp_path: Path, kind: str, compressed: bool, part_size: int
) -> None:
    path, data = tmp_path / "lists", FILES[kind].encode()
    path.write_bytes(gzip.compress(data) if compressed else data)
    whole, taken = read_nbest(path), parts(path)
    assert [list_ for part in taken for list_ in part] == list(whole)
    for name in ("scores", "log_probabilities", "counts"):
        columns = [getattr(part, name) for part in taken]
        expected = getattr(whole, name)
        assert [value for column in columns if column is not None for value in column] == (
            [] if expected is None else expected.tolist()
        )
    labels = [label for part in taken for label in part.labels or ()]
    assert labels == list(whole.labels or ())
    assert [s for part in taken for s in part.sources or ()] == list(whole.sources or ())
    assert len(taken) == (len(whole) if part_size == 1 else 1 if part_size > 100 else len(taken))


@pytest.mark.usefixtures("part_size")
def test_plain_text_has_its_scores_beside_it(tmp_path: Path) -> None:
    path, scores = tmp_path / "flat", tmp_path / "scores"
    path.write_text("a\nb\n\nc\nd\ne\n")
    scores.write_text("1\n2\n3\n4\n5\n6\n\n")
    taken = parts(path, size=2, scores=str(scores))
    assert [list_ for part in taken for list_ in part] == [("a", "b"), ("", "c"), ("d", "e")]
    values = [float(value) for part in taken for value in part.scores]  # type: ignore[union-attr]
    assert values == [1, 2, 3, 4, 5, 6]
    for wrong in ("1\n2\n3\n", "1\n2\n3\n4\n5\n6\n7\n"):
        scores.write_text(wrong)
        refused(path, size=2, scores=str(scores))


def refused(path: Path, **settings: Any) -> None:
    """Refused, with the words that the whole file is refused with."""
    with pytest.raises(CorpusError) as whole:
        read_nbest(path, **settings)
    with pytest.raises(CorpusError) as part:
        parts(path, **settings)
    assert (type(part.value), str(part.value)) == (type(whole.value), str(whole.value))


@pytest.mark.usefixtures("part_size")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        MOSES + "9 ||| a ||| LM0= 1 ||| 1\n",
        MOSES + "2 ||| a ||| LM0= 1 ||| 1\n",
        MOSES + "7 ||| a ||| LM0= x ||| 1\n",
        MOSES + "7 ||| a ||| LM0= nan ||| 1\n",
        MOSES + "7 ||| a ||| TM0= 1 ||| 1\n",
        MOSES + "7 ||| a\n",
        "1" + MOSES[1:],
        FILES["objects of segments"] + '{"candidates": []}\n',
        FILES["objects of segments"] + '\n{"candidates": ["a"]}\n',
        FILES["objects of segments"] + "[1]\n",
        FILES["objects of segments"] + '{"candidates": ["a"], "logprobs": [1, 2]}\n',
        FILES["objects of candidates"] + '{"id": 2.5, "text": "a", "count": 1}\n',
        FILES["objects of candidates"] + '{"id": 9, "text": "a"}\n',
    ],
)
def test_what_is_refused_is_the_same(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lists"
    path.write_text(text)
    refused(path)


@pytest.mark.usefixtures("part_size")
def test_a_bad_byte_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "lists"
    path.write_bytes(MOSES.encode() + b"7 ||| \xff ||| LM0= 1 ||| 1\n")
    refused(path)


@pytest.mark.usefixtures("part_size")
def test_scores_that_come_or_go_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "lists"
    path.write_text(MOSES + "7 ||| a ||| LM0= 1\n")
    with pytest.raises(CorpusError, match=r"line 14: found no score, expected one, as"):
        parts(path)


def test_candidates_of_a_segment_that_do_not_stand_together_are_told(tmp_path: Path) -> None:
    path = tmp_path / "lists"
    path.write_text("".join(f'{{"id": "{n % 2}", "text": "t"}}\n' for n in range(4)))
    assert len(read_nbest(path)) == 2
    with pytest.raises(ScatteredListsError, match="line 3: found segment 0 again after others"):
        parts(path)


def test_standard_input_is_read_too_and_options_are_checked(tmp_path: Path) -> None:
    stream = ListStream("-", stdin=BytesIO(MOSES.encode()))
    first = stream.take(2)
    assert first is not None
    assert len(first) == 2
    assert stream.count_rest() == 5
    path = tmp_path / "lists"
    path.write_text(MOSES)
    for settings, message in (
        ({"format": "smt"}, "unknown format"),
        ({"first_id": 2}, "0 or 1"),
        ({"scores": "x"}, "plain text"),
    ):
        with pytest.raises(TruebleuError, match=message):
            ListStream(str(path), ListFormat(**settings))
