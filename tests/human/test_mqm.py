from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.human.asking import scores
from truebleu.errors import CorpusError, MalformedFileError, SettingError
from truebleu.human.mqm import mqm_weights

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.writing import Folder

# Weights and MQM tables.


HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"


def mark(
    system: str, segment: int, error: str, *, rater: str = "r1", doc: str = "d", doc_id: int = 0
) -> str:
    severity, _, category = error.partition("/")
    place = f"{doc}\t{doc_id or segment}\t{segment}"
    return f'{system}\t{place}\t{rater}\tsrc\t"<v>tgt</v>\t{category or severity}\t{severity}\n'


EXAMPLE = HEADER + "".join(
    (
        mark("a", 1, "Major/Accuracy/Mistranslation"),
        mark("a", 1, "minor/Fluency/Punctuation"),
        mark("a", 1, "No-error", rater="r2"),
        mark("a", 2, "Neutral/Style/Awkward"),
        mark("b", 1, "Major/Non-translation!"),
        mark("b", 2, "Minor/Style/Awkward"),
        mark("b", 2, "Minor/Fluency/Grammar"),
    )
)


def test_a_segments_score_is_minus_the_weights_of_its_errors_averaged_over_raters(
    folder: Folder,
) -> None:
    human = scores(folder.write("mqm.tsv", EXAMPLE), segments=3)
    assert human.scores == {"a": (-2.55, 0.0, None), "b": (-25.0, -2.0, None)}
    assert human.raters == 2
    assert human.signature.startswith("human|format:mqm|weights:standard|match:numbers|raters:mean")


@pytest.mark.parametrize(
    ("name", "severity", "category", "weight"),
    [
        ("standard", "Major", "Accuracy/Omission", 5),
        ("standard", "MINOR", "fluency/punctuation", 0.1),
        ("standard", "Minor", "Fluency / Punctuation", 0.1),
        ("standard", "Minor", "Fluency/Spelling", 1),
        ("standard", "Major", "Fluency/Punctuation", 5),
        ("standard", "Major", "Non-translation!", 25),
        ("standard", "Minor", "Non-translation!", 1),
        ("standard", "Major", "Source error", 5),
        ("standard", "Neutral", "Style", None),
        ("standard", "Critical", "Accuracy", None),
        ("wmt24", "Critical", "Accuracy", 5),
        ("wmt24", "minor", "Non-translation!", 25),
        ("wmt24", "Major", "Source issue", 0),
        ("wmt24", "Minor", "Reinterpretation/Register", 0),
        ("wmt24", "Minor", "Fluency/Punctuation", 0.1),
        ("Major=4,*/Other=0,Major/Other/Really=7", "Major", "Other/Perhaps", 0),
        ("Major=4,*/Other=0,Major/Other/Really=7", "Major", "Other/Really", 7),
    ],
)
def test_the_longest_start_of_an_errors_name_decides_its_weight(
    name: str, severity: str, category: str, weight: float | None
) -> None:
    assert mqm_weights(name).of(severity, category) == weight


@pytest.mark.parametrize("weights", ["Major=10,Minor=2", " major =10,,minor=2,"])
def test_weights_are_a_list(folder: Folder, weights: str) -> None:
    human = scores(folder.write("mqm.tsv", EXAMPLE), weights=weights)
    assert human.scores == {"a": (-6.0, 0.0), "b": (-10.0, -4.0)}
    assert "weights:major=10,minor=2|" in human.signature


@pytest.mark.parametrize(
    "weights",
    [
        "unknown",
        {"Major": "x"},
        {"Major": -1},
        {"Major": float("nan")},
        {},
        "Major=5,major=4",
        "M=1,M=1",
        5,
    ],
)
def test_impossible_weights_are_refused(folder: Folder, weights: str | Mapping[str, float]) -> None:
    with pytest.raises((SettingError, CorpusError), match="weight"):
        scores(folder.write("mqm.tsv", EXAMPLE), weights=weights)


def test_severities_without_a_weight_are_reported(folder: Folder) -> None:
    path = folder.write("mqm.tsv", EXAMPLE + mark("a", 2, "Critical/Accuracy"))
    assert "1 errors of severity 'Critical' have no weight" in scores(path).notes[0]
    assert scores(path, weights="wmt24").notes == ()
    assert scores(path, weights="wmt24").scores["a"] == (-2.55, -5.0)


def test_outputs_with_the_same_errors_in_another_order_tie_exactly(folder: Folder) -> None:
    errors = ["Minor/Fluency/Punctuation"] * 2 + ["Minor/Style"] + ["Minor/Fluency/Punctuation"]
    rows = [mark("a", 1, error) for error in errors]
    rows += [mark("b", 1, error) for error in sorted(errors, reverse=True)]
    human = scores(folder.write("mqm.tsv", HEADER + "".join(rows)), segments=1)
    assert human.scores["a"] == human.scores["b"] == (-1.3,)


def test_the_columns_of_later_years_are_known_and_a_longer_header_does_not_matter(
    folder: Folder,
) -> None:
    header = HEADER.replace("doc_id", "docSegId").replace("seg_id", "globalSegId")
    text = header.replace("\n", "\tmetadata\tthis column documents the others\n")
    text += EXAMPLE.partition("\n")[2].replace("\n", "\t{}\n")
    human = scores(folder.write("mqm.tsv", text))
    assert human.scores == {"a": (-2.55, 0.0), "b": (-25.0, -2.0)}


def test_quoted_files_are_read(folder: Folder) -> None:
    rows = [line.split("\t") for line in EXAMPLE.splitlines()]
    rows[1][5] = "with a\nline end and a\ttab"
    quoted = "\n".join("\t".join(json.dumps(f).replace('\\"', '""') for f in r) for r in rows)
    quoted = quoted.replace("\\n", "\n").replace("\\t", "\t")
    human = scores(folder.write("mqm.tsv", quoted))
    assert human.scores == {"a": (-2.55, 0.0), "b": (-25.0, -2.0)}


def test_files_without_header_are_read_where_the_format_is_given(folder: Folder) -> None:
    path = folder.write("mqm.tsv", EXAMPLE.partition("\n")[2])
    assert scores(path, format="mqm").scores == {"a": (-2.55, 0.0), "b": (-25.0, -2.0)}


def test_z_scores_are_of_the_raters_segment_scores(folder: Folder) -> None:
    rows = [
        mark("a", 1, "Major/Style"),
        mark("a", 1, "Minor/Style"),
        mark("b", 1, "No-error"),
        mark("a", 2, "Minor/Style", rater="r2"),
        mark("b", 2, "No-error", rater="r2"),
    ]
    human = scores(folder.write("mqm.tsv", HEADER + "".join(rows)), raters="z")
    assert human.scores["b"] == pytest.approx((2**-0.5, 2**-0.5))


# A test set of five segments of which the first of document x and all of y are at hand.
SUBSET = HEADER + "".join(
    mark(system, number, error, doc=doc, doc_id=doc_id)
    for system, error in (("a", "Major"), ("b", "Minor"))
    for number, doc, doc_id in ((1, "x", 1), (4, "y", 1), (5, "y", 2))
)


def test_segments_are_matched_by_document_where_documents_are_known(folder: Folder) -> None:
    path = folder.write("mqm.tsv", SUBSET)
    human = scores(path, segments=4, documents=["z", "x", "y", "y"])
    assert human.scores["a"] == (None, -5.0, -5.0, -5.0)
    assert "match:documents" in human.signature


def test_equally_many_numbers_beyond_a_document_match_in_order(folder: Folder) -> None:
    rows = [mark("a", n, e, doc="x", doc_id=n) for n, e in ((3, "Major"), (8, "Minor"))]
    rows += [mark("b", n, "No-error", doc="x", doc_id=n) for n in (3, 8)]
    path = folder.write("mqm.tsv", HEADER + "".join(rows))
    assert scores(path, documents=["x", "x"]).scores["a"] == (-5.0, -1.0)


def test_segments_pair_in_order_where_their_numbers_do_not_fit(folder: Folder) -> None:
    path = folder.write("mqm.tsv", SUBSET)
    human = scores(path, segments=3)
    assert human.scores["b"] == (-1.0, -1.0, -1.0)
    assert "match:order" in human.signature


def test_segments_that_match_in_no_way_are_refused_with_what_to_do(folder: Folder) -> None:
    path = folder.write("mqm.tsv", SUBSET)
    with pytest.raises(MalformedFileError) as caught:
        scores(path, segments=2)
    message = str(caught.value)
    assert "line 3: seg_id 4; expected a segment of the test set, 1 to 2" in message
    assert "3 different segments" in message
    assert "give the documents of the test set" in message


def test_a_document_that_does_not_exist_is_refused(folder: Folder) -> None:
    path = folder.write("mqm.tsv", SUBSET)
    with pytest.raises(MalformedFileError, match="line 3: document 'y'"):
        scores(path, segments=3, documents=["x", "x", "z"], match="documents")


def test_the_way_of_matching_can_be_chosen(folder: Folder) -> None:
    path = folder.write("mqm.tsv", SUBSET)
    human = scores(path, segments=5, documents=["x", "x", "x", "y", "y"], match="numbers")
    assert human.scores["a"] == (-5.0, None, None, -5.0, -5.0)
    with pytest.raises(MalformedFileError, match="3 different segments; expected 5"):
        scores(path, segments=5, match="order")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEADER, "no segments"),
        (HEADER + "a\td\t1\n", "line 2: 3 fields; expected at least 9"),
        ("system\tcategory\tseverity\na\tStyle\tMajor\n", "line 1: .*seg_id"),
        (EXAMPLE + mark("a", 0, "Major", doc_id=1).replace("\t0\t", "\tx\t"), "'x' as seg_id"),
        (EXAMPLE + mark("ref", 1, "Major"), "line 9: a judgment of 'ref'"),
    ],
)
def test_broken_annotations_are_refused(folder: Folder, content: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        scores(folder.write("mqm.tsv", content))


# Error spans as mt-metrics-eval keeps them.


def rating(*errors: dict[str, object]) -> str:
    return json.dumps({"errors": list(errors)})


MAJOR = {"start": 0, "end": 3, "category": "Accuracy/Omission", "severity": "Major"}
MINOR = {"start": 0, "end": 3, "category": "Style", "severity": "minor"}


def test_rating_lines_are_in_the_order_of_the_test_set(folder: Folder) -> None:
    lines = [
        f"a\t{rating(MAJOR, MINOR)}\tr1",
        f"b\t{rating()}\tr1",
        "a\tNone\tNone",
        f"b\t{rating(MINOR)}\tr2",
    ]
    human = scores(folder.write("en-de.mqm.seg.rating", "\n".join(lines) + "\n"))
    assert human.scores == {"a": (-6.0, None), "b": (0.0, -1.0)}
    assert human.raters == 2
    assert "weights:standard" in human.signature


def test_published_weights_count_unless_others_are_given(folder: Folder) -> None:
    lines = [f"a\t{rating({**MAJOR, 'score': -4})}", f"b\t{rating({**MINOR, 'score': 0.5})}"]
    path = folder.write("en-de.mqm.seg.rating", "\n".join(lines))
    assert scores(path, segments=1).scores == {"a": (-4.0,), "b": (-0.5,)}
    assert scores(path, segments=1, weights="standard").scores == {"a": (-5.0,), "b": (-1.0,)}


def test_a_first_line_without_judgments_is_the_canary(folder: Folder) -> None:
    lines = ["a\tNone", f"a\t{rating(MAJOR)}", "b\tNone", f"b\t{rating()}"]
    path = folder.write("en-de.mqm.seg.rating", "\n".join(lines))
    assert scores(path, segments=1).scores == {"a": (-5.0,), "b": (0.0,)}


def test_stand_alone_ratings_count_segments_from_0(folder: Folder) -> None:
    rows = [
        {"system_id": "a", "segment_id": 1, "rater_id": "r", "errors": [MAJOR]},
        {"system_id": "b", "segment_id": 1, "rater_id": "r", "errors": [MINOR]},
        {"system_id": "b", "segment_id": 1, "rater_id": "s", "errors": []},
    ]
    path = folder.write("ratings.jsonl", "\n".join(map(json.dumps, rows)))
    assert scores(path).scores == {"a": (None, -5.0), "b": (None, -0.5)}


def test_stand_alone_ratings_may_count_from_0_in_each_document(folder: Folder) -> None:
    rows = [
        {"system_id": s, "document_id": d, "segment_id": 1, "errors": errors}
        for s, errors in (("a", [MAJOR]), ("b", []))
        for d in "xy"
    ]
    path = folder.write("ratings.jsonl", "\n".join(map(json.dumps, rows)))
    human = scores(path, segments=4, documents=["x", "x", "y", "y"])
    assert human.scores == {"a": (None, -5.0, None, -5.0), "b": (None, 0.0, None, 0.0)}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\t{\nb\tNone\n", "line 1: invalid JSON"),
        ("a\t[]\nb\tNone\n", r"line 1: '\[\]'; expected None or"),
        ('a\t{"errors": 3}\nb\tNone\n', "line 1: '{.errors.: 3}'; expected None or"),
        ('a\t{"errors": [{"score": "x"}]}\nb\tNone\n', "line 1: 'x' as the score"),
        ("a None\nb None\n", "line 1: 1 fields"),
        ("a\tNone\n" * 3 + "b\tNone\n" * 3 + "b\tNone\n", "without a segment number"),
    ],
)
def test_broken_ratings_are_refused(folder: Folder, content: str, message: str) -> None:
    with pytest.raises(MalformedFileError, match=message):
        scores(folder.write("x.seg.rating", content))
