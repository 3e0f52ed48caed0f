"""How commands read n-best lists and their references, and write what was chosen from them."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from truebleu.cli._command import Option, verb_options
from truebleu.cli.main import progress_bar, warn
from truebleu.corpus._reading import read_test_set
from truebleu.corpus.nbest_files import ListFormat, read_lists

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from truebleu.corpus.nbest import NBest
    from truebleu.corpus.test_set import TextLike

SETTINGS = [field.name for field in fields(ListFormat)]


def list_reader(options: dict[str, Any]) -> Callable[[str], NBest]:
    """Reads lists in the way that a command's options say, which are taken from them."""
    how = ListFormat(**{name: options.pop(name) for name in SETTINGS})

    def read(path: str) -> NBest:
        with progress_bar(0, "reading"):
            return read_lists(path, how)

    return read


def list_options(*, required: bool = True) -> list[click.Parameter]:
    """The argument LISTS, and how lists are read, which `list_reader` takes."""
    return [click.Argument(["lists"], required=required), *verb_options(ListFormat)]


def reference_option(of: str = "", text: str = "") -> Option:
    """References of lists: `references`, by ``-r``; or those of other lists, such as of "test"."""
    flags = [f"--{of}-reference", f"{of}_references"] if of else ["-r", "--reference", "references"]
    usual = f"A reference of the {of} lists; repeat for several."
    usual = usual if of else "A reference; repeat for several."
    return Option(flags, group="Texts", metavar="FILE", multiple=True, help=text or usual)


def read_references(written: Sequence[str]) -> dict[str, TextLike] | None:
    """The references of a command by what messages call them, or None where there are none."""
    if not written:
        return None
    test_set = read_test_set([], written)
    for warning in test_set.warnings:
        warn(warning.message)
    texts = test_set.references
    # A file may hold several references, which then have names of their own.
    names = written if len(set(written)) == len(texts) else test_set.reference_names
    return dict(zip(names, texts, strict=True))


def as_lines(texts: Iterable[str]) -> bytes:
    """One line for each text: a line break inside one becomes a blank."""
    lines = (" ".join(text.split("\n")).rstrip("\r") + "\n" for text in texts)
    return "".join(lines).encode()
