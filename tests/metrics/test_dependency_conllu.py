"""Reading CoNLL-U: words, heads and relations, and to which segments sentences belong."""

from __future__ import annotations

from typing import Any

import pytest

from truebleu.errors import EmptyTextError, EncodingError, MalformedFileError, UnpairedSegmentsError
from truebleu.metrics.dependency import read_conllu


def conllu(text: str) -> bytes:
    """CoNLL-U of lines `id form lemma head label`; other lines stay as they are."""
    lines = []
    for line in text.split("\n"):
        fields = line.split(" ")
        if len(fields) == 5 and not line.startswith("#"):
            number, form, lemma, head, label = fields
            line = "\t".join([number, form, lemma, "X", "_", "_", head, label, "_", "_"])
        lines.append(line)
    return "\n".join(lines).encode()


def relations(
    text: str | bytes, segments: list[str | None], name: str = "x", **settings: Any
) -> list[list[list[str]] | None]:
    """The relations of each segment as [relation, head, word]; the root has a head of its own."""
    data = conllu(text) if isinstance(text, str) else text
    settings = {
        "check_text": False,
        "labelled": True,
        "word": "form",
        "direction": True,
        "lowercase": False,
        "root": True,
        **settings,
    }
    found = read_conllu("p", data).relations(segments, name, **settings)
    return [
        None
        if segment is None
        else [line.replace("\t\t\t", "\tROOT\t").split("\t") for line in segment.splitlines()]
        for segment in found
    ]


PLAIN = "# text = I am\n1 I I 2 nsubj\n2 am be 0 root\n"
CONTRACTED = (
    "1-2 zum _ _ _\n1 zu zu 3 case\n2 dem der 3 det\n"
    "3 Haus Haus 0 root\n3.1 ist _ _ _\n4 . . 3 punct\n"
)


def test_words_have_heads_and_relations() -> None:
    assert relations(PLAIN, ["I am"], check_text=True) == [
        [["nsubj", "am", "I"], ["root", "ROOT", "am"]]
    ]
    assert relations(PLAIN, ["I am"], word="lemma") == [
        [["nsubj", "be", "I"], ["root", "ROOT", "be"]]
    ]


def test_contractions_give_the_text_and_empty_nodes_nothing() -> None:
    assert relations(CONTRACTED, ["zum Haus."], check_text=True) == [
        [
            ["case", "Haus", "zu"],
            ["det", "Haus", "dem"],
            ["root", "ROOT", "Haus"],
            ["punct", "Haus", "."],
        ]
    ]


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n\n\n"])
def test_a_file_may_end_with_blank_lines_or_without(end: str) -> None:
    data = conllu(PLAIN + "\n" + CONTRACTED.rstrip("\n") + end)
    plain = relations(data, ["", ""])
    assert [len(segment or ()) for segment in plain] == [2, 4]
    assert relations(data.replace(b"\n", b"\r\n"), ["", ""]) == plain
    assert relations(b"\xef\xbb\xbf" + data, ["", ""]) == plain


def test_sentences_of_a_thousand_words_are_read() -> None:
    rows = "".join(f"{n} w{n} w {n - 1} dep\n" for n in range(1, 1500))
    (segment,) = relations(rows, [""])
    assert segment is not None
    assert len(segment) == 1499
    assert segment[-1] == ["dep", "w1498", "w1499"]


def test_comments_alone_are_an_empty_segment() -> None:
    found = relations(f"# text =\n\n{PLAIN}", ["", ""])
    assert [len(segment or ()) for segment in found] == [0, 2]


def test_comments_may_place_several_sentences_in_a_segment() -> None:
    text = f"# segment = 3\n{PLAIN}\n# seg = 1\n{PLAIN}\n#segment=3\n{CONTRACTED}"
    found = relations(text, ["", "", "", None])
    assert [segment and len(segment) for segment in found] == [2, [], 6, None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 a a 0 root\n2 b b\n", "line 2: 1 field; expected 10, with tabs"),
        (PLAIN + "# late\n", "line 4: 1 field; expected 10"),
        ("1 a a 0 root\n3 b b 1 dep\n", "line 2: the word number '3'; expected 2"),
        ("0 a a 0 root\n", "line 1: the word number '0'; expected 1"),
        ("one a a 0 root\n", "line 1: the word number 'one'; expected 1"),
        ("1-3 ab _ _ _\n1 a a 0 root\n2 b b 1 dep\n", "line 3: words up to 2; expected 3 of"),
        ("2-3 ab _ _ _\n1 a a 0 root\n", "line 1: the words 2-3; expected words from 1 on"),
        ("1.1 a a _ _\n", "line 1: no words; expected at least one"),
        ("1 a a 2 dep\n", "line 1: the head '2'; expected another word's number up to 1"),
        ("1 a a 0 root\n2 b b 2 dep\n", "line 2: the head '2'"),
        ("1 a a _ root\n", "line 1: the head '_'"),
        ("1 a a -1 root\n", "line 1: the head '-1'"),
        (f"1 a a {'9' * 500} root\n", f"line 1: the head '{'9' * 60}…'"),
        ("1-2 ab _ _ _\n1 a a 0 root\n2 b b 9 dep\n", "line 3: the head '9'"),
        (f"{PLAIN}\n\n{PLAIN}", "line 5: a second blank line; expected a sentence"),
        (f"\n{PLAIN}", "line 1: a second blank line"),
        (f"# segment = 0\n{PLAIN}", "line 1: the segment '0'; expected a number from 1 up"),
        (f"# segment = a\n{PLAIN}", "line 1: the segment 'a'"),
    ],
)
def test_invalid_conllu_is_rejected_with_its_line(text: str, message: str) -> None:
    with pytest.raises(MalformedFileError) as refusal:
        read_conllu("p.conllu", conllu(text))
    assert str(refusal.value).startswith(f"p.conllu: {message}")


def test_lines_are_counted_through_all_sentences() -> None:
    with pytest.raises(MalformedFileError, match="line 7: the head 'x'"):
        read_conllu("p", conllu(f"{PLAIN}\n# a comment\n1 a a 0 root\n2 b b x dep\n"))


def test_an_empty_file_and_bad_bytes_are_refused() -> None:
    with pytest.raises(EmptyTextError):
        read_conllu("p", b"\n\n")
    with pytest.raises(EncodingError, match="line 1"):
        read_conllu("p", b"1\t\xff")


def test_sentences_must_be_as_many_as_segments() -> None:
    with pytest.raises(UnpairedSegmentsError) as refusal:
        relations(f"{PLAIN}\n{PLAIN}", ["", "", ""], "system 'a'")
    assert refusal.value.args == ("p", 2, "system 'a'", 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{PLAIN}\n# segment = 1\n{PLAIN}", "line 5: segment 1; expected no number"),
        (f"# segment = 1\n{PLAIN}\n{PLAIN}", "line 6: a sentence without segment"),
        (f"# segment = 3\n{PLAIN}", "line 1: segment 3; expected at most 2, as x has"),
    ],
)
def test_numbers_of_segments_must_be_given_for_all_and_exist(text: str, message: str) -> None:
    with pytest.raises(MalformedFileError, match=message):
        relations(text, ["", ""])


def test_words_are_compared_with_the_text_but_for_white_space() -> None:
    text = f"{PLAIN}\n{CONTRACTED}\n# text =\n"
    relations(text, [" I\u00a0am", "zum Haus .", ""], check_text=True)
    relations(text, [None, "zumHaus.", ""], check_text=True)
    with pytest.raises(MalformedFileError) as refusal:
        relations(text, ["I am", "zu dem Haus.", ""], "system 'x'", check_text=True)
    assert str(refusal.value).startswith(
        "p: line 5: words that are not those of segment 2 of system 'x': 'zumHaus.'; "
        "expected 'zudemHaus.'"
    )


def test_white_space_in_a_word_is_part_of_it() -> None:
    (segment,) = relations(conllu("1 a\u00a0b\u00a0 a 0 root"), [""])
    assert segment is not None
    assert segment[0][2] == "a\u00a0b\u00a0"
