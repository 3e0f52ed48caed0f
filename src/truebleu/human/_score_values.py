"""Single values of a table of scores: what counts as a number, as missing and as a place."""

from __future__ import annotations

from math import isfinite

#: What stands for a score that is missing; case does not matter.
NOTHING = frozenset({"", "none", "na", "n/a", "null"})
#: Judgments in words, as the numbers that they count as; case does not matter.
JUDGMENTS = {
    "true": 1.0,
    "correct": 1.0,
    "right": 1.0,
    "yes": 1.0,
    "false": 0.0,
    "wrong": 0.0,
    "incorrect": 0.0,
    "no": 0.0,
}


class NotAScoreError(ValueError):
    """A value that is no score; the message says what was expected."""


def parse_score(value: object) -> float | None:
    """A score, None where it is missing.

    >>> parse_score("-0.000000"), parse_score("None")
    (0.0, None)

    Raises:
        NotAScoreError: When the value is neither a finite number nor a word that stands for one.
    """
    if value is None:
        return None
    if isinstance(value, str):
        word = value.strip().lower()
        if word in NOTHING:
            return None
        if word in JUDGMENTS:
            return JUDGMENTS[word]
    try:
        # What counts as a number is what float takes, but for Python's 1_000.
        number = float(value) if "_" not in str(value) else None  # type: ignore[arg-type]
    except (ValueError, TypeError, OverflowError):
        number = None
    if number is None:
        raise NotAScoreError("a number, or None where the score is missing")
    if not isfinite(number):
        raise NotAScoreError("a finite number; write a missing score as None")
    # Published MQM scores have -0.000000: adding 0 makes it 0.
    return number + 0.0


def whole_number(value: object) -> int | None:
    """A whole number such as that of a segment; None where the value is anything else.

    >>> whole_number("12"), whole_number(12.0), whole_number("a")
    (12, 12, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    text = str(value)
    try:
        return int(text) if "_" not in text else None
    except ValueError:
        return None


def digest(data: bytes) -> str:
    """The start of the SHA-256 of what was read."""
    from hashlib import sha256

    return sha256(data).hexdigest()[:12]
