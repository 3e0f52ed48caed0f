"""The directory layout of mt-metrics-eval."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from tests.human.asking import scores
from truebleu.errors import CorpusError, MissingColumnError, UnreadableFileError
from truebleu.human import read_metrics_eval

if TYPE_CHECKING:
    from tests.writing import Folder


def write_set(folder: Folder, *, canary: bool = True) -> str:
    """Three segments of two documents and domains, two systems and a judged reference."""
    line = ["CANARY"] if canary else []

    def text(*lines: str) -> str:
        return "".join(f"{segment}\n" for segment in (*line, *lines))

    def by_system(**numbers: str) -> str:
        lead = "None " if canary else ""
        pairs = ((s, x) for s, row in numbers.items() for x in (lead + row).split())
        return "".join(f"{s}\t{x}\n" for s, x in pairs)

    folder.write("set/sources/en-de.txt", text("one", "two", "three"))
    labels = text("news x", "news x", "chat y").replace("CANARY", "canary canary")
    folder.write("set/documents/en-de.docs", labels)
    folder.write(
        "set/references/en-de.refA.txt", text("eins ", "[No translation supplied]", "drei")
    )
    for name in ("a", "b", "refA"):
        folder.write(f"set/system-outputs/en-de/{name}.txt", text("eins\u2028uno", "zwei", "drei"))
    human = "set/human-scores/en-de"
    folder.write(f"{human}.mqm.seg.score", by_system(b="-1 None -5", a="-0.000000 -2 -3"))
    folder.write(f"{human}.mqm.rater1.sys.score", "a -1.5\nb -3\n")
    folder.write(f"{human}.mqm.doc.score", by_system(a="-1 -3", b="-0.5 -5"))
    domains = "news a -1\nchat a -3\nnews b -0.5\nchat b -5\n"
    folder.write(f"{human}.mqm.domain.score", ("canary a None\n" if canary else "") + domains)
    major = '{"errors": [{"severity": "major", "category": "Style"}]}'
    rated = "".join(
        "".join(f"{s}\t{x}\n" for x in (["None"] if canary else []) + [major, "None", major])
        for s in ("a", "b")
    )
    folder.write(f"{human}.mqm.seg.rating", rated)
    return str(folder.path / "set")


@pytest.mark.parametrize("canary", [True, False])
def test_texts_and_labels_are_read_without_the_canary(folder: Folder, canary: bool) -> None:
    metrics_eval = read_metrics_eval(write_set(folder, canary=canary), "en-de")
    assert metrics_eval.canary is canary
    assert metrics_eval.source == ("one", "two", "three")
    assert metrics_eval.references == {"refA": ("eins", None, "drei")}
    assert metrics_eval.outputs["a"] == ("eins\u2028uno", "zwei", "drei")
    assert sorted(metrics_eval.outputs) == ["a", "b", "refA"]
    assert metrics_eval.documents == ("x", "x", "y")
    assert metrics_eval.domains == ("news", "news", "chat")


@pytest.mark.parametrize("canary", [True, False])
def test_human_scores_of_all_levels_are_listed_and_read(folder: Folder, canary: bool) -> None:
    metrics_eval = read_metrics_eval(write_set(folder, canary=canary))
    assert sorted((file.name, file.level) for file in metrics_eval.human) == [
        ("mqm", "document"),
        ("mqm", "domain"),
        ("mqm", "segment"),
        ("mqm.rater1", "system"),
    ]
    segments = metrics_eval.human_scores("mqm")
    assert segments.scores == {"a": (0.0, -2.0, -3.0), "b": (-1.0, None, -5.0)}
    assert metrics_eval.human_scores("mqm.rater1", "system").scores == {"a": (-1.5,), "b": (-3.0,)}
    documents = metrics_eval.human_scores("mqm", "document")
    assert (documents.items, documents.scores["b"]) == (("x", "y"), (-0.5, -5.0))
    domains = metrics_eval.human_scores("mqm", "domain")
    assert (domains.items, domains.scores["b"]) == (("chat", "news"), (-5.0, -0.5))
    ratings = metrics_eval.human_ratings("mqm")
    assert ratings.scores == dict.fromkeys(("a", "b"), (-5.0, None, -5.0))


@pytest.mark.parametrize(
    ("ending", "level"),
    [
        ("mqm.seg.score", "segment"),
        ("mqm.rater1.sys.score", "system"),
        ("mqm.doc.score", "document"),
        ("mqm.domain.score", "domain"),
        ("mqm.seg.rating", "segment"),
    ],
)
def test_single_files_of_a_test_set_are_read(folder: Folder, ending: str, level: str) -> None:
    root = write_set(folder)
    path = f"{root}/human-scores/en-de.{ending}"
    metrics_eval = scores(path, segments=3, documents=["x", "x", "y"])
    assert (metrics_eval.level, metrics_eval.systems) == (level, ("a", "b"))


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


def test_broken_folders_are_refused(folder: Folder) -> None:
    with pytest.raises(UnreadableFileError, match="mt-metrics-eval's layout"):
        read_metrics_eval(str(folder.path / "nothing"), "en-de")
    root = write_set(folder)
    with pytest.raises(MissingColumnError, match="no language pair 'en-fr'; it has en-de"):
        read_metrics_eval(root, "en-fr")
    with pytest.raises(MissingColumnError, match=r"no human scores 'esa \(segment\)'"):
        read_metrics_eval(root).human_scores("esa")
    folder.write("set/system-outputs/en-de/c.txt", "only one\n")
    with pytest.raises(CorpusError, match="en-de c: 1 segments"):
        read_metrics_eval(root)


def test_the_texts_are_a_test_set(folder: Folder) -> None:
    folder.write("set/references/en-de.refB.txt", "CANARY\neins\nzwei\ndrei\n")
    read = read_metrics_eval(write_set(folder))
    test_set = read.test_set()
    assert list(test_set.systems) == ["a", "b"]
    assert (test_set.reference_names, len(test_set)) == (("refA", "refB"), 3)
    assert (test_set.documents, test_set.domains) == (read.documents, read.domains)
    assert list(read.test_set(["refB"]).systems) == ["a", "b", "refA"]
    assert list(read.test_set(["refB"], systems=["b"]).systems) == ["b"]
    with pytest.raises(MissingColumnError, match="no reference 'refC'; it has refA, refB"):
        read.test_set(["refC"])
