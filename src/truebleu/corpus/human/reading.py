"""Hands a file of human judgments to the reader of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.corpus.human.columns import parse_human_table
from truebleu.corpus.human.guessing import kind_of
from truebleu.corpus.human.languages import of_one_pair, refuse_language_pair
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from truebleu.corpus.human.columns import HumanTable
    from truebleu.corpus.human.guessing import Kind
    from truebleu.corpus.human.request import Format, Request
    from truebleu.corpus.human.scores import HumanScores, PairwiseJudgments

#: The kinds of files that a choice is about; one that would change nothing is refused.
WITH_WEIGHTS: tuple[Kind, ...] = ("mqm", "rating lines", "rating table")
WITH_COLUMNS: tuple[Kind, ...] = ("table", "direct assessment")
WITHOUT_LANGUAGES: tuple[Kind, ...] = ("mqm", "score lines", "rating lines")

# Each reader is imported where it is needed: a run reads one file.


def parse_human(
    path: str,
    data: bytes,
    request: Request,
    chosen: Format | None = None,
    *,
    canary: bool | None = None,
) -> HumanScores | PairwiseJudgments:
    """The judgments in a file's uncompressed bytes.

    Args:
        path: The file.
        data: What is in it.
        request: The test set and the choices.
        chosen: The format, None to guess it.
        canary: Whether each system has a line before the first segment; None to find out.
    """
    kind = kind_of(path, data, chosen)
    _refuse_idle_choices(path, kind, request)
    match kind:
        case "mqm":
            from truebleu.corpus.human.mqm import read_mqm

            return read_mqm(path, data, request)
        case "score lines":
            from truebleu.corpus.human.score_lines import level_of, read_score_lines

            level = level_of(path) or "segment"
            return read_score_lines(path, data, request, level, canary=canary)
        case "rating lines":
            from truebleu.corpus.human.error_ratings import read_rating_lines

            return read_rating_lines(path, data, request, canary=canary)
        case "rating table":
            from truebleu.corpus.human.error_ratings import read_rating_table

            return read_rating_table(_table(path, data, request), request)
        case "appraise":
            from truebleu.corpus.human.appraise import read_appraise

            return read_appraise(path, data, request)
        case "wmt24":
            from truebleu.corpus.human.wmt_json import read_wmt24

            return read_wmt24(_table(path, data, request), request)
        case "wmt25":
            from truebleu.corpus.human.wmt_json import read_wmt25

            return read_wmt25(path, data, request)
        case "direct assessment":
            from truebleu.corpus.human.direct_assessment import read_direct_assessment

            return read_direct_assessment(path, data, request)
        case "table":
            return _read_table(path, data, request, chosen)


def _refuse_idle_choices(path: str, kind: Kind, request: Request) -> None:
    if request.weights is not None and kind not in WITH_WEIGHTS:
        expected = f"none: {path} has no marked errors to weigh"
        raise SettingError("weights", request.weights, expected)
    if request.column is not None and kind not in WITH_COLUMNS:
        expected = f"none: in files such as {path} the format says where scores are"
        raise SettingError("column", request.column, expected)
    if kind in WITHOUT_LANGUAGES:
        refuse_language_pair(path, request)


def _table(path: str, data: bytes, request: Request) -> HumanTable:
    return of_one_pair(parse_human_table(path, data), request)


def _read_table(
    path: str, data: bytes, request: Request, chosen: Format | None
) -> HumanScores | PairwiseJudgments:
    from truebleu.corpus.human.rankings import is_pairwise, read_rankings
    from truebleu.corpus.human.score_table import read_score_table

    table = _table(path, data, request)
    if chosen == "rankings" or (chosen is None and is_pairwise(table)):
        return read_rankings(table, request)
    return read_score_table(table, request)
