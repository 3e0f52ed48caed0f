"""Choice of a metric's settings from a grid, on a development part of the data.

Every candidate of a grid is measured on the development part, and the best is chosen (Chen &
Cherry 2014, §3.1). Its value there is optimistic: the maximum of many values is large by chance
too. So it is measured again on the held-out part, which the choice did not use, with the default
settings for comparison.

If documents are known, their segments stay together: they resemble each other, and a setting that
fits half a document fits its other half better than other text. Parts are systematic samples of
the whole test set. Judged and unjudged items are split separately, so that each part has its share
of both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from truebleu.agreement.bootstrap import resampling_of
from truebleu.agreement.coefficients import measure_metrics, require_answerable
from truebleu.agreement.data import AgreementData, HumanSummary, human_data
from truebleu.counts.counting import count_texts
from truebleu.errors import SettingError
from truebleu.metrics.base import Metric
from truebleu.metrics.registry import parse_requested

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.agreement.coefficients import Coefficient, MetricAgreement
    from truebleu.agreement.data import Human
    from truebleu.corpus.sequences import TextLike
    from truebleu.counts.counts import Counts
    from truebleu.metrics.base import Requested

__all__ = ["GridChoice"]

#: Limit on the number of candidates: more would take hours.
MOST_SETTINGS = 1000
BETWEEN = "|"
DEVELOPMENT = 0.5
#: Fewest judged units in each part.
FEWEST_UNITS = 2
# Tolerance for equal values, about the rounding error of coefficients.
SAME = 1e-12


class Candidate(NamedTuple):
    """A metric with settings that may be chosen.

    Attributes:
        text: text of the metric with its settings, such as "sentbleu:smoothing=4,k=2".
        metric: the metric that the text describes.
        default: text with the default of every setting that has alternatives, or with the first
            alternatives if the defaults are not valid.
    """

    text: str
    metric: Requested
    default: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GridChoice:
    """Settings chosen on the development part.

    Attributes:
        candidates: agreement of each candidate on the development part, in the order of the grid.
        chosen: settings with the largest value; of equal values the default's, or else the first.
        default: default settings, for comparison on the held-out part.
        default_value: value of the default on the development part, or None if undefined.
        tied: number of candidates with the largest value.
        share: share of the judged items in the development part.
        development: summary of the judgments of the development part.
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
        """The chosen settings' value on the development part, which is optimistic."""
        return {agreement.metric: agreement.value for agreement in self.candidates}[self.chosen]


def parse_grid(grid: str | Sequence[str]) -> tuple[Candidate, ...]:
    """Parse one or several grids; return their candidates without duplicates, in written order.

    Args:
        grid: a metric with alternatives, such as "sentbleu:smoothing=4,k=1|2|5", or several; all
            combinations of alternatives are candidates.

    Raises:
        SettingError: if a combination is not valid, or there are too few or too many.

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
            text = _metric_text(name, combination)
            try:
                metric = parse_requested(text)
            except SettingError as error:
                expected = f"settings that go together ({error})"
                raise SettingError("grid", text, expected) from error
            # Two spellings of the same settings are one candidate.
            if all(metric != other.metric for other in candidates):
                candidates.append(Candidate(text, metric, default))
    if len(candidates) < 2:
        texts = ", ".join(candidate.text for candidate in candidates) or "nothing"
        expected = "at least two settings to choose from, such as sentbleu:smoothing=4,k=1|2|5"
        raise SettingError("grid", texts, expected)
    return tuple(candidates)


def _alternatives(text: str) -> tuple[str, list[list[str]]]:
    """Parse a metric with alternatives; return its name and the alternatives of each setting."""
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


def _metric_text(name: str, settings: Sequence[str]) -> str:
    return ":".join(filter(None, (name, ",".join(settings))))


def _default(name: str, settings: Sequence[Sequence[str]]) -> str:
    """Return the metric's text without the settings that vary, or else with their first values."""
    text = _metric_text(name, [values[0] for values in settings if len(values) == 1])
    try:
        parse_requested(text)
    except SettingError:
        return _metric_text(name, [values[0] for values in settings])
    return text


def split_items(data: AgreementData, share: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split items into the development part and the held-out part; return their indices.

    Args:
        data: the human and metric scores.
        share: share of the judged items in the development part, above 0 and below 1.

    Raises:
        SettingError: if there are too few judged units.
    """
    people, documents = data.people, data.documents
    if people.item == "system":
        raise SettingError("grid", "human scores of whole systems", "scores of segments to split")
    units, noun = np.arange(people.size), people.item
    if data.by_segment and documents is not None:
        numbers = {name: number for number, name in enumerate(dict.fromkeys(documents))}
        units, noun = np.array([numbers[name] for name in documents]), "document"
    sizes = np.bincount(units, weights=people.judged_cells.any(axis=0))
    chosen = np.zeros(len(sizes), dtype=np.bool_)
    # Judged units are weighted by their judged items, unjudged units by their size.
    for kind, weights in ((sizes > 0, sizes), (sizes == 0, np.bincount(units))):
        chosen[kind] = _interleaved_split(weights[kind].tolist(), share)
    judged = sizes > 0
    if min((chosen & judged).sum(), (~chosen & judged).sum()) < FEWEST_UNITS:
        expected = (
            f"a share that leaves at least {FEWEST_UNITS} of the {int(judged.sum())} judged "
            f"{noun}s to each part"
        )
        raise SettingError("development", share, expected)
    return np.flatnonzero(chosen[units]), np.flatnonzero(~chosen[units])


def _interleaved_split(weights: Sequence[float], share: float) -> list[bool]:
    """Choose units for the development part so that the running share stays closest to `share`."""
    mask, chosen, total = [], 0.0, 0.0
    for weight in weights:
        total += weight
        is_chosen = abs(chosen + weight - share * total) <= abs(chosen - share * total)
        chosen += weight if is_chosen else 0.0
        mask.append(is_chosen)
    return mask


def best_candidate(
    candidates: Sequence[Candidate],
    values: Sequence[MetricAgreement],
    references: Sequence[TextLike],
) -> tuple[Candidate, Candidate, int]:
    """Return the candidate with the largest value, its default, and the number with that value.

    If several candidates have the largest value, the default is preferred, then the first.
    """
    largest = max((each.value for each in values if each.value is not None), default=None)
    if largest is None:
        expected = "a coefficient that is defined for some settings on the development part"
        raise SettingError("grid", f"undefined: {values[0].reason}", expected)
    best = [
        candidate
        for candidate, each in zip(candidates, values, strict=True)
        if each.value is not None and each.value >= largest - SAME
    ]
    defaults = []
    for text in (candidate.default for candidate in best):
        default = Candidate(text, _fixed(parse_requested(text), references), text)
        # A default that is a candidate, too, is spelled as in the grid.
        same = (candidate for candidate in candidates if candidate.metric == default.metric)
        defaults.append(next(same, default))
    index = next((n for n, default in enumerate(defaults) if default == best[n]), 0)
    return best[index], defaults[index], len(best)


def _fixed(metric: Requested, references: Sequence[TextLike]) -> Requested:
    """Return a metric with the settings that depend on the references fixed."""
    return metric.for_references(references) if isinstance(metric, Metric) else metric


def choose_settings(
    grid: Sequence[str],
    counts: Counts,
    human: Human,
    by: Coefficient,
    options: Mapping[str, Any],
    progress: Callable[[int], object],
) -> tuple[AgreementData, GridChoice]:
    """Choose settings on the development part; return held-out data of these and the defaults.

    Args:
        grid: metrics with alternatives, as `parse_grid` parses them.
        counts: counts with texts, which each candidate counts again.
        human: human judgments.
        by: the coefficient to choose by.
        options: options of the agreement: development, resample, system_scores and seed.
        progress: callback, called with 1 after every candidate.

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

    def scores_of(metric: Requested) -> AgreementData:
        counted = replace(count_texts(texts, [metric]), outline=judged.outline)
        return AgreementData.of(people, counted, system_scores=options["system_scores"])

    data = scores_of(candidates[0].metric)
    development, held_out = split_items(data, options["development"])
    require_answerable(by, data, human.label)
    resampling_of(by, data.part(held_out), options["resample"])

    def value(text: str, metric: Requested) -> MetricAgreement:
        data = scores_of(metric).part(development)
        (agreement,) = measure_metrics(data, by, options["seed"]).values()
        return replace(agreement, metric=text)

    values = []
    for candidate in candidates:
        values.append(value(candidate.text, candidate.metric))
        progress(1)
    chosen, default, tied = best_candidate(candidates, values, references)
    whole = {candidate.text: scores_of(candidate.metric) for candidate in (chosen, default)}
    metrics = {}
    for text, data in whole.items():
        (metrics[text],) = data.part(held_out).metrics.values()
    choice = GridChoice(
        candidates=tuple(values),
        chosen=chosen.text,
        default=default.text,
        default_value=value(default.text, default.metric).value,
        tied=tied,
        share=options["development"],
        development=HumanSummary.of(
            human, whole[chosen.text].part(development), counts.outline.systems
        ),
    )
    return replace(whole[chosen.text].part(held_out), metrics=metrics), choice
