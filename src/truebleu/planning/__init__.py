"""Plan a test set and draw one: how many segments find a difference, and which ones to take.

The verbs are `truebleu.plan` and `truebleu.sample`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.planning.plan import (
        Plan as Plan,
        PlanSettings as PlanSettings,
    )
    from truebleu.planning.power import (
        MarginPlan as MarginPlan,
        PairPlan as PairPlan,
        SizePower as SizePower,
    )
    from truebleu.planning.sample import (
        DomainShare as DomainShare,
        Lengths as Lengths,
        Sample as Sample,
        SampleSettings as SampleSettings,
        SystemOnSample as SystemOnSample,
        Vocabulary as Vocabulary,
    )

# The public names, and the module that each lives in.
_HOMES = {
    "MarginPlan": "power",
    "PairPlan": "power",
    "Plan": "plan",
    "PlanSettings": "plan",
    "SizePower": "power",
    "DomainShare": "sample",
    "Lengths": "sample",
    "Sample": "sample",
    "SampleSettings": "sample",
    "SystemOnSample": "sample",
    "Vocabulary": "sample",
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
