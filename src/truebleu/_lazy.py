"""Public names that are imported when they are first used, so that importing is quick."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType


def lazy_name(package: str, homes: Mapping[str, str], name: str) -> object:
    """What a package's ``__getattr__`` gives.

    Args:
        package: the package's name.
        homes: the public names, and the module that each lives in; modules live in themselves.
        name: what is asked for.
    """
    if name not in homes:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    module = import_module(f"{package}.{homes[name]}")
    value: object = module if homes[name] == name else getattr(module, name)
    setattr(sys.modules[package], name, value)
    return value


def lazy_package(
    package: str, *others: str
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package: what its modules have in their ``__all__``.

    Args:
        package: its name.
        others: modules of other packages whose public names it has, too.
    """
    return partial(_public, package, others), partial(_public_names, package, others)


def _modules(package: str, others: tuple[str, ...]) -> list[ModuleType]:
    modules = [import_module(other) for other in others]
    for found in iter_modules(sys.modules[package].__path__):
        with suppress(ImportError):  # of a library that is not installed
            modules.append(import_module(f"{package}.{found.name}"))
    return modules


def _public_names(package: str, others: tuple[str, ...]) -> list[str]:
    modules = _modules(package, others)
    return sorted({name for module in modules for name in getattr(module, "__all__", ())})


def _public(package: str, others: tuple[str, ...], name: str) -> object:
    if name == "__all__":
        return _public_names(package, others)
    if not name.startswith("__"):
        for module in _modules(package, others):
            if name in getattr(module, "__all__", ()):
                value: object = getattr(module, name)
                setattr(sys.modules[package], name, value)
                return value
    raise AttributeError(f"module {package!r} has no attribute {name!r}")
