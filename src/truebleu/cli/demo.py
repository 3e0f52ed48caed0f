"""``truebleu demo``: the whole path, on systems whose true quality is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._command import Option, Show, make_command
from truebleu.corpus.test_set import Segments
from truebleu.explanation.report import report
from truebleu.reports.document import Document, Sentences, Table
from truebleu.reports.explain import verdict
from truebleu.reports.formats.text import render
from truebleu.significance.scores import score
from truebleu.simulation.test_sets import Channel, save_test_set, simulate

if TYPE_CHECKING:
    from truebleu.corpus.test_set import TestSet

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


def demo(*, segments: int = 500, seed: int = 12345) -> TestSet:
    """Systems that repeat the reference with errors of a known kind."""
    channels = {name: Channel.at_rate(rate) for name, rate in RATES.items()}
    test_set = simulate(segments=segments, systems=channels, document_length=4, seed=seed)
    texts = dict(test_set.systems)
    in_sport = texts.pop("in sport")
    domains = test_set.domains or ()
    texts[WEAK] = Segments(
        [
            weak if domain == WEAK_DOMAIN else usual
            for usual, weak, domain in zip(texts[WEAK], in_sport, domains, strict=True)
        ]
    )
    return replace(test_set, systems=texts)


OPTIONS = [
    Option(
        ["--segments"],
        type=click.IntRange(min=10),
        default=500,
        show_default=True,
        help="Number of segments.",
    ),
    Option(
        ["--seed"],
        type=click.IntRange(min=0),
        default=12345,
        show_default=True,
        help="Another seed makes another test set.",
    ),
    Option(
        ["--save", "folder"],
        metavar="FOLDER",
        type=click.Path(path_type=Path),
        help="Also write the texts and a report into FOLDER.",
    ),
]


@make_command(
    "demo", systems="none", texts=False, metrics=False, chart=False, details=False, options=OPTIONS
)
def command(segments: int, seed: int, folder: Path | None, show: Show, **_others: Any) -> None:
    """Simulate a test set, score it, and ask which differences are real and where from."""
    test_set = demo(segments=segments, seed=seed)
    if folder is not None:
        # Before the scores: a file that cannot be written should be reported at once.
        save_test_set(test_set, folder, overwrite=show.force)
    documents = len(set(test_set.documents or ()))
    _say(f"A simulated test set of {segments:,} segments in {documents:,} documents, seed {seed}.")
    _say(TRUTH)
    show.print(score(test_set, metrics=["bleu", "chrf", "ter"]))
    baseline, twin = TWINS
    told = report(test_set, metrics="bleu", baseline=baseline)
    if told.explanation is None:
        return
    explained = {pair.comparison.a: pair for pair in told.explanation.pairs}
    for name, truth in (
        (twin, f"Truth: {twin} and {baseline} are equally good; their difference is chance."),
        (WEAK, f"Truth: {WEAK} is worse than {baseline}, in {WEAK_DOMAIN} only."),
    ):
        lines = verdict(told.explanation, explained[name])[:3]
        _say("", truth, *(f"  {line}" for line in lines))
    if folder is None:
        _say("", "Next: truebleu demo --save demo writes the texts and a report.")
        return
    page = told.save(folder / "report.html", command="truebleu demo", overwrite=show.force)
    _say("", f"Wrote the texts and a report: open {page} in a browser.")


def _say(*lines: str) -> None:
    document = Document((Sentences(lines),), Table((), ()))
    click.echo(render(document), nl=False)
