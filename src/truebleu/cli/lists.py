"""Options that take several numbers, with commas between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def shares_option(usual: Sequence[float]) -> Decorator:
    """Parts of the test set in percent; without it, the usual ones."""
    listed = ",".join(f"{100 * share:g}" for share in usual)
    return click.option(
        "--shares",
        metavar="P,P,...",
        callback=percents,
        help=f"Percents of the test set to use. Default: {listed}.",
    )


def numbers_option(name: str, metavar: str, help_: str) -> Decorator:
    """Whole numbers; None without the option."""
    return click.option(name, metavar=metavar, callback=whole_numbers, help=help_)


def percents(
    _context: click.Context, option: click.Parameter, value: str | None
) -> tuple[float, ...] | None:
    """Shares, of percents: what an option's callback makes of its text."""
    if value is None:
        return None
    try:
        return tuple(float(part) / 100 for part in value.split(","))
    except ValueError:
        expected = "percents with commas between them, such as 10,50,100"
        raise SettingError(str(option.name), value, expected) from None


def whole_numbers(
    _context: click.Context, option: click.Parameter, value: str | None
) -> tuple[int, ...] | None:
    """The numbers: what an option's callback makes of its text."""
    if value is None:
        return None
    try:
        return tuple(int(part) for part in value.split(","))
    except ValueError:
        expected = "whole numbers with commas between them, such as 100,1000"
        raise SettingError(str(option.name), value, expected) from None
