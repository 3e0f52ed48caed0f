"""Public names that are imported when they are first used, so that importing is quick."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def lazy_name(package: str, homes: Mapping[str, str], name: str) -> object:
    """What a package's ``__getattr__`` gives.

    Args:
        package: the package's name.
        homes: the public names, with spaces between them, by the module that they live in.
        name: what is asked for.
    """
    for module, names in homes.items():
        if name in names.split():
            value: object = getattr(import_module(f"{package}.{module}"), name)
            setattr(sys.modules[package], name, value)
            return value
    raise AttributeError(f"module {package!r} has no attribute {name!r}")
