"""``truebleu completion``: a script that lets a shell complete commands, options and names."""

from __future__ import annotations

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)

# What tells truebleu that a shell asks, and what it asks for.
VARIABLE = "_TRUEBLEU_COMPLETE"

EPILOG = """\b
To switch it on for good:
  truebleu completion bash > ~/.local/share/bash-completion/completions/truebleu
  truebleu completion zsh > ~/.zfunc/_truebleu     (with ~/.zfunc in fpath)
  truebleu completion fish > ~/.config/fish/completions/truebleu.fish

\b
To try it in this shell only:
  source <(truebleu completion bash)
"""


class _OrFiles(ShellComplete):
    """Where Click has nothing to offer, files: most of what is typed here are files."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """What could stand in place of the incomplete word."""
        items = super().get_completions(args, incomplete)
        if items or incomplete.startswith("-"):
            return items
        return [CompletionItem(incomplete, type="file")]


class _Bash(_OrFiles, BashComplete):
    pass


class _Zsh(_OrFiles, ZshComplete):
    pass


class _Fish(_OrFiles, FishComplete):
    pass


SHELLS: dict[str, type[ShellComplete]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


def register() -> None:
    """Let Click answer the shells by these classes."""
    for completion in SHELLS.values():
        add_completion_class(completion)


@click.command("completion", epilog=EPILOG)
@click.argument("shell", type=click.Choice(tuple(SHELLS)))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print a script for SHELL that completes truebleu's command lines."""
    script = SHELLS[shell](context.find_root().command, {}, "truebleu", VARIABLE)
    # source() would ask the installed shell for its version; the script may be for another machine.
    click.echo(script.source_template % script.source_vars())
