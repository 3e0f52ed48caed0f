"""Results as sacreBLEU's command line prints them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from truebleu.compat.sacrebleu.tables import booktabs, grid

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: What to do to a text that sacreBLEU shows in a colour, by the name of the colour.
Paint: TypeAlias = Callable[[str, str], str]

COLOURS = {"red": 31, "green": 32, "yellow": 33, "cyan": 36}
INTERVAL = re.compile(r"\(μ = [0-9.]+ ± [0-9.]+\)")


def coloured(text: str, colour: str) -> str:
    """The text in colour, for a terminal."""
    return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m"


def plain(text: str, colour: str) -> str:  # noqa: ARG001
    """The text as it is."""
    return text


def single_results(results: Sequence[str], *, is_json: bool, paint: Paint) -> Iterator[str]:
    """The results of one system, one per metric: a JSON value, or lines with their = aligned."""
    if is_json:
        yield results[0] if len(results) == 1 else "[\n" + ",\n".join(results) + "\n]"
        return
    painted = [
        INTERVAL.sub(lambda match: paint(match.group(), "cyan"), result) for result in results
    ]
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
        yield several_systems_as_json(systems, columns)
        return
    names = [system.strip() for system in systems]
    yield from table_and_signatures(names, columns, signatures, format_, paint)


def table_and_signatures(
    systems: Sequence[str],
    columns: Mapping[str, Sequence[str]],
    signatures: Mapping[str, str],
    format_: str,
    paint: Paint,
    explanation: Sequence[str] = (),
) -> Iterator[str]:
    """A table of systems, drawn or for LaTeX; lines that explain it; the signatures."""
    header = ["System", *columns]
    rows = list(zip(systems, *columns.values(), strict=True))
    if format_ == "latex":  # which can do nothing with colour
        yield booktabs(header, rows)
    else:
        yield grid([paint(name, "cyan") for name in header], rows)
    yield ""
    yield from explanation
    title = "Metric signatures"
    yield from ("-" * len(title), title, "-" * len(title))
    for name, signature in signatures.items():
        yield f" - {name:<10} {signature}"


def several_systems_as_json(systems: Sequence[str], columns: Mapping[str, Sequence[object]]) -> str:
    """An array of one object per system, with what each column has for it."""
    import json

    objects = [
        {"system": system} | {name: column[index] for name, column in columns.items()}
        for index, system in enumerate(systems)
    ]
    return json.dumps(objects, indent=4)
