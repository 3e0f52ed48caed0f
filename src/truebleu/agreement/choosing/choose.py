"""Choosing settings of metrics by their agreement with people, as Chen & Cherry (2014, §3.1) do.

Every candidate of a grid is measured on development data, and the best is chosen. Its value there
flatters it: the largest of many values is large by chance too. So it is measured once more on
test data that had no part in the choice, beside the default settings.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from truebleu.agreement.agree import AgreeSettings
from truebleu.agreement.answering import answer_question
from truebleu.agreement.certainty.drawing import drawing_for
from truebleu.agreement.choosing.choice import SAME, Choice, Tried
from truebleu.agreement.choosing.development import part_of, split_items
from truebleu.agreement.choosing.grid import parse_grid
from truebleu.agreement.finding import Asked, find
from truebleu.agreement.judged import judge
from truebleu.agreement.outline import notes, outline
from truebleu.agreement.questions import parse_question
from truebleu.corpus.human import HumanScores
from truebleu.errors import SettingError
from truebleu.metrics.registry import parse_metric

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from truebleu.agreement.answering import Progress
    from truebleu.agreement.certainty.drawing import Drawing
    from truebleu.agreement.choosing.grid import Candidate
    from truebleu.agreement.human_items import Human
    from truebleu.agreement.judged import Judged
    from truebleu.agreement.questions import Question
    from truebleu.corpus import TestSet
    from truebleu.metrics.metric import Metric

#: A test set, and what people said of it.
JudgedSet: TypeAlias = "tuple[TestSet, Human]"

SHARE = 0.5
SAME_DATA = (
    "Development and test are the same outputs and judgments: the value on test flatters the "
    "choice as much. Leave out the test set to split what there is."
)


@dataclass(frozen=True, slots=True)
class _Data:
    """Judged texts, all of them or some of their items, and the question as they can answer it."""

    test_set: TestSet
    human: Human
    question: Question
    settings: AgreeSettings
    items: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, judged_set: JudgedSet, question: str, settings: AgreeSettings) -> _Data:
        test_set, human = judged_set
        compared = not isinstance(human, HumanScores)
        return cls(test_set, human, parse_question(question, compared=compared), settings)

    def whole(self, metric: Metric) -> Judged:
        """All that people judged."""
        scores = self.settings.system_scores
        return judge(self.test_set, self.human, [metric], system_scores=scores)

    def judged(self, metrics: Mapping[str, Metric]) -> Judged:
        """The part, by metrics that are called as the mapping says."""
        found = {label: self.whole(metric) for label, metric in metrics.items()}
        if self.items is not None:
            found = {label: part_of(one, self.items) for label, one in found.items()}
        by_label = {
            label: metric for label, one in found.items() for metric in one.metrics.values()
        }
        return replace(next(iter(found.values())), metrics=by_label)

    def value(self, metric: Metric) -> tuple[float | None, str | None]:
        """How well a metric agrees, or why that cannot be said."""
        judged = self.judged({"one": metric})
        found = find(Asked(judged, self.settings), self.question, self.drawing(judged))
        one = found.values["one"]
        return one.value, "; ".join(one.notes) if one.value is None else None

    def drawing(self, judged: Judged) -> Drawing:
        """What intervals draw.

        Raises:
            SettingError: when that cannot be drawn, or the judgments cannot answer the question.
        """
        by_items = self.question.level == "segment" or self.question.measure is None
        if judged.human is None and by_items and not self.question.compared:
            found = "comparisons" if judged.judgments is not None else "scores of whole systems"
            expected = f"human scores of segments for {self.question.label}"
            raise SettingError(self.human.label, found, expected)
        return drawing_for(self.question, judged, self.settings.resample)


def choose_settings(
    grid: str | Metric | Sequence[str | Metric],
    test_set: TestSet,
    human: Human,
    question: str = "chen-cherry",
    *,
    development: float | None = None,
    test: JudgedSet | None = None,
    settings: AgreeSettings | None = None,
    progress: Progress | None = None,
) -> Choice:
    """Choose the settings of a metric that agree best with people.

    Args:
        grid: metrics with alternatives for settings, such as "sentbleu:smoothing=4,k=1|2|5|10";
            see `truebleu.agreement.choosing.grid.parse_grid`.
        test_set: the texts of at least two systems that people judged.
        human: what people said of them.
        question: the coefficient by which to choose, such as "chen-cherry" or "acc-eq".
        development: the share of what was judged to choose on, if not 0.5; the rest is what is
            reported on. By documents where those are known, otherwise by segments in turn.
        test: another test set and its judgments to report on; then all of this one is development.
        settings: how sure the report should be.
        progress: hears of every candidate that is measured on development.

    Raises:
        CorpusError: when judgments do not fit their test set.
        SettingError: when a setting is not possible, or the judgments cannot answer the question.

    >>> from truebleu.corpus import as_test_set
    >>> from truebleu.corpus.human import HumanScores
    >>> outputs = {"a": ["a b c d"] * 4, "b": ["a b d c"] * 4, "c": ["d c b a"] * 4}
    >>> test_set = as_test_set(outputs, ["a b c d"] * 4)
    >>> scores = {"a": (9,) * 4, "b": (5,) * 4, "c": (1,) * 4}
    >>> human = HumanScores(label="people", level="segment", scores=scores, signature="human")
    >>> choose_settings("sentbleu:smoothing=0|3", test_set, human).chosen
    'sentbleu:smoothing=3'
    """
    settings = settings or AgreeSettings()
    candidates = parse_grid(grid)
    chosen_on = _Data.of((test_set, human), question, settings)
    if test is not None:
        if development is not None:
            expected = "none with a test set of its own: all of this one is development"
            raise SettingError("development", development, expected)
        reported_on = _Data.of(test, question, settings)
    else:
        share = SHARE if development is None else development
        first, second = split_items(chosen_on.whole(candidates[0].metric), share)
        reported_on, chosen_on = replace(chosen_on, items=second), replace(chosen_on, items=first)
    # What cannot be answered or drawn is refused before the work begins.
    for part in (chosen_on, reported_on):
        part.drawing(part.judged({"one": candidates[0].metric}))
    tried = []
    for one in candidates:
        tried.append(Tried(one.text, *chosen_on.value(one.metric), one.varied, one.value))
        if progress is not None:
            progress(1)
    best = _best(candidates, tried, chosen_on)
    return _report(candidates, tuple(tried), best, (chosen_on, reported_on))


def _best(
    candidates: Sequence[Candidate], tried: Sequence[Tried], data: _Data
) -> tuple[Candidate, ...]:
    """The candidates with the largest value; the one to choose comes first.

    Of equals that is the default, since there is no reason to depart from it, or else the first.
    """
    values = [one.value for one in tried if one.value is not None]
    if not values:
        expected = "a coefficient that some settings have on development"
        raise SettingError(data.question.label, f"undefined: {tried[0].reason}", expected)
    most = max(values)
    equals = [
        candidate
        for candidate, one in zip(candidates, tried, strict=True)
        if one.value is not None and one.value >= most - SAME
    ]
    return tuple(sorted(equals, key=lambda one: _default(candidates, one) != one))


def _report(
    candidates: Sequence[Candidate],
    tried: tuple[Tried, ...],
    best: Sequence[Candidate],
    parts: tuple[_Data, _Data],
) -> Choice:
    """Measure the chosen settings and the default ones on the test part."""
    chosen, (development, test) = best[0], parts
    default = _default(candidates, chosen)
    metrics = {one.text: one.metric for one in (chosen, default)}
    judged, settings = test.judged(metrics), test.settings
    answer = answer_question(Asked(judged, settings), test.question, test.drawing(judged))
    references = test.test_set.references_per_segment
    return Choice(
        candidates=tried,
        chosen=chosen.text,
        default=default.text,
        default_on_development=development.value(default.metric)[0],
        tied=len(best),
        answer=answer,
        development=_outline(development, {chosen.text: chosen.metric}),
        test=_outline(test, {chosen.text: chosen.metric}),
        split=development.items is not None,
        signatures={
            label: str(metric.signature.with_references(references))
            for label, metric in metrics.items()
        },
        settings=asdict(settings),
        notes=_notes(development, test, judged),
    )


def _default(candidates: Sequence[Candidate], chosen: Candidate) -> Candidate:
    """The default settings of what was chosen, as the grid writes them if it has them."""
    if chosen.default == chosen.text:
        return chosen
    metric = parse_metric(chosen.default)
    for one in candidates:
        if one.metric == metric:
            return one
    return replace(chosen, text=chosen.default, metric=metric, varied=None, value=None)


def _notes(development: _Data, test: _Data, judged: Judged) -> tuple[str, ...]:
    """What a reader should know about the human scores of both parts."""
    found = notes(test.human, judged, test.test_set)
    if development.items is not None:
        return found
    if _same(development, test):
        found = (SAME_DATA, *found)
    return (*found, *(f"Of development: {note}" for note in development.human.notes))


def _same(development: _Data, test: _Data) -> bool:
    """Whether the settings are reported on what they were chosen on."""
    texts = [
        {name: list(segments) for name, segments in data.test_set.systems.items()}
        for data in (development, test)
    ]
    said = [
        data.human.scores if isinstance(data.human, HumanScores) else data.human.judgments
        for data in (development, test)
    ]
    return texts[0] == texts[1] and said[0] == said[1]


def _outline(data: _Data, metrics: Mapping[str, Metric]) -> dict[str, object]:
    """What results say about a part."""
    return {"test_set": data.test_set.to_dict(), **outline(data.human, data.judged(metrics))}
