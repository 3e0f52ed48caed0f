"""N-best lists: the candidates of each segment, read from the files of decoders and samplers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._lazy import lazy_names

if TYPE_CHECKING:
    from truebleu.corpus.nbest.lists import NBest, SparseFeatures
    from truebleu.corpus.nbest.reading import NBEST_FORMATS, read_nbest

__all__ = ["NBEST_FORMATS", "NBest", "SparseFeatures", "read_nbest"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "NBEST_FORMATS": "reading",
        "NBest": "lists",
        "SparseFeatures": "lists",
        "read_nbest": "reading",
    },
)
