"""A copy of sacreBLEU with truebleu's kernels; a plain ``import sacrebleu`` stays unchanged.

    import truebleu.compat.sacrebleu as sacrebleu

is the only change that existing code needs. The modules of the installed sacreBLEU are loaded a
second time under this name, with their classes, functions, messages and numbers.

>>> corpus_bleu(["the cat sat on the mat"], [["the cat sat on a mat"]])
BLEU = 53.73 83.3/60.0/50.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from truebleu.compat._patch import Patch
from truebleu.errors import MissingExtraError

if TYPE_CHECKING:
    from sacrebleu import *

_spec = find_spec("sacrebleu")
if _spec is None or _spec.loader is None or _spec.submodule_search_locations is None:
    raise MissingExtraError("truebleu.compat.sacrebleu", "sacrebleu")
__path__ = list(_spec.submodule_search_locations)
exec(_spec.loader.get_code("sacrebleu"), globals())  # type: ignore[attr-defined]  # noqa: S102
Patch(__name__).open(signed=False)
