"""``truebleu sacrebleu``: hands the arguments to the drop-in as they are."""

from __future__ import annotations

import sys

import click


@click.command(
    "sacrebleu",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Score with sacreBLEU's command line."""
    from truebleu.compat.sacrebleu.sacrebleu import main

    sys.exit(main(arguments))
