"""What a run found: plain values that a table or JSON can be made of."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """A peer's time beside truebleu's, in seconds.

    Attributes:
        name: what ``--only`` calls it.
        what: the work.
        peer: whose time it is.
        peer_seconds: None where the peer is not there or its scores are others.
        seconds: truebleu's time.
        bar: how many times as fast truebleu should be at least.
        note: what must be known to read the numbers.
        problem: why there are no numbers.
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
        """The times of a race in which the peer is called "peer"."""
        return cls(peer_seconds=times["peer"], seconds=times[ours], **facts)

    @property
    def ratio(self) -> float | None:
        """How many times as long the peer takes."""
        if self.peer_seconds is None or self.seconds is None:
            return None
        return self.peer_seconds / self.seconds

    @property
    def met(self) -> bool | None:
        """Whether the bar is met; None where there is nothing to say."""
        if self.bar is None or self.ratio is None:
            return None
        return self.ratio >= self.bar

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "ratio": self.ratio, "met": self.met}


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The peak memory of a process of its own, in bytes.

    Attributes:
        name: what ``--only`` calls it.
        what: the work.
        text: the size of the texts that are scored.
        before: the peak before scoring, when lists of lines have been read already.
        peak: the peak at the end.
        bar: what the peak should not exceed.
    """

    name: str
    what: str
    text: int
    before: int
    peak: int
    bar: int

    @property
    def met(self) -> bool:
        """Whether the peak is within the bar."""
        return self.peak <= self.bar

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**asdict(self), "met": self.met}
