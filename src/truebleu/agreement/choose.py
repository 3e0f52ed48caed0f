"""A grid: metrics with alternatives for some of their settings, each combination a candidate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from itertools import product
from math import isfinite, prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from truebleu.agreement.agree import (
    AgreeSettings,
    Asked,
    answer_question,
    drawing_for,
    find,
    notes,
    outline,
)
from truebleu.agreement.bootstrap import SegmentStatistics
from truebleu.agreement.judgments import Judgments
from truebleu.agreement.questions import parse_question
from truebleu.agreement.scores import judge, shares_of_wins
from truebleu.errors import SettingError
from truebleu.exhibits import Exhibit, Field, Plot, Row
from truebleu.human import HumanScores
from truebleu.metrics.registry import as_metrics, parse_metric

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.agreement.agree import Answer, Drawing, MetricAgreement, PairTest, Progress
    from truebleu.agreement.questions import Question
    from truebleu.agreement.scores import Human, Judged, JudgedMetric, People
    from truebleu.corpus import TestSet
    from truebleu.metrics.base import Metric
    from truebleu.significance._checks import Values

#: More than these would take hours for what an afternoon's thought can narrow down.
MOST_SETTINGS = 1000
BETWEEN = "|"


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

    >>> for one in parse_grid("chrf:char_order=4|6,beta=1|2"):
    ...     print(one.text)
    chrf:char_order=4,beta=1
    chrf:char_order=4,beta=2
    chrf:char_order=6,beta=1
    chrf:char_order=6,beta=2
    >>> {one.default for one in parse_grid("sentbleu:smoothing=4,k=1|2")}
    {'sentbleu:smoothing=4'}
    """
    parts = [grid] if isinstance(grid, str) or not isinstance(grid, Iterable) else list(grid)
    settings = [_settings(part) if isinstance(part, str) else None for part in parts]
    count = sum(
        1 if some is None else prod(len(setting.values) for setting in some) for some in settings
    )
    if count > MOST_SETTINGS:
        expected = (
            f"at most {MOST_SETTINGS:,}: write fewer alternatives, or choose one setting after "
            "the other"
        )
        raise SettingError("grid", f"{count:,} settings", expected)
    candidates: list[Candidate] = []
    for part, some in zip(parts, settings, strict=True):
        made = [_given(part)] if some is None or not isinstance(part, str) else _made(part, some)
        for one in made:
            # Two ways to write the same settings are one candidate.
            if all(one.metric != other.metric for other in candidates):
                candidates.append(one)
    if len(candidates) < 2:
        expected = "at least two settings to choose from, such as sentbleu:smoothing=4,k=1|2|5"
        found = ", ".join(one.text for one in candidates) or "nothing"
        raise SettingError("grid", found, expected)
    return tuple(candidates)


def _settings(text: str) -> list[_Setting]:
    name, _, rest = text.partition(":")
    found = []
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        values = tuple(dict.fromkeys(value.split(BETWEEN)))
        if equals and "" in values:
            expected = f"values with {BETWEEN} between them, such as 1{BETWEEN}2{BETWEEN}5"
            raise SettingError(f"{name}: {key}", value, expected)
        found.append(_Setting(key, values))
    return found


def _made(text: str, settings: Sequence[_Setting]) -> list[Candidate]:
    name = text.partition(":")[0]
    varied = [setting for setting in settings if len(setting.values) > 1]
    default = _default(name, settings)
    number = varied[0] if len(varied) == 1 and varied[0].numeric else None
    candidates = []
    for values in product(*(setting.texts() for setting in settings)):
        written = ":".join(filter(None, (name, ",".join(values))))
        one = Candidate(written, _parsed(written), default)
        if number is not None:
            value = values[settings.index(number)].partition("=")[2]
            one = replace(one, varied=number.key, value=float(value))
        candidates.append(one)
    return candidates


def _parsed(text: str) -> Metric:
    try:
        return parse_metric(text)
    except SettingError as error:
        # Of many combinations, say which one it is.
        raise SettingError("grid", text, f"settings that go together ({error})") from error


def _default(name: str, settings: Sequence[_Setting]) -> str:
    """The text without the settings that have alternatives, or with the first of them."""
    fixed = [one for setting in settings if len(setting.values) == 1 for one in setting.texts()]
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


# Development and test: judged systems in two parts, one to choose on and one to report on.
#
# Segments of one document go to the same part where documents are known: they resemble each other,
# and a setting that fits half a document fits its other half better than it fits other text. Parts
# are broad: taken in turn, over the whole test set. What people judged and what nobody judged are
# split apart, so that each part has its share of both.


#: With fewer in a part nothing can be said of it.
FEWEST_UNITS = 2


def split_items(judged: Judged, share: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The items of the development part, and those of the test part.

    Args:
        judged: what people judged.
        share: of what was judged that should be development, above 0 and below 1.

    Raises:
        SettingError: when there is nothing to split, or too little.
    """
    is_number = isinstance(share, int | float) and not isinstance(share, bool)
    if not (is_number and 0 < share < 1):
        raise SettingError("development", share, "a share above 0 and below 1, such as 0.5")
    if judged.people.item == "system":
        expected = "human scores of segments to split, or a test set of its own to report on"
        raise SettingError("development", "human scores of whole systems", expected)
    units, what = _units(judged)
    judged_items = judged.people.judged_cells.any(axis=0)
    sizes = np.bincount(units, weights=judged_items)
    chosen = np.zeros(len(sizes), dtype=np.bool_)
    # Units with judgments by how much was judged in them; the others by their size.
    for some, weights in ((sizes > 0, sizes), (sizes == 0, np.bincount(units))):
        places = np.flatnonzero(some)
        chosen[places] = _in_turn(weights[places].tolist(), share)
    for part in (chosen, ~chosen):
        if (part & (sizes > 0)).sum() < FEWEST_UNITS:
            expected = (
                f"a share that leaves at least {FEWEST_UNITS} judged {what}s to each part, of the "
                f"{int((sizes > 0).sum())} that there are"
            )
            raise SettingError("development", share, expected)
    return np.flatnonzero(chosen[units]), np.flatnonzero(~chosen[units])


def part_of(judged: Judged, items: NDArray[np.int64]) -> Judged:
    """The same systems judged by some of the items only.

    Statistics that depend on the whole text, such as NIST's information, stay those of the whole.
    """
    documents = judged.documents
    if documents is not None:
        documents = tuple(documents[item] for item in items) if judged.by_segment else None
    return replace(
        judged,
        people=_people(judged.people, items),
        metrics={label: _metric(one, items) for label, one in judged.metrics.items()},
        documents=documents,
    )


def _units(judged: Judged) -> tuple[NDArray[np.int64], str]:
    """What each item is taken together with, as a number, and what that is called."""
    if judged.by_segment and judged.documents is not None:
        numbers = {name: n for n, name in enumerate(dict.fromkeys(judged.documents))}
        return np.array([numbers[name] for name in judged.documents]), "document"
    return np.arange(judged.people.size), judged.people.item


def _in_turn(weights: Sequence[float], share: float) -> list[bool]:
    """Which units are development: at each one the share so far stays as near as it can."""
    chosen, taken, total = [], 0.0, 0.0
    for weight in weights:
        total += weight
        takes = abs(taken + weight - share * total) <= abs(taken - share * total)
        taken += weight if takes else 0.0
        chosen.append(takes)
    return chosen


def _metric(one: JudgedMetric, items: NDArray[np.int64]) -> JudgedMetric:
    rows = np.ascontiguousarray(one.statistics.rows[items])
    statistics = SegmentStatistics(rows, one.statistics.score)
    return replace(
        one,
        items=None if one.items is None else np.ascontiguousarray(one.items[:, items]),
        systems=statistics.score(rows.sum(axis=0)),
        statistics=statistics,
    )


def _people(people: People, items: NDArray[np.int64]) -> People:
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


# The settings that were chosen, what they are worth on test data, and what else was tried.


RESULT_VERSION = 1
# Of about the size of rounding in coefficients, which have the scale 1.
SAME = 1e-12
# Values of a setting that differ by such a factor are drawn along a logarithmic axis.
WIDE = 15


@dataclass(frozen=True, slots=True)
class Tried:
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
class Choice:
    """Settings chosen on development data and measured on test data.

    Attributes:
        candidates: all that was tried, in the order of the grid.
        chosen: the settings with the largest value on development; of equal ones the default, or
            else the first.
        default: what they are compared with.
        default_on_development: what that has there; None where it is undefined.
        tied: how many candidates share the largest value.
        answer: both on test data: values, intervals and the test between them.
        development: the outline of what was chosen on.
        test: the outline of what is reported on.
        split: whether both are parts of one test set.
        signatures: of the chosen and the default settings.
        settings: all else that is needed to repeat it.
        notes: about the human scores.
    """

    candidates: tuple[Tried, ...]
    chosen: str
    default: str
    default_on_development: float | None
    tied: int
    answer: Answer
    development: Mapping[str, Any]
    test: Mapping[str, Any]
    split: bool
    signatures: Mapping[str, str]
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    @property
    def on_development(self) -> float:
        """The chosen settings' value on development, which flatters them."""
        (value,) = (one.value for one in self.candidates if one.text == self.chosen)
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
    def pair(self) -> PairTest | None:
        """The test between both; None where they are the same, or one has no value."""
        return self.answer.pairs[0] if self.answer.pairs else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``choose --format json`` prints them."""
        pair = self.pair
        return {
            "version": RESULT_VERSION,
            "question": self.answer.question.label,
            "title": self.answer.title,
            "candidates": [asdict(one) for one in self.candidates],
            "chosen": self.chosen,
            "default": self.default,
            "tied": self.tied,
            "on_development": self.on_development,
            "default_on_development": self.default_on_development,
            "on_test": asdict(self.on_test),
            "default_on_test": asdict(self.default_on_test),
            "difference": self.difference,
            "difference_test": None if pair is None else asdict(pair),
            "resampled": self.answer.resampled,
            "development": dict(self.development),
            "test": dict(self.test),
            "split": self.split,
            "signatures": dict(self.signatures),
            "settings": dict(self.settings),
            "findings": list(self.findings),
        }

    @property
    def findings(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        return (
            self._about_development(),
            self._about_test(),
            self._about_default(),
            *self._about_values(),
            *self.answer.notes,
            *self.notes,
        )

    def _about_development(self) -> str:
        told = (
            f"{self.answer.title}, on development ({_judged(self.development)}): "
            f"{self.chosen} has the largest value of {len(self.candidates)} settings, "
            f"{self.on_development:.4f}."
        )
        if self.tied > 1:
            told += (
                f" {self.tied} settings share it; of equals the default is kept, or else the first."
            )
        undefined = [one for one in self.candidates if one.value is None]
        if undefined:
            told += f" {len(undefined)} have no value, such as {undefined[0].text}: "
            told += f"{undefined[0].reason}."
        return f"{told} The best of many flatters itself; what it is worth is said by the test."

    def _about_test(self) -> str:
        found, kind = self.on_test, "the test part" if self.split else "the test set"
        where = f"On {kind} ({_judged(self.test)})"
        if found.value is None:
            return f"{where} it has no value: {'; '.join(found.notes)}."
        told = f"{where} it has {found.value:.4f}"
        if found.low is None or found.high is None:
            return f"{told} without an interval{''.join(f'; {note}' for note in found.notes)}."
        level = f"{100 * self.settings['level']:g} % interval over {self.answer.resampled}"
        return f"{told}, {found.low:.4f} to {found.high:.4f} ({level})."

    def _about_default(self) -> str:
        if self.is_default:
            return "The default settings are the chosen ones: there is nothing to compare."
        default, difference = self.default_on_test.value, self.difference
        if default is None or difference is None:
            reasons = "; ".join(self.default_on_test.notes)
            return f"The default settings, {self.default}, have no value to compare: {reasons}."
        beside = f"the default settings, {self.default}, which have {default:.4f}"
        pair = self.pair
        if pair is None or abs(difference) <= SAME:
            return f"It agrees as well as {beside}."
        sure = "significantly" if pair.significant else "not significantly"
        told = f"That is {difference:.4f} above {beside}: {sure} better (p = {pair.p:.3g})."
        if difference < 0:
            told = (
                f"That is {-difference:.4f} below {beside}: what was chosen does not carry over. "
                f"The default is {sure} better (p = {pair.p:.3g})."
            )
        if pair.smallest_p > round(1 - self.settings["level"], 12):
            told += f" No p below {pair.smallest_p:.3g} was possible."
        return told

    def _about_values(self) -> list[str]:
        """What is to be known of the values on test data, such as of ties or missing groups."""
        told: dict[str, list[str]] = {}
        for one in self.answer.metrics:
            if one.value is not None and one.low is not None:
                for note in one.notes:
                    told.setdefault(note, []).append(one.metric)
        return [f"{' and '.join(labels)}: {note}." for note, labels in told.items()]

    def exhibit(self) -> Exhibit:
        """All candidates in one table, and their values on development as a chart."""
        level = f"{100 * self.settings['level']:g} %"
        along = [one.setting for one in self.candidates if one.setting is not None]
        names = {one.varied for one in self.candidates}
        varied = names.pop() if len(names) == 1 else None
        return Exhibit(
            name="choose",
            title=f"Settings chosen by agreement with people: {self.answer.title}",
            fields=(
                Field("settings", "Settings"),
                Field("development", "On development", 4),
                Field("test", "On test", 4),
                Field("low", f"{level} from", 4),
                Field("high", "to", 4),
                Field("role", ""),
            ),
            rows=tuple(self._rows()),
            findings=self.findings,
            plot=Plot(
                mark="line" if varied else "point",
                x="setting" if varied else "settings",
                y="development",
                log_x=varied is not None and 0 < WIDE * min(along) < max(along),
            ),
            plot_rows=tuple(
                row for row in self._rows() if not varied or row["setting"] is not None
            ),
            plot_fields=(Field("setting", varied),) if varied else (),
            settings=self.settings,
        )

    def _rows(self) -> list[Row]:
        """Every candidate, then the default settings where they are none of them."""
        tried = {one.text: one for one in self.candidates}
        beside = Tried(self.default, self.default_on_development)
        rows: list[Row] = []
        for text in dict.fromkeys((*tried, self.default)):
            one = tried.get(text, beside)
            found = self.answer[text] if text in self.signatures else None
            roles = {"chosen": self.chosen, "default": self.default}
            rows.append(
                {
                    "settings": text,
                    "setting": one.setting,
                    "development": one.value,
                    "test": None if found is None else found.value,
                    "low": None if found is None else found.low,
                    "high": None if found is None else found.high,
                    "role": ", ".join(role for role, which in roles.items() if which == text),
                }
            )
        return rows


def _judged(outline: Mapping[str, Any]) -> str:
    """How much was judged of a part."""
    systems = f"{len(outline['systems'])} systems"
    if "items" not in outline:
        return systems
    return f"{systems}, {outline['items']:,} judged {outline['level']}s"


# Choosing settings of metrics by their agreement with people, as Chen & Cherry (2014, §3.1) do.
#
# Every candidate of a grid is measured on development data, and the best is chosen. Its value there
# flatters it: the largest of many values is large by chance too. So it is measured once more on
# test data that had no part in the choice, beside the default settings.


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
            see `truebleu.agreement.choose.parse_grid`.
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
    >>> from truebleu.human import HumanScores
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
    return tuple(sorted(equals, key=lambda one: _choose_default(candidates, one) != one))


def _report(
    candidates: Sequence[Candidate],
    tried: tuple[Tried, ...],
    best: Sequence[Candidate],
    parts: tuple[_Data, _Data],
) -> Choice:
    """Measure the chosen settings and the default ones on the test part."""
    chosen, (development, test) = best[0], parts
    default = _choose_default(candidates, chosen)
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


def _choose_default(candidates: Sequence[Candidate], chosen: Candidate) -> Candidate:
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
