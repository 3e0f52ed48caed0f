"""Why a command line ends without a score."""

from __future__ import annotations

# sacreBLEU's exit statuses.
FAILURE = 1
BAD_COLUMNS = 17


class RefusedError(Exception):
    """A run that cannot go on, with the reason and the exit status."""

    def __init__(self, reason: str, code: int = FAILURE) -> None:
        super().__init__(reason)
        self.code = code
