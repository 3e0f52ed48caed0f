"""Plan a test set from a pilot: two or more systems that were scored on one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from truebleu.corpus import as_test_set
from truebleu.errors import SettingError
from truebleu.inference.comparison import pairs_to_compare, units_of
from truebleu.inference.counted import Counted
from truebleu.inference.settings import CompareSettings
from truebleu.metrics.registry import as_metrics
from truebleu.metrics.scoring import metric_labels
from truebleu.planning.answers import FEW_UNITS, TOLD_BY_TEXTS, answer
from truebleu.planning.plan_results import Plan
from truebleu.planning.settings import PlanSettings, require_difference
from truebleu.planning.variance import (
    bootstrap_sd_interval,
    influences,
    largest_share,
    spread_is_zero,
    spread_of,
)
from truebleu.resampling import Units

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet, TextLike
    from truebleu.inference.p_values import Alternative
    from truebleu.inference.replication import Pair
    from truebleu.metrics.metric import Metric
    from truebleu.planning.plan_results import PairPlan

# Of normal values the largest one has less than this share, and in simulations on real texts the
# power was as promised up to here.
LARGE_SHARE, LARGE_PART = 0.2, 10
LARGE_DESIGN_EFFECT = 1.2


def plan(
    systems: Mapping[str, TextLike],
    references: Sequence[TextLike] | TextLike,
    difference: float | Sequence[float] | None = None,
    metrics: Sequence[str | Metric] = ("bleu",),
    settings: PlanSettings | None = None,
) -> Plan:
    """How many segments are needed to find a difference?

    >>> from truebleu.simulation import simulate
    >>> texts = simulate(segments=200, systems=[0.2, 0.3], seed=1)
    >>> result = plan(texts.systems, texts.references, difference=2.0)
    >>> result.plans[0].units_needed > 200
    True

    Args:
        systems: the outputs of two or more systems by name, one str per segment.
        references: as for ``compare``.
        difference: the smallest one that matters: for all metrics, or one for each.
        metrics: names or objects.
        settings: the power, the level, the unit and so on.
    """
    return plan_test_set(as_test_set(systems, references), difference, metrics, settings)


def plan_test_set(
    test_set: TestSet,
    difference: float | Sequence[float] | None = None,
    metrics: Sequence[str | Metric] = ("bleu",),
    settings: PlanSettings | None = None,
) -> Plan:
    """Plan from a pilot that was read from files; `plan` says what the arguments are."""
    settings = settings or PlanSettings()
    names = list(test_set.systems)
    pairs = pairs_to_compare(names, _baseline(names, settings.baseline))
    parsed = as_metrics(metrics)
    differences = _one_for_each(difference, len(parsed))
    pilot = _Pilot(test_set, settings)
    plans = []
    for label, metric, asked in zip(metric_labels(parsed), parsed, differences, strict=True):
        rows = metric.count(test_set).array()
        counted = Counted.of(label, metric, rows, pilot.units)
        by_document = None
        if pilot.documents is not None:
            by_document = Counted.of(label, metric, rows, pilot.documents)
        by_segment = Counted.of(label, metric, rows, Units.segments(len(test_set)))
        plans += [
            pilot.pair_plan(counted, by_segment, by_document, pair, len(pairs), asked)
            for pair in pairs
        ]
    return Plan(
        settings={
            **settings.to_dict(),
            "baseline": names[pairs[0][1]],
            "comparisons": settings.comparisons or len(pairs),
            "units": len(pilot.units),
        },
        plans=tuple(plans),
        test_set=test_set.to_dict(),
    )


class _Pilot:
    """A test set with what all of its pairs and metrics share."""

    def __init__(self, test_set: TestSet, settings: PlanSettings) -> None:
        self.test_set = test_set
        self.settings = settings
        self.names = list(test_set.systems)
        self.units = units_of(test_set, CompareSettings(unit=settings.unit))
        self.sizes = self.units.add_up(_reference_lengths(test_set))
        self.documents: Units | None = None
        if test_set.documents is not None and len(set(test_set.documents)) > 1:
            self.documents = Units.documents(test_set.documents)

    def pair_plan(
        self,
        counted: Counted,
        by_segment: Counted,
        by_document: Counted | None,
        pair: Pair,
        pairs: int,
        asked: float | None,
    ) -> PairPlan:
        """The plan for one pair by one metric."""
        a, b = pair
        influence = influences(counted, a, b)
        self._refuse_no_spread(counted, pair, influence)
        settings, segments = self.settings, len(self.test_set)
        difference = float(counted.scores[a] - counted.scores[b])
        direction = _direction(difference, counted.sign, settings.alternative)
        found = answer(
            spread=spread_of(counted, pair, self.sizes, direction, settings.seed),
            sd_interval=bootstrap_sd_interval(
                influence, settings.level, settings.samples, settings.seed
            ),
            units=len(counted.rows),
            segments_per_unit=segments / len(counted.rows),
            difference=asked,
            pilot_difference=difference,
            direction=direction,
            settings=settings,
            test=settings.test(pairs),
            metric=counted.label,
            digits=counted.metric.digits,
        )
        references = self.test_set.references_per_segment
        share, effect = largest_share(influence), _design_effect(by_segment, by_document, pair)
        reasons = dict(found.reasons)
        for name in TOLD_BY_TEXTS:
            del reasons[name]
        if effect is None:
            reasons["design_effect"] = "no two documents are known, or segments do not vary"
        return replace(
            found,
            a=self.names[a],
            b=self.names[b],
            signature=counted.metric.signature.with_references(references),
            largest_share=share,
            design_effect=effect,
            segments=segments,
            warnings=(*found.warnings, *self._warnings(share, effect, len(influence))),
            reasons=reasons,
        )

    def _refuse_no_spread(
        self, counted: Counted, pair: Pair, influence: NDArray[np.float64]
    ) -> None:
        if spread_is_zero(influence, counted.scale):
            a, b = (self.names[system] for system in pair)
            found = f"{a} and {b}, which differ by the same {counted.label} in every "
            found += self.settings.unit
            expected = "two systems whose difference varies: without spread nothing can be planned"
            raise SettingError("systems", found, expected)

    def _warnings(self, share: float, effect: float | None, units: int) -> list[str]:
        unit = self.settings.unit
        warnings = []
        if units < FEW_UNITS:
            warnings.append(
                f"The pilot has {units} {unit}s: what so few tell about the spread is rough."
            )
        if share > max(LARGE_SHARE, LARGE_PART / units):
            warnings.append(
                f"One {unit} makes up {100 * share:.0f} % of the variance: the plan hangs on "
                "whether the new test set has such a one. Is it an error in the texts?"
            )
        if unit == "segment" and effect is not None and effect > LARGE_DESIGN_EFFECT:
            warnings.append(
                "Segments of a document go together: drawn by documents, the variance is "
                f"{effect:.1f} times that of independent segments. Plan with --unit document."
            )
        return warnings


def _direction(difference: float, sign: int, alternative: Alternative) -> int:
    """Where a test looks: one with two sides where the pilot's difference points."""
    if alternative == "two-sided":
        return 1 if difference >= 0 else -1
    return sign if alternative == "greater" else -sign


def _baseline(names: Sequence[str], baseline: str | None) -> str | None:
    """The first of two systems, unless another is named."""
    if baseline is not None or len(names) < 2:
        return baseline
    if len(names) > 2:
        expected = f"one of {', '.join(names)}, to compare the others with; or two systems only"
        raise SettingError("baseline", "none", expected)
    return names[0]


def _one_for_each(difference: float | Sequence[float] | None, metrics: int) -> list[float | None]:
    if difference is None:
        return [None] * metrics
    given = list(difference) if isinstance(difference, Sequence) else [difference]
    checked: list[float | None] = [require_difference(one) for one in given]
    if len(checked) not in (1, metrics):
        expected = f"one for all metrics, or one for each of {metrics}"
        raise SettingError("difference", f"{len(checked)} differences", expected)
    return checked if len(checked) == metrics else checked * metrics


def _reference_lengths(test_set: TestSet) -> NDArray[np.float64]:
    """Characters of each segment's first reference: how much a segment weighs in most metrics."""
    lengths = [
        max(len(next(text for text in segment if text is not None)), 1)
        for segment in zip(*test_set.references, strict=True)
    ]
    return np.array(lengths, dtype=np.float64)


def _design_effect(by_segment: Counted, by_document: Counted | None, pair: Pair) -> float | None:
    """The variance by documents over that by segments (Kish 1965, §8.2)."""
    if by_document is None:
        return None
    variances = []
    for counted in (by_segment, by_document):
        influence = influences(counted, *pair)
        if spread_is_zero(influence, counted.scale):
            return None
        variances.append(float(influence.var(ddof=1)) / len(influence))
    return variances[1] / variances[0]
