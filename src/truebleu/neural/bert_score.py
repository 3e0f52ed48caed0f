"""BERTScore in this process, by the package bert-score."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from truebleu.neural.comet import quiet
from truebleu.neural.scoring import Engine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.neural.score_cache import Triple


class BertScoreEngine(Engine):
    """The package bert-score, imported when a score is missing in the cache."""

    def __init__(
        self, name: str, model: str, layers: int | None, batch: int, identity: Mapping[str, str]
    ) -> None:
        self.name, self.model, self.layers, self.batch = name, model, layers, batch
        self.identity = identity

    def score(self, block: Sequence[Triple]) -> list[float]:
        """Return the F1 of each output; the package encodes each text of a block once."""
        with quiet(self.name):
            scorer = _load(self.model, self.layers, self.batch, self.identity["device"])
            outputs, references = zip(*((t[1], str(t[2])) for t in block), strict=True)
            scores = scorer.score(list(outputs), list(references), batch_size=self.batch)
            return [float(score) for score in scores[2]]


@lru_cache(maxsize=2)
def _load(model: str, layers: int | None, batch: int, device: str) -> Any:
    """Import bert-score and load a model."""
    from bert_score import BERTScorer

    return BERTScorer(
        model_type=model,
        num_layers=layers,
        batch_size=batch,
        device="cpu" if device == "cpu" else "cuda",
    )
