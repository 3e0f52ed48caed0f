"""Numbers of results, in the words of a page."""

from __future__ import annotations


def between(low: float, high: float, digits: int = 0) -> str:
    """Two shares as percents; one where they are the same when rounded."""
    first, last = (f"{100 * share:.{digits}f}" for share in (low, high))
    return f"{first} %" if first == last else f"{first} to {last} %"


def percent(share: float) -> str:
    """A share in percent."""
    return f"{100 * share:.1f} %"
