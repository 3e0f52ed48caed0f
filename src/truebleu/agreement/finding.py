"""What metrics say to a question: their values, a test of any two of them, and replicates.

One function for each kind of question: of items, of systems, of comparisons, of soft accuracy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from truebleu.agreement.certainty.bootstrap import Replicates, bootstrap_agreement
from truebleu.agreement.certainty.judgment_resampling import (
    bootstrap_judgments,
    bootstrap_shares_of_wins,
)
from truebleu.agreement.certainty.metric_tests import (
    OUTCOMES,
    Test,
    comparisons_test,
    items_test,
    soft_accuracy_test,
    systems_test,
)
from truebleu.agreement.certainty.soft_bootstrap import bootstrap_soft_accuracy
from truebleu.agreement.certainty.system_bootstrap import bootstrap_system_agreement
from truebleu.agreement.measures.judgments import judged_value
from truebleu.agreement.measures.measuring import measure
from truebleu.agreement.measures.soft_pairwise import soft_pairwise_accuracies
from truebleu.agreement.results import MetricAgreement

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from truebleu.agreement.agree import AgreeSettings
    from truebleu.agreement.certainty.drawing import Drawing
    from truebleu.agreement.judged import Judged
    from truebleu.agreement.measures.grouping import Measure
    from truebleu.agreement.measures.measuring import Measured
    from truebleu.agreement.questions import Question
    from truebleu.inference.arguments import Values

TOO_OFTEN = "The test takes pairs for independent, which they are not: it rejects too often."


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What all questions are asked about, and how sure the answers should be."""

    judged: Judged
    settings: AgreeSettings

    @property
    def items(self) -> dict[str, Values]:
        """Every metric's scores of items."""
        found = {label: one.items for label, one in self.judged.metrics.items()}
        return {label: items for label, items in found.items() if items is not None}

    @property
    def systems(self) -> dict[str, Values]:
        """Every metric's scores of systems."""
        return {label: one.systems for label, one in self.judged.metrics.items()}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """What one question finds, before it is put together.

    Attributes:
        values: each metric's value, without interval and rank.
        test: of a metric and one that agrees no better.
        test_name: what that is called.
        replicates: draws them.
        notes: what a reader should know, in sentences.
    """

    values: Mapping[str, MetricAgreement]
    test: Test
    test_name: str
    replicates: Callable[[], Replicates]
    notes: tuple[str, ...] = ()


def find(asked: Asked, question: Question, drawing: Drawing) -> Found:
    """What all metrics say to one question, with replicates of what `drawing` says."""
    if question.measure is None:
        return _of_soft_accuracy(asked, drawing)
    if question.level == "system":
        return _of_systems(asked, question.measure, drawing)
    if question.compared:
        return _of_comparisons(asked, question.measure, drawing)
    return _of_items(asked, question.measure, drawing)


def _of_items(asked: Asked, by: Measure, drawing: Drawing) -> Found:
    human, items, settings = asked.judged.human, asked.items, asked.settings
    assert human is not None  # noqa: S101  # such questions are refused otherwise
    test, name = items_test(human, items, by, settings)
    return Found(
        values={label: _value(label, measure(human, one, by)) for label, one in items.items()},
        test=test,
        test_name=name,
        replicates=lambda: bootstrap_agreement(
            human,
            items,
            by,
            over=drawing.over,
            documents=drawing.documents,
            replicates=settings.samples,
            seed=settings.seed,
        ),
        notes=(TOO_OFTEN,) if name == OUTCOMES and len(items) > 1 else (),
    )


def _of_systems(asked: Asked, by: Measure, drawing: Drawing) -> Found:
    people, systems = asked.judged.people, asked.systems
    test, name = systems_test(people.means, systems, by, asked.settings)
    return Found(
        values={
            label: _value(label, measure(people.means, one, by)) for label, one in systems.items()
        },
        test=test,
        test_name=name,
        replicates=lambda: _system_replicates(asked, by, drawing),
    )


def _system_replicates(asked: Asked, by: Measure, drawing: Drawing) -> Replicates:
    judged, settings = asked.judged, asked.settings
    statistics = {label: one.statistics for label, one in judged.metrics.items()}
    if judged.human is not None:
        return bootstrap_system_agreement(
            judged.human,
            statistics,
            by.coefficient,
            over=drawing.over,
            documents=drawing.documents,
            replicates=settings.samples,
            seed=settings.seed,
        )
    if judged.judgments is not None and drawing.over != "systems":
        return bootstrap_shares_of_wins(
            statistics,
            judged.judgments,
            by.coefficient,
            over=drawing.over,
            documents=drawing.documents,
            replicates=settings.samples,
            seed=settings.seed,
        )
    return bootstrap_agreement(
        judged.people.means,
        asked.systems,
        by,
        over="systems",
        replicates=settings.samples,
        seed=settings.seed,
    )


def _of_comparisons(asked: Asked, by: Measure, drawing: Drawing) -> Found:
    judgments, items, settings = asked.judged.judgments, asked.items, asked.settings
    assert judgments is not None  # noqa: S101  # comparisons are asked for only where there are any
    values = {label: judged_value(one, judgments, by.coefficient) for label, one in items.items()}
    test, name = comparisons_test(judgments, items, by, settings)
    return Found(
        values={
            label: MetricAgreement(metric=label, value=value, notes=_notes(reason))
            for label, (value, reason) in values.items()
        },
        test=test,
        test_name=name,
        replicates=lambda: bootstrap_judgments(
            items,
            judgments,
            by.coefficient,
            over=drawing.over,
            documents=drawing.documents,
            replicates=settings.samples,
            seed=settings.seed,
        ),
    )


def _of_soft_accuracy(asked: Asked, drawing: Drawing) -> Found:
    human, items, settings = asked.judged.human, asked.items, asked.settings
    assert human is not None  # noqa: S101  # refused otherwise
    accuracies = soft_pairwise_accuracies(human, items, seed=settings.seed)
    values = {label: one.value for label, one in accuracies.items()}
    test, name = soft_accuracy_test(human, items, settings)
    left_out = next(iter(accuracies.values()))
    notes: tuple[str, ...] = ()
    if left_out.unpaired:
        pairs = left_out.unpaired + left_out.pairs
        notes = (f"{left_out.unpaired} of {pairs} pairs of systems share nothing that was rated.",)
    return Found(
        values={
            label: MetricAgreement(metric=label, value=one.value, notes=_notes(one.reason))
            for label, one in accuracies.items()
        },
        test=test,
        test_name=name,
        replicates=lambda: bootstrap_soft_accuracy(
            human,
            items,
            values,
            over=drawing.over,
            documents=drawing.documents,
            replicates=settings.samples,
            seed=settings.seed,
        ),
        notes=notes,
    )


def _value(label: str, measured: Measured) -> MetricAgreement:
    return MetricAgreement(
        metric=label,
        value=measured.value,
        groups=measured.groups,
        undefined_groups=measured.undefined_groups,
        epsilon=None if measured.ties is None else measured.ties.epsilon,
        notes=(*_notes(measured.reason), *measured.notes),
    )


def _notes(reason: str | None) -> tuple[str, ...]:
    return () if reason is None else (reason,)
