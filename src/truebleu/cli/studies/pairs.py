"""The options of studies that compare pairs of systems: which pairs, and by which tests."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from truebleu.errors import SettingError
from truebleu.studies._pairs import PAIR_KINDS, TEST_NAMES, TESTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

TESTS_HELP = "; ".join(f"{test}: {TEST_NAMES[test]}" for test in TESTS)


def pair_options(usual: str) -> Decorator:
    """Which pairs; the study gets `pairs`, None where nothing was chosen, and `baseline`."""

    def decorate(study: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(study)
        def command(
            *arguments: Any, kind: str | None, named: Sequence[tuple[str, str]], **options: Any
        ) -> Any:
            if kind is not None and named:
                raise SettingError("pair", " ".join(named[0]), f"no --pairs {kind} beside it")
            return study(*arguments, pairs=list(named) or kind, **options)

        for option in (
            click.option(
                "--baseline", metavar="NAME", help="Compare all others with this system only."
            ),
            click.option(
                "--pair",
                "named",
                nargs=2,
                multiple=True,
                metavar="NAME NAME",
                help="A pair of systems; repeat for several.",
            ),
            click.option(
                "--pairs",
                "kind",
                type=click.Choice(PAIR_KINDS),
                help="Systems one rank apart, up to two ranks apart as in the paper, or all. "
                f"Default: {usual}.",
            ),
        ):
            command = option(command)
        return command

    return decorate


def tests_option(usual: Sequence[str]) -> Decorator:
    """Several tests on the same samples; the usual ones where none is given."""
    return click.option(
        "--test",
        "tests",
        type=click.Choice(TESTS),
        multiple=True,
        default=list(usual),
        show_default=True,
        help=f"A test; repeat for several. {TESTS_HELP}.",
    )
