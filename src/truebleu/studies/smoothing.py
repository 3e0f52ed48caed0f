"""Smoothing: which smoothing of sentence BLEU agrees best with people.

Chen & Cherry (2014, §3.1, Tables 2 and 3) compare seven smoothings with none: by the τ of eq. 12
between pairs of outputs of one segment, and by Pearson's γ and Spearman's ρ between systems, whose
score is the mean of sentence BLEU weighted by reference length (eq. 13). Corpus BLEU, "crp", is
beside them at system level.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from truebleu._settings import DEFAULT_SEED
from truebleu.agreement.agree import HumanSummary
from truebleu.agreement.answers import AgreeSettings, evaluate, resampling_of
from truebleu.agreement.coefficients import coefficient, count_pairs
from truebleu.agreement.comparisons import Judgments, count_judgments, judgment_permutation_test
from truebleu.agreement.data import agreement_data
from truebleu.agreement.measures import parse_question
from truebleu.corpus.test_set import fingerprint
from truebleu.execution.journal import Runner, Task
from truebleu.human.judgments import HumanScores
from truebleu.metrics.bleu import BLEU
from truebleu.metrics.sentence_bleu import DEFAULT_VALUES, SMOOTHINGS, SentenceBLEU
from truebleu.significance.corrections import adjust
from truebleu.studies._study import PoolSummary, StudyResult, StudySettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu.agreement.answers import Evaluation, Resampling
    from truebleu.agreement.bootstrap import AgreementInterval, Resample
    from truebleu.agreement.coefficients import PairCounts
    from truebleu.agreement.data import AgreementData, Human, SystemScores
    from truebleu.agreement.measures import Question
    from truebleu.corpus.test_set import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric
    from truebleu.resampling import Values
    from truebleu.studies._pool import PoolUnit

#: The paper's coefficients, by the names that they have elsewhere; all but τ are of systems.
COEFFICIENTS = {"tau": "chen-cherry", "gamma": "pearson", "rho": "spearman"}
CORPUS = "crp"
NONE = "0"
# Of about the size of rounding in coefficients, which have the scale 1.
SAME = 1e-12

NO_SEGMENT_VALUE = "corpus BLEU is of whole texts; of a single segment it would be smoothing 0"
NO_SEGMENTS_JUDGED = "people scored whole systems, and no segments"
NOTHING_DRAWN = "people scored whole systems, and no segments that could be drawn"
RESAMPLED: dict[PoolUnit, Resample] = {"segment": "segments", "document": "documents"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothingSettings(StudySettings):
    """What `study_smoothing` was asked for, and what it was given.

    Attributes:
        judged: the systems that people judged.
        human: how the human scores were made.
        judgments: tells other judgments from these.
    """

    STUDY: ClassVar[str] = "smoothing"

    judged: tuple[str, ...]
    human: str
    judgments: str
    epsilon: float
    k: float
    alpha: float
    system_scores: SystemScores
    replicates: int
    permutations: int
    level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothingAgreement:
    """How well one row agrees with people by one coefficient.

    Attributes:
        value: the coefficient; None where there is none.
        low: where its interval begins.
        high: where it ends.
        excess: by how much it is above that of no smoothing.
        excess_low: where the interval of that begins, over the same replicates.
        excess_high: where it ends.
        reason: why there is no value, or no interval.
    """

    value: float | None
    low: float | None
    high: float | None
    excess: float | None
    excess_low: float | None
    excess_high: float | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothingRow:
    """One smoothing, or corpus BLEU.

    Attributes:
        smoothing: the paper's number, or "crp" for corpus BLEU.
        name: the smoothing's own name; None for corpus BLEU.
        tau: agreement on pairs of outputs of one segment.
        gamma: Pearson's correlation of systems.
        rho: Spearman's.
        p: that τ is above that of no smoothing, corrected for the number of smoothings (Holm).
    """

    smoothing: str
    name: str | None
    tau: SmoothingAgreement
    gamma: SmoothingAgreement
    rho: SmoothingAgreement
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothingTest:
    """The one-sided p-value that one row agrees better than another, by one coefficient."""

    coefficient: str
    better: str
    worse: str
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothingResult(StudyResult):
    """How well each smoothing agrees with people; by `truebleu study smoothing`.

    Attributes:
        settings: how to repeat it.
        item: what τ is of: "segment", or "document" or "domain" where people scored those.
        rows: corpus BLEU and the smoothings, in the paper's order.
        tests: of pairs of them.
        pairs: how many pairs of outputs people ordered; None where they scored whole systems.
        ties: how many they tied.
        people: what people judged.
    """

    REPORT: ClassVar[str] = "truebleu.reports.studies.metrics:smoothing_document"

    settings: SmoothingSettings
    item: str
    rows: tuple[SmoothingRow, ...]
    tests: tuple[SmoothingTest, ...]
    pairs: int | None
    ties: int | None
    people: HumanSummary

    def defined(self, coefficient: str) -> dict[str, float]:
        """The values of the smoothings that have one."""
        return {
            row.smoothing: value
            for row in self.rows
            if row.smoothing != CORPUS and (value := getattr(row, coefficient).value) is not None
        }

    def row(self, smoothing: str) -> SmoothingRow:
        """The row of this label."""
        return next(row for row in self.rows if row.smoothing == smoothing)


@dataclass(frozen=True, slots=True)
class Cell:
    """A value, or why there is none."""

    value: float | None
    reason: str | None = None


def best(values: Mapping[str, float]) -> tuple[str, ...]:
    """The labels with the largest value: several where they share it."""
    most = max(values.values(), default=0.0)
    return tuple(label for label, value in values.items() if value >= most - SAME)


def next_best(values: Mapping[str, float]) -> tuple[str, ...]:
    """Those with the largest value below that."""
    first = best(values)
    return best({label: value for label, value in values.items() if label not in first})


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
) -> SmoothingResult:
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
    agreeing = AgreeSettings(
        resample=RESAMPLED[unit],
        replicates=replicates,
        permutations=permutations,
        # Whether a smoothing agrees better than none was asked before the data were seen.
        alternative="observed",
        level=level,
        seed=seed,
        system_scores=system_scores,
    )
    metrics = _metrics(epsilon, k, alpha, tokenize=tokenize, lowercase=lowercase)
    data = agreement_data(test_set, human, list(metrics.values()), system_scores=system_scores)
    named = zip(metrics, data.metrics.values(), strict=True)
    study = Agreeing(replace(data, metrics=dict(named)), agreeing)
    for name in COEFFICIENTS:
        # What cannot be resampled is refused before the work begins.
        study.resampling(name)
    settings = SmoothingSettings(
        pool=PoolSummary.of(test_set, list(metrics.values()), list(metrics), unit),
        seed=seed,
        judged=tuple(name for name in test_set.systems if name in human.systems),
        human=human.signature,
        judgments=_fingerprint_of_judgments(human),
        epsilon=epsilon,
        k=k,
        alpha=alpha,
        system_scores=system_scores,
        replicates=replicates,
        permutations=permutations,
        level=level,
    )
    values = {name: study.values(name) for name in COEFFICIENTS}
    tasks = [Task(("interval", name), partial(study.intervals, name)) for name in COEFFICIENTS]
    tasks += [
        Task(("test", name, better, worse), partial(study.test, name, better, worse))
        for name in COEFFICIENTS
        for better, worse in _pairs_to_test(name, values[name])
    ]
    records = (runner or Runner()).run(settings.to_dict(), tasks)
    tests = [
        SmoothingTest(coefficient=str(key[1]), better=str(key[2]), worse=str(key[3]), p=record["p"])
        for key, record in records.items()
        if key[0] == "test"
    ]
    pairs = study.pairs()
    return SmoothingResult(
        settings=settings,
        item=data.people.item,
        rows=tuple(_rows(values, records, tests)),
        tests=tuple(tests),
        pairs=None if pairs is None else pairs.total - pairs.human_ties - pairs.both_ties,
        ties=None if pairs is None else pairs.human_ties + pairs.both_ties,
        people=HumanSummary.of(human, data, test_set),
    )


def _pairs_to_test(name: str, cells: Mapping[str, Cell]) -> list[tuple[str, str]]:
    """Pairs to test, the one that may be better first.

    By segments each smoothing against none, for the column of p-values; the best against none,
    against the next best, and of systems against corpus BLEU.
    """
    defined = _defined(cells)
    others = list(next_best(defined)[:1])
    if NONE in defined:
        others.append(NONE)
    if cells[CORPUS].value is not None:
        others.append(CORPUS)
    pairs = [(label, other) for label in best(defined)[:1] for other in others if other != label]
    if name == "tau" and NONE in defined:
        pairs = [(label, NONE) for label in defined if label != NONE] + pairs
    return list(dict.fromkeys(pairs))


def _defined(cells: Mapping[str, Cell]) -> dict[str, float]:
    """The values of the smoothings that have one."""
    return {
        label: cell.value
        for label, cell in cells.items()
        if label != CORPUS and cell.value is not None
    }


def _rows(
    values: Mapping[str, Mapping[str, Cell]],
    records: Mapping[Key, Record],
    tests: Sequence[SmoothingTest],
) -> Iterator[SmoothingRow]:
    names = dict(enumerate(SMOOTHINGS))
    p_values = _better_than_none(values["tau"], tests)
    for label in values["tau"]:
        agreements = {
            name: _agreement(cells[label], cells[NONE], records["interval", name][label])
            for name, cells in values.items()
        }
        yield SmoothingRow(
            smoothing=label,
            name=None if label == CORPUS else names[int(label)],
            p=p_values.get(label),
            **agreements,
        )


def _agreement(cell: Cell, none: Cell, bounds: Sequence[Any]) -> SmoothingAgreement:
    low, high, reason, excess_low, excess_high, _ = bounds
    known = cell.value is not None
    excess = None if cell.value is None or none.value is None else cell.value - none.value
    return SmoothingAgreement(
        value=cell.value,
        low=low if known else None,
        high=high if known else None,
        excess=excess,
        excess_low=None if excess is None else excess_low,
        excess_high=None if excess is None else excess_high,
        reason=cell.reason or reason,
    )


def _better_than_none(
    cells: Mapping[str, Cell], tests: Sequence[SmoothingTest]
) -> dict[str, float]:
    """For each smoothing p that its τ is above that of none, corrected for their number (Holm)."""
    labels = [label for label in _defined(cells) if label != NONE]
    if cells[NONE].value is None or not labels:
        return {}
    raw = {test.better: test.p for test in tests if (test.coefficient, test.worse) == ("tau", NONE)}
    adjusted = adjust([raw[label] for label in labels], "holm").tolist()
    return dict(zip(labels, adjusted, strict=True))


@dataclass(frozen=True, slots=True)
class Agreeing:
    """Values, intervals and tests by each coefficient, with metrics by the labels of the rows."""

    data: AgreementData
    settings: AgreeSettings

    def values(self, name: str) -> dict[str, Cell]:
        """The value of every row by a coefficient, or why there is none."""
        item = self.data.people.item
        if name == "tau" and item == "system":
            return {label: Cell(None, NO_SEGMENTS_JUDGED) for label in self.data.metrics}
        cells = {
            label: Cell(
                agreement.value, "; ".join(agreement.notes) if agreement.value is None else None
            )
            for label, agreement in self._evaluation(name).values.items()
        }
        if name == "tau" and item == "segment":
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

    def resampling(self, name: str) -> Resampling:
        """What the intervals of a coefficient resample; refused where that is not possible."""
        return resampling_of(self._question(name), self.data, self.settings.resample)

    def intervals(self, name: str) -> Record:
        """For each row low, high and why not; then the same of its excess over none."""
        data, level = self.data, self.settings.level
        lacking = self.resampling(name).refusal
        if data.people.item == "system":
            lacking = NO_SEGMENTS_JUDGED if name == "tau" else NOTHING_DRAWN
        if lacking is not None:
            return {label: [None, None, lacking] * 2 for label in data.metrics}
        replicates = self._evaluation(name).replicates()
        return {
            label: [
                *_bounds(replicates.interval(label, level)),
                *_bounds(replicates.difference(label, NONE, level)),
            ]
            for label in data.metrics
        }

    def test(self, name: str, better: str, worse: str) -> Record:
        """The one-sided p-value that a row agrees better than another.

        For τ two rows swap their answers item by item. Swapping single scores, as for other
        coefficients, would compare a smoothed with an unsmoothed output of one segment, which no
        metric does, and the test would hardly notice a difference.
        """
        if name != "tau":
            test = self._evaluation(name).test(better, worse)
            return {"p": 1.0 if test.p is None else test.p}
        data, settings = self.data, self.settings
        judgments = data.judgments
        if judgments is None:
            judgments = compared(self._human)
        test = judgment_permutation_test(
            data.items[worse],
            data.items[better],
            judgments,
            coefficient(COEFFICIENTS[name]),
            alternative="greater",
            permutations=settings.permutations,
            seed=settings.seed,
        )
        return {"p": test.p}

    @property
    def _human(self) -> Values:
        """People's scores of items; asked for only where there are any."""
        assert self.data.human is not None  # noqa: S101
        return self.data.human

    def _question(self, name: str) -> Question:
        compared = self.data.judgments is not None
        return parse_question(COEFFICIENTS[name], compared=compared)

    def _evaluation(self, name: str) -> Evaluation:
        resampling = self.resampling(name)
        return evaluate(self.data, self._question(name), self.settings, resampling)


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


def _fingerprint_of_judgments(human: Human) -> str:
    if isinstance(human, HumanScores):
        return fingerprint(
            [
                [None if score is None else repr(score) for score in scores]
                for scores in human.scores.values()
            ]
        )
    return fingerprint([[repr(tuple(judgment)) for judgment in human.judgments]])
