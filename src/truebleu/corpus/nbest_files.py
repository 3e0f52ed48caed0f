"""Files of n-best lists.

The format is given, or detected from the first line.

Fields between ``|||``, one line per candidate:

    Moses     id ||| text ||| Name0= v v Other0= v sparse_name= v ||| total [||| alignment …]
    cdec      id ||| text ||| name=v name=v ||| total
    Joshua    as cdec
    Marian    id ||| text [||| alignment] [||| WordScores= v v] ||| F0= v ||| normalised score

JSON Lines, one object per segment with its candidates, or one per candidate:

    {"source": "…", "candidates": ["…", "…"], "logprobs": [-1.2, -3.4]}
    {"candidates": [{"text": "…", "logprob": -1.2, "comet": 0.8}, {"text": "…", …}]}
    {"id": 0, "text": "…", "logprob": -1.2}
    {"translations": ["…", "…"], "scores": [0.7, 0.9]}        (Sockeye)

Logs of fairseq-generate and fairseq-interactive, with tabs between the fields: ``S-id source`` and
``T-id reference`` for each segment, and ``H-id score text``, ``D-id score text`` and ``P-id`` with
the score of each token for each hypothesis. Scores are logarithms to base 2; the score of a
hypothesis is divided by a power of its length.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from os import PathLike
from sys import intern
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NoReturn

import numpy as np

from truebleu.corpus._files import BYTE_ORDER_MARK, Files, decode
from truebleu.corpus.nbest import FINITE, NBest, SparseFeatures
from truebleu.corpus.sequences import column_values, frame_columns, is_frame
from truebleu.corpus.tables import SEGMENT, TARGET, kind_of, read_records, value_inside
from truebleu.errors import (
    EmptyTextError,
    MalformedFileError,
    SettingError,
    UnpairedSegmentsError,
    shortened,
)
from truebleu.schema import LARGEST, Setting, check_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO

    from numpy.typing import NDArray

__all__ = ["NBEST_FORMATS", "ListFormat", "read_nbest"]

Record = Mapping[str, Any]

#: The formats by name.
NBEST_FORMATS = ("moses", "cdec", "joshua", "marian", "fairseq", "sockeye", "jsonl", "flat")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFormat:
    """Options for reading a file of n-best lists.

    Attributes:
        input_format: format of the lists. Default: guessed from the first line.
        list_size: number of lines per segment, in plain text.
        scores: file with the score of each line, for plain text.
        first_id: number of the first segment in files that number segments.
        features: keys of features. Default: every other number.
    """

    input_format: Annotated[
        str | None, Setting(choices=NBEST_FORMATS, group="Texts", rare=True)
    ] = None
    list_size: Annotated[int | None, Setting(minimum=1, group="Texts", rare=True)] = None
    scores: Annotated[
        str | PathLike[str] | None, Setting(group="Texts", rare=True, flags=("--list-scores",))
    ] = None
    first_id: Annotated[int, Setting(minimum=0, maximum=1, group="Texts", rare=True)] = 0
    features: Annotated[
        Sequence[str] | None,
        Setting(group="Texts", rare=True, metavar="KEY", flags=("--feature",)),
    ] = None

    def __post_init__(self) -> None:
        check_fields(self)

    def with_format(self, path: str, lines: Sequence[Line]) -> ListFormat:
        """Return these options with the format detected from the first lines, unless it is given.

        Raises EmptyTextError if all lines are empty, and SettingError for options that the format
        cannot use.
        """
        if not any(line.text for line in lines):
            raise EmptyTextError(path)
        format_ = self.input_format or _detect_format(lines, self.list_size)
        if format_ != "flat" and (self.list_size is not None or self.scores is not None):
            raise SettingError("list_size or scores", format_, "lists as plain text, format flat")
        if format_ not in ("jsonl", "sockeye") and self.features:
            raise SettingError("features", f"a file of format {format_}", "JSON Lines")
        return replace(self, input_format=format_)


def read_nbest(
    path: str | PathLike[str], *, stdin: BinaryIO | None = None, **options: Any
) -> NBest:
    """Read candidates for each segment; the file may be compressed, and - is standard input.

    Args:
        path: path of the file.
        stdin: binary file to read for -; by default standard input.
        options: options of `ListFormat`; by default detected from the file.

    Raises:
        CorpusError: The file is malformed.
    """
    return read_lists(str(path), ListFormat(**options), stdin)


def as_nbest(lists: NBest | Iterable[Iterable[str]] | PathLike[str]) -> NBest:
    """Return NBest unchanged, or create it from lists of texts, rows, a data frame or a file."""
    if isinstance(lists, NBest):
        return lists
    if isinstance(lists, str | PathLike):
        return read_nbest(lists)
    rows: Any = lists
    if is_frame(lists):
        columns = {key: column_values(c) for key, c in frame_columns("candidates", lists).items()}
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if isinstance(rows, list | tuple) and rows and all(isinstance(row, Mapping) for row in rows):
        options = ListFormat(input_format="jsonl")
        return _build_lists(
            "candidates", options, list(_group_records("candidates", rows, options))
        )
    return NBest.of(rows)


def read_lists(path: str, options: ListFormat, stdin: BinaryIO | None = None) -> NBest:
    """Read the lists of a file."""
    files = Files(stdin)
    data = files.contents(path)
    lines = _read_lines(path, data)
    options = options.with_format(path, lines)
    if options.input_format in ("jsonl", "sockeye"):
        lists = _group_records(path, read_records(path, data), options)
    elif options.input_format == "flat":
        lists = _read_flat(path, lines, options, files)
    elif options.input_format == "fairseq":
        lists = _read_fairseq(path, lines)
    else:
        lists = _group_by_id(_read_bars(lines, str(options.input_format)), options.first_id)
    return _build_lists(path, options, list(lists))


#: Name of a feature in messages.
FEATURE = "feature {!r}"


class Line(NamedTuple):
    """A line of a file without its line end, which raises errors about itself."""

    path: str
    number: int
    text: str = ""

    def refuse(self, found: str, expected: str) -> NoReturn:
        """Raise MalformedFileError about this line."""
        raise MalformedFileError(self.path, self.number, found, expected)

    def value(self, name: str, text: str, label: str = "{}") -> float:
        """Parse a finite number; `float` alone would accept nan, inf and 1_000.

        Args:
            name: name of the value.
            text: text to parse.
            label: name in messages, with {} for `name`.
        """
        try:
            value = None if "_" in text else float(text)
        except ValueError:
            value = None
        if value is None:
            hint = "; write decimals with a point" if "," in text else ""
            self.refuse(f"{label.format(name)}: {text!r}", f"a number{hint}")
        return value if abs(value) <= LARGEST else self.require_finite(label.format(name), value)

    def require_finite(self, name: str, value: float) -> float:
        """Return the value; raises MalformedFileError if it is NaN, infinite or too large."""
        if not abs(value) <= LARGEST:
            expected = f"{FINITE}; remove such candidates or give them a number"
            self.refuse(f"{name}: {shortened(str(value))}", expected)
        return float(value)


def _read_lines(path: str, data: bytes) -> list[Line]:
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK)
    lines = text.removesuffix("\n").split("\n") if text else []
    return [Line(path, number, text.removesuffix("\r")) for number, text in enumerate(lines, 1)]


# Candidates from parsers, and lists of them.


class Candidate(NamedTuple):
    """One candidate of a file.

    Attributes:
        line: line of the candidate.
        text: text of the candidate.
        features: values by name that every candidate of a file must have.
        sparse: values by name that a candidate may lack.
        score: the model's score, as in the file.
        log_probability: natural logarithm of the model's probability, or None.
        times: number of times that it was sampled, or None.
    """

    line: Line
    text: str
    features: Mapping[str, float] = {}
    sparse: Mapping[str, float] = {}
    score: float | None = None
    log_probability: float | None = None
    times: float | None = None


class SegmentList(NamedTuple):
    """The list of a segment, and its source or None."""

    candidates: list[Candidate]
    source: str | None = None


def _build_lists(path: str, options: ListFormat, lists: Sequence[SegmentList]) -> NBest:
    """Build NBest; raises MalformedFileError unless all candidates have the same columns."""
    flat = [candidate for list_ in lists for candidate in list_.candidates]
    if not flat:
        raise EmptyTextError(path)
    dense = tuple(flat[0].features)
    _refuse_other_features(flat, dense)
    # Sparse features that every candidate has, in the order of the first candidate.
    promoted = dict.fromkeys(flat[0].sparse)
    for candidate in flat:
        if promoted and not promoted.keys() <= candidate.sparse.keys():
            promoted = {name: None for name in promoted if name in candidate.sparse}
    sparse = None
    if any(len(candidate.sparse) > len(promoted) for candidate in flat):
        sparse = SparseFeatures.of(
            {name: value for name, value in candidate.sparse.items() if name not in promoted}
            for candidate in flat
        )
    features = [
        [candidate.features[name] for name in dense] + [candidate.sparse[name] for name in promoted]
        for candidate in flat
    ]
    scores, logs, times = (
        _join_column(name, flat) for name in ("score", "log_probability", "times")
    )
    sources = tuple(list_.source for list_ in lists if list_.source is not None)
    return NBest(
        texts=tuple(candidate.text for candidate in flat),
        offsets=np.concatenate([[0], np.cumsum([len(list_.candidates) for list_ in lists])]),
        feature_names=(*dense, *promoted),
        features=np.array(features).reshape(len(flat), -1),
        sparse=sparse,
        scores=scores,
        log_probabilities=logs,
        counts=None if times is None else times.astype(np.int64),
        sources=sources if len(sources) == len(lists) else None,
        name=path,
        format=str(options.input_format),
    )


def _join_column(name: str, flat: Sequence[Candidate]) -> NDArray[np.float64] | None:
    """Return a column that every candidate has, or None if no candidate has it."""
    values: list[float | None] = [getattr(candidate, name) for candidate in flat]
    known = [c.line.number for c, value in zip(flat, values, strict=True) if value is not None]
    if known and None in values:
        noun = {"times": "count", "log_probability": "log-probability"}.get(name, name)
        line = flat[values.index(None)].line
        line.refuse(f"no {noun}", f"a {noun}, as on line {known[0]}")
    return np.array(values, dtype=np.float64) if known else None


def _refuse_other_features(flat: Sequence[Candidate], dense: tuple[str, ...]) -> None:
    expected_names = set(dense)
    for candidate in flat:
        if candidate.features.keys() == expected_names:
            continue
        missing = [name for name in dense if name not in candidate.features]
        further = [name for name in candidate.features if name not in expected_names]
        found = f"no feature {missing[0]!r}" if missing else f"a feature {further[0]!r}"
        expected = f"the features of line {flat[0].line.number}: {', '.join(dense) or 'none'}"
        candidate.line.refuse(found, expected)


def _group_by_id(candidates: Iterable[tuple[int, Candidate]], first_id: int) -> list[SegmentList]:
    """Group candidates into lists by segment; segments must ascend by 1 from `first_id`."""
    lists: list[SegmentList] = []
    last = first_id - 1
    for id_, candidate in candidates:
        if id_ == last + 1:
            lists.append(SegmentList([]))
            last += 1
        if lists and id_ == last:
            lists[-1].candidates.append(candidate)
            continue
        if not lists:
            hint = f"; with --first-id {id_} ids start at {id_}" if id_ == 1 else ""
            candidate.line.refuse(f"segment {id_} first", f"{first_id}{hint}")
        expected = (
            "each segment's candidates together, segments in order of their number; "
            "sort the file by segment (sort -s -n -k1,1)"
        )
        if id_ > last:
            expected = (
                f"candidates for segment {last + 1}; translate the segment again or give it an "
                "empty candidate"
            )
        candidate.line.refuse(f"segment {id_} after segment {last}", expected)
    return lists


def _detect_format(lines: Sequence[Line], size: int | None) -> str:
    if size is not None:
        return "flat"
    first = next((line for line in lines if line.text.strip()), lines[0])
    if first.text.lstrip().startswith("{"):
        is_sockeye = '"translations"' in first.text and '"scores"' in first.text
        return "sockeye" if is_sockeye else "jsonl"
    if any(re.match(r"[STHDP]-\d+\t", line.text) for line in lines[:100]):
        return "fairseq"
    fields = [field.strip() for field in first.text.split(BARS)]
    if len(fields) < 2:
        expected = (
            "id ||| text ||| …, JSON Lines or a log of fairseq; for plain text give the number of "
            "lines per segment (--list-size N)"
        )
        first.refuse(f"{first.text[:40]!r}", expected)
    if any(MARIAN_FEATURE.match(field) for field in fields[2:]):
        return "marian"
    words = fields[2].split(maxsplit=1) if len(fields) > 2 else []
    return "cdec" if words and re.fullmatch(r"[^=\s]+=\S+", words[0]) else "moses"


def _read_flat(
    path: str, lines: Sequence[Line], options: ListFormat, files: Files
) -> Iterator[SegmentList]:
    """Read plain text with the same number of lines for each segment."""
    size, total = options.list_size, len(lines)
    if size is None:
        raise SettingError("list_size", size, "the number of lines per segment")
    values: list[float | None] = [None] * total
    if options.scores is not None:
        name = str(options.scores)
        score_lines = _read_lines(name, files.contents(name))
        # Blank lines at the end are not scores.
        while len(score_lines) > total and not score_lines[-1].text.strip():
            score_lines.pop()
        values = [line.value("score", line.text.strip()) for line in score_lines]
        if len(values) != total:
            raise UnpairedSegmentsError(name, len(values), path, total)
    if total % size:
        lines[-1].refuse(f"{total} lines", f"a multiple of {size}, the lines per segment")
    pairs = zip(lines, values, strict=True)
    candidates = [Candidate(line, line.text, score=score) for line, score in pairs]
    for start in range(0, total, size):
        yield SegmentList(candidates[start : start + size])


# Fields between |||: Moses and similar formats.


BARS = "|||"
#: Most digits of a segment's number; Python refuses to parse longer integers.
DIGITS = 18
#: Model score in Marian's lists; a single model has no space before the value.
MARIAN_FEATURE = re.compile(r"F\d+=")


def _read_bars(lines: Sequence[Line], format_: str) -> Iterator[tuple[int, Candidate]]:
    """Yield the number of the segment and the candidate of each line."""
    read = BAR_READERS[format_]
    for line in lines:
        if not line.text.strip():
            continue
        fields = line.text.split(BARS)
        if len(fields) < 3:
            found = f"{len(fields)} fields" if len(fields) > 1 else f"no {BARS}"
            line.refuse(found, "id ||| text ||| features ||| score")
        id_ = fields[0].strip()
        if not (id_.isascii() and id_.isdigit() and len(id_) <= DIGITS):
            line.refuse(f"segment {shortened(id_)!r}", "the segment's number, from 0 on")
        fields[1] = fields[1].strip(" ")
        # The line is kept without its text, which would double the memory.
        yield int(id_), read(line._replace(text=""), fields)


def _parse_moses(line: Line, fields: list[str]) -> Candidate:
    """Parse groups of features: a name that ends in =, then its values, separated by spaces."""
    groups: dict[str, list[float]] = {}
    name, group = "", None
    for token in fields[2].split():
        if token.endswith("=") and len(token) > 1:
            # Interned, because names would take more memory than values.
            name = intern(token[:-1])
            if name in groups:
                expected = "each feature once; Moses would keep only the last value"
                line.refuse(f"the feature {name!r} twice", expected)
            group = groups[name] = []
        elif group is None or "=" in token:
            expected = (
                "Name= value …, with a space before each value; Moses would read 0 here. "
                "For a list of cdec, Joshua or Marian use --input-format"
            )
            line.refuse(f"{token!r} among the features", expected)
        else:
            group.append(line.value(name, token, FEATURE))
    features: dict[str, float] = {}
    sparse: dict[str, float] = {}
    for name, values in groups.items():
        if not values:
            line.refuse(f"no value of {name!r}", "at least one value")
        if "_" in name and len(values) > 1:
            expected = "one value: a feature with _ in its name is sparse, as in Moses; rename it"
            line.refuse(f"{len(values)} values of {name!r}", expected)
        if "_" in name or len(values) == 1:
            (sparse if "_" in name else features)[name] = values[0]
        else:
            # Moses names the values of a group like this.
            features |= {intern(f"{name}_{i}"): value for i, value in enumerate(values)}
    total = _parse_total(line, fields[3]) if len(fields) > 3 and fields[3].strip() else None
    return Candidate(line, fields[1], features, sparse, total, total)


def _parse_total(line: Line, field: str) -> float:
    return line.value("total score", field.strip())


def _parse_named_values(line: Line, field: str) -> dict[str, float]:
    """Parse features written name=value, without spaces around the =."""
    values: dict[str, float] = {}
    for token in field.split():
        # A name may contain an =, so the last one separates.
        prefix, equals, value = token.rpartition("=")
        name = intern(prefix)
        if not equals or not name or not value:
            line.refuse(f"{token!r} among the features", "name=value, without a space")
        if name in values:
            line.refuse(f"the feature {name!r} twice", "each feature once")
        values[name] = line.value(name, value, FEATURE)
    return values


def _parse_cdec(line: Line, fields: list[str]) -> Candidate:
    total = _parse_total(line, fields[3]) if len(fields) > 3 else None
    return Candidate(line, fields[1], {}, _parse_named_values(line, fields[2]), total, total)


def _parse_marian(line: Line, fields: list[str]) -> Candidate:
    features: dict[str, float] = {}
    for field in fields[2:-1]:
        if MARIAN_FEATURE.match(field.strip()):
            # The = is followed by a space only if there are several models.
            features = _parse_named_values(line, re.sub(r"=\s+", "=", field))
    if not features:
        line.refuse("no F0=", "Marian's features, such as F0= -1.5")
    score = line.value("score", fields[-1].strip())
    # The last field may be divided by the length; the score of a single model never is.
    log_probability = features["F0"] if len(features) == 1 and "F0" in features else None
    return Candidate(line, fields[1], features, score=score, log_probability=log_probability)


#: Parser of a line by format.
BAR_READERS: dict[str, Callable[[Line, list[str]], Candidate]] = {
    "moses": _parse_moses,
    "cdec": _parse_cdec,
    "joshua": _parse_cdec,
    "marian": _parse_marian,
}


# Logs of fairseq-generate and fairseq-interactive.


FAIRSEQ_LINE = re.compile(r"([SHDP])-([0-9]{1,18})\t(.*)", re.DOTALL)


def _read_fairseq(path: str, lines: Sequence[Line]) -> Iterator[SegmentList]:
    """Parse a log of fairseq; sort lists by id, because fairseq sorts segments by length."""
    lists: dict[int, list[Candidate]] = {}
    sources: dict[int, str] = {}
    for line in lines:
        match = FAIRSEQ_LINE.fullmatch(line.text)
        if match is None:
            # Any other lines of a log may stand between the hypotheses.
            continue
        kind, id_, rest = match[1], int(match[2]), match[3]
        list_ = lists.setdefault(id_, [])
        if kind == "S":
            sources[id_] = rest
        elif kind == "H":
            list_.append(Candidate(line, *_parse_scored(line, rest)))
        elif not list_:
            line.refuse(f"{kind}-{id_} without a hypothesis", f"H-{id_} above it")
        elif kind == "D":
            list_[-1] = list_[-1]._replace(text=_parse_scored(line, rest)[0])
        else:
            tokens = [line.value(f"P-{id_}", token) for token in rest.split()]
            list_[-1] = list_[-1]._replace(log_probability=sum(tokens) * log(2))
    ids = sorted(lists)
    for segment, id_ in enumerate(ids):
        if id_ != segment or not lists[id_]:
            expected = "a hypothesis for every segment; is the log complete?"
            raise MalformedFileError(path, None, f"no H-{segment}", expected)
    return (SegmentList(lists[id_], sources.get(id_)) for id_ in ids)


def _parse_scored(line: Line, rest: str) -> tuple[str, dict[str, float], dict[str, float], float]:
    """Parse a score, a tab and a text; return the text, no features, and the score."""
    score, tab, text = rest.partition("\t")
    if not tab:
        line.refuse(f"{rest!r}", "a score, a tab and the text")
    return text, {}, {}, line.value("score", score)


# JSON Lines.


#: Default keys of each kind of value.
KEYS = {
    "candidates": (
        *("candidates", "samples", "translations", "hypotheses", "outputs", "nbest"),
        *("completions", "generations", "responses"),
    ),
    # A target next to another text may be the reference, so it comes last.
    "text": (
        *("text", *TARGET[1:], "candidate", "sample", "output"),
        *("completion", "generation", "response", TARGET[0]),
    ),
    "id": ("id", *SEGMENT, "index", "idx", "custom_id"),
    "source": ("source", "src"),
    "score": ("score", "scores"),
    "log_probability": (
        *("logprob", "log_prob", "log_probability", "cumulative_logprob", "sum_logprob"),
        *("logprobs", "log_probs", "log_probabilities", "cumulative_logprobs"),
    ),
    "count": ("count", "counts"),
}


def _find_key(record: Record, field: str, kind: Any = object) -> str | None:
    """Return the first key of a field that a record has with a value of this type, or None."""
    return next(
        (key for key in KEYS[field] if key in record and isinstance(record[key], kind)), None
    )


def _group_records(
    path: str, records: Sequence[Record], options: ListFormat
) -> Iterable[SegmentList]:
    """Group records, which are segments with candidates or single candidates, into lists."""
    numbered = ((Line(path, number), record) for number, record in enumerate(records, 1))
    lines = [(line, _chat_answers(line, record)) for line, record in numbered]
    start, first = lines[0]
    key = _find_key(first, "candidates", list)
    id_key = _find_key(first, "id", object if key is None else str | int)
    reader = _JsonReader(start, first, options) if key is None else None
    if key is None and id_key is None:
        expected = (
            f"a list of candidates ({', '.join(KEYS['candidates'][:3])} …) or the segment of each "
            "candidate (id …)"
        )
        start.refuse(f"the keys {', '.join(first)}", expected)
    lists: dict[str | int, SegmentList] = {}
    highest: int | None = None
    for index, (line, record) in enumerate(lines):
        candidates = [record] if key is None else _candidates_in(line, record, key)
        id_ = index if id_key is None else _segment_id(line, record, id_key)
        if key is not None and id_ in lists:
            line.refuse(f"segment {id_!r} again", "each segment once, with all candidates")
        if key is None and id_ not in lists:
            if isinstance(id_, int) and highest is not None and id_ < highest:
                expected = "segments in order of their number; sort the lines by segment"
                line.refuse(f"segment {id_} after segment {highest}", expected)
            highest = id_ if isinstance(id_, int) else None
        list_ = lists.setdefault(id_, SegmentList([], _source_of(record)))
        for item in candidates:
            reader = reader or _JsonReader(line, item, options)
            list_.candidates.append(reader.candidate(line, item))
    return _sort_by_number(lists)


def _chat_answers(line: Line, record: Record) -> Record:
    """Return an answer of OpenAI's API or a line of its batch file as a segment with candidates."""
    body = value_inside(record, ["response", "body"])
    answer = body if isinstance(body, dict) else record
    choices = answer.get("choices")
    if not isinstance(choices, list):
        if "custom_id" in record and "response" in record:
            found = f"no answer to {record['custom_id']!r} ({shortened(str(record.get('error')))})"
            line.refuse(found, "choices under response.body; remove or repeat failed requests")
        return record
    texts = [
        value_inside(choice, ["message", "content"]) or value_inside(choice, ["text"])
        for choice in choices
    ]
    if not all(isinstance(text, str) for text in texts):
        line.refuse("a choice without text", "message.content in each choice")
    id_ = record.get("custom_id", record.get("id"))
    return {"candidates": texts} | ({} if id_ is None else {"id": id_})


def _candidates_in(line: Line, record: Record, key: str) -> Sequence[Record]:
    """Return the candidates in a record's list of objects or texts."""
    list_ = record.get(key)
    if not isinstance(list_, list):
        line.refuse(f"no list under {key!r}", "a list of candidates")
    if not list_:
        expected = 'at least one candidate; write an empty output as ""'
        line.refuse(f"an empty list under {key!r}", expected)
    if all(isinstance(item, str) for item in list_):
        return _zip_columns(line, record, key, list_)
    for item in list_:
        if not isinstance(item, dict):
            line.refuse(f"a candidate of type {type(item).__name__}", "text or an object with text")
    return list_


def _sort_by_number(lists: Mapping[str | int, SegmentList]) -> Iterable[SegmentList]:
    """Sort lists by the number of their segment; keep the file's order if names are no numbers.

    Numbers may have a prefix that all names share, as in seg-12.
    """
    matches = [re.fullmatch(r"(.*?)(\d{1,18})", str(id_), re.DOTALL) for id_ in lists]
    if None in matches or len({match[1] for match in matches if match}) > 1:
        return lists.values()
    numbers = [int(match[2]) for match in matches if match]
    order = sorted(zip(numbers, range(len(numbers)), lists.values(), strict=True))
    return [list_ for _, _, list_ in order]


def _segment_id(line: Line, record: Record, key: str) -> str | int:
    """Return the number or name of a record's segment; raises MalformedFileError without one."""
    id_ = record.get(key)
    if isinstance(id_, bool) or not isinstance(id_, str | int):
        line.refuse(f"{id_!r} under {key!r}", "the segment's number or name")
    return id_


def _zip_columns(
    line: Line, record: Record, list_key: str, texts: Sequence[str]
) -> list[dict[str, Any]]:
    """Combine parallel lists of texts, scores and so on into one object per candidate."""
    columns: dict[str, Sequence[Any]] = {KEYS["text"][0]: texts}
    for key, values in record.items():
        if key == list_key or not isinstance(values, list):
            continue
        if not all(isinstance(value, int | float) for value in values):
            continue
        if len(values) != len(texts):
            found = f"{len(values)} values under {key!r}"
            line.refuse(found, f"{len(texts)} values, one for each candidate")
        columns[key] = values
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _source_of(record: Record) -> str | None:
    source = record.get(_find_key(record, "source") or "")
    return source if isinstance(source, str) else None


class _JsonReader:
    """A parser of candidates that have the keys of the first candidate."""

    def __init__(self, line: Line, first: Record, options: ListFormat) -> None:
        text = _find_key(first, "text", str)
        if text is None:
            expected = f"a text ({', '.join(KEYS['text'][:4])} …)"
            line.refuse(f"the keys {', '.join(first)}", expected)
        self.text = text
        numbers = {key: value for key, value in first.items() if _is_number(value)}
        fields = ("score", "log_probability", "count")
        self.numbers = [_find_key(numbers, field) for field in fields]
        used = {text, *self.numbers, *KEYS["id"]}
        self.features = options.features or [key for key in numbers if key not in used]

    def candidate(self, line: Line, record: Record) -> Candidate:
        text = record.get(self.text)
        if not isinstance(text, str):
            found = f"{kind_of(text)} under {self.text!r}"
            line.refuse(found, "the candidate's text")
        try:
            text.encode()
        except UnicodeEncodeError:
            line.refuse(f"half of a surrogate pair under {self.text!r}", "Unicode text")
        features = {name: self._number(line, record, name) for name in self.features}
        score, log_probability, count = (
            None if key is None else self._number(line, record, key) for key in self.numbers
        )
        if count is not None and (count < 1 or count != int(count)):
            line.refuse(f"a count of {count:g}", "1, 2, 3 …")
        return Candidate(line, text, features, {}, score, log_probability, count)

    def _number(self, line: Line, record: Record, key: str) -> float:
        value: Any = record.get(key)
        if not _is_number(value):
            expected = "a number; add it or choose other keys"
            line.refuse(f"{kind_of(value)} under {key!r}", expected)
        return line.require_finite(key, value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
