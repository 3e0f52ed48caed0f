"""The columns of the table of smoothings: who is best in each, and which pairs to test."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu._seeds import DEFAULT_SEED
from truebleu.agreement.agree import HumanSummary
from truebleu.agreement.answers import AgreeSettings, evaluate, resampling_of
from truebleu.agreement.coefficients import coefficient, count_pairs
from truebleu.agreement.comparisons import Judgments, count_judgments, judgment_permutation_test
from truebleu.agreement.data import agreement_data
from truebleu.agreement.measures import parse_question
from truebleu.corpus.test_set import fingerprint
from truebleu.errors import UnknownNameError
from truebleu.execution.journal import Runner, Task
from truebleu.exhibits import Exhibit, Field, Plot, Row
from truebleu.human import HumanScores
from truebleu.metrics.bleu import BLEU
from truebleu.metrics.sentence_bleu import DEFAULT_VALUES, SMOOTHINGS, SentenceBLEU
from truebleu.significance.corrections import adjust

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.agreement.answers import Evaluation, Resampling
    from truebleu.agreement.bootstrap import AgreementInterval, Resample
    from truebleu.agreement.coefficients import PairCounts
    from truebleu.agreement.data import AgreementData, Human, SystemScores
    from truebleu.agreement.measures import Question
    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric
    from truebleu.significance._checks import Values
    from truebleu.studies._pool import PoolUnit

CORPUS = "crp"
NONE = "0"
# Of about the size of rounding in coefficients, which have the scale 1.
SAME = 1e-12


@dataclass(frozen=True, slots=True)
class Cell:
    """A value, or why there is none."""

    value: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A coefficient of the table.

    Attributes:
        name: in rows.
        symbol: what the paper calls it.
        coefficient: what it is called elsewhere.
        of_systems: whether it is of systems, where corpus BLEU has a value too.
    """

    name: str
    symbol: str
    coefficient: str
    of_systems: bool

    def heading(self, item: str) -> str:
        """What stands above it, where people judged such items."""
        return f"{'system' if self.of_systems else item} {self.symbol}"

    def best(self, values: Mapping[str, Cell]) -> tuple[str, ...]:
        """The smoothings with the largest value: several where they share it."""
        return _largest(smoothings(values))

    def next_best(self, values: Mapping[str, Cell]) -> tuple[str, ...]:
        """Those with the largest value below that."""
        best = self.best(values)
        rest = {label: value for label, value in smoothings(values).items() if label not in best}
        return _largest(rest)

    def tests(self, values: Mapping[str, Cell]) -> list[tuple[str, str]]:
        """Pairs to test, the one that may be better first.

        By segments each smoothing against none, for the column of p-values; the best against none,
        against the next best, and of systems against corpus BLEU.
        """
        defined = smoothings(values)
        best, following = self.best(values)[:1], self.next_best(values)[:1]
        others = list(following)
        if NONE in defined:
            others.append(NONE)
        if values[CORPUS].value is not None:
            others.append(CORPUS)
        pairs = [(label, other) for label in best for other in others if other != label]
        if not self.of_systems and NONE in defined:
            pairs = [(label, NONE) for label in defined if label != NONE] + pairs
        return list(dict.fromkeys(pairs))


SEGMENT = Column("tau", "τ", "chen-cherry", of_systems=False)
COLUMNS = (
    SEGMENT,
    Column("gamma", "γ", "pearson", of_systems=True),
    Column("rho", "ρ", "spearman", of_systems=True),
)


def smoothings(values: Mapping[str, Cell]) -> dict[str, float]:
    """The values of the smoothings that have one."""
    return {
        label: cell.value
        for label, cell in values.items()
        if label != CORPUS and cell.value is not None
    }


def _largest(values: Mapping[str, float]) -> tuple[str, ...]:
    most = max(values.values(), default=0.0)
    return tuple(label for label, value in values.items() if value >= most - SAME)


# What the table of smoothings says, in sentences.


def name_of(label: str) -> str:
    """What a row is called: the smoothing's own name."""
    return "corpus BLEU" if label == CORPUS else list(SMOOTHINGS)[int(label)]


def _called(labels: Sequence[str]) -> str:
    if labels == (CORPUS,):
        return "corpus BLEU"
    if len(labels) > 2:
        return f"smoothings {_listed(labels)}"
    kind = "smoothing" if len(labels) == 1 else "smoothings"
    return f"{kind} {_listed([f'{label} ({name_of(label)})' for label in labels])}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def about_pairs(
    item: str, pairs: PairCounts | None, settings: Mapping[str, Any]
) -> tuple[str, ...]:
    """How many systems and pairs there are, and the values of the smoothings."""
    values = ", ".join(
        f"{symbol} = {settings[name]:g}"
        for symbol, name in (("ε", "epsilon"), ("K", "k"), ("α", "alpha"))
    )
    systems = f"{len(settings['systems'])} systems; {values}."
    if pairs is None:
        return (systems,)
    tied = pairs.human_ties + pairs.both_ties
    return (
        f"{systems} People told {pairs.total - tied:,} pairs of outputs of one {item} apart, of "
        f"which τ is made; {tied:,} that they tied are removed.",
    )


def about_column(
    column: Column,
    item: str,
    values: Mapping[str, Cell],
    records: Mapping[Key, Record],
    adjusted: Mapping[str, float],
    alpha: float,
) -> list[str]:
    """Who agrees best, and whether that is more than chance."""
    heading = column.heading(item)
    defined = smoothings(values)
    best, following = column.best(values), column.next_best(values)
    if not best:
        return []
    if following:
        agree = "agrees" if len(best) == 1 else "agree"
        words = f"{_called(best)} {agree} best, with {defined[best[0]]:.4f}"
        words += f", then {_called(following)}, with {defined[following[0]]:.4f}"
    else:
        words = f"all smoothings agree alike, with {defined[best[0]]:.4f}"
    sentences = [f"By {heading} {words}."]
    tested = _tested(column, values, records, adjusted, alpha)
    if tested:
        sentences.append(f"That of smoothing {best[0]} is {_listed(tested)}.")
    if not column.of_systems and NONE in defined:
        above = sum(value > defined[NONE] + SAME for value in defined.values())
        sentences.append(f"{above} of {len(defined) - 1} smoothings are above none.")
    return [" ".join(sentences)]


def _tested(
    column: Column,
    values: Mapping[str, Cell],
    records: Mapping[Key, Record],
    adjusted: Mapping[str, float],
    alpha: float,
) -> list[str]:
    """What tests say of the best beside the next, none and corpus BLEU."""
    best = column.best(values)[0]
    told = []
    for other in dict.fromkeys((*column.next_best(values)[:1], NONE, CORPUS)):
        record, beside = records.get(("test", column.name, best, other)), values[other].value
        if record is None or record["p"] is None or beside is None:
            continue
        excess = (values[best].value or 0.0) - beside
        if excess < -SAME:
            told.append(f"below {_called((other,))}, which has {beside:.4f}")
            continue
        if abs(excess) <= SAME:
            told.append(f"the same as {_called((other,))}'s")
            continue
        corrected = not column.of_systems and other == NONE
        p = adjusted[best] if corrected else record["p"]
        detail = f"p = {p:.3g}{', corrected' if corrected else ''}"
        low, high = records["interval", column.name][best][3:5]
        if other == NONE and low is not None:
            detail += f"; by {excess:.4f}, {low:.4f} to {high:.4f} over replicates"
        sure = "significantly" if p <= alpha else "not significantly"
        told.append(f"{sure} above {_called((other,))} ({detail})")
    return told


def about_lacking(
    values: Mapping[str, Mapping[str, Cell]], records: Mapping[Key, Record]
) -> list[str]:
    """Why there is no value, or no interval."""
    told = ["The best is picked on these data, which flatters it: its p does not allow for that."]
    lacking: dict[str, list[str]] = {}
    for column in COLUMNS:
        for label, cell in values[column.name].items():
            reason = cell.reason or records["interval", column.name][label][2]
            if reason is not None:
                what = column.symbol if cell.value is None else f"interval of {column.symbol}"
                lacking.setdefault(reason, []).append(f"{what} of {label}")
    for reason, cells in lacking.items():
        shown = f"{cells[0]} to {cells[-1]}" if len(cells) > 3 else _listed(cells)
        told.append(f"No {shown}: {reason}.")
    return told


# What the study of smoothings found: the table of Chen & Cherry (2014), and sentences about it.


def smoothing_exhibit(
    *,
    item: str,
    values: Mapping[str, Mapping[str, Cell]],
    records: Mapping[Key, Record],
    pairs: PairCounts | None,
    notes: Sequence[str],
    settings: Mapping[str, Any],
) -> Exhibit:
    """The table, the chart and the findings.

    Args:
        item: what τ is of: "segment", or "document" or "domain" where people scored those.
        values: by column and row.
        records: the intervals and the tests.
        pairs: the pairs of which τ is made; None where people scored whole systems.
        notes: about the human scores.
        settings: all that is needed to repeat it.
    """
    adjusted = _better_than_none(values[SEGMENT.name], records)
    rows: list[Row] = []
    for label in values[SEGMENT.name]:
        row: dict[str, Any] = {"smoothing": label, "name": name_of(label)}
        for column in COLUMNS:
            low, high = records["interval", column.name][label][:2]
            value = values[column.name][label].value
            bounds = (None, None) if value is None else (low, high)
            row |= dict(zip(_names(column), (value, *bounds), strict=True))
        rows.append({**row, "p": adjusted.get(label), **_excess(label, values, records)})
    alpha = round(1 - settings["level"], 12)
    findings = [*about_pairs(item, pairs, settings)]
    for column in COLUMNS:
        findings += about_column(column, item, values[column.name], records, adjusted, alpha)
    findings += about_lacking(values, records)
    headings = {column.name: column.heading(item) for column in COLUMNS}
    # Documents that people scored are drawn as they are.
    drawn = settings["unit"] if item == "segment" else item
    return Exhibit(
        name="smoothing",
        title="Agreement of sentence BLEU with people by smoothing (Chen & Cherry 2014)",
        fields=_fields(headings, settings["level"]),
        rows=tuple(rows),
        findings=(*findings, *notes),
        plot=Plot(
            mark="point",
            x="smoothing",
            y="value",
            low="low",
            high="high",
            interval=f"{100 * settings['level']:g} % interval over {drawn}s",
            panel="coefficient",
            shared_y=False,
        ),
        plot_rows=tuple(_plotted(rows, headings)),
        plot_fields=(
            Field("coefficient", "Coefficient"),
            Field("value", "Agreement with people", 3),
            Field("low", "from", 3),
            Field("high", "to", 3),
        ),
        settings=settings,
    )


def _names(column: Column) -> tuple[str, str, str]:
    return column.name, f"{column.name}_low", f"{column.name}_high"


def _fields(headings: Mapping[str, str], level: float) -> tuple[Field, ...]:
    fields = [Field("smoothing", "Smoothing"), Field("name", "Name")]
    for column in COLUMNS:
        value, low, high = _names(column)
        fields += [
            Field(value, headings[column.name], 3),
            Field(low, f"{100 * level:g} % from", 3),
            Field(high, "to", 3),
        ]
    return (*fields, Field("p", f"p, {headings[SEGMENT.name]} above none's", 4))


def _plotted(rows: Sequence[Row], headings: Mapping[str, str]) -> list[Row]:
    return [
        {
            "smoothing": row["smoothing"],
            "coefficient": headings[column.name],
            "value": row[column.name],
            "low": row[f"{column.name}_low"],
            "high": row[f"{column.name}_high"],
        }
        for column in COLUMNS
        for row in rows
        if row[column.name] is not None
    ]


def _excess(
    label: str, values: Mapping[str, Mapping[str, Cell]], records: Mapping[Key, Record]
) -> Row:
    """By how much τ is above that of none, over the same replicates; for readers of JSON."""
    value, none = (values[SEGMENT.name][one].value for one in (label, NONE))
    bounds = records["interval", SEGMENT.name][label][3:5]
    found = (None, None, None) if value is None or none is None else (value - none, *bounds)
    return dict(zip(("excess", "excess_low", "excess_high"), found, strict=True))


def _better_than_none(
    values: Mapping[str, Cell], records: Mapping[Key, Record]
) -> dict[str, float]:
    """For each smoothing p that its τ is above that of none, corrected for their number (Holm)."""
    if values[NONE].value is None:
        return {}
    labels = [label for label in smoothings(values) if label != NONE]
    raw = [records["test", SEGMENT.name, label, NONE]["p"] for label in labels]
    return dict(zip(labels, adjust(raw, "holm").tolist(), strict=True)) if labels else {}


# How well each smoothing agrees with people: values, intervals and tests, column by column.


NO_SEGMENT_VALUE = "corpus BLEU is of whole texts; of a single segment it would be smoothing 0"
NO_SEGMENTS_JUDGED = "people scored whole systems, and no segments"
NOTHING_DRAWN = "people scored whole systems, and no segments that could be drawn"


@dataclass(frozen=True, slots=True)
class Agreeing:
    """What the columns ask: about judged systems, with the metrics by the labels of the rows."""

    data: AgreementData
    settings: AgreeSettings

    def values(self, column: Column) -> dict[str, Cell]:
        """The value of every row in a column, or why there is none."""
        item = self.data.people.item
        if column is SEGMENT and item == "system":
            return {label: Cell(None, NO_SEGMENTS_JUDGED) for label in self.data.metrics}
        cells = {
            label: Cell(
                agreement.value, "; ".join(agreement.notes) if agreement.value is None else None
            )
            for label, agreement in self._evaluation(column).values.items()
        }
        if column is SEGMENT and item == "segment":
            cells[CORPUS] = Cell(None, NO_SEGMENT_VALUE)
        return cells

    def pairs(self) -> PairCounts | None:
        """The pairs of which τ is made; how many people tied is the same for all rows."""
        data = self.data
        if data.judgments is not None:
            return count_judgments(data.items[NONE], data.judgments)
        if data.human is not None:
            return count_pairs(data.human, data.items[NONE], grouping="item")
        return None

    def resampling(self, column: Column) -> Resampling:
        """What the intervals of a column resample; refused where that is not possible."""
        return resampling_of(self._question(column), self.data, self.settings.resample)

    def intervals(self, column: Column) -> Record:
        """For each row of a column low, high and why not; then the same of its excess over none."""
        data, level = self.data, self.settings.level
        lacking = self.resampling(column).refusal
        if data.people.item == "system":
            lacking = NO_SEGMENTS_JUDGED if column is SEGMENT else NOTHING_DRAWN
        if lacking is not None:
            return {label: [None, None, lacking] * 2 for label in data.metrics}
        replicates = self._evaluation(column).replicates()
        return {
            label: [
                *_bounds(replicates.interval(label, level)),
                *_bounds(replicates.difference(label, NONE, level)),
            ]
            for label in data.metrics
        }

    def test(self, column: Column, better: str, worse: str) -> Record:
        """The one-sided p-value that a row agrees better than another.

        For τ two rows swap their answers item by item. Swapping single scores, as for other
        coefficients, would compare a smoothed with an unsmoothed output of one segment, which no
        metric does, and the test would hardly notice a difference.
        """
        if column is not SEGMENT:
            test = self._evaluation(column).test(better, worse)
            return {"p": 1.0 if test.p is None else test.p}
        data, settings = self.data, self.settings
        judgments = data.judgments
        if judgments is None:
            judgments = compared(self._human)
        test = judgment_permutation_test(
            data.items[worse],
            data.items[better],
            judgments,
            coefficient(column.coefficient),
            permutations=settings.permutations,
            seed=settings.seed,
        )
        return {"p": test.p}

    @property
    def _human(self) -> Values:
        """People's scores of items; asked for only where there are any."""
        assert self.data.human is not None  # noqa: S101
        return self.data.human

    def _question(self, column: Column) -> Question:
        compared = self.data.judgments is not None
        return parse_question(column.coefficient, compared=compared)

    def _evaluation(self, column: Column) -> Evaluation:
        resampling = self.resampling(column)
        return evaluate(self.data, self._question(column), self.settings, resampling)


def compared(human: Values) -> Judgments:
    """The comparisons of outputs of one item that human scores imply.

    >>> import numpy as np
    >>> found = compared(np.array([[5.0, 1.0], [3.0, np.nan], [5.0, 2.0]]))
    >>> [(int(a), int(b), int(v)) for a, b, v in zip(found.left, found.right, found.verdict)]
    [(0, 1, 1), (0, 2, 0), (0, 2, -1), (1, 2, -1)]
    """
    left, right, item, verdict = [], [], [], []
    for a, b in combinations(range(len(human)), 2):
        difference = human[a] - human[b]
        (both,) = np.nonzero(~np.isnan(difference))
        left.append(np.full(len(both), a))
        right.append(np.full(len(both), b))
        item.append(both)
        verdict.append(np.sign(difference[both]).astype(np.int64))
    return Judgments(
        left=np.concatenate(left),
        right=np.concatenate(right),
        item=np.concatenate(item),
        verdict=np.concatenate(verdict),
    )


def _bounds(interval: AgreementInterval) -> list[Any]:
    return [interval.low, interval.high, interval.reason]


# Smoothing: which smoothing of sentence BLEU agrees best with people.
#
# Chen & Cherry (2014, §3.1, Tables 2 and 3) compare seven smoothings with none: by the τ of eq.
# 12 between pairs of outputs of one segment, and by Pearson's γ and Spearman's ρ between systems,
# whose score is the mean of sentence BLEU weighted by reference length (eq. 13). Corpus BLEU,
# "crp", is beside them at system level.


RESAMPLED: dict[PoolUnit, Resample] = {"segment": "segments", "document": "documents"}


def study_smoothing(
    test_set: TestSet,
    human: Human,
    *,
    epsilon: float = DEFAULT_VALUES["epsilon"],
    k: float = DEFAULT_VALUES["k"],
    alpha: float = DEFAULT_VALUES["alpha"],
    tokenize: str = "13a",
    lowercase: bool = False,
    unit: PoolUnit = "segment",
    system_scores: SystemScores = "all",
    replicates: int = 1000,
    permutations: int = 10_000,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> Exhibit:
    """Which smoothing of sentence BLEU agrees best with people?

    Intervals take segments, or documents, for independent draws. The tests assume that, were two
    smoothings equally good, either's answers about a segment might as well be the other's; between
    systems, either's score of a system.

    Args:
        test_set: the outputs of at least two systems that people judged.
        human: scores of segments, or comparisons of pairs; scores of whole systems leave out τ.
        epsilon: ε of smoothing 1.
        k: K of smoothings 4 and 7.
        alpha: α of smoothing 6.
        tokenize: how all of them split segments into words.
        lowercase: whether all of them ignore case.
        unit: what the intervals draw: segments or documents.
        system_scores: whether systems are scored on "all" segments, or on those "rated".
        replicates: of the intervals.
        permutations: in each test.
        level: of the intervals, and 1 minus the significance level of the tests.
        seed: of intervals and tests.
        runner: keeps the results and shows progress.
    """
    if unit not in RESAMPLED:
        raise UnknownNameError("unit", str(unit), tuple(RESAMPLED))
    settings = AgreeSettings(
        resample=RESAMPLED[unit],
        replicates=replicates,
        permutations=permutations,
        level=level,
        seed=seed,
        system_scores=system_scores,
    )
    metrics = _metrics(epsilon, k, alpha, tokenize=tokenize, lowercase=lowercase)
    data = agreement_data(test_set, human, list(metrics.values()), system_scores=system_scores)
    named = zip(metrics, data.metrics.values(), strict=True)
    study = Agreeing(replace(data, metrics=dict(named)), settings)
    for column in COLUMNS:
        # What cannot be resampled is refused before the work begins.
        study.resampling(column)
    values = {column.name: study.values(column) for column in COLUMNS}
    subject = {
        "study": "smoothing",
        **_outline(test_set, human, metrics),
        "unit": unit,
        "system_scores": system_scores,
        "replicates": replicates,
        "permutations": permutations,
        "level": level,
        "seed": seed,
    }
    tasks = [
        Task(("interval", column.name), partial(study.intervals, column)) for column in COLUMNS
    ]
    tasks += [
        Task(("test", column.name, better, worse), partial(study.test, column, better, worse))
        for column in COLUMNS
        for better, worse in column.tests(values[column.name])
    ]
    records = (runner or Runner()).run(subject, tasks)
    return smoothing_exhibit(
        item=data.people.item,
        values=values,
        records=records,
        pairs=study.pairs(),
        notes=_about_judgments(HumanSummary.of(human, data, test_set)),
        settings={**subject, "epsilon": epsilon, "k": k, "alpha": alpha},
    )


def _metrics(
    epsilon: float, k: float, alpha: float, *, tokenize: str, lowercase: bool
) -> dict[str, Metric]:
    """Corpus BLEU and the smoothings, by the labels of the paper's rows."""
    given = {"epsilon": epsilon, "k": k, "alpha": alpha}
    metrics: dict[str, Metric] = {
        CORPUS: BLEU(smooth="none", tokenize=tokenize, lowercase=lowercase)
    }
    for number, setting in enumerate(SMOOTHINGS.values()):
        own: dict[str, Any] = {} if setting is None else {setting: given[setting]}
        metrics[str(number)] = SentenceBLEU(
            smoothing=number, tokenize=tokenize, lowercase=lowercase, **own
        )
    return metrics


def _outline(test_set: TestSet, human: Human, metrics: Mapping[str, Metric]) -> dict[str, Any]:
    """What is studied: texts, judgments and metrics, so that a journal knows its own."""
    references = test_set.references_per_segment
    return {
        "test_set": test_set.to_dict(),
        "systems": [name for name in test_set.systems if name in human.systems],
        "metrics": [str(one.signature.with_references(references)) for one in metrics.values()],
        "references": fingerprint(test_set.references),
        "outputs": fingerprint(list(test_set.systems.values())),
        "human": human.signature,
        "judgments": _fingerprint_of_judgments(human),
    }


def _about_judgments(human: HumanSummary) -> list[str]:
    """What a reader should know about the human scores, in sentences."""
    notes = [note if note.endswith(".") else f"{note}." for note in human.notes]
    if human.unjudged:
        notes.append(f"Nobody judged {_listed(human.unjudged)}: left out.")
    only_ties = [name for name, score in human.scores.items() if score is None]
    if only_ties:
        notes.append(f"Only ties in the judgments of {_listed(only_ties)}: no share of wins.")
    return notes


def _fingerprint_of_judgments(human: Human) -> str:
    if isinstance(human, HumanScores):
        return fingerprint(
            [
                [None if score is None else repr(score) for score in scores]
                for scores in human.scores.values()
            ]
        )
    return fingerprint([[repr(tuple(judgment)) for judgment in human.judgments]])
