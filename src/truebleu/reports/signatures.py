"""Signatures of metrics, with a line for what was chosen for the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truebleu.metrics.base import Signature


def signature_lines(signatures: Iterable[Signature]) -> list[str]:
    """Each signature, and then which tokenizers were chosen and why."""
    listed = list(signatures)
    return [*dict.fromkeys(map(str, listed)), *chosen_lines(listed)]


def chosen_lines(signatures: Iterable[Signature]) -> list[str]:
    """A line for each tokenizer that was chosen for the script of the references."""
    return list(
        dict.fromkeys(
            f"tokenizer {signature['tok']} chosen for {signature.script} references; "
            "set tokenize=… to choose another"
            for signature in signatures
            if signature.script is not None
        )
    )
