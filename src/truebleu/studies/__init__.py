"""What the papers measured, on your own data.

Each study is a function that takes a test set, metrics and keywords, and returns a `StudyResult`:
one tidy table, what it says, and a plot.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.studies._study import StudyResult as StudyResult
    from truebleu.studies.coverage import study_coverage as study_coverage
    from truebleu.studies.length import study_length as study_length
    from truebleu.studies.nbest import (
        study_reranking as study_reranking,
        study_tuning as study_tuning,
    )
    from truebleu.studies.power import study_accuracy as study_accuracy, study_power as study_power
    from truebleu.studies.replicates import study_replicates as study_replicates
    from truebleu.studies.sampling import study_sampling as study_sampling
    from truebleu.studies.sensitivity import study_sensitivity as study_sensitivity
    from truebleu.studies.smoothing import study_smoothing as study_smoothing
    from truebleu.studies.test_size import (
        study_references as study_references,
        study_test_size as study_test_size,
    )
    from truebleu.studies.type_one import (
        study_equivalents as study_equivalents,
        study_multiplicity as study_multiplicity,
        study_type_one as study_type_one,
    )

# The public names, and the module that each lives in, in the order of the papers.
_HOMES = {
    "study_sampling": "sampling",
    "study_coverage": "coverage",
    "study_power": "power",
    "study_accuracy": "power",
    "study_test_size": "test_size",
    "study_references": "test_size",
    "study_replicates": "replicates",
    "study_sensitivity": "sensitivity",
    "study_type_one": "type_one",
    "study_multiplicity": "type_one",
    "study_equivalents": "type_one",
    "study_length": "length",
    "study_smoothing": "smoothing",
    "study_tuning": "nbest",
    "study_reranking": "nbest",
    "StudyResult": "_study",
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
