"""Tables of systems and scores: the first column to the right, the others centred."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    Cells = Sequence[str]

LATEX_ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "#$%&_{}"}
    | {"<": r"\ensuremath{<}", ">": r"\ensuremath{>}"}
    | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\textasciitilde{}"}
)

COLOUR = re.compile(r"\x1b\[[0-9]+m")


def grid(header: Cells, rows: Sequence[Cells]) -> str:
    """A table drawn with lines; cells may be coloured, and have several lines.

    >>> print(grid(["System", "BLEU"], [["mine", "30.1"], ["yours", "9.8"]]))
    ╒══════════╤════════╕
    │   System │  BLEU  │
    ╞══════════╪════════╡
    │     mine │  30.1  │
    ├──────────┼────────┤
    │    yours │  9.8   │
    ╘══════════╧════════╛
    """
    widths = _widths(header, rows)

    def rule(left: str, line: str, between: str, right: str) -> str:
        return left + between.join(line * (width + 2) for width in widths) + right

    def draw(cells: list[str]) -> str:
        return "│" + "│".join(cells) + "│"

    lines = [rule("╒", "═", "╤", "╕"), draw(_aligned(header, widths))]
    above = rule("╞", "═", "╪", "╡")
    for row in rows:
        lines.append(above)
        for cells in zip_longest(*(cell.split("\n") for cell in row), fillvalue=""):
            lines.append(draw(_aligned(cells, widths)))
        above = rule("├", "─", "┼", "┤")
    return "\n".join([*lines, rule("╘", "═", "╧", "╛")])


def booktabs(header: Cells, rows: Sequence[Cells]) -> str:
    r"""A table for LaTeX's booktabs.

    >>> print(booktabs(["System", "BLEU"], [["m_1", "30.1"]]))
    \begin{tabular}{rc}
    \toprule
       System &  BLEU  \\
    \midrule
          m\_1 &  30.1  \\
    \bottomrule
    \end{tabular}
    """
    widths = _widths(header, rows)

    def write(cells: Cells) -> str:
        # Escaped after aligning, so that a long escape pushes the cell out of its column.
        return "&".join(cell.translate(LATEX_ESCAPES) for cell in _aligned(cells, widths)) + r"\\"

    return "\n".join(
        [
            rf"\begin{{tabular}}{{r{'c' * (len(header) - 1)}}}",
            r"\toprule",
            write(header),
            r"\midrule",
            *(write(row) for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _widths(header: Cells, rows: Sequence[Cells]) -> list[int]:
    """Of each column: its widest line, or its name with a space on both sides."""
    columns = zip(header, *rows, strict=True)
    return [
        max(_width(name) + 2, *(_width(line) for cell in cells for line in cell.split("\n")))
        for name, *cells in columns
    ]


def _width(line: str) -> int:
    return len(COLOUR.sub("", line))


def _aligned(cells: Cells, widths: list[int]) -> list[str]:
    # What a terminal does not show takes no room.
    room = [width + len(cell) - _width(cell) for cell, width in zip(cells, widths, strict=True)]
    first, *others = zip(cells, room, strict=True)
    centred = (f" {cell:^{width}} " for cell, width in others)
    return [f" {first[0]:>{first[1]}} ", *centred]
