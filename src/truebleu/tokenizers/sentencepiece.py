"""Pieces by a SentencePiece model that is on disk; nothing is ever downloaded."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING

from truebleu.errors import MissingExtraError, UnreadableFileError
from truebleu.tokenizers.external import ExternalTokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

# The file names under which sacreBLEU keeps the published models.
FILE_NAMES = {
    "flores101": "sacrebleu_tokenizer_spm.model",
    "flores200": "flores200sacrebleuspm",
    "spBLEU-1K": "spbleu-1k_tokenizer_spm.model",
}


def from_known_model(name: str) -> ExternalTokenizer:
    """The tokenizer of a published model, by its name; ``spm`` is an old name of flores101."""
    known = "flores101" if name == "spm" else name
    places = [os.path.join(folder, FILE_NAMES[known]) for folder in model_folders()]
    for path in places:
        if os.path.isfile(path):
            return ExternalTokenizer.remembering(known, _pieces(path))
    reason = (
        f"no model for the tokenizer {name!r} here, nor in {', '.join(places[1:])}; "
        "put it there, or name the file: tokenize=spm:PATH"
    )
    raise UnreadableFileError(places[0], reason)


def from_path(path: str) -> ExternalTokenizer:
    """The tokenizer of any model file; the signature has the file's digest, since names can lie."""
    try:
        with open(path, "rb") as file:
            digest = sha256(file.read()).hexdigest()
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise UnreadableFileError(path, f"{reason}; expected a SentencePiece model") from error
    return ExternalTokenizer.remembering(f"spm-{digest[:12]}", _pieces(path))


def model_folders() -> list[str]:
    """Where models are looked for: TRUEBLEU_MODELS, then where sacreBLEU downloads to."""
    home = os.path.expanduser("~")
    folders = [os.environ.get("TRUEBLEU_MODELS") or os.path.join(home, ".truebleu", "models")]
    sacrebleu = os.environ.get("SACREBLEU") or os.path.join(home, ".sacrebleu")
    return [*folders, os.path.join(sacrebleu, "models")]


def _pieces(path: str) -> Callable[[str], str]:
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError as error:
        raise MissingExtraError("a SentencePiece tokenizer", "spm") from error
    processor = SentencePieceProcessor()
    try:
        processor.Load(path)
    except (OSError, RuntimeError) as error:
        raise UnreadableFileError(path, "not a SentencePiece model") from error

    def pieces(line: str) -> str:
        return " ".join(processor.EncodeAsPieces(line))

    return pieces
