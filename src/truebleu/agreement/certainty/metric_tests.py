"""Tests whether one metric agrees better with people than another, as a question calls for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from truebleu.agreement.certainty.judgment_resampling import judgment_test
from truebleu.agreement.certainty.pair_outcomes import pair_outcome_test
from truebleu.agreement.certainty.permutation import exchange_test
from truebleu.agreement.certainty.soft_exchange import soft_exchange_test
from truebleu.agreement.certainty.williams import williams
from truebleu.inference.monte_carlo import smallest_p

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu.agreement.agree import AgreeSettings
    from truebleu.agreement.certainty.permutation import MetricTest
    from truebleu.agreement.measures.grouping import Measure
    from truebleu.agreement.measures.judgments import Judgments
    from truebleu.inference.arguments import Values

# All exchanges of so many systems are made, however few draws are asked for: 16,384.
EXACT_SYSTEMS = 14

SCORES = "permutation test, scores exchanged"
OUTCOMES = "permutation test, outcomes of pairs exchanged"
SEGMENTS = "permutation test, segments exchanged"
WILLIAMS = "Williams' test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """One test.

    Attributes:
        p: one-sided, that the better metric is truly better.
        exact: whether no chance is in it.
        draws: exchanges that were made; 0 where p is computed without them.
        smallest: the smallest p that there could have been.
        note: what makes the test an empty one.
    """

    p: float
    exact: bool
    draws: int
    smallest: float = 0.0
    note: str | None = None


#: Given the names of a metric and of one that agrees no better.
Test: TypeAlias = Callable[[str, str], Tested]


def items_test(
    human: Values, metrics: Mapping[str, Values], by: Measure, settings: AgreeSettings
) -> tuple[Test, str]:
    """The test of a coefficient of items, and what it is called."""
    coefficient = by.coefficient
    if settings.test == "williams":
        return _williams(human, metrics), WILLIAMS
    # A threshold has the unit of its metric's scores, so that these cannot be exchanged.
    fixed = bool(coefficient.epsilon) and not coefficient.calibrated
    if fixed or (coefficient.calibrated and settings.exchange == "pairs"):
        epsilons = (coefficient.parameter, coefficient.parameter) if fixed else None

        def outcomes(better: str, worse: str) -> Tested:
            return _tested(
                pair_outcome_test(
                    human,
                    metrics[worse],
                    metrics[better],
                    grouping=by.grouping,
                    micro=by.average == "micro",
                    epsilons=epsilons,
                    draws=settings.draws,
                    seed=settings.seed,
                )
            )

        return outcomes, OUTCOMES
    return _exchange(human, metrics, by, settings.draws, settings.seed), SCORES


def systems_test(
    human: Values, metrics: Mapping[str, Values], by: Measure, settings: AgreeSettings
) -> tuple[Test, str]:
    """The test of a coefficient of system scores, and what it is called."""
    if settings.test == "williams":
        return _williams(human, metrics), WILLIAMS
    draws = settings.draws
    if len(human) <= EXACT_SYSTEMS:
        draws = max(draws, 2 ** len(human))
    return _exchange(human, metrics, by, draws, settings.seed), SCORES


def soft_accuracy_test(
    human: Values, metrics: Mapping[str, Values], settings: AgreeSettings
) -> tuple[Test, str]:
    """The test of soft pairwise accuracy, and what it is called."""

    def test(better: str, worse: str) -> Tested:
        p = soft_exchange_test(
            human, metrics[worse], metrics[better], draws=settings.draws, seed=settings.seed
        )
        return Tested(p=p, exact=False, draws=settings.draws, smallest=smallest_p(settings.draws))

    return test, SCORES


def comparisons_test(
    judgments: Judgments, metrics: Mapping[str, Values], by: Measure, settings: AgreeSettings
) -> tuple[Test, str]:
    """The test of a coefficient of compared pairs, and what it is called."""

    def test(better: str, worse: str) -> Tested:
        p, exact, draws = judgment_test(
            metrics[worse],
            metrics[better],
            judgments,
            by.coefficient,
            draws=settings.draws,
            seed=settings.seed,
        )
        return Tested(p=p, exact=exact, draws=draws, smallest=_smallest(draws, exact=exact))

    return test, SEGMENTS


def _exchange(
    human: Values, metrics: Mapping[str, Values], by: Measure, draws: int, seed: int
) -> Test:
    def test(better: str, worse: str) -> Tested:
        found = exchange_test(human, metrics[worse], metrics[better], by, draws=draws, seed=seed)
        return _tested(found)

    return test


def _williams(human: Values, metrics: Mapping[str, Values]) -> Test:
    def test(better: str, worse: str) -> Tested:
        found = williams(human, metrics[better], metrics[worse])
        p = 1.0 if found.p_one_sided is None else found.p_one_sided
        return Tested(p=p, exact=True, draws=0, note=found.reason)

    return test


def _tested(found: MetricTest) -> Tested:
    """A test of metrics that both have a value, and then it has one too."""
    return Tested(
        p=1.0 if found.p is None else found.p,
        exact=found.exact,
        draws=found.draws,
        smallest=_smallest(found.draws, exact=found.exact),
        note=found.reason,
    )


def _smallest(draws: int, *, exact: bool) -> float:
    if draws == 0:
        return 0.0
    return 1 / draws if exact else smallest_p(draws)
