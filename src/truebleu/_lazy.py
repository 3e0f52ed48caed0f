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
        homes: the public names, and the module that each lives in, of the package unless its whole
            name is given; modules live in themselves.
        name: what is asked for.
    """
    if name not in homes:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    home = homes[name]
    module = import_module(home if home.startswith("truebleu.") else f"{package}.{home}")
    value: object = module if home == name else getattr(module, name)
    setattr(sys.modules[package], name, value)
    return value
