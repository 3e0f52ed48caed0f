"""Smoothing: which smoothing of sentence BLEU agrees best with people.

Chen & Cherry (2014, §3.1, Tables 2 and 3) compare seven smoothings with none: by the τ of eq. 12
between pairs of outputs of one segment, and by Pearson's γ and Spearman's ρ between systems, whose
score is the mean of sentence BLEU weighted by reference length (eq. 13). Corpus BLEU, "crp", is
beside them at system level.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from truebleu.agreement.agree import AgreeSettings
from truebleu.agreement.finding import Asked
from truebleu.agreement.judged import judge
from truebleu.agreement.outline import notes
from truebleu.corpus.fingerprint import fingerprint
from truebleu.corpus.human import HumanScores
from truebleu.errors import UnknownNameError
from truebleu.metrics.bleu import BLEU
from truebleu.metrics.sentence_bleu import DEFAULT_VALUES, SMOOTHINGS, SentenceBLEU
from truebleu.seeds import DEFAULT_SEED
from truebleu.studies.apparatus.journal import Runner, Task
from truebleu.studies.apparatus.smoothing_agreement import Agreeing
from truebleu.studies.apparatus.smoothing_columns import COLUMNS, CORPUS
from truebleu.studies.apparatus.smoothing_exhibit import smoothing_exhibit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu.agreement.certainty.bootstrap import Over
    from truebleu.agreement.human_items import Human
    from truebleu.agreement.judged import SystemScores
    from truebleu.corpus import TestSet
    from truebleu.exhibits import Exhibit
    from truebleu.metrics.metric import Metric
    from truebleu.studies.apparatus.pool import PoolUnit

RESAMPLED: dict[PoolUnit, Over] = {"segment": "segments", "document": "documents"}


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
    samples: int = 1000,
    draws: int = 10_000,
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
        samples: replicates of the intervals.
        draws: exchanges in each test.
        level: of the intervals, and 1 minus the significance level of the tests.
        seed: of intervals and tests.
        runner: keeps the results and shows progress.
    """
    if unit not in RESAMPLED:
        raise UnknownNameError("unit", str(unit), tuple(RESAMPLED))
    settings = AgreeSettings(
        resample=RESAMPLED[unit],
        samples=samples,
        draws=draws,
        level=level,
        seed=seed,
        system_scores=system_scores,
    )
    metrics = _metrics(epsilon, k, alpha, tokenize=tokenize, lowercase=lowercase)
    judged = judge(test_set, human, list(metrics.values()), system_scores=system_scores)
    named = zip(metrics, judged.metrics.values(), strict=True)
    study = Agreeing(Asked(replace(judged, metrics=dict(named)), settings))
    for column in COLUMNS:
        # What cannot be drawn is refused before the work begins.
        study.drawing(column)
    values = {column.name: study.values(column) for column in COLUMNS}
    subject = {
        "study": "smoothing",
        **_outline(test_set, human, metrics),
        "unit": unit,
        "system_scores": system_scores,
        "samples": samples,
        "draws": draws,
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
        item=judged.people.item,
        values=values,
        records=records,
        pairs=study.pairs(),
        notes=notes(human, judged, test_set),
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


def _fingerprint_of_judgments(human: Human) -> str:
    if isinstance(human, HumanScores):
        return fingerprint(
            [
                [None if score is None else repr(score) for score in scores]
                for scores in human.scores.values()
            ]
        )
    return fingerprint([[repr(tuple(judgment)) for judgment in human.judgments]])
