"""Where a difference comes from, whether it is big enough to matter, and how safe it is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.explanation.contributions import (
        Contributions as Contributions,
        Fragility as Fragility,
        mean_gradient as mean_gradient,
        split_difference as split_difference,
    )
    from truebleu.explanation.degenerate import degenerate_outputs as degenerate_outputs
    from truebleu.explanation.explain import (
        DegenerateGroup as DegenerateGroup,
        Explanation as Explanation,
        GroupContribution as GroupContribution,
        NgramContribution as NgramContribution,
        PairExplanation as PairExplanation,
        SliceContribution as SliceContribution,
        TypographyEffect as TypographyEffect,
        VariableContributions as VariableContributions,
    )
    from truebleu.explanation.report import (
        MetricSegments as MetricSegments,
        Report as Report,
        Segments as Segments,
    )

# The public names, and the module that each lives in.
_HOMES = {
    "Contributions": "contributions",
    "Fragility": "contributions",
    "mean_gradient": "contributions",
    "split_difference": "contributions",
    "degenerate_outputs": "degenerate",
    "DegenerateGroup": "explain",
    "Explanation": "explain",
    "GroupContribution": "explain",
    "NgramContribution": "explain",
    "PairExplanation": "explain",
    "SliceContribution": "explain",
    "TypographyEffect": "explain",
    "VariableContributions": "explain",
    "MetricSegments": "report",
    "Report": "report",
    "Segments": "report",
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
