"""Student's quantile against SciPy's."""

from __future__ import annotations

import pytest
from scipy import stats

from truebleu.significance.intervals import MANY, student_quantile


@pytest.mark.parametrize("degrees", [*range(1, MANY + 3), 99, 200, 999, 100_000])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99, 0.9999])
def test_students_quantile_is_scipys(degrees: int, level: float) -> None:
    expected = stats.t.ppf((1 + level) / 2, degrees)
    assert student_quantile(level, degrees) == pytest.approx(expected, rel=1e-6)
