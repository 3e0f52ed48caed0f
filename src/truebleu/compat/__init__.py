"""truebleu's kernels inside sacreBLEU: the same numbers, faster.

`install` puts the kernels into the installed sacreBLEU, for all modules of the process. The version
in signatures, such as ``2.6.0+truebleu.0.1.0``, then names truebleu. ``python -m truebleu.compat
script.py`` installs them for a script that you cannot change. `truebleu.compat.sacrebleu` is a
copy of sacreBLEU with the kernels, which leaves the plain ``import sacrebleu`` unchanged.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truebleu.compat._patch import Patch

__all__ = ["install", "uninstall"]


@cache
def _installed() -> Patch:
    from truebleu.compat._patch import Patch

    return Patch("sacrebleu")


def install() -> None:
    """Install truebleu's kernels in sacreBLEU, which may be imported already.

    Raises:
        MissingExtraError: if sacreBLEU is not installed.
    """
    _installed().open(signed=True)


def uninstall() -> None:
    """Restore sacreBLEU's own counting; objects made in the meantime keep working."""
    _installed().close()
