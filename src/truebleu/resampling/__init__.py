"""Step 4, resample: rows of statistics become the sums of many replicates, blind to the metric."""

from truebleu.resampling.bootstrap import Bootstrap
from truebleu.resampling.swaps import Swaps
from truebleu.resampling.units import Units

__all__ = ["Bootstrap", "Swaps", "Units"]
