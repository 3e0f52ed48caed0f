"""``truebleu demo``: scores of systems whose true quality is known."""

from __future__ import annotations

from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING

import click

from truebleu.cli._options import option_with_default, refuse_idle, seed_option
from truebleu.reports.document import render
from truebleu.significance.scores import score
from truebleu.simulation.test_sets import Channel, save_test_set, simulate, simulate_causes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.test_set import TestSet
    from truebleu.significance.scores import Scores

TWINS = ("errors-15a", "errors-15b")
SYSTEMS = {
    "errors-05": Channel.at_rate(0.05),
    **dict.fromkeys(TWINS, Channel.at_rate(0.15)),
    "errors-30": Channel.at_rate(0.30),
}

RATES = (
    "The number in a name\nis the percentage of words that are dropped, swapped, substituted or "
    "followed by an extra word."
)
CAUSES = (
    "All are equally good, but for\none fault each: one is weak in one domain, one runs away, one "
    "writes straight quotes."
)


@click.command("demo")
@option_with_default("--segments", click.IntRange(min=1), 500, "Number of segments.")
@seed_option
@click.option(
    "--save",
    "folder",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Also write the texts into FOLDER.",
)
@click.option("--force", is_flag=True, help="Overwrite files that exist.")
@click.option(
    "--causes",
    is_flag=True,
    help="Simulate systems that differ from a baseline for a known reason each, for explain.",
)
def command(segments: int, seed: int, folder: Path | None, force: bool, causes: bool) -> None:
    """Simulate a test set and score it by BLEU, chrF and TER."""
    if causes:
        test_set = simulate_causes(segments=segments, seed=seed)
    else:
        test_set = simulate(segments=segments, systems=SYSTEMS, seed=seed)
    # Before the scores: a file that cannot be written should be reported at once.
    if folder is None:
        refuse_idle(["force"], "--save FOLDER beside it")
    files = None if folder is None else save_test_set(test_set, folder, overwrite=force)
    scores = score(test_set, metrics=["bleu", "chrf", "ter"])
    click.echo(_introduction(test_set, seed, CAUSES if causes else RATES))
    click.echo(render(scores, "text"))
    if causes:
        click.echo(_explain_next(files))
        return
    click.echo(_lesson(scores))
    click.echo(_next_step(files))


def _introduction(test_set: TestSet, seed: int, about: str) -> str:
    counted = [
        _count(len(test_set), "segment"),
        _count(len(set(test_set.documents or ())), "document"),
        _count(len(set(test_set.domains or ())), "domain"),
    ]
    return (
        f"A simulated test set (seed {seed}): {', '.join(counted)}, 1 reference.\n"
        f"{len(test_set.systems)} systems repeat the reference with errors. {about}\n"
    )


def _lesson(scores: Scores) -> str:
    left, right = (scores[twin] for twin in TWINS)
    differences = ", ".join(
        f"{abs(left[label].score - right[label].score):.2f} {label}" for label in scores.signatures
    )
    return (
        "What to notice: the more errors, the lower BLEU and chrF and the higher TER.\n"
        f"{' and '.join(TWINS)} make the same errors equally often, so neither is better, and yet\n"
        f"their scores differ: by {differences}. That difference is chance.\n"
        "With another --seed it is another one, with more --segments mostly a smaller one.\n"
    )


def _next_step(files: Sequence[Path] | None) -> str:
    if files is None:
        return "Next, keep the texts to compare the systems yourself:\n  truebleu demo --save demo"
    reference, *systems, _ = map(str, files)
    arguments = ["-r", reference, *systems]
    return f"Next, ask which differences are real:\n  truebleu compare {join(arguments)}"


def _explain_next(files: Sequence[Path] | None) -> str:
    if files is None:
        return "Next, keep the texts:\n  truebleu demo --causes --save causes"
    reference, baseline, *systems, documents = map(str, files)
    lines = (
        f"  truebleu explain {join(['-r', reference, '--documents', documents, system, baseline])}"
        for system in systems
    )
    return "\n".join(["Next, ask where a difference comes from:", *lines])


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
