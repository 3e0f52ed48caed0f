"""Score files of mt-metrics-eval: SYSTEM SCORE on each line, DOMAIN SYSTEM SCORE for domains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.corpus.human.sheet import Sheet
from truebleu.corpus.human.unnumbered import counted_scores, named_scores
from truebleu.corpus.lines import BYTE_ORDER_MARK, decode
from truebleu.corpus.locations import COMPRESSED
from truebleu.corpus.score_values import NotAScoreError, digest, parse_score
from truebleu.errors import EmptyTextError, MalformedFileError

if TYPE_CHECKING:
    from truebleu.corpus.human.request import Request
    from truebleu.corpus.human.scores import HumanScores, Level

#: What the end of a file's name says about its scores.
LEVELS: dict[str, Level] = {
    "sys": "system",
    "domain": "domain",
    "doc": "document",
    "seg": "segment",
}


def level_of(path: str) -> Level | None:
    """What the scores of a file are about, by its name; None where it does not say.

    >>> level_of("en-de.mqm.seg.score")
    'segment'
    """
    whole = next((path[: -len(end)] for end in COMPRESSED if path.endswith(end)), path)
    parts = whole.rsplit(".", 2)
    return LEVELS.get(parts[1]) if len(parts) == 3 and parts[2] == "score" else None


def read_score_lines(
    path: str, data: bytes, request: Request, level: Level, *, canary: bool | None = None
) -> HumanScores:
    """Scores whose level is known; fields end at any white space."""
    domains, sheet = parse_score_lines(path, data, level)
    if level != "domain":
        return counted_scores(sheet, request, level, canary=canary)
    return named_scores(sheet, domains, request, "domain")


def parse_score_lines(path: str, data: bytes, level: Level) -> tuple[list[str], Sheet]:
    """The domains (empty at other levels) and the scores of a file."""
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK).removesuffix("\n")
    if not text:
        raise EmptyTextError(path)
    width = 3 if level == "domain" else 2
    form = "DOMAIN SYSTEM SCORE" if level == "domain" else "SYSTEM SCORE"
    domains: list[str] = []
    systems: list[str] = []
    scores: list[float | None] = []
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != width:
            found = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
            raise MalformedFileError(path, number, found, f"{width}: {form}")
        try:
            scores.append(parse_score(fields[-1]))
        except NotAScoreError as reason:
            raise MalformedFileError(path, number, repr(fields[-1]), str(reason)) from None
        systems.append(fields[-2])
        if width == 3:
            domains.append(fields[0])
    # The canary's own domain is none of the test set.
    kept = [i for i in range(len(systems)) if width == 2 or domains[i].lower() != "canary"]
    sheet = Sheet(
        label=path,
        digest=digest(data),
        lines=[i + 1 for i in kept],
        systems=[systems[i] for i in kept],
        scores=[scores[i] for i in kept],
        made=("format:scores",),
    )
    return [domains[i] for i in kept if width == 3], sheet
