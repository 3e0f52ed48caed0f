"""Write docs/reference/python.md below its mark: the public names, from each ``__all__``.

.venv/bin/python -m tools.python_reference
"""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Mapping
from dataclasses import MISSING
from importlib import import_module
from pathlib import Path
from textwrap import fill

import click

import truebleu
from tools.man_pages import commands
from truebleu.cli.main import truebleu as program
from truebleu.schema import Parameter, declared_by, is_verb

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "python.md"
# Mark of the page; this script writes everything below it.
MARK = "<!-- written by tools/python_reference.py -->\n"
# The command line is documented as such, and the drop-in by sacreBLEU.
NOT_FOR_PYTHON = ("cli", "compat")
COMMANDS = [
    context.command_path.removeprefix("truebleu ")
    for context in commands(program, click.Context(program, info_name="truebleu"))
]
# Number of arguments of a function to show.
SHOWN = 3
WIDTH = 100


def public_packages() -> list[str]:
    """List the package, then every subpackage with an ``__all__``."""
    inside = [
        f"truebleu.{module.name}"
        for module in pkgutil.iter_modules(truebleu.__path__)
        if not module.name.startswith("_") and module.name not in NOT_FOR_PYTHON
    ]
    return ["truebleu", *(name for name in inside if hasattr(import_module(name), "__all__"))]


def reference() -> str:
    """Return a table of names for each package."""
    return "\n".join(_section(package) for package in public_packages())


def page() -> str:
    """Return the page: the part written by hand, then the names."""
    by_hand, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    return f"{by_hand}{mark}\n{reference()}"


def _section(package: str) -> str:
    """Return a package's description and its public names, without its subpackages.

    Names that are also in `truebleu` are described there.
    """
    module = import_module(package)
    public = [name for name in module.__all__ if not inspect.ismodule(getattr(module, name))]
    names = sorted(public, key=lambda name: (name.lower(), name))
    same = [] if module is truebleu else [name for name in names if _is_of_truebleu(module, name)]
    own = [name for name in names if name not in same]
    lines = [f"## `{package}`", "", fill(_first_line(module), WIDTH), ""]
    if own:
        rows = [f"| `{_call(module, name)}` | {_about(module, name)} |" for name in own]
        lines += ["| name | |", "|---|---|", *rows, ""]
    if same:
        listed = ", ".join(f"`{name}`" for name in same)
        lines += [fill(f"As in [`truebleu`](#truebleu): {listed}", WIDTH), ""]
    verbs = [options for name in own if (options := _options(name, getattr(module, name)))]
    return "\n".join([*lines, *verbs])


def _is_of_truebleu(module: object, name: str) -> bool:
    return name in truebleu.__all__ and getattr(module, name) is getattr(truebleu, name)


def _options(name: str, value: object) -> str:
    """Return the table of a verb's options that its command lacks, or nothing."""
    rows = []
    for option, declared in _declared(value).items():
        if _command(name) and declared.setting.option:
            continue
        default = "" if declared.default is MISSING else f" = {declared.default!r}"
        kind = inspect.formatannotation(declared.annotation).replace("collections.abc.", "")
        cells = f"{option}: {kind}{default}", declared.setting.help
        rows.append("| `{}` | {} |".format(*(cell.replace("|", r"\|") for cell in cells)))
    return "\n".join([f"| option of `{name}` | |", "|---|---|", *rows, ""]) if rows else ""


def _about(module: object, name: str) -> str:
    """Return a name's description; a verb has a link to its options, if its command has them."""
    about = description(module, name)
    command = _command(name)
    declared = _declared(getattr(module, name))
    if not (command and declared):
        return about
    end = "" if about.endswith("?") else "."
    link = f"{about}{end} [Options](command-line.md#truebleu-{command.replace(' ', '-')})"
    flags = {option: each.setting.flags for option, each in declared.items()}
    other = [
        f"`{option}` is `{names[-1]}`"
        for option, names in flags.items()
        if names and f"--{option.replace('_', '-')}" not in names
    ]
    return f"{link} ({', '.join(other)})" if other else link


def _declared(value: object) -> Mapping[str, Parameter]:
    return declared_by(value) if callable(value) and is_verb(value) else {}


def _command(verb: str) -> str:
    """Return the command with a verb's name, or nothing."""
    name = verb.replace("_", "-").replace("study-", "study ", 1)
    return name if name in COMMANDS else ""


def _call(module: object, name: str) -> str:
    """Format a function with its first arguments, anything else by its name."""
    value = getattr(module, name)
    if not inspect.isfunction(value):
        return name
    arguments = list(inspect.signature(value).parameters)
    more = ["…"] if len(arguments) > SHOWN else []
    return f"{name}({', '.join([*arguments[:SHOWN], *more])})"


def description(module: object, name: str) -> str:
    """Return the first line of the docstring, with links to the pages that it names."""
    value = getattr(module, name)
    if isinstance(value, Mapping):
        return "by name: " + ", ".join(f"`{key}`" for key in value)
    if isinstance(value, tuple) and all(isinstance(each, str) for each in value):
        return "one of " + ", ".join(f"`{each}`" for each in value)
    if name == "__version__":
        return "the version, which is part of every signature"
    if not (inspect.isclass(value) or callable(value)):
        return "constants" if isinstance(value, tuple) else "a type, for annotations"
    if not value.__module__.startswith("true"):
        return "a type, for annotations"
    line = _first_line(value).replace("|", r"\|")
    linked = re.sub(r"docs/((?:[\w-]+/)*)([\w-]+)\.md", _link, line)
    return linked.removesuffix(".")


def _link(match: re.Match[str]) -> str:
    folder, page = match.groups()
    inside = (
        folder.removeprefix("reference/") if folder.startswith("reference/") else f"../{folder}"
    )
    return f"[{page}]({inside}{page}.md)"


def _first_line(value: object) -> str:
    return (inspect.getdoc(value) or "").split("\n")[0].replace("``", "`")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
