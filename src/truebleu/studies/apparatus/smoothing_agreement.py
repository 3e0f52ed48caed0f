"""How well each smoothing agrees with people: values, intervals and tests, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.agreement.certainty.drawing import drawing_for
from truebleu.agreement.certainty.metric_tests import comparisons_test
from truebleu.agreement.finding import Asked, find
from truebleu.agreement.measures.grouping import measure_by
from truebleu.agreement.measures.judgments import Judgments, count_judgments
from truebleu.agreement.measures.pairs import count_pairs
from truebleu.agreement.questions import parse_question
from truebleu.studies.apparatus.smoothing_columns import CORPUS, NONE, SEGMENT, Cell, Column

if TYPE_CHECKING:
    from truebleu.agreement.certainty.bootstrap import AgreementInterval
    from truebleu.agreement.certainty.drawing import Drawing
    from truebleu.agreement.finding import Found
    from truebleu.agreement.measures.pairs import PairCounts
    from truebleu.agreement.questions import Question
    from truebleu.inference.arguments import Values
    from truebleu.studies.apparatus.journal import Record

NO_SEGMENT_VALUE = "corpus BLEU is of whole texts; of a single segment it would be smoothing 0"
NO_SEGMENTS_JUDGED = "people scored whole systems, and no segments"
NOTHING_DRAWN = "people scored whole systems, and no segments that could be drawn"


@dataclass(frozen=True, slots=True)
class Agreeing:
    """What the columns ask: about judged systems, with the metrics by the labels of the rows."""

    asked: Asked

    def values(self, column: Column) -> dict[str, Cell]:
        """The value of every row in a column, or why there is none."""
        item = self.asked.judged.people.item
        if column is SEGMENT and item == "system":
            return {label: Cell(None, NO_SEGMENTS_JUDGED) for label in self.asked.judged.metrics}
        cells = {
            label: Cell(one.value, "; ".join(one.notes) if one.value is None else None)
            for label, one in self._found(column).values.items()
        }
        if column is SEGMENT and item == "segment":
            cells[CORPUS] = Cell(None, NO_SEGMENT_VALUE)
        return cells

    def pairs(self) -> PairCounts | None:
        """The pairs of which τ is made; how many people tied is the same for all rows."""
        judged, items = self.asked.judged, self.asked.items
        if judged.judgments is not None:
            return count_judgments(items[NONE], judged.judgments)
        if judged.human is not None:
            return count_pairs(judged.human, items[NONE], grouping="item")
        return None

    def drawing(self, column: Column) -> Drawing:
        """What the intervals of a column draw; refused where that is not possible."""
        judged, settings = self.asked.judged, self.asked.settings
        return drawing_for(self._question(column), judged, settings.resample)

    def intervals(self, column: Column) -> Record:
        """For each row of a column low, high and why not; then the same of its excess over none."""
        judged, level = self.asked.judged, self.asked.settings.level
        lacking = self.drawing(column).refusal
        if judged.people.item == "system":
            lacking = NO_SEGMENTS_JUDGED if column is SEGMENT else NOTHING_DRAWN
        if lacking is not None:
            return {label: [None, None, lacking] * 2 for label in judged.metrics}
        replicates = self._found(column).replicates()
        return {
            label: [
                *_bounds(replicates.interval(label, level)),
                *_bounds(replicates.difference(label, NONE, level)),
            ]
            for label in judged.metrics
        }

    def test(self, column: Column, better: str, worse: str) -> Record:
        """The one-sided p-value that a row agrees better than another.

        For τ two rows exchange their answers item by item. Exchanging single scores, as for other
        coefficients, would compare a smoothed with an unsmoothed output of one segment, which no
        metric does, and the test would hardly notice a difference.
        """
        test = self._found(column).test
        if column is SEGMENT:
            asked = self.asked
            judgments = asked.judged.judgments
            if judgments is None:
                judgments = compared(self._human)
            by = measure_by(column.coefficient, grouping="item")
            test, _ = comparisons_test(judgments, asked.items, by, asked.settings)
        return {"p": test(better, worse).p}

    @property
    def _human(self) -> Values:
        """People's scores of items; asked for only where there are any."""
        assert self.asked.judged.human is not None  # noqa: S101
        return self.asked.judged.human

    def _question(self, column: Column) -> Question:
        compared = self.asked.judged.judgments is not None
        return parse_question(column.coefficient, compared=compared)

    def _found(self, column: Column) -> Found:
        return find(self.asked, self._question(column), self.drawing(column))


def compared(human: Values) -> Judgments:
    """The comparisons of outputs of one item that human scores imply.

    >>> import numpy as np
    >>> found = compared(np.array([[5.0, 1.0], [3.0, np.nan], [5.0, 2.0]]))
    >>> [(int(a), int(b), int(v)) for a, b, v in zip(found.left, found.right, found.verdict)]
    [(0, 1, 1), (0, 2, 0), (0, 2, -1), (1, 2, -1)]
    """
    left, right, item, verdict = [], [], [], []
    for a, b in combinations(range(len(human)), 2):
        difference = human[a] - human[b]
        (both,) = np.nonzero(~np.isnan(difference))
        left.append(np.full(len(both), a))
        right.append(np.full(len(both), b))
        item.append(both)
        verdict.append(np.sign(difference[both]).astype(np.int64))
    return Judgments(
        left=np.concatenate(left),
        right=np.concatenate(right),
        item=np.concatenate(item),
        verdict=np.concatenate(verdict),
    )


def _bounds(interval: AgreementInterval) -> list[Any]:
    return [interval.low, interval.high, interval.reason]
