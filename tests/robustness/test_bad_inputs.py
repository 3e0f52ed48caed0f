"""A table of bad inputs: how to make each, the command, and what the message must contain."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from truebleu.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

DIGITS = "9" * 5000
NAMES = ("good", "bad")


def scores(value: str) -> bytes:
    """A table with the same score for every segment of both systems."""
    rows = [f"{name}\t{segment}\t{value}" for name in NAMES for segment in range(1, 41)]
    return "\n".join(["system\tsegment\tscore", *rows, ""]).encode()


def moses(*lines: str) -> bytes:
    """A list of Moses: the segment and the features of each candidate."""
    parts = (line.partition(" ") for line in lines)
    return "".join(f"{id_} ||| a b ||| {rest} ||| 1\n" for id_, _, rest in parts).encode()


MANY_FEATURES = moses(
    *(f"0 F= {place} " + " ".join(f"s_{place}_{i}= 1" for i in range(600)) for place in range(2))
)


class Bad(NamedTuple):
    """A bad input.

    Attributes:
        command: the arguments; x stands for the file that is made.
        message: what standard error must contain.
        content: of the file.
        ending: of the file's name.
    """

    command: str
    message: str
    content: bytes = b""
    ending: str = ".txt"


SCORE = "score -r ref.txt x"
AGREE = "agree -r ref.txt good.txt bad.txt --human"
LONG_TABLE = b"".join(
    b'{"system": "s%d", "id": "%d", "text": "x"}\n' % (i, i % 3) for i in range(30_000)
)
WIDE_TABLE = b"\t".join(b"s%d" % i for i in range(60_001)) + b"\n" + b"1\t" * 60_000 + b"1\n"
DIRECT_ASSESSMENT = b"SYS SID RAW.SCR Z.SCR N\n" + b"".join(
    b"sys%d.x 1 50 0.1 1\n" % i for i in range(60_000)
)
MQM = (
    b"system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    b"good\tx\t1\t1\tr\ts\tt\tStyle\tMajor\n"
)
LISTS = b"".join(b"%d ||| a cat %d ||| lm= 1 ||| 1\n" % (i, i) for i in range(40))
TABLE = [
    # Texts.
    Bad(SCORE, "no segments"),
    Bad(SCORE, "line 1, byte 1: ff", b"\xff\xfe"),
    Bad(SCORE, "a NUL byte", b"a\0\n"),
    Bad(SCORE, "no segments", b"", ".tsv"),
    Bad(SCORE, "line 1: invalid JSON", b"{", ".jsonl"),
    Bad(SCORE, "(the key 'text' twice)", b'{"text": "a", "text": "b"}\n', ".jsonl"),
    Bad(SCORE, "half of a surrogate pair", b'{"text": "\\udc80"}\n', ".jsonl"),
    Bad(SCORE, "surrogate pair in the key", b'{"\\udc80": "a"}\n', ".jsonl"),
    Bad(SCORE, "line 1: invalid JSON", b'{"text": %s}\n' % DIGITS.encode(), ".jsonl"),
    Bad(SCORE, "line 1", b"[" * 100_000, ".jsonl"),
    Bad(SCORE, "expected </tstset>", b"<tstset>" + b"<doc " * 80_000, ".sgm"),
    Bad(SCORE, "expected </tstset>", b"<tstset>" + b"<!--" * 100_000, ".sgm"),
    Bad(SCORE, "expected </tstset>", b"<tstset " + b"a" * 400_000 + b">", ".sgm"),
    Bad(SCORE, "broken XML", b"<dataset>" + b"<!--" * 100_000, ".xml"),
    Bad(SCORE, "a DTD or entity", b'<!DOCTYPE a [<!ENTITY b "c">]><dataset/>', ".xml"),
    Bad(SCORE, "damaged or truncated", b"\x1f\x8b\x08", ".gz"),
    Bad(SCORE, "no segments", b"{}", ".jsonl"),
    Bad(SCORE, "no segments", b"[{}]", ".json"),
    Bad(SCORE, "the key 'text' twice", b'[{"text": "a", "text": "b"}]', ".json"),
    Bad(
        SCORE,
        "twice",
        b"{%s}" % b", ".join(b'"k%d": 1' % (i % 60_000) for i in range(60_001)),
        ".jsonl",
    ),
    Bad(SCORE, "s0: 1 segments, but ref.txt has 40", LONG_TABLE, ".jsonl"),
    Bad("score -r ref.txt /dev/zero", "an endless device"),
    Bad("score -r ref.txt nowhere.txt", "nowhere.txt: no such file"),
    # Scores and judgments.
    Bad("score -r ref.txt good.txt bad.txt -m scores:path=x", "line 2: ", scores("1e308"), ".tsv"),
    Bad("score -r ref.txt good.txt bad.txt -m scores:path=x", "line 2: ", scores("inf"), ".tsv"),
    Bad("compare -r ref.txt good.txt bad.txt -m scores:path=x", "1e+100", scores("1e200"), ".tsv"),
    Bad("agree -r ref.txt good.txt bad.txt --human x", "1e+100", scores("1e308"), ".tsv"),
    Bad(f"{AGREE} x", "and 59,961 more", WIDE_TABLE, ".tsv"),
    Bad(f"{AGREE} x", "'sys0.x'", DIRECT_ASSESSMENT, ".csv"),
    Bad(
        f"{AGREE} x",
        "the key 'score' twice",
        b'{"system": "good", "score": 1, "score": 2}\n',
        ".jsonl",
    ),
    Bad(
        f"{AGREE} x",
        "the key 'doc_id' twice",
        b'[{"doc_id": "a", "doc_id": "b", "scores": {}}]',
        ".json",
    ),
    Bad(f"{AGREE} x", "2 columns called 'system'", MQM.replace(b"rater", b"system"), ".tsv"),
    Bad(f"{AGREE} x", "line 3: ", MQM + MQM, ".tsv"),
    # Settings.
    Bad("score -r ref.txt good.txt -m bleu:smooth=floor,smooth_value=1000", "a number from 0 to 1"),
    Bad(
        "score -r ref.txt good.txt -m bleu:smooth=add-k,smooth_value=1e308",
        "smooth_value: 1e+308",
    ),
    Bad("compare -r ref.txt good.txt bad.txt --replicates 1000000000000", "at most "),
    Bad(f"compare -r ref.txt good.txt bad.txt --replicates 1{'0' * 20}", "replicates: 1"),
    Bad("gate good.txt --baseline bad.txt -r ref.txt --replicates 1000000000000", "at most "),
    Bad("score -r ref.txt good.txt --confidence --replicates 1000000000000", "at most "),
    Bad("demo --segments 10000000000", "at most "),
    Bad("study coverage -r ref.txt good.txt --samples 1000000000000", "10,000,000"),
    Bad("study sampling -r ref.txt good.txt --independent 1000000000000", "10,000,000"),
    Bad("study power --simulate 10000000000", "at most "),
    Bad("compare -r ref.txt good.txt bad.txt --level nan", "level: nan"),
    Bad("gate good.txt --baseline bad.txt -r ref.txt --margin inf", "margin: inf"),
    Bad("gate good.txt --baseline bad.txt -r ref.txt --margin 1e308", "margin: 1e+308"),
    Bad("compare -r ref.txt good.txt bad.txt --margin 1e308", "margin: 1e+308"),
    Bad("score -r ref.txt good.txt -m gtm:exponent=1e308", "a number from 1 to 50"),
    Bad("score -r ref.txt good.txt -m sentbleu:k=1e308", "above 0 and up to 1,000,000"),
    Bad("sample -r ref.txt good.txt -o o --size 0", "size: 0"),
    Bad("sample -r ref.txt good.txt -o o --size 100000000000000000000", "size: 1000"),
    # Options that would do nothing.
    Bad("score -r ref.txt good.txt --level nan", "level: nan"),
    Bad("study sampling -r ref.txt good.txt --seed -1", "seed: -1"),
    Bad("mbr x --method exact:keep=5", "unknown setting of exact 'keep'", LISTS),
    Bad("mbr x --method prune:alpha=5", "alpha: 5", LISTS),
    # Lists of candidates, and what is made of them.
    Bad("nbest stats nowhere", "nowhere: no such file"),
    Bad("nbest stats /dev/zero", "an endless device"),
    Bad("nbest stats x", "x.txt: ", b"\xff"),
    Bad(
        "nbest stats x --input-format moses",
        "line 1: segment '9999",
        DIGITS.encode() + b" ||| a ||| ||| 1\n",
    ),
    Bad("tune x -r ref.txt --method nosuch", "nosuch", LISTS),
    Bad("tune x -r ref.txt --folds 100000000000", "folds: 1000", LISTS),
    Bad("rerank x --weights ref.txt", "unknown feature", LISTS),
    Bad("rerank good.txt --list-size 1 --weights x", "expected weights", b'{"a":' * 100_000),
    Bad("rerank good.txt --list-size 1 --weights x", "the key 'lm' twice", b'{"lm": 1, "lm": 2}'),
    Bad("rerank good.txt --list-size 1 --weights x", "a feature, a tab", DIGITS.encode()),
    Bad("mbr x --temperature nan", "temperature: nan", LISTS),
    Bad("mbr x -m nosuch", "unknown metric 'nosuch'", LISTS),
    Bad("mbr x -o x --force", "an output that is not an input", LISTS),
    # Explanations, choices, judgments, studies, lists.
    Bad("explain -r ref.txt good.txt", "at least two"),
    Bad("explain -r ref.txt good.txt bad.txt --counts x", "ff", b"\xff"),
    Bad(
        "explain -r ref.txt good.txt bad.txt --counts x", "WORD<tab>COUNT", b"a\t" + DIGITS.encode()
    ),
    Bad(f"{AGREE} x --grid chrf:beta=x", "beta", scores("1"), ".tsv"),
    Bad(
        "agree -r ref.txt good.txt bad.txt --human x -c kendall-like:x",
        "kendall-like",
        scores("1"),
        ".tsv",
    ),
    Bad("study sensitivity -r ref.txt good.txt bad.txt --replicates 1000000000000", "at most "),
    Bad("study sampling -r ref.txt good.txt bad.txt --sizes 0", "sizes: 0"),
    Bad("study test-size -r ref.txt good.txt --shares nan,50,100", "share"),
    Bad("gate good.txt --baseline bad.txt -r ref.txt --ledger /dev/zero", "not a regular file"),
    Bad("gate good.txt --baseline bad.txt -r ref.txt --ledger ", "the name of a file"),
    Bad("gate good.txt --baseline bad.txt -r ref.txt --ledger :memory:", "a file to keep"),
    Bad("gate good.txt --baseline bad.txt -r ref.txt --ledger x", "x.txt", b"nothing like it\n"),
    Bad("list nosuch", "nosuch"),
    # N-best lists.
    Bad("nbest stats x", "no segments"),
    Bad("nbest stats x", "line 2: segment 2 after segment 0", moses("0 F= 1", "2 F= 1")),
    Bad(
        "nbest stats x",
        "line 3: segment 0 after segment 1",
        moses("0 F= 1", "1 F= 1", "0 F= 2"),
    ),
    Bad("nbest stats x", "--first-id 1", moses("1 F= 1", "2 F= 1")),
    Bad("tune x -r ref.txt", "ref.txt: 40 segments, but x.txt has 2", moses("0 F= 1", "1 F= 1")),
    Bad("tune x -r ref.txt", "ref.txt: 40 segments, but x.txt has 1", moses("0 F= 1")),
    Bad("nbest stats x", "line 1: feature 'F': nan", moses("0 F= nan")),
    Bad(
        "tune x -r one.txt",
        "line 1: feature 'F': 1e+308; expected a finite number, up to",
        moses("0 F= 1e308"),
    ),
    Bad("nbest stats x", "line 1: feature 'F': 'abc'", moses("0 F= abc")),
    Bad("nbest stats x --input-format moses", "Moses would read 0 here", moses("0 F=-1.5")),
    Bad("nbest stats x", "line 2: no feature 'G'", moses("0 F= 1 G= 2", "0 F= 1")),
    Bad("mbr x", "line 1: an empty list", b'{"candidates": []}\n', ".jsonl"),
    Bad("tune x -r one.txt", "more segments, or folds 0", moses("0 F= 1")),
    Bad("tune x -r one.txt --folds 0", "expected features to weight", moses("0 ")),
    Bad("tune x -r one.txt --method mert --folds 0", "at most 1,000", MANY_FEATURES),
    Bad(
        "tune --decoder false\u00a0{weights}\u00a0{nbest} --start x -r one.txt --resume rounds",
        "exit code 1",
        b"F\t1\n",
        ".tsv",
    ),
    Bad("rerank x --weights docs.txt", "docs.txt: line 1", moses("0 F= 1")),
]


@pytest.mark.parametrize("bad", TABLE, ids=lambda bad: f"{bad.command[:60]} {bad.message[:30]}")
def test_bad_input_is_an_error_in_words(
    bad: Bad,
    own_texts: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(own_texts)
    (own_texts / f"x{bad.ending}").write_bytes(bad.content)
    words = [
        word.replace("path=x", f"path=x{bad.ending}") if word != "x" else f"x{bad.ending}"
        # A no-break space is a blank within a word.
        for word in (word.replace("\u00a0", " ") for word in bad.command.split(" "))
    ]
    with pytest.raises(SystemExit) as stopped:
        main(words)
    out, err = capsys.readouterr()
    assert (stopped.value.code, out) == (2, "")
    assert bad.message in err
    assert "Traceback" not in err
    assert len(err) < 1000
