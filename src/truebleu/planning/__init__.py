"""Plan a test set and draw one: how many segments find a difference, and which ones to take.

The verbs are `truebleu.plan` and `truebleu.sample`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._lazy import lazy_names

if TYPE_CHECKING:
    from truebleu.planning.plan import (
        MarginPlan,
        PairPlan,
        Plan,
        PlanSettings,
        ReportedDifference,
        SizePower,
        plan_from_literature,
    )
    from truebleu.planning.sample import (
        DomainShare,
        Lengths,
        Sample,
        SampleSettings,
        SystemOnSample,
        Vocabulary,
    )

__all__ = [
    "DomainShare",
    "Lengths",
    "MarginPlan",
    "PairPlan",
    "Plan",
    "PlanSettings",
    "ReportedDifference",
    "Sample",
    "SampleSettings",
    "SizePower",
    "SystemOnSample",
    "Vocabulary",
    "plan_from_literature",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "DomainShare": "sample",
        "Lengths": "sample",
        "MarginPlan": "plan",
        "PairPlan": "plan",
        "Plan": "plan",
        "PlanSettings": "plan",
        "ReportedDifference": "plan",
        "Sample": "sample",
        "SampleSettings": "sample",
        "SizePower": "plan",
        "SystemOnSample": "sample",
        "Vocabulary": "sample",
        "plan_from_literature": "plan",
    },
)
