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

# The public names by the module that they live in.
_HOMES = {
    "contributions": ["Contributions", "Fragility", "mean_gradient", "split_difference"],
    "degenerate": ["degenerate_outputs"],
    "explain": [
        "DegenerateGroup",
        "Explanation",
        "GroupContribution",
        "NgramContribution",
        "PairExplanation",
        "SliceContribution",
        "TypographyEffect",
        "VariableContributions",
    ],
    "report": ["MetricSegments", "Report", "Segments"],
}

__all__ = [name for names in _HOMES.values() for name in names]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
