"""What is said of the conclusions of tests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from truebleu.reports.document import Table
from truebleu.simulation import simulate
from truebleu.studies import study_accuracy, study_power, study_type_one

if TYPE_CHECKING:
    from truebleu.corpus import TestSet
    from truebleu.reports.document import Row
    from truebleu.studies._study import StudyResult
    from truebleu.studies.power import AccuracyBand, AccuracyResult


def said(result: StudyResult) -> tuple[str, ...]:
    return result.to_document().sentences


def test_copies_never_differ_significantly() -> None:
    texts = simulate(segments=20, systems=[0.2])
    copies = replace(texts, systems=dict.fromkeys("ab", texts.systems["system-1"]))
    result = study_type_one(copies, repetitions=50, replicates=99, alphas=[0.2])
    assert {row.rejected.value for row in result.rows} == {0.0}
    assert {row.verdict for row in result.rows} == {"too seldom"}
    assert said(result)[-1].endswith("by this metric the outputs do not differ.")


TEXTS = simulate(segments=200, systems=[0.3, 0.2, 0.1, 0.25], seed=3)


def test_cells_are_written_as_in_the_paper() -> None:
    result = study_power(TEXTS, sizes=[20, 60], samples=40, replicates=100)
    document = result.to_document()
    table = next(block for block in document.blocks if isinstance(block, Table))
    assert table.names[-2:] == ("size_20", "size_60")
    by_case: dict[tuple[object, ...], dict[int, Row]] = {}
    for row in document.data.rows:
        case = tuple(row[name] for name in ("metric", "test", "better", "worse"))
        by_case.setdefault(case, {})[int(row["size"] or 0)] = row
    assert len(table.rows) == len(by_case) == 2 * (5 + 1)
    cells = set()
    for shown in table.rows:
        case = tuple(shown[name] for name in ("metric", "test", "better", "worse"))
        for size, row in by_case[case].items():
            cell = str(shown[f"size_{size}"])
            numbers = [float(part.removesuffix(" %")) for part in cell.split("/")]
            assert len(numbers) == (2 if row["wrong"] else 1)
            for number, share in zip(numbers, (row["right"], row["wrong"]), strict=False):
                assert isinstance(share, float)
                assert number == pytest.approx(100 * share, abs=0.5)
            cells.add(len(numbers))
    assert cells == {1, 2}


def tied() -> TestSet:
    first, second = TEXTS.systems["system-1"], TEXTS.systems["system-2"]
    return replace(TEXTS, systems={"a": first, "copy": first, "c": second})


def test_where_all_tie_nothing_is_found() -> None:
    result = study_power(tied(), pairs=[("a", "copy")], sizes=[30], samples=5, replicates=50)
    assert [sentence.split(": ")[1] for sentence in said(result)[:2]] == [
        "no pair differs in the pool."
    ] * 2
    assert [row.right for row in result.rows] == [None, None]
    assert result.means == ()


def test_a_metric_without_direction_says_which_system_has_more() -> None:
    result = study_power(TEXTS, ["length"], tests=("ar",), sizes=[20], samples=5, replicates=50)
    assert any("has no better or worse" in sentence for sentence in said(result))


def bands_of(result: AccuracyResult) -> list[AccuracyBand]:
    return [band for row in result.rows for band in row.bands]


def test_ties_are_left_out_and_said() -> None:
    result = study_accuracy(tied(), tests=("ar",), sizes=[30], samples=10, replicates=100)
    assert sum(band.conclusions for band in bands_of(result)) == 20
    assert any("a and copy tie in the pool" in sentence for sentence in said(result))
    only = study_accuracy(
        tied(), tests=("ar",), pairs=[("a", "copy")], sizes=[30], samples=10, replicates=100
    )
    assert bands_of(only) == []
    assert "BLEU, approximate randomization: there is no conclusion to judge." in said(only)
