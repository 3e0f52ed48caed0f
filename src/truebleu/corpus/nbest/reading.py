"""Reading n-best lists: the format is guessed from the first line, or named.

Fields between ``|||``, a line for each candidate:

    Moses     id ||| text ||| Name0= v v Other0= v sparse_name= v ||| total [||| alignment …]
    cdec      id ||| text ||| name=v name=v ||| total
    Joshua    the same
    Travatar  id ||| text ||| total ||| name=v name=v
    Z-MERT    id ||| text ||| v v v
    Marian    id ||| text [||| alignment] [||| WordScores= v v] ||| F0= v ||| normalised score

JSON Lines, an object for each segment with its candidates, or one for each candidate:

    {"source": "…", "candidates": ["…", "…"], "logprobs": [-1.2, -3.4]}
    {"candidates": [{"text": "…", "logprob": -1.2, "comet": 0.8}, {"text": "…", …}]}
    {"id": 0, "text": "…", "logprob": -1.2}
    {"translations": ["…", "…"], "scores": [0.7, 0.9]}        (Sockeye)

Logs of fairseq-generate and fairseq-interactive: for each segment ``S-id source``, ``T-id
reference``, and for each hypothesis ``H-id score text``, ``D-id score text`` and ``P-id`` with the
score of each token, with tabs between the fields. Scores are logarithms to base 2, and that of a
hypothesis is divided by a power of its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import isfinite, log
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from truebleu.corpus._files import BYTE_ORDER_MARK, Files, decode
from truebleu.corpus.nbest.lists import (
    Candidate,
    Listed,
    Lists,
    ScoreScale,
    finite,
    in_order_of_ids,
    make_lists,
    number,
)
from truebleu.corpus.tables import parse_record
from truebleu.errors import (
    EmptyTextError,
    MalformedFileError,
    SettingError,
    UnknownNameError,
    UnpairedSegmentsError,
    shortened,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike
    from typing import BinaryIO

    from truebleu.corpus.nbest.lists import NBest


#: The formats by name.
NBEST_FORMATS = (
    *("moses", "cdec", "joshua", "travatar", "zmert", "marian"),
    *("fairseq", "sockeye", "jsonl", "flat"),
)


def read_nbest(
    path: str | PathLike[str],
    *,
    format: str | None = None,  # noqa: A002  # the word that everybody knows
    size: int | None = None,
    scores: str | PathLike[str] | None = None,
    first_id: int = 0,
    log_base: float | None = None,
    length_normalized: bool | None = None,
    candidates_key: str | None = None,
    text_key: str | None = None,
    id_key: str | None = None,
    source_key: str | None = None,
    score_key: str | None = None,
    log_probability_key: str | None = None,
    count_key: str | None = None,
    features: Sequence[str] | None = None,
    stdin: BinaryIO | None = None,
) -> NBest:
    """Reads candidates for each segment; the file may be compressed, and - is standard input.

    Args:
        path: the file.
        format: one of NBEST_FORMATS; by default guessed from the first line.
        size: for plain text, how many lines each segment has.
        scores: for plain text, a file with the score of each line.
        first_id: the number of the first segment in files that number them.
        log_base: the base of the scores' logarithms, where it is another one than the format's.
        length_normalized: whether scores were divided by a power of the length, where the format
            does not tell.
        candidates_key: for JSON Lines, the key of a segment's candidates.
        text_key: the key of a candidate's text.
        id_key: the key of a candidate's segment.
        source_key: the key of a segment's source.
        score_key: the key of the model's score.
        log_probability_key: the key of a natural log-probability that is not normalised by length.
        count_key: the key of how often a candidate was sampled.
        features: the keys that are features; by default every other number.
        stdin: read where the path is -; by default standard input.

    Raises:
        CorpusError: where a number, a name, a segment or a candidate is not what it should be.
    """
    how = ListFormat(
        format=format,
        size=size,
        scores=None if scores is None else str(scores),
        first_id=first_id,
        scale=ScoreScale(log_base, length_normalized),
        keys=JsonKeys(
            *(candidates_key, text_key, id_key, source_key, score_key),
            *(log_probability_key, count_key, None if features is None else tuple(features)),
        ),
    )
    return read_lists(str(path), how, stdin)


def read_lists(path: str, how: ListFormat, stdin: BinaryIO | None = None) -> NBest:
    """The lists of a whole file."""
    files = Files(stdin)

    def lines(name: str) -> list[tuple[int, str]]:
        text = decode(name, files.contents(name)).removeprefix(BYTE_ORDER_MARK)
        written = text.removesuffix("\n").split("\n") if text else []
        return [(line, text.removesuffix("\r")) for line, text in enumerate(written, 1)]

    of_file = lines(path)
    how = how.seen(path, of_file)
    listed = how.listed(path, of_file, lines, scattered=True)
    return make_lists(path, str(how.format), Lists.of(listed), how.scale)


Lines = Iterable[tuple[int, str]]
Record = Mapping[str, Any]
Records = Iterable[tuple[int, Record]]


@dataclass(frozen=True, slots=True)
class JsonKeys:
    """Which keys hold what; None for the usual ones.

    Attributes:
        candidates: the list of a segment's candidates.
        text: a candidate's text.
        id: the segment of a candidate.
        source: a segment's source.
        score: the model's score.
        log_probability: a log-probability, natural and not normalised by length.
        count: how often a candidate was sampled.
        features: the features; by default all other numbers of the first candidate.
    """

    candidates: str | None = None
    text: str | None = None
    id: str | None = None
    source: str | None = None
    score: str | None = None
    log_probability: str | None = None
    count: str | None = None
    features: tuple[str, ...] | None = None


UNKNOWN_SCALE, USUAL_KEYS = ScoreScale(), JsonKeys()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFormat:
    """What is known about a file of lists; the attributes are arguments of `read_nbest`.

    Attributes:
        format: None until the file was looked at, unless it is named.
        scale: of the scores, as far as the user says.
        keys: for JSON Lines, which keys hold what.
    """

    format: str | None = None
    size: int | None = None
    scores: str | None = None
    first_id: int = 0
    scale: ScoreScale = UNKNOWN_SCALE
    keys: JsonKeys = USUAL_KEYS

    def seen(self, path: str, head: Sequence[tuple[int, str]]) -> ListFormat:
        """With the format that is named, or that the first lines have.

        A file without any is refused, and so are options that its format has no use for.
        """
        if not any(text for _, text in head):
            raise EmptyTextError(path)
        if self.format is not None and self.format not in NBEST_FORMATS:
            raise UnknownNameError("format of n-best lists", self.format, NBEST_FORMATS)
        if self.first_id not in (0, 1):
            raise SettingError("first_id", self.first_id, "0 or 1")
        format_ = self.format or _format_by_look(path, head, self.size)
        if format_ != "flat" and (self.size is not None or self.scores is not None):
            raise SettingError("size or scores", format_, "lists as plain text, format flat")
        if format_ not in ("jsonl", "sockeye") and self.keys != USUAL_KEYS:
            raise SettingError("keys", f"a file of format {format_}", "JSON Lines")
        return replace(self, format=format_)

    def listed(
        self, path: str, lines: Lines, read: Callable[[str], Lines], *, scattered: bool
    ) -> Iterator[Listed]:
        """The lists, one by one; only a log of fairseq is in no order, so that all of it is kept.

        Args:
            path: the file.
            lines: all of its lines.
            read: gives the lines of another file.
            scattered: whether JSON Lines may have a segment's candidates in several places, of
                which then all are kept.
        """
        if self.format in ("jsonl", "sockeye"):
            return _json(path, lines, self.keys, scattered=scattered)
        if self.format == "flat":
            scores = None if self.scores is None else iter(read(self.scores))
            return _flat(path, iter(lines), self.size, self.scores, scores)
        if self.format == "fairseq":
            return parse_fairseq(path, lines)
        return in_order_of_ids(path, parse_bars(path, lines, str(self.format)), self.first_id)


def _format_by_look(path: str, lines: Sequence[tuple[int, str]], size: int | None) -> str:
    if size is not None:
        return "flat"
    first = next((line for _, line in lines if line.strip()), "")
    if first.lstrip().startswith("{"):
        return "sockeye" if '"translations"' in first and '"scores"' in first else "jsonl"
    if any(re.match(r"[STHDP]-\d+\t", line) for _, line in lines[:100]):
        return "fairseq"
    format_ = _format_with_bars(first)
    if format_ is None:
        expected = (
            "id ||| text ||| …, JSON Lines or a log of fairseq; for plain text say how many lines "
            "each segment has (--size N)"
        )
        raise MalformedFileError(path, 1, f"{first[:40]!r}", expected)
    return format_


def _flat(
    path: str,
    lines: Iterator[tuple[int, str]],
    size: int | None,
    scores: str | None,
    values: Iterator[tuple[int, str]] | None,
) -> Iterator[Listed]:
    """Plain text with the same number of lines for each segment."""
    if size is None or size < 1:
        expected = "how many lines each segment has" if size is None else "1 or more"
        raise SettingError("size", size, expected)
    done = 0
    while part := list(islice(lines, size)):
        known: list[float | None] = [None] * len(part)
        if values is not None:
            known = [
                number(str(scores), line, "score", text.strip())
                for line, text in islice(values, len(part))
            ]
        done += len(part)
        if values is not None and len(known) < len(part):
            scored = done - len(part) + len(known)
            raise UnpairedSegmentsError(str(scores), scored, path, done + sum(1 for _ in lines))
        if len(part) < size:
            expected = f"{size} for each segment; {len(part)} are left over"
            raise MalformedFileError(path, done, f"{done} lines", expected)
        pairs = zip(part, known, strict=True)
        yield Listed(
            [Candidate(line, text, score=score) for (line, text), score in pairs],
            str(done // size - 1),
        )
    if values is not None:
        # Blank lines at the end are no scores.
        more = sum(1 for _, text in values if text.strip())
        if more:
            raise UnpairedSegmentsError(str(scores), done + more, path, done)


# Fields between |||: Moses and its relatives.


BARS = "|||"
#: Of the number of a segment, at most.
DIGITS = 18
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
#: A model's score in a list of Marian; with one model there is no blank before the value.
MARIAN_FEATURE = re.compile(r"F\d+=")


def _format_with_bars(line: str) -> str | None:
    """The format of a list, by one of its lines; None where there are no fields between bars."""
    fields = [field.strip() for field in line.split(BARS)]
    if len(fields) < 2:
        return None
    if len(fields) < 3:
        return "moses"
    if any(MARIAN_FEATURE.match(field) for field in fields[2:]):
        return "marian"
    if NUMBER.fullmatch(fields[2]) and len(fields) > 3:
        return "travatar"
    if fields[2] and all(map(NUMBER.fullmatch, fields[2].split())):
        return "zmert"
    first = fields[2].split(maxsplit=1)
    if first and re.fullmatch(r"[^=\s]+=\S+", first[0]):
        return "cdec"
    return "moses"


def parse_bars(
    path: str, lines: Iterable[tuple[int, str]], format_: str
) -> Iterator[tuple[int, Candidate]]:
    """The candidates of a file with the number of their segment, line by line."""
    read = BAR_READERS[format_]()
    for line, text in lines:
        if not text.strip():
            continue
        fields = text.split(BARS)
        if len(fields) < 3:
            found = f"{len(fields)} fields" if len(fields) > 1 else f"no {BARS}"
            raise MalformedFileError(path, line, found, "id ||| text ||| features ||| score")
        id_ = fields[0].strip()
        # Of thousands of digits Python makes no number.
        if not (id_.isascii() and id_.isdigit() and len(id_) <= DIGITS):
            found = f"segment {shortened(id_)!r}"
            raise MalformedFileError(path, line, found, "its number, from 0 on")
        fields[1] = fields[1].strip(" ")
        yield int(id_), read(path, line, fields)


class _Layout:
    """Where names and values stand among the features of a line.

    Most lines of a file are laid out alike, and then need not be looked at token by token.
    """

    def __init__(self, tokens: list[str], features: dict[str, float]) -> None:
        self.names = tuple(features)
        places = [i for i, token in enumerate(tokens) if token.endswith("=")]
        self.labels = [tokens[i] for i in places]
        self.label_places = itemgetter(*places, 0)
        values = [i for i, token in enumerate(tokens) if not token.endswith("=")]
        self.value_places = itemgetter(*values, values[0])
        self.tokens = len(tokens)

    def read(self, tokens: list[str]) -> dict[str, float] | None:
        """The features of a line, or None where it is laid out otherwise or has another fault."""
        if len(tokens) != self.tokens or [*self.label_places(tokens)[:-1]] != self.labels:
            return None
        try:
            values = [*map(float, self.value_places(tokens)[:-1])]
        except ValueError:
            return None
        return dict(zip(self.names, values, strict=True)) if isfinite(sum(values)) else None


class _Moses:
    """Reads the lines of Moses, quicker where one is laid out as the one before."""

    def __init__(self) -> None:
        self.layout: _Layout | None = None

    def __call__(self, path: str, line: int, fields: list[str]) -> Candidate:
        features, sparse = self._features(path, line, fields[2])
        total = None
        if len(fields) > 3 and fields[3].strip():
            total = number(path, line, "total score", fields[3].strip())
        return Candidate(line, fields[1], features, sparse, total, total)

    def _features(
        self, path: str, line: int, field: str
    ) -> tuple[dict[str, float], dict[str, float]]:
        tokens = field.split()
        # An underscore is in names of sparse features, or makes a number that only Python reads.
        if self.layout is not None and "_" not in field:
            features = self.layout.read(tokens)
            if features is not None:
                return features, {}
        features, sparse = _groups(path, line, tokens)
        if features and not sparse:
            self.layout = _Layout(tokens, features)
        return features, sparse


def _groups(path: str, line: int, tokens: list[str]) -> tuple[dict[str, float], dict[str, float]]:
    """Features as groups: a name that ends in =, then its values, blanks between all of them."""
    values: dict[str, list[float]] = {}
    name = None
    for token in tokens:
        if token.endswith("=") and len(token) > 1:
            name = token[:-1]
            if name in values:
                expected = "each once; Moses would keep the last value only"
                raise MalformedFileError(path, line, f"the feature {name!r} twice", expected)
            values[name] = []
        elif name is None or (("=" in token) and not NUMBER.fullmatch(token)):
            expected = (
                "Name= value …, with a blank before each value; Moses would read 0 here. "
                "If this is a list of cdec, Joshua or Marian, name that format"
            )
            raise MalformedFileError(path, line, f"{token!r} among the features", expected)
        else:
            values[name].append(number(path, line, f"feature {name!r}", token))
    features: dict[str, float] = {}
    sparse: dict[str, float] = {}
    for name, group in values.items():
        if not group:
            raise MalformedFileError(path, line, f"no value of {name!r}", "one at least")
        if "_" not in name:
            # Moses' own names for the values of a group.
            names = [name] if len(group) == 1 else [f"{name}_{i}" for i in range(len(group))]
            features.update(zip(names, group, strict=True))
        elif len(group) == 1:
            sparse[name] = group[0]
        else:
            expected = "one: with _ in its name a feature is sparse, for Moses too; rename it"
            raise MalformedFileError(path, line, f"{len(group)} values of {name!r}", expected)
    return features, sparse


def _named_values(path: str, line: int, field: str) -> dict[str, float]:
    """Features as name=value, without a blank between them."""
    values: dict[str, float] = {}
    for token in field.split():
        # A name may hold an = itself: the last one separates.
        name, equals, value = token.rpartition("=")
        if not equals or not name or not value:
            expected = "name=value, without a blank"
            raise MalformedFileError(path, line, f"{token!r} among the features", expected)
        if name in values:
            raise MalformedFileError(path, line, f"the feature {name!r} twice", "each once")
        values[name] = number(path, line, f"feature {name!r}", value)
    return values


def _cdec(path: str, line: int, fields: list[str]) -> Candidate:
    total = number(path, line, "total score", fields[3].strip()) if len(fields) > 3 else None
    return Candidate(
        line,
        fields[1],
        sparse=_named_values(path, line, fields[2]),
        score=total,
        log_probability=total,
    )


def _travatar(path: str, line: int, fields: list[str]) -> Candidate:
    total = number(path, line, "total score", fields[2].strip())
    sparse = _named_values(path, line, fields[3]) if len(fields) > 3 else {}
    return Candidate(line, fields[1], sparse=sparse, score=total, log_probability=total)


def _zmert(path: str, line: int, fields: list[str]) -> Candidate:
    values = {
        f"feature{position}": number(path, line, f"value {position}", token)
        for position, token in enumerate(fields[2].split(), 1)
    }
    return Candidate(line, fields[1], values)


def _marian(path: str, line: int, fields: list[str]) -> Candidate:
    features: dict[str, float] = {}
    for field in fields[2:-1]:
        if MARIAN_FEATURE.match(field.strip()):
            # One model's score has no blank behind the =, those of several models have one.
            features = _named_values(path, line, re.sub(r"=\s+", "=", field))
    if not features:
        raise MalformedFileError(path, line, "no F0=", "Marian's features, such as F0= -1.5")
    score = number(path, line, "score", fields[-1].strip())
    # The last field may be divided by the length; the one model's own score never is.
    log_probability = features["F0"] if len(features) == 1 and "F0" in features else None
    return Candidate(line, fields[1], features, score=score, log_probability=log_probability)


#: What makes a reader of lines for each format.
BAR_READERS: dict[str, Callable[[], Callable[[str, int, list[str]], Candidate]]] = {
    "moses": _Moses,
    "cdec": lambda: _cdec,
    "joshua": lambda: _cdec,
    "travatar": lambda: _travatar,
    "zmert": lambda: _zmert,
    "marian": lambda: _marian,
}


# Logs of fairseq-generate and fairseq-interactive.


FAIRSEQ_LINE = re.compile(r"([SHDP])-([0-9]{1,18})\t(.*)", re.DOTALL)


def parse_fairseq(path: str, lines: Lines) -> Iterator[Listed]:
    """The lists in order of their ids: fairseq translates long segments first."""
    lists: dict[int, list[Candidate]] = {}
    sources: dict[int, str] = {}
    for line, text in lines:
        match = FAIRSEQ_LINE.fullmatch(text)
        if match is None:
            # Between the hypotheses there may be anything that a program logs.
            continue
        kind, id_, rest = match[1], int(match[2]), match[3]
        list_ = lists.setdefault(id_, [])
        if kind == "S":
            sources[id_] = rest
        elif kind == "H":
            score, text = _scored(path, line, rest)
            list_.append(Candidate(line, text, score=score))
        elif not list_:
            expected = f"H-{id_} above it"
            raise MalformedFileError(path, line, f"{kind}-{id_} without a hypothesis", expected)
        elif kind == "D":
            list_[-1] = list_[-1]._replace(text=_scored(path, line, rest)[1])
        else:
            tokens = [number(path, line, f"P-{id_}", token) for token in rest.split()]
            list_[-1] = list_[-1]._replace(log_probability=sum(tokens) * log(2))
    ids = sorted(lists)
    for segment, id_ in enumerate(ids):
        if id_ != segment or not lists[id_]:
            expected = "a hypothesis for every segment; is the log complete?"
            raise MalformedFileError(path, None, f"no H-{segment}", expected)
    return (Listed(lists[id_], str(id_), sources.get(id_)) for id_ in ids)


def _scored(path: str, line: int, rest: str) -> tuple[float, str]:
    score, tab, text = rest.partition("\t")
    if not tab:
        raise MalformedFileError(path, line, f"{rest!r}", "a score, a tab and the text")
    return number(path, line, "score", score), text


# JSON Lines.


LIST_KEYS = (
    *("candidates", "samples", "translations", "hypotheses", "outputs", "nbest"),
    *("completions", "generations", "responses"),
)
TEXT_KEYS = (
    *("text", "mt", "hyp", "hypothesis", "translation", "candidate", "sample", "output"),
    *("completion", "generation", "response", "target"),
)
ID_KEYS = ("id", "segment", "segment_id", "seg_id", "index", "idx", "custom_id")
SOURCE_KEYS = ("source", "src")
SCORE_KEYS = ("score", "scores")
LOG_PROBABILITY_KEYS = (
    *("logprob", "log_prob", "log_probability", "cumulative_logprob", "sum_logprob"),
    *("logprobs", "log_probs", "log_probabilities", "cumulative_logprobs"),
)
COUNT_KEYS = ("count", "counts")


def _json(path: str, lines: Lines, keys: JsonKeys, *, scattered: bool) -> Iterator[Listed]:
    records = _records(path, lines)
    first = next(records)
    # The key of a segment's candidates; none where each candidate is an object.
    usual = (key for key in LIST_KEYS if isinstance(first[1].get(key), list))
    key = keys.candidates or next(usual, None)
    records = chain([first], records)
    if key is not None:
        return _by_segment(path, records, key, keys)
    by_candidate = _by_candidate if scattered else _consecutive
    return by_candidate(path, records, first[1], keys)


def _records(path: str, lines: Lines) -> Iterator[tuple[int, dict[str, object]]]:
    """The objects on the lines; blank lines may only follow the last one."""
    blank: int | None = None
    for line, text in lines:
        if not text.strip():
            blank = blank or line
        elif blank is not None:
            parse_record(path, blank, "")
        else:
            yield line, parse_record(path, line, text)


def _by_segment(path: str, records: Records, key: str, keys: JsonKeys) -> Iterator[Listed]:
    """The lists of objects that each have all candidates of a segment."""
    reader = None
    for segment, (line, record) in enumerate(records):
        listed = record.get(key)
        if not isinstance(listed, list):
            raise MalformedFileError(path, line, f"no list under {key!r}", "candidates")
        if not listed:
            expected = 'one candidate at least; "" if the model had nothing to say'
            raise MalformedFileError(path, line, f"an empty list under {key!r}", expected)
        if all(isinstance(item, str) for item in listed):
            objects = _beside(path, line, record, key, listed)
        else:
            objects = listed
        for item in objects:
            if not isinstance(item, dict):
                found = f"a candidate of type {type(item).__name__}"
                raise MalformedFileError(path, line, found, "text or an object with text")
        reader = reader or _JsonReader(path, objects[0], keys)
        id_ = record.get(_key(record, keys.id, ID_KEYS) or "")
        yield Listed(
            [reader.candidate(line, item) for item in objects],
            str(segment if id_ is None else id_),
            _source(record, keys),
        )


def _beside(
    path: str, line: int, record: Mapping[str, Any], list_key: str, texts: Sequence[str]
) -> list[dict[str, Any]]:
    """Candidates as objects, of lists that stand side by side: texts, scores and so on."""
    objects: list[dict[str, Any]] = [{TEXT_KEYS[0]: text} for text in texts]
    for key, values in record.items():
        if key == list_key or not isinstance(values, list):
            continue
        if not all(isinstance(value, int | float) for value in values):
            continue
        if len(values) != len(texts):
            found = f"{len(values)} values under {key!r}"
            raise MalformedFileError(path, line, found, f"{len(texts)}, one for each candidate")
        for item, value in zip(objects, values, strict=True):
            item[key] = value
    return objects


def _by_candidate(path: str, records: Records, first: Record, keys: JsonKeys) -> Iterator[Listed]:
    """The lists of objects that are a candidate each, wherever those of a segment stand."""
    id_key, reader = _id_key(path, first, keys), _JsonReader(path, first, keys)
    lists: dict[str | int, Listed] = {}
    highest: int | None = None
    for line, record in records:
        id_ = _id(path, line, record, id_key)
        if id_ not in lists:
            highest = _refuse_disorder(path, line, id_, highest)
            lists[id_] = Listed([], str(id_), _source(record, keys))
        lists[id_].candidates.append(reader.candidate(line, record))
    return iter(lists.values())


class ScatteredListsError(MalformedFileError):
    """Candidates of a segment come after those of others: the lists are known at the end only."""


def _consecutive(path: str, records: Records, first: Record, keys: JsonKeys) -> Iterator[Listed]:
    """The lists of objects that are a candidate each, if those of a segment stand together."""
    id_key, reader = _id_key(path, first, keys), _JsonReader(path, first, keys)
    seen: set[str | int] = set()
    list_: list[Candidate] = []
    highest: int | None = None
    current: str | int = ""
    of_list = first
    for line, record in records:
        id_ = _id(path, line, record, id_key)
        if not list_ or id_ != current:
            if id_ in seen:
                expected = "each segment's candidates together"
                found = f"segment {id_} again after others"
                raise ScatteredListsError(path, line, found, expected)
            highest = _refuse_disorder(path, line, id_, highest)
            if list_:
                yield Listed(list_, str(current), _source(of_list, keys))
            seen.add(id_)
            list_, current, of_list = [], id_, record
        list_.append(reader.candidate(line, record))
    yield Listed(list_, str(current), _source(of_list, keys))


def _id_key(path: str, first: Mapping[str, Any], keys: JsonKeys) -> str:
    key = _key(first, keys.id, ID_KEYS)
    if key is None:
        found = f"the keys {', '.join(first)}"
        expected = (
            f"a list of candidates ({', '.join(LIST_KEYS[:3])} …) or the segment of each candidate "
            "(id …); name their keys if they are others (--candidates-key, --id-key)"
        )
        raise MalformedFileError(path, 1, found, expected)
    return key


def _id(path: str, line: int, record: Mapping[str, Any], key: str) -> str | int:
    id_ = record.get(key)
    if isinstance(id_, bool) or not isinstance(id_, str | int):
        found = f"{id_!r} under {key!r}"
        raise MalformedFileError(path, line, found, "the segment's number or name")
    return id_


def _refuse_disorder(path: str, line: int, id_: str | int, highest: int | None) -> int | None:
    """The highest number so far; new segments must have a higher one."""
    if isinstance(id_, int) and highest is not None and id_ < highest:
        expected = "segments in order of their number; sort the lines by it"
        found = f"segment {id_} after segment {highest}"
        raise MalformedFileError(path, line, found, expected)
    return id_ if isinstance(id_, int) else None


def _source(record: Mapping[str, Any], keys: JsonKeys) -> str | None:
    source = record.get(_key(record, keys.source, SOURCE_KEYS) or "")
    return source if isinstance(source, str) else None


def _key(record: Mapping[str, Any], given: str | None, usual: Sequence[str]) -> str | None:
    if given is not None:
        return given
    return next((key for key in usual if key in record), None)


class _JsonReader:
    """Reads candidates whose keys are those of the first one."""

    def __init__(self, path: str, first: Mapping[str, Any], keys: JsonKeys) -> None:
        self.path = path
        text = keys.text or next((k for k in TEXT_KEYS if isinstance(first.get(k), str)), None)
        if text is None:
            found = f"the keys {', '.join(first)}"
            expected = f"a text ({', '.join(TEXT_KEYS[:4])} …); name its key if it is another one"
            raise MalformedFileError(path, 1, found, f"{expected} (--text-key)")
        self.text = text
        self.score = keys.score or _numeric(first, SCORE_KEYS)
        self.log_probability = keys.log_probability or _numeric(first, LOG_PROBABILITY_KEYS)
        self.count = keys.count or _numeric(first, COUNT_KEYS)
        known = {text, self.score, self.log_probability, self.count, keys.id, *ID_KEYS}
        self.features = keys.features
        if self.features is None:
            self.features = tuple(
                key for key, value in first.items() if key not in known and _is_number(value)
            )

    def candidate(self, line: int, record: Mapping[str, Any]) -> Candidate:
        text = record.get(self.text)
        if not isinstance(text, str):
            found = f"{_kind(record, self.text)} under {self.text!r}"
            raise MalformedFileError(self.path, line, found, "the candidate's text")
        try:
            text.encode()
        except UnicodeEncodeError:
            found = f"half of a surrogate pair under {self.text!r}"
            raise MalformedFileError(self.path, line, found, "Unicode text") from None
        count = None if self.count is None else self._number(line, record, self.count)
        if count is not None and (count < 1 or count != int(count)):
            raise MalformedFileError(self.path, line, f"a count of {count:g}", "1, 2, 3 …")
        return Candidate(
            line,
            text,
            {name: self._number(line, record, name) for name in self.features or ()},
            score=None if self.score is None else self._number(line, record, self.score),
            log_probability=None
            if self.log_probability is None
            else self._number(line, record, self.log_probability),
            times=None if count is None else int(count),
        )

    def _number(self, line: int, record: Mapping[str, Any], key: str) -> float:
        value: Any = record.get(key)
        if not _is_number(value):
            found = f"{_kind(record, key)} under {key!r}"
            expected = "a number, as other candidates have; choose other keys or add it"
            raise MalformedFileError(self.path, line, found, expected)
        return finite(self.path, line, key, float(value))


def _numeric(record: Mapping[str, Any], usual: Sequence[str]) -> str | None:
    return next((key for key in usual if _is_number(record.get(key))), None)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _kind(record: Mapping[str, Any], key: str) -> str:
    if key not in record or record[key] is None:
        return "nothing"
    return f"a value of type {type(record[key]).__name__}"
