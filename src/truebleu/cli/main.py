"""A group of commands that are imported when they are called, so that the others cost nothing."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, cast

import click

from truebleu._core import VERSION
from truebleu.errors import TruebleuError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# What shells say of a program that was stopped: 128 and the number of the signal.
INTERRUPTED = 128 + 2
BROKEN_PIPE = 128 + 13


class LazyGroup(click.Group):
    """A group that knows its commands by name, module and one line of help.

    A module's command is its `command`, or what follows a colon: "truebleu.cli._studies:power".
    """

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
        module, _, name = self.table[cmd_name][0].partition(":")
        return cast("click.Command", getattr(import_module(module), name or "command"))

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


# The command ``truebleu``: its sub-commands, loaded when they are asked for.


# What sysexits.h calls an internal software error.
BUG = 70

# Name, module and one line of help: listing the commands must not import them.
COMMANDS = {
    "score": ("truebleu.cli.score", "Score systems by BLEU, chrF, TER and other metrics."),
    "compare": ("truebleu.cli.compare", "Tell which differences between systems are real."),
    "gate": ("truebleu.cli.gate", "Let a new system pass unless it is worse than the old."),
    "agree": ("truebleu.cli.agree", "Tell how well metrics agree with people."),
    "choose": (
        "truebleu.cli.choose",
        "Choose the settings of a metric that agree best with people.",
    ),
    "plan": ("truebleu.cli.plan", "Say how large a test set must be to find a difference."),
    "sample": ("truebleu.cli.sample", "Draw a test set from a pool."),
    "nbest": ("truebleu.cli.nbest", "Say what is in n-best lists, and how good their best is."),
    "mbr": ("truebleu.cli.mbr", "Choose the candidate with the highest expected utility."),
    "study": ("truebleu.cli.study", "Measure how far scores, intervals and tests can be trusted."),
    "demo": ("truebleu.cli.demo", "Simulate a test set and score it."),
    "sacrebleu": ("truebleu.cli.sacrebleu", "Score with sacreBLEU's command line."),
}

EPILOG = """\b
Examples:
  truebleu score -r ref.txt system.txt
  truebleu score -r ref.txt old=a.txt new=b.txt -m bleu -m chrf:word_order=2
  truebleu compare -r ref.txt old=a.txt new=b.txt
  truebleu gate new.txt old.txt -r ref.txt
  truebleu agree -r ref.txt sys/ --human mqm.tsv -m bleu -m chrf
  truebleu plan -r ref.txt old.txt new.txt --difference 0.5
  truebleu mbr samples.jsonl -m chrf -o best.txt
  truebleu study type-one -r ref.txt a.txt b.txt
  truebleu sacrebleu ref.txt -i system.txt -m bleu chrf
"""


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(VERSION, prog_name="truebleu")
def truebleu() -> None:
    """Is the difference between two translation systems real?"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line: exit 0 = answered, 1 = gate says no, 2 = bad usage or bad input."""
    _write_any_name()
    try:
        truebleu(args=arguments, prog_name="truebleu")
    except TruebleuError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    except OSError as error:
        click.echo(f"error: {error.filename or 'output'}: {error.strerror}", err=True)
        sys.exit(2)
    except Exception:
        # A crash must not look like a gate's no, and Python's own exit status for it is 1.
        from traceback import print_exc

        print_exc()
        click.echo("error: this is a bug in truebleu; please report it", err=True)
        sys.exit(BUG)


def _write_any_name() -> None:
    """Makes files and pipes UTF-8, and lets a name through that the encoding cannot hold.

    The escapes of file names that are not UTF-8 look like JSON's own, so JSON stays valid.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")
