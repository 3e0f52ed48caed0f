"""Pairing: the scores of several systems, item by item, in a common order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import comb
from typing import TYPE_CHECKING

import truebleu.corpus.tables as tables
from truebleu.corpus._files import find_other_spelling
from truebleu.errors import (
    DuplicateSystemError,
    EmptyTextError,
    MalformedFileError,
    MissingColumnError,
    UnpairedSegmentsError,
)
from truebleu.scores.evaluations import Evaluation, excerpt, mean, refuse_mixture

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from truebleu.corpus.sequences import TextLike
    from truebleu.scores.evaluations import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentScores:
    """Segment scores of systems, from a tool's file or from memory.

    Attributes:
        label: name of the scores in messages.
        digest: first digits of the SHA-256 of the data.
        name: name of the metric; empty if the tool does not give it.
        higher_is_better: direction of the metric, or None if it is unknown.
        by_system: a score for each segment, or the rows of a table.
        items: name and checksum of each segment, or None if the tool does not name them.
        texts: scored outputs, if the tool stores them.
        raters: number of raters; 1 if raters are not named.
        answers: largest number of answers to an item that are averaged.
        first_segment: number of the first segment, or None if rows are not numbered.
        columns: columns of a table to add up; "" is the only column.
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
        """Largest number of segments in the scores of a system."""
        if self.first_segment is None:
            return max(len(self._scores(system)) for system in self.by_system)
        rows = [scores for scores in self.by_system.values() if isinstance(scores, Evaluation)]
        # Invalid numbers are reported later, with their lines.
        numbers = [tables.whole_number(item.name) or 0 for part in rows for item in part.items]
        return max(numbers, default=0) - self.first_segment + 1

    def _scores(self, system: str, segments: int = 0) -> list[Answer]:
        """Return the scores of a system in order, or by segment number if rows are numbered."""
        rows = self.by_system[system]
        if not isinstance(rows, Evaluation):
            return list(rows)
        parts = [rows.answers(column)[1] for column in self.columns]
        answers = {item: tables.sum_columns([part[item] for part in parts]) for item in parts[0]}
        if self.first_segment is None:
            return [mean(scores) for scores in answers.values()]
        first, last = self.first_segment, self.first_segment + segments - 1
        scores: list[Answer] = [None] * segments
        for item in rows.items:
            number = tables.whole_number(item.name)
            if number is None or not first <= number <= last:
                expected = f"a segment from {first} to {last}"
                rows.refuse(item.line, f"segment {item.name}", expected)
            # Zhang & Vogel (2004), section 2.4: the mean of the raters' scores.
            scores[number - first] = mean(answers[item.name])
        return scores

    @property
    def are_named(self) -> bool:
        """True if segments have names or numbers, and are not only paired by their order."""
        return self.items is not None or self.first_segment is not None

    def comparable(self, systems: Iterable[str]) -> dict[str, list[Answer]]:
        """Return the valid scores of systems in one order of the segments, None for all others."""
        columns: dict[str, list[Answer]] = {}
        by_name: dict[str, dict[str, Answer]] = {}
        for system in systems:
            rows = self.by_system.get(system, ())
            if not isinstance(rows, Evaluation):
                columns[system] = list(rows)
                continue
            by_name[system] = {}
            for item in rows.items:
                values = [[tables.score_or_none(value)] for value in (item.scores or {}).values()]
                by_name[system][item.name] = tables.sum_columns(values)[0]
        names = dict.fromkeys(name for values in by_name.values() for name in values)
        return columns | {s: [values.get(n) for n in names] for s, values in by_name.items()}

    def of(self, system: str, segments: int, outputs: TextLike | None = None) -> list[Answer]:
        """Return one system's score for each segment, None if it is missing.

        Args:
            system: name of the system.
            segments: number of segments.
            outputs: texts of the system to compare with the scored texts, or None.
        """
        if system not in self.by_system:
            raise MissingColumnError(self.label, "system", system, tuple(self.by_system))
        scores = self._scores(system, segments)
        if len(scores) != segments:
            label = f"{self.label}: scores of {system!r}"
            raise UnpairedSegmentsError(label, len(scores), "the test set", segments)
        # Tools strip texts.
        texts = [text.strip() for text in self.texts.get(system, ())]
        known = [(text or "").strip() for text in outputs or ()] if texts else []
        pairs = enumerate(zip(texts, known, strict=True), 1) if any(known) else ()
        for segment, (text, output) in pairs:
            if text != output:
                found = f"a score of {excerpt(text)} for segment {segment} of {system}"
                expected = f"a score of its output, {excerpt(output)}"
                raise MalformedFileError(self.label, None, found, expected)
        return scores


def pair_items(evaluations: Sequence[Evaluation]) -> dict[str, str]:
    """Return the items of all evaluations with their checksums, which must agree if known."""
    _require_pairs(evaluations)
    _refuse_other_spelling(evaluations)
    first_of: dict[str, tuple[str, str]] = {}
    for evaluation in evaluations:
        for item in evaluation.items:
            checksum, where = first_of.get(item.name, ("", ""))
            if checksum and item.checksum and checksum != item.checksum:
                found = f"another text of item {item.name} than in {where}"
                evaluation.refuse(item.line, found, "items with equal texts in all files")
            if not checksum:
                first_of[item.name] = item.checksum, evaluation.label
    return {name: checksum for name, (checksum, _) in first_of.items()}


def _refuse_other_spelling(evaluations: Sequence[Evaluation]) -> None:
    """Raise MalformedFileError if names of items differ between files only by their spelling."""
    first, *others = evaluations
    known = [("", item.name) for item in first.items]
    for evaluation in others if first.has_names else ():
        both = find_other_spelling((("", item.name) for item in evaluation.items), known)
        if both is not None:
            (_, found), (_, name) = both
            line = next(item.line for item in evaluation.items if item.name == found)
            expected = f"{name!r}, as in {first.label}; only case, spaces or leading zeros differ"
            evaluation.refuse(line, f"item {found!r}", expected)


def _require_pairs(evaluations: Sequence[Evaluation]) -> None:
    """Check that systems differ, benchmarks agree, and items can be paired."""
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
        for attribute in ("benchmark", "data"):
            label, first_label = getattr(evaluation, attribute), getattr(first, attribute)
            if label and first_label and label != first_label:
                expected = (
                    f"{first_label}, as in {first.label}; truebleu panel compares over several"
                )
                evaluation.refuse(None, f"items of {label}", expected)
        if evaluation.has_names != first.has_names:
            found = "items with names" if evaluation.has_names else "items without names"
            evaluation.refuse(None, found, "a column such as id in all files or in no file")
        if not first.has_names and len(evaluation.items) != len(first.items):
            name, first_name = (f"{e.label}: {e.system}" for e in (evaluation, first))
            raise UnpairedSegmentsError(name, len(evaluation.items), first_name, len(first.items))


def pair_scores(
    evaluations: Sequence[Evaluation],
    items: Mapping[str, str],
    column: str = "",
    filter_: str = "",
    answers: str = "mean",
) -> SegmentScores:
    """Pair the scores of all systems by one metric, in the order of the items.

    Args:
        evaluations: evaluations of at least one system.
        items: items with their checksums.
        column: name of the score, if there are several.
        filter_: filter by which answers were extracted, if there are several.
        answers: "mean", "runs", pass@K or pass^K of several answers to an item.
    """
    by_system: dict[str, list[Answer]] = {}
    texts: dict[str, Sequence[str]] = {}
    names: dict[tuple[str, str], Evaluation] = {}
    directions: dict[bool, Evaluation] = {}
    for evaluation in evaluations:
        name, by_item = evaluation.answers(column, filter_)
        names.setdefault((name, evaluation.chosen_items(filter_)[0].filter), evaluation)
        direction = evaluation.direction(name)
        if direction is not None:
            directions.setdefault(direction, evaluation)
        if answers == "runs":
            by_system |= _runs(evaluation, items, name, filter_)
        else:
            by_system[evaluation.system] = [
                _score_answers(evaluation, item, by_item.get(item, []), answers) for item in items
            ]
        outputs = [item.output for item in evaluation.items if item.output is not None]
        if not evaluation.has_names and len(outputs) == len(items):
            texts[evaluation.system] = outputs
    for label in dict.fromkeys(evaluation.label for evaluation in evaluations):
        refuse_mixture([e for e in evaluations if e.label == label], next(iter(names))[0])
    ((name, first_filter), first), *others = names.items()
    for (other, filter_name), evaluation in others:
        if filter_name != first_filter:
            found = f"answers of {_describe_filter(filter_name)}"
            expected = f"answers of {_describe_filter(first_filter)}, as in {first.label}"
            evaluation.refuse(None, found, expected)
        if not column:
            evaluation.refuse(None, f"scores by {other}", f"{name}, as in {first.label}")
    if len(directions) > 1:
        expected = f"higher is better, as in {directions[True].label}"
        directions[False].refuse(None, f"{name} as lower is better", expected)
    filters = {item.filter for item in first.items}
    return SegmentScores(
        label=first.label,
        digest=tables.digest(repr(sorted(by_system.items())).encode()),
        name=f"{name} ({first_filter})" if len(filters) > 1 else name,
        higher_is_better=next(iter(directions), None),
        by_system=by_system,
        items=tuple(items.items()) if first.has_names else None,
        texts=texts,
    )


def _describe_filter(name: str) -> str:
    return f"the filter {name}" if name else "no filter"


def _runs(
    evaluation: Evaluation, items: Iterable[str], name: str, filter_: str
) -> dict[str, list[Answer]]:
    """Return the scores of each run of a system."""
    answers = evaluation.chosen_items(filter_)
    runs = dict.fromkeys(item.answer for item in answers)
    score_of = {(item.answer, item.name): evaluation.score(item, name) for item in answers}
    return {
        f"{evaluation.system}.run{number}": [score_of.get((run, item)) for item in items]
        for number, run in enumerate(runs, 1)
    }


def _score_answers(
    evaluation: Evaluation, item: str, scores: Sequence[Answer], method: str
) -> Answer:
    """Compute the mean of the answers, or the probability of pass@k or pass^k.

    The probability that one or all of k answers are right averages over all choices of k answers
    (Chen et al. 2021, section 2.1): more answers make it more precise, not larger.
    """
    known = [score for score in scores if score is not None]
    if method == "mean" or not known:
        return mean(known)
    k = int(method[len("pass@") :])
    if len(known) < k:
        found = f"{len(known)} scored answers to item {item}"
        evaluation.refuse(None, found, f"at least {k} answers for {method}")
    if not set(known) <= {0.0, 1.0}:
        other = next(score for score in known if score not in (0.0, 1.0))
        evaluation.refuse(None, f"the score {other:g} of item {item}", f"0 or 1 for {method}")
    right = known.count(1.0)
    if method.startswith("pass^"):
        return comb(right, k) / comb(len(known), k)
    return 1 - comb(len(known) - right, k) / comb(len(known), k)


def most_answers(evaluation: Evaluation) -> int:
    """Return the largest number of answers to one item."""
    return max(Counter((item.filter, item.name) for item in evaluation.items).values())
