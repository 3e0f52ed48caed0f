"""Logs of fairseq-generate and fairseq-interactive.

For each segment: ``S-id source``, ``T-id reference``, and for each hypothesis ``H-id score text``,
``D-id score text`` and ``P-id`` with the score of each token, with tabs between the fields. Scores
are logarithms to base 2, and that of a hypothesis is divided by a power of its length.
"""

from __future__ import annotations

import re
from math import log
from typing import TYPE_CHECKING

from truebleu.corpus.nbest._candidates import Candidate, Lists, number
from truebleu.errors import MalformedFileError

if TYPE_CHECKING:
    from collections.abc import Iterable

LINE = re.compile(r"([SHDP])-(\d+)\t(.*)", re.DOTALL)


def looks_like(line: str) -> bool:
    """Whether a line is one of such a log."""
    return re.match(r"[STHDP]-\d+\t", line) is not None


def parse(path: str, lines: Iterable[tuple[int, str]]) -> Lists:
    """The lists in order of their ids: fairseq translates long segments first."""
    lists: dict[int, list[Candidate]] = {}
    sources: dict[int, str] = {}
    for line, text in lines:
        match = LINE.fullmatch(text)
        if match is None:
            # Between the hypotheses there may be anything that a program logs.
            continue
        kind, id_, rest = match[1], int(match[2]), match[3]
        list_ = lists.setdefault(id_, [])
        if kind == "S":
            sources[id_] = rest
        elif kind == "H":
            score, text = _scored(path, line, rest)
            list_.append(Candidate(line, text, score=score))
        elif not list_:
            expected = f"H-{id_} above it"
            raise MalformedFileError(path, line, f"{kind}-{id_} without a hypothesis", expected)
        elif kind == "D":
            list_[-1] = list_[-1]._replace(text=_scored(path, line, rest)[1])
        else:
            tokens = [number(path, line, f"P-{id_}", token) for token in rest.split()]
            list_[-1] = list_[-1]._replace(log_probability=sum(tokens) * log(2))
    ids = sorted(lists)
    for segment, id_ in enumerate(ids):
        if id_ != segment or not lists[id_]:
            expected = "a hypothesis for every segment; is the log complete?"
            raise MalformedFileError(path, None, f"no H-{segment}", expected)
    texts = [sources[id_] for id_ in ids] if len(sources) == len(ids) else None
    return Lists([lists[id_] for id_ in ids], [str(id_) for id_ in ids], texts)


def _scored(path: str, line: int, rest: str) -> tuple[float, str]:
    score, tab, text = rest.partition("\t")
    if not tab:
        raise MalformedFileError(path, line, f"{rest!r}", "a score, a tab and the text")
    return number(path, line, "score", score), text
