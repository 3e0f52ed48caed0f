"""Formats of human judgments: tables of scores, direct assessment, ESA, rankings.

Direct assessment from 2016 to 2022 has RAW.SCR and Z.SCR between blanks. ESA of WMT24 is a line per
judgment, and of WMT25 an object per segment. Appraise exports direct assessment with SQM, and ESA,
without a header. Rankings are two systems and a verdict, or WMT's ranks of up to five outputs.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu.corpus._files import BYTE_ORDER_MARK, COMPRESSED, decode
from truebleu.corpus.tables import (
    DOMAIN,
    LANGUAGE_PAIR,
    NOTHING,
    SOURCE_LANGUAGE,
    SYSTEM,
    TARGET_LANGUAGE,
    NotAScoreError,
    Scale,
    Table,
    added,
    csv_rows,
    delimited,
    digest,
    is_number,
    json_in,
    parse_score,
    read_records,
    read_score_table,
    score_columns,
    table_of_columns,
    white_space_table,
    whole_number,
)
from truebleu.errors import (
    EmptyTextError,
    MalformedFileError,
    MissingColumnError,
    SettingError,
)
from truebleu.human.judgments import Judgment, PairwiseJudgments, listed
from truebleu.human.matching import (
    Sheet,
    counted_scores,
    known_rows,
    named_scores,
    places_of,
    refuse_second,
    segment_scores,
    sheet_of,
    systems_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu.human.judgments import HumanScores, Level, Request, Verdict

# Files that hold judgments of several language pairs: only one belongs to a test set.


def of_one_pair(
    table: Table,
    request: Request,
    sources: Sequence[str] = SOURCE_LANGUAGE,
    targets: Sequence[str] = TARGET_LANGUAGE,
) -> Table:
    """The rows of the language pair that was chosen, where a table has columns for languages.

    Raises:
        CorpusError: When there are several and none was chosen, or the chosen one is not there.
        SettingError: When one was chosen, and nothing tells the language pairs apart.
    """
    pairs: Sequence[str] | None = table.found_labels(LANGUAGE_PAIR)
    source, target = table.found_labels(sources), table.found_labels(targets)
    if pairs is None and source is not None and target is not None:
        pairs = [
            f"{one.strip()}-{other.strip()}" for one, other in zip(source, target, strict=True)
        ]
    if pairs is None:
        refuse_language_pair(table.path, request)
        return table
    names, wanted = sorted(set(pairs)), request.language_pair
    if wanted is None and len(names) > 1:
        found = f"judgments of {len(names)} language pairs, {', '.join(names)}"
        expected = f"one to be chosen, as in language_pair={names[0]!r} (--language-pair)"
        raise MalformedFileError(table.path, None, found, expected)
    rows = [
        row for row, pair in enumerate(pairs) if wanted is None or pair.lower() == wanted.lower()
    ]
    if not rows:
        raise MissingColumnError(table.path, "language pair", wanted or "", names)
    return table if len(rows) == table.rows else table.only(rows)


def refuse_language_pair(label: str, request: Request) -> None:
    """Refuses the choice of a language pair from a file that does not tell them apart."""
    if request.language_pair is not None:
        expected = f"none: {label} does not say of which language pair a judgment is"
        raise SettingError("language_pair", request.language_pair, expected)


# Tables of scores, with a row per system and segment, or a column per system.


def read_table(path: str, data: bytes, request: Request) -> HumanScores | PairwiseJudgments:
    """Scores, or which of two outputs is better, as the columns say."""
    table = of_one_pair(read_score_table(path, data), request)
    is_pairwise = all(table.find(names) is not None for names in (LEFT, RIGHT, VERDICT))
    if is_pairwise or ranked_columns(table):
        return _rankings(table, request)
    return _scores(table, request)


def read_scores(path: str, data: bytes, request: Request) -> HumanScores:
    """Scores in a table: long with a column for the system, or wide."""
    return _scores(of_one_pair(read_score_table(path, data), request), request)


def _scores(table: Table, request: Request) -> HumanScores:
    columns = score_columns(table, request.column, request.systems)
    scores = [table.scores(column) for column in columns]
    if table.find(SYSTEM) is not None:
        made = ("format:scores", f"column:{'+'.join(columns)}")
        sheet = sheet_of(table, systems_of(table), added(scores), made)
        return _placed(table.found_labels(DOMAIN), sheet, request)
    # Row by row, so that the first line concerned is reported.
    wide = table.only([row for row in range(table.rows) for _ in columns])
    by_row = [score for row in zip(*scores, strict=True) for score in row]
    sheet = sheet_of(wide, columns * table.rows, by_row, ("format:scores",))
    return _placed(wide.found_labels(DOMAIN), sheet, request)


def _placed(domains: Sequence[str] | None, sheet: Sheet, request: Request) -> HumanScores:
    """Scores of segments, documents, domains or systems, by what rows say they are about."""
    documents = sheet.documents
    if sheet.numbers is not None or sheet.document_numbers is not None:
        return segment_scores(sheet, request)
    if documents is not None:
        raters = sheet.raters or documents
        if len(set(zip(sheet.systems, documents, raters, strict=True))) < len(documents):
            # Several rows of a document: they are its segments.
            return counted_scores(sheet, request)
        return named_scores(sheet, documents, request, "document")
    if domains is not None and len(domains) != len(set(sheet.systems)) * request.segments:
        return named_scores(sheet, domains, request, "domain")
    return counted_scores(sheet, request)


# Score files of mt-metrics-eval: SYSTEM SCORE on each line, DOMAIN SYSTEM SCORE for domains.

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
    path: str, data: bytes, request: Request, level: Level | None = None
) -> HumanScores:
    """Scores at a level, by default as the file's name says; fields end at white space."""
    refuse_language_pair(path, request)
    level = level or level_of(path) or "segment"
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK).removesuffix("\n")
    if not text:
        raise EmptyTextError(path)
    header = ["domain", "system", "score"] if level == "domain" else ["system", "score"]
    rows = enumerate((line.split() for line in text.split("\n")), 1)
    table = delimited(path, header, rows, f"in {' '.join(header).upper()}")
    table.digest = digest(data)
    if level != "domain":
        return counted_scores(_score_sheet(table), request, level)
    # The canary's own domain is none of the test set.
    kept = [row for row, name in enumerate(table.labels("domain")) if name.lower() != "canary"]
    table = table.only(kept)
    return named_scores(_score_sheet(table), table.labels("domain"), request, "domain")


def _score_sheet(table: Table) -> Sheet:
    return sheet_of(table, systems_of(table), table.scores("score"), ("format:scores",))


# Direct assessment between blanks.

_SUFFIX = re.compile(r"\.\d+$")


def read_direct_assessment(path: str, data: bytes, request: Request) -> HumanScores:
    """Scores of segments (SYS SID RAW.SCR Z.SCR N) or of systems (RAW.SCR Z.SCR N SYS N.ALL).

    They are means over annotators already: of raw scores, or of z-scores where `raters` is "z".
    """
    table = white_space_table(path, decode(path, data))
    table.digest = digest(data)
    table = of_one_pair(table, request, ["src"], ["trg"])
    z = request.raters == "z"
    wanted = "z.scr" if z else "raw.scr"
    column = request.column or table.find([wanted]) or wanted.upper()
    made = ("format:da", f"column:{column}")
    systems = _known_names(systems_of(table), request)
    sheet = replace(
        sheet_of(table, systems, table.scores(column), made), standardized=z, name="SID"
    )
    if sheet.numbers is None:
        return counted_scores(sheet, request, "system")
    # Segments are called by a number, or DOCUMENT_NUMBER.
    identifiers = [str(value) for value in sheet.numbers]
    if not all(identifier.isdigit() for identifier in identifiers):
        parts = [identifier.rpartition("_") for identifier in identifiers]
        documents, numbers = [part[0] for part in parts], [part[2] for part in parts]
        sheet = replace(sheet, documents=documents, numbers=numbers)
    return segment_scores(sheet, request)


def _known_names(systems: Sequence[str], request: Request) -> list[str]:
    """Names without the number of the submission (UEdin.4), where only so they are known."""
    known = set(request.systems)
    names: dict[str, str] = {}
    for system in dict.fromkeys(systems):
        short = _SUFFIX.sub("", system)
        names[system] = short if system not in known and short in known else system
    # Two submissions of one name stay apart.
    taken = Counter(names.values())
    return [name if taken[name := names[s]] == 1 else s for s in systems]


# Exports of Appraise.

_START = ("user", "system", "line", "type", "srclang", "trglang", "score")
#: What Appraise exports, without a header, by the number of fields: the format and the columns.
APPRAISE = {
    9: ("da", (*_START, "start", "end")),
    11: ("da", (*_START, "doc", "whole", "start", "end")),
    12: ("esa", (*_START, "doc", "whole", "spans", "start", "end")),
}
#: The type of rows about outputs; others are there to find careless annotators.
OUTPUT = "TGT"
#: Ends of document names in rows that are there to find careless annotators.
CONTROLS = ("#bad", "#dup", "#incomplete")
PERCENT = Scale(0, 100)


def read_appraise(path: str, data: bytes, request: Request) -> HumanScores:
    """Scores of segments: no quality control, no scores of documents, each user's latest."""
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK)
    exported = [(n, [*map(str.strip, row)]) for n, row in csv_rows(path, text) if row != [""]]
    width = len(exported[0][1]) if exported else 0
    kind, header = APPRAISE.get(width, APPRAISE[9])
    table = delimited(path, header, exported, "in what Appraise exports")
    table.digest = digest(data)
    about = zip(
        *(table.found_values([name]) or [""] * table.rows for name in ("type", "whole", "doc")),
        strict=True,
    )
    table = table.only([row for row, fields in enumerate(about) if _is_judgment(*map(str, fields))])
    if not table.rows:
        found = "no judgment of a segment besides quality control"
        raise MalformedFileError(path, None, found, f"rows of type {OUTPUT}")
    ends = table.values("end")
    for row, end in enumerate(ends):
        if not is_number(str(end)):
            expected = "the time of its end, in seconds"
            found = f"{end!r} at the end of the row"
            raise MalformedFileError(path, table.line(row), found, expected)
    # An annotator who judged something again has thought again.
    columns = ("user", "system", "doc", "line", "srclang", "trglang")
    keys = list(zip(*(table.values(name) for name in columns if name in header), strict=True))
    latest: dict[tuple[object, ...], int] = {}
    for row, key in enumerate(keys):
        if key not in latest or float(str(ends[row])) >= float(str(ends[latest[key]])):
            latest[key] = row
    table = of_one_pair(table.only(list(latest.values())), request)
    scores = table.scores("score", PERCENT)
    sheet = replace(sheet_of(table, systems_of(table), scores, (f"format:{kind}",)), name="item")
    if not any(sheet.documents or ()):
        sheet = replace(sheet, documents=None)
    return segment_scores(sheet, request)


def _is_judgment(kind: str, whole: str, document: str) -> bool:
    """Whether a row is about one output of a segment, and no control."""
    is_control = document.lower().endswith(CONTROLS) or "tutorial" in document.lower()
    return kind.upper() == OUTPUT and whole.lower() != "true" and not is_control


# ESA: error span annotation with a score, of WMT 2024 and 2025.

#: What stands between the parts of an identifier: language pair, domain, document, number.
SEPARATOR = "_#_"
_HUMAN = re.compile(r"human(\d*)")


def read_wmt24(path: str, data: bytes, request: Request) -> HumanScores:
    """Scores in lines with system, line_id, doc_id, esa_score and annotator."""
    table = of_one_pair(read_score_table(path, data), request)
    sheet = sheet_of(table, systems_of(table), (), ())
    if sheet.raters is not None and sheet.numbers is not None:
        # A later line of one annotator for one output replaces the earlier one.
        documents = sheet.documents or [""] * table.rows
        keys = zip(sheet.systems, documents, map(str, sheet.numbers), sheet.raters, strict=True)
        table = table.only(sorted({key: row for row, key in enumerate(keys)}.values()))
    scores = table.scores("esa_score")
    return segment_scores(sheet_of(table, systems_of(table), scores, ("format:esa",)), request)


def read_wmt25(path: str, data: bytes, request: Request) -> HumanScores:
    """Scores in objects with doc_id and, under scores, each system's human1, annotator1 and so on.

    Segments are those of the test set in their order where they are as many, otherwise they are
    matched by document and number.
    """
    records = list(json_records(path, data))
    parts = [_identifier(path, line, record) for line, record in records]
    table = table_of_columns(path, {"lp": [part[0] for part in parts], "record": range(len(parts))})
    chosen = of_one_pair(table, request).values("record")
    complete = len(chosen) == request.segments
    known = set(request.documents or ())
    rows: list[dict[str, Any]] = []
    for place, record in enumerate(chosen, 1):
        line, judged = records[int(str(record))]
        *names, number = parts[int(str(record))]
        # Test sets call a document by its own name, with its domain or with both.
        called = [SEPARATOR.join(names[start:]) for start in range(len(names) - 1, -1, -1)]
        document = next((name for name in called if name in known), called[0])
        numbers = {"numbers": place} if complete else {"document_numbers": number}
        about = {"lines": line, "documents": document, **numbers}
        rows += [{**about, **own} for own in _judgments(path, line, judged, called[-1])]
    keys = rows[0] if rows else ()
    columns: dict[str, Any] = {key: [row[key] for row in rows] for key in keys}
    made = ("format:esa",)
    sheet = Sheet(label=path, digest=digest(data), first=1, made=made, **columns)
    return segment_scores(sheet, request)


def json_records(path: str, data: bytes) -> Iterator[tuple[int | None, Mapping[str, object]]]:
    """The objects of a JSON array, or of a file with one on each line, with their lines."""
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK)
    if not text.lstrip().startswith("["):
        yield from enumerate(read_records(path, data), 1)
        return
    for number, record in enumerate(json_in(path, None, text, "a JSON array of objects"), 1):
        if not isinstance(record, dict):
            found = f"JSON of type {type(record).__name__} as item {number}"
            raise MalformedFileError(path, None, found, "an object")
        yield None, record


def _identifier(path: str, line: int | None, record: Mapping[str, object]) -> list[str]:
    """Language pair, domain, document and number."""
    identifier = record.get("doc_id")
    parts = str(identifier).split(SEPARATOR)
    if not isinstance(identifier, str) or len(parts) < 3:
        expected = SEPARATOR.join(("LANGUAGES", "DOMAIN", "DOCUMENT", "NUMBER"))
        raise MalformedFileError(path, line, f"{identifier!r} as doc_id", expected)
    return parts


def _judgments(
    path: str, line: int | None, record: Mapping[str, object], document: str
) -> Iterator[dict[str, object]]:
    """System, rater and score of each judgment of a segment."""
    systems = record.get("scores") or {}
    if not isinstance(systems, dict) or not all(
        value is None or isinstance(value, dict) for value in systems.values()
    ):
        found = f"scores of {document!r} that are not objects"
        raise MalformedFileError(path, line, found, 'an object such as {"A": {"human1": 80}}')
    for system, judged in systems.items():
        for key, value in (judged or {}).items():
            match = _HUMAN.fullmatch(key)
            if match is None:
                continue
            rater = judged.get(f"annotator{match[1]}")
            rater = key if rater is None else rater
            try:
                score = parse_score(value)
            except NotAScoreError as reason:
                found = f"{value!r} as {key} of {system!r} in {document!r}"
                raise MalformedFileError(path, line, found, str(reason)) from None
            yield {
                "systems": system,
                "raters": str(rater),
                "scores": score,
            }


# Which of two outputs is better.

LEFT = ("system1", "left", "system_1", "system_a", "systema", "sys1", "system1id", "system1_id")
RIGHT = ("system2", "right", "system_2", "system_b", "systemb", "sys2", "system2id", "system2_id")
VERDICT = ("judgment", "judgement", "verdict", "preference", "result", "outcome", "winner")
_RANK = re.compile(r"system([0-9]{1,18})_?rank", re.IGNORECASE)
#: The segment in rankings of WMT; segmentId is then its number in the document.
_INDEX = ("srcindex", "src_index")
#: What is said of the left output, in lower case.
WORDS: dict[str, Verdict] = {
    **dict.fromkeys(("better", "win", "wins", "won", ">", "1", "+1", "1.0", "left"), 1),
    **dict.fromkeys(("worse", "loss", "loses", "lose", "lost", "<", "-1", "-1.0", "right"), -1),
    **dict.fromkeys(("tied", "tie", "equal", "draw", "same", "=", "==", "0", "0.0", "both"), 0),
}


class _Verdict(NamedTuple):
    """A row of the table, and what it says of two systems."""

    row: int
    left: str
    right: str
    verdict: Verdict


def read_rankings(path: str, data: bytes, request: Request) -> PairwiseJudgments:
    """All comparisons of two systems that a table has."""
    return _rankings(of_one_pair(read_score_table(path, data), request), request)


def _rankings(table: Table, request: Request) -> PairwiseJudgments:
    if request.raters == "z":
        expected = "'mean': judgments of which output is better have no scale"
        raise SettingError("raters", "z", expected)
    ranked = ranked_columns(table)
    if ranked and request.column is not None:
        ranks = ", ".join(rank for _, rank in ranked)
        raise SettingError(
            "column", request.column, f"none: ranks are in the {table.word}s {ranks}"
        )
    verdicts = _expanded(table, ranked, request) if ranked else _plain(table, request)
    if not verdicts:
        found = "no comparison of two systems"
        raise MalformedFileError(table.path, None, found, "at least one judgment")
    both = sheet_of(
        table.only([verdict.row for verdict in verdicts for _ in range(2)]),
        [name for verdict in verdicts for name in (verdict.left, verdict.right)],
        (),
        (),
    )
    known_rows(both, request)
    known = set(request.systems)
    kept = [v for v in verdicts if v.left in known and v.right in known]
    if not kept:
        found = "no comparison of two systems of the test set"
        raise MalformedFileError(table.path, None, found, f"some between {request.known}")
    sheet = _numbered(table.only([verdict.row for verdict in kept]), [v.left for v in kept])
    places, way = places_of(sheet, range(len(kept)), request)
    raters: Sequence[str | None] = sheet.raters or [None] * len(kept)
    judgments = tuple(
        Judgment(place, v.left, v.right, v.verdict, rater)
        for v, place, rater in zip(kept, places, raters, strict=True)
    )
    # WMT gave annotators some rankings twice, to see whether they agree with themselves.
    if not ranked or sheet.raters is None:
        _refuse_twice(sheet, judgments)
    judged = {name for j in judgments for name in (j.left, j.right)}
    form = "ranks" if ranked else "pairs"
    return PairwiseJudgments(
        label=table.path,
        systems=tuple(name for name in request.systems if name in judged),
        judgments=judgments,
        raters=len({judgment.rater for judgment in judgments}),
        signature=f"human|format:rankings|form:{form}|match:{way}|scores:{table.digest}",
        ignored=tuple(name for name in dict.fromkeys(both.systems) if name not in known),
    )


def ranked_columns(table: Table) -> list[tuple[str, str]]:
    """The columns of rankings, each system with its rank; none where there are not two."""
    numbers = sorted(
        int(match[1]) for column in table.columns if (match := _RANK.fullmatch(column))
    )
    columns = [
        (
            table.find((f"system{number}id", f"system{number}_id", f"system{number}")),
            table.find((f"system{number}rank", f"system{number}_rank")),
        )
        for number in numbers
    ]
    ranked = [(system, rank) for system, rank in columns if system and rank]
    return ranked if len(ranked) > 1 else []


def _plain(table: Table, request: Request) -> list[_Verdict]:
    left, right = table.found_labels(LEFT), table.found_labels(RIGHT)
    column = request.column or table.find(VERDICT)
    if left is None or right is None or column is None:
        expected = (
            "segment, system1, system2 and judgment, or system1Id, system1rank and so on "
            "as in WMT's rankings"
        )
        table.refuse_columns(expected)
    table.require(column)
    verdicts = []
    for row, value in enumerate(table.values(column)):
        if left[row] == right[row]:
            found = f"{left[row]!r} compared with itself"
            raise MalformedFileError(table.path, table.line(row), found, "two systems")
        word = "" if value is None else str(value).strip()
        if word.lower() in NOTHING:
            continue
        # The name of the better system is a verdict too.
        names: dict[str, Verdict] = {right[row]: -1, left[row]: 1}
        verdict = names.get(word, WORDS.get(word.lower()))
        if verdict is None:
            expected = "better, worse or tied; win, loss or tie; >, < or =; 1, -1 or 0"
            table.refuse(row, column, repr(value), expected)
        verdicts.append(_Verdict(row, left[row], right[row], verdict))
    return verdicts


def _expanded(table: Table, ranked: Sequence[tuple[str, str]], request: Request) -> list[_Verdict]:
    """Every pair of outputs in each ranking; the lower rank is the better one."""
    columns = [(table.labels(system), rank, table.values(rank)) for system, rank in ranked]
    known = set(request.systems)
    verdicts = []
    for row in range(table.rows):
        entries = []
        for names, column, values in columns:
            rank = _rank(table, row, column, values[row])
            if rank is not None and names[row].strip().lower() not in NOTHING:
                # Outputs that are the same were judged once, as A+B.
                parts = names[row].split("+")
                whole = names[row] in known or not set(parts) & known
                entries += [(name, rank) for name in ([names[row]] if whole else parts)]
        for (left, rank), (right, other) in combinations(entries, 2):
            if left != right:
                sign: Verdict = 0 if rank == other else 1 if rank < other else -1
                verdicts.append(_Verdict(row, left, right, sign))
    return verdicts


def _rank(table: Table, row: int, column: str, value: object) -> int | None:
    """A rank from 1; None where an output was not ranked, which is written -1."""
    if value is None or str(value).strip().lower() in NOTHING:
        return None
    rank = whole_number(value)
    if rank is None or rank < -1:
        table.refuse(row, column, repr(value), "a rank, 1 for the best")
    return rank if rank > 0 else None


def _numbered(table: Table, systems: Sequence[str]) -> Sheet:
    """The rows of rankings with the segments that they are about."""
    sheet = sheet_of(table, systems, (), ())
    index = table.find(_INDEX)
    if index is None and sheet.numbers is None:
        table.refuse_columns("one for the segment, called 'segment'")
    documents = sheet.documents
    if documents is not None and not set(documents) - {"-1", ""}:
        documents = None
    return replace(
        sheet,
        numbers=sheet.numbers if index is None else table.values(index),
        documents=documents,
        document_numbers=None if index is None or documents is None else sheet.numbers,
        texts=None,
        name=index or sheet.name,
    )


def _refuse_twice(sheet: Sheet, judgments: Sequence[Judgment]) -> None:
    seen: dict[tuple[int, frozenset[str], str | None], int] = {}
    for row, judgment in enumerate(judgments):
        pair = frozenset((judgment.left, judgment.right))
        earlier = seen.setdefault((judgment.segment, pair, judgment.rater), row)
        if earlier != row:
            by = "" if judgment.rater is None else f" by rater {judgment.rater!r}"
            both = listed(sorted(pair))
            found = f"a second comparison of {both} for segment {judgment.segment + 1}{by}"
            refuse_second(sheet, found, row, earlier, judgment.rater)
