"""Human agreement with significant differences: what `compare` says, and what raters did.

`compare` says how often human raters prefer the same system at a difference of this size, by the
curves of Kocmi et al. (2024). Here every significant difference of a set is held against the mean
human score of its systems. Pairs of one set share systems, so their number is not that of
independent trials.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evidence.data import DATA, read_evaluation_set, read_set
from evidence.page import page_text
from truebleu import compare
from truebleu.corpus import TestSet
from truebleu.reports.document import Column, Document, Table
from truebleu.reports.formats.machine_readable import render_tsv as tsv
from truebleu.reports.formats.markdown import render as markdown

if TYPE_CHECKING:
    from pathlib import Path

METRICS, REPLICATES = ("bleu", "chrf"), 2000
# Per cent at which bands of claims end.
BANDS = (70, 80, 90, 100)
MQM_SETS = ("wmt21-en-de", "ted-mqm-en-de")
EVALUATION_SETS = ("en-de", "he-en")

#: Set, metric, claimed per cent, and whether raters prefer the same system.
Claim: TypeAlias = tuple[str, str, float, bool]


def human_means(path: Path) -> dict[str, float]:
    """Average the scores of a file with a system first and a score last in each line."""
    scores: dict[str, list[float]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        system, *_, score = line.split()
        if system != "system" and score != "None":
            scores[system].append(float(score))
    return {system: float(np.mean(values)) for system, values in scores.items()}


def claims(name: str, test_set: TestSet, human: dict[str, float]) -> Iterator[Claim]:
    """Yield the claim about each significant difference between systems with human scores."""
    judged = TestSet(
        systems={system: text for system, text in test_set.systems.items() if system in human},
        references=test_set.references,
        reference_names=test_set.reference_names,
    )
    for pair in compare(judged, metrics=METRICS, replicates=REPLICATES).comparisons:
        if pair.people is not None:
            agrees = pair.difference * (human[pair.a] - human[pair.b]) > 0
            yield name, pair.metric, pair.people.accuracy, agrees


def all_claims() -> Iterator[Claim]:
    """Yield the claims about all sets."""
    for name in MQM_SETS:
        yield from claims(name, read_set(name), human_means(DATA / name / "human-mqm.tsv"))
    for pair in EVALUATION_SETS:
        test_set, path = read_evaluation_set(pair)
        yield from claims(f"wmt23-{pair}", test_set, human_means(path))


def _row(heading: dict[str, str], found: list[Claim]) -> dict[str, str | float]:
    claimed = float(np.mean([accuracy for *_, accuracy, _ in found]))
    agreed = 100 * float(np.mean([agrees for *_, agrees in found]))
    return {**heading, "pairs": len(found), "claimed": claimed, "found": agreed}


@dataclass(frozen=True, slots=True)
class Raters:
    """Page of what raters did beside what is claimed."""

    claims: tuple[Claim, ...]

    def rows(self) -> list[dict[str, str | float]]:
        """Make a row for each set and metric, and for each band of claims by a metric."""
        groups: dict[tuple[str, str], list[Claim]] = defaultdict(list)
        for claim in self.claims:
            name, metric, accuracy, _ = claim
            band = next(end for end in BANDS if accuracy <= end)
            groups[name, metric].append(claim)
            groups[f"all sets, {band - 10 if band > BANDS[0] else 50} to {band} %", metric].append(
                claim
            )
        order = sorted(groups, key=lambda key: (key[1], key[0].startswith("all"), key[0]))
        return [_row({"metric": key[1], "of": key[0]}, groups[key]) for key in order]

    def write(self, folder: Path) -> None:
        """Write the page and its table."""
        columns = (
            Column("metric", "metric"),
            Column("of", "pairs of"),
            Column("pairs", "pairs"),
            Column("claimed", "claimed, %", 1),
            Column("found", "raters agree, %", 1),
        )
        table = Table(columns, tuple(self.rows()))
        (folder / "tables").mkdir(parents=True, exist_ok=True)
        document = Document((table,), table)
        (folder / "tables" / "raters.tsv").write_text(tsv(document), encoding="utf-8")
        whole = _row({}, list(self.claims))
        parts = [
            "# Do human raters agree as often as is said?",
            f"**Answer.** {whole['pairs']} significant differences of four sets with MQM scores: "
            f"human raters prefer the same system in {whole['found']:.0f} % of them, "
            f"{whole['claimed']:.0f} % were claimed.",
            "For a significant difference, `compare` says how often human raters prefer the same "
            "system, by the curves of Kocmi et al. (2024) averaged over the bootstrap's replicates "
            "of the difference. Nothing is said about undecided pairs. Here each claim is held "
            "against the mean MQM scores of the two systems, which have errors of their own. Pairs "
            "of one set share systems, so a set counts for much less than its number of pairs.",
            markdown(document).rstrip(),
            "Made by `make evidence`; all figures come from the run itself.",
        ]
        (folder / "raters.md").write_text(page_text(parts), encoding="utf-8")


def page() -> Raters:
    """Compare all systems of four sets; a few seconds."""
    return Raters(tuple(all_claims()))
