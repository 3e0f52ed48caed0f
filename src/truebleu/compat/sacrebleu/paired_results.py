"""The results of paired tests as sacreBLEU's command line prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.compat.sacrebleu.results import plain, several_systems_as_json, table_and_signatures
from truebleu.compat.sacrebleu.significance import ALPHA

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu.compat.sacrebleu.results import Paint
    from truebleu.compat.sacrebleu.significance import Result

# What the first system's name starts with, where it has a name of its own.
BASELINE = "Baseline: "


def paired_results(
    systems: Sequence[str],
    results: Mapping[str, Sequence[Result]],
    signatures: Mapping[str, str],
    test: str,
    samples: int,
    *,
    format_: str,
    width: int,
    paint: Paint,
) -> Iterator[str]:
    """Results by the name of the score: JSON, or a table, what it means, and the signatures.

    Args:
        systems: their names, the baseline's first.
        results: by the name of the score, the result of each system.
        signatures: by the name of the score.
        test: ``bs`` or ``ar``.
        samples: replicates or trials of the test.
        format_: ``json``, ``text`` or ``latex``.
        width: digits after the decimal point of scores, means and intervals.
        paint: colours a text.
    """
    if format_ == "json":
        columns = {name: [vars(result) for result in column] for name, column in results.items()}
        yield several_systems_as_json(systems, columns)
        return
    if format_ == "latex":
        paint = plain
    cells = {
        f"{name} (μ ± 95% CI)" if test == "bs" else name: [
            _cell(result, width, "\n" if format_ == "text" else " ", paint) for result in column
        ]
        for name, column in results.items()
    }
    names = [name.strip() for name in systems]
    if names[0].startswith(BASELINE):
        for column in (names, *cells.values()):
            column[0] = paint(column[0], "yellow")
    explanation = _explanation(names[0], test, samples, paint)
    yield from table_and_signatures(names, cells, signatures, format_, paint, explanation)


def _cell(result: Result, width: int, separator: str, paint: Paint) -> str:
    cell = f"{result.score:.{width}f}"
    if result.mean is not None:
        cell += f" ({result.mean:.{width}f} ± {result.ci:.{width}f})"
    if result.p_value is not None:
        p = f"(p = {result.p_value:.4f})"
        cell += separator + (f"{p}*" if result.p_value <= ALPHA else paint(p, "red"))
    return cell


def _explanation(baseline: str, test: str, samples: int, paint: Paint) -> list[str]:
    """Title and notes. The title is sacreBLEU's; the notes say what its notes say, in our words."""
    if test == "bs":
        title = f"Paired bootstrap resampling test with {samples} resampling trials"
        contents = (
            "score (mean ± half the width of the middle 95%, of the resampled scores), then p"
        )
    else:
        title = f"Paired approximate randomization test with {samples} trials"
        contents = "score, then p"
    null, base = paint("null hypothesis", "green"), paint("baseline", "yellow")
    return [
        "-" * len(title),
        title,
        "-" * len(title),
        f" - One test for each system, always against {baseline}.",
        f"   A cell has: {contents}.",
        "",
        f" - The {null} is that system and {base} are equally good, and only chance decided",
        "   which of them did well on which segment. If that holds, a difference of at least",
        "   this size, in either direction, comes up with a probability of about p.",
        "",
        f" - A * stands where p is at most {ALPHA}: chance is a poor explanation there, and the",
        f"   {null} is rejected at that level. A larger p, on a terminal {paint('in red', 'red')},",
        "   shows no difference, but does not show that there is none either.",
        "",
        f" - A * speaks of a difference from the {base}, for better or worse: compare the scores",
        "   to see which, and mind that TER is better when lower.",
        "",
    ]
