"""Choose settings of metrics by their agreement with people, as Chen & Cherry (2014, §3.1) do.

Every candidate of a grid is measured on development data, and the best is chosen. Its value there
flatters it: the largest of many values is large by chance too. So it is measured once more on test
data that had no part in the choice, beside the default settings.

Development and test may be parts of one test set. Segments of one document go to the same part
where documents are known: they resemble each other, and a setting that fits half a document fits
its other half better than it fits other text. Parts are systematic: taken in turn, over the whole
test set. What people judged and what nobody judged are split apart, so that each part has its share
of both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from itertools import product
from math import isfinite, prod
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from truebleu._results import Result
from truebleu._settings import DEFAULT_SEED
from truebleu.agreement.agree import HumanSummary, as_judgments, require_answerable
from truebleu.agreement.answers import AgreeSettings, answer_question, evaluate, resampling_of
from truebleu.agreement.bootstrap import SegmentStatistics
from truebleu.agreement.comparisons import Judgments, shares_of_wins
from truebleu.agreement.data import agreement_data
from truebleu.agreement.measures import parse_question
from truebleu.corpus.test_set import as_test_set
from truebleu.errors import SettingError
from truebleu.human.judgments import HumanScores
from truebleu.metrics.registry import as_metrics, parse_metric

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.agreement.agree import HumanLike, Progress
    from truebleu.agreement.answers import Answer, MetricAgreement, Resampling
    from truebleu.agreement.bootstrap import Resample
    from truebleu.agreement.data import AgreementData, Human, HumanData, MetricData, SystemScores
    from truebleu.agreement.measures import Question
    from truebleu.agreement.ranking import MetricPair
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike, TestSet
    from truebleu.metrics.base import Metric
    from truebleu.resampling import Values

#: A test set, and what people said of it.
JudgedSet: TypeAlias = "tuple[TestSet, HumanLike]"

RESULT_VERSION = 1
#: More than these would take hours for what an afternoon's thought can narrow down.
MOST_SETTINGS = 1000
BETWEEN = "|"
DEVELOPMENT = 0.5
#: With fewer in a part nothing can be said of it.
FEWEST_UNITS = 2
# Of about the size of rounding in coefficients, which have the scale 1.
SAME = 1e-12

# --------------------------------------------------------------------------------------------------
# The grid: metrics with alternatives for some of their settings, each combination a candidate.


@dataclass(frozen=True, slots=True)
class Candidate:
    """A metric with settings that may be chosen.

    Attributes:
        text: as people write it, such as "sentbleu:smoothing=4,k=2".
        metric: what it describes.
        default: the same with every setting that has alternatives at its default; where that is
            not possible, the first of the alternatives.
        varied: the setting that has alternatives, where it is one with numbers.
        value: of that setting.
    """

    text: str
    metric: Metric
    default: str
    varied: str | None = None
    value: float | None = None


@dataclass(frozen=True, slots=True)
class _Setting:
    """A setting and the values that it may have; the bare word has no equals sign."""

    key: str
    values: tuple[str, ...]

    def texts(self) -> list[str]:
        return [f"{self.key}={value}" if value else self.key for value in self.values]

    @property
    def numeric(self) -> bool:
        return all(_is_number(value) for value in self.values)


def parse_grid(grid: str | Metric | Sequence[str | Metric]) -> tuple[Candidate, ...]:
    """All candidates of one grid or of several, each once, in the order they are written.

    Args:
        grid: a metric with alternatives, such as "sentbleu:smoothing=4,k=1|2|5"; several settings
            with alternatives stand for all their combinations. Or several such texts or metrics.

    Raises:
        SettingError: when a combination is not possible, or there are too few or too many.

    >>> for candidate in parse_grid("chrf:char_order=4|6,beta=1|2"):
    ...     print(candidate.text)
    chrf:char_order=4,beta=1
    chrf:char_order=4,beta=2
    chrf:char_order=6,beta=1
    chrf:char_order=6,beta=2
    >>> {candidate.default for candidate in parse_grid("sentbleu:smoothing=4,k=1|2")}
    {'sentbleu:smoothing=4'}
    """
    parts = [grid] if isinstance(grid, str) or not isinstance(grid, Iterable) else list(grid)
    settings = [_settings(part) if isinstance(part, str) else None for part in parts]
    count = sum(
        1 if varied is None else prod(len(setting.values) for setting in varied)
        for varied in settings
    )
    if count > MOST_SETTINGS:
        expected = (
            f"at most {MOST_SETTINGS:,}: write fewer alternatives, or choose one setting after "
            "the other"
        )
        raise SettingError("grid", f"{count:,} settings", expected)
    candidates: list[Candidate] = []
    for part, varied in zip(parts, settings, strict=True):
        if varied is None or not isinstance(part, str):
            combinations = [_given(part)]
        else:
            combinations = _combinations(part, varied)
        for candidate in combinations:
            # Two ways to write the same settings are one candidate.
            if all(candidate.metric != other.metric for other in candidates):
                candidates.append(candidate)
    if len(candidates) < 2:
        expected = "at least two settings to choose from, such as sentbleu:smoothing=4,k=1|2|5"
        given = ", ".join(candidate.text for candidate in candidates) or "nothing"
        raise SettingError("grid", given, expected)
    return tuple(candidates)


def _settings(text: str) -> list[_Setting]:
    name, _, rest = text.partition(":")
    settings = []
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        values = tuple(dict.fromkeys(value.split(BETWEEN)))
        if equals and "" in values:
            expected = f"values with {BETWEEN} between them, such as 1{BETWEEN}2{BETWEEN}5"
            raise SettingError(f"{name}: {key}", value, expected)
        settings.append(_Setting(key, values))
    return settings


def _combinations(text: str, settings: Sequence[_Setting]) -> list[Candidate]:
    name = text.partition(":")[0]
    varied = [setting for setting in settings if len(setting.values) > 1]
    default = _default(name, settings)
    number = varied[0] if len(varied) == 1 and varied[0].numeric else None
    candidates = []
    for values in product(*(setting.texts() for setting in settings)):
        written = ":".join(filter(None, (name, ",".join(values))))
        candidate = Candidate(written, _parsed(written), default)
        if number is not None:
            value = values[settings.index(number)].partition("=")[2]
            candidate = replace(candidate, varied=number.key, value=float(value))
        candidates.append(candidate)
    return candidates


def _parsed(text: str) -> Metric:
    try:
        return parse_metric(text)
    except SettingError as error:
        # Of many combinations, say which one it is.
        raise SettingError("grid", text, f"settings that go together ({error})") from error


def _default(name: str, settings: Sequence[_Setting]) -> str:
    """The text without the settings that have alternatives, or with the first of them."""
    fixed = [text for setting in settings if len(setting.values) == 1 for text in setting.texts()]
    text = ":".join(filter(None, (name, ",".join(fixed))))
    try:
        parse_metric(text)
    except SettingError:
        return f"{name}:{','.join(setting.texts()[0] for setting in settings)}"
    return text


def _given(metric: str | Metric) -> Candidate:
    (parsed,) = as_metrics([metric])
    return Candidate(str(parsed.signature), parsed, str(parsed.signature))


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


# --------------------------------------------------------------------------------------------------
# Development and test.


def split_items(data: AgreementData, share: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The items of the development part, and those of the test part.

    Args:
        data: what people judged.
        share: of what was judged that should be development, above 0 and below 1.

    Raises:
        SettingError: when there is nothing to split, or too little.
    """
    is_number = isinstance(share, int | float) and not isinstance(share, bool)
    if not (is_number and 0 < share < 1):
        raise SettingError("development", share, "a share above 0 and below 1, such as 0.5")
    if data.people.item == "system":
        expected = "human scores of segments to split, or a test set of its own to report on"
        raise SettingError("development", "human scores of whole systems", expected)
    units, what = _units(data)
    judged_items = data.people.judged_cells.any(axis=0)
    sizes = np.bincount(units, weights=judged_items)
    chosen = np.zeros(len(sizes), dtype=np.bool_)
    # Units with judgments by how much was judged in them; the others by their size.
    for kind, weights in ((sizes > 0, sizes), (sizes == 0, np.bincount(units))):
        places = np.flatnonzero(kind)
        chosen[places] = _in_turn(weights[places].tolist(), share)
    for part in (chosen, ~chosen):
        if (part & (sizes > 0)).sum() < FEWEST_UNITS:
            expected = (
                f"a share that leaves at least {FEWEST_UNITS} judged {what}s to each part, of the "
                f"{int((sizes > 0).sum())} that there are"
            )
            raise SettingError("development", share, expected)
    return np.flatnonzero(chosen[units]), np.flatnonzero(~chosen[units])


def part_of(data: AgreementData, items: NDArray[np.int64]) -> AgreementData:
    """The same systems judged by some of the items only.

    Statistics that depend on the whole text, such as NIST's information, stay those of the whole.
    """
    documents = data.documents
    if documents is not None:
        documents = tuple(documents[item] for item in items) if data.by_segment else None
    return replace(
        data,
        people=_people(data.people, items),
        metrics={label: _metric(scored, items) for label, scored in data.metrics.items()},
        documents=documents,
    )


def _units(data: AgreementData) -> tuple[NDArray[np.int64], str]:
    """What each item is taken together with, as a number, and what that is called."""
    if data.by_segment and data.documents is not None:
        numbers = {name: n for n, name in enumerate(dict.fromkeys(data.documents))}
        return np.array([numbers[name] for name in data.documents]), "document"
    return np.arange(data.people.size), data.people.item


def _in_turn(weights: Sequence[float], share: float) -> list[bool]:
    """Which units are development: at each one the share so far stays as near as it can."""
    chosen, taken, total = [], 0.0, 0.0
    for weight in weights:
        total += weight
        takes = abs(taken + weight - share * total) <= abs(taken - share * total)
        taken += weight if takes else 0.0
        chosen.append(takes)
    return chosen


def _metric(scored: MetricData, items: NDArray[np.int64]) -> MetricData:
    rows = np.ascontiguousarray(scored.statistics.rows[items])
    statistics = SegmentStatistics(rows, scored.statistics.score)
    return replace(
        scored,
        items=None if scored.items is None else np.ascontiguousarray(scored.items[:, items]),
        systems=statistics.score(rows.sum(axis=0)),
        statistics=statistics,
    )


def _people(people: HumanData, items: NDArray[np.int64]) -> HumanData:
    names = None if people.names is None else tuple(people.names[item] for item in items)
    if people.judgments is not None:
        judgments = _judgments(people.judgments, items)
        means = shares_of_wins(judgments, len(people.systems))
        return replace(people, means=means, judgments=judgments, names=names, size=len(items))
    assert people.scores is not None  # noqa: S101  # whole systems are not split
    scores = np.ascontiguousarray(people.scores[:, items])
    # The documents of segments are of no use here: metrics have scored them already.
    return replace(
        people, means=_means(scores), scores=scores, labels=None, names=names, size=len(items)
    )


def _means(scores: Values) -> Values:
    """Each system's mean over what was judged of it; NaN where nothing was."""
    judged = ~np.isnan(scores)
    counts = judged.sum(axis=1)
    sums = np.where(judged, scores, 0.0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _judgments(judgments: Judgments, items: NDArray[np.int64]) -> Judgments:
    """The comparisons within some segments, with the segments numbered anew."""
    kept = np.isin(judgments.item, items)
    return Judgments(
        left=judgments.left[kept],
        right=judgments.right[kept],
        item=np.searchsorted(items, judgments.item[kept]),
        verdict=judgments.verdict[kept],
    )


# --------------------------------------------------------------------------------------------------
# The choice.


@dataclass(frozen=True, slots=True)
class CandidateAgreement:
    """A candidate on development data.

    Attributes:
        text: the metric with its settings.
        value: how well it agrees with people; None where that is undefined.
        reason: why there is no value.
        varied: the setting that was varied, where it is one with numbers.
        setting: its value.
    """

    text: str
    value: float | None
    reason: str | None = None
    varied: str | None = None
    setting: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoicePart:
    """What settings were chosen on, or are reported on.

    Attributes:
        test_set: its outline.
        human: what people judged of it.
    """

    test_set: Mapping[str, object]
    human: HumanSummary

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"test_set": dict(self.test_set), **self.human.to_dict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Result):
    """Settings chosen on development data and measured on test data.

    Attributes:
        candidates: all that was tried, in the order of the grid.
        chosen: the settings with the largest value on development; of equal ones the default, or
            else the first.
        default: what they are compared with.
        default_on_development: what that has there; None where it is undefined.
        tied: how many candidates share the largest value.
        answer: both on test data: values, intervals and the test between them.
        development: what was chosen on.
        test: what is reported on.
        split: whether both are parts of one test set.
        same_data: whether both are the same outputs and judgments.
        signatures: of the chosen and the default settings.
        directions: whether higher is better by them; None for a metric without direction.
        settings: all else that is needed to repeat it.
    """

    REPORT: ClassVar[str] = "truebleu.reports.agree"

    candidates: tuple[CandidateAgreement, ...]
    chosen: str
    default: str
    default_on_development: float | None
    tied: int
    answer: Answer
    development: ChoicePart
    test: ChoicePart
    split: bool
    same_data: bool
    signatures: Mapping[str, str]
    directions: Mapping[str, bool | None]
    settings: AgreeSettings

    @property
    def on_development(self) -> float:
        """The chosen settings' value on development, which flatters them."""
        (value,) = (tried.value for tried in self.candidates if tried.text == self.chosen)
        assert value is not None  # noqa: S101  # what has no value is not chosen
        return value

    @property
    def on_test(self) -> MetricAgreement:
        """The chosen settings on test data."""
        return self.answer[self.chosen]

    @property
    def default_on_test(self) -> MetricAgreement:
        """The default settings on test data; the chosen ones where those are the default."""
        return self.on_test if self.is_default else self.answer[self.default]

    @property
    def is_default(self) -> bool:
        """Whether the default settings were chosen."""
        return self.default == self.chosen

    @property
    def difference(self) -> float | None:
        """By how much the chosen settings are above the default ones on test data."""
        value, default = self.on_test.value, self.default_on_test.value
        return None if value is None or default is None else value - default

    @property
    def pair(self) -> MetricPair | None:
        """The test between both; None where they are the same, or one has no value."""
        return self.answer.pairs[0] if self.answer.pairs else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``choose --format json`` prints them."""
        pair = self.pair
        return {
            "version": RESULT_VERSION,
            "question": self.answer.question.label,
            "title": self.answer.title,
            "candidates": [asdict(tried) for tried in self.candidates],
            "chosen": self.chosen,
            "default": self.default,
            "tied": self.tied,
            "on_development": self.on_development,
            "default_on_development": self.default_on_development,
            "on_test": self.on_test.to_dict(),
            "default_on_test": self.default_on_test.to_dict(),
            "difference": self.difference,
            "difference_test": None if pair is None else pair.to_dict(),
            "resampled": self.answer.resampled,
            "development": self.development.to_dict(),
            "test": self.test.to_dict(),
            "split": self.split,
            "signatures": dict(self.signatures),
            "settings": asdict(self.settings),
        }


@dataclass(frozen=True, slots=True)
class _Part:
    """Judged texts, all of them or some of their items, and the question as they can answer it."""

    test_set: TestSet
    human: Human
    question: Question
    settings: AgreeSettings
    items: NDArray[np.int64] | None = None

    @classmethod
    def of(
        cls, test_set: TestSet, human: HumanLike, coefficient: str, settings: AgreeSettings
    ) -> _Part:
        judgments = as_judgments(human, lower_is_better=settings.human_lower_is_better)
        compared = not isinstance(judgments, HumanScores)
        return cls(test_set, judgments, parse_question(coefficient, compared=compared), settings)

    def whole(self, metric: Metric) -> AgreementData:
        """All that people judged."""
        scores = self.settings.system_scores
        return agreement_data(self.test_set, self.human, [metric], system_scores=scores)

    def data(self, metrics: Mapping[str, Metric]) -> AgreementData:
        """The part, by metrics that are called as the mapping says."""
        by_label = {}
        for label, metric in metrics.items():
            data = self.whole(metric)
            if self.items is not None:
                data = part_of(data, self.items)
            (by_label[label],) = data.metrics.values()
        return replace(data, metrics=by_label)

    def value(self, metric: Metric) -> tuple[float | None, str | None]:
        """How well a metric agrees, or why that cannot be said."""
        data = self.data({"metric": metric})
        evaluation = evaluate(data, self.question, self.settings, self.resampling(data))
        agreement = evaluation.values["metric"]
        reason = "; ".join(agreement.notes) if agreement.value is None else None
        return agreement.value, reason

    def resampling(self, data: AgreementData) -> Resampling:
        """What intervals resample.

        Raises:
            SettingError: when that is not possible, or the judgments cannot answer the question.
        """
        require_answerable(self.question, data, self.human)
        return resampling_of(self.question, data, self.settings.resample)

    def summary(self, metric: Metric) -> ChoicePart:
        """What results say about the part."""
        human = HumanSummary.of(self.human, self.data({"metric": metric}), self.test_set)
        return ChoicePart(test_set=self.test_set.to_dict(), human=human)

    def is_same(self, other: _Part) -> bool:
        """Whether both have the same outputs and judgments."""
        texts = [
            {name: list(segments) for name, segments in part.test_set.systems.items()}
            for part in (self, other)
        ]
        judgments = [
            part.human.scores if isinstance(part.human, HumanScores) else part.human.judgments
            for part in (self, other)
        ]
        return texts[0] == texts[1] and judgments[0] == judgments[1]


def choose(
    grid: str | Metric | Sequence[str | Metric],
    systems: SystemsLike,
    human: HumanLike,
    *,
    references: ReferencesLike | None = None,
    documents: Sequence[str] | None = None,
    coefficient: str = "chen-cherry",
    development: float | None = None,
    test: JudgedSet | None = None,
    resample: Resample = "segments",
    replicates: int = 1000,
    permutations: int = 1000,
    human_lower_is_better: bool = False,
    system_scores: SystemScores = "all",
    seed: int = DEFAULT_SEED,
    level: float = 0.95,
    progress: Progress | None = None,
) -> Choice:
    """Choose the settings of a metric that agree best with people.

    Args:
        grid: metrics with alternatives for settings, such as "sentbleu:smoothing=4,k=1|2|5|10";
            see `truebleu.agreement.parse_grid`.
        systems: a test set, or the outputs of at least two systems by name, with `references`.
        human: what people said of them: what `truebleu.human.read_human` reads, or scores of
            segments by system, None where nobody judged.
        references: of the outputs; none beside a test set, which has its own.
        documents: the document of each segment; likewise.
        coefficient: by which to choose, such as "chen-cherry" or "acc-eq".
        development: the share of what was judged to choose on, if not 0.5; the rest is what is
            reported on. By documents where those are known, otherwise by segments in turn.
        test: another test set and its judgments to report on; then all of this one is development.
        resample: what intervals resample: "segments", "documents", "systems", "segments+systems" or
            "documents+systems".
        replicates: of the intervals.
        permutations: in the permutation test; all there are of up to 14 systems.
        human_lower_is_better: human scores are better the lower they are, and are negated.
        system_scores: whether metrics score systems on "all" segments, or on those "rated".
        seed: any whole number from 0 up.
        level: of the intervals, and 1 minus the significance level of the test.
        progress: called with 1 after every candidate.

    Raises:
        CorpusError: when judgments do not fit their test set.
        SettingError: when a setting is not possible, or the judgments have no answer to the
            coefficient.

    >>> outputs = {"a": ["a b c d"] * 4, "b": ["a b d c"] * 4, "c": ["d c b a"] * 4}
    >>> human = {"a": [9] * 4, "b": [5] * 4, "c": [1] * 4}
    >>> choose("sentbleu:smoothing=0|3", outputs, human, references=["a b c d"] * 4).chosen
    'sentbleu:smoothing=3'
    """
    settings = AgreeSettings(
        resample=resample,
        replicates=replicates,
        permutations=permutations,
        human_lower_is_better=human_lower_is_better,
        system_scores=system_scores,
        seed=seed,
        level=level,
    )
    given = parse_grid(grid)
    test_set = as_test_set(systems, references, documents=documents).examined()
    candidates = [
        replace(candidate, metric=candidate.metric.for_references(test_set.references))
        for candidate in given
    ]
    chosen_on = _Part.of(test_set, human, coefficient, settings)
    if test is not None:
        if development is not None:
            expected = "none with a test set of its own: all of this one is development"
            raise SettingError("development", development, expected)
        reported_on = _Part.of(*test, coefficient, settings)
    else:
        share = DEVELOPMENT if development is None else development
        first, second = split_items(chosen_on.whole(candidates[0].metric), share)
        reported_on, chosen_on = replace(chosen_on, items=second), replace(chosen_on, items=first)
    # What cannot be answered or resampled is refused before the work begins.
    for part in (chosen_on, reported_on):
        part.resampling(part.data({"metric": candidates[0].metric}))
    tried = []
    for candidate in candidates:
        value, reason = chosen_on.value(candidate.metric)
        tried.append(
            CandidateAgreement(candidate.text, value, reason, candidate.varied, candidate.value)
        )
        if progress is not None:
            progress(1)
    best = _best(candidates, tried, chosen_on)
    return _report(candidates, tuple(tried), best, chosen_on, reported_on)


def _best(
    candidates: Sequence[Candidate], tried: Sequence[CandidateAgreement], development: _Part
) -> tuple[Candidate, ...]:
    """The candidates with the largest value; the one to choose comes first.

    Of equals that is the default, since there is no reason to depart from it, or else the first.
    """
    values = [agreement.value for agreement in tried if agreement.value is not None]
    if not values:
        expected = "a coefficient that some settings have on development"
        raise SettingError(development.question.label, f"undefined: {tried[0].reason}", expected)
    most = max(values)
    equals = [
        candidate
        for candidate, agreement in zip(candidates, tried, strict=True)
        if agreement.value is not None and agreement.value >= most - SAME
    ]
    return tuple(
        sorted(equals, key=lambda equal: _default_of(candidates, equal, development) != equal)
    )


def _default_of(
    candidates: Sequence[Candidate], chosen: Candidate, development: _Part
) -> Candidate:
    """The default settings of what was chosen, as the grid writes them if it has them."""
    if chosen.default == chosen.text:
        return chosen
    metric = parse_metric(chosen.default).for_references(development.test_set.references)
    for candidate in candidates:
        if candidate.metric == metric:
            return candidate
    return replace(chosen, text=chosen.default, metric=metric, varied=None, value=None)


def _report(
    candidates: Sequence[Candidate],
    tried: tuple[CandidateAgreement, ...],
    best: Sequence[Candidate],
    development: _Part,
    test: _Part,
) -> Choice:
    """Measure the chosen settings and the default ones on the test part."""
    chosen = best[0]
    default = _default_of(candidates, chosen, development)
    metrics = {candidate.text: candidate.metric for candidate in (chosen, default)}
    data = test.data(metrics)
    references = test.test_set.references_per_segment
    return Choice(
        candidates=tried,
        chosen=chosen.text,
        default=default.text,
        default_on_development=development.value(default.metric)[0],
        tied=len(best),
        answer=answer_question(data, test.question, test.settings, test.resampling(data)),
        development=development.summary(chosen.metric),
        test=test.summary(chosen.metric),
        split=development.items is not None,
        same_data=development.items is None and development.is_same(test),
        signatures={
            label: str(metric.signature.with_references(references))
            for label, metric in metrics.items()
        },
        directions={label: metric.higher_is_better for label, metric in metrics.items()},
        settings=test.settings,
    )
