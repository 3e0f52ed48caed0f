"""What every result can do: print itself, show itself in a notebook, and give its numbers."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from truebleu.errors import MissingExtraError
from truebleu.schema import to_builtins

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from altair import TopLevelMixin

    from truebleu.reports.document import Document

#: The libraries that `to_frame` looks for, in this order.
FRAME_LIBRARIES = ("pandas", "polars")


class Result:
    """The base of every typed result.

    A result holds data only. The module of `truebleu.reports` that a class names in `REPORT` turns
    it into a Document, by its function ``document``, or the one that is named after a colon; it is
    imported when something is shown.
    """

    __slots__ = ()

    #: Where the document is made: "truebleu.reports.compare", or "….type_one:equivalents_document".
    REPORT: ClassVar[str]
    #: Of what `to_dict` gives: the next one where names or meanings change.
    VERSION: ClassVar[int] = 1

    def facts(self) -> dict[str, Any]:
        """Plain values, without sentences."""
        return {"version": self.VERSION, **to_builtins(self)}

    def to_dict(self) -> dict[str, Any]:
        """Plain values and sentences, as ``--format json`` prints them."""
        sentences = self.to_document().sentences
        return self.facts() | ({"sentences": list(sentences)} if sentences else {})

    def to_document(self, **options: Any) -> Document:
        """Headings, tables, sentences and charts, which every output format renders.

        Args:
            options: of the report, such as ``details``.
        """
        from truebleu.reports.document import document_of

        return document_of(self, **options)

    def to_frame(self, library: Literal["pandas", "polars"] | None = None) -> Any:
        """A data frame with one tidy row per finding, as ``--format tsv`` prints them.

        Args:
            library: pandas or polars; by default the first of them that is installed.
        """
        chosen: str | None = library
        if chosen is None:
            chosen = next((name for name in FRAME_LIBRARIES if find_spec(name)), None)
        if chosen is None or find_spec(chosen) is None:
            raise MissingExtraError("a data frame", "frames")
        table = self.to_document().data
        columns = {name: [row.get(name) for row in table.rows] for name in table.names}
        return import_module(chosen).DataFrame(columns)

    def to_chart(self) -> TopLevelMixin:
        """The first chart, as Altair's object: a notebook shows it, Altair can change it."""
        from truebleu.reports.charts import chart

        return chart(self)

    def save_chart(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the first chart into a file; its ending says as what.

        Endings are .png, .svg, .pdf, .html and .json, which is Vega-Lite.
        """
        from truebleu.reports.charts import save_chart

        return save_chart(self, path, overwrite=overwrite)

    def __repr__(self) -> str:
        sentences = self.to_document().sentences
        return (
            f"<{type(self).__name__}: {sentences[0]}>" if sentences else f"<{type(self).__name__}>"
        )

    def __str__(self) -> str:
        from truebleu.reports.document import render

        return render(self, "text").rstrip("\n")

    def _repr_html_(self) -> str:
        from truebleu.reports.document import render

        return render(self, "html")
