"""Step 3, count and score: one file per metric, and a table of their names."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.metrics.base import (
        MeanMetric as MeanMetric,
        MeanScore as MeanScore,
        Metric as Metric,
        Score as Score,
        Signature as Signature,
    )
    from truebleu.metrics.bleu import BLEU as BLEU, BLEUScore as BLEUScore
    from truebleu.metrics.chrf import CHRF as CHRF, CHRFScore as CHRFScore
    from truebleu.metrics.dependency import (
        DependencyF as DependencyF,
        DependencyScore as DependencyScore,
    )
    from truebleu.metrics.function import FunctionMetric as FunctionMetric
    from truebleu.metrics.gtm import GTM as GTM, GTMScore as GTMScore
    from truebleu.metrics.length import (
        LengthRatio as LengthRatio,
        LengthRatioScore as LengthRatioScore,
    )
    from truebleu.metrics.mbleu import MBLEU as MBLEU, MBLEUScore as MBLEUScore
    from truebleu.metrics.nist import NIST as NIST, NISTScore as NISTScore
    from truebleu.metrics.registry import (
        metric_labels as metric_labels,
        parse_metric as parse_metric,
    )
    from truebleu.metrics.sentence_bleu import (
        SentenceBLEU as SentenceBLEU,
        SentenceBLEUScore as SentenceBLEUScore,
    )
    from truebleu.metrics.statistics_files import (
        SavedStatistics as SavedStatistics,
        SavedTestSet as SavedTestSet,
        read_all_statistics as read_all_statistics,
        read_statistics as read_statistics,
        save_statistics as save_statistics,
    )
    from truebleu.metrics.ter import TER as TER, TERScore as TERScore
    from truebleu.metrics.word_errors import (
        PER as PER,
        WER as WER,
        PERScore as PERScore,
        WERScore as WERScore,
    )

# The public names, and the module that each lives in.
_HOMES = {
    "MeanMetric": "base",
    "MeanScore": "base",
    "Metric": "base",
    "Score": "base",
    "Signature": "base",
    "BLEU": "bleu",
    "BLEUScore": "bleu",
    "CHRF": "chrf",
    "CHRFScore": "chrf",
    "DependencyF": "dependency",
    "DependencyScore": "dependency",
    "FunctionMetric": "function",
    "GTM": "gtm",
    "GTMScore": "gtm",
    "LengthRatio": "length",
    "LengthRatioScore": "length",
    "MBLEU": "mbleu",
    "MBLEUScore": "mbleu",
    "NIST": "nist",
    "NISTScore": "nist",
    "PER": "word_errors",
    "PERScore": "word_errors",
    "metric_labels": "registry",
    "parse_metric": "registry",
    "SentenceBLEU": "sentence_bleu",
    "SentenceBLEUScore": "sentence_bleu",
    "SavedStatistics": "statistics_files",
    "SavedTestSet": "statistics_files",
    "read_all_statistics": "statistics_files",
    "read_statistics": "statistics_files",
    "save_statistics": "statistics_files",
    "TER": "ter",
    "TERScore": "ter",
    "WER": "word_errors",
    "WERScore": "word_errors",
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
