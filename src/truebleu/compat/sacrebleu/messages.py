"""Hints to the user, through the logger that sacreBLEU's users know how to silence."""

from __future__ import annotations

LOGGER = "sacrebleu"


def warn(message: str) -> None:
    """Log a warning."""
    # Most runs have nothing to say, and importing this takes longer than scoring a segment.
    import logging

    logging.getLogger(LOGGER).warning(message)
