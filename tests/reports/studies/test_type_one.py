"""What is said of false alarms."""

from __future__ import annotations

from dataclasses import replace

from truebleu.simulation import simulate
from truebleu.studies.type_one import (
    TypeOneResult,
    study_type_one,
)


def said(result: TypeOneResult) -> tuple[str, ...]:
    return result.to_document().sentences


def test_copies_never_differ_significantly() -> None:
    one = simulate(segments=20, systems=[0.2])
    copies = replace(one, systems=dict.fromkeys("ab", one.systems["system-1"]))
    result = study_type_one(copies, repetitions=50, replicates=99, alphas=[0.2])
    assert {row.rejected.value for row in result.rows} == {0.0}
    assert {row.verdict for row in result.rows} == {"too seldom"}
    assert said(result)[-1].endswith("by this metric the outputs do not differ.")
