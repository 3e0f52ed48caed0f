"""``truebleu choose``: settings of metrics that agree best with people."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from truebleu.agreement.choose import DEVELOPMENT, choose, parse_grid
from truebleu.cli._options import (
    Show,
    Texts,
    charted_result_options,
    repeatable_option,
    test_set_options,
)
from truebleu.cli.agree import HumanFile, agreement_options, human_options
from truebleu.cli.main import progress_bar
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from truebleu.agreement.choose import JudgedSet

EPILOG = """\b
Examples:
  truebleu choose -r ref.txt sys/ --human mqm.tsv -m 'sentbleu:smoothing=4,k=1|2|5|10'
  truebleu choose -r ref.txt sys/ --human mqm.tsv -m 'chrf:char_order=4|6,beta=1|2|3' -c acc-eq
  truebleu choose -r ref.txt sys/ --human mqm.tsv -m 'ter:case_sensitive=yes|no' -c pearson
  truebleu choose -r dev/ref.txt dev/sys --human dev/mqm.tsv -m 'sentbleu:smoothing=1|3|7' \\
    --test-reference test/ref.txt --test-system test/sys --test-human test/mqm.tsv

\b
Values with | between them are alternatives; several settings with alternatives stand for all their
combinations. Quote them: to a shell, | means something else. truebleu agree --help lists the
coefficients.
"""


@click.command("choose", epilog=EPILOG)
@test_set_options
@human_options
@click.option(
    "-m",
    "--metric",
    "grid",
    metavar="METRIC",
    multiple=True,
    required=True,
    help="A metric with alternatives: 'sentbleu:smoothing=4,k=1|2|5'. Repeat for several grids, "
    "of which the best is chosen.",
)
@click.option(
    "-c",
    "--coefficient",
    default="chen-cherry",
    show_default=True,
    metavar="NAME",
    help="The coefficient to choose by; settings follow a colon.",
)
@click.option(
    "--development",
    type=float,
    metavar="SHARE",
    help="Choose on this share of what people judged, and report on the rest: by documents where "
    f"those are known, otherwise by segments in turn. Default: {DEVELOPMENT:g}.",
)
@repeatable_option(
    "--test-system",
    "test_systems",
    metavar="SYSTEM",
    text="Report on another test set: its outputs, as SYSTEM; repeat for several.",
)
@repeatable_option(
    "--test-reference", "test_references", metavar="FILE", text="Its reference; repeat for several."
)
@click.option("--test-human", metavar="FILE", help="Its human scores, read as those of --human.")
@click.option("--test-documents", metavar="FILE", help="Its documents.")
@agreement_options
@charted_result_options
def command(
    texts: Texts,
    human: HumanFile,
    grid: tuple[str, ...],
    coefficient: str,
    development: float | None,
    test_systems: tuple[str, ...],
    test_references: tuple[str, ...],
    test_human: str | None,
    test_documents: str | None,
    show: Show,
    **options: Any,
) -> None:
    """Which settings of a metric agree best with people?

    Every combination is measured on a development part; the best is measured again on a test part,
    which was not used for the choice, beside the default settings (Chen & Cherry 2014, §3.1).

    A SYSTEM is a file, NAME=FILE, a folder of files, or a pattern such as 'sys/*.txt'.
    """
    candidates = parse_grid(grid)
    test = None
    if test_systems or test_references or test_human or test_documents:
        other = Texts(
            systems=test_systems,
            references=test_references,
            source=None,
            documents=test_documents,
            strict=texts.strict,
        )
        test = _test(other, replace(human, path=test_human or ""))
    test_set = texts.read()
    judgments = human.read(test_set)
    with progress_bar(len(candidates), "choosing") as progress:
        choice = choose(
            grid,
            test_set,
            judgments,
            coefficient=coefficient,
            development=development,
            test=test,
            progress=progress,
            **options,
        )
    show(choice)


def _test(texts: Texts, human: HumanFile) -> JudgedSet:
    """The test set to report on, and its judgments."""
    for option, given in (
        ("test-system", texts.systems),
        ("test-reference", texts.references),
        ("test-human", human.path),
    ):
        if not given:
            expected = "--test-system, --test-reference and --test-human together"
            raise SettingError(option, "nothing", expected)
    test_set = texts.read()
    return test_set, human.read(test_set)
