"""What is made to order, so that its truth is known: test sets, and a decoder with best weights."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.simulation.decoder import BEST_WEIGHTS as BEST_WEIGHTS, Decoder as Decoder
    from truebleu.simulation.test_sets import (
        Channel as Channel,
        save_test_set as save_test_set,
        simulate as simulate,
        simulate_causes as simulate_causes,
    )

# The public names, and the module that each lives in.
_HOMES = {
    "BEST_WEIGHTS": "decoder",
    "Decoder": "decoder",
    "Channel": "test_sets",
    "save_test_set": "test_sets",
    "simulate": "test_sets",
    "simulate_causes": "test_sets",
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
