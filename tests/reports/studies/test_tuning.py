"""What is said of tuning by smoothed BLEU."""

from __future__ import annotations

from dataclasses import replace

from tests.nbest.small_lists import informative
from truebleu.studies.tuning import TuningResult, study_tuning


def studied() -> TuningResult:
    lists, references = informative(segments=12)
    return study_tuning(
        lists,
        [references],
        lists,
        [references],
        smoothings=("0", "2"),
        runs=2,
        epochs=2,
        replicates=50,
    )


def said(result: TuningResult) -> str:
    return " ".join(result.to_document().sentences)


def test_what_differs_is_named_by_its_direction() -> None:
    result = studied()
    none, other, mira = result.rows
    alike = replace(result, rows=(none, replace(other, p=0.5), replace(mira, p=0.5)))
    assert "No smoothing differs significantly from none" in said(alike)
    rows = (none, replace(other, p=0.01, difference=0.4), replace(mira, p=0.01, difference=-0.4))
    text = said(replace(result, rows=rows))
    assert "Significantly better than no smoothing: 2." in text
    assert "Significantly worse than no smoothing: mira." in text
