"""Each format is told by its look; whatever other tools swallow is refused with its line."""

from __future__ import annotations

import gzip
import json
from io import BytesIO
from math import log
from typing import TYPE_CHECKING, Any

import pytest

from truebleu.corpus.nbest_files import read_nbest
from truebleu.errors import CorpusError, TruebleuError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.writing import Folder
    from truebleu.corpus.nbest import NBest

MOSES = (
    "0 ||| the cat ||| LM0= -2.5 TM0= -1 -2 wt_a~b= 3 ||| -4.5 ||| 0-0\n"
    "0 ||| a cat ||| TM0= -3 -4 LM0= -3.5 ||| -5.5\n"
    "1 |||  ||| LM0= 0 TM0= 0 0 ||| 0\n"
)
FAIRSEQ = (
    "INFO | something logged\n"
    "S-1\tzwei\nT-1\ttwo\nH-1\t-0.5\ttw@@ o\nD-1\t-0.5\ttwo\nP-1\t-0.5 -0.25\n"
    "S-0\teins\nH-0\t-1\tone\nD-0\t-1\tone\nP-0\t-1.0\nH-0\t-2\ta\nD-0\t-2\ta\nP-0\t-2.0 -2.0\n"
)


def read(folder: Folder, text: str, **options: Any) -> NBest:
    return read_nbest(folder.write("lists", text), **options)


def test_moses(folder: Folder) -> None:
    lists = read(folder, MOSES)
    assert lists.format == "moses"
    assert [*lists] == [("the cat", "a cat"), ("",)]
    assert lists.feature_names == ("LM0", "TM0_0", "TM0_1")
    assert lists.features.tolist() == [[-2.5, -1, -2], [-3.5, -3, -4], [0, 0, 0]]
    assert lists.feature("wt_a~b").tolist() == [3, 0, 0]
    assert lists.log_probabilities is not None
    assert lists.log_probabilities.tolist() == [-4.5, -5.5, 0]


@pytest.mark.parametrize("name", ["cdec", "joshua"])
def test_cdec_and_joshua(folder: Folder, name: str) -> None:
    text = "0 ||| a ||| LM=-1.5 W=2 ||| -3 ||| 0.5\n0 ||| b ||| LM=-2 X_y=1 ||| -4\n"
    lists = read(folder, text, input_format=name)
    assert lists.format == name
    assert read(folder, text).format == "cdec"
    assert lists.feature_names == ("LM",)
    assert lists.feature("W").tolist() == [2, 0]


@pytest.mark.parametrize(
    "line",
    ["0 ||| a ||| F0=-1.5 ||| -0.5", "0 ||| a ||| 0-0 ||| WordScores= -1 -2 ||| F0= -1.5 ||| -0.5"],
)
def test_marian(folder: Folder, line: str) -> None:
    lists = read(folder, line + "\n")
    assert (lists.format, lists.feature("F0").tolist()) == ("marian", [-1.5])
    assert lists.scores is not None
    assert lists.log_probabilities is not None
    assert (lists.scores.tolist(), lists.log_probabilities.tolist()) == ([-0.5], [-1.5])


def test_lists_of_several_marian_models_have_no_log_probability(folder: Folder) -> None:
    lists = read(folder, "0 ||| a ||| F0= -1.5 F1= -2 ||| -0.5\n")
    assert lists.feature_names == ("F0", "F1")
    assert lists.log_probabilities is None


def test_fairseq(folder: Folder) -> None:
    lists = read(folder, FAIRSEQ)
    assert lists.format == "fairseq"
    assert [*lists] == [("one", "a"), ("two",)]
    assert lists.sources == ("eins", "zwei")
    assert lists.log_probabilities is not None
    assert lists.log_probabilities.tolist() == pytest.approx([-log(2), -4 * log(2), -0.75 * log(2)])


def test_sockeye(folder: Folder) -> None:
    lists = read(folder, '{"translations": ["a", "b"], "scores": [0.5, 0.75]}\n')
    assert (lists.format, lists[0]) == ("sockeye", ("a", "b"))
    assert lists.scores is not None
    assert lists.scores.tolist() == [0.5, 0.75]
    assert lists.log_probabilities is None


def test_plain_text(folder: Folder) -> None:
    scores = folder.write("scores", "1\n2\n3\n4\n")
    lists = read(folder, "a\nb\n\nd\n", list_size=2, scores=scores)
    assert [*lists] == [("a", "b"), ("", "d")]
    assert lists.log_probabilities is None


def test_json_lines_of_segments(folder: Folder) -> None:
    lists = read(
        folder,
        '{"src": "x", "candidates": [{"text": "a\\nb", "logprob": -1, "comet": 0.5, "n": [1]},'
        ' {"text": "c", "logprob": -2, "comet": 1}]}\n'
        '{"src": "y", "candidates": [{"mt": "", "text": "d", "logprob": -3, "comet": 0}]}\n',
    )
    assert [*lists] == [("a\nb", "c"), ("d",)]
    assert lists.sources == ("x", "y")
    assert lists.feature("comet").tolist() == [0.5, 1, 0]
    assert lists.log_probabilities is not None
    assert lists.log_probabilities.tolist() == [-1, -2, -3]


def test_json_lines_with_lists_side_by_side(folder: Folder) -> None:
    lists = read(folder, '{"samples": ["a", "b"], "logprobs": [-1, -2], "counts": [3, 1]}\n')
    assert lists.counts is not None
    assert lists.counts.tolist() == [3, 1]
    assert lists.log_probabilities is not None


def test_json_lines_of_candidates_in_any_order(folder: Folder) -> None:
    rows = [("s1", "a"), ("s2", "b"), ("s1", "c")]
    text = "".join(f'{{"seg": "{id_}", "output": "{text}", "score": 1}}\n' for id_, text in rows)
    lists = read(folder, text)
    assert [*lists] == [("a", "c"), ("b",)]
    assert (lists.feature_names, lists.format) == ((), "jsonl")


def test_chosen_keys_are_the_features(folder: Folder) -> None:
    text = '{"id": 0, "text": "a", "x": 1, "y": 2}\n{"id": 1, "text": "b", "y": 3}\n'
    assert read(folder, text, features=["y"]).features.tolist() == [[2], [3]]


def test_files_may_be_compressed_or_standard_input(folder: Folder) -> None:
    packed = folder.write("lists.gz", gzip.compress(MOSES.encode()))
    assert [*read_nbest(packed)] == [*read_nbest("-", stdin=BytesIO(MOSES.encode()))]


def test_ids_may_start_at_1_if_you_say_so(folder: Folder) -> None:
    assert len(read(folder, "1 ||| a ||| X0= 1\n2 ||| b ||| X0= 2\n", first_id=1)) == 2


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("0 ||| a ||| F0=-1.5 ||| 0\n", {"input_format": "moses"}, "line 1: 'F0=-1.5' among"),
        ("0 ||| a ||| X0= abc ||| 0\n", {}, "line 1: feature 'X0': 'abc'"),
        ("0 ||| a ||| X0= 1,5 ||| 0\n", {}, "decimals with a point"),
        ("0 ||| a ||| X0= 1_0 ||| 0\n", {}, "expected a number"),
        ("0 ||| a ||| X0= nan ||| 0\n", {}, "line 1: feature 'X0': nan"),
        ("0 ||| a ||| X0= 1 ||| inf\n", {}, "total score: inf"),
        ("0 ||| a ||| X0= ||| 0\n", {}, "no value of 'X0'"),
        ("0 ||| a ||| my_f= 1 2 ||| 0\n", {}, "2 values of 'my_f'"),
        ("0 ||| a ||| X0= 1\n0 ||| b ||| Y0= 1\n", {}, "line 2: no feature 'X0'"),
        ("0 ||| a ||| X0= 1\n0 ||| b ||| X0= 1 Y0= 2\n", {}, "line 2: a feature 'Y0'"),
        ("0 ||| a ||| X0= 1 ||| 1\n0 ||| b ||| X0= 1\n", {}, "line 2: no score"),
        ("0 ||| a\n", {}, "line 1: 2 fields"),
        ("1 ||| a ||| X0= 1\n", {}, "--first-id 1"),
        (
            "0 ||| a ||| X0= 1\n1 ||| b ||| X0= 1\n0 ||| c ||| X0= 1\n",
            {},
            "line 3: segment 0 after segment 1",
        ),
        ("0 ||| a ||| X0= 1\n2 ||| b ||| X0= 1\n", {}, "line 2: segment 2 after segment 0"),
        ("0 ||| a ||| x=1 x=2 ||| 0\n", {}, "'x' twice"),
        ("0 ||| a ||| x=1 y ||| 0\n", {}, "'y' among the features"),
        ("0 ||| a ||| A= 1 B= 2\n0 ||| b ||| A= 1\n", {}, "line 2: no feature 'B'"),
        ("0 ||| a ||| 0-0 ||| -1\n", {"input_format": "marian"}, "no F0="),
        ("", {}, "no segments"),
        ("\n\n", {}, "no segments"),
        ("just text\n", {}, "--list-size N"),
        ("a\nb\nc\n", {"list_size": 2}, "3 lines; expected a multiple of 2"),
        ("a\n", {"input_format": "flat"}, "the number of lines per segment"),
        ("a\n", {"list_size": 0}, "a whole number from 1 up"),
        ("H-0\t-1\ta\nH-2\t-1\tb\n", {}, "no H-1"),
        ("S-0\ta\nD-0\t-1\tb\n", {}, "without a hypothesis"),
        ("H-0\t-1\n", {}, "a score, a tab"),
        ('{"candidates": []}\n', {}, "line 1: an empty list"),
        ('{"candidates": ["a"]}\n{"x": 1}\n', {}, "line 2: no list"),
        ('{"candidates": ["a", "b"], "scores": [1]}\n', {}, "1 values under 'scores'"),
        ('{"candidates": [1]}\n', {}, "a candidate of type int"),
        ('{"candidates": [{"x": "a"}]}\n', {}, "the keys x; expected a text"),
        ('{"text": "a"}\n', {}, "or the segment of each candidate"),
        ('{"id": 0, "text": "a", "q": 1}\n{"id": 0, "text": "b"}\n', {}, "line 2: no value"),
        ('{"id": 0, "text": "a", "q": NaN}\n', {}, "line 1: q: nan"),
        (f'{{"id": 0, "text": "a", "q": 1{"0" * 400}}}\n', {}, "line 1: q: 1000"),
        ('{"id": 1, "text": "a"}\n{"id": 0, "text": "b"}\n', {}, "line 2: segment 0 after"),
        ('{"id": null, "text": "a"}\n', {}, "None under 'id'"),
        ('{"id": 0, "text": "a", "count": 0.5}\n', {}, "a count of 0.5"),
        ('{"id": 0, "text": "\\ud800"}\n', {}, "surrogate"),
        ("{\n", {}, "invalid JSON"),
        (MOSES, {"list_size": 3, "input_format": "moses"}, "plain text"),
        (MOSES, {"features": ["x"]}, "JSON Lines"),
        (MOSES, {"input_format": "word"}, "unknown input_format"),
        (MOSES, {"first_id": 2}, "from 0 to 1"),
    ],
)
def test_malformed_lists_are_rejected_with_their_line(
    folder: Folder, text: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(TruebleuError) as error:
        read(folder, text, **options)
    assert message in str(error.value)


def lists_in_order(folder: Folder, ids: list[Any], *, by_candidate: bool) -> list[str]:
    texts = [f"text {id_}" for id_ in ids]
    records: list[dict[str, Any]] = [
        {"id": id_, **({"text": text} if by_candidate else {"candidates": [text]})}
        for id_, text in zip(ids, texts, strict=True)
    ]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    return [candidates[0] for candidates in read(folder, lines)]


@pytest.mark.parametrize("by_candidate", [False, True])
def test_lists_in_json_lines_are_put_in_order_by_their_ids(
    folder: Folder, by_candidate: bool
) -> None:
    expected = ["text seg-2", "text seg-9", "text seg-10"]
    found = lists_in_order(folder, ["seg-10", "seg-2", "seg-9"], by_candidate=by_candidate)
    assert found == expected
    names = ["b7", "a3", "c1"]
    assert lists_in_order(folder, names, by_candidate=by_candidate) == [f"text {n}" for n in names]


def test_segments_with_all_candidates_are_sorted_by_number_and_not_repeated(
    folder: Folder,
) -> None:
    found = lists_in_order(folder, [2, 10, 1], by_candidate=False)
    assert found == ["text 1", "text 2", "text 10"]
    with pytest.raises(CorpusError, match=r"line 2: segment 2 again"):
        lists_in_order(folder, [2, 2], by_candidate=False)


def test_scores_must_pair_with_lines(folder: Folder) -> None:
    scores = folder.write("scores", "1\n")
    with pytest.raises(TruebleuError, match=r"1 segments, but .* has 2"):
        read(folder, "a\nb\n", list_size=2, scores=scores)
    with pytest.raises(TruebleuError, match="line 2"):
        read(folder, "a\nb\n", list_size=2, scores=folder.write("scores", "1\nx\n"))


NUMBERED = "".join(
    f"{segment} ||| text {segment}.{place} ||| LM0= -{place} ||| -{place}\n"
    for segment in range(7)
    for place in range(1 + segment % 3)
)


@pytest.mark.parametrize(
    "text",
    [
        NUMBERED.replace("\n3 ", "\n\n\n3 ") + "\n\n",
        NUMBERED.replace("\n", "\r\n"),
        NUMBERED.rstrip("\n"),
        "\ufeff" + NUMBERED,
    ],
)
@pytest.mark.parametrize("compressed", [False, True])
def test_ends_of_lines_and_compression_change_nothing(
    tmp_path: Path, text: str, compressed: bool
) -> None:
    plain, other = tmp_path / "plain", tmp_path / "other"
    plain.write_text(NUMBERED)
    other.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
    assert list(read_nbest(other)) == list(read_nbest(plain))


def test_a_bad_byte_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "lists"
    path.write_bytes(NUMBERED.encode() + b"7 ||| \xff ||| LM0= 1 ||| 1\n")
    with pytest.raises(CorpusError, match="line 14"):
        read_nbest(path)


def test_scores_that_come_or_go_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "lists"
    path.write_text(NUMBERED + "7 ||| a ||| LM0= 1\n")
    with pytest.raises(CorpusError, match=r"line 14: no score; expected a score, as on line 1"):
        read_nbest(path)


def test_candidates_of_a_segment_need_not_stand_together(tmp_path: Path) -> None:
    path = tmp_path / "lists"
    path.write_text("".join(f'{{"id": "{n % 2}", "text": "t{n}"}}\n' for n in range(4)))
    assert list(read_nbest(path)) == [("t0", "t2"), ("t1", "t3")]


def test_standard_input_is_read_too_and_options_are_checked(tmp_path: Path) -> None:
    assert len(read_nbest("-", stdin=BytesIO(NUMBERED.encode()))) == 7
    path = tmp_path / "lists"
    path.write_text(NUMBERED)
    for settings, message in (
        ({"input_format": "smt"}, "unknown input_format"),
        ({"first_id": 2}, "from 0 to 1"),
        ({"scores": "x"}, "plain text"),
    ):
        with pytest.raises(TruebleuError, match=message):
            read_nbest(path, **settings)
