"""Tables of systems and scores: the first column to the right, the others centred."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Cells = Sequence[str]

LATEX_ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "#$%&_{}"}
    | {"<": r"\ensuremath{<}", ">": r"\ensuremath{>}"}
    | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\textasciitilde{}"}
)


def grid(header: Cells, rows: Sequence[Cells], paint: Callable[[str], str] = str) -> str:
    """A table drawn with lines.

    >>> print(grid(["System", "BLEU"], [["mine", "30.1"], ["yours", "9.8"]]))
    ╒══════════╤════════╕
    │   System │  BLEU  │
    ╞══════════╪════════╡
    │     mine │  30.1  │
    ├──────────┼────────┤
    │    yours │  9.8   │
    ╘══════════╧════════╛

    Args:
        header: the names of the columns.
        rows: the cells, row by row.
        paint: what to do to the names after their width has been measured, such as colouring them.
    """
    widths = _widths(header, rows)

    def rule(left: str, line: str, between: str, right: str) -> str:
        return left + between.join(line * (width + 2) for width in widths) + right

    def draw(cells: list[str]) -> str:
        return "│" + "│".join(cells) + "│"

    names = zip(_aligned(header, widths), header, strict=True)
    lines = [
        rule("╒", "═", "╤", "╕"),
        draw([cell.replace(name, paint(name)) for cell, name in names]),
    ]
    above = rule("╞", "═", "╪", "╡")
    for row in rows:
        lines += [above, draw(_aligned(row, widths))]
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
    """Of each column: its widest cell, or its name with a space on both sides."""
    columns = zip(header, *rows, strict=True)
    return [max(len(name) + 2, *map(len, cells)) for name, *cells in columns]


def _aligned(cells: Cells, widths: list[int]) -> list[str]:
    first, *others = zip(cells, widths, strict=True)
    centred = (f" {cell:^{width}} " for cell, width in others)
    return [f" {first[0]:>{first[1]}} ", *centred]
