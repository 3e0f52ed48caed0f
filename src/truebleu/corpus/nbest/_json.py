"""Lists as JSON Lines: an object for each segment with its candidates, or one for each candidate.

{"source": "…", "candidates": ["…", "…"], "logprobs": [-1.2, -3.4]}
{"candidates": [{"text": "…", "logprob": -1.2, "comet": 0.8}, {"text": "…", …}]}
{"id": 0, "text": "…", "logprob": -1.2}
{"translations": ["…", "…"], "scores": [0.7, 0.9]}        (Sockeye)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truebleu.corpus._tables import read_records
from truebleu.corpus.nbest._candidates import Candidate, Lists, finite
from truebleu.errors import MalformedFileError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


@dataclass(frozen=True, slots=True, kw_only=True)
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


def parse(path: str, data: bytes, keys: JsonKeys) -> Lists:
    """The lists of a file."""
    records = read_records(path, data)
    first = records[0]
    list_key = keys.candidates or next(
        (key for key in LIST_KEYS if isinstance(first.get(key), list)), None
    )
    if list_key is not None:
        return _by_segment(path, records, list_key, keys)
    return _by_candidate(path, records, keys)


def _by_segment(
    path: str, records: Sequence[Mapping[str, Any]], list_key: str, keys: JsonKeys
) -> Lists:
    reader = None
    lists = []
    for line, record in enumerate(records, 1):
        listed = record.get(list_key)
        if not isinstance(listed, list):
            raise MalformedFileError(path, line, f"no list under {list_key!r}", "candidates")
        if not listed:
            expected = 'one candidate at least; "" if the model had nothing to say'
            raise MalformedFileError(path, line, f"an empty list under {list_key!r}", expected)
        if all(isinstance(item, str) for item in listed):
            objects = _beside(path, line, record, list_key, listed)
        else:
            objects = listed
        for item in objects:
            if not isinstance(item, dict):
                found = f"a candidate of type {type(item).__name__}"
                raise MalformedFileError(path, line, found, "text or an object with text")
        reader = reader or _Reader(path, objects[0], keys)
        lists.append([reader.candidate(line, item) for item in objects])
    labels = _labels([record.get(_key(record, keys.id, ID_KEYS) or "") for record in records])
    return Lists(lists, labels, _sources(records, keys))


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


def _by_candidate(path: str, records: Sequence[Mapping[str, Any]], keys: JsonKeys) -> Lists:
    id_key = _key(records[0], keys.id, ID_KEYS)
    if id_key is None:
        found = f"the keys {', '.join(records[0])}"
        expected = (
            f"a list of candidates ({', '.join(LIST_KEYS[:3])} …) or the segment of each candidate "
            "(id …); name their keys if they are others (--candidates-key, --id-key)"
        )
        raise MalformedFileError(path, 1, found, expected)
    reader = _Reader(path, records[0], keys)
    lists: dict[str | int, list[Candidate]] = {}
    first_records = []
    highest: int | None = None
    for line, record in enumerate(records, 1):
        id_ = record.get(id_key)
        if isinstance(id_, bool) or not isinstance(id_, str | int):
            found = f"{id_!r} under {id_key!r}"
            raise MalformedFileError(path, line, found, "the segment's number or name")
        if id_ not in lists:
            if isinstance(id_, int) and highest is not None and id_ < highest:
                expected = "segments in order of their number; sort the lines by it"
                found = f"segment {id_} after segment {highest}"
                raise MalformedFileError(path, line, found, expected)
            highest = id_ if isinstance(id_, int) else None
            first_records.append(record)
        lists.setdefault(id_, []).append(reader.candidate(line, record))
    return Lists(list(lists.values()), _labels(list(lists)), _sources(first_records, keys))


def _labels(ids: Sequence[object]) -> list[str]:
    return [str(number) if id_ is None else str(id_) for number, id_ in enumerate(ids)]


def _sources(records: Sequence[Mapping[str, Any]], keys: JsonKeys) -> list[str] | None:
    sources = [record.get(_key(record, keys.source, SOURCE_KEYS) or "") for record in records]
    texts = [source for source in sources if isinstance(source, str)]
    return texts if len(texts) == len(sources) else None


def _key(record: Mapping[str, Any], given: str | None, usual: Sequence[str]) -> str | None:
    if given is not None:
        return given
    return next((key for key in usual if key in record), None)


class _Reader:
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
