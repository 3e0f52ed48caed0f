"""Submissions to WMT's metrics task: 9 fields for each segment, without a header.

METRIC LP TESTSET DOMAIN DOC REF SYSTEM SEGNO SCORE, with tabs between them, segments from 1. Files
of system scores have 7 fields, and no segments to compare. Two fields, SYSTEM and SCORE, are
mt-metrics-eval's, and a table without a header.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truebleu.human._tables import NotAScoreError, parse_score
from truebleu.human.tools._scores import NumberedScores, ToolScores

if TYPE_CHECKING:
    from truebleu.human.tools._scores import ToolFile

LANGUAGE_PAIR = re.compile(r"[a-z]{2,3}(_[A-Za-z]+)?-[a-z]{2,3}(_[A-Za-z]+)?$")
SEGMENTS, SYSTEMS = 9, 7


def knows(file: ToolFile) -> bool:
    """Whether the first line has the fields of a submission."""
    fields = file.lines[0].split("\t") if file.lines else []
    if len(fields) not in (SEGMENTS, SYSTEMS) or LANGUAGE_PAIR.match(fields[1]) is None:
        return False
    try:
        parse_score(fields[-1])
    except NotAScoreError:
        return False
    return True


def read(file: ToolFile) -> ToolScores:
    """The scores of segments, of one metric, language pair, test set and reference."""
    file.refuse_column("a submission")
    if len(file.lines[0].split("\t")) == SYSTEMS:
        expected = f"scores of segments, with {SEGMENTS} fields"
        file.refuse(1, f"{SYSTEMS} fields, scores of systems", expected)
    scores = NumberedScores(file, first=1)
    about: tuple[str, ...] | None = None
    for number, line in enumerate(file.lines, 1):
        fields = line.split("\t")
        if len(fields) != SEGMENTS:
            file.refuse(number, f"{len(fields)} fields", str(SEGMENTS))
        name, pair, test_set, _, _, reference, system, written, score = fields
        here = (name, pair, test_set, reference)
        about = about or here
        if here != about:
            expected = f"{', '.join(about)} throughout: split the file by them"
            file.refuse(number, ", ".join(here), expected)
        if not written.isascii() or not written.isdigit() or len(written) > 9:
            file.refuse(number, f"segment {written!r}", "a whole number from 1")
        scores.add(system, int(written), number, file.score(score, number))
    return ToolScores.from_file(file, about[0] if about else "", None, scores.by_system())
