"""Evidence on explanations: comparison with other lists, and false alarms."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evidence.damage import (
    DEGENERATE_COLUMNS,
    ORDINARY_COLUMNS,
    SPREAD_COLUMNS,
    degenerate_rows,
    ordinary_rows,
    spread_rows,
)
from evidence.data import DATA
from evidence.page import Page, Section
from evidence.rows import percent
from truebleu import compare, explain
from truebleu.corpus import read_test_set
from truebleu.counts.inputs import counts_of
from truebleu.execution.executors import Processes
from truebleu.execution.journal import Runner, Task
from truebleu.explanation import split_difference
from truebleu.explanation.slices import members, variables
from truebleu.metrics import BLEU
from truebleu.reports.document import Column, Plot, Table, charted_document
from truebleu.reports.explain import artefacts, verdict
from truebleu.resampling import Units
from truebleu.studies._study import binomial_rate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Record
    from truebleu.explanation import PairExplanation
    from truebleu.reports.document import Document, Row
    from truebleu.schema import TextUnit

    Values = NDArray[np.float64]

SET = "wmt24-en-es"
PAIRS = (
    ("GPT-4", "Gemini-1.5-Pro"),
    ("GPT-4", "Llama3-70B"),
    ("Claude-3.5", "ONLINE-B"),
    ("Unbabel-Tower70B", "Llama3-70B"),
)
METRIC = BLEU(tokenize="13a")
# Segments at the top of lists.
TOP = 20
# Explanations of swapped systems, of each pair by each unit.
NULLS: dict[TextUnit, int] = {"segment": 50, "document": 50}
# Swapped systems of one task.
PART = 10
JOURNAL = Path(__file__).parent / "journal" / "explain.jsonl"
NULL_REPLICATES = 500
ALPHA = 0.05

INTRODUCTION = """
Tools list the segments with the largest difference of sentence scores, or show scores of buckets of
segments, or leave segments out one by one. None of these adds up to the difference that is to be
explained. Contributions do ([why](../explanation/contributions.md)). Here both stand side by side
for four pairs of systems of WMT24 English-Spanish (997 segments, 170 documents). Then the outputs
of these pairs are swapped at random, so that there is nothing to explain, and whatever an
explanation shows is an error.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Rows with a title and sentences about them."""

    title: str
    table: Table
    plot: Plot
    axis: str
    sentence: str

    def to_document(self) -> Document:
        """Make a table and a chart, as studies have them."""
        axes = {self.plot.y: self.axis}
        return charted_document(self.title, self.table, [self.sentence], self.plot, axes=axes)


def page() -> Page:
    """Make the page from four pairs of systems, unchanged and swapped."""
    JOURNAL.parent.mkdir(exist_ok=True)
    with Processes(os.cpu_count() or 1) as processes:
        runner = Runner(JOURNAL, executor=processes)
        spread, nulls = spread_rows(runner), _nulls(runner)
    lists, fragile = _lists(), _fragile()
    broken, ordinary = tuple(degenerate_rows()), tuple(ordinary_rows())
    return Page(
        name="explain",
        title="Where does a difference come from, and how often is that an error?",
        introduction=INTRODUCTION,
        summary=_summary(lists, fragile, nulls, spread),
        sections=(
            Section(
                heading="Contributions beside other lists",
                command=_command(*PAIRS[2]),
                result=Findings(
                    title="What adds up to the difference, in BLEU",
                    table=Table(LIST_COLUMNS, lists),
                    plot=Plot("bar", "pair", "left_out", reference=0.0),
                    axis="Sum of what leaving out each segment changes, BLEU",
                    sentence="Contributions add up to the difference, and leaving out does not.",
                ),
                verdict=_about_lists(lists),
            ),
            Section(
                heading="Differences that depend on few segments",
                command=_command(*PAIRS[0]),
                result=Findings(
                    title="How few segments and documents carry a difference",
                    table=Table(FRAGILE_COLUMNS, fragile),
                    plot=Plot("bar", "pair", "until_sign_turns"),
                    axis="Segments whose removal turns the sign",
                    sentence="The sign depends on few segments of one and many of the other.",
                ),
                verdict=_about_fragility(fragile),
            ),
            Section(
                heading="Systems that do not differ",
                command="python -m evidence explain",
                result=Findings(
                    title="Share of explanations that report a finding at the 5 % level although "
                    "outputs were swapped at random",
                    table=Table(NULL_COLUMNS, nulls),
                    plot=Plot(
                        "bar",
                        "unit",
                        "shown",
                        errors=("low", "high"),
                        interval="95 %, binomial",
                        series="tested",
                        reference=ALPHA,
                    ),
                    axis="Explanations that show something, share of all",
                    sentence="Adjusted, as often as the level says; each slice by itself, not.",
                ),
                verdict=_about_nulls(nulls),
            ),
            Section(
                heading="Damage that is spread like the text, or not",
                command="python -m evidence explain",
                result=Findings(
                    title="How often a copy with damaged segments is said to depend on something",
                    table=Table(SPREAD_COLUMNS, spread),
                    plot=Plot(
                        "bar",
                        "damage",
                        "named",
                        errors=("low", "high"),
                        interval="95 %, binomial",
                        series="unit",
                        reference=ALPHA,
                        horizontal=True,
                    ),
                    axis="Explanations that name a kind of segment, share of all",
                    sentence="Even damage depends on nothing; damage of one kind on that kind.",
                ),
                verdict=_about_spread(spread),
            ),
            Section(
                heading="Outputs that are no translations",
                command="python -m evidence explain",
                result=Findings(
                    title="Outputs broken on purpose, and found",
                    table=Table(DEGENERATE_COLUMNS, broken),
                    plot=Plot("bar", "kind", "found", series="language", horizontal=True),
                    axis="Found, of ten",
                    sentence="Most broken outputs are found in four languages.",
                ),
                verdict=_about_broken(broken),
            ),
            Section(
                heading="Outputs as systems make them",
                command="python -m evidence explain",
                result=Findings(
                    title="Outputs that are flagged, faulty ones among them",
                    table=Table(ORDINARY_COLUMNS, ordinary),
                    plot=Plot("bar", "set", "rate", horizontal=True),
                    axis="Flagged, of 1,000 outputs",
                    sentence="Most flagged outputs are those of a few faulty systems.",
                ),
                verdict=_about_ordinary(ordinary),
            ),
        ),
    )


def _command(first: str, second: str) -> str:
    systems = f"sys/{first}.txt sys/{second}.txt"
    return f"truebleu explain -r refA.txt -s src.txt --documents docs.tsv {systems}"


@cache
def _texts(first: str, second: str) -> TestSet:
    folder = DATA / SET
    return read_test_set(
        [str(folder / "sys" / f"{name}.txt") for name in (first, second)],
        [str(folder / "refA.txt")],
        source=str(folder / "src.txt"),
        documents=str(folder / "docs.tsv"),
    )


# Contributions compared with other lists.

LIST_COLUMNS = (
    Column("pair", "Pair"),
    Column("difference", "Difference", 2, sign=True),
    Column("contributions", "Sum of contributions", 2, sign=True),
    Column("left_out", "Sum of leaving out", 2, sign=True),
    Column("shared", f"Of {TOP} largest, also by sentence BLEU"),
    Column("correlation", "Correlation with sentence BLEU", 2),
    Column("quarter_alone", "Shortest quarter alone", 2, sign=True),
    Column("quarter", "Its contribution", 2, sign=True),
)


def _lists() -> tuple[Row, ...]:
    rows: list[Row] = []
    for pair in PAIRS:
        test_set = _texts(*pair)
        counts = METRIC.count(test_set).array()
        split = split_difference(METRIC, counts[:, 0], counts[:, 1])
        sums = counts.sum(axis=0)
        without = METRIC.score(sums - counts)
        left_out = split.difference - (without[:, 0] - without[:, 1])
        sentences = METRIC.sentence_level().score(counts)
        by_sentence = sentences[:, 0] - sentences[:, 1]
        (length,) = [
            cut for cut in variables(counts_of(test_set)) if cut.name == "source characters"
        ]
        shortest = members(length)[:, 0]
        alone = METRIC.score(np.einsum("n,nsc->sc", shortest, counts))
        rows.append(
            {
                "pair": " − ".join(pair),
                "difference": split.difference,
                "contributions": float(split.by_segment.sum()),
                "left_out": float(left_out.sum()),
                "shared": len(_largest(split.by_segment) & _largest(by_sentence)),
                "correlation": float(np.corrcoef(split.by_segment, by_sentence)[0, 1]),
                "quarter_alone": float(alone[0] - alone[1]),
                "quarter": float(split.by_segment @ shortest),
            }
        )
    return tuple(rows)


def _largest(values: Values) -> set[int]:
    return set(np.argsort(-np.abs(values), kind="stable")[:TOP].tolist())


def _about_lists(rows: tuple[Row, ...]) -> str:
    shared = [int(str(row["shared"])) for row in rows]
    claude = rows[2]
    return (
        f"Of the {TOP} segments that contribute most to the difference, {min(shared)} to "
        f"{max(shared)} are among the {TOP} with the largest difference of sentence BLEU. What "
        f"leaving out each segment changes sums to {claude['left_out']:+.2f} where the difference "
        f"is {claude['difference']:+.2f} ({claude['pair']}). By itself, the shortest quarter of "
        f"its segments shows {claude['quarter_alone']:+.2f} BLEU, and contributes "
        f"{claude['quarter']:+.2f}."
    )


# Differences that depend on few segments.

FRAGILE_COLUMNS = (
    Column("pair", "Pair"),
    Column("difference", "Difference", 2, sign=True),
    Column("p", "p by segments", 4),
    Column("p_documents", "p by documents", 4),
    Column("until_sign_turns", "Segments until the sign turns"),
    Column("until_not_significant", "until p > .05"),
    Column("flagged", "Flagged outputs"),
    Column("contribution", "Their contribution", 2, sign=True),
    Column("without", "Difference without them", 2, sign=True),
)


def _fragile() -> tuple[Row, ...]:
    rows: list[Row] = []
    for names in PAIRS:
        explanation = explain(_texts(*names), unit="segment")
        (pair,) = explanation.pairs
        by_documents = compare(_texts(*names), people=None).comparisons[0]
        flagged = pair.degenerate[0] if pair.degenerate else None
        rows.append(
            {
                "pair": " − ".join(names),
                "difference": pair.comparison.difference,
                "p": pair.comparison.p,
                "p_documents": by_documents.p,
                "until_sign_turns": pair.fragility[0].until_sign_turns,
                "until_not_significant": pair.fragility[0].until_not_significant,
                "flagged": 0 if flagged is None else len(flagged.segments),
                "contribution": None if flagged is None else flagged.contribution,
                "without": None if flagged is None else flagged.difference,
                "first": verdict(explanation, pair)[0],
            }
        )
    return tuple(rows)


def _about_fragility(rows: tuple[Row, ...]) -> str:
    gemini, llama = rows[0], rows[1]
    return (
        f"Two differences of the same size and p: {gemini['difference']:+.2f} and "
        f"{llama['difference']:+.2f} BLEU. The one turns after {gemini['until_sign_turns']} "
        f"segments, the other after {llama['until_sign_turns']}. The first sentence about the "
        f"former is: “{gemini['first']}”"
    )


# Systems that do not differ.

NULL_COLUMNS = (
    Column("unit", "Swapped by"),
    Column("tested", "Shown by"),
    Column("explanations", "Explanations"),
    Column("shown", "Show something", 1, percent=True),
    Column("low", "from", 1, percent=True),
    Column("high", "to", 1, percent=True),
)


def _explained(pair: tuple[str, str], unit: TextUnit, start: int) -> Record:
    """Count the explanations of swapped systems that report a finding."""
    counts: Record = {"alone": 0, "adjusted": 0, "artefacts": 0}
    for number in range(start, start + PART):
        swapped = _swapped(_texts(*pair), unit, number)
        explanation = explain(
            swapped, unit=unit, replicates=NULL_REPLICATES, seed=number, people=None
        )
        (explained,) = explanation.pairs
        counts["adjusted"] += _smallest(explained) <= ALPHA
        counts["alone"] += _smallest_alone(explained, swapped, unit) <= ALPHA
        counts["artefacts"] += any(artefacts(explanation, explained))
    return counts


def _nulls(runner: Runner) -> tuple[Row, ...]:
    tasks = [
        Task((*pair, unit, start), partial(_explained, pair, unit, start))
        for unit, count in NULLS.items()
        for pair in PAIRS
        for start in range(0, count, PART)
    ]
    records = runner.run({"study": "explain"}, tasks)
    rows: list[Row] = []
    for unit, count in NULLS.items():
        for tested, name, pairs in (
            ("slices, each by itself", "alone", PAIRS),
            ("slices and n-grams, adjusted for all", "adjusted", PAIRS),
            ("artefacts of a system with broken outputs", "artefacts", PAIRS[::2]),
            ("artefacts of others", "artefacts", PAIRS[1::2]),
        ):
            total = count * len(pairs)
            errors = sum(
                record[name]
                for (*pair, of_unit, _start), record in records.items()
                if of_unit == unit and tuple(pair) in pairs
            )
            rate = binomial_rate(errors, total)
            rows.append(
                {
                    "unit": f"{unit}s",
                    "tested": tested,
                    "explanations": total,
                    "shown": rate.value,
                    "low": rate.low,
                    "high": rate.high,
                }
            )
    return tuple(rows)


def _units(test_set: TestSet, unit: TextUnit) -> Units:
    if unit == "segment":
        return Units.segments(len(test_set))
    return Units.documents(test_set.documents or ())


def _swapped(test_set: TestSet, unit: TextUnit, number: int) -> TestSet:
    """Swap the outputs of two systems by a fair coin for each unit."""
    units = _units(test_set, unit)
    coins = np.random.default_rng([number, len(units)]).random(len(units)) < 0.5
    first, second = (list(text) for text in test_set.systems.values())
    swap = coins[units.of_segment].tolist()
    texts = list(zip(first, second, swap, strict=True))
    systems = {
        "a": [right if turned else left for left, right, turned in texts],
        "b": [left if turned else right for left, right, turned in texts],
    }
    return replace(test_set, systems=systems, warnings=())


def _smallest(pair: PairExplanation) -> float:
    ps = [part.p_adjusted for variable in pair.variables for part in variable.slices]
    ps += [variable.p_adjusted for variable in pair.variables]
    ps += [ngram.p_adjusted for ngram in pair.ngrams]
    return min(p for p in ps if p is not None)


def _smallest_alone(pair: PairExplanation, test_set: TestSet, unit: TextUnit) -> float:
    """Return the smallest p of slices tested separately, as buckets usually are."""
    units = _units(test_set, unit)
    contributions = np.array(pair.segments)
    tested = {
        (variable.name, part.name)
        for variable in pair.variables
        for part in variable.slices
        if part.p_adjusted is not None
    }
    effects = np.column_stack(
        [
            units.add_up(contributions[:, None] * members(cut)[:, [place]])
            for cut in variables(counts_of(test_set))
            for place, label in enumerate(cut.labels)
            if (cut.name, label) in tested
        ]
    )
    signs = np.random.default_rng(1).choice([-1.0, 1.0], size=(999, len(effects)))
    observed, null = np.abs(effects.sum(axis=0)), np.abs(signs @ effects)
    return float(((null >= observed).sum(axis=0) + 1).min() / (len(signs) + 1))


def _about_nulls(rows: tuple[Row, ...]) -> str:
    parts = [
        f"swapped by {row['unit']}, {percent(float(str(row['shown'])))} of "
        f"{row['explanations']} by {row['tested']}"
        for row in rows
        if "artefacts" not in str(row["tested"])
    ]
    broken, others = (
        " and ".join(
            percent(float(str(row["shown"]))) for row in rows if str(row["tested"]).endswith(end)
        )
        for end in ("broken outputs", "others")
    )
    return (
        f"Explanations that report a finding although there is none: {'; '.join(parts)}. "
        "Every explanation begins by saying whether the difference is significant. Next it names "
        "an artefact (flagged outputs, quotes, dashes, case or spacing) if its removal changes the "
        "verdict or moves the difference by half its interval's width: "
        f"{broken} of those where Gemini's runaway "
        f"outputs or Claude's refusals are among what was swapped, {others} of the others."
    )


def _even(rows: tuple[Row, ...]) -> list[float]:
    return [float(str(row["named"])) for row in rows if row["right"] is None]


def _about_spread(rows: tuple[Row, ...]) -> str:
    right = [float(str(row["right"])) for row in rows if row["right"] is not None]
    return (
        f"Damage drawn from all segments or documents is called dependent on something in at most "
        f"{percent(max(_even(rows)))} of the sets; damage confined to one kind is named rightly in "
        f"at least {percent(min(right))}."
    )


def _about_broken(broken: tuple[Row, ...]) -> str:
    found = [int(str(row["found"])) for row in broken]
    return (
        f"Beside another system, eight of ten or more are found of {sum(n >= 8 for n in found)} of "
        f"{len(found)} kinds, and at least {min(found)} of the others. No rule was made or changed "
        "for these wordings of refusals and notes."
    )


def _about_ordinary(ordinary: tuple[Row, ...]) -> str:
    rates = ", ".join(
        f"{row['flagged']} of {row['outputs']:,} ({row['set']})" for row in ordinary[:2]
    )
    return (
        f"Flagged by systems that hardly fail: {rates}. In the other sets most of what is flagged "
        "are faults that can be seen: texts of another language, loops, empty outputs, "
        "translations of nothing that stands in the source, and answers of language models."
    )


def _summary(
    lists: tuple[Row, ...],
    fragile: tuple[Row, ...],
    nulls: tuple[Row, ...],
    spread: tuple[Row, ...],
) -> str:
    shared = max(int(str(row["shared"])) for row in lists)
    alone, adjusted = (
        [percent(float(str(row["shown"]))) for row in nulls if row["tested"] == tested]
        for tested in ("slices, each by itself", "slices and n-grams, adjusted for all")
    )
    return (
        f"At most {shared} of the {TOP} segments that contribute most to corpus BLEU are among "
        f"those that differ most by sentence BLEU. Of two differences of "
        f"{fragile[0]['difference']:.1f} BLEU, one depends on {fragile[0]['until_sign_turns']} "
        f"segments and one on {fragile[1]['until_sign_turns']}. Where there is nothing to explain, "
        f"{' and '.join(adjusted)} of the explanations by segments and by documents show "
        f"something; with slices tested one by one {' and '.join(alone)} would. Damage that is "
        f"spread evenly depends on something in at most {percent(max(_even(spread)))} of the sets."
    )
