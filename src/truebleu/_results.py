"""The base class of results, which print themselves, appear in notebooks and return numbers."""

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

#: Libraries that `to_frame` looks for, in this order.
FRAME_LIBRARIES = ("pandas", "polars")


class Result:
    """Base class of all results.

    A result holds only data. The module of `truebleu.reports` in `REPORT` turns it into a Document,
    by its function ``document`` or the function named after a colon; it is imported when a result
    is displayed.
    """

    __slots__ = ()

    #: Module of the report, with a function if needed: "truebleu.reports.compare", "MODULE:name".
    REPORT: ClassVar[str]
    #: Version of `to_dict`, increased when names or meanings change.
    VERSION: ClassVar[int] = 1

    def facts(self) -> dict[str, Any]:
        """Return plain values, without sentences."""
        return {"version": self.VERSION, **to_builtins(self)}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values and sentences, as ``--format json`` prints them."""
        sentences = self.to_document().sentences
        return self.facts() | ({"sentences": list(sentences)} if sentences else {})

    def to_document(self, **options: Any) -> Document:
        """Return the document of headings, tables, sentences and charts, for all output formats.

        Args:
            options: options of the report, such as ``details``.
        """
        from truebleu.reports.document import document_of

        return document_of(self, **options)

    def to_frame(self, library: Literal["pandas", "polars"] | None = None) -> Any:
        """Return a data frame with one tidy row per finding, as ``--format tsv`` prints them.

        Args:
            library: pandas or polars; by default pandas if it is installed.
        """
        chosen: str | None = library
        if chosen is None:
            chosen = next((name for name in FRAME_LIBRARIES if find_spec(name)), None)
        if chosen is None or find_spec(chosen) is None:
            raise MissingExtraError("a data frame", "frames")
        table = self.to_document().data
        columns = {name: [row.get(name) for row in table.rows] for name in table.names}
        return import_module(chosen).DataFrame(columns)

    def to_latex(self) -> str:
        """Return the tables as LaTeX, as ``--format latex`` prints them."""
        return self._rendered("latex")

    def to_markdown(self) -> str:
        """Return the sentences and tables as Markdown, as ``--format markdown`` prints them."""
        return self._rendered("markdown")

    def to_chart(self) -> TopLevelMixin:
        """Return the first chart as an Altair object, which a notebook displays."""
        from truebleu.reports.charts import chart

        return chart(self)

    def save_chart(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the first chart to a file whose ending decides the format.

        Endings are .png, .svg, .pdf and .json (Vega-Lite).
        """
        from truebleu.reports.charts import save_chart

        return save_chart(self, path, overwrite=overwrite)

    def __repr__(self) -> str:
        sentences = self.to_document().for_python().sentences
        name = type(self).__name__
        return f"<{name}: {sentences[0]}>" if sentences else f"<{name}>"

    def __str__(self) -> str:
        return self._rendered("text").rstrip("\n")

    def _repr_html_(self) -> str:
        return self._rendered("html")

    def _rendered(self, form: str) -> str:
        from truebleu.reports.document import render

        return render(self, form, for_python=True)


class PageResult(Result):
    """Base class of results that are saved as a page."""

    __slots__ = ()

    def save(
        self, path: str | Path, *, command: str | None = None, overwrite: bool = False
    ) -> Path:
        """Write the page; an error leaves no partial file.

        Args:
            path: path of the page.
            command: command that made the report, to show on the page.
            overwrite: True to replace an existing file.
        """
        page = import_module("truebleu.reports.page")
        saved: Path = page.save_page(self, path, command=command, overwrite=overwrite)
        return saved
