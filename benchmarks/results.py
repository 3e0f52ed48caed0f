"""Results of a run, as plain values for a table or JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """Times of a peer and of truebleu, in seconds.

    Attributes:
        name: what ``--only`` calls it.
        what: description of the work.
        peer: name of the peer.
        peer_seconds: time of the peer, or None if it is missing or its scores differ.
        seconds: time of truebleu.
        bar: smallest target speedup of truebleu.
        note: what must be known to read the numbers.
        problem: reason for missing numbers.
    """

    name: str
    what: str
    peer: str
    peer_seconds: float | None = None
    seconds: float | None = None
    bar: float | None = None
    note: str = ""
    problem: str = ""

    @classmethod
    def raced(cls, times: Mapping[str, float], ours: str = "ours", **facts: Any) -> Speed:
        """Make a row from a race whose peer is called "peer"."""
        return cls(peer_seconds=times["peer"], seconds=times[ours], **facts)

    @property
    def ratio(self) -> float | None:
        """Time of the peer divided by truebleu's."""
        if self.peer_seconds is None or self.seconds is None:
            return None
        return self.peer_seconds / self.seconds

    @property
    def met(self) -> bool | None:
        """True if the target is met; None if it is unknown."""
        if self.bar is None or self.ratio is None:
            return None
        return self.ratio >= self.bar

    def to_dict(self) -> dict[str, Any]:
        """Return built-in values for JSON."""
        return {**asdict(self), "ratio": self.ratio, "met": self.met}


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Peak memory of a separate process, in bytes.

    Attributes:
        name: what ``--only`` calls it.
        what: description of the work.
        text: size of the texts.
        before: peak before scoring, after reading lists of lines.
        peak: peak at the end.
        bar: limit of the peak.
    """

    name: str
    what: str
    text: int
    before: int
    peak: int
    bar: int

    @property
    def met(self) -> bool:
        """True if the peak is within the limit."""
        return self.peak <= self.bar

    def to_dict(self) -> dict[str, Any]:
        """Return built-in values for JSON."""
        return {**asdict(self), "met": self.met}
