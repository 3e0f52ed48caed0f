"""Scores of other programs, with or without texts: `-m scores:path=FILE`.

Their scorer is the mean over segments. The file is read when the scores are attached to a test
set, so that the signature matches the scores.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import truebleu.corpus.tables as tables
import truebleu.scores.formats as formats
from truebleu.corpus._files import Files, stem
from truebleu.corpus._reading import read_labels
from truebleu.corpus.outline import Outline, document_warnings
from truebleu.corpus.text_warnings import TextWarning
from truebleu.errors import (
    AbsentSegmentError,
    MalformedFileError,
    SettingError,
    UnknownNameError,
    first_names,
)
from truebleu.metrics.base import GivenMean, ScoreProvider, Signature, mean_statistics
from truebleu.metrics.registry import require_known
from truebleu.schema import check_fields
from truebleu.scores.evaluations import Evaluation, Format, ScoreFile, evaluations_of, records_of
from truebleu.scores.pairing import SegmentScores, pair_items, pair_scores
from truebleu.scores.score_warnings import HUMAN_TRANSLATION, examine_scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from truebleu._core import Statistics
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import CountSystems, Requested
    from truebleu.scores.evaluations import Numbered

__all__ = ["GivenScores"]

# Words in the names of scores that imply a direction.
_LOWER = re.compile(
    r"(^|[\W_])(loss|errors?|err|perplexity|ppl|brier|nll|neg(ative)?_?log_?likelihood|bits?|nats|"
    r"bp[bcd]|entropy|divergence|kld?|[wcth]+er|metricx|mqm|mse|rmse|mae|ece|fid|distance|edits?|"
    r"toxic|toxicity|hallucinations?|latency|cost|duration|runtime|seconds|ms)($|[\W_\d])"
)
_HIGHER = re.compile(
    r"(^|[\W_])(acc|accuracy|correct|match|exact|em|f1|precision|recall|pass|passed|success|bleu|"
    r"chrf2?|rouge|meteor|comet|bleurt|bertscore|reward|includes|win|similarity|likelihood|"
    r"logprob|adequacy|fluency)($|[\W_])"
)


def guess_direction(name: str, scores: SegmentScores) -> bool | None:
    """Guess from the name of a score whether higher is better; None if the name does not tell.

    Errors that are stored as negative numbers, as MQM often is, are better the higher they are.
    """
    if _LOWER.search(name.lower()):
        columns = scores.comparable(scores.by_system).values()
        values = [score for column in columns for score in column if score]
        # MetricX's negated scores are slightly above 0 for the best outputs.
        return sum(score < 0 for score in values) > len(values) / 2
    return True if _HIGHER.search(name.lower()) else None


# Files of a tool, or tables with a row for each system and segment, or a column for each system.
# Cells of a table are parsed only for the systems that are scored.


def read_segment_scores(path: str, column: str = "", filter_: str = "") -> SegmentScores:
    """Read segment scores of another tool: a table, or a folder with a file for each system.

    See docs/reference/metrics/scores.md.
    """
    is_folder, paths = os.path.isdir(path), [path]
    if is_folder:
        paths = sorted(entry.path for entry in os.scandir(path) if entry.is_file())
    if not paths:
        raise SettingError("path", path, "a folder with a file of scores for each system")
    files = [ScoreFile.read(file) for file in paths]
    evaluations: list[Evaluation] = []
    for file in files:
        form = formats.format_of(file)
        if form is not None:
            evaluations += evaluations_of(file, form)
        elif is_folder:
            expected = "a tool's file of scores, such as one number per line"
            file.refuse(None, "an unknown format", expected)
        elif filter_:
            raise SettingError("filter", filter_, "no filter for a table")
        else:
            return _table_scores(tables.read_score_table(path, file.data), column)
    if not evaluations:
        files[0].refuse(None, "no scores", "the scores of at least one system")
    scores = pair_scores(evaluations, pair_items(evaluations), column, filter_)
    is_unnamed = scores.name == "score" and scores.items is None
    checksum = files[0].digest
    if is_folder:
        checksum = tables.digest("".join(file.digest for file in files).encode())
    return replace(scores, label=path, digest=checksum, name="" if is_unnamed else scores.name)


def _table_scores(table: tables.Table, column: str) -> SegmentScores:
    columns = tables.score_columns(table, column or None)
    naming, segment, rater = map(table.find, (tables.SYSTEM, tables.SEGMENT, tables.RATER))
    if rater is not None and segment is None:
        found = f"the {table.word} {rater!r} without one for the segment"
        expected = f"a {table.word} {tables.SEGMENT[0]!r}"
        raise MalformedFileError(table.path, None, found, expected)
    for name in columns if naming is not None else ():
        table.refuse_mixture(name)
    for label in filter(None, (naming, rater)):
        table.labels(label)
    records: list[Numbered] = []
    numbers: set[int | None] = set()
    for line, row in records_of(table):
        about = {"answer": None if rater is None else row[rater]}
        if segment is not None:
            number = tables.whole_number(row[segment])
            about["item"] = row[segment] if number is None else number
            numbers.add(number)
        cells = {name: {name: row[name]} for name in columns}
        if naming is not None:
            cells = {str(row[naming]): {name: row[name] for name in columns}}
        records += [
            (line, {"system": system, "scores": scores, **about})
            for system, scores in cells.items()
        ]
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
        first_segment=None if segment is None else int(0 not in numbers),
    )


def scores_in_memory(scores: Mapping[str, Iterable[object]]) -> SegmentScores:
    """Check scores in memory: an array or list for each system, None or NaN if missing.

    >>> scores_in_memory({"a": [0.5, None]}).by_system["a"]
    [0.5, None]
    """
    if not scores:
        raise SettingError("scores", {}, "the scores of at least one system")
    numbers = {system: formats.parse_numbers(system, values) for system, values in scores.items()}
    # Different floats have different representations.
    checksum = tables.digest(repr(sorted(numbers.items())).encode())
    return SegmentScores(label="scores", digest=checksum, by_system=numbers)


# Settings.

Missing = Literal["error", "omit", "common"]
#: Methods to score several answers of a system to one item.
ANSWERS = ("mean", "pass@K", "pass^K")


def require_answers(answers: str | None) -> None:
    """Check that `answers` is mean, pass@K, pass^K or None; raises UnknownNameError."""
    passes = re.fullmatch(r"pass[@^][1-9]\d{0,3}", answers or "")
    if answers not in (None, "mean") and passes is None:
        raise UnknownNameError("method for several answers", str(answers), ANSWERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenScores(ScoreProvider):
    """Scores from a file or from Python; see docs/reference/metrics/scores.md.

    Without a file or a table, the items of `ItemScores` have the scores.

    >>> comet = GivenScores.of({"system": [0.5, None, 1.0]}, name="COMET", missing="omit")
    >>> import truebleu
    >>> print(truebleu.score(["a", "b", "c"], ["a", "b", "c"], comet)["system"]["COMET"])
    COMET = 0.7500 (segments = 2)

    Attributes:
        path: file or folder of scores.
        name: name of the score; by default the tool's or the file's name.
        column: name of the score in the file, if it has several.
        filter: filter by which answers were extracted, if there are several.
        higher_is_better: direction; by default the tool's, or guessed from the name.
        missing: "error", "omit" (leave a missing score out of its system's mean) or "common"
            (leave its segment out of all means).
        answers: "mean", pass@K or pass^K of several answers to an item; None for the default.
        table: scores in memory, or None.
        is_name: True if `column` was given as the name of a metric.
    """

    path: str = ""
    name: str = ""
    column: str = ""
    filter: str = ""
    higher_is_better: bool | None = None
    missing: Missing = "error"
    answers: str | None = None
    table: SegmentScores | None = field(default=None, repr=False, metadata={"text": False})
    is_name: bool = field(default=False, repr=False, metadata={"text": False})

    def __str__(self) -> str:
        """Return the name that was given, or the settings."""
        return self.column if self.is_name else repr(self)

    def __post_init__(self) -> None:
        if self.path and self.table is not None:
            raise SettingError("path", self.path, "no path with scores in memory")
        check_fields(self)
        require_answers(self.answers)
        if self.answers is not None and self.path:
            expected = "no answers with path; they are for a file of scores per SYSTEM"
            raise SettingError("answers", self.answers, expected)

    @classmethod
    def of(
        cls,
        scores: Mapping[str, Iterable[object]],
        *,
        name: str = "scores",
        higher_is_better: bool = True,
        missing: Missing = "error",
    ) -> GivenScores:
        """Take scores that are in memory: a list or array for each system, by its name.

        A score is a number, or a judgment such as "correct"; None or NaN if it is missing.
        """
        table = scores_in_memory(scores)
        return cls(name=name, higher_is_better=higher_is_better, missing=missing, table=table)

    @property
    def has_scores(self) -> bool:
        """True if the settings name scores, False if they are about scores of items."""
        return bool(self.path) or self.table is not None

    @property
    def scores(self) -> SegmentScores:
        """Scores of all systems in the file or in memory."""
        if self.path:
            return read_segment_scores(self.path, self.column, self.filter)
        if self.table is None:
            expected = "a file of scores, as in scores:path=FILE, or systems that are such files"
            raise SettingError("path", self.path, expected)
        return self.table

    def attach(self, outline: Outline, texts: TestSet | None) -> tuple[GivenMean, CountSystems]:
        """Return the mean of the scores as a scorer, and a function that counts systems.

        The columns are the score and 1; both are 0 if a segment does not count.
        """
        table = self.scores
        outputs = None if texts is None else texts.systems
        scorer = self._scorer(table)
        # Runs of one model may be equal.
        if outline.runs is None:
            columns = table.comparable(outline.systems)
            found = examine_scores(scorer.name, columns, are_named=table.are_named)
            scorer = replace(scorer, warnings=found)
        return scorer, partial(self._rows, table, outline.segments, outputs)

    def _rows(
        self,
        table: SegmentScores,
        segments: int,
        outputs: Mapping[str, TextLike] | None,
        systems: Sequence[str],
    ) -> Statistics:
        """Return the rows of systems; raises CorpusError or SettingError if scores are missing."""
        texts = outputs or {}
        scores = {name: table.of(name, segments, texts.get(name)) for name in systems}
        if self.missing == "common":
            rows = zip(*scores.values(), strict=True)
            common = [row if None not in row else (None,) * len(row) for row in rows]
            scores = dict(zip(scores, map(list, zip(*common, strict=True)), strict=True))
        for system, column in scores.items():
            location, missing = f"{table.label}: scores of {system!r}", column.count(None)
            if missing and self.missing == "error":
                index = column.index(None)
                found = "no score" + (f" of item {table.items[index][0]}" if table.items else "")
                found += f" nor for {missing - 1} other segments" if missing > 1 else ""
                expected = (
                    "a score for each segment; missing=omit leaves such segments out of this "
                    "system's mean, missing=common out of the means of all systems"
                )
                raise AbsentSegmentError(location, index + 1, found, expected)
            if missing == len(column):
                shared = " of a segment that all systems have" if self.missing == "common" else ""
                raise SettingError(location, "no score at all", f"at least one score{shared}")
        return mean_statistics(list(scores.values()))

    def _scorer(self, table: SegmentScores) -> GivenMean:
        """Return the mean with the name, direction and signature of some scores."""
        name = self.name or table.name or stem(table.label)
        known = (self.higher_is_better, table.higher_is_better)
        direction = next((value for value in known if value is not None), None)
        if direction is None:
            direction = guess_direction(self.column or name, table)
        settings: dict[str, str | int] = {
            "column": self.column,
            "raters": table.raters if table.raters > 1 else "",
            "missing": self.missing if self.missing != "error" else "",
            "better": "higher-assumed" if direction is None else "",
            "answers": table.answers if table.answers > 1 else "",
        }
        changed = {key: value for key, value in settings.items() if value}
        return GivenMean(
            name=name,
            signature=Signature.of(name, scores=table.digest, **changed),
            higher_is_better=direction is not False,
        )


# A limit, so that a wrong number does not fill the memory.
MOST_SEGMENTS = 10_000_000


def textless_outline(
    requested: Sequence[Requested], documents: str | None = None
) -> tuple[Outline, list[GivenScores]]:
    """Read scores without texts; return the outline of their test set and the scores.

    The outline has the systems that all files have, and as many segments as the largest file.

    Args:
        requested: scores of other programs; raises SettingError for a metric, which needs texts.
        documents: file with the document of each segment.
    """
    loaded: list[GivenScores] = []
    for metric in requested:
        require_known([metric])
        if not isinstance(metric, GivenScores):
            name = getattr(metric, "name", "it")
            expected = f"SYSTEM... and -r REF, which {name} needs; only scores:path=FILE needs none"
            raise SettingError("texts", "no texts", expected)
        loaded.append(replace(metric, path="", table=metric.scores))
    first, *others = files = [metric.scores for metric in loaded]
    names = [name for name in first.by_system if all(name in other.by_system for other in others)]
    if not names:
        expected = "at least two systems with scores in every file"
        raise SettingError("systems", f"no system in all of {len(files)} files", expected)
    segments, largest = max((file.segments, file.label) for file in files)
    if segments > MOST_SEGMENTS:
        found = f"a segment numbered {segments:,}"
        raise MalformedFileError(largest, None, found, f"numbers up to {MOST_SEGMENTS:,}")
    warnings: tuple[TextWarning, ...] = ()
    human = [name for name in names if HUMAN_TRANSLATION.fullmatch(name)]
    if human:
        message = (
            f"{first.label}: {first_names(human)}: by its name a human translation; it is compared "
            "as a system, which metrics with references could not do"
        )
        warnings = (TextWarning("human-translation", first.label, len(human), None, message),)
    outline = Outline(systems=tuple(names), segments=segments, warnings=warnings)
    if documents is not None:
        layout = read_labels(Files(), documents, first.label, segments)
        warnings = (*warnings, *document_warnings(documents, layout.documents))
        outline = replace(
            outline, documents=layout.documents, domains=layout.domains, warnings=warnings
        )
    return outline, loaded
