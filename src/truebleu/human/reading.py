"""Reading files of human judgments: tables of scores, direct assessment, ESA, rankings.

Direct assessment from 2016 to 2022 has columns RAW.SCR and Z.SCR separated by spaces. ESA of WMT24
has a line per judgment, ESA of WMT25 an object per segment. Appraise exports direct assessment with
SQM, and ESA, without a header. Rankings are two systems and a verdict.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import replace
from itertools import combinations, compress
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import truebleu.corpus.tables as tables
import truebleu.human.matching as matching
from truebleu.corpus._files import (
    BYTE_ORDER_MARK,
    COMPRESSED,
    Files,
    decode,
    extension,
    find_other_spelling,
)
from truebleu.corpus.test_set import TestSet
from truebleu.errors import EmptyTextError, MalformedFileError, SettingError
from truebleu.human.judgments import (
    HumanReadOptions,
    Judgment,
    PairwiseJudgments,
    ReadOptions,
    join_names,
)
from truebleu.human.mqm import is_mqm_header, read_mqm, read_rating_lines, read_rating_table
from truebleu.schema import require_path, require_type, takes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from typing_extensions import Unpack

    from truebleu.corpus.outline import Outline
    from truebleu.human.judgments import Format, HumanScores, Level, Verdict

__all__ = ["read_human"]

# Tables of scores, with a row per system and segment, or a column per system.


def read_table(
    path: str, data: bytes, request: HumanReadOptions
) -> HumanScores | PairwiseJudgments:
    """Read a table of scores or rankings, decided by the format or else by the columns."""
    table = matching.of_one_pair(tables.read_score_table(path, data), request)
    is_pairwise = all(table.find(names) is not None for names in (LEFT, RIGHT, VERDICT))
    is_ranking = is_pairwise or bool(_rank_columns(table))
    if request.format == "rankings" or (request.format is None and is_ranking):
        return _comparisons(table, request)
    return _scores(table, request)


def _scores(table: tables.Table, request: HumanReadOptions) -> HumanScores:
    """Read scores of segments, documents, domains or systems, decided by the columns.

    A long table has a column of systems, a wide table has a column for each system.
    """
    columns = tables.score_columns(table, request.column, request.systems)
    scores = [table.scores(column) for column in columns]
    if table.find(tables.SYSTEM) is not None:
        signature = "format:scores", f"column:{'+'.join(columns)}"
        sheet = matching.sheet_of(table, tables.sum_columns(scores), *signature)
    else:
        # Row by row, so that errors report the first line.
        by_row = [score for row in zip(*scores, strict=True) for score in row]
        systems = columns * table.rows
        table = table.only([row for row in range(table.rows) for _ in columns])
        sheet = matching.sheet_of(table, by_row, "format:scores", systems=systems)
    documents, domains = sheet.documents, table.found_labels(tables.DOMAIN)
    if sheet.numbers is not None or sheet.document_numbers is not None:
        return matching.segment_scores(sheet, request)
    if documents is not None:
        raters = sheet.raters or documents
        # Several rows of a document are its segments.
        if len(set(zip(sheet.systems, documents, raters, strict=True))) == len(documents):
            return matching.named_scores(sheet, documents, request, "document")
    elif domains is not None and len(domains) != len(set(sheet.systems)) * request.segments:
        return matching.named_scores(sheet, domains, request, "domain")
    return matching.scores_in_order(sheet, request)


# Score files of mt-metrics-eval: SYSTEM SCORE on each line, DOMAIN SYSTEM SCORE for domains.

#: Level of the scores by the end of a file's name.
LEVELS: dict[str, Level] = {
    "sys": "system",
    "domain": "domain",
    "doc": "document",
    "seg": "segment",
}


def level_of(path: str) -> Level | None:
    """Return the level of a file's scores by its name, or None if the name has no level.

    >>> level_of("en-de.mqm.seg.score")
    'segment'
    """
    whole = next((path[: -len(end)] for end in COMPRESSED if path.endswith(end)), path)
    parts = whole.rsplit(".", 2)
    return LEVELS.get(parts[1]) if len(parts) == 3 and parts[2] == "score" else None


def read_score_lines(path: str, data: bytes, request: HumanReadOptions) -> HumanScores:
    """Read scores at the level in the file's name; fields are separated by white space."""
    level = level_of(path) or "segment"
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK).removesuffix("\n")
    if not text:
        raise EmptyTextError(path)
    header = ["domain", "system", "score"] if level == "domain" else ["system", "score"]
    rows = enumerate((line.split() for line in text.split("\n")), 1)
    table = tables.delimited(path, header, rows, f"in {' '.join(header).upper()}")
    table, domains = matching.of_one_pair(table, request), table.found_labels(tables.DOMAIN)
    if domains is not None:
        # The canary has a domain of its own.
        table = table.only(
            [row for row, name in enumerate(domains) if name.lower() != matching.CANARY]
        )
    sheet = matching.sheet_of(table, table.scores("score"), "format:scores")
    if domains is None:
        return matching.scores_in_order(sheet, request, level)
    return matching.named_scores(sheet, table.labels("domain"), request, "domain")


# Direct assessment, with columns separated by spaces.

_SUFFIX = re.compile(r"\.\d+$")


def read_direct_assessment(path: str, data: bytes, request: HumanReadOptions) -> HumanScores:
    """Read scores of segments (SYS SID RAW.SCR Z.SCR N) or systems (RAW.SCR Z.SCR N SYS N.ALL).

    The file has means over annotators: of raw scores, or of z-scores, which `raters="z"` selects.
    """
    table = tables.white_space_table(path, decode(path, data))
    table = matching.of_one_pair(table, request, sources=["src"], targets=["trg"])
    z = request.raters == "z"
    default = "z.scr" if z else "raw.scr"
    column = request.column or table.find([default]) or default.upper()
    systems = _strip_submission_numbers(matching.systems_of(table), request)
    signature, scores = ("format:da", f"column:{column}"), table.scores(column)
    sheet = matching.sheet_of(
        table, scores, *signature, systems=systems, is_standardized=z, name="SID"
    )
    if sheet.numbers is None:
        return matching.scores_in_order(sheet, request, "system")
    # Ids of segments are NUMBER or DOCUMENT_NUMBER.
    identifiers = [str(value) for value in sheet.numbers]
    if not all(identifier.isdigit() for identifier in identifiers):
        parts = [identifier.rpartition("_") for identifier in identifiers]
        documents, numbers = [part[0] for part in parts], [part[2] for part in parts]
        sheet = replace(sheet, documents=documents, numbers=numbers)
    return matching.segment_scores(sheet, request)


def _strip_submission_numbers(systems: Sequence[str], request: HumanReadOptions) -> list[str]:
    """Remove submission numbers (UEdin.4) from names that are known only without them."""
    known = set(request.systems)
    names: dict[str, str] = {}
    for system in dict.fromkeys(systems):
        short = _SUFFIX.sub("", system)
        names[system] = short if system not in known and short in known else system
    # Two submissions with one name keep their numbers.
    counts = Counter(names.values())
    return [name if counts[name := names[s]] == 1 else s for s in systems]


# Exports of Appraise.

_START = ("user", "system", "line", "type", "srclang", "trglang", "score")
#: Format and columns of Appraise's exports, which have no header, by the number of fields.
APPRAISE = {
    9: ("da", (*_START, "start", "end")),
    11: ("da", (*_START, "doc", "whole", "start", "end")),
    12: ("esa", (*_START, "doc", "whole", "spans", "start", "end")),
}
#: Type of rows about outputs; other types are quality control.
OUTPUT = "TGT"
#: Names of documents in rows for quality control.
_CONTROL = re.compile(r"tutorial|#(bad|dup|incomplete)$", re.IGNORECASE)


def read_appraise(path: str, data: bytes, request: HumanReadOptions) -> HumanScores:
    """Read scores of segments: each user's latest, without quality control and documents."""
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK)
    records = [(n, [*map(str.strip, row)]) for n, row in tables.csv_rows(path, text) if row != [""]]
    width = len(records[0][1]) if records else 0
    kind, header = APPRAISE.get(width, APPRAISE[9])
    table = tables.delimited(path, header, records, "in exports of Appraise")
    about = [table.found_values([name]) or [""] * table.rows for name in ("type", "whole", "doc")]
    judged = [
        str(kind).upper() == OUTPUT
        and str(whole).lower() != "true"
        and not _CONTROL.search(str(doc))
        for kind, whole, doc in zip(*about, strict=True)
    ]
    table = table.only(list(compress(range(table.rows), judged)))
    if not table.rows:
        found = "only quality control"
        raise MalformedFileError(path, None, found, f"rows of type {OUTPUT}")
    ends = list(map(str, table.values("end")))
    for row, end in enumerate(ends):
        if not tables.is_number(end):
            found = f"{end!r} at the end of the row"
            raise MalformedFileError(path, table.line(row), found, "the end time in seconds")
    # A later judgment by the same annotator replaces the earlier one.
    columns = ("user", "system", "doc", "line", "srclang", "trglang")
    keys = list(zip(*(table.values(name) for name in columns if name in header), strict=True))
    order = sorted(range(table.rows), key=lambda row: float(ends[row]))
    latest = {keys[row]: row for row in order}
    table = matching.of_one_pair(table.only(sorted(latest.values())), request)
    sheet = matching.sheet_of(table, table.scores("score", (0, 100)), f"format:{kind}", name="item")
    if not any(sheet.documents or ()):
        sheet = replace(sheet, documents=None)
    return matching.segment_scores(sheet, request)


# ESA (error span annotation) scores of WMT 2024 and 2025.

#: Separator of the parts of an identifier: language pair, domain, document, number.
SEPARATOR = "_#_"
_HUMAN = re.compile(r"human(\d*)")


def read_wmt24(path: str, data: bytes, request: HumanReadOptions) -> HumanScores:
    """Read scores from lines with system, line_id, doc_id, esa_score and annotator."""
    table = matching.of_one_pair(tables.read_score_table(path, data), request)
    sheet = matching.sheet_of(table)
    if sheet.raters is not None and sheet.numbers is not None:
        # A later line of one annotator for one output replaces the earlier one.
        documents = sheet.documents or [""] * table.rows
        keys = zip(sheet.systems, documents, map(str, sheet.numbers), sheet.raters, strict=True)
        table = table.only(sorted({key: row for row, key in enumerate(keys)}.values()))
    sheet = matching.sheet_of(table, table.scores("esa_score"), "format:esa")
    return matching.segment_scores(sheet, request)


def read_wmt25(path: str, data: bytes, request: HumanReadOptions) -> HumanScores:
    """Read scores from objects with doc_id and scores, which has human1, annotator1, … by system.

    Objects are matched to the segments of the test set in order if they are equally many, otherwise
    by document and number.
    """
    table = tables.read_score_table(path, data)
    table = matching.of_one_pair(table, request, [parts[0] for parts in _identifiers(table)])
    complete = table.rows == request.segments
    documents = set(request.documents or ())
    rows: list[dict[str, Any]] = []
    for row, (*names, number) in enumerate(_identifiers(table)):
        # Test sets may prefix the name of a document with its domain and language pair.
        candidates = [SEPARATOR.join(names[start:]) for start in range(len(names) - 1, -1, -1)]
        document = next((name for name in candidates if name in documents), candidates[0])
        numbers = {"numbers": row + 1} if complete else {"document_numbers": number}
        about = {"lines": table.line(row), "documents": document, **numbers}
        rows += [{**about, **judgment} for judgment in _judgments(table, row)]
    sheet = matching.sheet_of_rows(path, rows, "format:esa")
    return matching.segment_scores(replace(sheet, first=1), request)


def _identifiers(table: tables.Table) -> list[list[str]]:
    """Split the identifier of each row into language pair, domain, document and number."""
    identifiers = [str(value).split(SEPARATOR) for value in table.values("doc_id")]
    for row, parts in enumerate(identifiers):
        if len(parts) < 3:
            expected = SEPARATOR.join(("LANGUAGES", "DOMAIN", "DOCUMENT", "NUMBER"))
            table.refuse(row, "doc_id", repr(table.values("doc_id")[row]), expected)
    return identifiers


def _judgments(table: tables.Table, row: int) -> Iterator[dict[str, object]]:
    """Yield the system, rater and score of each judgment of a segment."""
    systems = table.values("scores")[row] or {}
    if not isinstance(systems, dict) or not all(
        value is None or isinstance(value, dict) for value in systems.values()
    ):
        expected = 'an object such as {"A": {"human1": 80}}'
        table.refuse(row, "scores", "values that are not objects", expected)
    for system, judged in systems.items():
        for key, value in (judged or {}).items():
            match = _HUMAN.fullmatch(key)
            if match is not None:
                rater = judged.get(f"annotator{match[1]}")
                score = table.score(row, f"{system}.{key}", value)
                rater = str(key if rater is None else rater)
                yield {"systems": system, "raters": rater, "scores": score}


# Rankings.

LEFT = ("system1", "left", "system_1", "system_a", "systema", "sys1", "system1id", "system1_id")
RIGHT = ("system2", "right", "system_2", "system_b", "systemb", "sys2", "system2id", "system2_id")
VERDICT = ("judgment", "judgement", "verdict", "preference", "result", "outcome", "winner")
#: Verdicts about the left output, in lower case.
WORDS: dict[str, Verdict] = {
    **dict.fromkeys(("better", "win", "wins", "won", ">", "1", "+1", "1.0", "left"), 1),
    **dict.fromkeys(("worse", "loss", "loses", "lose", "lost", "<", "-1", "-1.0", "right"), -1),
    **dict.fromkeys(("tied", "tie", "equal", "draw", "same", "=", "==", "0", "0.0", "both"), 0),
}


def _comparisons(table: tables.Table, request: HumanReadOptions) -> PairwiseJudgments:
    """Read pairwise comparisons of the systems of the test set."""
    if request.raters == "z":
        raise SettingError("raters", "z", "'mean', because rankings have no scale")
    ranked = _rank_columns(table)
    verdicts = _rank_verdicts(table, ranked, request) if ranked else _verdicts(table, request)
    if not verdicts:
        found = "no comparison of two systems"
        raise MalformedFileError(table.path, None, found, "at least one comparison")
    both = matching.sheet_of(
        table.only([verdict.segment for verdict in verdicts for _ in range(2)]),
        systems=[name for verdict in verdicts for name in (verdict.left, verdict.right)],
    )
    matching.rows_of_systems(both, request)
    known = set(request.systems)
    verdicts = [v for v in verdicts if v.left in known and v.right in known]
    if not verdicts:
        found = "no comparison of two systems of the test set"
        raise MalformedFileError(table.path, None, found, f"comparisons of {request.system_names}")
    table, lefts = table.only([v.segment for v in verdicts]), [v.left for v in verdicts]
    sheet = matching.sheet_of(table, systems=lefts, texts=None)
    index = table.find(["srcindex"]) if ranked else None
    if index is not None:  # WMT's segmentId is the number in the document
        documents = sheet.documents if set(sheet.documents or ()) - {"-1", ""} else None
        inside = sheet.numbers if documents else None
        numbers = table.values(index)
        sheet = replace(sheet, numbers=numbers, documents=documents, document_numbers=inside)
    if sheet.numbers is None:
        table.refuse_columns("a column 'segment'")
    segments, method, notes = matching.match_rows(sheet, range(len(verdicts)), request)
    raters: Sequence[str | None] = sheet.raters or [None] * len(verdicts)
    judgments = tuple(
        verdict._replace(segment=segment, rater=rater)
        for verdict, segment, rater in zip(verdicts, segments, raters, strict=True)
    )
    if not ranked:  # WMT gave annotators some rankings twice
        matching.refuse_second(
            sheet,
            range(len(judgments)),
            [(judgment.segment, frozenset(judgment[1:3])) for judgment in judgments],
            lambda key: f"comparison of {join_names(sorted(key[1]))} for segment {key[0] + 1}",
        )
    judged = {name for j in judgments for name in (j.left, j.right)}
    return PairwiseJudgments(
        label=table.path,
        systems=tuple(name for name in request.systems if name in judged),
        judgments=judgments,
        raters=len({judgment.rater for judgment in judgments}),
        signature=f"human|format:rankings|form:{'ranks' if ranked else 'pairs'}|match:{method}",
        ignored=tuple(name for name in dict.fromkeys(both.systems) if name not in known),
        notes=notes,
    )


def _verdicts(table: tables.Table, request: HumanReadOptions) -> list[Judgment]:
    """Return the comparisons in a table; `segment` is the row until rows are matched."""
    left, right = table.found_labels(LEFT), table.found_labels(RIGHT)
    column = request.column or table.find(VERDICT)
    if left is None or right is None or column is None:
        table.refuse_columns("segment, system1, system2 and judgment, or WMT's ranks")
    table.require(column)
    verdicts = []
    for row, value in enumerate(table.values(column)):
        if left[row] == right[row]:
            found = f"{left[row]!r} compared with itself"
            raise MalformedFileError(table.path, table.line(row), found, "two different systems")
        word = "" if value is None else str(value).strip()
        if word.lower() in tables.NOTHING:
            continue
        # The name of the better system is also a verdict.
        names: dict[str, Verdict] = {right[row]: -1, left[row]: 1}
        verdict = names.get(word, WORDS.get(word.lower()))
        if verdict is None:
            expected = "better, worse or tied; win, loss or tie; >, < or =; 1, -1 or 0"
            table.refuse(row, column, repr(value), expected)
        verdicts.append(Judgment(row, left[row], right[row], verdict))
    return verdicts


_RANK = re.compile(r"(system[0-9]{1,18})_?rank", re.IGNORECASE)


def _rank_columns(table: tables.Table) -> list[tuple[str, str]]:
    """Return the columns of systems and ranks in WMT's rankings, or an empty list."""
    ranks = {match[1]: column for column in table.columns if (match := _RANK.fullmatch(column))}
    systems = {name: table.find([f"{name}id", f"{name}_id", name]) for name in ranks}
    pairs = [(system, ranks[name]) for name, system in systems.items() if system is not None]
    return pairs if len(pairs) > 1 else []


def _rank_verdicts(
    table: tables.Table, columns: list[tuple[str, str]], request: HumanReadOptions
) -> list[Judgment]:
    """Return every pair of outputs in each ranking; a lower rank is better, -1 is missing."""
    if request.column is not None:
        names = ", ".join(column for _, column in columns)
        raise SettingError("column", request.column, f"no column, because ranks are in {names}")
    known = set(request.systems)
    verdicts = []
    for row in range(table.rows):
        ranks: list[tuple[str, int]] = []
        for names, column in columns:
            name, value = str(table.values(names)[row] or ""), table.values(column)[row]
            missing = str(value or "").strip().lower() in tables.NOTHING
            rank = -1 if missing else tables.whole_number(value)
            if rank is None or rank < -1:
                table.refuse(row, column, repr(value), "a rank from 1, the best")
            if rank > 0 and name.strip().lower() not in tables.NOTHING:
                # Equal outputs were judged once, as A+B.
                parts = name.split("+")
                whole = name in known or not known.intersection(parts)
                ranks += [(part, rank) for part in ([name] if whole else parts)]
        for (left, rank), (right, other) in combinations(ranks, 2):
            if left != right:
                verdict: Verdict = 0 if rank == other else 1 if rank < other else -1
                verdicts.append(Judgment(row, left, right, verdict))
    return verdicts


# Kinds of files and their readers.


#: Reader of each kind of files, from the file's path, bytes and options.
KINDS: dict[str, Callable[[str, bytes, HumanReadOptions], HumanScores | PairwiseJudgments]] = {
    "a table of scores": read_table,
    "score lines": read_score_lines,
    "MQM annotations": read_mqm,
    "rating lines": read_rating_lines,
    "rating table": read_rating_table,
    "Appraise": read_appraise,
    "wmt24": read_wmt24,
    "wmt25": read_wmt25,
    "direct assessment": read_direct_assessment,
}
#: Kinds of each format, and a description of the format for messages.
FORMAT_KINDS: dict[Format, tuple[tuple[str, ...], str]] = {
    "scores": (("a table of scores", "score lines"), ""),
    "mqm": (("MQM annotations", "rating lines", "rating table"), ""),
    "ratings": (
        ("rating lines", "rating table"),
        "error spans: SYSTEM, JSON and perhaps RATER between tabs, or JSON lines with "
        "system_id, segment_id and errors",
    ),
    "esa": (
        ("Appraise", "wmt24", "wmt25"),
        "ESA as Appraise exports it (12 fields, no header) or as WMT24 and WMT25 publish it "
        "(JSON with esa_score, or with doc_id and scores)",
    ),
    "da": (
        ("Appraise", "direct assessment"),
        "direct assessment as Appraise exports it (9 or 11 fields, no header) or with columns "
        "SYS and RAW.SCR",
    ),
    "rankings": (("a table of scores",), ""),
}


@runtime_checkable
class CountsLike(Protocol):
    """The part of `Counts` that judgments are matched to."""

    @property
    def outline(self) -> Outline:
        """Outline of the test set."""

    @property
    def texts(self) -> TestSet | None:
        """Counted texts, or None."""


@takes(HumanReadOptions)
def read_human(
    path: str | os.PathLike[str],
    test_set: TestSet | CountsLike | None = None,
    *,
    systems: Iterable[str] | None = None,
    segments: int | None = None,
    documents: Sequence[str] | None = None,
    **options: Unpack[ReadOptions],
) -> HumanScores | PairwiseJudgments:
    """Read human judgments of the systems of a test set; see docs/reference/human-scores.md.

    Args:
        path: path of the file, which may be compressed.
        test_set: judged test set or its counts; or None with the next three arguments.
        systems: names of the test set's systems, at least two.
        segments: number of segments of the test set.
        documents: document of each segment, to match files that name documents.

    Returns:
        Scores, or judgments that compare two outputs.

    Raises:
        CorpusError: The file is malformed or does not fit the test set.
        SettingError: An option is invalid or does not fit the file.
    """
    name = require_path("path", path)
    about: dict[str, Any] = {"systems": systems, "segments": segments, "documents": documents}
    if test_set is not None:
        if any(value is not None for value in about.values()):
            found = "a TestSet with systems, segments or documents"
            expected = "only a TestSet, or only its systems, segments and documents"
            raise SettingError("test_set", found, expected)
        require_type("test_set", test_set, TestSet | CountsLike, "a TestSet or Counts")
        outline = test_set.outline
        texts = test_set if isinstance(test_set, TestSet) else test_set.texts
        about = {name: getattr(outline, name) for name in (*about, "names")}
        about["outputs"] = None if texts is None else texts.systems
    request = HumanReadOptions(**about, **options)
    by_name = request.match in (None, "names") and request.format in (None, "scores")
    if request.names is not None and by_name:
        return read_named_items(name, request)
    data = Files().contents(name)
    kind = _detect_kind(name, data)
    if request.format is not None:
        kinds, look = FORMAT_KINDS[request.format]
        if kind not in kinds and look:
            raise MalformedFileError(name, None, f"a file that looks like {kind}", look)
        # Readers of tables report missing columns.
        kind = kind if kind in kinds else kinds[0]
    if request.weights is not None and kind not in FORMAT_KINDS["mqm"][0]:
        expected = f"no weights, because {name} has no marked errors"
        raise SettingError("weights", request.weights, expected)
    if request.column is not None and kind not in ("a table of scores", "direct assessment"):
        expected = f"no column, because the format of {name} defines it"
        raise SettingError("column", request.column, expected)
    human = KINDS[kind](name, data, request)
    return replace(human, signature=f"{human.signature}|scores:{tables.digest(data)}")


def read_named_items(path: str, request: HumanReadOptions) -> HumanScores:
    """Read scores of named items from a table of items, in the formats of the systems' files."""
    # Imported here, because most judgments need no formats of scores.
    from truebleu.scores.formats import read_evaluations

    for setting in ("weights", "first_segment", "language_pair"):
        if getattr(request, setting) is not None:
            expected = f"no {setting}, because items are matched by their names"
            raise SettingError(setting, getattr(request, setting), expected)
    index_of = {name: index for index, name in enumerate(request.names or ())}
    rows: list[dict[str, Any]] = []
    indices, column, checksum = [], "", ""
    for evaluation in read_evaluations(path):
        if not evaluation.has_names:
            expected = "a column that names the items, such as id; or --match numbers"
            raise MalformedFileError(evaluation.label, None, "items without names", expected)
        items, checksum = evaluation.chosen_items(), evaluation.digest
        column = evaluation.score_name(items, request.column or "")
        for item in items:
            if item.name not in index_of:
                both = find_other_spelling([("", item.name)], (("", name) for name in index_of))
                expected = f"an item of the systems' files, such as {next(iter(index_of))}"
                if both is not None:
                    expected = f"{both[1][1]!r}: ids differ by case, spaces or leading zeros"
                raise MalformedFileError(path, item.line, f"item {item.name}", expected)
            about = {"lines": item.line, "systems": evaluation.system, "raters": item.answer}
            rows.append({**about, "scores": evaluation.score(item, column)})
            indices.append(index_of[item.name])
    sheet = matching.sheet_of_rows(path, rows, "format:scores", f"column:{column}")
    if not all(sheet.raters or ()):
        sheet = replace(sheet, raters=None)
    known = matching.rows_of_systems(sheet, request)
    matches = [indices[row] for row in known]
    human = matching.item_scores(sheet, known, matches, request, "match:names")
    return replace(human, signature=f"{human.signature}|scores:{checksum}")


# Detection of a file's kind from its name, its columns and its first line.


# SYSTEM, a tab and a JSON object of errors.
_RATING_LINE = re.compile(r"^[^\t\n]*\t[^\S\t\n]*\{\"errors\"", re.MULTILINE)


def _detect_kind(path: str, data: bytes) -> str:
    """Detect the kind of a file."""
    ending = extension(path)
    if ending == ".rating":
        return "rating lines"
    if level_of(path) is not None:
        return "score lines"
    if ending == ".parquet":
        return "a table of scores"
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        raise EmptyTextError(path)
    if ending in (".json", ".jsonl", ".ndjson"):
        return _detect_json_kind(path, text)
    first = text.partition("\n")[0].removesuffix("\r")
    if {"raw.scr", "sys"} <= set(first.lower().split()):
        return "direct assessment"
    if ending == ".csv":
        return _detect_row_kind(next(tables.csv_rows(path, text), (1, [""]))[1])
    # The ratings of many segments may be None.
    if _RATING_LINE.search(text, 0, 10_000_000):
        return "rating lines"
    return _detect_row_kind(first.split("\t"))


def _detect_row_kind(fields: Sequence[str]) -> str:
    if is_mqm_header(fields):
        return "MQM annotations"
    # Appraise has no header, and the last fields are times. Other fields are not checked here, so
    # that the reader reports an invalid score.
    is_appraise = len(fields) in APPRAISE and all(map(tables.is_number, fields[-2:]))
    return "Appraise" if is_appraise else "a table of scores"


def _detect_json_kind(path: str, text: str) -> str:
    # The reader reports blank lines at the start, with their numbers.
    text = text.lstrip()
    head = text if text.startswith("[") else text.partition("\n")[0]
    first = tables.json_in(path, None, head, "a JSON array of objects, or one object per line")
    first = next(iter(first), {}) if isinstance(first, list) else first
    keys = set(first) if isinstance(first, dict) else set()
    if {"doc_id", "scores"} <= keys:
        return "wmt25"
    if {"esa_score", "line_id", "system"} <= keys:
        return "wmt24"
    if {"errors", "system_id", "segment_id"} <= keys:
        return "rating table"
    return "MQM annotations" if is_mqm_header(keys) else "a table of scores"
