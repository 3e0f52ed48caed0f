"""Numbers of results as text."""

from __future__ import annotations


def between(low: float, high: float, digits: int = 0) -> str:
    """Format a range of shares in percent, or one share if both round alike."""
    first, last = (f"{100 * share:.{digits}f}" for share in (low, high))
    return f"{first} %" if first == last else f"{first} to {last} %"


def percent(share: float) -> str:
    """Format a share in percent."""
    return f"{100 * share:.1f} %"
