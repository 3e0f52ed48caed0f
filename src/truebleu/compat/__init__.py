"""truebleu's kernels inside sacreBLEU: the same numbers, sooner.

`install` puts them into the installed sacreBLEU, for every module of the process that uses it.
Signatures say so by their version, such as ``2.6.0+truebleu.0.1.0``. ``python -m truebleu.compat
script.py`` does this for a script that is not yours to change. `truebleu.compat.sacrebleu` is a
copy of sacreBLEU with the kernels, which leaves the plain ``import sacrebleu`` alone.
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
    """Let truebleu count in the installed sacreBLEU, whether it is loaded already or not.

    Raises:
        MissingExtraError: sacreBLEU is not installed.
    """
    _installed().open(signed=True)


def uninstall() -> None:
    """Let sacreBLEU count itself again; objects made meanwhile keep working."""
    _installed().close()
