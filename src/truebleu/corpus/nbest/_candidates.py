"""Candidates as parsers hand them over, and how lists are made and checked of them."""

from __future__ import annotations

from math import isfinite, log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from truebleu.corpus.nbest.lists import NBest, SparseFeatures
from truebleu.errors import EmptyTextError, MalformedFileError, SettingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


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


class Lists(NamedTuple):
    """The lists of a file in their order, before they are checked."""

    candidates: list[list[Candidate]]
    labels: list[str]
    sources: list[str] | None = None


class ScoreScale(NamedTuple):
    """What the user says about the scores of a file; None where only the format can tell."""

    log_base: float | None = None
    length_normalized: bool | None = None


def number(path: str, line: int, name: str, text: str) -> float:
    """A finite number; Python's own reader would also take nan, inf and 1_000."""
    try:
        value = float(text)
    except ValueError:
        value = None
    if value is None or "_" in text:
        hint = "; write decimals with a point" if "," in text else ""
        raise MalformedFileError(path, line, f"{name}: {text!r}", f"a number{hint}")
    return finite(path, line, name, value)


def finite(path: str, line: int, name: str, value: float) -> float:
    """The value, unless it is NaN or infinite."""
    if not isfinite(value):
        expected = "a finite number; leave such candidates out or give them a number"
        raise MalformedFileError(path, line, f"{name}: {value}", expected)
    return value


def make_lists(path: str, format_: str, lists: Lists, scale: ScoreScale) -> NBest:
    """The lists, if every candidate has the features that the others have."""
    flat = [candidate for list_ in lists.candidates for candidate in list_]
    if not flat:
        raise EmptyTextError(path)
    dense = tuple(flat[0].features)
    _refuse_other_features(path, flat, dense)
    promoted = _in_every(flat)
    sparse = None
    if any(len(candidate.sparse) > len(promoted) for candidate in flat):
        kept = set(promoted)
        sparse = SparseFeatures.of(
            {name: value for name, value in candidate.sparse.items() if name not in kept}
            for candidate in flat
        )
    features = np.array(
        [
            [candidate.features[name] for name in dense]
            + [candidate.sparse[name] for name in promoted]
            for candidate in flat
        ]
    ).reshape(len(flat), -1)
    scores = _column(path, flat, "score", [candidate.score for candidate in flat])
    log_probabilities = _column(
        path, flat, "log-probability", [candidate.log_probability for candidate in flat]
    )
    if scores is not None and scale != ScoreScale():
        log_probabilities = _rescaled(scores, log_probabilities, scale)
    elif scores is None and scale != ScoreScale():
        found = f"a {format_} file without scores"
        raise SettingError("log_base or length_normalized", found, "scores that they are about")
    counts = [candidate.times for candidate in flat]
    counted = any(count is not None for count in counts)
    return NBest(
        texts=tuple(candidate.text for candidate in flat),
        offsets=np.concatenate([[0], np.cumsum([len(list_) for list_ in lists.candidates])]),
        feature_names=(*dense, *promoted),
        features=features,
        sparse=sparse,
        scores=scores,
        log_probabilities=log_probabilities,
        counts=np.array([count or 1 for count in counts]) if counted else None,
        labels=tuple(lists.labels),
        sources=None if lists.sources is None else tuple(lists.sources),
        name=path,
        format=format_,
    )


def _refuse_other_features(path: str, flat: list[Candidate], dense: tuple[str, ...]) -> None:
    wanted = set(dense)
    for candidate in flat:
        if candidate.features.keys() == wanted:
            continue
        lacking = [name for name in dense if name not in candidate.features]
        further = [name for name in candidate.features if name not in wanted]
        found = f"no feature {lacking[0]!r}" if lacking else f"a feature {further[0]!r}"
        expected = f"the features of line {flat[0].line}: {', '.join(dense) or 'none'}"
        raise MalformedFileError(path, candidate.line, found, expected)


def _in_every(flat: list[Candidate]) -> tuple[str, ...]:
    """The sparse features that no candidate lacks, in the order of the first one."""
    names = dict.fromkeys(flat[0].sparse)
    for candidate in flat:
        if not names:
            break
        if not names.keys() <= candidate.sparse.keys():
            names = {name: None for name in names if name in candidate.sparse}
    return tuple(names)


def _column(
    path: str, flat: list[Candidate], name: str, values: list[float | None]
) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    if all(value is None for value in values):
        return None
    for candidate, value in zip(flat, values, strict=True):
        if value is None:
            expected = f"one, as line {_first_with(flat, values)} has"
            raise MalformedFileError(path, candidate.line, f"no {name}", expected)
    return np.array(values, dtype=np.float64)


def _first_with(flat: list[Candidate], values: list[float | None]) -> int:
    pairs = zip(flat, values, strict=True)
    return next(candidate.line for candidate, value in pairs if value is not None)


def _rescaled(
    scores: np.ndarray[tuple[int], np.dtype[np.float64]],
    known: np.ndarray[tuple[int], np.dtype[np.float64]] | None,
    scale: ScoreScale,
) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    """Log-probabilities, of scores that the user knows the scale of."""
    base = scale.log_base
    if base is not None and not (isfinite(base) and base > 1):
        raise SettingError("log_base", base, "a number above 1, such as 2 or 10")
    if scale.length_normalized:
        # What was divided by a power of the length can't be undone without knowing both.
        return known
    if scale.length_normalized is None and known is None:
        expected = "also length_normalized: whether the scores were divided by the length"
        raise SettingError("log_base", base, expected)
    return scores * (1.0 if base is None else log(base))


def in_order_of_ids(path: str, candidates: Iterable[tuple[int, Candidate]], first_id: int) -> Lists:
    """Lists whose segments are numbered from `first_id` on, one after the other."""
    lists: list[list[Candidate]] = []
    for id_, candidate in candidates:
        segment = id_ - first_id
        if segment == len(lists) - 1:
            lists[-1].append(candidate)
            continue
        if segment == len(lists):
            lists.append([candidate])
            continue
        _refuse_id(path, candidate.line, id_, first_id, len(lists))
    return Lists(lists, [str(first_id + segment) for segment in range(len(lists))])


def _refuse_id(path: str, line: int, id_: int, first_id: int, known: int) -> None:
    last = first_id + known - 1
    if not known:
        hint = f"; with --first-id {id_} ids start at {id_}" if id_ == 1 else ""
        raise MalformedFileError(path, line, f"segment {id_} first", f"{first_id}{hint}")
    if id_ < last:
        expected = (
            "each segment's candidates together, segments in order of their number; "
            "sort the file by it (sort -s -n -k1,1)"
        )
        raise MalformedFileError(path, line, f"segment {id_} after segment {last}", expected)
    found = f"segment {id_} after segment {last}"
    expected = (
        f"candidates for segment {last + 1}; a segment without any would silently be left out: "
        "translate it again or give it an empty candidate"
    )
    raise MalformedFileError(path, line, found, expected)
