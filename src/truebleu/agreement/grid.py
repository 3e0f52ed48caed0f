"""A grid of a metric's settings, and the parts of the data to choose on and to report on.

Every candidate of a grid is measured on a development part, and the best is chosen, as Chen &
Cherry (2014, §3.1) do. Its value there flatters it: the largest of many values is large by chance
too. So it is measured once more on the held-out part, which had no part in the choice, beside the
default settings.

Segments of one document go to the same part where documents are known: they resemble each other,
and a setting that fits half a document fits its other half better than it fits other text. Parts
are systematic: taken in turn, over the whole test set. What people judged and what nobody judged
are split apart, so that each part has its share of both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from truebleu.agreement.bootstrap import resampling_of
from truebleu.agreement.coefficients import measure_metrics, require_answerable
from truebleu.agreement.data import AgreementData, HumanSummary, human_data
from truebleu.counts.counting import count_texts
from truebleu.errors import SettingError
from truebleu.metrics.base import Metric
from truebleu.metrics.registry import parse_requested

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from truebleu.agreement.bootstrap import Resample
    from truebleu.agreement.coefficients import Coefficient, MetricAgreement
    from truebleu.agreement.data import Human, SystemScores
    from truebleu.corpus.sequences import TextLike
    from truebleu.counts.counts import Counts
    from truebleu.metrics.base import Requested

__all__ = ["GridChoice"]

#: More than these would take hours for what an afternoon's thought can narrow down.
MOST_SETTINGS = 1000
BETWEEN = "|"
DEVELOPMENT = 0.5
#: With fewer in a part nothing can be said of it.
FEWEST_UNITS = 2
# Of about the size of rounding in coefficients, which have the scale 1.
SAME = 1e-12


class Candidate(NamedTuple):
    """A metric with settings that may be chosen.

    Attributes:
        text: as people write it, such as "sentbleu:smoothing=4,k=2".
        metric: what it describes.
        default: the same with every setting that has alternatives at its default; where that is
            not possible, the first of the alternatives.
    """

    text: str
    metric: Requested
    default: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GridChoice:
    """Settings chosen on the development part.

    Attributes:
        candidates: how well each agrees there, in the order of the grid.
        chosen: the settings with the largest value; of equal ones the default, or else the first.
        default: what they are compared with on the held-out part.
        default_value: what that has on the development part; None where it is undefined.
        tied: how many candidates share the largest value.
        share: of what people judged that is development.
        development: what people judged of it.
    """

    candidates: tuple[MetricAgreement, ...]
    chosen: str
    default: str
    default_value: float | None
    tied: int
    share: float
    development: HumanSummary

    @property
    def value(self) -> float | None:
        """The chosen settings' value on the development part, which flatters them."""
        return {tried.metric: tried.value for tried in self.candidates}[self.chosen]


def parse_grid(grid: str | Sequence[str]) -> tuple[Candidate, ...]:
    """All candidates of one grid or of several, each once, in the order they are written.

    Args:
        grid: a metric with alternatives, such as "sentbleu:smoothing=4,k=1|2|5"; several settings
            with alternatives stand for all their combinations. Or several such texts.

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
    grids = [_alternatives(text) for text in ([grid] if isinstance(grid, str) else grid)]
    count = sum(prod(map(len, settings)) for _, settings in grids)
    if count > MOST_SETTINGS:
        expected = (
            f"at most {MOST_SETTINGS:,}: write fewer alternatives, or choose one setting after "
            "the other"
        )
        raise SettingError("grid", f"{count:,} settings", expected)
    candidates: list[Candidate] = []
    for name, settings in grids:
        default = _default(name, settings)
        for combination in product(*settings):
            text = _written(name, combination)
            metric = _parsed(text)
            # Two ways to write the same settings are one candidate.
            if all(metric != other.metric for other in candidates):
                candidates.append(Candidate(text, metric, default))
    if len(candidates) < 2:
        texts = ", ".join(candidate.text for candidate in candidates) or "nothing"
        expected = "at least two settings to choose from, such as sentbleu:smoothing=4,k=1|2|5"
        raise SettingError("grid", texts, expected)
    return tuple(candidates)


def _alternatives(text: str) -> tuple[str, list[list[str]]]:
    """A metric's name, and for each of its settings the ways to write it."""
    name, _, rest = text.partition(":")
    settings = []
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        values = list(dict.fromkeys(value.split(BETWEEN)))
        if equals and "" in values:
            expected = f"values with {BETWEEN} between them, such as 1{BETWEEN}2{BETWEEN}5"
            raise SettingError(f"{name}: {key}", value, expected)
        settings.append([f"{key}{equals}{value}" for value in values])
    return name, settings


def _written(name: str, settings: Sequence[str]) -> str:
    return ":".join(filter(None, (name, ",".join(settings))))


def _parsed(text: str) -> Requested:
    """Parse one combination of settings."""
    try:
        return parse_requested(text)
    except SettingError as error:
        # Of many combinations, say which one it is.
        raise SettingError("grid", text, f"settings that go together ({error})") from error


def _default(name: str, settings: Sequence[Sequence[str]]) -> str:
    """The text without the settings that have alternatives, or with the first of them."""
    text = _written(name, [written[0] for written in settings if len(written) == 1])
    try:
        parse_requested(text)
    except SettingError:
        return _written(name, [written[0] for written in settings])
    return text


def split_items(data: AgreementData, share: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The items of the development part, and those of the held-out part.

    Args:
        data: what people judged.
        share: of what was judged that should be development, above 0 and below 1.

    Raises:
        SettingError: when there is nothing to split, or too little.
    """
    people, documents = data.people, data.documents
    if people.item == "system":
        raise SettingError("grid", "human scores of whole systems", "scores of segments to split")
    units, what = np.arange(people.size), people.item
    if data.by_segment and documents is not None:
        numbers = {name: number for number, name in enumerate(dict.fromkeys(documents))}
        units, what = np.array([numbers[name] for name in documents]), "document"
    sizes = np.bincount(units, weights=people.judged_cells.any(axis=0))
    chosen = np.zeros(len(sizes), dtype=np.bool_)
    # Units with judgments by how much was judged in them; the others by their size.
    for kind, weights in ((sizes > 0, sizes), (sizes == 0, np.bincount(units))):
        chosen[kind] = _interleaved_split(weights[kind].tolist(), share)
    judged = sizes > 0
    if min((chosen & judged).sum(), (~chosen & judged).sum()) < FEWEST_UNITS:
        expected = (
            f"a share that leaves at least {FEWEST_UNITS} judged {what}s to each part, of the "
            f"{int(judged.sum())} that there are"
        )
        raise SettingError("development", share, expected)
    return np.flatnonzero(chosen[units]), np.flatnonzero(~chosen[units])


def _interleaved_split(weights: Sequence[float], share: float) -> list[bool]:
    """Which units are development: at each one the share so far stays as near as it can."""
    chosen, taken, total = [], 0.0, 0.0
    for weight in weights:
        total += weight
        takes = abs(taken + weight - share * total) <= abs(taken - share * total)
        taken += weight if takes else 0.0
        chosen.append(takes)
    return chosen


def best_candidate(
    candidates: Sequence[Candidate],
    values: Sequence[MetricAgreement],
    references: Sequence[TextLike],
) -> tuple[Candidate, Candidate, int]:
    """The candidate with the largest value, its default, and how many share that value.

    Of equals it is the default, since there is no reason to depart from it, or else the first.
    """
    most = max((tried.value for tried in values if tried.value is not None), default=None)
    if most is None:
        expected = "a coefficient that some settings have on the development part"
        raise SettingError("grid", f"undefined: {values[0].reason}", expected)
    best = [
        candidate
        for candidate, tried in zip(candidates, values, strict=True)
        if tried.value is not None and tried.value >= most - SAME
    ]
    defaults = [_default_of(candidates, candidate, references) for candidate in best]
    place = next((n for n, default in enumerate(defaults) if default == best[n]), 0)
    return best[place], defaults[place], len(best)


def _default_of(
    candidates: Sequence[Candidate], chosen: Candidate, references: Sequence[TextLike]
) -> Candidate:
    """The default settings of what was chosen, as the grid writes them if it has them."""
    metric = _fixed(parse_requested(chosen.default), references)
    for candidate in candidates:
        if candidate.metric == metric:
            return candidate
    return Candidate(chosen.default, metric, chosen.default)


def _fixed(metric: Requested, references: Sequence[TextLike]) -> Requested:
    """Return a metric with the settings fixed that it leaves to the references."""
    return metric.for_references(references) if isinstance(metric, Metric) else metric


def choose_settings(
    grid: Sequence[str],
    counts: Counts,
    human: Human,
    by: Coefficient,
    *,
    share: float,
    resample: Resample,
    system_scores: SystemScores,
    seed: int,
    progress: Callable[[int], object],
) -> tuple[AgreementData, GridChoice]:
    """Choose settings on the development part; return data of them and of the default settings.

    Args:
        grid: metrics with alternatives, as `parse_grid` reads them.
        counts: counts of the outputs, with their texts, which each candidate counts.
        human: what people judged.
        by: the coefficient to choose by.
        share: of what people judged that is the development part.
        resample: what intervals on the held-out part resample.
        system_scores: whether systems are scored on all segments, or on those that people rated.
        seed: of coefficients that permute.
        progress: called with 1 after every candidate.

    Returns:
        The data of the held-out part, and the choice.
    """
    parsed = parse_grid(grid)
    people = human_data(counts.outline, human)
    judged = counts.select(people.systems)
    texts = judged.require_texts()
    references = texts.references
    candidates = [
        candidate._replace(metric=_fixed(candidate.metric, references)) for candidate in parsed
    ]

    def scored(metric: Requested) -> AgreementData:
        counted = replace(count_texts(texts, [metric]), outline=judged.outline)
        return AgreementData.of(people, counted, system_scores=system_scores)

    data = scored(candidates[0].metric)
    development, held_out = split_items(data, share)
    require_answerable(by, data, human.label)
    resampling_of(by, data.part(held_out), resample)

    def value(text: str, metric: Requested) -> MetricAgreement:
        (agreement,) = measure_metrics(scored(metric).part(development), by, seed).values()
        return replace(agreement, metric=text)

    values = []
    for candidate in candidates:
        values.append(value(candidate.text, candidate.metric))
        progress(1)
    chosen, default, tied = best_candidate(candidates, values, references)
    whole = {candidate.text: scored(candidate.metric) for candidate in (chosen, default)}
    metrics = {}
    for text, data in whole.items():
        (metrics[text],) = data.part(held_out).metrics.values()
    choice = GridChoice(
        candidates=tuple(values),
        chosen=chosen.text,
        default=default.text,
        default_value=value(default.text, default.metric).value,
        tied=tied,
        share=share,
        development=HumanSummary.of(
            human, whole[chosen.text].part(development), counts.outline.systems
        ),
    )
    return replace(whole[chosen.text].part(held_out), metrics=metrics), choice
