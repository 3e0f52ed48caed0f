"""N-best lists: the candidates of each segment, read from the files of decoders and samplers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._lazy import attach

if TYPE_CHECKING:
    from truebleu.corpus.nbest.lists import NBest as NBest, SparseFeatures as SparseFeatures
    from truebleu.corpus.nbest.reading import (
        NBEST_FORMATS as NBEST_FORMATS,
        read_nbest as read_nbest,
    )

# The public names by the module that they live in.
__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "lists": ["NBest", "SparseFeatures"],
        "reading": ["NBEST_FORMATS", "read_nbest"],
    },
)
