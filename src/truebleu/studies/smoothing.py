"""Smoothing: agreement of smoothed sentence BLEU with human raters.

Chen & Cherry (2014, §3.1, Tables 2 and 3) compare seven smoothings with no smoothing: by the τ of
eq. 12 over pairs of outputs of one segment, and by Pearson's γ and Spearman's ρ over systems, whose
score is the mean of sentence BLEU weighted by reference length (eq. 13). At system level they also
include corpus BLEU, "crp".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, cast

import numpy as np

import truebleu.studies._study as base
from truebleu.agreement.agree import AgreeSettings, resample_metrics, test_of
from truebleu.agreement.bootstrap import resampling_of
from truebleu.agreement.coefficients import (
    MetricAgreement,
    coefficient,
    count_judgments,
    count_pairs,
    measure_metrics,
    parse_coefficient,
)
from truebleu.agreement.data import HumanSummary, Judgments, agreement_data
from truebleu.agreement.tests import judgment_permutation_test
from truebleu.corpus.fingerprints import fingerprint
from truebleu.counts.counting import count_texts
from truebleu.execution.journal import Record, Task
from truebleu.human.judgments import HumanScores
from truebleu.metrics.bleu import BLEU, SMOOTHINGS, SentenceBLEU
from truebleu.reports.document import Plot, about_inputs, join_names
from truebleu.schema import Level, Setting
from truebleu.significance.corrections import adjust

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from typing_extensions import Unpack

    from truebleu.agreement.bootstrap import Draws, Resample
    from truebleu.agreement.coefficients import Coefficient, PairCounts
    from truebleu.agreement.data import AgreementData, Human
    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import Metric
    from truebleu.reports.document import Column
    from truebleu.resampling import Values

__all__ = ["study_smoothing"]

#: Names of the paper's coefficients in `agreement`; all but τ are over systems.
COEFFICIENTS = {"tau": "chen-cherry", "gamma": "pearson", "rho": "spearman"}
SYMBOLS = {"tau": "τ", "gamma": "γ", "rho": "ρ"}
CORPUS = "crp"
NONE = "0"
# Tolerance for rounding errors of coefficients.
SAME = 1e-12

NO_SEGMENT_VALUE = "corpus BLEU scores whole texts; on a single segment it equals smoothing 0"
NO_SEGMENTS_JUDGED = "human scores are of whole systems, not of segments"
NOTHING_DRAWN = "human scores are of whole systems, so that there are no segments to resample"
# Key of a test of two rows.
TEST = ("coefficient", "better", "worse")
# Suffixes of each coefficient's cells in a row.
ENDS = ("", "_low", "_high", "_excess", "_excess_low", "_excess_high")
RESAMPLED: dict[base.PoolUnit, Resample] = {"segment": "segments", "document": "documents"}


def best_labels(values: Mapping[str, float]) -> tuple[str, ...]:
    """Return the labels with the largest value, several if they tie."""
    maximum = max(values.values(), default=0.0)
    return tuple(label for label, value in values.items() if value >= maximum - SAME)


class SmoothingOptions(base.PoolOptions, total=False):
    """Options of `study_smoothing`.

    Attributes:
        tokenize: tokenizer of all metrics.
        permutations: permutations in each test.
    """

    tokenize: Annotated[str, Setting(default="13a")]
    permutations: Annotated[int, Setting(minimum=1, default=10_000)]
    replicates: base.Replicates
    level: Level


@base.study(SmoothingOptions, needs_texts=True)
def study_smoothing(
    test_set: TestSet, human: Human, **options: Unpack[SmoothingOptions]
) -> base.StudyResult:
    """Which smoothing of sentence BLEU agrees best with human raters?

    Chen & Cherry (2014, Tables 2 and 3) compare smoothings 0 to 7 by the τ of pairs of outputs of
    one segment (eq. 12). Pearson's γ and Spearman's ρ of systems also include corpus BLEU (crp);
    systems are scored by the mean of sentence BLEU weighted by reference length (eq. 13). ε, K and
    α are the paper's. Intervals assume that segments, or documents, are independent draws. The
    tests assume that two equally good smoothings are exchangeable: for τ their answers about a
    segment, for γ and ρ their scores of a system.

    Args:
        test_set: outputs of at least two judged systems.
        human: scores of segments, or comparisons of pairs; scores of whole systems leave out τ.
    """
    unit = options["unit"]
    # One-sided: that smoothing agrees better than no smoothing is the hypothesis of the study.
    sides: Any = {"resample": RESAMPLED[unit], "alternative": "observed"}
    agree_settings = AgreeSettings.from_options(options, **sides)
    metrics = _metrics(options["tokenize"])
    counts = count_texts(test_set, list(metrics.values()))
    named = zip(metrics, counts.metrics, strict=True)
    counts = replace(counts, metrics=tuple(replace(m, label=label) for label, m in named))
    data = agreement_data(counts, human)
    agreements = {name: RowAgreement.of(name, data, agree_settings) for name in COEFFICIENTS}
    values = {name: agreement.values() for name, agreement in agreements.items()}
    tasks = [
        Task(("interval", name), agreement.intervals) for name, agreement in agreements.items()
    ]
    tasks += [
        Task(("test", name, better, worse), partial(agreement.test, better, worse))
        for name, agreement in agreements.items()
        for better, worse in _pairs_to_test(name, values[name])
    ]
    judged = [name for name in test_set.systems if name in human.systems]
    judgments = human.scores if isinstance(human, HumanScores) else human.judgments
    settings, records = base.run_study(
        "smoothing",
        options,
        base.pool_settings(counts, unit),
        tasks,
        judged=judged,
        human=human.signature,
        judgments=fingerprint([[repr(judgments)]]),
    )
    tests = {
        tuple(map(str, key[1:])): record["p"] for key, record in records.items() if key[0] == "test"
    }
    p_values = _p_above_none(tests)
    item, pairs = data.people.item, count_preferences(data)
    headings = {
        name: f"{item if name == 'tau' else 'system'} {symbol}" for name, symbol in SYMBOLS.items()
    }
    title = "Agreement of sentence BLEU with human raters by smoothing (Chen & Cherry 2014)"
    plot = Plot("point", "smoothing", "agreement", panel="coefficient", shared_y=False)
    result = base.StudyResult(settings, title, _columns(headings, options["level"]), plot)
    result.details.update(
        item=item,
        tests=[dict(zip(TEST, test, strict=True), p=p) for test, p in tests.items()],
        people=HumanSummary.of(human, data, counts.outline.systems),
    )
    for label in metrics:
        row: base.Row = {"smoothing": label, "name": _name(label), "p": p_values.get(label)}
        for name, cells in values.items():
            bounds = records["interval", name][label]
            row |= _agreement(name, cells[label], cells[NONE], bounds)
        result.rows.append(row)
    result.chart_rows.extend(
        {
            "smoothing": row["smoothing"],
            "coefficient": heading,
            **base.Estimate.from_cells(row, name).cells("agreement"),
        }
        for name, heading in headings.items()
        for row in result.rows
        if row[name] is not None
    )
    systems = f"{len(judged)} systems."
    if pairs is not None:
        ties = pairs.human_ties + pairs.both_ties
        result.details.update(ties=ties, pairs=pairs.total - ties)
        systems += (
            f" τ compares {pairs.total - ties:,} pairs of outputs of one {item} with a preference "
            f"of human raters; {ties:,} of their ties are left out."
        )
    result.sentences.append(systems)
    result.sentences.extend(
        _best_sentence(name, heading, values[name], tests, p_values, agree_settings.alpha)
        for name, heading in headings.items()
        if _defined(values[name])
    )
    result.sentences.extend(
        [
            "The best smoothing is chosen on these data; its p-value does not correct for that.",
            f"Intervals are about other {unit}s translated by these systems: with other systems γ "
            "and ρ would vary more.",
            *_missing_values(result.rows),
            *about_inputs(result.details["people"], {}),
        ]
    )
    return result


def _columns(headings: Mapping[str, str], level: float) -> tuple[Column, ...]:
    bounded = " | ".join(
        f"{name}: {heading} [.3f] | {name}_low: {100 * level:g} % from [.3f] | "
        f"{name}_high: to [.3f]"
        for name, heading in headings.items()
    )
    return base.columns(
        f"smoothing | name | {bounded} | p: p, {headings['tau']} above smoothing 0 [.4f]"
    )


def _name(label: str) -> str:
    return "corpus BLEU" if label == CORPUS else list(SMOOTHINGS)[int(label)]


def _pairs_to_test(name: str, values: Mapping[str, MetricAgreement]) -> list[tuple[str, str]]:
    """List the pairs to test, each with the hypothesised better row first.

    The best smoothing is tested against no smoothing, the next best and, over systems, corpus BLEU;
    for τ each smoothing is tested against no smoothing, for the column of p-values.
    """
    defined = _defined(values)
    first = best_labels(defined)
    below = best_labels({label: value for label, value in defined.items() if label not in first})
    others = [*below[:1], NONE, CORPUS]
    pairs = [(label, other) for label in first[:1] for other in others if other != label]
    if name == "tau":
        pairs = [(label, NONE) for label in defined if label != NONE] + pairs
    return [pair for pair in dict.fromkeys(pairs) if values[pair[1]].value is not None]


def _defined(values: Mapping[str, MetricAgreement]) -> dict[str, float]:
    """Return the values of smoothings, without missing ones and corpus BLEU."""
    return {
        label: agreement.value
        for label, agreement in values.items()
        if label != CORPUS and agreement.value is not None
    }


def _agreement(
    name: str, agreement: MetricAgreement, none: MetricAgreement, bounds: Sequence[Any]
) -> base.Row:
    """Make a row's cells of one coefficient: its agreement, and its excess over no smoothing."""
    low, high, reason, *of_excess, _ = bounds
    cells: base.Row = dict.fromkeys(f"{name}{end}" for end in ENDS)
    cells[f"{name}_reason"] = agreement.reason or reason
    if agreement.value is not None:
        cells |= base.Estimate(agreement.value, low, high).cells(name)
        if none.value is not None:
            excess = base.Estimate(agreement.value - none.value, *of_excess)
            cells |= excess.cells(f"{name}_excess")
    return cells


def _p_above_none(tests: Mapping[tuple[str, ...], float]) -> dict[str, float]:
    """Return Holm-corrected p-values of τ above the τ of no smoothing, by smoothing."""
    raw = {
        label: p
        for (name, label, other), p in tests.items()
        if (name, other) == ("tau", NONE) and label != CORPUS
    }
    return dict(zip(raw, adjust(list(raw.values()), "holm").tolist(), strict=True)) if raw else {}


@dataclass(frozen=True, slots=True)
class RowAgreement:
    """Values, intervals and tests by one coefficient; metrics have the labels of the rows.

    Attributes:
        name: name of the coefficient, a key of COEFFICIENTS.
        by: the coefficient.
        data: human and metric scores.
        settings: settings of the tests.
        draws: settings of the bootstrap.
    """

    name: str
    by: Coefficient
    data: AgreementData
    settings: AgreeSettings
    draws: Draws

    @classmethod
    def of(cls, name: str, data: AgreementData, settings: AgreeSettings) -> RowAgreement:
        """Prepare a coefficient; raises SettingError if its intervals cannot be resampled."""
        by = parse_coefficient(COEFFICIENTS[name], compared=data.judgments is not None)
        sizes = {"replicates": settings.replicates, "seed": settings.seed}
        draws = resampling_of(by, data, settings.resample, **sizes)
        return cls(name, by, data, settings, draws)

    def values(self) -> dict[str, MetricAgreement]:
        """Compute every row's value, or the reason why it has none."""
        item = self.data.people.item
        if self.name == "tau" and item == "system":
            missing = MetricAgreement(value=None, notes=(NO_SEGMENTS_JUDGED,))
            return dict.fromkeys(self.data.metrics, missing)
        values = measure_metrics(self.data, self.by, self.settings.seed)
        if self.name == "tau" and item == "segment":
            values[CORPUS] = MetricAgreement(value=None, notes=(NO_SEGMENT_VALUE,))
        return values

    def intervals(self) -> Record:
        """Compute intervals of each row, then of its excess over no smoothing.

        An interval is its bounds and None, or two times None and the reason.
        """
        data, level, reason = self.data, self.settings.level, self.draws.refusal
        if data.people.item == "system":
            reason = NO_SEGMENTS_JUDGED if self.name == "tau" else NOTHING_DRAWN
        if reason is not None:
            return {label: [None, None, reason] * 2 for label in data.metrics}
        replicates = resample_metrics(data, self.by, {}, self.draws)
        return {
            label: [*replicates.interval(label, level), *replicates.difference(label, NONE, level)]
            for label in data.metrics
        }

    def test(self, better: str, worse: str) -> Record:
        """Compute the one-sided p-value that row `better` agrees better than row `worse`.

        For τ, the permutations swap two rows' answers item by item. Swapping single scores, as for
        other coefficients, would compare a smoothed with an unsmoothed output of one segment, which
        no metric does, and the test would have little power.
        """
        data, settings = self.data, self.settings
        if self.name != "tau":
            test = test_of(data, self.by, settings)[0](better, worse)
            return {"p": 1.0 if test.p is None else test.p}
        test = judgment_permutation_test(
            data.items[worse],
            data.items[better],
            as_comparisons(cast("Values", data.human))
            if data.judgments is None
            else data.judgments,
            coefficient(COEFFICIENTS[self.name]),
            alternative="greater",
            permutations=settings.permutations,
            seed=settings.seed,
        )
        return {"p": test.p}


def count_preferences(data: AgreementData) -> PairCounts | None:
    """Count the pairs that τ uses, or return None; human ties are the same in all rows."""
    if data.judgments is not None:
        return count_judgments(data.items[NONE], data.judgments)
    if data.human is not None:
        return count_pairs(data.human, data.items[NONE], grouping="item")
    return None


def as_comparisons(human: Values) -> Judgments:
    """Convert human scores to comparisons of the outputs of each item.

    >>> import numpy as np
    >>> found = as_comparisons(np.array([[5.0, 1.0], [3.0, np.nan], [5.0, 2.0]]))
    >>> [(int(a), int(b), int(v)) for a, b, v in zip(found.left, found.right, found.verdict)]
    [(0, 1, 1), (0, 2, 0), (0, 2, -1), (1, 2, -1)]
    """
    left, right = np.triu_indices(len(human), 1)
    differences = human[left] - human[right]
    pair, item = np.nonzero(~np.isnan(differences))
    verdict = np.sign(differences[pair, item]).astype(np.int64)
    return Judgments(left=left[pair], right=right[pair], item=item, verdict=verdict)


def _metrics(tokenize: str) -> dict[str, Metric]:
    """Return corpus BLEU and the smoothings, by the labels of the paper's rows."""
    metrics: dict[str, Metric] = {CORPUS: BLEU(smooth="none", tokenize=tokenize)}
    numbers = range(len(SMOOTHINGS))
    return metrics | {str(n): SentenceBLEU(smoothing=n, tokenize=tokenize) for n in numbers}


def _best_sentence(
    name: str,
    heading: str,
    values: Mapping[str, MetricAgreement],
    tests: Mapping[tuple[str, ...], float],
    corrected: Mapping[str, float],
    alpha: float,
) -> str:
    """Describe which smoothing agrees best, and whether its lead is significant."""
    defined = _defined(values)
    first = best_labels(defined)
    if len(first) == len(defined):
        return f"By {heading} all smoothings have the same agreement, {defined[first[0]]:.4f}."
    if defined[first[0]] <= 0:
        highest = f"the highest value is {defined[first[0]]:.4f}, of {_describe(first)}"
        return f"By {heading} no smoothing agrees with human raters: {highest}."
    agree = "agrees" if len(first) == 1 else "agree"
    sentence = f"By {heading} {_describe(first)} {agree} best, with {defined[first[0]]:.4f}"
    for (coefficient_name, better, other), p in tests.items():
        value = values[other].value
        if (coefficient_name, better) != (name, first[0]) or value is None:
            continue
        of_column = name == "tau" and other == NONE
        p = corrected[better] if of_column else p
        shown = f"p = {p:.3g}{', corrected' if of_column else ''}"
        relation = "significantly above" if p <= alpha else "cannot be told from"
        if value >= defined[better] - SAME:
            relation, shown = "not above", f"p = {p:.3g}"
        sentence += f"; {relation} {_describe((other,))}, {value:.4f} ({shown})"
    return f"{sentence}."


def _describe(labels: Sequence[str]) -> str:
    if tuple(labels) == (CORPUS,):
        return "corpus BLEU"
    if len(labels) > 2:
        return f"smoothings {join_names(labels)}"
    kind = "smoothing" if len(labels) == 1 else "smoothings"
    return f"{kind} {join_names([f'{label} ({_name(label)})' for label in labels])}"


def _missing_values(rows: Sequence[base.Row]) -> Iterator[str]:
    """Yield the reasons for missing values and intervals."""
    missing: dict[str, list[str]] = {}
    for name, symbol in SYMBOLS.items():
        for row in rows:
            if row[f"{name}_reason"] is not None:
                noun = symbol if row[name] is None else f"interval of {symbol}"
                cells = missing.setdefault(row[f"{name}_reason"], [])
                cells.append(f"{noun} of {row['smoothing']}")
    for reason, cells in missing.items():
        shown = f"{cells[0]} to {cells[-1]}" if len(cells) > 3 else join_names(cells)
        yield f"No {shown}: {reason}."
