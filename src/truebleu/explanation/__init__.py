"""Where a difference comes from, whether it is big enough to matter, and how safe it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._lazy import lazy_names

if TYPE_CHECKING:
    from truebleu.explanation.contributions import (
        Contributions,
        Fragility,
        mean_gradient,
        split_difference,
    )
    from truebleu.explanation.degenerate import degenerate_outputs
    from truebleu.explanation.explain import (
        DegenerateGroup,
        Explanation,
        GroupContribution,
        NgramContribution,
        PairExplanation,
        SliceContribution,
        TypographyEffect,
        VariableContributions,
    )
    from truebleu.explanation.people import (
        CURVES,
        AgreementCurve,
        PeopleAgreement,
        find_curve,
        people_agreement,
    )

_HOMES = {
    "CURVES": "people",
    "AgreementCurve": "people",
    "Contributions": "contributions",
    "DegenerateGroup": "explain",
    "Explanation": "explain",
    "Fragility": "contributions",
    "GroupContribution": "explain",
    "NgramContribution": "explain",
    "PairExplanation": "explain",
    "PeopleAgreement": "people",
    "SliceContribution": "explain",
    "TypographyEffect": "explain",
    "VariableContributions": "explain",
    "degenerate_outputs": "degenerate",
    "find_curve": "people",
    "mean_gradient": "contributions",
    "people_agreement": "people",
    "split_difference": "contributions",
}
__all__ = [
    "CURVES",
    "AgreementCurve",
    "Contributions",
    "DegenerateGroup",
    "Explanation",
    "Fragility",
    "GroupContribution",
    "NgramContribution",
    "PairExplanation",
    "PeopleAgreement",
    "SliceContribution",
    "TypographyEffect",
    "VariableContributions",
    "degenerate_outputs",
    "find_curve",
    "mean_gradient",
    "people_agreement",
    "split_difference",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
