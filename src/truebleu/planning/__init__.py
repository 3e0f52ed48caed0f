"""Plan a test set and draw one: how many segments find a difference, and which ones to take.

The verbs are `truebleu.plan` and `truebleu.sample`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._lazy import attach

if TYPE_CHECKING:
    from truebleu.planning.plan import (
        MarginPlan as MarginPlan,
        PairPlan as PairPlan,
        Plan as Plan,
        PlanSettings as PlanSettings,
        ReportedDifference as ReportedDifference,
        SizePower as SizePower,
        plan_from_literature as plan_from_literature,
    )
    from truebleu.planning.sample import (
        DomainShare as DomainShare,
        Lengths as Lengths,
        Sample as Sample,
        SampleSettings as SampleSettings,
        SystemOnSample as SystemOnSample,
        Vocabulary as Vocabulary,
    )

# The public names by the module that they live in.
__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "plan": [
            "MarginPlan",
            "PairPlan",
            "Plan",
            "PlanSettings",
            "ReportedDifference",
            "SizePower",
            "plan_from_literature",
        ],
        "sample": [
            "DomainShare",
            "Lengths",
            "Sample",
            "SampleSettings",
            "SystemOnSample",
            "Vocabulary",
        ],
    },
)
