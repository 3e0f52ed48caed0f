"""Packages whose public names are imported on first use."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import types
    from collections.abc import Callable


def lazy_package(
    package: str, *others: str
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Make ``__getattr__`` and ``__dir__`` of a package from the ``__all__`` of its modules.

    Args:
        package: name of the package.
        others: modules of other packages whose public names the package also has.
    """

    @cache
    def homes() -> dict[str, types.ModuleType]:
        modules = [import_module(other) for other in others]
        for module in iter_modules(sys.modules[package].__path__):
            with suppress(ImportError):  # the module needs a library that is not installed
                modules.append(import_module(f"{package}.{module.name}"))
        return {name: module for module in modules for name in getattr(module, "__all__", ())}

    def public(name: str) -> object:
        if name == "__all__":
            return sorted(homes())
        # Modules may import each other: a half-imported module has no public names yet.
        if name.startswith("_") or find_spec(f"{package}.{name}") or name not in homes():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(homes()[name], name)
        setattr(sys.modules[package], name, value)
        return value

    return public, lambda: sorted(homes())
