"""BLEU, chrF and TER as objects, and the scores that they return."""

from truebleu.compat.sacrebleu.metrics.bleu import BLEU, BLEUScore
from truebleu.compat.sacrebleu.metrics.chrf import CHRF, CHRFScore
from truebleu.compat.sacrebleu.metrics.ter import TER, TERScore

METRICS: dict[str, type[BLEU] | type[CHRF] | type[TER]] = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}

__all__ = ["BLEU", "CHRF", "METRICS", "TER", "BLEUScore", "CHRFScore", "TERScore"]
