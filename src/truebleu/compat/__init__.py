"""Doors for code that was written for other tools.

`install` puts truebleu in the place of sacreBLEU: whoever imports ``sacrebleu`` or one of its
modules afterwards gets `truebleu.compat.sacrebleu`, the same numbers, sooner. Signatures say so by
their version, such as ``2.6.0+truebleu.0.1.0``. ``python -m truebleu.compat script.py`` does this
for a script that is not yours to change.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from typing import TYPE_CHECKING

from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

__all__ = ["install", "uninstall"]

PLACE = "sacrebleu"
DROP_IN = "truebleu.compat.sacrebleu"


class _StandIn:
    """Finds and loads modules below `sacrebleu`: they are those of the drop-in."""

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """The place of a module, if it is one of sacreBLEU's that the drop-in has."""
        if name != PLACE and not name.startswith(PLACE + "."):
            return None
        spec = find_spec(DROP_IN + name[len(PLACE) :])
        if spec is None:
            raise ModuleNotFoundError(
                f"{name}: truebleu stands in for sacrebleu and has no such module", name=name
            )
        package = spec.submodule_search_locations is not None
        return ModuleSpec(name, self, is_package=package)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The drop-in's own module, so that classes are the same by either name."""
        module = import_module(DROP_IN + spec.name[len(PLACE) :])
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to do but to give the module back what it says of itself."""
        spec = module.__spec__
        if spec is not None:
            module.__spec__ = spec.loader_state


_FINDER = _StandIn()


def install() -> None:
    """Let `import sacrebleu` give truebleu from now on; again is no error.

    Raises:
        SettingError: The real sacreBLEU is loaded already: what holds it would go on using it.
    """
    from truebleu.compat.sacrebleu import version

    if _FINDER in sys.meta_path:
        return
    loaded = sys.modules.get(PLACE)
    if loaded is not None:
        raise SettingError(
            PLACE,
            f"the real one, loaded from {getattr(loaded, '__file__', None)}",
            "that nothing has imported it yet: call truebleu.compat.install() first",
        )
    sys.meta_path.insert(0, _FINDER)
    version.standing_in = True


def uninstall() -> None:
    """Give the name back; modules that have imported it keep what they have."""
    from truebleu.compat.sacrebleu import version

    if _FINDER not in sys.meta_path:
        return
    sys.meta_path.remove(_FINDER)
    version.standing_in = False
    for name in [name for name in sys.modules if name == PLACE or name.startswith(PLACE + ".")]:
        del sys.modules[name]
