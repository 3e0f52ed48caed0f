"""What the papers measured, on your own data: one module per study.

Each study is a function that takes a test set and keywords, and returns a typed result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._lazy import lazy_names

if TYPE_CHECKING:
    from truebleu.studies.accuracy import AccuracyResult, study_accuracy
    from truebleu.studies.coverage import CoverageResult, study_coverage
    from truebleu.studies.length import LengthResult, study_length
    from truebleu.studies.power import PowerResult, study_power
    from truebleu.studies.references import ReferencesResult, study_references
    from truebleu.studies.replicates import ReplicatesResult, study_replicates
    from truebleu.studies.sampling import SamplingResult, study_sampling
    from truebleu.studies.sensitivity import SensitivityResult, study_sensitivity
    from truebleu.studies.smoothing import SmoothingResult, study_smoothing
    from truebleu.studies.test_size import TestSizeResult, study_test_size
    from truebleu.studies.type_one import (
        EquivalentsResult,
        MultiplicityResult,
        TypeOneResult,
        study_equivalents,
        study_multiplicity,
        study_type_one,
    )

_HOMES = {
    "AccuracyResult": "accuracy",
    "study_accuracy": "accuracy",
    "CoverageResult": "coverage",
    "study_coverage": "coverage",
    "EquivalentsResult": "type_one",
    "study_equivalents": "type_one",
    "LengthResult": "length",
    "study_length": "length",
    "MultiplicityResult": "type_one",
    "study_multiplicity": "type_one",
    "PowerResult": "power",
    "study_power": "power",
    "ReferencesResult": "references",
    "study_references": "references",
    "ReplicatesResult": "replicates",
    "study_replicates": "replicates",
    "SamplingResult": "sampling",
    "study_sampling": "sampling",
    "SensitivityResult": "sensitivity",
    "study_sensitivity": "sensitivity",
    "SmoothingResult": "smoothing",
    "study_smoothing": "smoothing",
    "TestSizeResult": "test_size",
    "study_test_size": "test_size",
    "TypeOneResult": "type_one",
    "study_type_one": "type_one",
}

__all__ = [
    "AccuracyResult",
    "CoverageResult",
    "EquivalentsResult",
    "LengthResult",
    "MultiplicityResult",
    "PowerResult",
    "ReferencesResult",
    "ReplicatesResult",
    "SamplingResult",
    "SensitivityResult",
    "SmoothingResult",
    "TestSizeResult",
    "TypeOneResult",
    "study_accuracy",
    "study_coverage",
    "study_equivalents",
    "study_length",
    "study_multiplicity",
    "study_power",
    "study_references",
    "study_replicates",
    "study_sampling",
    "study_sensitivity",
    "study_smoothing",
    "study_test_size",
    "study_type_one",
]
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
