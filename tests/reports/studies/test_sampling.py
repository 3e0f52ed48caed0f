"""What is said and drawn of blocks and systematic samples."""

from __future__ import annotations

import numpy as np

from tests.studies.columns import sampling_row
from truebleu.simulation import simulate
from truebleu.studies.sampling import (
    study_sampling,
)

TEXTS = simulate(segments=120, systems=[0.3, 0.2, 0.1], references=2, seed=6)


def test_findings_say_what_a_block_is_worth() -> None:
    result = study_sampling(TEXTS, sizes=[20])
    mean = sampling_row(result, None, 20, of="score")
    worth = 20 / (mean.block.effect or 0)
    scores, differences = result.to_document().sentences
    assert f"A block of 20 is worth {worth:,.0f} independent segments" in scores
    assert "differences have" in differences


def test_the_chart_shows_blocks_beside_systematic_samples() -> None:
    for shown, other, name in (
        ("scores", None, "system-3"),
        ("differences", "system-2", "system-3 against system-2"),
    ):
        result = study_sampling(TEXTS, sizes=[6, 12, 20], shown=shown)  # type: ignore[arg-type]
        rows = result.to_document().charts[0].table.rows
        panels = list(dict.fromkeys(row["kind"] for row in rows))
        assert panels == [
            f"BLEU of {name}, {kind} of 12" for kind in ("blocks", "systematic samples")
        ]
        blocks = [row["score"] for row in rows if row["kind"] == panels[0]]
        row = sampling_row(result, "system-3", 12, other=other)
        assert np.array(blocks, dtype=float).max() == row.block.high
        assert rows[0]["whole"] == row.pool
