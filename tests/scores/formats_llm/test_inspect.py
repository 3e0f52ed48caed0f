"""Logs of Inspect in JSON and in archives, and its data frames."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from struct import pack
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZipFile
from zlib import crc32

import pandas
import pytest
import zstandard

from tests.scores.formats.files import read, written
from truebleu.errors import CorpusError
from truebleu.scores.formats import evaluations_in_memory, read_evaluations

RECORDED = Path(__file__).parent / "recorded"


def log(*samples: dict[str, Any], **changes: Any) -> str:
    return json.dumps({"eval": {"model": "lab/model"}, "samples": list(samples), **changes})


def sample(number: object, value: object, epoch: int = 1) -> dict[str, Any]:
    return {"id": number, "epoch": epoch, "target": "t", "scores": {"match": {"value": value}}}


def test_epochs_are_averaged_and_letters_are_numbers(tmp_path: Path) -> None:
    samples = [sample("q1", "C"), sample("q2", "I"), sample("q1", "I", 2), sample("q2", "P", 2)]
    scores = read(written(tmp_path, "log.json", log(*samples)))
    assert scores.by_system == {"lab/model": [0.5, 0.25]}
    assert (scores.name, scores.higher_is_better) == ("match", None)


def test_a_sample_that_failed_is_missing(tmp_path: Path) -> None:
    failed = {"id": 2, "epoch": 1, "error": {"message": "limit"}}
    scores = read(written(tmp_path, "log.json", log(sample(1, 0.5), failed)))
    assert scores.by_system == {"lab/model": [0.5, None]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (log({"scores": {}}), "sample 1 without an id"),
        (log(sample(1, [1, 2])), "item 1: match '[1, 2]'; expected a number"),
        (log(sample(1, "maybe")), "item 1: match 'maybe'"),
        (log(samples=None), "no list of samples"),
    ],
)
def test_a_log_that_cannot_be_read_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CorpusError) as refusal:
        read(written(tmp_path, "log.json", text))
    assert message in str(refusal.value)


# Archives.


def archive(path: Path, members: dict[str, str], *, zstd: bool = False) -> str:
    """A zip as Inspect writes it; one by zstd is put together by hand, as zipfile cannot."""
    stored = {f"{name}.json": text.encode() for name, text in members.items()}
    if zstd:
        path.write_bytes(zstd_archive(stored))
        return str(path)
    with ZipFile(path, "w", ZIP_DEFLATED) as made:
        for name, text in stored.items():
            made.writestr(name, text)
    return str(path)


def zstd_archive(members: dict[str, bytes]) -> bytes:
    """Members with the headers of PKWARE's APPNOTE, compressed by method 93."""
    parts, entries = b"", b""
    for name, text in members.items():
        data = zstandard.compress(text)
        sizes = pack(
            "<HHHHHIIIHH", 63, 0, 93, 0, 0, crc32(text), len(data), len(text), len(name), 0
        )
        entries += b"PK\1\2\x3f\0" + sizes + pack("<HHHII", 0, 0, 0, 0, len(parts)) + name.encode()
        parts += b"PK\3\4" + sizes + name.encode() + data
    count = len(members)
    end = pack("<HHHHIIH", 0, 0, count, count, len(entries), len(parts), 0)
    return parts + entries + b"PK\5\6" + end


HEADER = json.dumps({"eval": {"model": "lab/model", "task": "quiz"}, "status": "success"})
SAMPLES = [sample("q1", "C"), sample("q1", "I", 2), {**sample("q2", 0.5), "metadata": {"topic": 3}}]
LOG = {"header": HEADER, "summaries": json.dumps(SAMPLES)}


@pytest.mark.parametrize("zstd", [False, True])
def test_an_archive_is_read_by_its_summaries(tmp_path: Path, zstd: bool) -> None:
    path = archive(tmp_path / "a.eval", LOG, zstd=zstd)
    (evaluation,) = read_evaluations(path)
    assert (evaluation.system, evaluation.benchmark) == ("lab/model", "quiz")
    assert evaluation.answers() == ("match", {"q1": [1.0, 0.0], "q2": [0.5]})
    assert evaluation.labels("topic") == {"q2": "3"}


def test_samples_are_read_if_there_are_no_summaries(tmp_path: Path) -> None:
    members = {f"samples/q_epoch_{n}": json.dumps(one) for n, one in enumerate(SAMPLES)}
    path = archive(tmp_path / "a.eval", {"header": HEADER, **members})
    assert read_evaluations(path)[0].answers()[1] == {"q1": [1.0, 0.0], "q2": [0.5]}


def test_an_archive_that_inspect_wrote() -> None:
    (evaluation,) = read_evaluations(str(RECORDED / "inspect.eval"))
    assert (evaluation.system, evaluation.benchmark) == ("mockllm/model", "sums")
    answers = {"q0": [0.0, 1.0], "q1": [1.0, 1.0], "q2": [0.0, 1.0]}
    assert evaluation.answers() == ("match", answers)
    assert evaluation.labels("passage") == {"q0": "p0", "q1": "p0", "q2": "p1"}


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"other": "{}"}, "a zip archive without header.json"),
        ({"_journal/start": "{}"}, "an unfinished log"),
        ({"header": "{", "summaries": "[]"}, "invalid JSON in header.json"),
        ({"header": HEADER, "summaries": "["}, "invalid JSON in summaries.json"),
        ({"header": HEADER, "summaries": "{}"}, "no list of samples"),
    ],
)
def test_an_archive_that_cannot_be_read_is_refused(
    tmp_path: Path, members: dict[str, str], message: str
) -> None:
    path = archive(tmp_path / "a.eval", members)
    with pytest.raises(CorpusError) as refusal:
        read(path)
    assert message in str(refusal.value)
    assert str(refusal.value).startswith(path)


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    for zstd in (False, True):
        path = tmp_path / "a.eval"
        data = Path(archive(path, LOG, zstd=zstd)).read_bytes()
        for damaged in (data[: len(data) // 2], data[:60] + b"\xff" * 8 + data[68:]):
            path.write_bytes(damaged)
            with pytest.raises(CorpusError, match=r"a\.eval: "):
                read(str(path))


@pytest.mark.parametrize("method", [ZIP_DEFLATED, ZIP_LZMA, ZIP_BZIP2])
def test_whatever_is_damaged_in_an_archive_is_refused(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.eval"
    with ZipFile(path, "w", method) as made:
        made.writestr("header.json", HEADER)
        made.writestr("summaries.json", json.dumps(SAMPLES))
    data = path.read_bytes()
    draws = Random(method)  # noqa: S311
    refused = 0
    for _ in range(300):
        place = draws.randrange(len(data))
        path.write_bytes(data[:place] + bytes([draws.randrange(256)]) + data[place + 1 :])
        try:
            read(str(path))
        except CorpusError:
            refused += 1
    assert refused > 100
    path.write_bytes(data.replace(data[40:60], b"\xff" * 20))
    with pytest.raises(CorpusError, match=r"header\.json, which cannot be read"):
        read(str(path))


def test_a_member_larger_than_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUEBLEU_MAX_BYTES", "100")
    with pytest.raises(CorpusError, match="raise TRUEBLEU_MAX_BYTES"):
        read(archive(tmp_path / "a.eval", LOG))


# Data frames.


def frame(**changes: list[object]) -> dict[str, list[object]]:
    """The columns of inspect_ai.analysis.samples_df that matter here, and one that must not."""
    return {
        "sample_id": ["u1", "u2", "u3", "u4"],
        "eval_id": ["e1", "e1", "e2", "e2"],
        "model": ["a", "a", "b", "b"],
        "id": ["q1", "q2", "q2", "q1"],
        "epoch": [1, 1, 1, 1],
        "total_time": [0.5, 0.25, 0.5, 0.25],
        "metadata_topic": ["x", "y", "y", "x"],
        "score_match": ["C", "I", "P", None],
        **changes,
    }


def test_a_data_frame_has_the_scores_of_its_scorers() -> None:
    a, b = evaluations_in_memory("frame", pandas.DataFrame(frame()))
    assert (a.system, a.answers()) == ("a", ("match", {"q1": [1.0], "q2": [0.0]}))
    assert (b.system, b.answers()[1]) == ("b", {"q2": [0.5], "q1": [None]})
    assert a.labels("metadata_topic") == {"q1": "x", "q2": "y"}


def test_a_frame_without_models_is_one_system_or_refused() -> None:
    columns = frame()
    del columns["model"]
    with pytest.raises(CorpusError, match=r"columns=EvalModel \+ SampleSummary"):
        evaluations_in_memory("frame", pandas.DataFrame(columns))
    one = {**columns, "eval_id": ["e1"] * 4, "epoch": [1, 1, 2, 2]}
    (evaluation,) = evaluations_in_memory("mine", pandas.DataFrame(one))
    assert evaluation.system == "mine"


def test_a_file_of_such_a_frame_is_read_in_the_same_way(tmp_path: Path) -> None:
    path = tmp_path / "frame.csv"
    pandas.DataFrame(frame()).to_csv(path, index=False)
    assert [read_evaluation.answers()[0] for read_evaluation in read_evaluations(str(path))] == [
        "match",
        "match",
    ]


@pytest.mark.parametrize(
    ("status", "end"),
    [("error", "with an error"), ("cancelled", "early"), ("started", "before it was done")],
)
def test_a_run_that_failed_says_so(tmp_path: Path, status: str, end: str) -> None:
    failed = log(sample(1, 1), status=status, error={"message": "rate limit reached"})
    for path in (
        written(tmp_path, "log.json", failed),
        written(tmp_path, "empty.json", json.dumps({"eval": {}, "status": status})),
        archive(tmp_path / "a.eval", {**LOG, "header": json.dumps({"eval": {}, "status": status})}),
    ):
        with pytest.raises(CorpusError, match=f"this run ended {end}"):
            read(path)
    with pytest.raises(CorpusError, match="rate limit reached"):
        read(str(tmp_path / "log.json"))


def test_a_run_that_succeeded_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, "log.json", log(sample(1, 1), status="success"))
    assert read(path).by_system == {"lab/model": [1.0]}


def test_the_first_of_several_scorers_is_the_default(tmp_path: Path) -> None:
    two = {**sample(1, 1), "scores": {"a": {"value": 1}, "b": {"value": 0}}}
    path = written(tmp_path, "log.json", log(two))
    assert (read(path).name, read(path, "b").by_system) == ("a", {"lab/model": [0.0]})
