"""Small n-best lists in a folder, and commands that read them."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from truebleu.cli.main import truebleu

SHORT = (
    "0 ||| a dog sat ||| LM0= -1 ||| -1\n"
    "0 ||| the cat sat ||| LM0= -2 ||| -2\n"
    "0 ||| the cat ran ||| LM0= -3 ||| -3\n"
    "1 ||| yes ||| LM0= -1 ||| -1\n"
)


def write_short_lists() -> None:
    """Three candidates for a segment, one for another, and a reference."""
    Path("lists").write_text(SHORT)
    Path("ref").write_text("the cat sat\nyes\n")


def write_eight_lists(first: str, second: str) -> None:
    """Eight lists of two candidates with these features, the second of which is right."""
    lines = []
    for segment in range(8):
        lines.append(f"{segment} ||| a dog sat there ||| {first.format(segment)} ||| -1\n")
        lines.append(f"{segment} ||| the cat sat here ||| {second.format(segment)} ||| -2\n")
    Path("lists").write_text("".join(lines))
    Path("ref").write_text("the cat sat here\n" * 8)


def refusal(*arguments: str) -> str:
    """What ``truebleu`` says where it refuses to run: by Click's words or by our own."""
    result = run(*arguments)
    assert result.exit_code != 0
    return f"{result.output}{result.exception}"


def run(*arguments: str) -> Result:
    """Run ``truebleu``; errors are in the result."""
    return CliRunner().invoke(truebleu, arguments, catch_exceptions=True)
