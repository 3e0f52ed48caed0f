"""COMET in this process: the package's own scores, with each distinct text encoded once.

Regression models embed source, output and reference one by one, so that an embedding serves every
segment with its text. Embeddings come from the package's `get_sentence_embedding` and scores from
its estimator; both are compared with `predict` on the first texts of each run. If they differ, and
for models that read texts together, `predict` scores everything.
"""

from __future__ import annotations

import logging
import os
import warnings
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from zipfile import is_zipfile

from truebleu.errors import RefusedError, shortened
from truebleu.neural.scoring import Engine
from truebleu.schema.progress import notify

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from truebleu.neural.hub import Checkpoint
    from truebleu.neural.scoring import Triple

#: Packages whose versions may change a score.
PACKAGES = ("unbabel-comet", "torch", "transformers")
#: Classes of models that embed each text alone.
EMBEDDING = ("regression_metric", "referenceless_regression_metric")
#: Texts that are scored by `predict`, too.
CHECKED = 16
#: Largest difference from `predict`; float32 leaves about 1e-7.
TOLERANCE = 1e-5
#: Most embeddings in memory: 4 KB each with a large encoder.
MOST_EMBEDDINGS = 1 << 16

# Remedies for errors of the packages, by words of their messages.
CURES = {
    "pkg_resources": "setuptools 81 removed pkg_resources: pip install 'setuptools<81'",
    "runtime_version": "sentencepiece and protobuf do not fit: pip install 'sentencepiece==0.2.0'",
    "not supported by COMET": "the model is not on this machine, or its name is wrong",
    "'endswith'": "the model's encoder is not on this machine",
    "PytorchStreamReader": "the checkpoint is damaged: fetch it again",
    "Weights only load failed": "several GPUs fail with this version of torch: use one",
    "out of memory": "too little memory: use a smaller batch=, or device=cpu",
}


def cure_for(message: str) -> str:
    """Return the remedy for an error message of a neural metric, or an empty text."""
    return next((f"; {cure}" for sign, cure in CURES.items() if sign in message), "")


def installed_versions(packages: Sequence[str] = PACKAGES) -> dict[str, str] | None:
    """Return the versions of packages without importing them; None if one is missing."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return {package: version(package) for package in packages}
    except PackageNotFoundError:
        return None


def find_device(device: str) -> str:
    """Return cpu or gpu, without importing torch: auto means a GPU of NVIDIA that may be used."""
    if device != "auto":
        return device
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1")
    return "gpu" if os.path.isdir("/proc/driver/nvidia/gpus") and not hidden else "cpu"


class CometEngine(Engine):
    """COMET, imported when a score is missing in the cache."""

    def __init__(
        self, name: str, checkpoint: Checkpoint, identity: Mapping[str, str], batch: int
    ) -> None:
        self.name, self.checkpoint, self.batch = name, checkpoint, batch
        self.is_half, self.device = identity["prec"] == "half", identity["device"]
        # Half precision depends on the texts of a batch.
        self.identity = {**identity, "batch": str(batch)} if self.is_half else identity
        self._model: Any = None
        # True if embeddings give the scores of `predict`; None before that is known.
        self._embeds: bool | None = None if checkpoint.kind in EMBEDDING else False
        self._embeddings: dict[str, Any] = {}

    def order(self, triples: Sequence[Triple]) -> list[Triple]:
        """Sort texts; in half precision as `comet-score` does, so that batches are the same."""
        if not self.is_half:
            return Engine.order(self, triples)
        import numpy as np

        lengths = [len(source or "") for source, _, _ in triples]
        return [triples[index] for index in np.argsort(lengths).tolist()]

    def score(self, block: Sequence[Triple]) -> list[float]:
        """Score texts by embeddings if these give the scores of `predict`, else by `predict`."""
        with _quiet(self.name):
            if self._model is None:
                self._model = _load(self.checkpoint.path, self.is_half, self.device)
            if self._embeds is None:
                self._embeds = not self.is_half and self._agree(block[:CHECKED])
            return self._by_embeddings(block) if self._embeds else self._predict(block)

    def _agree(self, block: Sequence[Triple]) -> bool:
        """Return whether embeddings give the scores of `predict`."""
        expected = self._predict(block)
        try:
            pairs = zip(self._by_embeddings(block), expected, strict=True)
            difference = max(abs(score - other) for score, other in pairs)
        except (AttributeError, TypeError, RuntimeError):
            reason = "this version of the package gives no scores from embeddings"
        else:
            if difference <= TOLERANCE:
                return True
            reason = f"scores from embeddings differ from `predict` by {difference:.2g}"
        notify(f"{self.name}: {reason}; `predict` will score all texts, which takes longer")
        return False

    def _predict(self, block: Sequence[Triple]) -> list[float]:
        """Score texts by the package's `predict`."""
        rows = (zip(("src", "mt", "ref"), triple, strict=True) for triple in block)
        output = self._model.predict(
            [{name: text for name, text in row if text is not None} for row in rows],
            batch_size=self.batch,
            gpus=int(self.device != "cpu"),
            progress_bar=False,
            num_workers=0,
            length_batching=not self.is_half,
        )
        return list(output.scores)

    def _by_embeddings(self, block: Sequence[Triple]) -> list[float]:
        """Score texts by embeddings, encoding each distinct text that is not in memory."""
        import torch

        with torch.inference_mode():
            self._encode({text for triple in block for text in triple if text is not None})
            columns: Iterator[Any] = (
                None if texts[0] is None else torch.stack([self._embeddings[t] for t in texts])
                for texts in zip(*block, strict=True)
            )
            source, output, reference = columns
            if reference is not None:
                scores = self._model.estimate(source, output, reference).score
            else:
                pair = (output, source, output * source, torch.abs(output - source))
                scores = self._model.estimator(torch.cat(pair, dim=1))
            return list(scores.view(-1).tolist())

    def _encode(self, texts: set[str]) -> None:
        """Add the embeddings of texts; texts of similar length share a batch."""
        known, model = self._embeddings, self._model
        missing = sorted(texts - known.keys(), key=lambda text: (len(text), text))
        if len(known) + len(missing) > MOST_EMBEDDINGS:
            self._embeddings = known = {text: known[text] for text in texts & known.keys()}
        model.to("cpu" if self.device == "cpu" else "cuda")
        for start in range(0, len(missing), self.batch):
            part = missing[start : start + self.batch]
            sample = model.encoder.prepare_sample(part)
            inputs = (sample[name].to(model.device) for name in ("input_ids", "attention_mask"))
            known.update(zip(part, model.get_sentence_embedding(*inputs), strict=True))


@lru_cache(maxsize=2)
def _load(path: Path, is_half: bool, device: str) -> Any:
    """Import COMET and load a checkpoint."""
    import torch
    from comet import load_from_checkpoint

    for name in ("pytorch_lightning", "pytorch_lightning.utilities.rank_zero", "comet"):
        logging.getLogger(name).setLevel(logging.ERROR)
    if device != "cpu" and not torch.cuda.is_available():
        raise RuntimeError("torch does not see the GPU; use device=cpu")
    try:
        model = load_from_checkpoint(str(path), local_files_only=True)
    except OSError as error:
        if is_zipfile(path):
            raise
        raise RuntimeError("the checkpoint is damaged: fetch it again") from error
    model.eval()
    return model.half() if is_half else model


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    """Hide the packages' warnings, and turn their errors into sentences.

    Raises RefusedError for any error, and KeyboardInterrupt where Lightning exits after Ctrl-C.
    """
    # Model and encoder are on this machine; asking the hub would take minutes offline.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except SystemExit:
        raise KeyboardInterrupt from None
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        cure = cure_for(text)
        if not cure and isinstance(error, ImportError):
            cure = "; it needs an environment of its own: pip install 'truebleu[comet]'"
        raise RefusedError(f"{name}: {shortened(text.splitlines()[0], 200)}{cure}") from error
