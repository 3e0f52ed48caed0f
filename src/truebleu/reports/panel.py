"""A panel in words and tables: systems, means over test sets, and the sets' own verdicts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truebleu.reports import document as doc
from truebleu.reports.compare import MCNEMAR
from truebleu.reports.percent import PERCENT_DIGITS, in_percent, unit
from truebleu.reports.words import words_of
from truebleu.schema import row_of
from truebleu.significance.tests import fewest_units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truebleu.reports.document import Block, Row
    from truebleu.significance.panel import Panel, PanelComparison, Verdict

# Maximum number of test sets or systems in a sentence.
MOST_NAMES = 5
# Maximum number of pairs with sentences and a table of sets each; more pairs share a table.
MOST_PAIRS = 3
# Maximum total width of columns of scores on each set; wider ones are left out.
WIDEST_SETS = 60
# Heterogeneity above which differences vary too much for their mean to describe any test set.
LARGE_I_SQUARED = 0.75
COLUMNS = doc.plain_columns(
    *("metric", "a", "b"), *("test_set", "difference", "low", "high", "p", "p_adjusted", "verdict")
)


def document(result: Panel, *, details: bool = False) -> doc.Document:
    """Lay out the verdict on each pair, its sets and its mean; many pairs have a row each."""
    rows = tuple(row for pair in result.comparisons for row in _rows(result, pair))
    digits = {**result.digits, **dict.fromkeys(result.percent, PERCENT_DIGITS)}
    shown = replace(in_percent(result, set(result.percent)), digits=digits)
    blocks = [block for label in result.signatures for block in _blocks(shown, label, details)]
    blocks.append(doc.Sentences(tuple(_cautions(shown))))
    signatures = doc.signature_lines(one for many in result.signatures.values() for one in many)
    blocks.append(doc.Notes((*signatures, _method(shown))))
    blocks += [_chart(shown, label) for label in result.signatures]
    return doc.Document(tuple(blocks), doc.Table(COLUMNS, rows))


def _blocks(result: Panel, label: str, details: bool) -> Iterator[Block]:
    """Yield the verdicts and tables by one metric."""
    pairs = result.of(label)
    few, baseline = len(pairs) <= MOST_PAIRS, result.settings.baseline
    if len(result.signatures) > 1:
        yield doc.Heading(label)
    lines = [_verdict(result, pair) for pair in pairs] if few else [_headline(result, label)]
    yield doc.Sentences(tuple(lines))
    if len(result.systems) > 2 * len(result.signatures) and (few or baseline is None):
        yield _systems(result, label)
    if details or (not few and baseline is not None):
        yield _comparisons(result, label, details)
    for pair in pairs if details or few else ():
        if len(pairs) > 1:
            yield doc.Heading(f"{pair.a} − {pair.b}")
        yield _sets(result, pair)


def _sets(result: Panel, pair: PanelComparison) -> doc.Table:
    """Make a row for each test set, and one for the mean of several."""
    digits = result.digits[pair.metric]
    columns = (
        doc.Column("test_set", "Test set"),
        doc.Column("difference", f"{pair.a} − {pair.b}", digits, sign=True),
        doc.Column("interval", _interval_heading(result, pair.metric), digits, sign=True),
        doc.Column("p_adjusted", "adjusted p", 4),
        doc.Column("verdict", "verdict"),
    )
    *rows, mean = _rows(result, pair)
    if len(rows) > 1:
        lower = result.higher_is_better[pair.metric] is False
        word = "better" if (pair.difference > 0) != lower else "worse"
        if _varies(pair) or not pair.significant:
            word = "varies" if _varies(pair) else "undecided"
        rows.append(mean | {"test_set": "mean", "verdict": word})
    return doc.Table(columns, tuple(rows))


def _interval_heading(result: Panel, label: str) -> str:
    """Name the intervals, which are adjusted for several pairs or sets as p is."""
    several = len(result.of(label)) > 1 or len(result.test_sets) > 1
    return f"{'adjusted ' * several}{100 * result.settings.level:g} % interval"


def _varies(pair: PanelComparison) -> bool:
    """Return whether sets disagree too much for their mean to describe any of them."""
    between, verdicts = pair.heterogeneity, {row.verdict for row in pair.sets}
    return between is not None and between.i_squared > LARGE_I_SQUARED and len(verdicts) > 1


def _headline(result: Panel, label: str) -> str:
    """Name the best system on average and its rivals, or count systems better than the baseline."""
    baseline, sets = result.settings.baseline, f"{len(result.test_sets)} test sets"
    words, pairs = words_of(result.rows), result.of(label)
    lower = result.higher_is_better[label] is False
    if baseline is not None:
        better = [(pair.difference > 0) != lower for pair in pairs if pair.significant]
        counts = doc.verdict_counts(sum(better), better.count(False), len(pairs))
        systems = f"{len(pairs)} {words.systems} against {baseline}"
        return f"On average over {sets} by {label}, of {systems}: {counts}."
    scored = [row for row in result.systems if row.metric == label and row.score is not None]
    if not scored:
        none = f"No {words.system} is in all {sets}"
        return f"{none}: --details has the pairs that can be compared."
    leader = (min if lower else max)(scored, key=lambda row: row.score or 0.0).name
    level = [
        pair.b if pair.a == leader else pair.a
        for pair in pairs
        if leader in (pair.a, pair.b) and not pair.significant
    ]
    rest = f"and is better than every other {words.system}"
    if level:
        names = doc.join_names(level, MOST_NAMES, word="or")
        rest = f"but is not significantly better than {names}"
    return f"{leader} has the best mean {label} over {sets}, {rest}."


def _systems(result: Panel, label: str) -> doc.Table:
    digits = result.digits[label]
    systems = [row for row in result.systems if row.metric == label]
    # Best first, and those without a score last.
    turn = -1 if result.higher_is_better[label] is not False else 1
    systems.sort(key=lambda row: (row.score is None, turn * (row.score or 0.0)))
    columns = [
        doc.Column("name", words_of(result.rows).system.capitalize()),
        doc.Column("score", f"mean {label}{' %' * (label in result.percent)}", digits),
    ]
    if any(row.ranks is not None for row in systems):
        columns.append(doc.Column("ranks", "ranks", numeric=True))
    sets = [row.name for row in result.test_sets]
    if sum(max(len(name), digits + 3) + 2 for name in sets) > WIDEST_SETS:
        columns.append(doc.Column("sets", "test sets"))
    else:
        columns += [doc.Column(f"set {name}", name, digits) for name in sets]
    rows = (
        {
            **row_of(row),
            "ranks": None if row.ranks is None else doc.rank_range(row.ranks),
            "sets": len(row.scores),
            **{f"set {name}": score for name, score in row.scores.items()},
        }
        for row in systems
    )
    return doc.Table(tuple(columns), tuple(rows))


def _mean_interval(result: Panel, pair: PanelComparison) -> tuple[float, float] | None:
    """Return the interval of the mean difference, over these test sets or over further ones."""
    return pair.fixed if result.settings.languages == "fixed" else pair.drawn


def _comparisons(result: Panel, label: str, details: bool) -> doc.Table:
    digits = result.digits[label]
    counted: tuple[Verdict, ...] = ("better", "worse", "undecided")
    columns = (
        doc.Column("pair", "Pair"),
        doc.Column("difference", "mean difference", digits, sign=True),
        doc.Column("interval", _interval_heading(result, label), digits),
        doc.Column("p", "adjusted p", numeric=True),
        *doc.plain_columns(*counted),
    )
    # The standard deviation of the true differences (Paule and Mandel), its share of their
    # variance, and where the difference in a further set is expected.
    between = (
        doc.Column("heterogeneity_tau", "τ", digits),
        doc.Column("heterogeneity_i_squared", "I²", 0, percent=True),
        doc.Column("prediction", "further set", digits),
    )
    rows = (
        {
            **row_of(pair),
            "pair": f"{pair.a} − {pair.b}",
            "interval": _mean_interval(result, pair),
            "p": pair.p_adjusted and doc.p_cell(pair.p_adjusted) + "*" * pair.significant,
            **{verdict: pair.count(verdict) for verdict in counted},
            "prediction": pair.heterogeneity and pair.heterogeneity.prediction,
        }
        for pair in result.of(label)
    )
    return doc.Table((*columns, *between) if details else columns, tuple(rows))


def _verdict(result: Panel, pair: PanelComparison) -> str:
    """State the verdict on the mean difference, and count the verdicts on sets."""
    count, digits = len(pair.sets), result.digits[pair.metric]
    lower = result.higher_is_better[pair.metric] is False
    missing = ""
    if pair.missing:
        many = len(pair.missing) > MOST_NAMES
        sets = f"{len(pair.missing)} sets" if many else ", ".join(pair.missing)
        missing = f" (without {sets}, because one of the two is missing)"
    counts = (
        f"better in {pair.count('better')}, worse in {pair.count('worse')}, undecided in "
        f"{pair.count('undecided')} of {count} test sets"
    )
    if _varies(pair):
        return (
            f"Compared with {pair.b}, {pair.a} is {counts}{missing}: they differ too much for "
            "their mean to describe them."
        )
    if pair.p_adjusted is None:
        return (
            f"{pair.a} and {pair.b}: one test set gives no evidence about further ones; {counts}."
        )
    where = "on average" if count > 1 else f"in {pair.sets[0].test_set}"
    if result.settings.languages == "drawn":
        where = "on average over further test sets like these"
    p = doc.p_equals("adjusted p" if len(result.of(pair.metric)) > 1 else "p", pair.p_adjusted)
    bounds = ""
    if (interval := _mean_interval(result, pair)) is not None:
        low, high = interval if pair.difference >= 0 else (-interval[1], -interval[0])
        bounds = f" {doc.bracketed((low, high), digits)}"
    points = unit(pair.metric, percent=pair.metric in result.percent)
    amount = f"by {abs(pair.difference):.{digits}f} {points}{bounds}, {p}"
    if pair.significant:
        word = "better" if (pair.difference < 0) == lower else "worse"
        return f"{pair.a} is {word} than {pair.b} {where} {amount}: {counts}{missing}."
    undecided = f"{pair.a} and {pair.b} can't be told apart {where}: they differ {amount}"
    return f"{undecided}; {counts}{missing}."


def _cautions(result: Panel) -> list[str]:
    """List cautions about the verdicts."""
    lines = doc.about_answers(one for several in result.signatures.values() for one in several)
    minimum = fewest_units(result.settings.alpha)
    few = sum(row.units < minimum for row in result.test_sets)
    if few:
        lines.append(
            f"In {few} of {len(result.test_sets)} test sets there are fewer than {minimum} units: "
            "none can be called better or worse there."
        )
    if len(result.common) < len(result.test_sets):
        systems = words_of(result.rows).systems
        scores = (
            f"Mean scores are over the {len(result.common)} of {len(result.test_sets)} test sets "
            f"that have all {systems}"
            if result.common
            else f"No test set has all {systems}: only {systems} that are in all sets have a mean "
            "score"
        )
        lines.append(f"{scores}; differences are over the sets that have both.")
    return lines


def _method(result: Panel) -> str:
    """Describe the tests of sets and means in one line."""
    settings, words = result.settings, words_of(result.rows)
    units = " or ".join(sorted({words.units(row.unit) for row in result.test_sets}))
    about = "these test sets" if settings.languages == "fixed" else "further test sets like these"
    test = f"approximate randomization over {units}, {settings.replicates:,} replicates"
    of_items = all(row.unit == "segment" for row in result.test_sets)
    if of_items and set(result.percent) == set(result.signatures):
        test = f"{MCNEMAR} over {units}"
    return (
        f"each set: {test}, Benjamini and Hochberg's correction; means: about {about}, "
        f"Student's t, Holm's correction; adjusted (not simultaneous) intervals; level "
        f"{settings.level:g}, seed {settings.seed}"
    )


def _chart(result: Panel, label: str) -> doc.Chart:
    """Draw a forest plot of one metric: a row for each set, and their mean, by pair."""
    higher = result.higher_is_better[label]
    ends = {"difference": "difference", "low": "high", "high": "low"}
    rows: list[Row] = []
    for pair in result.of(label):
        for row in _rows(result, pair):
            point = {**row, "pair": f"{pair.a} − {pair.b}", "zero": 0.0}
            point["set"] = row["test_set"] or "mean"
            if higher is False:
                point |= {name: row[end] and -row[end] for name, end in ends.items()}
            rows.append(point)
    axis = doc.difference_axis(label, higher)
    headings = {"set": "Test set", "difference": axis, "verdict": "Verdict"}
    return doc.forest(
        f"{label}: differences by test set",
        rows,
        headings | {"zero": "no difference", "pair": "Pair"},
        interval=f"{_interval_heading(result, label)}s",
        panel="pair",
    )


def _rows(result: Panel, pair: PanelComparison) -> list[dict[str, Any]]:
    """Make a row for the difference in each test set, and one for their mean."""
    interval = _mean_interval(result, pair)
    low, high = interval or (None, None)
    mean = {"test_set": None, "low": low, "high": high, "verdict": "mean", "interval": interval}
    mean |= {name: getattr(pair, name) for name in ("difference", "p", "p_adjusted")}
    of_sets = [row_of(row) | {"interval": row.interval} for row in pair.sets]
    return [{"metric": pair.metric, "a": pair.a, "b": pair.b} | row for row in (*of_sets, mean)]
