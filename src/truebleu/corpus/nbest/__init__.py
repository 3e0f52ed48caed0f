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

# The public names by the module that they live in.
_HOMES = {
    "lists": ["NBest", "SparseFeatures"],
    "reading": ["NBEST_FORMATS", "read_nbest"],
}

__all__ = [name for names in _HOMES.values() for name in names]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
