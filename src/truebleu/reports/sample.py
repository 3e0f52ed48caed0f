"""How representative a test set is of its pool, as tables and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.planning.representativeness import QUANTILES
from truebleu.reports.json import json_text
from truebleu.reports.table import RENDERERS, Column, Table

if TYPE_CHECKING:
    from truebleu.planning.representativeness import SampleReport, SystemOnSample

DRAWN = {
    "broad": "evenly spread, one in {step:.4g}",
    "random": "at random",
    "stratified": "at random within each stratum",
    "document": "whole documents at random",
}
# Further from the pool than this, and the sample is an odd one.
MANY_ERRORS = 2.0


def render_sample(report: SampleReport, format_: str = "text") -> str:
    """A report in one of FORMATS, ending with a line feed."""
    if format_ == "json":
        return json_text(report.to_dict())
    if format_ == "tsv":
        return RENDERERS["tsv"](long_table(report))
    render = RENDERERS[format_]
    tables = [render(table) for table in _tables(report)]
    if format_ == "latex":
        return "\n".join(tables)
    return "\n".join(["\n".join(sentences(report)) + "\n", *tables])


def sentences(report: SampleReport) -> list[str]:
    """What was drawn, and how like the pool it is."""
    told = [_drawn(report)]
    size, asked = len(report.segments), report.settings["size"]
    if size != asked:
        told.append(f"{asked:,} were asked for; whole documents come no nearer in this draw.")
    if report.documents is not None:
        told.append(f"It takes from {report.documents:,} of {report.pool_documents:,} documents.")
    told.append(_distance(report))
    words = report.vocabulary
    if words.tokens_covered is not None and words.types_covered is not None:
        told.append(
            f"It has {_percent(words.types_covered)} of the pool's {words.pool_types:,} different "
            f"words, and with them {_percent(words.tokens_covered)} of its running words."
        )
    if words.out_of_vocabulary is not None:
        told.append(
            f"Of the words outside of it, it has never seen {_percent(words.out_of_vocabulary)}."
        )
    return [*told, *_odd_scores(report)]


def length_table(report: SampleReport) -> Table:
    """Mean and quantiles of the words per segment."""
    names = {0.0: "least", 0.5: "median", 1.0: "most"}
    headings = [names.get(share, f"{100 * share:g} %") for share in QUANTILES]
    columns = (
        Column("words per segment"),
        *(Column(heading, numeric=True) for heading in ("segments", "mean", *headings)),
    )
    rows = tuple(
        (name, f"{size:,}", f"{lengths.mean:.1f}", *(f"{q:g}" for q in lengths.quantiles))
        for name, size, lengths in (
            ("test set", len(report.segments), report.lengths),
            ("pool", report.pool["segments"], report.pool_lengths),
        )
    )
    return Table(columns, rows)


def domain_table(report: SampleReport) -> Table:
    """Each domain's segments and shares."""
    headings = ("segments", "share", "in the pool", "share of the pool")
    columns = (Column("domain"), *(Column(heading, numeric=True) for heading in headings))
    rows = tuple(
        (
            one.domain,
            f"{one.segments:,}",
            _percent(one.share, 1),
            f"{one.pool_segments:,}",
            _percent(one.pool_share, 1),
        )
        for one in report.domains
    )
    return Table(columns, rows)


def score_table(report: SampleReport) -> Table:
    """Each system's score on the test set and on the pool."""
    headings = ("score", "on the pool", "difference", "in standard errors")
    columns = (
        Column("system"),
        Column("metric"),
        *(Column(heading, numeric=True) for heading in headings),
    )
    rows = tuple(_score_row(report, one) for one in report.systems)
    return Table(columns, rows, tuple(map(str, report.signatures.values())))


def long_table(report: SampleReport) -> Table:
    """Every number in a row of its own, with all digits; an empty cell where there is none."""
    rows: list[tuple[str, str, object, object]] = [
        ("segments", "", len(report.segments), report.pool["segments"]),
        ("documents", "", report.documents, report.pool_documents),
        ("mean length", "", report.lengths.mean, report.pool_lengths.mean),
    ]
    ends = zip(QUANTILES, report.lengths.quantiles, report.pool_lengths.quantiles, strict=True)
    rows += [("length quantile", f"{share:g}", here, pool) for share, here, pool in ends]
    rows.append(("length distance", "", report.length_distance, None))
    rows.append(("usual distance", "", report.usual_distance, None))
    words = report.vocabulary
    rows.append(("types", "", words.types, words.pool_types))
    rows.append(("types covered", "", words.types_covered, None))
    rows.append(("tokens covered", "", words.tokens_covered, None))
    rows.append(("out of vocabulary", "", words.out_of_vocabulary, None))
    rows += [("domain share", one.domain, one.share, one.pool_share) for one in report.domains]
    for one in report.systems:
        rows.append((one.metric, one.system, one.score, one.pool_score))
        rows.append((f"{one.metric} standard errors", one.system, one.standard_errors, None))
    columns = tuple(Column(heading) for heading in ("measure", "of", "test_set", "pool"))
    cells = tuple(
        (measure, of, *("" if value is None else repr(value) for value in values))
        for measure, of, *values in rows
    )
    return Table(columns, cells, tuple(map(str, report.signatures.values())))


def _tables(report: SampleReport) -> list[Table]:
    tables = [length_table(report)]
    if report.domains:
        tables.append(domain_table(report))
    if report.systems:
        tables.append(score_table(report))
    return tables


def _drawn(report: SampleReport) -> str:
    size, pool = len(report.segments), report.pool["segments"]
    how = DRAWN[report.settings["draw"]].format(step=pool / size)
    return f"Drew {size:,} of {pool:,} segments, {how} (seed {report.settings['seed']})."


def _distance(report: SampleReport) -> str:
    found, usual = report.length_distance, report.usual_distance
    told = (
        f"The shares of segments up to any length differ from the pool's by {_points(found)} at "
        f"most (Kolmogorov and Smirnov's distance); of random samples, 95 % stay below "
        f"{_points(usual)}."
    )
    return told if usual else told.split(" (")[0] + "."


def _points(share: float) -> str:
    return f"{100 * share:.1f} points"


def _odd_scores(report: SampleReport) -> list[str]:
    """The systems whose scores are far from those on the pool."""
    odd = [
        f"{one.system} ({one.metric})"
        for one in report.systems
        if one.standard_errors is not None and abs(one.standard_errors) > MANY_ERRORS
    ]
    if not odd:
        return []
    return [
        f"More than {MANY_ERRORS:g} standard errors from the score on the pool: "
        f"{', '.join(odd)}. About one in twenty is, by chance."
    ]


def _score_row(report: SampleReport, one: SystemOnSample) -> tuple[str, ...]:
    digits = report.digits[one.metric]
    errors = "" if one.standard_errors is None else f"{one.standard_errors:+.1f}"
    return (
        one.system,
        one.metric,
        f"{one.score:.{digits}f}",
        f"{one.pool_score:.{digits}f}",
        f"{one.difference:+.{digits}f}",
        errors,
    )


def _percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f} %"
