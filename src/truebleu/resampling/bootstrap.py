"""Bootstrap: test sets drawn from the test set, with replacement (Koehn, 2004, §5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from truebleu import _core
from truebleu._seeds import DEFAULT_SEED, require_replicates, require_seed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.resampling.units import Units


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap:
    """Draw as many units as there are, within each stratum; replicate i depends on (seed, i) alone.

    Assumes that units are independent draws from what the test set stands for.
    """

    replicates: int = 1000
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        require_replicates("replicates", self.replicates)
        require_seed(self.seed)

    def sums(
        self, rows: NDArray[np.float64], units: Units, first: int, count: int
    ) -> NDArray[np.float64]:
        """Summed rows of `count` replicates from the first on, shaped (replicate, column)."""
        return _core.bootstrap_sums(
            rows, strata=units.strata, first=first, replicates=count, seed=self.seed
        )
