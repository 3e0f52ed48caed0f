"""Files of n-best lists.

The format is guessed from the first line, or named.

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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from math import log
from os import PathLike  # noqa: TC003  # settings are read from annotations
from sys import intern
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from truebleu.corpus._files import BYTE_ORDER_MARK, Files, decode
from truebleu.corpus.nbest import FINITE, NBest, SparseFeatures
from truebleu.corpus.tables import SEGMENT, TARGET, parse_record
from truebleu.errors import (
    EmptyTextError,
    MalformedFileError,
    SettingError,
    UnpairedSegmentsError,
    shortened,
)
from truebleu.schema import LARGEST, Setting, checked_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from numpy.typing import NDArray

__all__ = ["NBEST_FORMATS", "ListFormat", "read_nbest"]

Line = tuple[int, str]
Lines = Iterable[Line]
Record = Mapping[str, Any]

#: The formats by name.
NBEST_FORMATS = (
    *("moses", "cdec", "joshua", "travatar", "zmert", "marian"),
    *("fairseq", "sockeye", "jsonl", "flat"),
)
#: Names of keys in JSON Lines.
KEY = Setting(group="Texts", rare=True, metavar="KEY")
Key = Annotated["str | None", KEY]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFormat:
    """How a file of n-best lists is read.

    Attributes:
        input_format: of the lists; by default guessed from the first line.
        list_size: for plain text, how many lines each segment has.
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
    """

    input_format: Annotated[
        str | None, Setting(choices=NBEST_FORMATS, group="Texts", rare=True)
    ] = None
    list_size: Annotated[int | None, Setting(least=1, group="Texts", rare=True)] = None
    scores: Annotated[
        str | PathLike[str] | None, Setting(group="Texts", rare=True, flags=("--list-scores",))
    ] = None
    first_id: Annotated[int, Setting(least=0, most=1, group="Texts", rare=True)] = 0
    log_base: Annotated[
        float | None, Setting(above=1, hint="such as 2 or 10", group="Texts", rare=True)
    ] = None
    length_normalized: Annotated[
        bool | None, Setting(flags=("--normalized/--not-normalized",), group="Texts", rare=True)
    ] = None
    candidates_key: Key = None
    text_key: Key = None
    id_key: Key = None
    source_key: Key = None
    score_key: Key = None
    log_probability_key: Annotated[str | None, replace(KEY, flags=("--logprob-key",))] = None
    count_key: Key = None
    features: Annotated[Sequence[str] | None, replace(KEY, flags=("--feature",))] = None

    def __post_init__(self) -> None:
        checked_fields(self)

    def seen(self, path: str, head: Sequence[tuple[int, str]]) -> ListFormat:
        """With the format that is named, or that the first lines have.

        A file without any is refused, and so are options that its format has no use for.
        """
        if not any(text for _, text in head):
            raise EmptyTextError(path)
        format_ = self.input_format or _format_by_look(path, head, self.list_size)
        if format_ != "flat" and (self.list_size is not None or self.scores is not None):
            raise SettingError("list_size or scores", format_, "lists as plain text, format flat")
        keys = [field.name for field in fields(self) if field.name.endswith("_key")]
        if format_ not in ("jsonl", "sockeye") and any(
            getattr(self, key) for key in [*keys, "features"]
        ):
            raise SettingError("keys", f"a file of format {format_}", "JSON Lines")
        return replace(self, input_format=format_)

    def log_probabilities(
        self, scores: NDArray[np.float64] | None, written: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        """What the format tells, or scores whose scale the user knows."""
        if self.log_base is None and self.length_normalized is None:
            return written
        if scores is None:
            found = f"a {self.input_format} file without scores"
            raise SettingError("log_base or length_normalized", found, "scores that they are about")
        if self.length_normalized:
            # What was divided by a power of the length can't be undone without knowing both.
            return written
        if self.length_normalized is None and written is None:
            expected = "also length_normalized: whether the scores were divided by the length"
            raise SettingError("log_base", self.log_base, expected)
        return scores * (1.0 if self.log_base is None else log(self.log_base))


def read_nbest(
    path: str | PathLike[str], *, stdin: BinaryIO | None = None, **options: Any
) -> NBest:
    """Reads candidates for each segment; the file may be compressed, and - is standard input.

    Args:
        path: the file.
        stdin: read where the path is -; by default standard input.
        options: how to read it, where its look does not tell: those of `ListFormat`.

    Raises:
        CorpusError: where a number, a name, a segment or a candidate is not what it should be.
    """
    return read_lists(str(path), ListFormat(**options), stdin)


def read_lists(path: str, how: ListFormat, stdin: BinaryIO | None = None) -> NBest:
    """The lists of a file."""
    files = Files(stdin)
    lines = _lines(path, files)
    how = how.seen(path, lines)
    if how.input_format in ("jsonl", "sockeye"):
        listed = _json(path, lines, how)
    elif how.input_format == "flat":
        listed = _flat(path, lines, how, files)
    elif how.input_format == "fairseq":
        listed = parse_fairseq(path, lines)
    else:
        candidates = parse_bars(path, lines, str(how.input_format))
        listed = in_order_of_ids(path, candidates, how.first_id)
    return _as_lists(path, how, list(listed))


def _lines(path: str, files: Files) -> list[Line]:
    """The lines of a file with their numbers, without what ends them."""
    text = decode(path, files.contents(path)).removeprefix(BYTE_ORDER_MARK)
    written = text.removesuffix("\n").split("\n") if text else []
    return [(line, text.removesuffix("\r")) for line, text in enumerate(written, 1)]


# Candidates as parsers hand them over, and the lists made of them.


class Candidate(NamedTuple):
    """One candidate as a file has it.

    Attributes:
        line: the line it is on, from 1.
        text: the candidate itself.
        features: values by name that every candidate of a file must have.
        sparse: values by name that a candidate may lack.
        score: the model's score, as it is written.
        log_probability: its natural logarithm of a probability, where the format tells.
        times: how often it was sampled.
    """

    line: int
    text: str
    features: Mapping[str, float] = {}
    sparse: Mapping[str, float] = {}
    score: float | None = None
    log_probability: float | None = None
    times: int | None = None


class Listed(NamedTuple):
    """The list of a segment, and its source where the file has it."""

    candidates: list[Candidate]
    source: str | None = None


def _as_lists(path: str, how: ListFormat, lists: Sequence[Listed]) -> NBest:
    """The lists, once it is clear that all candidates have the same columns."""
    flat = [candidate for listed in lists for candidate in listed.candidates]
    if not flat:
        raise EmptyTextError(path)
    dense = tuple(flat[0].features)
    _refuse_other_features(path, flat, dense)
    promoted = _in_every(flat)
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
    scores = _column(path, "score", "score", flat)
    logs = _column(path, "log-probability", "log_probability", flat)
    times = _column(path, "count", "times", flat)
    sources = tuple(listed.source for listed in lists if listed.source is not None)
    return NBest(
        texts=tuple(candidate.text for candidate in flat),
        offsets=np.concatenate([[0], np.cumsum([len(listed.candidates) for listed in lists])]),
        feature_names=(*dense, *promoted),
        features=np.array(features).reshape(len(flat), -1),
        sparse=sparse,
        scores=scores,
        log_probabilities=how.log_probabilities(scores, logs),
        counts=None if times is None else times.astype(np.int64),
        sources=sources if len(sources) == len(lists) else None,
        name=path,
        format=str(how.input_format),
    )


def _column(
    path: str, name: str, field: str, flat: Sequence[Candidate]
) -> NDArray[np.float64] | None:
    """What all candidates of the file have, or none."""
    values: list[float | None] = [getattr(candidate, field) for candidate in flat]
    lines = [c.line for c, value in zip(flat, values, strict=True) if value is not None]
    if not lines:
        return None
    for candidate, value in zip(flat, values, strict=True):
        if value is None:
            expected = f"one, as line {lines[0]} has"
            raise MalformedFileError(path, candidate.line, f"no {name}", expected)
    return np.array(values, dtype=np.float64)


def _refuse_other_features(path: str, flat: Sequence[Candidate], dense: tuple[str, ...]) -> None:
    wanted = set(dense)
    for candidate in flat:
        if candidate.features.keys() == wanted:
            continue
        lacking = [name for name in dense if name not in candidate.features]
        further = [name for name in candidate.features if name not in wanted]
        found = f"no feature {lacking[0]!r}" if lacking else f"a feature {further[0]!r}"
        expected = f"the features of line {flat[0].line}: {', '.join(dense) or 'none'}"
        raise MalformedFileError(path, candidate.line, found, expected)


def _in_every(flat: Sequence[Candidate]) -> dict[str, None]:
    """The sparse features that no candidate lacks, in the order of the first one."""
    names = dict.fromkeys(flat[0].sparse)
    for candidate in flat:
        if not names:
            break
        if not names.keys() <= candidate.sparse.keys():
            names = {name: None for name in names if name in candidate.sparse}
    return names


def number(path: str, line: int, name: str, text: str, kind: str = "") -> float:
    """A finite number; Python's own reader would also take nan, inf and 1_000."""
    try:
        value = None if "_" in text else float(text)
    except ValueError:
        value = None
    if value is not None and abs(value) <= LARGEST:
        return value
    what = f"{kind} {name!r}" if kind else name
    if value is not None:
        return finite(path, line, what, value)
    hint = "; write decimals with a point" if "," in text else ""
    raise MalformedFileError(path, line, f"{what}: {text!r}", f"a number{hint}")


def finite(path: str, line: int, name: str, value: float) -> float:
    """The value, unless it is NaN, infinite or too large to be squared."""
    if not abs(value) <= LARGEST:
        expected = f"{FINITE}; leave such candidates out or give them a number"
        raise MalformedFileError(path, line, f"{name}: {value}", expected)
    return value


def in_order_of_ids(
    path: str, candidates: Iterable[tuple[int, Candidate]], first_id: int
) -> Iterator[Listed]:
    """Lists whose segments are numbered from `first_id` on, one after the other."""
    list_: list[Candidate] = []
    last = first_id - 1
    for id_, candidate in candidates:
        if list_ and id_ == last:
            list_.append(candidate)
            continue
        if id_ != last + 1:
            _refuse_id(path, candidate.line, id_, first_id, last)
        if list_:
            yield Listed(list_)
        list_ = [candidate]
        last += 1
    if list_:
        yield Listed(list_)


def _refuse_id(path: str, line: int, id_: int, first_id: int, last: int) -> None:
    found = f"segment {id_} after segment {last}"
    if last < first_id:
        found = f"segment {id_} first"
        hint = f"; with --first-id {id_} ids start at {id_}" if id_ == 1 else ""
        expected = f"{first_id}{hint}"
    elif id_ < last:
        expected = (
            "each segment's candidates together, segments in order of their number; "
            "sort the file by it (sort -s -n -k1,1)"
        )
    else:
        expected = (
            f"candidates for segment {last + 1}; a segment without any would silently be left "
            "out: translate it again or give it an empty candidate"
        )
    raise MalformedFileError(path, line, found, expected)


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
            "each segment has (--list-size N)"
        )
        raise MalformedFileError(path, 1, f"{first[:40]!r}", expected)
    return format_


def _flat(path: str, lines: Sequence[Line], how: ListFormat, files: Files) -> Iterator[Listed]:
    """Plain text with the same number of lines for each segment."""
    size, total = how.list_size, len(lines)
    if size is None:
        raise SettingError("list_size", size, "how many lines each segment has")
    values: list[float | None] = [None] * total
    if how.scores is not None:
        name = str(how.scores)
        written = _lines(name, files)
        # Blank lines at the end are no scores.
        while len(written) > total and not written[-1][1].strip():
            written.pop()
        values = [number(name, line, "score", text.strip()) for line, text in written]
        if len(values) != total:
            raise UnpairedSegmentsError(name, len(values), path, total)
    if total % size:
        expected = f"{size} for each segment; {total % size} are left over"
        raise MalformedFileError(path, total, f"{total} lines", expected)
    pairs = zip(lines, values, strict=True)
    candidates = [Candidate(line, text, score=score) for (line, text), score in pairs]
    for start in range(0, total, size):
        yield Listed(candidates[start : start + size])


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
    read = BAR_READERS[format_]
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


def _moses(path: str, line: int, fields: list[str]) -> Candidate:
    """Features as groups: a name that ends in =, then its values, blanks between all of them."""
    groups: dict[str, list[float]] = {}
    name, group = "", None
    for token in fields[2].split():
        if token.endswith("=") and len(token) > 1:
            # One text for all lines, or names would take more memory than values.
            name = intern(token[:-1])
            if name in groups:
                expected = "each once; Moses would keep the last value only"
                raise MalformedFileError(path, line, f"the feature {name!r} twice", expected)
            group = groups[name] = []
        elif group is None or "=" in token:
            expected = (
                "Name= value …, with a blank before each value; Moses would read 0 here. "
                "If this is a list of cdec, Joshua or Marian, name that format"
            )
            raise MalformedFileError(path, line, f"{token!r} among the features", expected)
        else:
            group.append(number(path, line, name, token, "feature"))
    features: dict[str, float] = {}
    sparse: dict[str, float] = {}
    for name, group in groups.items():
        if not group:
            raise MalformedFileError(path, line, f"no value of {name!r}", "one at least")
        if "_" not in name:
            # Moses' own names for the values of a group.
            names = (
                [name] if len(group) == 1 else [intern(f"{name}_{i}") for i in range(len(group))]
            )
            features.update(zip(names, group, strict=True))
        elif len(group) == 1:
            sparse[name] = group[0]
        else:
            expected = "one: with _ in its name a feature is sparse, for Moses too; rename it"
            raise MalformedFileError(path, line, f"{len(group)} values of {name!r}", expected)
    total = _total(path, line, fields[3]) if len(fields) > 3 and fields[3].strip() else None
    return Candidate(line, fields[1], features, sparse, total, total)


def _total(path: str, line: int, field: str) -> float:
    return number(path, line, "total score", field.strip())


def _named_values(path: str, line: int, field: str) -> dict[str, float]:
    """Features as name=value, without a blank between them."""
    values: dict[str, float] = {}
    for token in field.split():
        # A name may hold an = itself: the last one separates.
        written, equals, value = token.rpartition("=")
        name = intern(written)
        if not equals or not name or not value:
            expected = "name=value, without a blank"
            raise MalformedFileError(path, line, f"{token!r} among the features", expected)
        if name in values:
            raise MalformedFileError(path, line, f"the feature {name!r} twice", "each once")
        values[name] = number(path, line, name, value, "feature")
    return values


def _cdec(path: str, line: int, fields: list[str]) -> Candidate:
    total = _total(path, line, fields[3]) if len(fields) > 3 else None
    return Candidate(line, fields[1], {}, _named_values(path, line, fields[2]), total, total)


def _travatar(path: str, line: int, fields: list[str]) -> Candidate:
    total = _total(path, line, fields[2])
    sparse = _named_values(path, line, fields[3]) if len(fields) > 3 else {}
    return Candidate(line, fields[1], {}, sparse, total, total)


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


#: What reads a line of each format.
BAR_READERS: dict[str, Callable[[str, int, list[str]], Candidate]] = {
    "moses": _moses,
    "cdec": _cdec,
    "joshua": _cdec,
    "travatar": _travatar,
    "zmert": _zmert,
    "marian": _marian,
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
    return (Listed(lists[id_], sources.get(id_)) for id_ in ids)


def _scored(path: str, line: int, rest: str) -> tuple[float, str]:
    score, tab, text = rest.partition("\t")
    if not tab:
        raise MalformedFileError(path, line, f"{rest!r}", "a score, a tab and the text")
    return number(path, line, "score", score), text


# JSON Lines.


#: The usual keys of what a file may hold.
KEYS = {
    "candidates": (
        *("candidates", "samples", "translations", "hypotheses", "outputs", "nbest"),
        *("completions", "generations", "responses"),
    ),
    # A target beside another text may be the reference.
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


def _json(path: str, lines: Lines, how: ListFormat) -> Iterable[Listed]:
    records = _records(path, lines)
    first = next(records)
    everything = chain([first], records)
    # The key of a segment's candidates; none where each candidate is an object.
    key = _key(first[1], how, "candidates", list)
    if key is not None:
        return _by_segment(path, everything, key, how)
    return _by_candidate(path, everything, first[1], how)


def _key(record: Record, how: ListFormat, what: str, kind: Any = object) -> str | None:
    """The key that the user names, or the first usual one that has a value of this kind."""
    named: str | None = getattr(how, f"{what}_key")
    if named is not None:
        return named
    return next(
        (key for key in KEYS[what] if key in record and isinstance(record[key], kind)), None
    )


def _records(path: str, lines: Lines) -> Iterator[tuple[int, Record]]:
    """The objects on the lines; blank lines may only follow the last one."""
    blank: int | None = None
    for line, text in lines:
        if not text.strip():
            blank = blank or line
        elif blank is not None:
            parse_record(path, blank, "")
        else:
            yield line, parse_record(path, line, text)


def _by_segment(
    path: str, records: Iterable[tuple[int, Record]], key: str, how: ListFormat
) -> Iterator[Listed]:
    """The lists of objects that each have all candidates of a segment."""
    reader = None
    for line, record in records:
        listed = record.get(key)
        if not isinstance(listed, list):
            raise MalformedFileError(path, line, f"no list under {key!r}", "candidates")
        if not listed:
            expected = 'one candidate at least; "" if the model had nothing to say'
            raise MalformedFileError(path, line, f"an empty list under {key!r}", expected)
        if all(isinstance(item, str) for item in listed):
            listed = _beside(path, line, record, key, listed)
        for item in listed:
            if not isinstance(item, dict):
                found = f"a candidate of type {type(item).__name__}"
                raise MalformedFileError(path, line, found, "text or an object with text")
        reader = reader or _JsonReader(path, listed[0], how)
        yield Listed([reader.candidate(line, item) for item in listed], _source(record, how))


def _beside(
    path: str, line: int, record: Record, list_key: str, texts: Sequence[str]
) -> list[dict[str, Any]]:
    """Candidates as objects, of lists that stand side by side: texts, scores and so on."""
    objects: list[dict[str, Any]] = [{KEYS["text"][0]: text} for text in texts]
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


def _by_candidate(
    path: str, records: Iterable[tuple[int, Record]], first: Record, how: ListFormat
) -> Iterable[Listed]:
    """The lists of objects that are a candidate each."""
    key, reader = _key(first, how, "id"), _JsonReader(path, first, how)
    if key is None:
        found = f"the keys {', '.join(first)}"
        expected = (
            f"a list of candidates ({', '.join(KEYS['candidates'][:3])} …) or the segment of each "
            "candidate (id …); name their keys if they are others (--candidates-key, --id-key)"
        )
        raise MalformedFileError(path, 1, found, expected)
    lists: dict[str | int, Listed] = {}
    highest: int | None = None
    for line, record in records:
        id_ = record.get(key)
        if isinstance(id_, bool) or not isinstance(id_, str | int):
            found = f"{id_!r} under {key!r}"
            raise MalformedFileError(path, line, found, "the segment's number or name")
        if id_ not in lists:
            highest = _refuse_disorder(path, line, id_, highest)
            lists[id_] = Listed([], _source(record, how))
        lists[id_].candidates.append(reader.candidate(line, record))
    return lists.values()


def _refuse_disorder(path: str, line: int, id_: str | int, highest: int | None) -> int | None:
    """The highest number so far; new segments must have a higher one."""
    if isinstance(id_, int) and highest is not None and id_ < highest:
        expected = "segments in order of their number; sort the lines by it"
        found = f"segment {id_} after segment {highest}"
        raise MalformedFileError(path, line, found, expected)
    return id_ if isinstance(id_, int) else None


def _source(record: Record, how: ListFormat) -> str | None:
    source = record.get(_key(record, how, "source") or "")
    return source if isinstance(source, str) else None


class _JsonReader:
    """Reads candidates whose keys are those of the first one."""

    def __init__(self, path: str, first: Record, how: ListFormat) -> None:
        self.path = path
        text = _key(first, how, "text", str)
        if text is None:
            found = f"the keys {', '.join(first)}"
            expected = f"a text ({', '.join(KEYS['text'][:4])} …); name its key if it is another"
            raise MalformedFileError(path, 1, found, f"{expected} one (--text-key)")
        self.text = text
        numbers = {key: value for key, value in first.items() if _is_number(value)}
        self.score, self.log_probability, self.count = (
            _key(numbers, how, what) for what in ("score", "log_probability", "count")
        )
        used = {text, self.score, self.log_probability, self.count, how.id_key, *KEYS["id"]}
        self.features = [key for key in numbers if key not in used]
        if how.features:
            self.features = list(how.features)

    def candidate(self, line: int, record: Record) -> Candidate:
        text = record.get(self.text)
        if not isinstance(text, str):
            found = f"{_kind(record, self.text)} under {self.text!r}"
            raise MalformedFileError(self.path, line, found, "the candidate's text")
        try:
            text.encode()
        except UnicodeEncodeError:
            found = f"half of a surrogate pair under {self.text!r}"
            raise MalformedFileError(self.path, line, found, "Unicode text") from None
        features = {name: self._number(line, record, name) for name in self.features}
        score, log_probability, count = (
            None if key is None else self._number(line, record, key)
            for key in (self.score, self.log_probability, self.count)
        )
        if count is not None and (count < 1 or count != int(count)):
            raise MalformedFileError(self.path, line, f"a count of {count:g}", "1, 2, 3 …")
        times = None if count is None else int(count)
        return Candidate(line, text, features, {}, score, log_probability, times)

    def _number(self, line: int, record: Record, key: str) -> float:
        value: Any = record.get(key)
        if not _is_number(value):
            found = f"{_kind(record, key)} under {key!r}"
            expected = "a number, as other candidates have; choose other keys or add it"
            raise MalformedFileError(self.path, line, found, expected)
        return finite(self.path, line, key, float(value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _kind(record: Record, key: str) -> str:
    if record.get(key) is None:
        return "nothing"
    return f"a value of type {type(record[key]).__name__}"
