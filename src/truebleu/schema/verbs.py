"""Verbs, whose arguments are checked against their declarations."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, replace
from functools import cache, wraps
from numbers import Integral, Real
from typing import Any, TypeVar, cast

from truebleu.errors import UnknownNameError
from truebleu.schema.declare import Parameter, read_parameter

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def verb(function: Decorated) -> Decorated:
    """A public function whose arguments are checked against its declaration."""
    names = tuple(inspect.signature(function).parameters)

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        declared = parameters_of(function)
        for name, value in (*zip(names, arguments, strict=False), *named.items()):
            if name not in declared:
                raise UnknownNameError("argument", name, names)
            declared[name].check(value)
        return function(*map(_own_number, arguments), **{k: _own_number(named[k]) for k in named})

    call.__doc__ = _completed(function)
    return cast("Decorated", call)


def _own_number(value: Any) -> Any:
    """A number of any kind as Python's own, which JSON can hold; anything else as it is."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return value
    return int(value) if isinstance(value, Integral) else float(value)


def checked_fields(settings: Any) -> None:
    """Refuse what a dataclass of settings cannot hold; for its ``__post_init__``."""
    for name, parameter in _fields_of(type(settings)).items():  # type: ignore[arg-type]
        parameter.check(getattr(settings, name))


Settings = TypeVar("Settings")


def picked(kind: type[Settings], arguments: Mapping[str, Any], **chosen: Any) -> Settings:
    """Settings of what a verb was called with.

    Args:
        kind: a dataclass of settings, whose fields have the names of the verb's parameters.
        arguments: what the verb was called with, by name: its ``locals()``.
        chosen: what takes the place of the argument of that name.
    """
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # dataclasses only
    return kind(**{name: arguments[name] for name in names if name in arguments} | chosen)


@cache
def parameters_of(function: Callable[..., Any]) -> dict[str, Parameter]:
    """The settings that a verb or a class of settings declares, by name."""
    function = inspect.unwrap(function)
    helps = argument_lines(function.__doc__ or "")
    scope = vars(inspect.getmodule(function))
    declared = {}
    for name, parameter in inspect.signature(function).parameters.items():
        default = MISSING if parameter.default is inspect.Parameter.empty else parameter.default
        read = read_parameter(name, parameter.annotation, default, scope)
        if not read.setting.help and name in helps:
            read = replace(read, setting=replace(read.setting, help=helps[name]))
        declared[name] = read
    return declared


@cache
def _fields_of(settings: type) -> dict[str, Parameter]:
    declared = {}
    for base in reversed(settings.__mro__):
        scope = vars(inspect.getmodule(base))
        for name, annotation in vars(base).get("__annotations__", {}).items():
            declared[name] = read_parameter(name, annotation, MISSING, scope)
    return {field.name: declared[field.name] for field in fields(settings) if field.init}


def argument_lines(docstring: str) -> dict[str, str]:
    """What stands under ``Args:`` or ``Attributes:``, by name, each on one line."""
    _, *sections = re.split(r"^(?:Args|Attributes):\n", inspect.cleandoc(docstring), flags=re.M)
    section = sections[0] if sections else ""
    lines: dict[str, str] = {}
    name = ""
    for line in section.splitlines():
        if line and not line.startswith(" "):
            break
        entry = re.fullmatch(r"    (\w+): (.*)", line)
        if entry is not None:
            name = entry[1]
            lines[name] = entry[2]
        elif line.strip() and name:
            lines[name] += f" {line.strip()}"
    return lines


def _completed(function: Callable[..., Any]) -> str | None:
    """The docstring, with the help of shared settings under ``Args:``, in the signature's order."""
    if not function.__doc__:
        return None
    document = inspect.cleandoc(function.__doc__)
    own = argument_lines(document)
    helps = {name: declared.setting.help for name, declared in parameters_of(function).items()}
    entries = [
        f"    {name}: {own.get(name) or text}"
        for name, text in helps.items()
        if text or name in own
    ]
    head, _, rest = document.partition("\nArgs:\n")
    after = re.search(r"^\S", rest, re.MULTILINE)
    tail = f"\n{rest[after.start() :]}" if after else ""
    return f"{head.rstrip()}\n\nArgs:\n" + "\n".join(entries) + f"\n{tail}" if entries else document
