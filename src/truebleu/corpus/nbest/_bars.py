"""Lists with fields between ``|||``: Moses and its relatives.

Moses     id ||| text ||| Name0= v v Other0= v sparse_name= v ||| total [||| alignment …]
cdec      id ||| text ||| name=v name=v ||| total
Joshua    the same
Travatar  id ||| text ||| total ||| name=v name=v
Z-MERT    id ||| text ||| v v v
Marian    id ||| text [||| alignment] [||| WordScores= v v] ||| F0= v ||| normalised score
"""

from __future__ import annotations

import re
from math import isfinite
from operator import itemgetter
from typing import TYPE_CHECKING

from truebleu.corpus.nbest._candidates import Candidate, number
from truebleu.errors import MalformedFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BARS = "|||"
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
#: A model's score in a list of Marian; with one model there is no blank before the value.
MARIAN_FEATURE = re.compile(r"F\d+=")


def looks_like(line: str) -> str | None:
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


def parse(path: str, lines: list[tuple[int, str]], format_: str) -> Iterator[tuple[int, Candidate]]:
    """The candidates of a file with the number of their segment, line by line."""
    read = READERS[format_]()
    for line, text in lines:
        fields = text.split(BARS)
        if len(fields) < 3:
            found = f"{len(fields)} fields" if len(fields) > 1 else f"no {BARS}"
            raise MalformedFileError(path, line, found, "id ||| text ||| features ||| score")
        id_ = fields[0].strip()
        if not (id_.isascii() and id_.isdigit()):
            raise MalformedFileError(path, line, f"segment {id_!r}", "its number, from 0 on")
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


def _pairs(path: str, line: int, field: str) -> dict[str, float]:
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
        sparse=_pairs(path, line, fields[2]),
        score=total,
        log_probability=total,
    )


def _travatar(path: str, line: int, fields: list[str]) -> Candidate:
    total = number(path, line, "total score", fields[2].strip())
    sparse = _pairs(path, line, fields[3]) if len(fields) > 3 else {}
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
            features = _pairs(path, line, re.sub(r"=\s+", "=", field))
    if not features:
        raise MalformedFileError(path, line, "no F0=", "Marian's features, such as F0= -1.5")
    score = number(path, line, "score", fields[-1].strip())
    # The last field may be divided by the length; the one model's own score never is.
    log_probability = features["F0"] if len(features) == 1 and "F0" in features else None
    return Candidate(line, fields[1], features, score=score, log_probability=log_probability)


#: What makes a reader of lines for each format.
READERS: dict[str, Callable[[], Callable[[str, int, list[str]], Candidate]]] = {
    "moses": _Moses,
    "cdec": lambda: _cdec,
    "joshua": lambda: _cdec,
    "travatar": lambda: _travatar,
    "zmert": lambda: _zmert,
    "marian": lambda: _marian,
}
