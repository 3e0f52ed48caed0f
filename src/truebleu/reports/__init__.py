"""Step 6, render: results become text. Nothing is computed here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.reports.json import json_text
from truebleu.reports.scores import score_table, segment_table
from truebleu.reports.table import RENDERERS

if TYPE_CHECKING:
    from truebleu.metrics.score import Scores

FORMATS = (*RENDERERS, "json")


def render(scores: Scores, format_: str = "text", *, details: bool = False) -> str:
    """Scores in one of FORMATS, ending with a line feed."""
    if format_ == "json":
        return json_text(scores.to_dict())
    by_segment = any(system.segments is not None for system in scores.systems)
    # People see as many decimals as a metric deserves; a table for programs keeps every digit.
    every = format_ == "tsv"
    table = segment_table(scores, every) if by_segment else score_table(scores, every, details)
    return RENDERERS[format_](table)
