"""Results as sacreBLEU's command line prints them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from truebleu.compat.sacrebleu.tables import booktabs, grid

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Paint: TypeAlias = Callable[[str], str]

INTERVAL = re.compile(r"\(μ = [0-9.]+ ± [0-9.]+\)")


def cyan(text: str) -> str:
    """The text in colour, for a terminal."""
    return f"\x1b[36m{text}\x1b[0m"


def plain(text: str) -> str:
    """The text as it is."""
    return text


def single_results(results: Sequence[str], *, is_json: bool, paint: Paint) -> Iterator[str]:
    """The results of one system, one per metric: a JSON value, or lines with their = aligned."""
    if is_json:
        yield results[0] if len(results) == 1 else "[\n" + ",\n".join(results) + "\n]"
        return
    painted = [INTERVAL.sub(lambda match: paint(match.group()), result) for result in results]
    # Without an interval, bare scores have no = and stay where they are.
    lefts = [result.partition("=")[0] if "=" in result else "" for result in painted]
    width = max(map(len, lefts)) if len(results) > 1 else 0
    for result, left in zip(painted, lefts, strict=True):
        yield f"{left:>{width}}{result.removeprefix(left)}" if left else result


def several_systems(
    systems: Sequence[str],
    columns: Mapping[str, Sequence[str]],
    signatures: Mapping[str, str],
    format_: str,
    paint: Paint,
) -> Iterator[str]:
    """The scores of several systems, by the name of the metric: JSON, or a table and signatures."""
    if format_ == "json":
        yield _json(systems, columns)
        return
    header = ["System", *columns]
    rows = [
        [system.strip(), *scores]
        for system, *scores in zip(systems, *columns.values(), strict=True)
    ]
    yield booktabs(header, rows) if format_ == "latex" else grid(header, rows, paint)
    title = "Metric signatures"
    yield from ("", "-" * len(title), title, "-" * len(title))
    for name, signature in signatures.items():
        yield f" - {name:<10} {signature}"


def _json(systems: Sequence[str], columns: Mapping[str, Sequence[str]]) -> str:
    import json

    objects = [
        {"system": system} | {name: scores[index] for name, scores in columns.items()}
        for index, system in enumerate(systems)
    ]
    return json.dumps(objects, indent=4)
