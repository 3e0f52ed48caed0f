"""Results as sacreBLEU's command line prints them: lines, drawn tables, LaTeX and JSON."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeAlias

from truebleu.compat.sacrebleu.utils import ALPHA
from truebleu.reports.document import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu.compat.sacrebleu.significance import Result

    Cells = Sequence[str]

#: What to do to a text that sacreBLEU shows in a colour, by the name of the colour.
Paint: TypeAlias = Callable[[str, str], str]


LATEX_ESCAPES = str.maketrans(
    {character: f"\\{character}" for character in "#$%&_{}"}
    | {"<": r"\ensuremath{<}", ">": r"\ensuremath{>}"}
    | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\textasciitilde{}"}
)

COLOUR = re.compile(r"\x1b\[[0-9]+m")
COLOURS = {"red": 31, "green": 32, "yellow": 33, "cyan": 36}
INTERVAL = re.compile(r"\(μ = [0-9.]+ ± [0-9.]+\)")

# What the first system's name starts with, where it has a name of its own.
BASELINE = "Baseline: "


def grid(header: Cells, rows: Sequence[Cells]) -> str:
    """A table drawn with lines; cells may be coloured, and have several lines.

    The first column is aligned right and the others are centred, as sacreBLEU has them.

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


def coloured(text: str, colour: str) -> str:
    """The text in colour, for a terminal."""
    return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m"


def plain(text: str, colour: str) -> str:  # noqa: ARG001
    """The text as it is."""
    return text


def single_results(results: Sequence[str], *, is_json: bool, paint: Paint) -> Iterator[str]:
    """The results of one system, one per metric: a JSON value, or lines with their = aligned."""
    if is_json:
        yield results[0] if len(results) == 1 else "[\n" + ",\n".join(results) + "\n]"
        return
    painted = [
        INTERVAL.sub(lambda match: paint(match.group(), "cyan"), result) for result in results
    ]
    # Without an interval, bare scores have no = and stay where they are.
    lefts = [result.partition("=")[0] if "=" in result else "" for result in painted]
    width = max(map(len, lefts)) if len(results) > 1 else 0
    for result, left in zip(painted, lefts, strict=True):
        yield f"{left:>{width}}{result.removeprefix(left)}" if left else result


def several_systems(
    systems: Sequence[str],
    columns: Mapping[str, Sequence[str]],
    signatures: Mapping[str, str],
    format_: str,
    paint: Paint,
) -> Iterator[str]:
    """The scores of several systems, by the name of the metric: JSON, or a table and signatures."""
    if format_ == "json":
        yield several_systems_as_json(systems, columns)
        return
    names = [one_line(system.strip()) for system in systems]
    yield from table_and_signatures(names, columns, signatures, format_, paint)


def table_and_signatures(
    systems: Sequence[str],
    columns: Mapping[str, Sequence[str]],
    signatures: Mapping[str, str],
    format_: str,
    paint: Paint,
    explanation: Sequence[str] = (),
) -> Iterator[str]:
    """A table of systems, drawn or for LaTeX; lines that explain it; the signatures."""
    header = ["System", *columns]
    rows = list(zip(systems, *columns.values(), strict=True))
    if format_ == "latex":  # which can do nothing with colour
        yield booktabs(header, rows)
    else:
        yield grid([paint(name, "cyan") for name in header], rows)
    yield ""
    yield from explanation
    title = "Metric signatures"
    yield from ("-" * len(title), title, "-" * len(title))
    for name, signature in signatures.items():
        yield f" - {name:<10} {signature}"


def several_systems_as_json(systems: Sequence[str], columns: Mapping[str, Sequence[object]]) -> str:
    """An array of one object per system, with what each column has for it."""
    import json

    objects = [
        {"system": system} | {name: column[index] for name, column in columns.items()}
        for index, system in enumerate(systems)
    ]
    return json.dumps(objects, indent=4)


def paired_results(
    systems: Sequence[str],
    results: Mapping[str, Sequence[Result]],
    signatures: Mapping[str, str],
    test: str,
    samples: int,
    *,
    format_: str,
    width: int,
    paint: Paint,
) -> Iterator[str]:
    """Results by the name of the score: JSON, or a table, what it means, and the signatures.

    Args:
        systems: their names, the baseline's first.
        results: by the name of the score, the result of each system.
        signatures: by the name of the score.
        test: ``bs`` or ``ar``.
        samples: replicates or trials of the test.
        format_: ``json``, ``text`` or ``latex``.
        width: digits after the decimal point of scores, means and intervals.
        paint: colours a text.
    """
    if format_ == "json":
        columns = {name: [vars(result) for result in column] for name, column in results.items()}
        yield several_systems_as_json(systems, columns)
        return
    if format_ == "latex":
        paint = plain
    cells = {
        f"{name} (μ ± 95% CI)" if test == "bs" else name: [
            _cell(result, width, "\n" if format_ == "text" else " ", paint) for result in column
        ]
        for name, column in results.items()
    }
    names = [one_line(name.strip()) for name in systems]
    if names[0].startswith(BASELINE):
        for column in (names, *cells.values()):
            column[0] = paint(column[0], "yellow")
    explanation = _explanation(names[0], test, samples, paint)
    yield from table_and_signatures(names, cells, signatures, format_, paint, explanation)


def _cell(result: Result, width: int, separator: str, paint: Paint) -> str:
    cell = f"{result.score:.{width}f}"
    if result.mean is not None:
        cell += f" ({result.mean:.{width}f} ± {result.ci:.{width}f})"
    if result.p_value is not None:
        p = f"(p = {result.p_value:.4f})"
        cell += separator + (f"{p}*" if result.p_value <= ALPHA else paint(p, "red"))
    return cell


def _explanation(baseline: str, test: str, samples: int, paint: Paint) -> list[str]:
    """Title and notes. The title is sacreBLEU's; the notes say what its notes say, in our words."""
    if test == "bs":
        title = f"Paired bootstrap resampling test with {samples} resampling trials"
        contents = (
            "score (mean ± half the width of the middle 95%, of the resampled scores), then p"
        )
    else:
        title = f"Paired approximate randomization test with {samples} trials"
        contents = "score, then p"
    null, base = paint("null hypothesis", "green"), paint("baseline", "yellow")
    return [
        "-" * len(title),
        title,
        "-" * len(title),
        f" - One test for each system, always against {baseline}.",
        f"   A cell has: {contents}.",
        "",
        f" - The {null} is that system and {base} are equally good, and only chance decided",
        "   which of them did well on which segment. If that holds, a difference of at least",
        "   this size, in either direction, comes up with a probability of about p.",
        "",
        f" - A * stands where p is at most {ALPHA}: chance is a poor explanation there, and the",
        f"   {null} is rejected at that level. A larger p, on a terminal {paint('in red', 'red')},",
        "   shows no difference, but does not show that there is none either.",
        "",
        f" - A * speaks of a difference from the {base}, for better or worse: compare the scores",
        "   to see which, and mind that TER is better when lower.",
        "",
    ]
