"""Neural metrics: COMET and its kin, run by their own packages, each distinct text once."""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.neural.metrics import *

__getattr__, __dir__ = lazy_package(__name__)
