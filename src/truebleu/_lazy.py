"""Public names that are imported when they are first used, so that importing is quick."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def lazy_name(package: str, homes: Mapping[str, Sequence[str]], name: str) -> object:
    """What a package's ``__getattr__`` gives.

    Args:
        package: the package's name.
        homes: the public names by the module that they live in; "." for modules of the package.
        name: what is asked for.
    """
    for home, names in homes.items():
        if name in names:
            module = import_module(f"{package}.{name if home == '.' else home}")
            value: object = module if home == "." else getattr(module, name)
            setattr(sys.modules[package], name, value)
            return value
    raise AttributeError(f"module {package!r} has no attribute {name!r}")
