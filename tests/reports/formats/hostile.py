"""A result whose names and sentences attack every format, and what must not come through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from truebleu._results import Result
from truebleu.reports import document as blocks

ATTACKS = (
    "\x1b[31mred\x1b]8;;https://example.org\x07",
    "\u202eevil\u2066",
    "line\nbreak\r\ttab\x85next\u2028end",
    "\\input{/etc/passwd}",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "=HYPERLINK(1)",
    "+1",
    "-1+1",
    "@sum",
    "a|b`c`*d*_e_[f](g)",
    "100 % & #1 {x} $y$ ~ ^",
    "nul\x00byte",
    "::error::stop, ::warning::x",
    "a ##[error]b ##vso[task.complete]c",
)


@dataclass(frozen=True, slots=True)
class Hostile(Result):
    """Has the attack in every place where a text from a file can come to stand."""

    REPORT: ClassVar[str] = "tests.reports.formats.hostile"

    attack: str

    def facts(self) -> dict[str, Any]:
        return {"version": 1, "name": self.attack}


def document(result: Hostile) -> blocks.Document:
    attack = result.attack
    table = blocks.Table(
        (blocks.Column("system", "System"), blocks.Column("n", attack, digits=1)),
        ({"system": attack, "n": -1.25}, {"system": "plain", "n": None}),
        notes=(attack,),
    )
    chart = blocks.Chart(title=attack, table=table, plot=blocks.Plot("point", "system", "n"))
    return blocks.Document(
        (
            blocks.Heading(attack),
            table,
            blocks.Sentences((attack,)),
            blocks.Notes((attack,)),
            chart,
        ),
        table,
    )
