"""Inspect: logs of inspect_ai, as JSON or as .eval archives, and the data frames of its API.

The epochs of a sample are answers to one item, and its metadata are known about it. Letters count
as Inspect counts them: C is 1, P is one half, I and N are 0. A sample that failed has no score.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from truebleu.corpus._files import decompress, refuse_large
from truebleu.corpus._tables import parse_json
from truebleu.errors import MalformedFileError
from truebleu.human.tools._items import Evaluation, Item
from truebleu.human.tools._scores import system_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from zipfile import ZipFile, ZipInfo

    from truebleu.human.tools._scores import ToolFile

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def knows(file: ToolFile) -> bool:
    """Whether it is a log with samples."""
    log = file.json
    return isinstance(log, dict) and {"eval", "samples"} <= log.keys()


def read(file: ToolFile) -> list[Evaluation]:
    """The samples in the order of the log, the epochs of each in their order."""
    log = file.json
    samples = log["samples"]
    if not isinstance(samples, list):
        file.refuse(None, "no list of samples", "a log with its samples")
    items: dict[str, dict[int, Item]] = {}
    for number, sample in enumerate(samples, 1):
        if not isinstance(sample, dict) or not isinstance(sample.get("id"), str | int):
            file.refuse(None, f"sample {number} without an id", "one for each sample")
        key, epoch = str(sample["id"]), sample.get("epoch", 1)
        if isinstance(epoch, bool) or not isinstance(epoch, int):
            file.refuse(None, f"sample {number}: epoch {epoch!r}", "a whole number")
        if epoch in items.setdefault(key, {}):
            file.refuse(None, f"sample {key}, epoch {epoch} again", "each once")
        metadata = sample.get("metadata")
        items[key][epoch] = Item(
            key,
            _scores(sample.get("scores")),
            checksum=str(sample.get("target", "")),
            answer=str(epoch),
            fields=metadata if isinstance(metadata, dict) else {},
        )
    ordered = tuple(items[key][epoch] for key in items for epoch in sorted(items[key]))
    about = log["eval"] if isinstance(log["eval"], dict) else {}
    model, task = about.get("model"), about.get("task")
    return [
        Evaluation(
            file,
            model if isinstance(model, str) else system_of(file.path),
            ordered,
            higher_is_better=True,
            benchmark=task if isinstance(task, str) else "",
        )
    ]


def _scores(scores: Any) -> dict[str, object] | None:
    """The scores by scorer; a sample that failed has none."""
    if not scores or not isinstance(scores, dict):
        return None
    values = {
        name: score.get("value") if isinstance(score, dict) else score
        for name, score in scores.items()
    }
    return {name: counted(value) for name, value in values.items()}


def counted(value: object) -> object:
    """A score as it counts: letters are numbers."""
    return LETTERS.get(value, value) if isinstance(value, str) else value


# Archives: a zip whose members may be compressed by zstd, which Python reads from 3.14 on.

HEADER, SUMMARIES, SAMPLES, BEGUN = "header.json", "summaries.json", "samples/", "_journal/"
ZSTD = 93


def archive_text(path: str, data: bytes) -> str:
    """The log of an archive as JSON: its header, and its samples or their summaries."""
    from io import BytesIO
    from zipfile import BadZipFile, ZipFile

    try:
        archive = ZipFile(BytesIO(data))
        members = {member.filename: member for member in archive.infolist()}
    except (BadZipFile, ValueError, NotImplementedError) as error:
        found = f"a zip archive that is damaged or cut off ({error})"
        raise MalformedFileError(path, None, found, "a log of Inspect") from None
    if HEADER not in members:
        begun = any(name.startswith(BEGUN) for name in members)
        found = "a log that was not finished" if begun else f"a zip archive without {HEADER}"
        raise MalformedFileError(path, None, found, "a finished log of Inspect")

    def read_member(name: str) -> Any:
        text = _member(path, data, archive, members[name])
        try:
            return parse_json(text)
        except ValueError:
            raise MalformedFileError(path, None, f"no JSON as {name}", "a log of Inspect") from None

    header = read_member(HEADER)
    about = header.get("eval") if isinstance(header, dict) else None
    # Summaries are small, whatever agents wrote; they have all that counts here.
    if SUMMARIES in members:
        samples = read_member(SUMMARIES)
    else:
        names = [name for name in members if name.startswith(SAMPLES)]
        # Each may be small, and may be the same part of the file as all others.
        refuse_large(path, sum(members[name].file_size for name in names))
        samples = [read_member(name) for name in names]
    return json.dumps({"eval": about, "samples": samples})


def _member(path: str, data: bytes, archive: ZipFile, member: ZipInfo) -> bytes:
    """One member of an archive, checked by its checksum."""
    from zipfile import BadZipFile
    from zlib import crc32

    refuse_large(path, member.file_size)
    try:
        if member.compress_type != ZSTD:
            return archive.read(member)
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        return _refuse_member(path, member, str(error))
    # A header of 30 bytes, with the lengths of the name and of what else comes before the data.
    start = member.header_offset
    lengths = data[start + 26 : start + 30]
    start += 30 + int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
    contents = decompress(path, data[start : start + member.compress_size])
    if crc32(contents) != member.CRC:
        return _refuse_member(path, member, "its checksum is another")
    return contents


def _refuse_member(path: str, member: ZipInfo, reason: str) -> bytes:
    found = f"{member.filename}, which cannot be read ({reason})"
    raise MalformedFileError(path, None, found, "a log of Inspect") from None


# Data frames, as `inspect_ai.analysis.samples_df` makes them, or files of such.

FRAME = frozenset({"sample_id", "eval_id", "epoch"})
PREFIX = "score_"


def is_frame(columns: Mapping[str, object]) -> bool:
    """Whether the columns are those of samples in one of Inspect's data frames."""
    return columns.keys() >= FRAME and any(name.startswith(PREFIX) for name in columns)
