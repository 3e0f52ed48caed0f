"""A document: what a result says, as blocks that every output format renders.

Each result is turned into a document once. A format knows blocks and nothing of results; a report
knows its result and nothing of formats.

A format is a function ``render(document, result)`` in a module of ``truebleu.reports.formats`` that
returns text ending with a line feed; FORMATS has its name and its place. Names and texts that come
from files are hostile: each format makes sure that they stay text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, fields, is_dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias, TypeGuard
from unicodedata import category

from truebleu.errors import SettingError, UnknownNameError
from truebleu.schema import NO_VALUE as NO_VALUE, Column as Column, Value as Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from truebleu.metrics.base import Signature

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
Mark = Literal["line", "point", "bar", "tick"]


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


#: The output formats, each with its module in ``formats`` and the function that renders it.
FORMATS = {
    "text": "text:render",
    "tsv": "programs:render_tsv",
    "latex": "latex:render",
    "markdown": "markdown:render",
    "github": "markdown:render_for_github",
    "json": "programs:render_json",
    "html": "html:render",
}
#: Formats of decisions only: what they hold are checks.
CHECK_FORMATS = {"junit": "programs:render_junit"}
#: What the file of a chart may end in.
CHART_ENDINGS = (".png", ".svg", ".pdf", ".html", ".json")


def document_of(result: Renderable, **options: Any) -> Document:
    """The document of a result, made by the module and function that its class names in `REPORT`.

    Args:
        result: what a verb or a study returned.
        options: of that function, such as ``details`` of scores and ``columns`` of comparisons.
    """
    module, _, function = result.REPORT.partition(":")
    document: Document = getattr(import_module(module), function or "document")(result, **options)
    return _about_items(document) if _has_no_text(result) else document


# What is said of texts, and what where there are only scores of items.
ITEM_WORDS = {"segment": "item", "Segment": "Item", "system": "model", "System": "Model"}
_TEXT_WORD = re.compile(rf"(?<![\w.:|/-])({'|'.join(ITEM_WORDS)})(?=s?(?![\w:|/-]|\.\w))")
# What people read of a document and its blocks.
PROSE = {
    "blocks", "checks", "columns", "heading", "lines", "notes", "reason", "sentences", "table",
    "text", "title",
}  # fmt: skip


def _has_no_text(result: Renderable) -> bool:
    outline = getattr(getattr(result, "comparison", result), "test_set", None)
    if outline is None:
        # A panel has many; only outside scores name their digest.
        signatures = getattr(result, "signatures", None) or {}
        several = [s for of in signatures.values() if isinstance(of, tuple) for s in of]
        return bool(several) and all("scores" in dict(s.fields) for s in several)
    names = outline if isinstance(outline, Mapping) else outline.to_dict()
    return list(names.get("reference_names", ())) == ["none"]


def _about_items(document: Document) -> Document:
    """The document in words for items and models, unless a name is such a word itself."""
    names = {str(row.get(key)) for row in document.data.rows for key in ("system", "a", "b")}
    is_named = any(map(_TEXT_WORD.search, names))
    reworded: Document = document if is_named else _reworded(document)
    return reworded


def _reworded(value: Any) -> Any:
    if isinstance(value, str):
        return _TEXT_WORD.sub(lambda word: ITEM_WORDS[word[1]], value)
    if isinstance(value, tuple):
        return tuple(map(_reworded, value))
    if is_dataclass(value) and not isinstance(value, type):
        prose = [field.name for field in fields(value) if field.name in PROSE]
        return replace(value, **{name: _reworded(getattr(value, name)) for name in prose})
    return value


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
    renderer = getattr(import_module(f"truebleu.reports.formats.{module}"), function)
    text: str = renderer(document, result)
    return text


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
