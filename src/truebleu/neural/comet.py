"""COMET in this process: the package's own scores, with each distinct text encoded once.

Regression models embed source, output and reference one by one, so that an embedding serves every
segment with its text. Embeddings come from the package's `get_sentence_embedding` and scores from
its estimator; both are compared with `predict` on the first texts of each run. If they differ, and
for models that read texts together, `predict` scores everything.
"""

from __future__ import annotations

import logging
import os
import re
import warnings
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from truebleu.errors import RefusedError, shortened
from truebleu.neural.scoring import Engine, notify

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from truebleu.neural.hub import Checkpoint
    from truebleu.neural.score_cache import Triple

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
#: Rows that the estimator scores at once.
ROWS = 1 << 12

# What errors of the packages mean, and what to do.
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
    """Return the versions of packages without importing them; None if the first is missing."""
    from importlib.metadata import PackageNotFoundError, version

    versions: dict[str, str] = {}
    for package in packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            if not versions:
                return None
    return versions


def find_device(device: str) -> str:
    """Return "cpu", or the name of the first GPU, without importing torch."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if device == "cpu" or (device == "auto" and visible in ("", "-1")):
        return "cpu"
    folder = "/proc/driver/nvidia/gpus"
    for gpu in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        with open(os.path.join(folder, gpu, "information"), encoding="utf-8") as lines:
            model = re.search(r"Model:\s*(.+)", lines.read())
        return "gpu" if model is None else model[1].strip()
    return "gpu" if device == "gpu" else "cpu"


class CometEngine(Engine):
    """COMET, imported when a score is missing in the cache."""

    def __init__(
        self,
        name: str,
        checkpoint: Checkpoint,
        versions: Mapping[str, str],
        *,
        precision: str,
        device: str,
        batch: int,
    ) -> None:
        self.name, self.checkpoint, self.batch = name, checkpoint, batch
        self.is_half, self.device = precision == "half", device
        # Half precision depends on the texts of a batch.
        batches = {"batch": str(batch)} if self.is_half else {}
        self.identity = {
            "model": checkpoint.name,
            "rev": checkpoint.revision[:12],
            "prec": precision,
            **versions,
            "device": device,
            **batches,
        }
        self._model: _Model | None = None

    def order(self, triples: Sequence[Triple]) -> list[Triple]:
        """Sort texts; in half precision as `comet-score` does, so that batches are the same."""
        if not self.is_half:
            return Engine.order(self, triples)
        import numpy as np

        lengths = [len(triple[0] or "") for triple in triples]
        return [triples[index] for index in np.argsort(lengths).tolist()]

    def score(self, block: Sequence[Triple]) -> list[float]:
        """Score texts by embeddings if these give the scores of `predict`, else by `predict`."""
        with quiet():
            if self._model is None:
                try:
                    self._model = _load(self.checkpoint.path, self.is_half, self.device)
                except (Exception, SystemExit) as error:
                    raise RefusedError(_cannot_load(self.name, error)) from error
            try:
                return self._scores(self._model, block)
            except RuntimeError as error:  # torch raises it for everything
                reason = shortened(str(error).splitlines()[0], 200)
                raise RefusedError(f"{self.name}: {reason}{cure_for(str(error))}") from error

    def _scores(self, model: _Model, block: Sequence[Triple]) -> list[float]:
        if model.embeds is None:
            model.embeds = not self.is_half and self.checkpoint.kind in EMBEDDING
            if model.embeds:
                first = block[:CHECKED]
                difference = model.difference_from_predict(first, self.batch)
                model.embeds = difference <= TOLERANCE
                if not model.embeds:
                    notify(
                        f"{self.name}: scores by embeddings differ from predict by "
                        f"{difference:.2g}; predict scores all texts, which takes longer"
                    )
        if model.embeds:
            return model.by_embeddings(block, self.batch)
        return model.predict(block, self.batch)


def _cannot_load(name: str, error: BaseException) -> str:
    """Return a sentence about a model or a package that cannot be loaded."""
    text = f"{type(error).__name__}: {error}".strip()
    cure = cure_for(text)
    if not cure and isinstance(error, ImportError):
        cure = "; COMET needs an environment of its own: pip install 'truebleu[comet]'"
    return f"{name}: COMET cannot be loaded ({shortened(text.splitlines()[0], 200)}){cure}"


class _Model:
    """A loaded model, with the embeddings of texts that it encoded.

    Attributes:
        embeds: True if embeddings give the scores of `predict`; None before that is known.
    """

    def __init__(self, model: Any, *, on_gpu: bool, is_half: bool) -> None:
        self.model, self.on_gpu, self.is_half = model, on_gpu, is_half
        self.embeds: bool | None = None
        self._embeddings: dict[str, Any] = {}

    def predict(self, block: Sequence[Triple], batch: int) -> list[float]:
        """Score texts by the package's `predict`."""
        names = ("src", "mt", "ref")
        samples = [
            {name: text for name, text in zip(names, triple, strict=True) if text is not None}
            for triple in block
        ]
        try:
            output = self.model.predict(
                samples,
                batch_size=batch,
                gpus=int(self.on_gpu),
                progress_bar=False,
                num_workers=0,
                length_batching=not self.is_half,
            )
        except SystemExit:  # Lightning's answer to Ctrl-C
            raise KeyboardInterrupt from None
        return list(output.scores)

    def difference_from_predict(self, block: Sequence[Triple], batch: int) -> float:
        """Return the largest difference between scores by embeddings and by `predict`."""
        expected = self.predict(block, batch)
        try:
            scores = self.by_embeddings(block, batch)
        except (AttributeError, TypeError, RuntimeError):  # another version of the package
            return float("inf")
        return max(abs(score - other) for score, other in zip(scores, expected, strict=True))

    def by_embeddings(self, block: Sequence[Triple], batch: int) -> list[float]:
        """Score texts by embeddings, encoding each distinct text that is not in memory."""
        import torch

        texts = dict.fromkeys(text for triple in block for text in triple if text is not None)
        scores: list[float] = []
        with torch.inference_mode():
            self._encode(list(texts), batch)
            matrix = torch.stack([self._embeddings[text] for text in texts])
            rows = {text: row for row, text in enumerate(texts)}
            for start in range(0, len(block), ROWS):
                part = block[start : start + ROWS]
                source, output, reference = (
                    None if part[0][i] is None else matrix[[rows[str(t[i])] for t in part]]
                    for i in range(3)
                )
                scores += self._estimate(source, output, reference).view(-1).float().tolist()
        return scores

    def _estimate(self, source: Any, output: Any, reference: Any) -> Any:
        """Return the scores of rows of embeddings."""
        if reference is not None:
            return self.model.estimate(source, output, reference).score
        import torch

        product, distance = output * source, torch.abs(output - source)
        return self.model.estimator(torch.cat((output, source, product, distance), dim=1))

    def _encode(self, texts: Sequence[str], batch: int) -> None:
        """Add the embeddings of texts; texts of similar length share a batch."""
        known = self._embeddings
        missing = sorted((text for text in texts if text not in known), key=len)
        if len(known) + len(missing) > MOST_EMBEDDINGS:
            self._embeddings = known = {text: known[text] for text in texts if text in known}
        self.model.to("cuda" if self.on_gpu else "cpu")
        for start in range(0, len(missing), batch):
            part = missing[start : start + batch]
            sample = self.model.encoder.prepare_sample(part)
            inputs = (
                sample[name].to(self.model.device) for name in ("input_ids", "attention_mask")
            )
            known.update(zip(part, self.model.get_sentence_embedding(*inputs), strict=True))


@lru_cache(maxsize=2)
def _load(path: Path, is_half: bool, device: str) -> _Model:
    """Import COMET and load a checkpoint."""
    # Both model and encoder are on this machine; asking the hub would take minutes offline.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import torch
    from comet import load_from_checkpoint

    for name in ("pytorch_lightning", "pytorch_lightning.utilities.rank_zero", "comet"):
        logging.getLogger(name).setLevel(logging.ERROR)
    on_gpu = device != "cpu"
    if on_gpu and not torch.cuda.is_available():
        raise RuntimeError(f"torch does not see the GPU ({device}); use device=cpu")
    model = load_from_checkpoint(str(path), local_files_only=True)
    model.eval()
    return _Model(model.half() if is_half else model, on_gpu=on_gpu, is_half=is_half)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep warnings of the packages from standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
