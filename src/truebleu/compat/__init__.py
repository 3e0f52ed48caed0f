"""Doors for code that was written for other tools.

`install` puts truebleu in the place of sacreBLEU for programs that import it; ``python -m
truebleu.compat.run`` does so for a script that is not yours to change.
"""

from truebleu.compat._stand_in import install, uninstall

__all__ = ["install", "uninstall"]
