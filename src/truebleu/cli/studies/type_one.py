"""``truebleu study type-one``: how often each test finds a difference where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._options import whole_numbers
from truebleu.cli._study_options import study_options, unit_option
from truebleu.errors import SettingError
from truebleu.significance.corrections import CORRECTIONS
from truebleu.studies._nulls import ALL_TESTS, NULLS
from truebleu.studies.equivalents import study_equivalents
from truebleu.studies.multiplicity import study_multiplicity
from truebleu.studies.type_one import study_type_one

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.cli._study_options import Studied
    from truebleu.exhibits import Exhibit

GIVEN = "given"
EPILOG = """\b
Examples:
  truebleu study type-one -r ref.txt a.txt b.txt
  truebleu study type-one -r ref.txt sys/ -m bleu -m ter --test ar --test bootstrap
  truebleu study type-one -r ref.txt sys/ --documents docs.tsv --null document
  truebleu study type-one -r ref.txt sys/ --documents docs.tsv --null document --unit document
  truebleu study type-one --simulate 500 --null simulated --resume type-one.jsonl
  truebleu study type-one -r ref.txt sys/ --together 2,3,4,5,6 --chart alarms.svg
  truebleu study type-one -r ref.txt run1.txt run2.txt run3.txt -m nist --null given

\b
How systems are made equal (--null):
  segment    the outputs of two systems are exchanged at random, segment by segment
  document   the same, document by document
  simulated  two systems of the simulator with equal channels, on a simulated test set of this size
  given      nothing is done: the systems are said to be equal, and their p-values are listed
"""


@click.command("type-one", epilog=EPILOG)
@study_options
@click.option(
    "--null",
    type=click.Choice([*NULLS, GIVEN]),
    default="segment",
    show_default=True,
    help="How the systems come to be equal; see below.",
)
@unit_option
@click.option(
    "--test",
    "tests",
    type=click.Choice(ALL_TESTS),
    multiple=True,
    help="A test; repeat for several. Default: all that resample; ar with --together; ar and "
    "bootstrap-absolute with --null given. bootstrap-absolute is sacreBLEU's, student is for "
    "metrics that are means over segments.",
)
@click.option(
    "--alpha",
    "alphas",
    type=float,
    multiple=True,
    help="A nominal level; repeat for several. Default: 0.01, 0.05 and 0.1; 0.05 with --together "
    "and with --null given.",
)
@click.option(
    "--together",
    metavar="N,N,...",
    callback=whole_numbers,
    help="Compare so many equal systems with one another, and count any false alarm among all "
    "their pairs.",
)
@click.option(
    "--correction",
    "corrections",
    type=click.Choice(tuple(CORRECTIONS)),
    multiple=True,
    help="With --together: a correction for many comparisons; repeat for several. Default: none, "
    "bonferroni, holm, bh, by and westfall-young.",
)
@click.option(
    "--repetitions", type=int, metavar="N", help="How often systems are made equal. Default: 1000."
)
@click.option(
    "--samples",
    type=int,
    metavar="N",
    help="Replicates of each test. Default: 1000; 2000 with --together, 10000 with --null given.",
)
def command(study: Studied, **options: Any) -> Exhibit:
    """How often does each test find a difference where there is none?

    Two systems are made equal, and a test that keeps its level finds them different just as often
    as the level says: may you trust it on your data? Riezler & Maxwell (2005, Table 2): the
    bootstrap's p-values are smaller than those of approximate randomization. With --together, the
    chance of any false alarm among many comparisons (§4.4), with and without corrections.
    """
    chosen = {name: value for name, value in options.items() if value not in (None, ())}
    chosen["runner"] = study.runner
    if chosen["null"] == GIVEN:
        _refuse(chosen, f"with --null {GIVEN}", "together", "corrections", "repetitions")
        del chosen["null"]
        chosen |= _single(chosen, "alphas", "alpha")
        return study_equivalents(study.test_set, study.metrics, **chosen)
    if "together" in chosen:
        chosen["systems"] = chosen.pop("together")
        chosen |= _single(chosen, "alphas", "alpha") | _single(chosen, "tests", "test")
        return study_multiplicity(study.test_set, study.metrics, **chosen)
    _refuse(chosen, "without --together", "corrections")
    return study_type_one(study.test_set, study.metrics, **chosen)


def _refuse(options: dict[str, Any], when: str, *names: str) -> None:
    """Refuse options that would have no effect."""
    for name in names:
        if name in options:
            raise SettingError(name, options[name], f"nothing {when}, where it has no meaning")


def _single(options: dict[str, Any], several: str, name: str) -> dict[str, Any]:
    """One value, where an option may have been given several times."""
    values: Sequence[Any] = options.pop(several, ())
    if len(values) > 1:
        raise SettingError(name, values, "one only")
    return {name: values[0]} if values else {}
