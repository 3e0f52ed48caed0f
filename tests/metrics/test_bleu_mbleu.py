"""M-BLEU: the penalty times a mean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.properties.plain import bleu_row
from tests.properties.texts import REPETITIVE as SEGMENT, REPETITIVE_REFERENCES as REFERENCES
from truebleu import BLEU
from truebleu.metrics import MBLEU


@given(SEGMENT, REFERENCES, st.integers(1, 9))
def test_mbleu_is_the_penalty_times_the_plain_mean(
    output: str, references: list[str], max_order: int
) -> None:
    length, reference_length, *counts = bleu_row(output, references, max_order)
    pairs = zip(counts[:max_order], counts[max_order:], strict=True)
    precisions = [match / total if total else 0.0 for match, total in pairs]
    penalty = min(1.0, np.exp(1 - reference_length / length)) if length else 0.0
    found = MBLEU(tokenize="none", max_order=max_order).sentence(output, references)
    assert found.score == pytest.approx(100 * penalty * sum(precisions) / max_order, abs=1e-10)


@given(SEGMENT, REFERENCES)
def test_mbleu_is_never_below_unsmoothed_bleu(output: str, references: list[str]) -> None:
    mbleu = MBLEU(tokenize="none").sentence(output, references).score
    bleu = BLEU(tokenize="none", smooth="none").corpus([output], [[text] for text in references])
    assert mbleu >= bleu.score - 1e-9
