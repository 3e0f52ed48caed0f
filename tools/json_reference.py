"""Write docs/reference/json.md below its mark: the JSON keys of each command.

.venv/bin/python -m tools.json_reference
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import truebleu
from truebleu.nbest import NBest, describe_lists, oracle_scores
from truebleu.simulation import simulate
from truebleu.studies import study_replicates

if TYPE_CHECKING:
    from truebleu._results import Result

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "json.md"
# Mark of the page; this script writes everything below it.
MARK = "<!-- written by tools/json_reference.py -->\n"

# Keys whose entries are named after the data.
DATA = {"BLEU", "system-1", "lm"}


def results() -> Iterator[tuple[str, Result]]:
    """Return a result of each command, on a small simulated test set."""
    texts = simulate(segments=60, systems=[0.2, 0.3, 0.4])
    two = simulate(segments=60, systems=[0.2, 0.3])
    old = "system-2"
    fast: dict[str, Any] = {"replicates": 200}
    judged = {
        name: [100 - len(text or "") % 50 for text in two.references[0]] for name in two.systems
    }
    candidates = list(zip(*texts.systems.values(), strict=True))
    features = {"lm": [[1, 2, 3]] * 60, "tm": [[3, 1, 2]] * 60}
    lists = NBest.of(candidates, features=features)
    reference = texts.references[0]
    yield "score", truebleu.score(two, by=["domain"], confidence=True, **fast)
    yield "compare", truebleu.compare(texts, by=["domain"], **fast)
    yield "explain", truebleu.explain(two, **fast)
    yield "gate", truebleu.gate(two, baseline=old, **fast)
    yield "panel", truebleu.panel({"one": texts, "two": two}, baseline=old, **fast)
    yield "plan", truebleu.plan(two, difference=1.0, margin=2.0, **fast)
    yield "sample", truebleu.sample(two, size=20)
    yield "check", truebleu.check(two, train=[__file__])
    yield "agree", truebleu.agree(two, judged, ["bleu", "chrf"], permutations=100, **fast)
    yield "nbest stats", describe_lists(lists)
    yield "nbest oracle", oracle_scores(lists, reference, metrics=["bleu"])
    yield "tune", truebleu.tune(lists, reference, folds=2, **fast)
    yield "rerank", truebleu.rerank(lists, reference, weights={"lm": 1.0}, **fast)
    yield "mbr", truebleu.mbr(lists)
    yield "study", study_replicates(two, replicates=[100, 200], repetitions=5)


def keys(value: Any, place: str = "") -> Iterator[tuple[str, list[str]]]:
    """Return the keys at each place in a result; a list has the keys of its first item."""
    if isinstance(value, list):
        yield from keys(next((item for item in value if item), None), f"{place}[]")
    elif isinstance(value, Mapping):
        yield place, [str(key) for key in value]
        for key, item in value.items():
            yield from keys(item, f"{place}.{key}" if place else str(key))


def reference() -> str:
    """Return a table for each command: a row for each place, without keys listed before."""
    sections = []
    shown: set[tuple[str, ...]] = set()
    for command, result in results():
        rows = []
        for place, names in keys(result.to_dict()):
            # The hand-written part says what settings hold: the options of the command.
            if place.partition(".")[0] == "settings":
                continue
            if names and tuple(names) not in shown and DATA.isdisjoint(names):
                listed = ", ".join(f"`{key}`" for key in names)
                rows.append(f"| {f'`{place}`' if place else ''} | {listed} |")
            shown.add(tuple(names))
        sections.append(
            "\n".join([f"## truebleu {command}", "", "| in | keys |", "|---|---|", *rows])
        )
    return "\n\n".join(sections) + "\n"


def page() -> str:
    """Return the page: the part written by hand, then the keys."""
    by_hand, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    return f"{by_hand}{mark}\n{reference()}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
