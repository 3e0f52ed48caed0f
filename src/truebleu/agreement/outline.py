"""What an agreement says about its inputs: human scores, metrics, and points for a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.agreement.results import JudgedBy

if TYPE_CHECKING:
    from truebleu.agreement.human_items import Human
    from truebleu.agreement.judged import Judged, JudgedMetric
    from truebleu.corpus import TestSet
    from truebleu.exhibits import Row
    from truebleu.inference.arguments import Values

# Names that a note lists at most.
MOST_NAMES = 5
# Points of a panel at most.
MOST_POINTS = 10_000


def outline(human: Human, judged: Judged) -> dict[str, Any]:
    """What results say about the human scores."""
    people = judged.people
    found: dict[str, Any] = {
        "file": human.label,
        "signature": human.signature,
        "level": people.item,
        "raters": human.raters,
        "systems": list(people.systems),
        "ignored": list(human.ignored),
        "scores": {
            name: None if np.isnan(score) else score
            for name, score in zip(people.systems, people.means.tolist(), strict=True)
        },
    }
    if people.scores is not None:
        rated = people.judged_cells
        found["judged"] = int(rated.sum())
        found["cells"] = rated.size
        found["items"] = int(rated.any(axis=0).sum())
    if people.judgments is not None:
        found["comparisons"] = len(people.judgments)
        found["ties"] = int((people.judgments.verdict == 0).sum())
        found["items"] = len(np.unique(people.judgments.item))
    return found


def judged_by(judged: Judged, references: int | None) -> dict[str, JudgedBy]:
    """What results say about the metrics."""
    systems = judged.people.systems
    return {
        label: JudgedBy(
            signature=str(one.metric.signature.with_references(references)),
            higher_is_better=one.metric.higher_is_better,
            scores={
                name: float(one.sign * score) if np.isfinite(score) else None
                for name, score in zip(systems, one.systems, strict=True)
            },
        )
        for label, one in judged.metrics.items()
    }


def notes(human: Human, judged: Judged, test_set: TestSet) -> tuple[str, ...]:
    """What a reader should know about the human scores and the metrics, in sentences."""
    found = [note if note.endswith(".") else f"{note}." for note in human.notes]
    people = judged.people
    unjudged = [name for name in test_set.systems if name not in people.systems]
    if unjudged:
        found.append(f"Nobody judged {_names(unjudged)}: left out.")
    only_ties = [
        n for n, score in zip(people.systems, people.means, strict=True) if np.isnan(score)
    ]
    if only_ties:
        found.append(f"Only ties in the judgments of {_names(only_ties)}: no share of wins.")
    for label, one in judged.metrics.items():
        if one.metric.higher_is_better is False:
            found.append(
                f"{label}: less is better; it counts turned round, so that agreement is above 0."
            )
        elif one.metric.higher_is_better is None:
            found.append(f"{label} has no direction: it counts as if more were better.")
    return tuple(found)


def points(judged: Judged) -> list[Row]:
    """Human and metric scores of systems, then of items, for a chart; metrics as they are."""
    people = judged.people
    rows: list[Row] = []
    for label, one in judged.metrics.items():
        rows += _panel(_panel_name(label, one, "systems"), people.means, one.sign * one.systems)
    if people.scores is None:
        return rows
    rated = people.judged_cells
    human = people.scores[rated]
    # So many points are a blot, and a file that no browser opens.
    step = -(-len(human) // MOST_POINTS)
    what = f"{people.item}s" if step == 1 else f"one {people.item} score in {step}"
    for label, one in judged.metrics.items():
        if one.items is not None:
            scores = one.sign * one.items[rated]
            rows += _panel(_panel_name(label, one, what), human[::step], scores[::step])
    return rows


def _panel(name: str, human: Values, scores: Values) -> list[Row]:
    return [
        {"of": name, "human": float(h), "score": float(m)}
        for h, m in zip(human, scores, strict=True)
        if np.isfinite(h) and np.isfinite(m)
    ]


def _panel_name(label: str, one: JudgedMetric, what: str) -> str:
    return f"{label}, {what}" + (" (less is better)" if one.sign < 0 else "")


def _names(names: list[str]) -> str:
    if len(names) > MOST_NAMES:
        return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
