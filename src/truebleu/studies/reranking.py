"""Reranking: what several metrics say of one reranker.

Riezler & Maxwell (2005, §2 and Table 1) rerank n-best lists by an l1-penalised log-linear model
with phrases of up to three words as features, against one with the system's own scores only. NIST
rose significantly; BLEU and F fell, not significantly. This makes that table for any lists.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from truebleu._settings import DEFAULT_SEED, checked, require_replicates, require_seed
from truebleu.corpus.test_set import fingerprint
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner, Task
from truebleu.nbest.reranking import rerank
from truebleu.nbest.statistics import count_candidates
from truebleu.significance.compare import compare
from truebleu.studies._study import PoolSummary, StudiedMetric, StudyResult, StudySettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.nbest.lists import NBest
    from truebleu.corpus.test_set import TextLike
    from truebleu.execution.journal import Record
    from truebleu.metrics.base import Metric

BASELINE, RERANKED = "baseline", "reranking"
LEVEL = 0.05
#: `compare` refuses fewer replicates.
FEWEST = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankingSettings(StudySettings):
    """The settings of the study.

    Attributes:
        candidates: of all lists.
        ngrams: the reranker's n-grams have up to so many words.
        train_for: the metric by which the best candidate of a list is the gold standard.
        folds: parts of neighbours, each reranked by a model of the others.
        replicates: of the tests.
    """

    STUDY: ClassVar[str] = "reranking"

    candidates: int
    ngrams: int
    train_for: str
    folds: int
    replicates: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankingRow:
    """What one metric says.

    Attributes:
        metric: its name.
        baseline: the score of the model with the lists' own features; of the first candidates,
            where there are none.
        reranking: the score of the model with n-grams beside them.
        difference: between the two.
        low: where its interval begins.
        high: where it ends.
        ar: the p-value by approximate randomization.
        bootstrap: that by the bootstrap.
        verdict: "better", "worse" or "undecided", at the level 0.05 by approximate randomization.
    """

    metric: str
    baseline: float
    reranking: float
    difference: float
    low: float
    high: float
    ar: float
    bootstrap: float
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankingResult(StudyResult):
    """What metrics say of a reranker; by `truebleu study reranking`.

    Attributes:
        settings: how to repeat it.
        rows: a row for each metric.
        selected: how many features the reranker selected, trained on all lists.
        gamma: the strength of its penalty.
        changed: in how many segments it chooses another candidate than the baseline.
    """

    REPORT: ClassVar[str] = "truebleu.reports.nbest:reranking_document"

    settings: RerankingSettings
    rows: tuple[RerankingRow, ...]
    selected: int
    gamma: float
    changed: int


def _reranked(
    lists: NBest,
    references: Sequence[TextLike],
    metrics: Sequence[str | Metric],
    folds: int,
    seed: int,
    orders: int,
) -> Record:
    """The choices of a model with n-grams of these orders."""
    model = rerank(
        lists,
        references,
        model="log-linear",
        ngrams=orders,
        metrics=metrics,
        folds=folds,
        seed=seed,
        # Its own test of the gain is not looked at.
        replicates=FEWEST,
    )
    return {
        "indices": list(model.indices),
        "selected": len(model.selected),
        "gamma": model.gamma,
    }


@checked
def study_reranking(
    lists: NBest,
    references: Sequence[TextLike],
    *,
    metrics: Sequence[str | Metric] = ("nist", "bleu", "chrf"),
    ngrams: int = 3,
    folds: int = 5,
    replicates: int = 10_000,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> RerankingResult:
    """Rerank lists with and without n-grams, and compare by every metric.

    Args:
        lists: the candidates of each segment.
        references: one text per translator.
        metrics: by which to compare; the first says which candidates are gold.
        ngrams: the reranker's n-grams have up to so many words.
        folds: each part is reranked by a model of the others.
        replicates: of the tests.
        seed: of the tests.
        runner: keeps the choices of each model.
    """
    if not metrics or ngrams < 1:
        raise SettingError("metrics and ngrams", (list(metrics), ngrams), "one or more of each")
    require_seed(seed)
    require_replicates("replicates", replicates)

    work = partial(_reranked, lists, references, metrics[:1], folds, seed)
    first = [[list_[0]] for list_ in lists]
    counted = [count_candidates(first, references, metric).metric for metric in metrics]
    settings = RerankingSettings(
        pool=PoolSummary(
            segments=len(lists),
            systems=(),
            references=len(references),
            reference_names=(),
            documents=None,
            domains=None,
            unit="segment",
            metrics=tuple(
                StudiedMetric.of(metric, metric.name, len(references)) for metric in counted
            ),
            references_fingerprint=fingerprint(references),
            outputs_fingerprint=fingerprint([lists.texts]),
        ),
        seed=seed,
        candidates=lists.candidates,
        ngrams=ngrams,
        train_for=counted[0].name,
        folds=folds,
        replicates=replicates,
    )
    own = bool(lists.feature_names) or lists.sparse is not None
    tasks = [Task((RERANKED,), partial(work, ngrams))]
    if own:
        tasks.insert(0, Task((BASELINE,), partial(work, 0)))
    records = (runner or Runner()).run(settings, tasks)
    indices = {key[0]: record["indices"] for key, record in records.items()}
    indices.setdefault(BASELINE, [0] * len(lists))
    texts = {str(name): lists.choose(chosen) for name, chosen in indices.items()}
    by_test = {
        test: compare(
            texts,
            references,
            metrics=metrics,
            test=test,
            replicates=replicates,
            seed=seed,
            baseline=BASELINE,
            curves=None,
        )
        for test in ("ar", "bootstrap")
    }
    rows = []
    for pair, other in zip(
        by_test["ar"].comparisons, by_test["bootstrap"].comparisons, strict=True
    ):
        metric = by_test["ar"].metrics[pair.metric]
        sign = -1 if metric.higher_is_better is False else 1
        verdict = "better" if sign * pair.difference > 0 else "worse"
        rows.append(
            RerankingRow(
                metric=pair.metric,
                baseline=by_test["ar"].systems[BASELINE][pair.metric].score,
                reranking=by_test["ar"].systems[RERANKED][pair.metric].score,
                difference=pair.difference,
                low=float(pair.interval[0]),
                high=float(pair.interval[1]),
                ar=pair.p,
                bootstrap=other.p,
                verdict=verdict if pair.p <= LEVEL else "undecided",
            )
        )
    last = records[RERANKED,]
    return RerankingResult(
        settings=settings,
        rows=tuple(rows),
        selected=last["selected"],
        gamma=last["gamma"],
        changed=sum(a != b for a, b in zip(indices[BASELINE], indices[RERANKED], strict=True)),
    )
