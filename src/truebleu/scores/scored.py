"""Scores that other programs made, as a metric and as test sets known by them alone.

`OutsideScores` is the mean of the scores of segments, beside texts or without them. A
`ScoredTestSet` is anything that was evaluated item by item, by any tool: accuracy, pass or fail, a
judge's scores. Systems are models, segments are items, and documents are clusters of items that go
together, such as questions about one passage. Items pair by their names.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import comb
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import truebleu.corpus.tables as tables
import truebleu.scores.formats as formats
from truebleu._core import Segments
from truebleu.corpus._files import Files, expanded, locate, stem
from truebleu.corpus._reading import read_labels
from truebleu.corpus.sequences import Frame, TextLike, is_frame
from truebleu.corpus.test_set import TestSet
from truebleu.corpus.text_warnings import TextWarning
from truebleu.errors import (
    AbsentSegmentError,
    DuplicateSystemError,
    EmptyTextError,
    MalformedFileError,
    MissingColumnError,
    SettingError,
    UnknownNameError,
    UnpairedSegmentsError,
    first_names,
)
from truebleu.metrics.base import CountedMetric, MeanMetric, Metric, Signature, mean_statistics
from truebleu.metrics.registry import AbsentText, CountedTestSet, metrics_for
from truebleu.schema import Setting, check_fields, picked
from truebleu.scores.evaluations import (
    Evaluation,
    Format,
    ScoreFile,
    evaluations_of,
    is_plain,
    mean,
    quoted,
    records_of,
)

if TYPE_CHECKING:
    from os import PathLike

    from truebleu._core import Statistics
    from truebleu.scores.evaluations import Answer, Numbered

__all__ = ["OutsideScores", "ScoredTestSet", "read_benchmarks"]


# Segment by segment, as a metric needs them.


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentScores:
    """Segment scores of some systems, as a tool wrote them or as they are in memory.

    Attributes:
        label: what messages call them.
        digest: the start of the SHA-256 of all that was read.
        name: the metric's, where the tool says it; else empty.
        higher_is_better: its direction, where that is known.
        by_system: a score for each segment; of tables, what the rows say.
        items: what tells segments apart, where a tool names them: (name, checksum) of each.
        texts: the outputs that were scored, where the tool keeps them.
        raters: how many there are; 1 where nothing tells them apart.
        answers: how many answers to an item were averaged at most.
        first_segment: the number of the first, where the rows of a table are numbered.
        columns: the scores of a table that are added up; the only one where it is empty.
    """

    label: str
    digest: str
    name: str = ""
    higher_is_better: bool | None = None
    by_system: Mapping[str, Sequence[Answer] | Evaluation] = field(compare=False, repr=False)
    items: tuple[tuple[str, str], ...] | None = field(default=None, compare=False, repr=False)
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict, compare=False, repr=False)
    raters: int = 1
    answers: int = 1
    first_segment: int | None = None
    columns: tuple[str, ...] = ("",)

    @property
    def segments(self) -> int:
        """How many segments they are about, as far as they tell."""
        if self.first_segment is None:
            return max(len(self._listed(system)) for system in self.by_system)
        rows = [own for own in self.by_system.values() if isinstance(own, Evaluation)]
        # What is no number is refused with its line when the scores are asked for.
        numbers = [tables.whole_number(item.name) or 0 for own in rows for item in own.items]
        return max(numbers, default=0) - self.first_segment + 1

    def _listed(
        self, system: str, segments: int = 0, scale: tables.Scale = tables.ANY_NUMBER
    ) -> list[Answer]:
        """The scores of a system in order; by their numbers, where they have some."""
        rows = self.by_system[system]
        if not isinstance(rows, Evaluation):
            return list(rows)
        parts = [rows.answers(column, scale=scale)[1] for column in self.columns]
        answers = {item: tables.added([part[item] for part in parts]) for item in parts[0]}
        if self.first_segment is None:
            return [mean(scores) for scores in answers.values()]
        first, last = self.first_segment, self.first_segment + segments - 1
        scores: list[Answer] = [None] * segments
        for item in rows.items:
            number = tables.whole_number(item.name)
            if number is None or not first <= number <= last:
                expected = f"a segment from {first} to {last}"
                rows.refuse(item.line, f"segment {item.name}", expected)
            # Zhang & Vogel (2004), section 2.4: the mean of its raters' scores.
            scores[number - first] = mean(answers[item.name])
        return scores

    def all_scores(self) -> Iterator[Answer]:
        """The scores of all systems, as far as they are numbers."""
        for rows in self.by_system.values():
            if not isinstance(rows, Evaluation):
                yield from rows
                continue
            for item in rows.items:
                values = (item.scores or {}).values()
                yield from (
                    tables.parse_score(v) for v in values if is_plain(v) and tables.is_score(v)
                )

    def of(
        self, system: str, segments: int, scale: tables.Scale, outputs: TextLike | None = None
    ) -> list[Answer]:
        """One system's score for each segment, None where it is missing.

        Args:
            system: its name.
            segments: how many there are.
            scale: what scores can be.
            outputs: the texts that the scores are for, where they are at hand.
        """
        if system not in self.by_system:
            raise MissingColumnError(self.label, "system", system, tuple(self.by_system))
        scores = self._listed(system, segments, scale)
        if len(scores) != segments:
            left = f"{self.label}: the scores of {system!r}"
            raise UnpairedSegmentsError(left, len(scores), "the test set", segments)
        # Without texts, systems and segments are those of the scores.
        texts = self.texts.get(system, ())
        wanted = [(text or "").strip() for text in outputs or ()] if texts else []
        for segment, text in enumerate(texts if any(wanted) else (), 1):
            # Tools strip texts.
            if text.strip() != wanted[segment - 1]:
                found = f"a score of {quoted(text)} for segment {segment} of {system}"
                expected = f"that of its output, {quoted(wanted[segment - 1])}"
                raise MalformedFileError(self.label, None, found, expected)
        # What stands in tables was checked, before it was added up.
        unchecked = [] if isinstance(self.by_system[system], Evaluation) else scores
        for segment, score in enumerate(unchecked, 1):
            if score is not None and not scale.holds(score):
                where = f"{self.label}: scores of {system!r}: segment {segment}"
                raise SettingError(where, score, f"a number in {scale}")
        return scores


def items_of(evaluations: Sequence[Evaluation]) -> dict[str, str]:
    """The items of all evaluations with their checksums, which must agree where they are known."""
    _require_pairs(evaluations)
    first_of: dict[str, tuple[str, str]] = {}
    for evaluation in evaluations:
        for item in evaluation.items:
            checksum, where = first_of.get(item.name, ("", ""))
            if checksum and item.checksum and checksum != item.checksum:
                found = f"another text of item {item.name} than in {where}"
                evaluation.refuse(item.line, found, "the same items in all files")
            if not checksum:
                first_of[item.name] = item.checksum, evaluation.label
    return {name: checksum for name, (checksum, _) in first_of.items()}


def _require_pairs(evaluations: Sequence[Evaluation]) -> None:
    """Refuse systems twice, other benchmarks, and items that cannot be paired."""
    if not evaluations:
        raise EmptyTextError("systems")
    first = evaluations[0]
    earlier: dict[str, Evaluation] = {}
    for evaluation in evaluations:
        other = earlier.setdefault(evaluation.system, evaluation)
        if other.benchmark != evaluation.benchmark:
            both = f"{other.benchmark} and {evaluation.benchmark} of {evaluation.system}"
            expected = "one benchmark, as in FILE#NAME; truebleu panel compares over several"
            evaluation.refuse(None, f"the benchmarks {both}", expected)
        if other is not evaluation:
            raise DuplicateSystemError(evaluation.system)
        if not evaluation.items:
            raise EmptyTextError(evaluation.label)
        for part in ("benchmark", "data"):
            own, others = getattr(evaluation, part), getattr(first, part)
            if own and others and own != others:
                expected = f"{others}, as in {first.label}; truebleu panel compares over several"
                evaluation.refuse(None, f"items of {own}", expected)
        if evaluation.has_names != first.has_names:
            told = "items with names" if evaluation.has_names else "items without names"
            evaluation.refuse(None, told, "all files with a column such as id, or none")
        if not first.has_names and len(evaluation.items) != len(first.items):
            here, there = (f"{e.label}: {e.system}" for e in (evaluation, first))
            raise UnpairedSegmentsError(here, len(evaluation.items), there, len(first.items))


def paired(
    evaluations: Sequence[Evaluation],
    items: Mapping[str, str],
    column: str = "",
    filter_: str = "",
    answers: str = "mean",
) -> SegmentScores:
    """The scores of all systems in the order of the items, by one metric.

    Args:
        evaluations: at least one.
        items: the items with their checksums.
        column: the score that counts, where there are several.
        filter_: how answers were read out, where there are several ways.
        answers: what becomes of several answers to an item.
    """
    by_system: dict[str, list[Answer]] = {}
    texts: dict[str, Sequence[str]] = {}
    names: dict[tuple[str, str], Evaluation] = {}
    told: dict[bool, Evaluation] = {}
    for evaluation in evaluations:
        name, by_item = evaluation.answers(column, filter_)
        names.setdefault((name, evaluation.chosen_items(filter_)[0].filter), evaluation)
        direction = evaluation.direction(name)
        if direction is not None:
            told.setdefault(direction, evaluation)
        if answers == "runs":
            by_system |= _runs(evaluation, items, name, filter_)
        else:
            by_system[evaluation.system] = [
                _passed(evaluation, item, by_item.get(item, []), answers) for item in items
            ]
        outputs = [item.output for item in evaluation.items if item.output is not None]
        if not evaluation.has_names and len(outputs) == len(items):
            texts[evaluation.system] = outputs
    ((name, own), first), *others = names.items()
    for (other, filtered), evaluation in others:
        if filtered != own:
            expected = f"that of {own or 'none'}, as in {first.label}"
            evaluation.refuse(None, f"answers of the filter {filtered or 'none'}", expected)
        if not column:
            evaluation.refuse(None, f"scores by {other}", f"{name}, as in {first.label}")
    if len(told) > 1:
        told[False].refuse(None, f"{name} as lower is better", f"higher, as in {told[True].label}")
    return SegmentScores(
        label=first.label,
        digest=tables.digest(repr(sorted(by_system.items())).encode()),
        name=name,
        higher_is_better=next(iter(told), None),
        by_system=by_system,
        items=tuple(items.items()) if first.has_names else None,
        texts=texts,
    )


def _runs(
    evaluation: Evaluation, items: Iterable[str], name: str, filter_: str
) -> dict[str, list[Answer]]:
    """The scores of each run of a system."""
    answers = evaluation.chosen_items(filter_)
    runs = dict.fromkeys(item.answer for item in answers)
    score_of = {(item.answer, item.name): evaluation.score(item, name) for item in answers}
    return {
        f"{evaluation.system}.run{number}": [score_of.get((run, item)) for item in items]
        for number, run in enumerate(runs, 1)
    }


# Words in the names of scores that tell their direction.
_LOWER = re.compile(
    r"(^|[\W_])(loss|errors?|err|perplexity|ppl|brier|nll|[wcth]+er|mqm|mse|rmse|mae|ece|latency|"
    r"cost|duration|runtime|seconds|ms)($|[\W_])"
)
_HIGHER = re.compile(
    r"(^|[\W_])(acc|accuracy|correct|match|exact|em|f1|precision|recall|pass|passed|success|bleu|"
    r"chrf2?|rouge|meteor|comet|bleurt|bertscore|reward|includes|win)($|[\W_])"
)


def usual_direction(name: str, scores: SegmentScores) -> bool | None:
    """Whether higher is better, by what a score is called; None where the name does not tell.

    Errors that are stored as negative numbers, as MQM often is, are better the higher they are.
    """
    if _LOWER.search(name.lower()):
        values = [score for score in scores.all_scores() if score]
        return bool(values) and max(values) < 0
    return True if _HIGHER.search(name.lower()) else None


def _passed(evaluation: Evaluation, item: str, scores: Sequence[Answer], way: str) -> Answer:
    """The mean of the answers, or the chance that of k one (pass@k) or each (pass^k) is right.

    Over all choices of k among the answers that there are (Chen et al. 2021, section 2.1), so that
    more answers make it surer and not larger.
    """
    known = [score for score in scores if score is not None]
    if way == "mean" or not known:
        return mean(known)
    k = int(way[len("pass@") :])
    if len(known) < k:
        found = f"{len(known)} scored answers to item {item}"
        evaluation.refuse(None, found, f"at least {k} for {way}")
    if not set(known) <= {0.0, 1.0}:
        other = next(score for score in known if score not in (0.0, 1.0))
        evaluation.refuse(None, f"the score {other:g} of item {item}", f"right or wrong for {way}")
    right = known.count(1.0)
    if way.startswith("pass^"):
        return comb(right, k) / comb(len(known), k)
    return 1 - comb(len(known) - right, k) / comb(len(known), k)


def _most_answers(evaluation: Evaluation) -> int:
    return max(Counter((item.filter, item.name) for item in evaluation.items).values())


# From files: of a tool, or tables with a row for each system and segment, or a column for each
# system. What is written in tables counts only when a system is asked for: scores of others may be
# anything.


def read_segment_scores(
    path: str, column: str = "", filter_: str = "", first_segment: int = 1
) -> SegmentScores:
    """Segment scores of another tool, in a folder of a file for each system, or in a table.

    See docs/reference/metrics/scores.md.
    """
    is_folder, paths = os.path.isdir(path), [path]
    if is_folder:
        paths = sorted(entry.path for entry in os.scandir(path) if entry.is_file())
    if not paths:
        raise SettingError("path", path, "a folder with a file of scores for each system")
    files = [ScoreFile.read(file) for file in paths]
    forms = [formats.format_of(file) for file in files]
    if forms == [None] and not is_folder:
        if filter_:
            raise SettingError("filter", filter_, "none: only lm-evaluation-harness has filters")
        return _table_scores(tables.read_score_table(path, files[0].data), column, first_segment)
    if first_segment != 1:
        expected = "none: the file of a tool says it by itself"
        raise SettingError("first_segment", first_segment, expected)
    evaluations: list[Evaluation] = []
    for file, form in zip(files, forms, strict=True):
        if form is None:
            expected = "scores that a tool wrote, such as a number on each line"
            file.refuse(None, "something else", expected)
        evaluations += evaluations_of(file, form)
    if not evaluations:
        files[0].refuse(None, "no scores", "the scores of at least one system")
    scores = paired(evaluations, items_of(evaluations), column, filter_)
    is_unnamed = scores.name == "score" and scores.items is None
    checksum = files[0].digest
    if is_folder:
        checksum = tables.digest("".join(file.digest for file in files).encode())
    name = "" if is_unnamed else scores.name
    return replace(scores, label=path, digest=checksum, name=name)


def _table_scores(table: tables.Table, column: str, first_segment: int) -> SegmentScores:
    columns = tables.score_columns(table, column or None)
    naming, segment, rater = (
        table.find(names) for names in (tables.SYSTEM, tables.SEGMENT, tables.RATER)
    )
    if rater is not None and segment is None:
        found = f"a {table.word} {rater!r} but none for the segment"
        raise MalformedFileError(table.path, None, found, f"one called {tables.SEGMENT[0]!r}")
    for label in (naming, rater):
        if label is not None:
            table.labels(label)
    records: list[Numbered] = []
    for line, row in records_of(table):
        about = {"answer": None if rater is None else row[rater]}
        if segment is not None:
            number = tables.whole_number(row[segment])
            about["item"] = row[segment] if number is None else number
        cells = {name: {name: row[name]} for name in columns}
        if naming is not None:
            cells = {str(row[naming]): {name: row[name] for name in columns}}
        records += [(line, {"system": s, "scores": own, **about}) for s, own in cells.items()]
    form = Format(
        records=lambda _: records, item="item" if segment is not None else "", answer="answer"
    )
    evaluations = evaluations_of(ScoreFile(table.path), form)
    return SegmentScores(
        label=table.path,
        digest=table.digest,
        by_system={evaluation.system: evaluation for evaluation in evaluations},
        raters=len({record["answer"] for _, record in records}),
        columns=("",) if naming is None else columns,
        first_segment=None if segment is None else first_segment,
    )


def scores_in_memory(scores: Mapping[str, Iterable[object]]) -> SegmentScores:
    """Segment scores that are in memory: for each system an array or list, None or NaN if missing.

    >>> scores_in_memory({"a": [0.5, None]}).by_system["a"]
    [0.5, None]
    """
    if not scores:
        raise SettingError("scores", {}, "the scores of at least one system")
    numbers = {system: formats.numbers_of(system, values) for system, values in scores.items()}
    # repr tells every float from every other.
    checksum = tables.digest(repr(sorted(numbers.items())).encode())
    return SegmentScores(label="scores", digest=checksum, by_system=numbers)


# The metric.

Missing = Literal["error", "omit", "common"]
#: What several answers of a system to one item are: averaged, pass@K or pass^K.
ANSWERS = ("mean", "pass@K", "pass^K")


def require_answers(answers: str | None) -> None:
    """Refuse what several answers to one item cannot be."""
    passes = re.fullmatch(r"pass[@^][1-9]\d{0,3}", answers or "")
    if answers not in (None, "mean") and passes is None:
        raise UnknownNameError("way with several answers", str(answers), ANSWERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideScores(MeanMetric):
    """Scores from a file or from Python; see docs/reference/metrics/scores.md.

    The file is read when the metric is made, so that what is counted is what the signature says.
    Without one, the scores are those of a `ScoredTestSet`, whose systems are files of scores.

    >>> metric = OutsideScores.of({"system": [0.5, None, 1.0]}, name="COMET", missing="omit")
    >>> print(metric.corpus(["a", "b", "c"], ["a", "b", "c"]))
    COMET = 0.7500 (segments = 2)
    """

    reads_texts: ClassVar[bool] = False

    path: str = ""
    name: str = ""
    column: str = ""
    filter: str = ""
    higher_is_better: bool | None = None
    low: float | None = None
    high: float | None = None
    first_segment: Annotated[int, Setting(least=0, most=1)] = 1
    missing: Missing = "error"
    answers: str | None = None
    table: SegmentScores | None = field(default=None, repr=False, metadata={"text": False})
    _scores: SegmentScores | None = field(init=False, repr=False)
    _is_assumed: bool = field(default=False, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.path and self.table is not None:
            raise SettingError("path", self.path, "none beside scores in memory")
        check_fields(self)
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise SettingError("high", self.high, f"a number above low={self.low:g}")
        require_answers(self.answers)
        if self.answers is not None and self.path:
            expected = "a file of scores for each SYSTEM, not one for all"
            raise SettingError("answers", self.answers, expected)
        scores = self.table
        if self.path:
            about = self.column, self.filter, self.first_segment
            scores = read_segment_scores(self.path, *about)
        elif scores is None and self.first_segment != 1:
            expected = "a file of scores, as in scores:path=FILE"
            raise SettingError("first_segment", self.first_segment, expected)
        derived: dict[str, object] = {"_scores": scores}
        if scores is None:
            derived["name"] = self.name or self.column or "scores"
        else:
            derived["name"] = self.name or scores.name or stem(scores.label)
            if self.higher_is_better is None:
                told = scores.higher_is_better
                if told is None:
                    told = usual_direction(self.column or str(derived["name"]), scores)
                derived |= {"higher_is_better": told is not False, "_is_assumed": told is None}
        # A frozen dataclass can only set its derived fields in this way.
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(
        cls,
        scores: Mapping[str, Iterable[object]],
        *,
        name: str = "scores",
        higher_is_better: bool = True,
        low: float | None = None,
        high: float | None = None,
        missing: Missing = "error",
    ) -> OutsideScores:
        """A metric of scores that are in memory: a list or array for each system, by its name.

        A score is a number, or a judgment such as "correct"; None or NaN where it is missing.
        """
        return picked(cls, locals(), table=scores_in_memory(scores))

    @property
    def has_scores(self) -> bool:
        """Whether it has scores of its own, from a file or from Python."""
        return self._scores is not None

    @property
    def scores(self) -> SegmentScores:
        """The scores themselves, of whatever systems they are."""
        if self._scores is None:
            expected = "a file of scores, as in scores:path=FILE, or systems that are such files"
            raise SettingError("path", self.path, expected)
        return self._scores

    def count(self, test_set: TestSet) -> Statistics:
        """Columns: the score, and 1; both are 0 where a segment does not count."""
        segments, scale = len(test_set), tables.Scale(self.low, self.high)
        scores = {
            name: self.scores.of(name, segments, scale, text)
            for name, text in test_set.systems.items()
        }
        if self.missing == "error":
            for system, column in scores.items():
                self._refuse_missing(system, column)
        elif self.missing == "common":
            rows = list(zip(*scores.values(), strict=True))
            kept = [row if None not in row else (None,) * len(row) for row in rows]
            scores = dict(zip(scores, map(list, zip(*kept, strict=True)), strict=True))
        for system, column in scores.items():
            if all(score is None for score in column):
                shared = " that every other system has too" if self.missing == "common" else ""
                raise SettingError(self._place(system), "no score at all", f"at least one{shared}")
        return mean_statistics(list(scores.values()))

    @property
    def signature(self) -> Signature:
        """Digest of the scores, and of columns, raters, range and the like what is not usual."""
        bounded = self.low is not None or self.high is not None
        noted: dict[str, str | int] = {
            "column": self.column,
            "raters": self.scores.raters if self.scores.raters > 1 else "",
            "range": str(tables.Scale(self.low, self.high)) if bounded else "",
            "missing": self.missing if self.missing != "error" else "",
            "better": "higher-assumed" if self._is_assumed else "",
            "answers": self.scores.answers if self.scores.answers > 1 else "",
        }
        unusual = {key: value for key, value in noted.items() if value}
        return Signature.of(self.name, scores=self.scores.digest, **unusual)

    def _refuse_missing(self, system: str, scores: list[float | None]) -> None:
        if None not in scores:
            return
        others = scores.count(None) - 1
        # What people know the segment by, where it has a name.
        items = getattr(self.scores, "items", None)
        name = "" if items is None else f" of item {items[scores.index(None)][0]}"
        found = f"no score{name}" + (f", nor have {others} other segments" if others else "")
        expected = (
            "one for each segment; missing=omit leaves such segments out of this system's mean, "
            "missing=common out of all systems'"
        )
        raise AbsentSegmentError(self._place(system), scores.index(None) + 1, found, expected)

    def _place(self, system: str) -> str:
        return f"{self.scores.label}: the scores of {system!r}"


#: What the WMT metrics task calls translations by people, which metrics without references score.
HUMAN_TRANSLATION = re.compile(r"(ref|reference|human)[-_.]?[A-Z0-9]?", re.IGNORECASE)
# A slip in a number must not take all memory.
MOST_SEGMENTS = 10_000_000


def textless_test_set(metrics: Sequence[Metric], documents: str | None = None) -> TestSet:
    """The systems that all metrics have scores of, and as many segments as the largest has.

    Args:
        metrics: scores from elsewhere; any other metric needs texts, and is refused.
        documents: a file with the document of each segment.
    """
    for metric in metrics:
        if not isinstance(metric, OutsideScores):
            need = f"SYSTEM... and -r REF, which {metric.name} needs"
            raise SettingError("texts", "none", f"{need}; only scores:path=FILE does without")
    first, *others = files = [metric.scores for metric in metrics if hasattr(metric, "scores")]
    names = [name for name in first.by_system if all(name in other.by_system for other in others)]
    if not names:
        expected = "at least two that every file has scores of"
        raise SettingError("systems", f"none in all of {len(files)} files", expected)
    segments, largest = max((file.segments, file.label) for file in files)
    if segments > MOST_SEGMENTS:
        found = f"a segment numbered {segments:,}"
        raise MalformedFileError(largest, None, found, f"numbers up to {MOST_SEGMENTS:,}")
    blank = Segments([""] * segments)
    warnings = []
    people = [name for name in names if HUMAN_TRANSLATION.fullmatch(name)]
    if people:
        message = (
            f"{first.label}: {first_names(people)}: by the name, translated by people; counts as a "
            "system here, though not for metrics with references"
        )
        warnings = [TextWarning("human-translation", first.label, len(people), None, message)]
    test_set = TestSet(
        systems=dict.fromkeys(names, blank),
        references=(blank,),
        reference_names=("none",),
        warnings=tuple(warnings),
        is_examined=True,  # there is no text to look at
    )
    if documents is None:
        return test_set
    layout = read_labels(Files(), documents, first.label, segments)
    return replace(test_set, documents=layout.documents, domains=layout.domains)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredTestSet(CountedTestSet):
    """Systems that are known by the scores of their answers alone; metrics are `OutsideScores`.

    Attributes:
        evaluations: what each system got.
        items: the names of the items and their checksums.
        answers: what several answers to one item are: averaged, or pass@K or pass^K, the chance
            that one or all of K are right; None where nobody said it.
        runs: the systems that are runs of each, called NAME.run1, NAME.run2, …; see `by_runs`.

    >>> import truebleu
    >>> scored = ScoredTestSet.of({"old": [1, 0, 0, 1, 0, 0], "new": [1, 1, 0, 1, 1, 1]})
    >>> result = truebleu.compare(scored, metrics=["scores"], replicates=100)
    >>> result.comparisons[0].difference
    -0.5
    """

    evaluations: tuple[Evaluation, ...] = ()
    items: tuple[tuple[str, str], ...] = ()
    answers: str | None = None
    runs: Mapping[str, tuple[str, ...]] | None = None

    @classmethod
    def read(
        cls,
        systems: Sequence[str | PathLike[str]],
        *,
        documents: str | None = None,
        answers: str | None = None,
    ) -> ScoredTestSet:
        """Files of scores, one or more for each system; see docs/reference/metrics/scores.md.

        Args:
            systems: files, NAME=FILE, FILE#FILTER, folders or patterns; of a file with several
                systems, FILE#SYSTEM is one of them.
            documents: a field of the items that tells which belong together, or a file with a label
                for each item.
            answers: what several answers to one item are; None for their mean.
        """
        return cls._made(read_systems(systems), documents, answers)

    @classmethod
    def of(
        cls,
        systems: Mapping[str, Iterable[Any] | Frame] | Frame,
        *,
        documents: str | None = None,
        answers: str | None = None,
    ) -> ScoredTestSet:
        """Scores that are in memory, by system: a list of numbers, or of rows with names.

        Args:
            systems: for each system a score of every item, None or NaN where it is missing; or
                mappings such as {"id": "q1", "score": 1.0, "passage": "p1"}, in any order; or a
                data frame with such rows. Or one data frame of all systems with a column such as
                model, as Inspect's samples_df makes it.
            documents: a field of those rows that tells which items belong together.
            answers: what several rows of one item are; None for their mean.
        """
        if is_frame(systems):
            return cls._made(
                formats.evaluations_in_memory("data frame", systems), documents, answers
            )
        if not isinstance(systems, Mapping):
            expected = "scores by system, such as {'a': [1, 0]}, or a data frame"
            raise SettingError("systems", type(systems), expected)
        evaluations: list[Evaluation] = []
        for name, rows in systems.items():
            own = formats.evaluations_in_memory(name, rows)
            evaluations += [replace(own[0], system=name)] if len(own) == 1 else own
        return cls._made(evaluations, documents, answers)

    @classmethod
    def _made(
        cls, evaluations: Sequence[Evaluation], documents: str | None, answers: str | None
    ) -> ScoredTestSet:
        require_answers(answers)
        items = tuple(items_of(evaluations).items())
        first = evaluations[0]
        for evaluation in evaluations if answers is None and first.are_runs else ():
            counts = _most_answers(evaluation), _most_answers(first)
            if counts[0] != counts[1]:
                expected = f"{counts[1]}, as in {first.label}; answers=mean takes what is there"
                evaluation.refuse(None, f"{counts[0]} answers to an item", expected)
        test_set = cls(
            systems={e.system: AbsentText(e.label, len(items)) for e in evaluations},
            references=(AbsentText("references", len(items)),),
            reference_names=("none",),
            is_examined=True,
            evaluations=tuple(evaluations),
            items=items,
            answers=answers,
        )
        documents = documents or first.documents or None
        return test_set if documents is None else test_set._with_documents(documents)

    def by_runs(self) -> ScoredTestSet:
        """Each run as a system, where several answers to an item are runs; else the test set."""
        count = _most_answers(self.evaluations[0])
        are_runs = all(evaluation.are_runs for evaluation in self.evaluations)
        if self.answers is not None or not are_runs or count == 1:
            return self
        numbers = range(1, count + 1)
        runs = {name: tuple(f"{name}.run{n}" for n in numbers) for name in self.systems}
        systems = {run: self.systems[name] for name, own in runs.items() for run in own}
        return replace(self, systems=systems, runs=runs)

    @property
    def reference_lengths(self) -> tuple[int, ...]:
        """Every item counts alike."""
        return (1,) * len(self)

    @property
    def segment_names(self) -> tuple[str, ...] | None:
        """The names of the items; None where files tell them apart by their order alone."""
        if not self.evaluations[0].has_names:
            return None
        return tuple(name for name, _ in self.items)

    @property
    def fingerprint(self) -> str:
        """Of the items and their checksums."""
        return tables.digest(repr(self.items).encode())

    def labels(self, name: str) -> tuple[str, ...] | None:
        """A field of the items; domains and documents where they are known."""
        known = TestSet.labels(self, name)
        if known is not None:
            return known
        label_of: dict[str, str] = {}
        for evaluation in self.evaluations:
            for item, label in evaluation.labels(name).items():
                if label_of.setdefault(item, label) != label:
                    expected = f"{label_of[item]}, as in {self.evaluations[0].label}"
                    evaluation.refuse(None, f"{name} {label} of item {item}", expected)
        for item, _ in self.items if label_of else ():
            if item not in label_of:
                self.evaluations[0].refuse(None, f"no {name} of item {item}", "one for each item")
        return tuple(label_of[item] for item, _ in self.items) if label_of else None

    def _with_documents(self, documents: str) -> ScoredTestSet:
        if os.path.exists(locate(documents).path):
            first = self.evaluations[0]
            layout = read_labels(Files(), documents, first.label, len(self))
            return replace(self, documents=layout.documents, domains=layout.domains)
        labels = self.labels(documents)
        if labels is None:
            fields = {field for item in self.evaluations[0].items for field in item.fields}
            expected = f"a file, or a field of the items: {', '.join(sorted(fields)) or 'none'}"
            raise SettingError("documents", documents, expected)
        return replace(self, documents=labels)

    def common(self, metrics: Sequence[Metric]) -> ScoredTestSet:
        """Only the items that all systems have scores of, where every metric asks for that."""
        own = [m for m in metrics if isinstance(m, OutsideScores) and not m.has_scores]
        if len(own) < len(metrics) or any(metric.missing != "common" for metric in own):
            return self
        counts = [metric.count(self).array()[:, :, 1].all(1) for metric in self.metrics(own)]
        kept = [place for place, row in enumerate(zip(*counts, strict=True)) if all(row)]
        if len(kept) == len(self):
            return self

        def part(values: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
            return None if values is None else tuple(values[place] for place in kept)

        return replace(
            self,
            systems={name: AbsentText(name, len(kept)) for name in self.systems},
            references=(AbsentText("references", len(kept)),),
            items=part(self.items) or (),
            documents=part(self.documents),
            domains=part(self.domains),
        )

    def metrics(self, metrics: Sequence[Metric]) -> list[Metric]:
        """The metrics with the scores of these systems; metrics that need texts are refused."""
        return [self._bound(metric) for metric in metrics]

    def _bound(self, metric: Metric) -> Metric:
        if isinstance(metric, CountedMetric):
            return metric
        if not isinstance(metric, OutsideScores):
            expected = f"texts and references, which {metric.name} needs; by scores use -m scores"
            raise SettingError("metric", metric.name, expected)
        if metric.has_scores:
            return metric
        way = metric.answers or self.answers or ("mean" if self.runs is None else "runs")
        scores = paired(self.evaluations, dict(self.items), metric.column, metric.filter, way)
        averaged = max(map(_most_answers, self.evaluations)) if way == "mean" else 1
        name = scores.name if way in ("mean", "runs") else f"{scores.name} {way}"
        # The systems here are those that were scored: no texts tell them apart.
        scores = replace(scores, name=name, texts={}, answers=averaged)
        own_name = "" if metric.name in ("scores", metric.column) else metric.name
        return replace(metric, table=scores, name=own_name, answers=None)


def read_systems(systems: Sequence[str | PathLike[str]]) -> list[Evaluation]:
    """The evaluations in files, with the names that the systems were given."""
    evaluations: list[Evaluation] = []
    for written in formats.score_files(systems):
        location = locate(written)
        of_file = formats.read_evaluations(location.path)
        chosen = location.column
        named = [e for e in of_file if len(of_file) > 1 and chosen in (e.system, e.benchmark)]
        if named:
            of_file = named
        elif chosen is not None:
            of_file = [replace(e, items=tuple(e.chosen_items(chosen))) for e in of_file]
        if location.name is not None:
            if len(of_file) != 1:
                expected = f"no name for a file of {len(of_file)} systems"
                raise SettingError("system", str(written), expected)
            of_file = [replace(of_file[0], system=location.name)]
        evaluations += of_file
    return evaluations


#: Of several filters of a benchmark the first that is there counts, unless one is chosen.
FILTERS = ("none", "strict-match", "flexible-extract")


def read_benchmarks(
    paths: Sequence[str],
    *,
    documents: str | None = None,
    answers: str | None = None,
    filters: str | None = None,
) -> dict[str, ScoredTestSet]:
    """Read the benchmarks in files of scores, by their names, as `panel` takes them.

    Args:
        paths: files of scores, or folders of such, also in folders inside. The benchmark is what
            the tool says, a column such as benchmark, or the name of the folder. FILE#FILTER is one
            of several filters.
        documents: a field of the items that tells which belong together, where they have it.
        answers: what several answers to one item are; None for their mean.
        filters: how answers were read out; of several with / between them, the first that a
            benchmark has. None for strict-match, flexible-extract, or the first.
    """
    evaluations: dict[tuple[str, str], Evaluation] = {}
    for path in paths:
        location = locate(path)
        chosen = location.column or filters
        is_folder = os.path.isdir(location.path)
        files = list(formats.files_inside(location.path)) if is_folder else [location.path]
        if not files:
            raise EmptyTextError(path)
        for file in files:
            folder = os.path.basename(os.path.dirname(os.path.abspath(file)))
            for evaluation in formats.read_evaluations(file, by_benchmark=True):
                key = evaluation.benchmark or folder, evaluation.system
                if key in evaluations:
                    expected = f"it once; it is also in {evaluations[key].label}"
                    evaluation.refuse(None, f"{key[1]} on {key[0]} again", expected)
                evaluations[key] = _filtered(replace(evaluation, benchmark=key[0]), chosen)
    by_benchmark: dict[str, list[Evaluation]] = {}
    for (benchmark, _), evaluation in evaluations.items():
        by_benchmark.setdefault(benchmark, []).append(evaluation)
    sets = {name: ScoredTestSet._made(parts, None, answers) for name, parts in by_benchmark.items()}
    if documents is None:
        return sets
    known = {name: scored.labels(documents) for name, scored in sets.items()}
    if not any(known.values()):
        raise SettingError("documents", documents, "a field of the items of some benchmark")
    return {name: replace(scored, documents=known[name]) for name, scored in sets.items()}


def _filtered(evaluation: Evaluation, chosen: str | None) -> Evaluation:
    """The answers of one filter: the one that was chosen, or the first of the usual order."""
    filters = dict.fromkeys(item.filter for item in evaluation.items)
    if chosen is None and "" not in filters:
        chosen = "/".join((*FILTERS, *filters))
    return replace(evaluation, items=tuple(evaluation.chosen_items(chosen or "")))


def read_evaluated_texts(
    systems: Sequence[str], metrics: Sequence[Metric], documents: str | None
) -> TestSet | None:
    """The outputs and references that evaluations keep; None where the files are texts."""
    paths = [locate(written).path for written in expanded(systems)]
    if not all(map(os.path.isfile, paths)):
        return None
    kept = [formats.keeps_texts(path) for path in paths]
    if not any(kept):
        return None
    if not all(kept):
        expected = f"an evaluation with its outputs, as in {paths[kept.index(True)]}"
        raise MalformedFileError(paths[kept.index(False)], None, "something else", expected)
    evaluations = read_systems(systems)
    scored = ScoredTestSet._made(evaluations, documents, "mean")
    outputs: dict[str, list[str]] = {}
    references: list[tuple[str, ...]] = []
    for evaluation in evaluations:
        chosen = {item.name: item for item in evaluation.chosen_items()}
        if len(chosen) != len(scored.items):
            first = evaluations[0].label
            raise UnpairedSegmentsError(evaluation.label, len(chosen), first, len(scored.items))
        own = [chosen[name] for name, _ in scored.items]
        for item in own:
            lacking = "text as the output" if item.output is None else "target"
            if item.output is None or not item.references:
                found = f"no {lacking} of item {item.name}"
                evaluation.refuse(item.line, found, "a text to score; or -m scores")
        outputs[evaluation.system] = [item.output or "" for item in own]
        references = references or [item.references for item in own]
    width = max(map(len, references))
    test_set = TestSet(
        systems=outputs,
        references=tuple(
            [texts[i] if i < len(texts) else None for texts in references] for i in range(width)
        ),
        reference_names=tuple(f"target {i}" for i in range(1, width + 1)),
        documents=scored.documents,
    )
    return metrics_for(metrics, test_set)[1]
