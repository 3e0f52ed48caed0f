"""``truebleu study``: the papers' experiments, each a command of its own, on your texts."""

from __future__ import annotations

import click

from truebleu.cli.main import LazyGroup

# Name, module and one line of help, in the order of the papers.
STUDIES = {
    "sampling": (
        "truebleu.cli._studies:sampling",
        "How much scores vary over blocks and over systematic samples.",
    ),
    "coverage": (
        "truebleu.cli._studies:coverage",
        "How often intervals of samples contain the score of the whole.",
    ),
    "power": (
        "truebleu.cli._studies:power",
        "How often tests on samples of each size conclude, rightly or wrongly.",
    ),
    "accuracy": (
        "truebleu.cli._studies:accuracy",
        "How many conclusions are right, by their confidence.",
    ),
    "test-size": (
        "truebleu.cli._studies:test_size",
        "Scores and intervals against the share of the test set used.",
    ),
    "references": (
        "truebleu.cli._studies:references",
        "What a further reference is worth in test data.",
    ),
    "replicates": (
        "truebleu.cli._studies:replicates",
        "How many replicates the bootstrap needs.",
    ),
    "sensitivity": (
        "truebleu.cli._studies:sensitivity",
        "By which metric most pairs of systems differ significantly.",
    ),
    "type-one": (
        "truebleu.cli._studies:type_one",
        "How often each test finds a difference where there is none.",
    ),
    "length": (
        "truebleu.cli._studies:length",
        "Each metric against the length of the output.",
    ),
    "smoothing": (
        "truebleu.cli._studies:smoothing",
        "Which smoothing of sentence BLEU agrees best with people.",
    ),
}

EPILOG = """\b
Examples:
  truebleu study coverage -r ref.txt system.txt
  truebleu study power -r ref.txt sys/ --sizes 100,300,600 --chart power.svg
  truebleu study type-one -r ref.txt a.txt b.txt --resume type-one.jsonl
  truebleu study coverage --simulate 3000

\b
A study takes the given texts as a pool, and measures on samples of it what you would otherwise
have to assume. With --simulate N it makes a pool of N segments whose truth is known.
"""


@click.group("study", cls=LazyGroup, table=STUDIES, epilog=EPILOG)
def command() -> None:
    """Measure how far scores, intervals and tests can be trusted on your own data."""
