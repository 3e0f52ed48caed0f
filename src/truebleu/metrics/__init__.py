"""Step 3, count and score: one file per metric, and a table of their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._lazy import lazy_names

if TYPE_CHECKING:
    from truebleu.metrics.base import MeanMetric, MeanScore, Metric, Score, Signature
    from truebleu.metrics.bleu import BLEU, BLEUScore
    from truebleu.metrics.chrf import CHRF, CHRFScore
    from truebleu.metrics.dependency import DependencyF, DependencyScore
    from truebleu.metrics.function import FunctionMetric
    from truebleu.metrics.given import GivenScores
    from truebleu.metrics.gtm import GTM, GTMScore
    from truebleu.metrics.length import LengthRatio, LengthRatioScore
    from truebleu.metrics.mbleu import MBLEU, MBLEUScore
    from truebleu.metrics.nist import NIST, NISTScore
    from truebleu.metrics.per import PER, PERScore
    from truebleu.metrics.registry import metric_labels, parse_metric
    from truebleu.metrics.sentence_bleu import SentenceBLEU, SentenceBLEUScore
    from truebleu.metrics.statistics_files import SavedStatistics, read_statistics, save_statistics
    from truebleu.metrics.ter import TER, TERScore
    from truebleu.metrics.wer import WER, WERScore

_HOMES = {
    "BLEU": "bleu",
    "BLEUScore": "bleu",
    "CHRF": "chrf",
    "CHRFScore": "chrf",
    "DependencyF": "dependency",
    "DependencyScore": "dependency",
    "FunctionMetric": "function",
    "GTM": "gtm",
    "GTMScore": "gtm",
    "GivenScores": "given",
    "LengthRatio": "length",
    "LengthRatioScore": "length",
    "MBLEU": "mbleu",
    "MBLEUScore": "mbleu",
    "MeanMetric": "base",
    "MeanScore": "base",
    "Metric": "base",
    "NIST": "nist",
    "NISTScore": "nist",
    "PER": "per",
    "PERScore": "per",
    "SavedStatistics": "statistics_files",
    "Score": "base",
    "SentenceBLEU": "sentence_bleu",
    "SentenceBLEUScore": "sentence_bleu",
    "Signature": "base",
    "TER": "ter",
    "TERScore": "ter",
    "WER": "wer",
    "WERScore": "wer",
    "metric_labels": "registry",
    "parse_metric": "registry",
    "read_statistics": "statistics_files",
    "save_statistics": "statistics_files",
}

__all__ = [
    "BLEU",
    "CHRF",
    "GTM",
    "MBLEU",
    "NIST",
    "PER",
    "TER",
    "WER",
    "BLEUScore",
    "CHRFScore",
    "DependencyF",
    "DependencyScore",
    "FunctionMetric",
    "GTMScore",
    "GivenScores",
    "LengthRatio",
    "LengthRatioScore",
    "MBLEUScore",
    "MeanMetric",
    "MeanScore",
    "Metric",
    "NISTScore",
    "PERScore",
    "SavedStatistics",
    "Score",
    "SentenceBLEU",
    "SentenceBLEUScore",
    "Signature",
    "TERScore",
    "WERScore",
    "metric_labels",
    "parse_metric",
    "read_statistics",
    "save_statistics",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
