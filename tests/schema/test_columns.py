"""Fields of results as columns, for people and for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

from truebleu.reports.document import p_equals
from truebleu.schema import Column, columns_of, row_of


@dataclass(frozen=True)
class Pair:
    a: str
    difference: Annotated[float, Column(heading="Difference", digits=2, sign=True)]
    interval: tuple[float, float]
    wide_interval: tuple[float, float] | None = None
    p: Annotated[float | None, Column(digits=4)] = None


def test_a_field_says_how_it_is_shown_and_what_programs_call_it() -> None:
    columns = columns_of(Pair)
    assert columns["difference"].heading == "Difference"
    assert columns["difference"].cell(1.006) == "+1.01"
    assert (columns["p"].name, columns["p"].heading) == ("p", "p")
    assert row_of(Pair("x", 1.0, (0.5, 1.5))) == {
        "a": "x", "difference": 1.0, "low": 0.5, "high": 1.5, "wide_low": None, "wide_high": None,
        "p": None,
    }  # fmt: skip


@pytest.mark.parametrize(("p", "cell"), [(0.00009999, "< 0.0001"), (0.0001, "0.0001")])
def test_a_small_p_is_the_same_in_a_table_and_in_a_sentence(p: float, cell: str) -> None:
    assert Column("p_adjusted", digits=4).cell(p) == cell
    assert p_equals("p", p) == ("p < 0.0001" if p < 0.0001 else "p = 0.0001")
