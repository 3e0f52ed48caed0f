"""Damaged files of every kind are read or refused: no other error, and never a NaN."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from truebleu.corpus import as_test_set
from truebleu.counts.counting import count_texts
from truebleu.errors import SettingError, TruebleuError
from truebleu.human import HumanScores, read_human

if TYPE_CHECKING:
    from pathlib import Path

    from tests.writing import Folder

MQM = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
ESA = "u,{},{},TGT,eng,ces,{},d,False,[],1.5,2.5\n"
KINDS = {
    "scores.tsv": "system\tsegment\trater\tscore\na\t1\tr\t0.5\nb\t1\tr\t1\na\t2\tr\t2\n",
    "scores.csv": "system,doc,segment,score\na,x,1,0.5\nb,x,1,1\n",
    "wide.tsv": "segment\ta\tb\n1\t0.5\tNone\n2\t1\t2\n",
    "scores.jsonl": '{"system": "a", "segment": 1, "score": 1}\n'
    '{"system": "b", "segment": 1, "score": 2}\n',
    "x.seg.score": "a 1\na 2\nb 3\nb None\n",
    "x.domain.score": "news a 1\nnews b 2\n",
    "mqm.tsv": MQM + "a\tx\t1\t1\tr\ts\tt\tStyle\tMajor\nb\tx\t1\t1\tr\ts\tt\tStyle\tMinor\n",
    "x.seg.rating": 'a\t{"errors": [{"severity": "major", "score": 5}]}\tr\nb\t{"errors": []}\tr\n'
    * 2,
    "esa.csv": ESA.format("a", 1, 90) + ESA.format("b", 2, 80),
    "esa.jsonl": "".join(
        json.dumps({"langs": "x", "line_id": 1, "system": s, "esa_score": 9, "annotator": "u"})
        + "\n"
        for s in "ab"
    ),
    "esa.json": json.dumps(
        [
            {"doc_id": f"x_#_n_#_{d}_#_1", "scores": {"a": {"human1": 3}, "b": {"human1": 4}}}
            for d in "xy"
        ]
    ),
    "da.csv": "SYS SID RAW.SCR Z.SCR N\na.1 1 80 0.1 1\nb.2 2 70 0.2 1\n",
    "pairs.tsv": "segment\tsystem1\tsystem2\tjudgment\n1\ta\tb\t>\n2\tb\ta\ttied\n",
    "ranks.csv": "srcIndex,judgeId,system1Id,system2Id,system1rank,system2rank\n1,j,a,b,1,2\n",
}
PIECES = [
    b"",
    b"\n",
    b"\t",
    b",",
    b'"',
    b"nan",
    b"1e999",
    b"1e300",
    b"-1",
    b"\xff",
    b"{",
    b"[",
    b"]",
    b"0",
]
PIECES += [b"null", b"_", b" ", b"#", b"\0", b"9" * 400, b'{"a": NaN}']
damage = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 4), st.sampled_from(PIECES)), min_size=1, max_size=3
)
choices = st.fixed_dictionaries(
    {},
    optional={
        "documents": st.just(["x", "y"]),
        "raters": st.just("z"),
        "others": st.just("ignore"),
        "first_segment": st.sampled_from([0, 1]),
        "match": st.sampled_from(["numbers", "order"]),
    },
)


@pytest.mark.parametrize("name", sorted(KINDS))
def test_the_undamaged_file_is_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(KINDS[name])
    human = read_human(tmp_path / name, systems=["a", "b"], segments=2, documents=["x", "y"])
    assert human.systems == ("a", "b")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(edits=damage, asked=choices)
@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_damaged_file_is_read_or_refused(
    tmp_path: Path, name: str, edits: list[tuple[float, int, bytes]], asked: dict[str, Any]
) -> None:
    data = KINDS[name].encode()
    for where, cut, piece in edits:
        at = int(where * len(data))
        data = data[:at] + piece + data[at + cut :]
    path = tmp_path / name
    path.write_bytes(data)
    try:
        human = read_human(path, systems=["a", "b"], segments=2, **asked)
    except TruebleuError:
        return
    if isinstance(human, HumanScores):
        every = [score for row in human.scores.values() for score in row]
        assert all(score is None or isfinite(score) for score in every)
    else:
        assert {judgment.verdict for judgment in human.judgments} <= {-1, 0, 1}


def test_the_test_set_may_be_given_as_it_is(folder: Folder) -> None:
    path = folder.write("h.tsv", "system\tdoc\tscore\na\tx\t1\nb\tx\t2\na\ty\t3\nb\ty\t4\n")
    texts = ["one", "two", "three"]
    test_set = as_test_set({"a": texts, "b": texts}, texts, documents=["x", "x", "y"])
    parts = {"systems": ["a", "b"], "segments": 3, "documents": ["x", "x", "y"]}
    assert read_human(path, test_set) == read_human(path, **parts)  # type: ignore[arg-type]
    assert read_human(path, count_texts(test_set)) == read_human(path, test_set)
    with pytest.raises(SettingError, match="only a TestSet"):
        read_human(path, test_set, segments=3)
    with pytest.raises(SettingError, match="systems: None"):
        read_human(path, segments=3)
    with pytest.raises(SettingError, match="segments: None"):
        read_human(path, systems=["a", "b"])
