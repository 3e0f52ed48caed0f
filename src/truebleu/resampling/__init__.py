"""Step 4, resample: rows of statistics become the sums of many replicates, blind to the metric."""

from truebleu.resampling.replicates import Bootstrap, Swaps, on_exact_grid
from truebleu.resampling.units import Units

__all__ = ["Bootstrap", "Swaps", "Units", "on_exact_grid"]
