"""A group of commands that are imported when they are called, so that the others cost nothing."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

# What shells say of a program that was stopped: 128 and the number of the signal.
INTERRUPTED = 128 + 2
BROKEN_PIPE = 128 + 13


class LazyGroup(click.Group):
    """A group that knows its commands by name, module and one line of help."""

    def __init__(
        self, *arguments: Any, table: Mapping[str, tuple[str, str]], **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; an unknown name fails with the nearest known one."""
        if cmd_name not in self.table:
            from difflib import get_close_matches

            nearest = get_close_matches(cmd_name, self.table, n=1)
            guess = f" Did you mean {nearest[0]!r}?" if nearest else ""
            ctx.fail(f"No such command {cmd_name!r}.{guess}")
        module, _ = self.table[cmd_name]
        return cast("click.Command", import_module(module).command)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Click would exit with 1 when it is stopped: to a gate, that is a no."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # The reader has enough; Python must not complain again when it closes its output.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(BROKEN_PIPE)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands in the help text."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_) for name, (_, help_) in self.table.items()])
