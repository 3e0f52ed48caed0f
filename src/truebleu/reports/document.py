"""A document: what a result says, as blocks that every output format renders.

Each result is turned into a document once. A format knows blocks and nothing of results; a report
knows its result and nothing of formats.

A format is a function ``render(document, result)`` in a module of ``truebleu.reports.formats`` that
returns text ending with a line feed; FORMATS has its name and its place. Names and texts that come
from files are hostile: each format makes sure that they stay text.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias, TypeGuard
from unicodedata import category, combining, east_asian_width

from truebleu.errors import SettingError, UnknownNameError
from truebleu.reports.words import words_of
from truebleu.schema import NO_VALUE as NO_VALUE, Column as Column, Value as Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from truebleu.agreement.data import HumanSummary
    from truebleu.corpus.outline import Sizes
    from truebleu.metrics.base import Signature
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
    """A line above what follows."""

    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """Numbers of all rows drawn on one scale, in HTML: a dot and its interval.

    Attributes:
        column: the numbers, behind whose column it stands.
        low: the name in a row where the interval begins; nothing there leaves it open.
        high: the same of where it ends.
        zero: whether a line shows where 0 is.
        band: the name in a row of a number; what is nearer to 0 is shaded.
    """

    column: str
    low: str
    high: str
    zero: bool = False
    band: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values under columns, and notes that belong below them.

    A row may have the address of a cell's subject in the report's page, in the cell's name and
    ``link``.

    Attributes:
        columns: what is shown, in this order.
        rows: a value for every column's name; further names are ignored by people's formats.
        notes: lines below the table, such as signatures, whose characters must stay as they are.
        rule: the name in a row that says whether there is a rule above it; for papers.
        legend: what bold print, marks and rules mean; for papers.
        bars: what is drawn in the rows.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    rule: str | None = None
    legend: str = ""
    bars: tuple[Bar, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns for programs: the parts of each column, or its name."""
        return tuple(name for column in self.columns for name in column.parts or (column.name,))

    def cells(self) -> list[tuple[str, ...]]:
        """The rows as people read them."""
        return [
            tuple(column.cell(row.get(column.name)) for column in self.columns) for row in self.rows
        ]

    def is_numeric(self, column: Column) -> bool:
        """Whether a column is aligned on the right."""
        if column.numeric is not None:
            return column.numeric
        values = [row.get(column.name) for row in self.rows]
        kinds = {is_number(value) for value in values if value is not None}
        return all(kinds) if kinds else column.digits is not None


def table_of(
    columns: Iterable[Column], items: Iterable[object], **cells: Callable[[Any], Value]
) -> Table:
    """A row for each item: a cell is the attribute of that name, unless a function makes it.

    >>> table_of([Column("real", "Real")], [3 + 4j], size=abs).rows
    ({'real': 3.0, 'size': 5.0},)
    """
    shown = tuple(columns)
    names = [column.name for column in shown if column.name not in cells]
    rows = tuple(
        {name: getattr(item, name) for name in names}
        | {name: cell(item) for name, cell in cells.items()}
        for item in items
    )
    return Table(shown, rows)


def bounds_of(attribute: str = "interval") -> dict[str, Callable[[Any], Value]]:
    """The cells low and high, for items that have both bounds as an attribute of that name."""

    def bound(place: int) -> Callable[[Any], Value]:
        return lambda item: (getattr(item, attribute) or (None, None))[place]

    return {"low": bound(0), "high": bound(1)}


def plain_columns(*names: str) -> tuple[Column, ...]:
    """Columns for programs, which are headed by their names."""
    return tuple(Column(name, name) for name in names)


@dataclass(frozen=True, slots=True)
class Sentences:
    """What the numbers say, one sentence or short paragraph each."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Notes:
    """Lines whose characters must stay as they are: signatures, methods, settings."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """What a chart shows of a table's rows; names are those of columns.

    Attributes:
        mark: how a row is drawn; lines have their points marked.
        x: the column along the horizontal axis; its heading says what the axis measures.
        y: the same of the vertical axis.
        errors: the columns where error bars begin and end.
        interval: what error bars are, such as "95 % interval"; else the headings of both say it.
        series: the column that tells lines or kinds of points apart, by dash and shape.
        series_order: all series that there may be, where charts of the same kind should give each
            the same look whichever of them occur.
        panel: the column that gives each of its values a chart of its own, side by side.
        label: a column whose text stands beside the point, as far as there is room.
        y_heading: a column that says for each panel what its y is; else the heading of y does.
        horizontal: whether categories run down the page and numbers across it, which leaves room
            for long names.
        reference: a horizontal line, such as the level that a share should have.
        reference_field: a column whose value in each row is marked by a horizontal line.
        log_x: whether the horizontal axis is logarithmic.
        zero_y: whether the vertical axis must show 0; that of bars always does.
        shared_y: whether panels share the vertical axis; if None, they do unless that would leave
            one of them flat.
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
    reference_field: str | None = None
    log_x: bool = False
    zero_y: bool = False
    shared_y: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart of a table's rows, with a title and sentences above it.

    Only files show it, by `truebleu.reports.charts`: in HTML, the rows of tables have bars.
    """

    title: str
    table: Table
    plot: Plot
    sentences: tuple[str, ...] = ()


def forest(
    title: str,
    rows: Iterable[Row],
    headings: Mapping[str, str],
    sentences: Iterable[str] = (),
    **options: Any,
) -> Chart:
    """Draw points with intervals from low to high down the page.

    Args:
        title: title of the chart.
        rows: a point each; `low` and `high` are the bounds of its interval.
        headings: headings of the columns, by name; the first two are x and y.
        sentences: sentences above the chart.
        options: further options of the `Plot`.
    """
    x, y, *_ = headings
    columns = (*(Column(*item) for item in headings.items()), *plain_columns("low", "high"))
    plot = Plot("point", x, y, errors=("low", "high"), horizontal=True, **options)
    table = Table(columns, tuple(rows))
    return Chart(title=title, table=table, plot=plot, sentences=tuple(sentences))


Block: TypeAlias = Heading | Table | Sentences | Notes | Chart


@dataclass(frozen=True, slots=True)
class Check:
    """Something that passes or fails, for pipelines: its name and the sentence that says why."""

    name: str
    passed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Document:
    """Blocks in reading order, and the same findings as one tidy table for programs.

    Attributes:
        blocks: what people read.
        data: one row per finding, each number in a column of its own and with all its digits: what
            ``--format tsv`` and `to_frame` give.
        checks: what passed or failed, where the result is a decision.
    """

    blocks: tuple[Block, ...]
    data: Table
    checks: tuple[Check, ...] = ()

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
    """A title, a table, what it says, and a chart.

    Args:
        title: of the table and of the chart.
        table: for people.
        sentences: what it says.
        plot: how to draw it.
        axes: what axes measure, by column, where headings of the table are too short for it.
        chart: what is drawn, where that is not the table.
        data: for programs, where that is not the table.
    """
    lines = tuple(sentences)
    drawn, titles = chart or table, axes or {}
    columns = (
        replace(column, heading=titles.get(column.name, column.heading)) for column in drawn.columns
    )
    return Document(
        blocks=(
            Heading(title),
            table,
            Sentences(lines),
            Chart(
                title=title,
                table=replace(drawn, columns=tuple(columns)),
                plot=plot,
                sentences=lines,
            ),
        ),
        data=data or table,
    )


class Renderable(Protocol):
    """What formats need of a result."""

    REPORT: ClassVar[str]

    def facts(self) -> dict[str, Any]:
        """Plain values, for JSON."""


#: The output formats, each with its module among the reports and the function that renders it.
FORMATS = {
    "text": "document:render_text",
    "tsv": "formats.machine_readable:render_tsv",
    "latex": "formats.latex:render",
    "markdown": "formats.markdown:render",
    "github": "formats.markdown:render_for_github",
    "json": "formats.machine_readable:render_json",
    "html": "formats.html:render",
}
#: Formats of decisions only: what they hold are checks.
CHECK_FORMATS = {"junit": "formats.machine_readable:render_junit"}
#: What the file of a chart may end in.
CHART_ENDINGS = (".png", ".svg", ".pdf", ".json")


def document_of(result: Renderable, **options: Any) -> Document:
    """The document of a result, made by the module and function that its class names in `REPORT`.

    Args:
        result: what a verb or a study returned.
        options: of that function, such as ``details`` of scores and ``columns`` of comparisons.
    """
    module, _, function = result.REPORT.partition(":")
    document: Document = getattr(import_module(module), function or "document")(result, **options)
    return document


def render(result: Renderable, format_: str = "text", **options: Any) -> str:
    """A result in one of FORMATS, ending with a line feed.

    Args:
        result: what a verb or a study returned.
        format_: one of FORMATS; of a decision, also one of CHECK_FORMATS.
        options: those of `document_of`.
    """
    formats = FORMATS | CHECK_FORMATS
    if format_ not in formats:
        raise UnknownNameError("format", format_, tuple(formats))
    document = document_of(result, **options)
    if format_ in CHECK_FORMATS and not document.checks:
        raise SettingError("format", format_, f"one of {', '.join(FORMATS)} for what is no gate")
    module, _, function = formats[format_].partition(":")
    renderer = getattr(import_module(f"truebleu.reports.{module}"), function)
    return str(renderer(document, result))


# Tabs and line ends would end a cell; a space stands for each.
SPACES = "\t\n\r\x0b\x0c\x85\u2028\u2029"
# Code points that are text, but never XML.
NONCHARACTERS = "\ufffe\uffff"
# Marks that turn the direction of what follows, which could make a line read otherwise.
DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def is_number(value: Value) -> TypeGuard[int | float]:
    """Whether a value is a number; yes and no are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def one_line(text: str) -> str:
    r"""The text on one line, with control characters as escapes that can be read.

    >>> one_line("a\x1b[31mb\nc")
    'a\\x1b[31mb c'
    """
    if text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character in SPACES:
        return " "
    if character in DIRECTIONS + NONCHARACTERS or category(character) in ("Cc", "Cs"):
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    return character


# What JSON writers leave as it is, although terminals obey it, or no UTF-8 can hold it.
CONTROLS = f"[\x7f-\x9f\u2028\u2029{DIRECTIONS}\ud800-\udfff]"


def escaped_controls(json: str) -> str:
    r"""JSON with control characters as its own escapes, so that readers get the very text.

    >>> escaped_controls('"a\x9b31m"')
    '"a\\u009b31m"'
    """
    return re.sub(CONTROLS, lambda match: f"\\u{ord(match[0]):04x}", json)


# Signatures of metrics, with a line for what was chosen for the user.


def signature_lines(signatures: Iterable[Signature]) -> list[str]:
    """Each signature, and then which tokenizers were chosen and why."""
    listed = list(signatures)
    return [*dict.fromkeys(map(str, listed)), *chosen_lines(listed)]


def chosen_lines(signatures: Iterable[Signature]) -> list[str]:
    """A line for each tokenizer that was chosen for the script, and each direction assumed."""
    lines = []
    for signature in signatures:
        if signature.script is not None:
            lines.append(
                f"tokenizer {signature['tok']} chosen for {signature.script} references; "
                "set tokenize=… to choose another"
            )
        if ("better", "higher-assumed") in signature.fields:
            assumed = "higher is better (assumed; --lower-is-better turns it)"
            lines.append(f"{signature.name}: {assumed}")
    return list(dict.fromkeys(lines))


# Text for a terminal: aligned columns, then sentences.


def render_text(document: Document, _result: Renderable | None = None) -> str:
    """The blocks one after the other, with a blank line between them."""
    parts = []
    for block in document.blocks:
        if isinstance(block, Heading):
            parts.append(one_line(block.text))
        elif isinstance(block, Table):
            parts.append(table_text(block))
        elif isinstance(block, Sentences | Notes) and block.lines:
            parts.append("\n".join(map(_wrapped, block.lines)))
    return "\n\n".join(parts) + "\n"


# How wide text may be, where no terminal says.
PAGE = 100
# Spaces between columns.
GAP = 2
# Characters that a cell over several lines has at least.
SHORTEST = 20
# The spaces at which no line ends.
KEPT = re.compile(r" (?=%)|(?<=\bp) (?=[=<])|(?<=\bp [=<]) ")


def _wrapped(line: str) -> str:
    """A sentence over as many lines as it needs; what has no spaces, such as a signature, stays."""
    # "4 %" and "p = 0.03" are read as one word.
    text, width = KEPT.sub("\0", one_line(line)), _page_width()
    indent = " " * (len(text) - len(text.lstrip()))
    lines, rest = [], text.strip()
    while len(indent + rest) > width:
        cut = rest.rfind(" ", 0, width - len(indent) + 1)
        cut = rest.find(" ") if cut <= 0 else cut
        if cut <= 0:
            break
        lines.append(indent + rest[:cut])
        rest = rest[cut + 1 :]
    return "\n".join([*lines, indent + rest]).replace("\0", " ")


def table_text(table: Table) -> str:
    """Aligned columns under a rule, then the notes; a table without rows is its notes.

    Columns of a table that is too wide move closer together; if that is not enough, it goes on
    below itself, the first column repeated, and the last cells of rows go over several lines.
    """
    notes = [_wrapped(note) for note in table.notes]
    if not table.rows:
        return "\n".join(notes)
    headings = tuple(column.heading for column in table.columns)
    rows = [tuple(map(one_line, row)) for row in (headings, *table.cells())]
    right = [table.is_numeric(column) for column in table.columns]
    page = _page_width()
    gap = 1 if _total(_widths(rows)) > page else GAP
    parts = [
        _aligned_table(
            [[row[place] for place in part] for row in rows],
            [right[place] for place in part],
            gap,
            page,
        )
        for part in _folded(_widths(rows), page, gap)
    ]
    return "\n".join(["\n\n".join(parts), *(["", *notes] if notes else [])])


def _page_width() -> int:
    """The columns of the terminal that is written to, or as COLUMNS says."""
    if "COLUMNS" not in os.environ and not (sys.stdout is not None and sys.stdout.isatty()):
        return PAGE
    from shutil import get_terminal_size  # it loads every kind of compression

    return get_terminal_size().columns


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(_width, column)) for column in zip(*rows, strict=True)]


def _total(widths: Sequence[int], gap: int = GAP) -> int:
    return sum(widths) + gap * (len(widths) - 1)


def _folded(widths: Sequence[int], page: int, gap: int) -> list[list[int]]:
    """The columns of each part of a table: as many as fit beside the first."""
    parts = [[0]]
    for place in range(1, len(widths)):
        together = [widths[column] for column in (*parts[-1], place)]
        if len(together) > 2 and _total(together, gap) > page:
            parts.append([0])
        parts[-1].append(place)
    return parts


def _aligned_table(
    rows: Sequence[Sequence[str]], right: Sequence[bool], gap: int, page: int
) -> str:
    *before, last = _widths(rows)
    room = page - sum(before) - gap * len(before)
    if last > room >= SHORTEST and not right[-1]:
        rows = [line for row in rows for line in _over_lines(row, room)]
    widths = _widths(rows)
    heading, *lines = (_aligned(row, widths, right, gap) for row in rows)
    return "\n".join([heading, "-" * _total(widths, gap), *lines])


def _over_lines(row: Sequence[str], room: int) -> list[Sequence[str]]:
    """A row whose last cell takes as many lines as it needs, broken at spaces and commas."""
    lines = [""]
    for piece in re.findall(r"[^ ,]*[ ,]*", row[-1]):
        if lines[-1] and len(lines[-1] + piece.rstrip()) > room:
            lines.append("")
        lines[-1] += piece
    first, *more = (line.rstrip() for line in lines)
    blank = [""] * (len(row) - 1)
    return [[*row[:-1], first], *([*blank, line] for line in more)]


def _width(cell: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    if cell.isascii():
        return len(cell)
    return sum(
        0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1
        for character in cell
    )


def _aligned(row: Sequence[str], widths: Sequence[int], right: Sequence[bool], gap: int) -> str:
    cells = []
    for cell, width, on_the_right in zip(row, widths, right, strict=True):
        padding = " " * (width - _width(cell))
        cells.append(padding + cell if on_the_right else cell + padding)
    return (" " * gap).join(cells).rstrip()


# Sentences that reports share: what was resampled, p-values, what a difference means to people.


# Fewer documents than this leave intervals too narrow: docs/evidence/defaults.md.
ENOUGH_DOCUMENTS = 100
# Fewer than this, and a gate passes systems that are worse by its margin too often.
ENOUGH_DOCUMENTS_FOR_A_MARGIN = 200
# A unit that carries more of the variance decides it: no interval holds there.
LARGEST_SHARE = 0.2


def p_equals(name: str, p: float) -> str:
    """A p-value in a sentence; it is never 0.

    >>> p_equals("p", 0.01234), p_equals("p", 0.0000012)
    ('p = 0.0123', 'p < 0.0001')
    """
    return f"{name} {p_cell(p)}" if p < SMALLEST_SHOWN else f"{name} = {p_cell(p)}"


def p_cell(p: float) -> str:
    """A p-value in a table.

    >>> p_cell(0.00005)
    '< 0.0001'
    """
    return f"< {SMALLEST_SHOWN:.4f}" if p < SMALLEST_SHOWN else f"{p:.4f}"


SMALLEST_SHOWN = 0.0001


def bracketed(
    interval: tuple[float | None, float | None], digits: int, *, sign: Literal["", "+"] = ""
) -> str:
    """An interval in brackets; what is rounded to 0 has no minus sign, and None has no bound.

    Examples:
        >>> bracketed((-0.00001, 0.5), 2)
        '[0.00, 0.50]'
        >>> bracketed((-1.25, 0.5), 1, sign="+")
        '[-1.2, +0.5]'
        >>> bracketed((0.004, 0.5), 2), bracketed((None, 0.5), 2)
        ('[0.004, 0.500]', '(−∞, 0.50]')
    """
    # A bound beside 0 decides: it must not look like 0.
    near = [bound for bound in interval if bound and not round(bound, digits)]
    if near and all(round(bound, digits + 2) for bound in near):
        digits += 1 if all(round(bound, digits + 1) for bound in near) else 2
    low, high = (
        None if bound is None else f"{round(bound, digits) + 0.0:{sign}.{digits}f}"
        for bound in interval
    )
    return f"{'(−∞' if low is None else f'[{low}'}, {'∞)' if high is None else f'{high}]'}"


def relation(difference: float, higher_is_better: bool | None) -> str:
    """How a system with so much more than another stands to it."""
    if higher_is_better is None:
        return "is above" if difference > 0 else "is below"
    return "is better than" if (difference > 0) == higher_is_better else "is worse than"


def rank_range(ranks: tuple[int, int]) -> str:
    """The ranks that a system may have.

    >>> rank_range((1, 1)), rank_range((2, 4))
    ('1', '2–4')
    """
    low, high = ranks
    return str(low) if low == high else f"{low}–{high}"


def percent(share: float, digits: int = 1) -> str:
    """A share in percent.

    >>> percent(0.123)
    '12.3 %'
    """
    return f"{100 * share:.{digits}f} %"


def join_names(parts: Sequence[str], most: int | None = None, word: str = "and") -> str:
    """Some words with commas and "and", the first ones where there are more than `most`.

    >>> join_names(["1 %", "5 %", "10 %"]), join_names(["a", "b", "c"], 2)
    ('1 %, 5 % and 10 %', 'a, b and 1 more')
    """
    if most is not None and len(parts) > most:
        return f"{', '.join(parts[:most])} {word} {len(parts) - most} more"
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def lost_to_correction(names: Sequence[str], comparisons: int) -> list[str]:
    """What is undecided by the correction alone, so that the interval seems to say otherwise."""
    lost = f"Not significant among {comparisons:,} comparisons, though the interval leaves out 0"
    return [f"{lost}: {join_names(names, MOST_NAMES)}."] if names else []


def resampled(settings: ResamplingSettings, units: int, test_set: Sizes | None = None) -> str:
    """Say what was resampled, with every choice: "170 documents within domains".

    Args:
        settings: settings with the unit.
        units: number of units.
        test_set: sizes that tell whether documents are known, and whether rows are items.
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
    """What a verdict is about, where several answers to an item were averaged."""
    counts = [int(count) for s in signatures for key, count in s.fields if key == "answers"]
    about = f"The verdict is about these answers, up to {max(counts, default=0)} to an item"
    return [f"{about}, not about further answers."] if counts else []


def few_documents(settings: ResamplingSettings, units: int) -> list[str]:
    """A caution where documents are too few for intervals of scores to hold."""
    if settings.unit != "document" or units >= ENOUGH_DOCUMENTS:
        return []
    return [f"Fewer than {ENOUGH_DOCUMENTS} documents: intervals may be too narrow."]


# How often people agree, with the limits of what is known.


def people_sentence(difference: float, people: PeopleAgreement, metric: str, digits: int) -> str:
    """How often people agree with a difference of this size."""
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
    """Where that is known from."""
    return f"human raters: {people.source}, {people.pairs:,} pairs of systems"


# What people judged.


# Names that a sentence lists at most.
MOST_NAMES = 5


def about_inputs(human: HumanSummary, directions: Mapping[str, bool | None]) -> Iterator[str]:
    """What a reader should know about the human scores and the metrics."""
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
