"""Hints to the user, through the logger that sacreBLEU's users know how to silence."""

from __future__ import annotations

LOGGER = "sacrebleu"


def warn(message: str) -> None:
    """Log a warning."""
    # Most runs have nothing to say, and importing this takes longer than scoring a segment.
    import logging

    logging.getLogger(LOGGER).warning(message)


# Why a command line ends without a score.


# sacreBLEU's exit statuses.
FAILURE = 1
BAD_COLUMNS = 17


class RefusedError(Exception):
    """A run that cannot go on, with the reason and the exit status."""

    def __init__(self, reason: str, code: int = FAILURE) -> None:
        super().__init__(reason)
        self.code = code
