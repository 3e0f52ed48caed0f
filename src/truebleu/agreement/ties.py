"""The tie threshold with which a metric agrees best with people (Deutsch et al. 2023, §4).

Candidates are 0 and every difference of two metric scores in a group. The accuracy with ties is
taken at each of them, averaged over groups, and the smallest candidate with the largest mean is the
result. It is chosen on the very data that it is reported on, so the accuracy flatters every metric.

The search is exact: accuracies are compared as whole numbers of pairs, not as rounded quotients.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from truebleu import _core
from truebleu.agreement.coefficients import Grouping, as_cells, require_grouping

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from truebleu.significance._checks import Values


__all__ = ["TieCalibration", "calibrate_ties"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TieCalibration:
    """The best threshold, and what is to be known of it.

    Attributes:
        epsilon: pairs whose scores differ by no more are tied. All digits matter: with fewer of
            them it may fall below the difference that it is.
        below: every threshold from epsilon up to, but not including, this one gives the same
            accuracy; None where all larger ones do.
        unique: no threshold from `below` on gives it too.
        degenerate: calling every pair a tie is as accurate as the metric with its threshold.
        accuracy: the largest mean accuracy.
        human_ties: the mean share of pairs that people tie: the accuracy of calling all a tie.
        groups: how many groups were averaged.
    """

    epsilon: float
    below: float | None
    unique: bool
    degenerate: bool
    accuracy: float
    human_ties: float
    groups: int

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, in sentences."""
        notes = []
        if self.degenerate:
            notes.append(
                "the best tie threshold is no better than calling every pair a tie: the accuracy "
                f"is the share of pairs that people tie ({self.human_ties:.1%}), and tells nothing "
                "about the metric"
            )
        if not self.unique:
            notes.append(
                "several separate tie thresholds are equally good; the smallest is reported"
            )
        return tuple(notes)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "notes": list(self.notes)}


def calibrate_ties(
    human: ArrayLike, metric: ArrayLike, *, grouping: Grouping = "item", micro: bool = False
) -> TieCalibration | None:
    """The tie threshold of a metric; None where no group has two rated cells.

    Args:
        human: scores shaped (system, item), NaN where nobody rated.
        metric: scores of the same shape, higher for better.
        grouping: which cells make pairs; "item" in WMT 2023 to 2025.
        micro: weigh each group by its cells.

    >>> calibrate_ties([[0], [0], [0], [-5]], [[80], [81], [79], [60]]).epsilon
    2.0
    """
    require_grouping(grouping)
    return calibrate_cells(*as_cells(human, metric), grouping=grouping, micro=micro)


def calibrate_cells(
    human: Values, metric: Values, *, grouping: Grouping, micro: bool
) -> TieCalibration | None:
    """As `calibrate_ties`, of matrices that were checked."""
    calibration = _core.calibrated_ties(human, metric, grouping=grouping, micro=micro)
    if calibration is None:
        return None
    epsilon, accuracy, groups, human_ties, below, unique, degenerate = calibration
    return TieCalibration(
        epsilon=epsilon,
        below=below,
        unique=unique,
        degenerate=degenerate,
        accuracy=accuracy,
        human_ties=human_ties,
        groups=groups,
    )
