"""``truebleu list``: what can be asked for by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import click

from truebleu._results import Result
from truebleu.cli._command import Show, make_command
from truebleu.reports.document import Column, Document, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

RESULT_VERSION = 1

EPILOG = """\b
Examples:
  truebleu list metrics
  truebleu list tokenizers --format tsv
"""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Listing(Result):
    """Names, each with what it means, in columns of one kind of thing."""

    REPORT: ClassVar[str] = "truebleu.cli.list"

    kind: str
    rows: tuple[Mapping[str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"version": RESULT_VERSION, self.kind: [dict(row) for row in self.rows]}


def document(listing: Listing) -> Document:
    """One table."""
    columns = tuple(Column(name, name.capitalize()) for name in listing.rows[0])
    table = Table(columns, tuple(dict(row) for row in listing.rows))
    return Document((table,), table)


def _metrics() -> Iterator[dict[str, str]]:
    from importlib import import_module

    from truebleu.errors import PluginError
    from truebleu.metrics.registry import METRICS, metric_class, plugin_names, written_settings

    for name, (module, _) in METRICS.items():
        title = (import_module(module).__doc__ or "").split("\n")[0].rstrip(".")
        settings = written_settings(metric_class(name))
        yield {"metric": name, "what it is": title, "settings and defaults": settings}
    for name in plugin_names():
        try:
            make = metric_class(name)
            title = (make.__doc__ or "").strip().split("\n")[0].rstrip(".")
            row = {
                "what it is": f"plug-in: {title}",
                "settings and defaults": written_settings(make),
            }
        except PluginError as error:
            row = {"what it is": str(error), "settings and defaults": ""}
        yield {"metric": name, **row}


def _tokenizers() -> Iterator[dict[str, str]]:
    from truebleu.tokenizers import DESCRIPTIONS

    for name, description in DESCRIPTIONS.items():
        yield {"tokenizer": name, "what it does": description}


def _formats() -> Iterator[dict[str, str]]:
    from truebleu.corpus._files import COMPRESSED, FORMAT_NAMES
    from truebleu.reports.document import FORMATS
    from truebleu.scores.tools import FORMATS as TOOL_FORMATS

    for ending, description in FORMAT_NAMES.items():
        yield {"format": ending, "what it is": description, "for": "texts"}
    compressed = ", ".join(COMPRESSED)
    yield {"format": compressed, "what it is": "any of these, compressed", "for": "texts"}
    for form in TOOL_FORMATS:
        yield {"format": form.tool, "what it is": form.writes, "for": "scores"}
    for name in FORMATS:
        yield {"format": name, "what it is": f"--format {name}", "for": "results"}


def _tests() -> Iterator[dict[str, str]]:
    from truebleu.significance.tests import TESTS

    for name, test in TESTS.items():
        yield {"test": name, "what it is": test.title, "from": test.origin}


def _corrections() -> Iterator[dict[str, str]]:
    from truebleu.significance.corrections import CORRECTIONS

    for name, correction in CORRECTIONS.items():
        yield {
            "correction": name,
            "what it is": correction.title,
            "assumes": correction.assumption or "",
        }


def _intervals() -> Iterator[dict[str, str]]:
    from truebleu.significance.intervals import INTERVAL_METHODS

    for name, method in INTERVAL_METHODS.items():
        yield {"interval": name, "what it is": method.title}


def _coefficients() -> Iterator[dict[str, str]]:
    from truebleu.agreement.coefficients import DEFINITIONS

    for name, definition in DEFINITIONS.items():
        yield {"coefficient": name, "what it is": definition.title, "from": definition.origin}


def _tuners() -> Iterator[dict[str, str]]:
    from truebleu.metrics.registry import written_settings
    from truebleu.nbest.tuning import TUNERS

    for name, tuner in TUNERS.items():
        settings = written_settings(tuner)
        yield {"tuner": name, "what it is": tuner.title, "settings and defaults": settings}


KINDS: dict[str, Callable[[], Iterator[dict[str, str]]]] = {
    "metrics": _metrics,
    "tokenizers": _tokenizers,
    "formats": _formats,
    "tests": _tests,
    "corrections": _corrections,
    "intervals": _intervals,
    "coefficients": _coefficients,
    "tuners": _tuners,
}


@make_command(
    "list",
    systems="none",
    texts=False,
    metrics=False,
    chart=False,
    details=False,
    options=[click.Argument(["kind"], type=click.Choice(tuple(KINDS)))],
    epilog=EPILOG,
)
def command(kind: str, show: Show) -> None:
    """List what options can name, including plug-ins of installed packages."""
    show(Listing(kind=kind, rows=tuple(KINDS[kind]())))
