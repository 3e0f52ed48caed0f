"""Swaps: outputs of two systems exchanged at random (Riezler and Maxwell, 2005, Figure 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from truebleu import _core
from truebleu._seeds import DEFAULT_SEED, require_replicates, require_seed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Swaps:
    """Take each unit by a fair coin; replicate i depends on (seed, i) alone.

    Assumes that under the null hypothesis the two outputs of each unit could as well have come from
    the other system, and nothing about how scores are distributed.
    """

    replicates: int = 10_000
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        require_replicates("replicates", self.replicates)
        require_seed(self.seed)

    def enumerates(self, units: int) -> bool:
        """Whether all 2**units exchanges are no more than the replicates asked for."""
        return units < 63 and 2**units <= self.replicates

    def sums(
        self, rows: NDArray[np.float64], first: int, count: int, *, enumerated: bool
    ) -> NDArray[np.float64]:
        """Summed rows of the units that each replicate takes, shaped (replicate, column)."""
        seed = None if enumerated else self.seed
        return _core.swapped_sums(rows, first=first, trials=count, seed=seed)
