"""LaTeX tables in the style of booktabs; sentences and notes are comments.

The output is ASCII, and compiles with pdfLaTeX, XeLaTeX and LuaLaTeX: letters with accents become
commands, Greek letters and signs mathematics, and characters that fonts of pdfLaTeX lack their
number, such as [U+4E2D].
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import combining, normalize

from truebleu.reports.document import Heading, Notes, Sentences, Table, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from truebleu.reports.document import Column, Document, Renderable, Row

# A character, then its command, in mathematics and in text.
SIGNS_AND_COMMANDS = r"""
    −- ±\pm ≥\geq ≤\leq ≠\neq ≈\approx ×\times ·\cdot ∞\infty √\surd →\rightarrow ←\leftarrow
    ↑\uparrow ↓\downarrow †\dagger ‡\ddagger °^{\circ} ∆\Delta << >>
    α\alpha β\beta γ\gamma δ\delta ε\epsilon ζ\zeta η\eta θ\theta ι\iota κ\kappa λ\lambda μ\mu ν\nu
    ξ\xi π\pi ρ\rho ς\varsigma σ\sigma τ\tau υ\upsilon φ\phi χ\chi ψ\psi ω\omega Γ\Gamma Δ\Delta
    Θ\Theta Λ\Lambda Ξ\Xi Π\Pi Σ\Sigma Υ\Upsilon Φ\Phi Ψ\Psi Ω\Omega
"""
# Letters that pdfLaTeX's own encoding lacks, and Greek ones that look like Latin ones, have similar
# letters.
LETTERS_AND_COMMANDS = r"""
    \\textbackslash{} ~\textasciitilde{} ^\textasciicircum{} |\textbar{} &\& %\% $\$ #\# _\_ {\{ }\}
    –-- —--- ‘` ’' “`` ”'' „,, …\ldots{} ⁄/ §\S{} ©\copyright{}
    ß\ss{} æ\ae{} Æ\AE{} œ\oe{} Œ\OE{} ø\o{} Ø\O{} ł\l{} Ł\L{} ı\i{} đd ĐD ðd ÐD þth ÞTh
    ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΧX οo
"""
SIGNS = {pair[0]: pair[1:] for pair in SIGNS_AND_COMMANDS.split()}
SPECIAL = {
    **{pair[0]: pair[1:] for pair in LETTERS_AND_COMMANDS.split()},
    **{character: f"${sign}$" for character, sign in SIGNS.items()},
    "\u00a0": "~",
}
# Commands for accents; letters with other marks, such as the ogonek, lose them.
ACCENTS = dict(
    zip(
        "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0323\u0327",
        "`'^~=u.\"rHvdc",
        strict=True,
    )
)
# A hyphen before a number is a minus sign.
MINUS = re.compile(r"(?<![\w.-])-(?=\d)")


def render(document: Document, _result: Renderable | None = None) -> str:
    """Render each table as a tabular environment, and all other blocks as comments."""
    parts = []
    for block in document.blocks:
        if isinstance(block, Heading):
            parts.append(_comments([block.text]))
        elif isinstance(block, Sentences | Notes) and block.lines:
            parts.append(_comments(block.lines))
        elif isinstance(block, Table):
            parts.append(_tabular(block.paper or block))
    return "\n\n".join(parts) + "\n"


def _comments(lines: Iterable[str]) -> str:
    """Write lines in ASCII: commands for accents and signs, other characters unchanged."""
    texts = (_joined(c if c.isascii() else _letter(c) for c in one_line(line)) for line in lines)
    return "\n".join(f"% {text}" for text in texts)


def _tabular(table: Table) -> str:
    notes = [_comments(table.notes)] if table.notes else []
    if not table.rows:
        return "\n".join(notes)
    numeric = [table.is_numeric(column) for column in table.columns]
    heading = _row([_cell(column.heading) for column in table.columns])
    columns = list(zip(table.columns, numeric, strict=True))
    rows: list[str] = []
    for row in table.rows:
        if rows and table.rule is not None and row.get(table.rule):
            rows.append("\\midrule")
        rows.append(_row([_table_cell(row, column, numeric=number) for column, number in columns]))
    # Small print and close columns, so that a dozen systems by three metrics fit a column; a table
    # with marks has room for them.
    form = "".join("r" if number else "l" for number in numeric)
    before, after = [r"\begingroup\small\setlength{\tabcolsep}{4pt}%"], [r"\endgroup"]
    if table.legend:
        form = r"@{\hspace{1.3em}}".join(form) + r"@{\hspace{.8em}}"
        before = [r"\begin{table}", r"\centering\small"]
        after = [f"\\caption{{{_cell(table.legend)}}}", r"\end{table}"]
    lines = [f"\\begin{{tabular}}{{@{{}}{form}}}", r"\toprule", heading, r"\midrule", *rows]
    return "\n".join([*notes, *before, *lines, r"\bottomrule", r"\end{tabular}", *after])


def _row(cells: Sequence[str]) -> str:
    text = " & ".join(cells) + r" \\"
    # After the end of the row above, a bracket or a star would be taken for its argument.
    return "{}" + text if text.startswith(("[", "*")) else text


def _table_cell(row: Row, column: Column, *, numeric: bool) -> str:
    cell = column.cell(row.get(column.name))
    text = _cell(MINUS.sub("−", cell) if numeric else cell)
    if column.bold is not None and row.get(column.bold):
        text = f"\\textbf{{{text}}}"
    mark = row.get(column.mark) if column.mark is not None else None
    # The mark takes no width, so that decimal points stay aligned.
    return f"{text}\\rlap{{$^{{{SIGNS[str(mark)]}}}$}}" if mark else text


def _cell(cell: str) -> str:
    """Escape a text in ASCII, so that nothing in it is a command."""
    return _joined(map(_letter, normalize("NFC", one_line(cell))))


def _joined(letters: Iterable[str]) -> str:
    """Join letters; numbers of neighbouring characters share brackets."""
    return "".join(letters).replace("][U+", " U+")


def _letter(character: str) -> str:
    """Write a character with commands or as similar letters, else as its number."""
    if character in SPECIAL:
        return SPECIAL[character]
    text = ""
    for part in normalize("NFKD", character):
        if combining(part) and text:
            has_command = part in ACCENTS and not text.startswith("$")
            text = f"\\{ACCENTS[part]}{{{text}}}" if has_command else text
        elif part.isascii() or part in SPECIAL:
            text += SPECIAL.get(part, part)
        else:
            return f"[U+{ord(character):04X}]"
    return text
