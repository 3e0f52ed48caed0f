"""The columns of the table of smoothings: who is best in each, and which pairs to test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

CORPUS = "crp"
NONE = "0"
# Of about the size of rounding in coefficients, which have the scale 1.
SAME = 1e-12


@dataclass(frozen=True, slots=True)
class Cell:
    """A value, or why there is none."""

    value: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A coefficient of the table.

    Attributes:
        name: in rows.
        symbol: what the paper calls it.
        coefficient: what it is called elsewhere.
        of_systems: whether it is of systems, where corpus BLEU has a value too.
    """

    name: str
    symbol: str
    coefficient: str
    of_systems: bool

    def heading(self, item: str) -> str:
        """What stands above it, where people judged such items."""
        return f"{'system' if self.of_systems else item} {self.symbol}"

    def best(self, values: Mapping[str, Cell]) -> tuple[str, ...]:
        """The smoothings with the largest value: several where they share it."""
        return _largest(smoothings(values))

    def next_best(self, values: Mapping[str, Cell]) -> tuple[str, ...]:
        """Those with the largest value below that."""
        best = self.best(values)
        rest = {label: value for label, value in smoothings(values).items() if label not in best}
        return _largest(rest)

    def tests(self, values: Mapping[str, Cell]) -> list[tuple[str, str]]:
        """Pairs to test, the one that may be better first.

        By segments each smoothing against none, for the column of p-values; the best against none,
        against the next best, and of systems against corpus BLEU.
        """
        defined = smoothings(values)
        best, following = self.best(values)[:1], self.next_best(values)[:1]
        others = list(following)
        if NONE in defined:
            others.append(NONE)
        if values[CORPUS].value is not None:
            others.append(CORPUS)
        pairs = [(label, other) for label in best for other in others if other != label]
        if not self.of_systems and NONE in defined:
            pairs = [(label, NONE) for label in defined if label != NONE] + pairs
        return list(dict.fromkeys(pairs))


SEGMENT = Column("tau", "τ", "chen-cherry", of_systems=False)
COLUMNS = (
    SEGMENT,
    Column("gamma", "γ", "pearson", of_systems=True),
    Column("rho", "ρ", "spearman", of_systems=True),
)


def smoothings(values: Mapping[str, Cell]) -> dict[str, float]:
    """The values of the smoothings that have one."""
    return {
        label: cell.value
        for label, cell in values.items()
        if label != CORPUS and cell.value is not None
    }


def _largest(values: Mapping[str, float]) -> tuple[str, ...]:
    most = max(values.values(), default=0.0)
    return tuple(label for label, value in values.items() if value >= most - SAME)
