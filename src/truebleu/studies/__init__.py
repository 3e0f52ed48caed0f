"""What the papers measured, on your own data: one module per study.

Each study is a function that takes a test set and keywords, and returns a typed result.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.studies.coverage import (
        CoverageResult as CoverageResult,
        study_coverage as study_coverage,
    )
    from truebleu.studies.length import LengthResult as LengthResult, study_length as study_length
    from truebleu.studies.multiplicity import (
        MultiplicityResult as MultiplicityResult,
        study_multiplicity as study_multiplicity,
    )
    from truebleu.studies.nbest import (
        RerankingResult as RerankingResult,
        TuningResult as TuningResult,
        study_reranking as study_reranking,
        study_tuning as study_tuning,
    )
    from truebleu.studies.power import (
        AccuracyResult as AccuracyResult,
        PowerResult as PowerResult,
        TrialOptions as TrialOptions,
        study_accuracy as study_accuracy,
        study_power as study_power,
    )
    from truebleu.studies.references import (
        ReferencesResult as ReferencesResult,
        study_references as study_references,
    )
    from truebleu.studies.replicates import (
        ReplicatesResult as ReplicatesResult,
        study_replicates as study_replicates,
    )
    from truebleu.studies.sampling import (
        SamplingResult as SamplingResult,
        study_sampling as study_sampling,
    )
    from truebleu.studies.sensitivity import (
        SensitivityResult as SensitivityResult,
        study_sensitivity as study_sensitivity,
    )
    from truebleu.studies.smoothing import (
        SmoothingResult as SmoothingResult,
        study_smoothing as study_smoothing,
    )
    from truebleu.studies.test_size import (
        TestSizeResult as TestSizeResult,
        study_test_size as study_test_size,
    )
    from truebleu.studies.type_one import (
        EquivalentsResult as EquivalentsResult,
        TypeOneResult as TypeOneResult,
        study_equivalents as study_equivalents,
        study_type_one as study_type_one,
    )

# The public names, and the module that each lives in.
_HOMES = {
    "TrialOptions": "power",
    "AccuracyResult": "power",
    "study_accuracy": "power",
    "CoverageResult": "coverage",
    "study_coverage": "coverage",
    "LengthResult": "length",
    "study_length": "length",
    "PowerResult": "power",
    "study_power": "power",
    "ReferencesResult": "references",
    "study_references": "references",
    "ReplicatesResult": "replicates",
    "study_replicates": "replicates",
    "RerankingResult": "nbest",
    "study_reranking": "nbest",
    "SamplingResult": "sampling",
    "study_sampling": "sampling",
    "SensitivityResult": "sensitivity",
    "study_sensitivity": "sensitivity",
    "SmoothingResult": "smoothing",
    "study_smoothing": "smoothing",
    "TestSizeResult": "test_size",
    "study_test_size": "test_size",
    "TuningResult": "nbest",
    "study_tuning": "nbest",
    "EquivalentsResult": "type_one",
    "MultiplicityResult": "multiplicity",
    "TypeOneResult": "type_one",
    "study_equivalents": "type_one",
    "study_multiplicity": "multiplicity",
    "study_type_one": "type_one",
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
