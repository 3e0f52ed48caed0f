"""A document: the content of a result, as blocks that every output format renders.

Each result is turned into a document once. A format knows blocks and nothing of results; a report
knows its result and nothing of formats.

A format is a function ``render(document, result)`` in a module of ``truebleu.reports.formats`` that
returns text ending with a line feed; FORMATS maps its name to its module and function. Names and
texts that come from files are hostile: each format makes sure that they stay text.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from importlib import import_module
from itertools import takewhile
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias, TypeGuard
from unicodedata import category, combining, east_asian_width

from truebleu.corpus.text_warnings import merge_warnings
from truebleu.errors import SettingError, UnknownNameError
from truebleu.reports.words import words_of
from truebleu.schema import (
    NO_VALUE as NO_VALUE,
    Column as Column,
    Value as Value,
    bracketed as bracketed,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from truebleu.agreement.data import HumanSummary
    from truebleu.corpus.outline import Sizes
    from truebleu.metrics.base import Signature
    from truebleu.reports.words import Words
    from truebleu.significance.human_curves import PeopleAgreement
    from truebleu.significance.settings import ResamplingSettings

__all__ = [
    "CHART_ENDINGS",
    "CHECK_FORMATS",
    "FORMATS",
    "Bar",
    "Block",
    "Chart",
    "Check",
    "Column",
    "Document",
    "Heading",
    "Notes",
    "Plot",
    "Sentences",
    "Table",
    "render",
]

Row: TypeAlias = Mapping[str, Value]
Mark = Literal["line", "point", "bar"]


@dataclass(frozen=True, slots=True)
class Heading:
    """A line above the blocks that follow."""

    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A column of numbers drawn on one scale, in HTML: in each row a dot and its interval.

    Attributes:
        column: name of the numbers' column; the bars stand to its right.
        low: key of the interval's lower bound in a row; the interval is open if it is None.
        high: key of the interval's upper bound in a row; the interval is open if it is None.
        zero: True if a line shows where 0 is.
        value: key of the number that is drawn; None for the column's.
        verdict: key of one of `VERDICTS` in a row, which decides colour and filling.
        heading: heading of the bars.
    """

    column: str
    low: str
    high: str
    zero: bool = False
    value: str | None = None
    verdict: str | None = None
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values under columns, and the notes below them.

    A row may link a cell to its subject in the report's page: the key is the column's name followed
    by `` link``, the value an address within the page.

    Attributes:
        columns: columns in the order in which they are shown.
        rows: values by the name of their column; formats for people ignore further names.
        notes: lines below the table, such as signatures, whose characters must stay as they are.
        rule: key in a row that is true if there is a rule above the row; for papers.
        legend: meaning of bold print, marks and rules; for papers.
        bars: columns that are also drawn.
        paper: narrower table for papers, or None.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    rule: str | None = None
    legend: str = ""
    bars: tuple[Bar, ...] = ()
    paper: Table | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns for programs: the parts of each column, or its name."""
        return tuple(name for column in self.columns for name in column.parts or (column.name,))

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows as text for people."""
        return [
            tuple(column.cell(row.get(column.name)) for column in self.columns) for row in self.rows
        ]

    def is_numeric(self, column: Column) -> bool:
        """Return whether a column is aligned on the right."""
        if column.numeric is not None:
            return column.numeric
        values = [value for row in self.rows if (value := row.get(column.name)) is not None]
        if not values:
            return column.digits is not None
        return all(is_number(value) or isinstance(value, tuple) for value in values)


def plain_columns(*names: str) -> tuple[Column, ...]:
    """Make columns for programs, with their names as headings."""
    return tuple(Column(name, name) for name in names)


def data_table(
    rows: Sequence[Row], notes: Iterable[str] = (), hidden: Container[str] = ()
) -> Table:
    """Make a table for programs of all names in `rows` that have a value and are not `hidden`."""
    shown = [
        name
        for name in dict.fromkeys(name for row in sorted(rows, key=len)[::-1] for name in row)
        if name not in hidden and any(row.get(name) is not None for row in rows)
    ]
    return Table(plain_columns(*shown), tuple(rows), tuple(notes))


@dataclass(frozen=True, slots=True)
class Sentences:
    """Findings in words, one sentence or short paragraph each."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Notes:
    """Lines whose characters must stay as they are: signatures, methods, settings."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """The columns and marks of a chart of a table's rows; columns are given by name.

    Attributes:
        mark: shape of a row; lines have their points marked.
        x: column along the horizontal axis, whose title is the column's heading.
        y: column along the vertical axis, whose title is the column's heading.
        errors: columns of the lower and upper ends of error bars.
        interval: meaning of error bars, such as "95 % interval"; if None, the headings of their
            columns.
        series: column whose values have lines or points of their own, by dash and shape.
        series_order: all possible series, so that charts of the same kind draw each of them alike
            even if some do not occur.
        panel: column whose values have a chart each, side by side.
        label: column whose text stands next to the point, or at the right end of rows that run
            across the page.
        y_heading: column with the title of each panel's vertical axis; if None, the heading of `y`.
        horizontal: True if categories run down the page and numbers across it, which leaves room
            for long names.
        reference: position of a horizontal line, such as the level that a share should have.
        opposite: position of a second horizontal line, with `reference`.
        reference_field: column whose value in each row is marked by a horizontal line.
        log_x: True if the horizontal axis is logarithmic.
        zero_y: True if the vertical axis must show 0; for bars it always does.
        shared_y: True if panels share the vertical axis; if None, they do unless one of them would
            become flat.
    """

    mark: Mark
    x: str
    y: str
    _: KW_ONLY
    errors: tuple[str, str] | None = None
    interval: str | None = None
    series: str | None = None
    series_order: tuple[str, ...] = ()
    panel: str | None = None
    label: str | None = None
    y_heading: str | None = None
    horizontal: bool = False
    reference: float | None = None
    opposite: float | None = None
    reference_field: str | None = None
    log_x: bool = False
    zero_y: bool = False
    shared_y: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart of a table's rows, with a title and sentences above it.

    Only files show it, by `truebleu.reports.charts`: in HTML, the rows of tables have bars.

    Attributes:
        title: title above the chart.
        table: rows of the chart.
        plot: columns and marks.
        sentences: description of the chart for those who cannot see it.
        in_html: True if HTML shows the chart, too.
    """

    title: str
    table: Table
    plot: Plot
    sentences: tuple[str, ...] = ()
    in_html: bool = False


#: Verdicts about a difference, each with a look of its own in charts; then rows without a test.
VERDICTS = ("better", "worse", "undecided", "different", "baseline", "best", "mean")


def difference_axis(label: str, higher_is_better: bool | None) -> str:
    """Return the title of an axis of differences, negated if lower scores are better.

    >>> difference_axis("TER", False)
    '← worse · TER, negated · better →'
    """
    if higher_is_better is None:
        return f"Difference of {label}"
    return f"← worse · {label}{'' if higher_is_better else ', negated'} · better →"


def forest(
    title: str,
    rows: Iterable[Row],
    headings: Mapping[str, str],
    sentences: Iterable[str] = (),
    **options: Any,
) -> Chart:
    """Draw differences with intervals down the page, by their verdicts.

    Args:
        title: title of the chart.
        rows: a point each; `low` and `high` are the bounds of its interval, `verdict` is one of
            `VERDICTS`, and `zero` is 0.
        headings: headings of the columns, by name; the first two are x and y.
        sentences: sentences above the chart.
        options: further options of the `Plot`.
    """
    x, y, *_ = headings
    columns = (*(Column(*item) for item in headings.items()), *plain_columns("low", "high"))
    look: dict[str, Any] = {"series": "verdict", "series_order": VERDICTS}
    look |= {"reference_field": "zero", "errors": ("low", "high"), "shared_y": False}
    plot = Plot("point", x, y, horizontal=True, **(look | options))
    table = Table(columns, tuple(rows))
    return Chart(title=title, table=table, plot=plot, sentences=tuple(sentences))


Block: TypeAlias = Heading | Table | Sentences | Notes | Chart


@dataclass(frozen=True, slots=True)
class Check:
    """A test that passes or fails, for pipelines: its name and the reason as a sentence."""

    name: str
    passed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Document:
    """Blocks in reading order, and the same findings as one tidy table for programs.

    Attributes:
        blocks: content for people.
        data: one row per finding, each number in a column of its own and with all its digits;
            ``--format tsv`` and `to_frame` return it.
        checks: tests that passed or failed, if the result is a decision.
        flags: warnings about texts and flagged outputs, for pages; commands print warnings apart.
    """

    blocks: tuple[Block, ...]
    data: Table
    checks: tuple[Check, ...] = ()
    flags: tuple[str, ...] = ()

    def with_cautions(self, lines: tuple[str, ...]) -> Document:
        """Add sentences that change how to read the answer, after the first sentences if any."""
        after = [n for n, block in enumerate(self.blocks, 1) if isinstance(block, Sentences)]
        index = after[0] if after else 0
        blocks = (*self.blocks[:index], Sentences(lines), *self.blocks[index:])
        return replace(self, blocks=blocks)

    def for_python(self) -> Document:
        """Name Python's arguments instead of the options of commands."""
        blocks: list[Block] = []
        for block in self.blocks:
            if isinstance(block, Sentences | Notes):
                block = replace(block, lines=tuple(map(as_arguments, block.lines)))
            elif isinstance(block, Table):
                block = replace(block, notes=tuple(map(as_arguments, block.notes)))
            blocks.append(block)
        return replace(self, blocks=tuple(blocks))

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences, in reading order."""
        return tuple(
            line for block in self.blocks if isinstance(block, Sentences) for line in block.lines
        )

    @property
    def charts(self) -> tuple[Chart, ...]:
        """All charts, in reading order."""
        return tuple(block for block in self.blocks if isinstance(block, Chart))


# An option in a sentence, with its value if one follows.
OPTION = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)(?: (ar|document|further-runs|metrics)\b)?")
FLAGS = ("adaptive", "details", "human_lower_is_better", "lower_is_better", "recount")


def as_arguments(sentence: str) -> str:
    """Replace options of commands by arguments of functions.

    >>> as_arguments("try --adaptive, or --correct-over metrics")
    'try adaptive=True, or correct_over="metrics"'
    """

    def argument(match: re.Match[str]) -> str:
        name = match[1].replace("-", "_")
        if name == "not_normalized":
            return "normalized=False"
        return f'{name}="{match[2]}"' if match[2] else f"{name}{'=True' * (name in FLAGS)}"

    return OPTION.sub(argument, sentence)


def charted_document(
    title: str,
    table: Table,
    sentences: Iterable[str],
    plot: Plot,
    *,
    axes: Mapping[str, str] | None = None,
    chart: Table | None = None,
    data: Table | None = None,
) -> Document:
    """Make a document of a title, a table, sentences about it, and a chart.

    Args:
        title: title of the table and of the chart.
        table: table for people.
        sentences: findings in the table.
        plot: columns and marks of the chart.
        axes: titles of axes by column, if headings of the table are too short for them.
        chart: rows of the chart; if None, the table.
        data: table for programs; if None, the table.
    """
    lines, rows, titles = tuple(sentences), chart or table, axes or {}
    columns = (
        replace(column, heading=titles.get(column.name, column.heading)) for column in rows.columns
    )
    picture = Chart(
        title=title, table=replace(rows, columns=tuple(columns)), plot=plot, sentences=lines
    )
    return Document((Heading(title), table, Sentences(lines), picture), data or table)


class Renderable(Protocol):
    """A result that formats can render."""

    REPORT: ClassVar[str]

    def facts(self) -> dict[str, Any]:
        """Return built-in values, for JSON."""


#: The output formats, each with its module in this package and the function that renders it.
FORMATS = {
    "text": "document:render_text",
    "tsv": "formats.machine_readable:render_tsv",
    "latex": "formats.latex:render",
    "markdown": "formats.markdown:render",
    "github": "formats.markdown:render_for_github",
    "json": "formats.machine_readable:render_json",
    "html": "formats.html:render",
}
#: Formats for decisions only: they hold checks.
CHECK_FORMATS = {"junit": "formats.machine_readable:render_junit"}
#: Endings that the file of a chart may have.
CHART_ENDINGS = (".png", ".svg", ".pdf", ".json")


def document_of(result: Renderable, **options: Any) -> Document:
    """Make the document of a result, by the module and function in the `REPORT` of its class.

    Args:
        result: result of a verb or a study.
        options: options of that function, such as ``details``.
    """
    module, _, function = result.REPORT.partition(":")
    document: Document = getattr(import_module(module), function or "document")(result, **options)
    warnings = getattr(result, "warnings", ())
    others, serious = (
        tuple(merge_warnings([warning for warning in warnings if warning.is_serious is is_serious]))
        for is_serious in (False, True)
    )
    document = replace(document, flags=(*document.flags, *others))
    return document.with_cautions(serious) if serious else document


def render(
    result: Renderable, format_: str = "text", *, for_python: bool = False, **options: Any
) -> str:
    """Render a result in one of FORMATS, ending with a line feed.

    Args:
        result: result of a verb or a study.
        format_: one of FORMATS; for a decision, also one of CHECK_FORMATS.
        for_python: True to name Python's arguments instead of the options of commands.
        options: options of `document_of`.
    """
    formats = FORMATS | CHECK_FORMATS
    if format_ not in formats:
        raise UnknownNameError("format", format_, tuple(formats))
    document = document_of(result, **options)
    if format_ in CHECK_FORMATS and not document.checks:
        raise SettingError(
            "format", format_, f"one of {', '.join(FORMATS)} if the result is not a gate"
        )
    module, _, function = formats[format_].partition(":")
    renderer = getattr(import_module(f"truebleu.reports.{module}"), function)
    return str(renderer(document.for_python() if for_python else document, result))


# Tabs and line ends would end a cell; each is replaced by a space.
SPACES = "\t\n\r\x0b\x0c\x85\u2028\u2029"
# Code points that are text, but never XML.
NONCHARACTERS = "\ufffe\uffff"
# Marks that change the direction of the text after them, which could make a line read otherwise.
DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def is_number(value: Value) -> TypeGuard[int | float]:
    """Return whether a value is a number; booleans are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


# Commands that GitHub and Azure Pipelines run in the output of a step: `::error::` at the start of
# a line, where a wrap may put any word, and `##[error]` or `##vso[task]` anywhere.
STEP_COMMAND = re.compile(r"(?<![^\s,]):(?=:)|(?<=#)#(?=\[|vso\[|teamcity\[)", re.IGNORECASE)


def one_line(text: str) -> str:
    r"""Put a text on one line; control characters and step commands become readable escapes.

    >>> one_line("a\x1b[31mb\nc")
    'a\\x1b[31mb c'
    >>> one_line("::error::x")
    '\\x3a:error::x'
    """
    if not text.isprintable():
        text = "".join(_shown(character) for character in text)
    return STEP_COMMAND.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def _shown(character: str) -> str:
    if character in SPACES:
        return " "
    if character in DIRECTIONS + NONCHARACTERS or category(character) in ("Cc", "Cs"):
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    return character


# Characters that JSON writers leave unescaped, but terminals obey or UTF-8 cannot hold.
CONTROLS = f"[\x7f-\x9f\u2028\u2029{DIRECTIONS}\ud800-\udfff]|{STEP_COMMAND.pattern}"


def escaped_controls(json: str) -> str:
    r"""Escape control characters in JSON, so that readers of the JSON get the text unchanged.

    >>> escaped_controls('"a\x9b31m"')
    '"a\\u009b31m"'
    """
    return re.sub(CONTROLS, lambda match: f"\\u{ord(match[0]):04x}", json, flags=re.IGNORECASE)


# Signatures of metrics, with a line for each choice made for the user.


def signature_lines(signatures: Iterable[Signature]) -> list[str]:
    """List each signature once, then the choices made for the user."""
    known = list(signatures)
    return [*dict.fromkeys(map(str, known)), *chosen_lines(known)]


def chosen_lines(signatures: Iterable[Signature]) -> list[str]:
    """Name each tokenizer that was chosen for a script, and each metric's assumed direction."""
    lines = []
    for signature in signatures:
        if signature.script is not None:
            lines.append(
                f"tokenizer {signature['tok']} chosen for {signature.script} references; "
                "set tokenize=… to choose another"
            )
        if signature.assumes_direction:
            assumed = "higher is better (assumed; if not, use --lower-is-better)"
            lines.append(f"{signature.name}: {assumed}")
    return list(dict.fromkeys(lines))


# Text for a terminal: aligned columns, then sentences.


def render_text(document: Document, _result: Renderable | None = None) -> str:
    """Render the blocks as text, with a blank line between them."""
    parts = []
    for block in document.blocks:
        if isinstance(block, Heading):
            parts.append(one_line(block.text))
        elif isinstance(block, Table):
            parts.append(table_text(block))
        elif isinstance(block, Sentences | Notes) and block.lines:
            parts.append("\n".join(map(_wrapped, block.lines)))
    return "\n\n".join(parts) + "\n"


# Width of text that does not go to a terminal.
PAGE = 100
# Spaces between columns.
GAP = 2
# Minimum width of a cell that continues over several lines.
SHORTEST = 20
# Spaces at which no line ends: "4 %" and "p = 0.03" are read as one word.
UNBROKEN = re.compile(r" (?=%)|(?<=\bp) (?=[=<])|(?<=\bp [=<]) ")


def _wrapped(line: str) -> str:
    """Wrap a sentence; text without spaces, such as a signature, is never broken."""
    text = UNBROKEN.sub("\0", one_line(line))
    indent = " " * (len(text) - len(text.lstrip()))
    lines = wrap(
        text.strip(),
        _page_width(),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace("\0", " ")


def table_text(table: Table) -> str:
    """Render a table as aligned columns and notes; a table without rows as its notes only.

    If a table is too wide, the space between its columns becomes smaller. If it is still too wide,
    it continues below itself, with the columns that identify its rows repeated, and the last cells
    of rows are broken over several lines.
    """
    notes = [_wrapped(note) for note in table.notes]
    if not table.rows:
        return "\n".join(notes)
    headings = tuple(column.heading for column in table.columns)
    rows = [tuple(map(one_line, row)) for row in (headings, *table.cells())]
    right = [table.is_numeric(column) for column in table.columns]
    page = _page_width()
    gap = 1 if _total(_widths(rows)) > page else GAP
    parts = []
    for indices in _folded(table, _widths(rows), page, gap):
        part = [[row[index] for index in indices] for row in rows]
        parts.append(_aligned_table(part, [right[index] for index in indices], gap, page))
    return "\n".join(["\n\n".join(parts), *(["", *notes] if notes else [])])


def _page_width() -> int:
    """Return the width of the terminal or COLUMNS, else PAGE."""
    if "COLUMNS" not in os.environ and not (sys.stdout is not None and sys.stdout.isatty()):
        return PAGE
    from shutil import get_terminal_size  # slow to import: loads all of the compression modules

    return get_terminal_size().columns


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(_width, column)) for column in zip(*rows, strict=True)]


def _total(widths: Sequence[int], gap: int = GAP) -> int:
    return sum(widths) + gap * (len(widths) - 1)


def _folded(table: Table, widths: Sequence[int], page: int, gap: int) -> list[list[int]]:
    """Divide the columns into parts that fit on the page; each begins with the key columns.

    Columns that continue others, such as an interval its score, are in their part if it has room.
    """
    keys = list(range(_key_columns(table)))
    while len(keys) > 1 and 2 * _total([widths[key] for key in keys], gap) > page:
        keys.pop()
    parts = [keys]
    for index in range(len(keys), len(widths)):
        group = [index]
        if not table.columns[index].continues:
            following = range(index + 1, len(widths))
            group += takewhile(lambda later: table.columns[later].continues, following)
        total = _total([widths[i] for i in (*parts[-1], *group)], gap)
        parts += [keys] if total > page and len(parts[-1]) > len(keys) else []
        parts[-1] = [*parts[-1], index]
    return parts


def _key_columns(table: Table) -> int:
    """Count the first columns that identify every row; 1 if rows have equal cells throughout."""
    cells = table.cells()
    for count in range(1, len(table.columns)):
        if len({row[:count] for row in cells}) == len(cells):
            return count
    return 1


def _aligned_table(
    rows: Sequence[Sequence[str]], right: Sequence[bool], gap: int, page: int
) -> str:
    *before, last = _widths(rows)
    room = page - sum(before) - gap * len(before)
    if last > room >= SHORTEST and not right[-1]:
        rows = [line for row in rows for line in _over_lines(row, room)]
    widths, lines = _widths(rows), []
    for row in rows:
        pads = [" " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = [p + c if r else c + p for c, p, r in zip(row, pads, right, strict=True)]
        lines.append((" " * gap).join(cells).rstrip())
    return "\n".join([lines[0], "-" * _total(widths, gap), *lines[1:]])


def _over_lines(row: Sequence[str], room: int) -> list[Sequence[str]]:
    """Break the last cell of a row into lines of `room` characters, at spaces and commas."""
    lines = [""]
    for piece in re.findall(r"[^ ,]*[ ,]*", row[-1]):
        if lines[-1] and len(lines[-1] + piece.rstrip()) > room:
            lines.append("")
        lines[-1] += piece
    first, *more = (line.rstrip() for line in lines)
    blank = [""] * (len(row) - 1)
    return [[*row[:-1], first], *([*blank, line] for line in more)]


def _width(cell: str) -> int:
    """Count the terminal columns of a cell: wide characters take two, combining ones none."""
    if cell.isascii():
        return len(cell)
    return sum(
        0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1
        for character in cell
    )


# Sentences that reports share: resampling, p-values, agreement with human raters.


# Fewest documents for which intervals are not too narrow: docs/evidence/defaults.md.
ENOUGH_DOCUMENTS = 100
# Fewest units for which intervals of skewed scores keep their coverage.
FEW_UNITS = 20
# Maximum number of systems in a sentence about smoothing.
MOST_SMOOTHED = 3
# Fewest documents for which a gate with a margin keeps its level.
ENOUGH_DOCUMENTS_FOR_A_MARGIN = 200
# Largest share of the variance that one unit may have; above it no interval holds its level.
LARGEST_SHARE = 0.2


def p_equals(name: str, p: float) -> str:
    """Format a p-value for a sentence; it is never shown as 0.

    >>> p_equals("p", 0.01234), p_equals("p", 0.0000012)
    ('p = 0.0123', 'p < 0.0001')
    """
    return f"{name} {p_cell(p)}" if p < SMALLEST_SHOWN else f"{name} = {p_cell(p)}"


def sign_of_difference(first: str, second: str) -> str:
    """Return the heading of a difference, which says what its sign means.

    >>> sign_of_difference("tuned", "base")
    'tuned − base'
    """
    names = f"{first} − {second}"
    return names if len(names) <= LONGEST_HEADING else "first − second"


def p_cell(p: float) -> str:
    """Format a p-value for a table.

    >>> p_cell(0.00005)
    '< 0.0001'
    """
    return f"< {SMALLEST_SHOWN:.4f}" if p < SMALLEST_SHOWN else f"{p:.4f}"


# Maximum number of characters of two names in the heading of a difference.
LONGEST_HEADING = 24
SMALLEST_SHOWN = 0.0001


def interval_heading(level: float, *, adjusted: bool = False) -> str:
    """Head a column of intervals, which may be adjusted for all comparisons.

    >>> interval_heading(0.95, adjusted=True)
    'adjusted interval'
    """
    return "adjusted interval" if adjusted else f"{100 * level:g} % interval"


def relation(difference: float, higher_is_better: bool | None) -> str:
    """Say in words how a system with this difference to another compares with it."""
    if higher_is_better is None:
        return "is above" if difference > 0 else "is below"
    return "is better than" if (difference > 0) == higher_is_better else "is worse than"


def rank_range(ranks: tuple[int, int]) -> str:
    """Format the range of ranks that a system may have.

    >>> rank_range((1, 1)), rank_range((2, 4))
    ('1', '2–4')
    """
    low, high = ranks
    return str(low) if low == high else f"{low}–{high}"


def percent(share: float, digits: int = 1) -> str:
    """Format a share in percent.

    >>> percent(0.123)
    '12.3 %'
    """
    return f"{100 * share:.{digits}f} %"


def join_names(parts: Sequence[str], maximum: int | None = None, word: str = "and") -> str:
    """Join names by commas and `word`; of more than `maximum`, name the first and count the rest.

    >>> join_names(["1 %", "5 %", "10 %"]), join_names(["a", "b", "c"], 2)
    ('1 %, 5 % and 10 %', 'a, b and 1 more')
    """
    if maximum is not None and len(parts) > maximum:
        return f"{', '.join(parts[:maximum])} {word} {len(parts) - maximum} more"
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def by_label(lines: Mapping[str, str]) -> list[str]:
    """Return a line per label; a line without a label if all labels have the same."""
    if len(set(lines.values())) == 1:
        return [next(iter(lines.values()))]
    return [f"{label}: {line}" for label, line in lines.items()]


def verdict_counts(better: int, worse: int, count: int) -> str:
    """Count the systems that are better and worse than a baseline, and the others of `count`."""
    return f"{better} better, {worse} worse, {count - better - worse} can't be told apart"


def lost_to_correction(names: Sequence[str], comparisons: int) -> list[str]:
    """Name comparisons that are significant alone, and not after the correction."""
    lost = f"Significant alone, but not among {comparisons:,} comparisons"
    return [f"{lost}: {join_names(names, MOST_NAMES)}."] if names else []


def resampled(settings: ResamplingSettings, units: int, test_set: Sizes | None = None) -> str:
    """Describe the resampled units with every choice: "170 documents within domains".

    Args:
        settings: settings with the unit.
        units: number of units.
        test_set: sizes of the test set, with its documents and kind of rows; None means segments.
    """
    words = words_of("segments" if test_set is None else test_set.rows)
    block = "" if settings.block_length is None else f" of {settings.block_length} {words.rows}"
    domains = " within domains" if settings.by_domain else ""
    unknown = ""
    if test_set is not None and settings.unit == "segment" and units > 1:
        unknown = " (no documents given)" if test_set.documents is None else ""
        if test_set.documents is not None and test_set.documents > 1:
            unknown = f" (taken as independent, though of {test_set.documents} documents)"
    return f"{units:,} {words.units(settings.unit)}{block}{domains}{unknown}"


def about_answers(signatures: Iterable[Signature]) -> list[str]:
    """Say what a verdict is about, if several answers to an item were averaged."""
    counts = [int(count) for s in signatures for key, count in s.fields if key == "answers"]
    about = f"The verdict is about these answers, up to {max(counts, default=0)} per item"
    return [f"{about}, not about further answers."] if counts else []


def smoothed(metric: str, orders: Mapping[str, int]) -> list[str]:
    """Say which systems have no match of some n-grams, so that their scores are smoothing."""
    if not orders:
        return []
    systems = join_names(list(orders), MOST_SMOOTHED)
    return [
        f"No {max(orders.values())}-gram of {systems} matches a reference: such {metric} comes "
        "from smoothing and means little."
    ]


def few_units(settings: ResamplingSettings, units: int, words: Words) -> list[str]:
    """Warn if units are too few for intervals of skewed scores to hold their level."""
    if units < FEW_UNITS:
        return [
            f"With fewer than {FEW_UNITS} {words.units(settings.unit)}, intervals can be too "
            "narrow if scores are skewed."
        ]
    return few_documents(settings, units)


def few_documents(settings: ResamplingSettings, units: int) -> list[str]:
    """Warn if documents are too few for intervals of scores to hold their level."""
    if settings.unit != "document" or units >= ENOUGH_DOCUMENTS:
        return []
    return [f"Fewer than {ENOUGH_DOCUMENTS} documents: intervals may be too narrow."]


# Agreement of human raters.


def people_sentence(difference: float, people: PeopleAgreement, metric: str, digits: int) -> str:
    """Say how often human raters agree with a difference of this size."""
    if not people.better_than_coin:
        return (
            f"A gap below {people.coin:.{digits}f} {metric} is too small for human raters: they "
            "prefer either system equally often."
        )
    return (
        f"For gaps of {abs(difference):.{digits}f} {metric}, human raters prefer the same system "
        f"about {people.accuracy:.0f} % of the time."
    )


def people_source(people: PeopleAgreement) -> str:
    """Name the source of the human ratings."""
    return f"human raters: {people.source}, {people.pairs:,} pairs of systems"


# Human scores.


# Maximum number of names in a sentence.
MOST_NAMES = 5


def about_inputs(human: HumanSummary, directions: Mapping[str, bool | None]) -> Iterator[str]:
    """Yield cautions about the human scores and the directions of metrics."""
    for note in human.notes:
        yield note if note.endswith(".") else f"{note}."
    if human.unjudged:
        yield f"No human scores of {join_names(human.unjudged, MOST_NAMES)}: left out."
    only_ties = [name for name, score in human.scores.items() if score is None]
    if only_ties:
        names = join_names(only_ties, MOST_NAMES)
        yield f"Only ties in the judgments of {names}: no share of wins."
    for metric, higher_is_better in directions.items():
        if higher_is_better is False:
            yield f"{metric}: lower is better, so its scores are negated."
        elif higher_is_better is None:
            yield f"{metric} has no direction: higher is assumed to be better."
