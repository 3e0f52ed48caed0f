"""N-best lists: the candidates of each segment, read from the files of decoders and samplers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.corpus.nbest.lists import NBest as NBest, SparseFeatures as SparseFeatures
    from truebleu.corpus.nbest.reading import (
        NBEST_FORMATS as NBEST_FORMATS,
        read_nbest as read_nbest,
    )

# The public names, and the module that each lives in.
_HOMES = {
    "NBest": "lists",
    "SparseFeatures": "lists",
    "NBEST_FORMATS": "reading",
    "read_nbest": "reading",
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
