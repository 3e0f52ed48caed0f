"""Formats of tools for machine translation: one short declaration each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import truebleu.corpus.tables as tables
from truebleu.corpus.tables import value_inside
from truebleu.scores.evaluations import Format, Numbered, ScoreFile, has_keys, is_object, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator


# COMET: higher is better. Files of comet-score do not name the model: give it with ``name=``.

_COMET_LINE = re.compile(
    r"(?P<file>[^\t]+)\t(Segment (?P<segment>\d{1,9})\t)?score: (?P<score>[^\s]+)$"
)
_COMPARISON = ("statistical_results", "translations")
# Scores have four decimals, and so has their mean.
_COMET_ROUNDED = 1e-4


def _is_comet(file: ScoreFile) -> bool:
    if not isinstance(file.json, dict):
        return any(map(_COMET_LINE.match, file.lines))
    is_scores = bool(file.json) and all(
        isinstance(rows, list) and is_object(value_inside(rows, ["0"]), "COMET")
        for rows in file.json.values()
    )
    return is_scores or is_object(file.json, *_COMPARISON)


def _comet_records(file: ScoreFile) -> Iterator[Numbered]:
    """Yield the records of ``comet-score``'s output, or of JSON of comet-score or comet-compare."""
    if not isinstance(file.json, dict):
        yield from _printed_comet(file)
        return
    systems, name = list(file.json.items()), "COMET"
    if is_object(file.json, *_COMPARISON):
        model = file.json.get("model")
        name = model.rsplit("/", 1)[-1] if isinstance(model, str) else name
        systems = []
        for translation in file.json["translations"]:
            scores, texts = (value_inside(translation, [key]) for key in ("scores", "mt"))
            if not isinstance(scores, list):
                file.refuse(None, "a translation without scores", "scores of each translation")
            outputs = (value_inside(texts, [str(index)]) for index in range(len(scores)))
            rows = [{"COMET": s, "mt": text} for s, text in zip(scores, outputs, strict=True)]
            systems.append((str(translation.get("name", "")), rows))
    for path, rows in systems:
        for number, row in enumerate(rows):
            if not is_object(row, "COMET"):
                found = f"segment {number + 1} of {path} without COMET"
                file.refuse(None, found, "a score for each segment")
            answer = {"scores": {name: row["COMET"]}, "output": row.get("mt")}
            yield None, {"system": name_of(path), "item": number, **answer}


def _printed_comet(file: ScoreFile) -> Iterator[Numbered]:
    """Yield the lines of segments, skipping logs and other lines.

    Raises MalformedFileError if a system's line is not the mean of its segments, because some are
    missing.
    """
    scores: dict[str, list[float]] = {}
    for number, line in enumerate(file.lines, 1):
        match = _COMET_LINE.match(line)
        if match is None:
            continue
        path, segment, text = match["file"], match["segment"], match["score"]
        if not tables.is_score(text):
            file.refuse(number, f"COMET {text!r}", "a number")
        score = tables.parse_score(text)
        known = scores.setdefault(path, [])
        if segment is not None:
            known += [] if score is None else [score]
            about = {"system": name_of(path), "item": int(segment)}
            yield number, {**about, "scores": {"COMET": score}}
        elif not known:
            expected = "the scores of its segments: comet-score without --only_system"
            file.refuse(number, f"only the system score of {path}", expected)
        elif score is None or abs(sum(known) / len(known) - score) > _COMET_ROUNDED:
            expected = f"{sum(known) / len(known):.4f}, the mean of its {len(known)} segments above"
            file.refuse(number, f"{path} with {text}", expected)


# Submissions to WMT's metrics task: METRIC LP TESTSET DOMAIN DOC REF SYSTEM SEGNO SCORE, separated
# by tabs. Files of system scores have 7 fields and no segments.

_LANGUAGE_PAIR = re.compile(r"[a-z]{2,3}(_[A-Za-z]+)?-[a-z]{2,3}(_[A-Za-z]+)?$")
_SUBMISSION = (
    *("metric", "pair", "test_set", "domain", "document"),
    *("reference", "system", "item", "score"),
)
_OF_SYSTEMS = 7


def _is_submission(file: ScoreFile) -> bool:
    fields = file.lines[0].split("\t")
    is_submission = len(fields) in (len(_SUBMISSION), _OF_SYSTEMS)
    return is_submission and bool(_LANGUAGE_PAIR.match(fields[1])) and tables.is_score(fields[-1])


def _submission_records(file: ScoreFile) -> Iterator[Numbered]:
    if len(file.lines[0].split("\t")) == _OF_SYSTEMS:
        expected = f"scores of segments, with {len(_SUBMISSION)} fields"
        file.refuse(1, f"{_OF_SYSTEMS} fields, scores of systems", expected)
    first: list[str] = []
    for number, row in file.rows(_SUBMISSION):
        labels = [row[name] for name in ("metric", "pair", "test_set", "reference")]
        first = first or labels
        if labels != first:
            expected = f"{', '.join(first)} on every line; split the file"
            file.refuse(number, ", ".join(labels), expected)
        yield number, {**row, "scores": {row["metric"]: row["score"]}}


# WMT25's automatic scores: one line per document, with a score for each of its paragraphs.


def _wmt25_records(file: ScoreFile) -> Iterator[Numbered]:
    for line, record in file.records():
        pair, domain, document = (record.get(k) for k in ("language_pair", "domain", "document_id"))
        scores = record.get("metric_scores")
        lists: list[Any] = list(scores.values()) if isinstance(scores, dict) else [None]
        if not all(isinstance(list_, list) and len(list_) == len(lists[0]) for list_ in lists):
            file.refuse(line, "other metric_scores", "equally many numbers for each metric")
        fields = {"document": document, "domain": domain, "language_pair": pair}
        for index, row in enumerate(zip(*lists, strict=True)):
            answer = {"scores": dict(zip(scores or (), row, strict=True)), "fields": fields}
            name = f"{pair}_#_{domain}_#_{document}_#_{index}"
            yield line, {"benchmark": pair, "item": name, **answer}


# Hugging Face's evaluate.save: lists are scores of segments; single numbers are corpus scores.


def _evaluate_records(file: ScoreFile) -> Iterator[Numbered]:
    lists = {
        name: values
        for name, values in file.json.items()
        if isinstance(values, list) and values and all(isinstance(v, int | float) for v in values)
    }
    if not lists:
        expected = "a list with a score for each segment, as of BERTScore or COMET"
        file.refuse(None, "only corpus scores", expected)
    if len({len(values) for values in lists.values()}) > 1:
        file.refuse(None, f"different lengths: {', '.join(lists)}", "lists of equal lengths")
    for row in zip(*lists.values(), strict=True):
        yield None, {"scores": dict(zip(lists, row, strict=True))}


# bert-score -s: settings and means, then precision, recall and F1 of each segment.

_BERT_SCORE = re.compile(r"(?P<settings>\S+) P: \S+ R: \S+ F1: \S+$")


def _bert_score_records(file: ScoreFile) -> Iterator[Numbered]:
    settings = file.lines[0].partition(" ")[0]
    if len(file.lines) == 1:
        file.refuse(1, "only corpus scores", "scores of segments: bert-score -s")
    for number, scores in file.rows(("P", "R", "F1"), start=2):
        yield number, {"scores": scores, "data": settings}


# One score per line, as in files of BLEURT and GEMBA: one system's scores in order. None is an
# unparsable answer: a missing score, never 0.


def _are_numbers(file: ScoreFile) -> bool:
    first = file.lines[0].strip()
    is_number = tables.score_or_none(first) is not None or tables.looks_like_number(first)
    return first == "None" or is_number


def _line_records(file: ScoreFile) -> Iterator[Numbered]:
    for number, line in enumerate(file.lines, 1):
        if not line.strip():
            file.refuse(number, "a blank line", "a number, or None for a missing score")
        yield number, {"scores": {"score": line.strip()}}


#: Formats by tool, in the order in which they are tried.
MT_FORMATS = {
    "COMET": Format(
        writes="what comet-score prints; the JSON of comet-score and comet-compare",
        knows=_is_comet,
        records=_comet_records,
        output="output",
        first=0,
        higher={"": True},
    ),
    "MetricX": Format(
        writes="JSON lines with a prediction; lower is better",
        knows=has_keys("prediction", "hypothesis"),
        needs=frozenset({"prediction"}),
        system="system_id",
        item="segment_id",
        scores=lambda record: {"MetricX": record["prediction"]},
        output="hypothesis",
        first=0,
        higher={"": False},
        scale=(0, 25),
    ),
    "WMT25": Format(
        writes="automatic_scores, JSON lines of documents",
        knows=has_keys("language_pair", "document_id", "metric_scores"),
        records=_wmt25_records,
        fields="fields",
        documents="document",
        higher={"": True},
        score_names=("CometKiwi-XL",),
    ),
    "Hugging Face evaluate": Format(
        writes="evaluate.save of lists",
        knows=lambda file: is_object(file.json, "_evaluate_version"),
        records=_evaluate_records,
        first=1,
        score_names=("f1", "scores", "score"),
    ),
    "bert-score": Format(
        writes="what bert-score -s prints",
        knows=lambda file: _BERT_SCORE.match(file.lines[0]) is not None,
        records=_bert_score_records,
        data="data",
        first=1,
        higher={"": True},
        score_names=("F1",),
    ),
    "WMT metrics task": Format(
        writes="submissions of 9 fields for each segment",
        knows=_is_submission,
        records=_submission_records,
        first=1,
    ),
    "BLEURT, GEMBA": Format(
        writes="a number or None on each line, of one system",
        knows=_are_numbers,
        records=_line_records,
        first=1,
    ),
}
