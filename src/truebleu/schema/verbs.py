"""Verbs, whose arguments are checked against their declarations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, replace
from functools import cache, wraps
from typing import Any, TypeVar, cast

from truebleu.errors import UnknownNameError
from truebleu.schema.declare import Parameter, own_number, read_parameter
from truebleu.schema.docstrings import argument_lines, with_arguments

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
        return function(*map(own_number, arguments), **{k: own_number(named[k]) for k in named})

    call.__doc__ = _completed(function)
    return cast("Decorated", call)


Kept = TypeVar("Kept")


def picked(kind: type[Kept], arguments: Mapping[str, Any], **chosen: Any) -> Kept:
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


def _completed(function: Callable[..., Any]) -> str | None:
    """The docstring, with the help of shared settings under ``Args:``, in the signature's order."""
    helps = {name: declared.setting.help for name, declared in parameters_of(function).items()}
    return with_arguments(function.__doc__, helps)
