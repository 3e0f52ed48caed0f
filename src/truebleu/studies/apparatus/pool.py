"""A pool: a test set counted once, of which studies take samples, and whose score is the truth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from truebleu.corpus.fingerprint import fingerprint
from truebleu.errors import SettingError
from truebleu.inference.counted import count_all
from truebleu.metrics.registry import as_metrics
from truebleu.resampling import Units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.inference.counted import Counted
    from truebleu.metrics.metric import Metric

PoolUnit = Literal["segment", "document"]


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The counts of all units of a test set by every metric.

    Statistics that depend on the whole text, such as NIST's information, are those of the pool.

    Attributes:
        names: the systems' names.
        counted: the counts of each metric, shaped (unit, system, column).
        unit: what samples are made of: segments or whole documents.
        segments_per_unit: how many segments a unit has on average.
        outline: what the results say about the texts: sizes, names, fingerprints, signatures.
    """

    names: tuple[str, ...]
    counted: tuple[Counted, ...]
    unit: PoolUnit
    segments_per_unit: float
    outline: dict[str, Any]

    @classmethod
    def of(
        cls, test_set: TestSet, metrics: Sequence[str | Metric], unit: PoolUnit = "segment"
    ) -> Pool:
        """Count a test set; every metric reads the texts once."""
        parsed = as_metrics(metrics)
        units = _units(test_set, unit)
        references = test_set.references_per_segment
        outline = {
            "test_set": test_set.to_dict(),
            "systems": list(test_set.systems),
            "unit": unit,
            "metrics": [str(one.signature.with_references(references)) for one in parsed],
            "references": fingerprint(test_set.references),
            "outputs": fingerprint(list(test_set.systems.values())),
        }
        counted = tuple(count_all(test_set, parsed, units))
        return cls(tuple(test_set.systems), counted, unit, len(test_set) / len(units), outline)

    def __len__(self) -> int:
        """The number of units."""
        return len(self.counted[0].rows)

    def take(self, sample: NDArray[np.int64]) -> list[Counted]:
        """The counts of a sample's units; a unit drawn twice counts twice."""
        return [replace(one, rows=np.ascontiguousarray(one.rows[sample])) for one in self.counted]

    def only(self, systems: Sequence[int]) -> Pool:
        """The pool of some of its systems; the outline stays that of all texts."""
        chosen = list(systems)
        return replace(
            self,
            names=tuple(self.names[system] for system in chosen),
            counted=tuple(
                replace(one, rows=np.ascontiguousarray(one.rows[:, chosen])) for one in self.counted
            ),
        )

    def require_systems(self, fewest: int) -> None:
        """Refuse fewer systems than a study needs."""
        if len(self.names) < fewest:
            expected = f"at least {fewest} to compare"
            raise SettingError("systems", len(self.names), expected)


def _units(test_set: TestSet, unit: PoolUnit) -> Units:
    if unit == "segment":
        return Units.segments(len(test_set))
    if test_set.documents is None:
        raise SettingError("unit", "document", "a test set with documents; see --documents")
    return Units.documents(test_set.documents)
