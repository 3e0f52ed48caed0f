"""Models on this machine: checkpoints by path, and the cache of the Hugging Face hub.

Nothing is downloaded. The cache is checked before a program starts: the program itself would hide
the reason for its failure, or retry for minutes without a network.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from truebleu.errors import RefusedError, SettingError

# Models whose licence must be accepted on their page before they can be fetched.
_GATED = re.compile(r"Unbabel/(.*kiwi.*|XCOMET.*)", re.IGNORECASE)
_TOKENIZERS = ("tokenizer.json", "*.model", "vocab.txt", "vocab.json")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint of COMET on this machine.

    Attributes:
        path: file of the weights.
        name: name of the model.
        revision: commit of the hub, or the first digits of the file's SHA-256.
        kind: class of the model, such as regression_metric.
        uses_references: True if the model scores against a reference.
    """

    path: Path
    name: str
    revision: str
    kind: str
    uses_references: bool


def hub_folder() -> Path:
    """Return the folder of the hub's cache, as huggingface_hub chooses it."""
    environ = os.environ
    cache = environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    home = environ.get("HF_HOME") or os.path.join(cache, "huggingface")
    hub = environ.get("HF_HUB_CACHE") or environ.get("HUGGINGFACE_HUB_CACHE")
    return Path(os.path.expandvars(hub or os.path.join(home, "hub"))).expanduser()


def find_snapshot(name: str, revision: str = "") -> Path | None:
    """Return the folder of a model's files in the hub's cache, or None.

    Args:
        name: name of the model, such as Unbabel/wmt22-comet-da.
        revision: branch, tag or beginning of a commit; by default main.
    """
    folder = hub_folder() / ("models--" + name.replace("/", "--"))
    reference = folder / "refs" / (revision or "main")
    if reference.is_file():
        revision = reference.read_text(encoding="utf-8").strip()
    return next(iter(sorted(folder.glob(f"snapshots/{revision}*"))), None) if revision else None


def require_model(metric: str, name: str, revision: str = "", *, weights: bool = True) -> Path:
    """Return the folder of a model's files; raises RefusedError with the command that fetches them.

    Args:
        metric: name of the metric in messages.
        name: name of the model in the hub, or a folder.
        revision: revision of the model.
        weights: False if only its configuration and tokenizer are needed.
    """
    folder = Path(name) if os.path.isdir(name) else find_snapshot(name, revision)
    has_tokenizer = folder is not None and any(any(folder.glob(at)) for at in _TOKENIZERS)
    if folder is None or not (folder / "config.json").is_file() or not (weights or has_tokenizer):
        only = "" if weights else ' --include "*.json" "*.model" "*.txt"'
        raise RefusedError(_how_to_fetch(metric, name, revision, only))
    return folder


def find_checkpoint(metric: str, model: str, revision: str = "") -> Checkpoint:
    """Find a checkpoint of COMET and its encoder.

    Raises RefusedError with the command that fetches the missing files.

    Args:
        metric: name of the metric in messages.
        model: name of a model in the hub, or a file that ends in .ckpt.
        revision: revision of a model in the hub; by default main.
    """
    if model.endswith(".ckpt"):
        path = Path(model)
        if revision:
            raise SettingError("revision", revision, "no revision with a file as model")
        if not path.is_file():
            raise RefusedError(f"{metric}: {model}: no such checkpoint")
        folder = path.absolute().parent.parent
        name, version = folder.name, f"sha256-{_digest(str(path), path.stat().st_mtime_ns)[:12]}"
    else:
        snapshot = find_snapshot(model, revision)
        if snapshot is None or not (snapshot / "checkpoints" / "model.ckpt").is_file():
            raise RefusedError(_how_to_fetch(metric, model, revision))
        folder, name, version = snapshot, model, snapshot.name
        path = folder / "checkpoints" / "model.ckpt"
    file = folder / "hparams.yaml"
    try:
        settings = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        needed = f"no such file, which COMET needs two levels above {path.name}"
        raise RefusedError(f"{metric}: {file}: {needed}") from None
    kind, encoder = _value(settings, "class_identifier"), _value(settings, "pretrained_model")
    if encoder:
        require_model(f"{metric}: {model}: its encoder", encoder, weights=False)
    segments = re.search(r"^input_segments:((\n?[ -]+\w+)+|.*)", settings, re.MULTILINE)
    reads_no_reference = kind == "unified_metric" and segments and "ref" not in segments.group()
    uses_references = not reads_no_reference and kind != "referenceless_regression_metric"
    return Checkpoint(path, name, version, kind, uses_references)


@lru_cache(maxsize=8)
def _digest(path: str, _modified: int) -> str:
    """Return the SHA-256 of a file."""
    digest = sha256()
    with open(path, "rb") as stream:
        while block := stream.read(1 << 22):
            digest.update(block)
    return digest.hexdigest()


def _value(settings: str, key: str) -> str:
    """Return a plain value of a YAML file, or an empty text."""
    found = re.search(rf"^{key}:[ ]*(.*?)[ ]*$", settings, re.MULTILINE)
    return "" if found is None else found[1].strip("'\"")


def _how_to_fetch(metric: str, name: str, revision: str, only: str = "") -> str:
    """Return a sentence with the command that fetches a model."""
    if os.sep in name and not re.fullmatch(r"[\w.-]+/[\w.-]+", name):
        return f"{metric}: {name}: no such model; expected a name such as ORG/NAME, or FILE.ckpt"
    at = f" --revision {revision}" if revision else ""
    page = f"https://huggingface.co/{name}"
    gate = f" (accept its licence at {page} and log in with hf auth login before)"
    return (
        f"{metric}: {name} is not on this machine, in {hub_folder()}; fetch it with: hf download "
        f"{name}{at}{only}{gate if _GATED.fullmatch(name) else ''}"
    )
