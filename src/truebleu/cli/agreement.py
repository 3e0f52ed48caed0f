"""The options that ``agree`` and ``choose`` share: how sure the answers should be."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

from truebleu.agreement.certainty.bootstrap import OVER
from truebleu.seeds import DEFAULT_SEED

if TYPE_CHECKING:
    from collections.abc import Callable

Command = TypeVar("Command", bound="Callable[..., object]")


def agreement_options(command: Command) -> Command:
    """What intervals draw, how often, and what metrics score."""
    for option in (
        click.option("--seed", type=int, default=DEFAULT_SEED, show_default=True),
        click.option(
            "--level", type=float, default=0.95, show_default=True, help="Confidence level."
        ),
        click.option(
            "--system-scores",
            type=click.Choice(["all", "rated"]),
            default="all",
            show_default=True,
            help="Score systems on all segments, or on those that people rated.",
        ),
        click.option(
            "--draws",
            type=int,
            default=1000,
            show_default=True,
            help="Exchanges in each permutation test; all there are of up to 14 systems.",
        ),
        click.option(
            "--samples",
            type=int,
            default=1000,
            show_default=True,
            help="Replicates of the intervals.",
        ),
        click.option(
            "--resample",
            type=click.Choice(OVER),
            default="segments",
            show_default=True,
            help="What the intervals draw.",
        ),
    ):
        command = option(command)
    return command
