"""Replicates as a document: how much intervals of B replicates differ from run to run."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Plot, Table
from truebleu.reports.studies._shared import percent, study_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truebleu.studies.replicates import MetricReplicates, ReplicatesResult


def document(result: ReplicatesResult) -> Document:
    """A table of systems by B, and the deviation of bounds as a line for each metric."""
    columns = (
        Column("metric", "Metric"),
        Column("system", "System"),
        Column("replicates", "B"),
        Column("runs", "Runs"),
        Column("median", "Median", 3),
        Column("low", "Interval from", 2, percent=True, sign=True),
        Column("high", "to", 2, percent=True, sign=True),
        Column("sd_low", "SD of lower", 3, percent=True),
        Column("sd_high", "of upper", 3, percent=True),
        Column("theory", "By theory", 3, percent=True),
        Column("relative_sd", "SD / width", 1, percent=True),
    )
    lines = {metric.metric: metric.means for metric in result.metrics} | {"theory": result.theory}
    return study_document(
        f"Relative intervals of the level {100 * result.settings.level:g} % from B replicates, "
        "and how far they differ between runs",
        Table(columns, tuple(map(asdict, result.rows))),
        _sentences(result),
        Plot(
            "line",
            "replicates",
            "relative_sd",
            series="of",
            reference=result.limit,
            log_x=True,
            zero_y=True,
        ),
        axes={"replicates": "Bootstrap replicates (B)"},
        chart=Table(
            (
                Column("replicates", "B"),
                Column("relative_sd", "SD of the bounds / width of the interval", 1, percent=True),
                Column("of", "Metric"),
            ),
            tuple({**asdict(mean), "of": name} for name, means in lines.items() for mean in means),
        ),
    )


def _sentences(result: ReplicatesResult) -> Iterator[str]:
    for metric in result.metrics:
        if all(mean.relative_sd is None for mean in metric.means):
            yield f"{metric.metric}: there is nothing to measure: its scores are 0 or do not vary."
            continue
        yield _enough(metric, result)
        if metric.exponent is not None:
            yield (
                f"{metric.metric}: the deviation falls with B to the power {metric.exponent:.2f}; "
                "theory says -0.5, so that four times the replicates halve it."
            )
        without = dict.fromkeys(
            row.system
            for row in result.rows
            if row.metric == metric.metric and row.relative_sd is None
        )
        if without:
            systems = ", ".join(without)
            yield f"{metric.metric}: no figures of {systems}: scores are 0 or do not vary."


def _enough(metric: MetricReplicates, result: ReplicatesResult) -> str:
    limit = f"{100 * result.limit:g} % of the interval's width"
    by_theory = f"normal theory asks for {result.needed_by_theory:,}"
    known = {
        mean.replicates: mean.relative_sd for mean in metric.means if mean.relative_sd is not None
    }
    if metric.enough is not None:
        return (
            f"{metric.metric}: {metric.enough:,} replicates are enough: from there on the bounds' "
            f"standard deviation is at most {limit}, at {metric.enough:,} it is "
            f"{percent(known[metric.enough])}; {by_theory}."
        )
    largest = max(known)
    return (
        f"{metric.metric}: even {largest:,} replicates are not enough: the bounds' standard "
        f"deviation is {percent(known[largest])} of the width, above {limit}; {by_theory}."
    )
