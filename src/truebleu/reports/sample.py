"""How representative a test set is of its pool, as tables and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.planning.sample import QUANTILES
from truebleu.reports.document import Column, Document, Sentences, Table, signature_lines

if TYPE_CHECKING:
    from truebleu.planning.sample import Sample, SystemOnSample
    from truebleu.reports.document import Row

DRAWN = {
    "systematic": "evenly spread, one in {step:.4g}",
    "random": "at random",
    "stratified": "at random within each stratum",
    "document": "whole documents at random",
}
# Further from the pool than this, and the sample is an odd one.
MANY_ERRORS = 2.0


def document(sample: Sample) -> Document:
    """What was drawn and how like the pool it is; lengths, domains and scores as tables."""
    tables = [length_table(sample)]
    if sample.domains:
        tables.append(domain_table(sample))
    if sample.systems:
        tables.append(score_table(sample))
    return Document((Sentences(sentences(sample)), *tables), long_table(sample))


def sentences(sample: Sample) -> tuple[str, ...]:
    """What was drawn, and how like the pool it is."""
    lines = [_drawn(sample)]
    size, asked = len(sample.segments), sample.settings.size
    if size != asked:
        lines.append(f"{asked:,} were asked for; whole documents come no nearer in this draw.")
    if sample.documents is not None:
        lines.append(f"It takes from {sample.documents:,} of {sample.pool_documents:,} documents.")
    lines.append(_distance(sample))
    words = sample.vocabulary
    if words.tokens_covered is not None and words.types_covered is not None:
        lines.append(
            f"It has {_percent(words.types_covered)} of the pool's {words.pool_types:,} different "
            f"words, and with them {_percent(words.tokens_covered)} of its running words."
        )
    if words.out_of_vocabulary is not None:
        lines.append(
            f"Of the words outside of it, it has never seen {_percent(words.out_of_vocabulary)}."
        )
    return (*lines, *_odd_scores(sample))


def length_table(sample: Sample) -> Table:
    """Mean and quantiles of the words per segment."""
    names = {0.0: "least", 0.5: "median", 1.0: "most"}
    headings = [names.get(share, f"{100 * share:g} %") for share in QUANTILES]
    columns = (
        Column("texts", "words per segment"),
        Column("segments", "segments", numeric=True),
        Column("mean", "mean", digits=1),
        *(Column(heading, heading) for heading in headings),
    )
    rows: tuple[Row, ...] = tuple(
        {
            "texts": name,
            "segments": f"{size:,}",
            "mean": lengths.mean,
            **dict(zip(headings, lengths.quantiles, strict=True)),
        }
        for name, size, lengths in (
            ("test set", len(sample.segments), sample.lengths),
            ("pool", len(sample.pool), sample.pool_lengths),
        )
    )
    return Table(columns, rows)


def domain_table(sample: Sample) -> Table:
    """Each domain's segments and shares."""
    columns = (
        Column("domain", "domain"),
        Column("segments", "segments", numeric=True),
        Column("share", "share", digits=1, percent=True),
        Column("pool_segments", "in the pool", numeric=True),
        Column("pool_share", "share of the pool", digits=1, percent=True),
    )
    rows: tuple[Row, ...] = tuple(
        {
            "domain": domain.domain,
            "segments": f"{domain.segments:,}",
            "share": domain.share,
            "pool_segments": f"{domain.pool_segments:,}",
            "pool_share": domain.pool_share,
        }
        for domain in sample.domains
    )
    return Table(columns, rows)


def score_table(sample: Sample) -> Table:
    """Each system's score on the test set and on the pool."""
    columns = (
        Column("system", "system"),
        Column("metric", "metric"),
        Column("score", "score", numeric=True),
        Column("pool_score", "on the pool", numeric=True),
        Column("difference", "difference", numeric=True),
        Column("standard_errors", "in standard errors", numeric=True),
    )
    rows = tuple(_score_row(system, sample.digits[system.metric]) for system in sample.systems)
    return Table(columns, rows, tuple(signature_lines(sample.signatures.values())))


def long_table(sample: Sample) -> Table:
    """Every number in a row of its own."""
    words = sample.vocabulary
    rows: list[Row] = [
        _row("segments", "", len(sample.segments), len(sample.pool)),
        _row("documents", "", sample.documents, sample.pool_documents),
        _row("mean length", "", sample.lengths.mean, sample.pool_lengths.mean),
    ]
    ends = zip(QUANTILES, sample.lengths.quantiles, sample.pool_lengths.quantiles, strict=True)
    rows += [_row("length quantile", f"{share:g}", here, pool) for share, here, pool in ends]
    rows += [
        _row("length distance", "", sample.length_distance),
        _row("usual distance", "", sample.usual_distance),
        _row("types", "", words.types, words.pool_types),
        _row("types covered", "", words.types_covered),
        _row("tokens covered", "", words.tokens_covered),
        _row("out of vocabulary", "", words.out_of_vocabulary),
    ]
    rows += [
        _row("domain share", domain.domain, domain.share, domain.pool_share)
        for domain in sample.domains
    ]
    for system in sample.systems:
        name, metric = system.system, system.metric
        rows.append(_row(metric, name, system.score, system.pool_score))
        rows.append(_row(f"{metric} standard errors", name, system.standard_errors))
    columns = tuple(Column(name, name) for name in ("measure", "of", "test_set", "pool"))
    return Table(columns, tuple(rows), tuple(signature_lines(sample.signatures.values())))


def _row(measure: str, of: str, value: float | None, pool: float | None = None) -> Row:
    return {"measure": measure, "of": of, "test_set": value, "pool": pool}


def _drawn(sample: Sample) -> str:
    size, pool = len(sample.segments), len(sample.pool)
    how = DRAWN[sample.settings.draw].format(step=pool / size)
    return f"Drew {size:,} of {pool:,} segments, {how} (seed {sample.settings.seed})."


def _distance(sample: Sample) -> str:
    distance, usual = sample.length_distance, sample.usual_distance
    sentence = (
        "The shares of segments up to any length differ from the pool's by "
        f"{_points(distance)} at most"
    )
    if not usual:
        return f"{sentence}."
    return (
        f"{sentence} (Kolmogorov and Smirnov's distance); of random samples, 95 % stay below "
        f"{_points(usual)}."
    )


def _points(share: float) -> str:
    return f"{100 * share:.1f} points"


def _odd_scores(sample: Sample) -> list[str]:
    """The systems whose scores are far from those on the pool."""
    odd = [
        f"{system.system} ({system.metric})"
        for system in sample.systems
        if system.standard_errors is not None and abs(system.standard_errors) > MANY_ERRORS
    ]
    if not odd:
        return []
    return [
        f"More than {MANY_ERRORS:g} standard errors from the score on the pool: "
        f"{', '.join(odd)}. About one in twenty is, by chance."
    ]


def _score_row(system: SystemOnSample, digits: int) -> Row:
    errors = system.standard_errors
    return {
        "system": system.system,
        "metric": system.metric,
        "score": f"{system.score:.{digits}f}",
        "pool_score": f"{system.pool_score:.{digits}f}",
        "difference": f"{system.difference:+.{digits}f}",
        "standard_errors": "" if errors is None else f"{errors:+.1f}",
    }


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
