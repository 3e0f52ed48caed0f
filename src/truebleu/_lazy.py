"""Public names that are imported when they are first used, so that importing is quick."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def attach(
    package: str, homes: Mapping[str, Sequence[str]], modules: Sequence[str] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """What a package's ``__getattr__``, ``__dir__`` and ``__all__`` are.

    Args:
        package: the package's name.
        homes: the public names by the module that they live in.
        modules: the modules that are public as a whole.
    """
    home_of = {name: module for module, names in homes.items() for name in names}
    public = sorted([*home_of, *modules])

    def get(name: str) -> object:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"{package}.{home_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, public.copy, public
