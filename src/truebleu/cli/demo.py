"""``truebleu demo`` and ``list``: an example of all results, and lists of names."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypedDict

import click

from truebleu._results import Result
from truebleu.cli._command import ResultWriter, make_command
from truebleu.corpus._files import COMPRESSED, FORMAT_NAMES
from truebleu.corpus.sequences import Segments
from truebleu.errors import PluginError
from truebleu.explanation.report import report
from truebleu.metrics.plugins import plugin_names
from truebleu.metrics.registry import METRICS, default_settings, metric_class
from truebleu.reports.document import FORMATS, Column, Document, Sentences, Table, render_text
from truebleu.reports.explain import verdict
from truebleu.schema import DEFAULT_SEED, Setting, takes
from truebleu.significance.scores import score
from truebleu.simulation.test_sets import Channel, save_test_set, simulate
from truebleu.tokenizers import DESCRIPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from typing_extensions import Unpack

    from truebleu.corpus.test_set import TestSet

# A demonstration on systems whose true quality is known.

TWINS = ("errors-15a", "errors-15b")
WEAK, WEAK_DOMAIN = "weak-in-sport", "sport"
RATES = {
    "errors-05": 0.05,
    **dict.fromkeys(TWINS, 0.15),
    "errors-30": 0.30,
    WEAK: 0.15,
    "in sport": 0.40,
}
TRUTH = (
    "The number in a name is the percentage of words that are dropped, swapped, substituted or "
    f"followed by an extra word; {WEAK} has 15 %, but 40 % in {WEAK_DOMAIN}."
)


class DemoOptions(TypedDict, total=False):
    """Options of `demo`.

    Attributes:
        segments: number of segments.
        seed: seed of the simulation; another seed makes another test set.
    """

    segments: Annotated[int, Setting(minimum=10, group="Output", default=500)]
    seed: Annotated[int, Setting(minimum=0, group="Output", default=DEFAULT_SEED)]


@takes(DemoOptions)
def demo(**options: Unpack[DemoOptions]) -> TestSet:
    """Simulate systems that repeat the reference with errors of known kinds."""
    size = {"segments": options["segments"], "seed": options["seed"], "document_length": 4}
    channels = {name: Channel.at_rate(rate) for name, rate in RATES.items()}
    test_set = simulate(systems=channels, **size)
    texts = dict(test_set.systems)
    in_sport = texts.pop("in sport")
    domains = test_set.domains or ()
    texts[WEAK] = Segments(
        [
            weak if domain == WEAK_DOMAIN else segment
            for segment, weak, domain in zip(texts[WEAK], in_sport, domains, strict=True)
        ]
    )
    return replace(test_set, systems=texts)


@make_command("demo", demo, "")
def demo_command(
    segments: int,
    seed: int,
    folder: Annotated[str | None, Setting(flags=("--save",), metavar="FOLDER", group="Output")],
    show: ResultWriter,
) -> None:
    """Simulate a test set, score it, and show which differences are real and what causes them.

    Args:
        folder: also write the texts and a report into FOLDER.
    """
    test_set = demo(segments=segments, seed=seed)
    if folder is not None:
        # Save before scoring, so that a file that cannot be written is reported at once.
        save_test_set(test_set, folder, overwrite=show.force)
    documents = len(set(test_set.documents or ()))
    _say(f"A simulated test set of {segments:,} segments in {documents:,} documents, seed {seed}.")
    _say(TRUTH, "")
    show.print(score(test_set, metrics=["bleu", "chrf", "ter"]))
    baseline, twin = TWINS
    page = report(test_set, metrics="bleu", baseline=baseline)
    if page.explanation is None:
        return
    explained = {pair.comparison.a: pair for pair in page.explanation.pairs}
    for name, truth in (
        (twin, f"Truth: {twin} and {baseline} are equally good; their difference is chance."),
        (WEAK, f"Truth: {WEAK} is worse than {baseline}, in {WEAK_DOMAIN} only."),
    ):
        lines = verdict(page.explanation, explained[name])[:3]
        _say("", truth, *(f"  {line}" for line in lines))
    if folder is None:
        _say("", "Next: truebleu demo --save demo writes the texts and a report.")
        return
    path = page.save(Path(folder, "report.html"), command="truebleu demo", overwrite=show.force)
    _say("", f"Wrote the texts and a report: open {path} in a browser.")


def _say(*lines: str) -> None:
    document = Document((Sentences(lines),), Table((), ()))
    click.echo(render_text(document), nl=False)


# Lists of names that options take.


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Listing(Result):
    """Names of one kind, such as metrics, with their descriptions."""

    REPORT: ClassVar[str] = "truebleu.cli.demo"

    kind: str
    rows: tuple[Mapping[str, str], ...]

    def facts(self) -> dict[str, Any]:
        """Return the rows as builtin values, under their kind."""
        return {"version": self.VERSION, self.kind: [dict(row) for row in self.rows]}


def document(listing: Listing) -> Document:
    """Lay out a listing as one table."""
    columns = tuple(Column(name, name.capitalize()) for name in listing.rows[0])
    table = Table(columns, tuple(dict(row) for row in listing.rows))
    return Document((table,), table)


# End of the first sentence of a metric's docstring, or of the part before "see".
SEE = re.compile(r"\.\s|\.$|; see |\n")


def _metrics() -> Iterator[dict[str, str]]:
    for name in (*METRICS, *plugin_names()):
        try:
            kind = metric_class(name)
            plug_in = "" if name in METRICS else "plug-in: "
            title = plug_in + SEE.split((kind.__doc__ or "").strip())[0]
            settings = default_settings(kind)
        except PluginError as error:
            title, settings = str(error), ""
        yield {"metric": name, "what it is": title, "settings and defaults": settings}


def _formats() -> Iterator[dict[str, str]]:
    from truebleu.scores.formats import FORMATS as TOOL_FORMATS

    for ending, description in FORMAT_NAMES.items():
        yield {"format": ending, "what it is": description, "for": "texts"}
    compressed = ", ".join(COMPRESSED)
    yield {"format": compressed, "what it is": "any of these, compressed", "for": "texts"}
    for name, form in TOOL_FORMATS.items():
        yield {"format": name, "what it is": form.writes, "for": "scores"}
    for name in FORMATS:
        yield {"format": name, "what it is": f"--format {name}", "for": "results"}


def _registered(kind: str) -> Iterator[dict[str, str]]:
    """Yield a row for each item of a registry, with its title and further columns."""
    noun, registry, columns = REGISTRIES[kind]
    module, _, name = registry.partition(":")
    for key, item in getattr(import_module(f"truebleu.{module}"), name).items():
        cells = {heading: cell(item) or "" for heading, cell in columns.items()}
        yield {noun: key, "what it is": item.title, **cells}


ORIGIN: dict[str, Callable[[Any], str]] = {"from": attrgetter("origin")}
#: Heading of the names, registry as "module:NAME", and further columns of each kind.
REGISTRIES: dict[str, tuple[str, str, dict[str, Callable[[Any], str]]]] = {
    "tests": ("test", "significance.tests:TESTS", ORIGIN),
    "corrections": (
        "correction",
        "significance.corrections:CORRECTIONS",
        {"assumes": attrgetter("assumption")},
    ),
    "intervals": ("interval", "significance.intervals:INTERVAL_METHODS", {}),
    "coefficients": ("coefficient", "agreement.coefficients:DEFINITIONS", ORIGIN),
    "tuners": ("tuner", "nbest.tuning:TUNERS", {"settings and defaults": default_settings}),
}
KINDS: dict[str, Callable[[], Iterator[dict[str, str]]]] = {
    "metrics": _metrics,
    "tokenizers": lambda: (
        {"tokenizer": name, "what it does": text} for name, text in DESCRIPTIONS.items()
    ),
    "formats": _formats,
    **{kind: partial(_registered, kind) for kind in REGISTRIES},
}
KIND = click.Argument(["kind"], type=click.Choice(tuple(KINDS)))


@make_command("list", options=[KIND])
def list_command(kind: str, show: ResultWriter) -> None:
    """List the names that options take, including plug-ins of installed packages.

    Examples:
      truebleu list metrics
      truebleu list tokenizers --format tsv
    """
    show(Listing(kind=kind, rows=tuple(KINDS[kind]())))
