"""Judgments of human raters: scores of outputs, or which of two outputs is better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Annotated, ClassVar, Literal, NamedTuple, TypeAlias, TypedDict, get_args

from truebleu.errors import DuplicateSystemError, SettingError, UnpairedSegmentsError, first_names
from truebleu.schema import Setting, Settings, check_fields

__all__ = ["FORMATS", "HumanScores", "Judgment", "PairwiseJudgments"]

#: Unit that a score belongs to.
Level: TypeAlias = Literal["segment", "document", "domain", "system"]
#: -1, 0 or +1: the left output is worse than the right output, as good, or better.
Verdict: TypeAlias = Literal[-1, 0, 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanScores:
    """Human scores of some systems of a test set; higher is better.

    Attributes:
        label: name in messages: the file.
        level: unit that a score belongs to.
        scores: scores of each judged system, in the order of the test set: one per segment of the
            test set, per document or domain, or a single score at system level. None for units
            without a judgment. Systems without any judgment are left out.
        items: names of the documents or domains; None at the other levels.
        raters: number of human raters; 1 if the file does not name them.
        signature: method behind the numbers: format, weights, averaging, matching of segments, and
            first digits of the file's SHA-256.
        ignored: systems of the file that are not in the test set, if they are allowed.
        notes: sentences with cautions about the numbers.
        stored_means: scores of the systems if a file has them; None if they are the means of
            `scores`.
        are_separate: True if `stored_means` are on another scale than `scores`.
    """

    higher_is_better: ClassVar[bool] = True

    label: str
    level: Level
    scores: Mapping[str, tuple[float | None, ...]]
    items: tuple[str, ...] | None = None
    raters: int = 1
    signature: str
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    stored_means: Mapping[str, float] | None = None
    are_separate: bool = False

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the judged systems."""
        return tuple(self.scores)

    def means(self) -> dict[str, float]:
        """Return the human score of each system: stored, or the mean over its judged units."""
        if self.stored_means is not None:
            return {system: self.stored_means[system] for system in self.scores}
        judged = {
            system: [score for score in scores if score is not None]
            for system, scores in self.scores.items()
        }
        return {system: fsum(scores) / len(scores) for system, scores in judged.items()}


class Judgment(NamedTuple):
    """One comparison of two outputs of a segment.

    Attributes:
        segment: index of the segment in the test set, from 0.
        left: name of a system.
        right: name of another system.
        verdict: -1, 0 or +1: left is worse, as good, or better.
        rater: name of the rater, or None if unknown.
    """

    segment: int
    left: str
    right: str
    verdict: Verdict
    rater: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseJudgments:
    """Judgments that compare two outputs, segment by segment.

    Attributes:
        label: name in messages: the file.
        systems: names of the judged systems, in the order of the test set.
        judgments: all judgments, in the order of the file.
        raters: number of human raters; 1 if the file does not name them.
        signature: method of reading the judgments, and first digits of the file's SHA-256.
        ignored: systems of the file that are not in the test set, if they are allowed.
        notes: sentences with cautions about the judgments.
    """

    label: str
    systems: tuple[str, ...]
    judgments: tuple[Judgment, ...]
    raters: int = 1
    signature: str
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


# Options for reading judgments.


Format: TypeAlias = Literal["scores", "mqm", "ratings", "esa", "da", "rankings"]
Raters: TypeAlias = Literal["mean", "z"]
Others: TypeAlias = Literal["refuse", "ignore"]
#: Method of matching segments of the file to segments of the test set.
Match: TypeAlias = Literal["names", "documents", "numbers", "order"]

FORMATS: tuple[Format, ...] = get_args(Format)


_READING = Setting(group="Texts", rare=True)


class ReadOptions(TypedDict, total=False):
    """Options of `read_human`.

    Attributes:
        format: format of the human scores. Default: detected automatically.
        column: column of scores, if there are several.
        raters: average the scores of a segment's raters as they are ("mean"), or z-normalise each
            rater first ("z"): (x - mean) / standard deviation over all that a rater judged.
        weights: weights of errors in MQM: standard, wmt24, or a list such as "Major=5,Minor=1"; in
            Python also a mapping.
        match: method of matching the file's segments to the test set: by "names" if systems are
            files of scores with named items, by "documents", by "numbers" or in "order". Default:
            the first that fits the file.
        first_segment: number of the first segment in the file, 0 or 1. Default: detected
            automatically.
        language_pair: language pair to take from a file with several, as the file writes it.
        others: refuse or ignore judgments of systems that are not given.
    """

    format: Annotated[Format | None, _READING]
    column: Annotated[str | None, replace(_READING, metavar="NAME")]
    raters: Annotated[Raters, _READING]
    weights: Annotated[str | Mapping[str, float] | None, replace(_READING, metavar="WEIGHTS")]
    match: Annotated[Match | None, _READING]
    first_segment: Annotated[int | None, replace(_READING, minimum=0, maximum=1, metavar="N")]
    language_pair: Annotated[str | None, replace(_READING, metavar="PAIR")]
    others: Annotated[Others, _READING]


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanReadOptions(Settings):
    """The test set that was judged, and the options of `read_human`.

    Attributes:
        systems: names of the test set's systems.
        segments: number of segments.
        documents: document of each segment, or None.
        names: names of the segments, or None.
        outputs: outputs of the systems, or None if they are not in memory.
    """

    OPTIONS = ReadOptions

    systems: tuple[str, ...]
    segments: Annotated[int, Setting(minimum=1)]
    documents: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    outputs: Mapping[str, Sequence[str | None]] | None = None
    format: Format | None = None
    column: str | None = None
    raters: Raters = "mean"
    weights: str | Mapping[str, float] | None = None
    others: Others = "refuse"
    match: Match | None = None
    first_segment: int | None = None
    language_pair: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.systems, str) or not isinstance(self.systems, Iterable):
            raise SettingError("systems", self.systems, "the names of the test set's systems")
        for name in ("systems", "documents"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, tuple(map(str, getattr(self, name))))
        check_fields(self)
        systems = Counter(self.systems)
        if len(systems) < len(self.systems):
            raise DuplicateSystemError(systems.most_common(1)[0][0])
        if len(systems) < 2:
            expected = "at least two systems to compare by their human scores"
            raise SettingError("systems", self.systems, expected)
        if self.documents is not None and len(self.documents) != self.segments:
            number = len(self.documents)
            raise UnpairedSegmentsError("documents", number, "the test set", self.segments)
        if self.match == "documents" and self.documents is None:
            raise SettingError("match", self.match, "the documents of the test set as well")
        if self.match == "names" and self.names is None:
            raise SettingError("match", self.match, "systems that are files of scores, with names")

    @property
    def system_names(self) -> str:
        """Names of the test set's systems, for messages."""
        return join_names(self.systems)


def join_names(names: Sequence[str]) -> str:
    """Join names in quotes for messages; only the first 8 if there are more.

    >>> join_names(["a", "b"])
    "'a', 'b'"
    """
    return first_names(list(map(repr, names)), 8)
