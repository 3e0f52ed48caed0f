"""A call of every public function, class and method that works: what the sweep spoils."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import truebleu
from truebleu import (
    agreement,
    corpus,
    explanation,
    human,
    metrics,
    nbest,
    planning,
    reports,
    resampling,
    significance,
    simulation,
    studies,
    tokenizers,
)
from truebleu.errors import SettingError
from truebleu.significance.panel import panel, read_panel

if TYPE_CHECKING:
    from pathlib import Path

NAMESPACES = (
    "agreement", "corpus", "explanation", "human", "metrics", "nbest", "planning", "reports",
    "resampling", "significance", "simulation", "studies", "tokenizers",
)  # fmt: skip

REFERENCE = [f"the cat {i} sat on the mat of house {i % 3}" for i in range(8)]
GOOD = [line.replace("mat", "rug") if i % 3 else line for i, line in enumerate(REFERENCE)]
WORSE = [line.replace("sat on", "was at") for line in REFERENCE]
SYSTEMS = {"new": GOOD, "old": WORSE, "third": REFERENCE[1:] + REFERENCE[:1]}
DOCUMENTS = [f"d{i // 2}" for i in range(8)]
LISTS = [[REFERENCE[i], GOOD[i], WORSE[i]] for i in range(8)]
HUMAN = np.array(
    [[3.0, 2, 4, 5, 1, 2, 3, 4], [1.0, 2, 1, 3, 1, 1, 2, 2], [2.0, 3, 1, 1, 1, 2, 4, 2]]
)
FIRST, SECOND = HUMAN + np.arange(8) % 3, HUMAN[::-1] * 0.5 + 1
DIFFERENCES = np.linspace(-1, 2, 40)


class Call(NamedTuple):
    """Something to call with arguments that are right."""

    function: Callable[..., Any]
    arguments: dict[str, Any]


@cache
def test_set() -> truebleu.TestSet:
    """A small test set with documents."""
    return corpus.as_test_set(SYSTEMS, [REFERENCE], documents=DOCUMENTS)


@cache
def pool() -> truebleu.TestSet:
    """A larger test set with two references."""
    return simulation.simulate(segments=40, systems=[0.1, 0.3], references=2, seed=1)


@cache
def lists() -> nbest.NBest:
    """N-best lists with two features."""
    length = [[float(len(text)) for text in texts] for texts in LISTS]
    model = [[-1.0, -2.0, -1.5] for _ in LISTS]
    return nbest.NBest.of(
        LISTS, features={"lm": model, "length": length}, scores=model, log_probabilities=model
    )


@cache
def judgments() -> human.HumanScores:
    """Human scores of the systems."""
    scores = {name: tuple(row) for name, row in zip(SYSTEMS, HUMAN.tolist(), strict=True)}
    return human.HumanScores(label="people", level="segment", scores=scores, signature="people")


@cache
def statistics() -> list[significance.MetricStatistics]:
    """Statistics of BLEU, by segments."""
    units = resampling.Units.segments(8)
    return significance.metric_statistics(test_set(), [truebleu.BLEU()], units)


@cache
def comparisons() -> agreement.Judgments:
    """Four judgments of pairs of systems."""
    numbers = np.array([0, 1, 0, 1])
    return agreement.Judgments(
        left=numbers, right=numbers + 1, item=np.arange(4), verdict=1 - numbers
    )


def files(folder: Path) -> dict[str, str]:
    """The files that readers read."""
    for name, lines in {"ref": REFERENCE, **SYSTEMS}.items():
        (folder / name).write_text("\n".join(lines) + "\n", "utf-8")
    rows = [
        f"{name}\t{i}\t{score}"
        for name, scores in zip(SYSTEMS, HUMAN.tolist(), strict=True)
        for i, score in enumerate(scores, 1)
    ]
    (folder / "human.tsv").write_text("\n".join(["system\tsegment\tscore", *rows, ""]), "utf-8")
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    error = "new\tx\t1\t1\tr\ts\tthe cat 1 sat on <v>the</v> rug of house 1\tStyle\tMajor"
    (folder / "mqm.tsv").write_text(f"{head}\n{error}\n", "utf-8")
    (folder / "weights.txt").write_text("lm 1\nlength 0.5\n", "utf-8")
    ranked = [f"{i} ||| {text} ||| lm= 1 ||| 1" for i, texts in enumerate(LISTS) for text in texts]
    (folder / "lists.moses").write_text("\n".join([*ranked, ""]), "utf-8")
    for name in ("sources/en-de.txt", "references/en-de.a.txt", "system-outputs/en-de/new.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("one\ntwo\n", "utf-8")
    saved = metrics.SavedStatistics.of(corpus.as_test_set({"new": GOOD}, [REFERENCE]))
    metrics.save_statistics(saved, folder / "saved.npz", overwrite=True)
    curves = agreement.fit_curves(test_set(), judgments(), replicates=60)
    (folder / "curves.json").write_text(json.dumps(curves.to_dict()), "utf-8")
    return {path.name: str(path) for path in folder.iterdir()}


@cache
def calls(folder: Path) -> dict[str, Call]:
    """Calls by the name of what is called."""
    paths = files(folder)
    pair: dict[str, Any] = {"systems": {"new": GOOD, "old": WORSE}, "references": [REFERENCE]}
    systems: dict[str, Any] = {"systems": SYSTEMS, "references": [REFERENCE]}
    by = agreement.coefficient("pearson")
    given: dict[str, Any] = {"systems": test_set()}
    few: dict[str, Any] = {"replicates": 60, "seed": 1}
    replicates: dict[str, Any] = {"scores": DIFFERENCES, "level": 0.9}
    unit = resampling.Units.segments(8)
    rows = statistics()[0].rows
    judged: dict[str, Any] = {"human": HUMAN, "metric1": FIRST, "metric2": SECOND}
    by_name = {"good": FIRST, "bad": SECOND}
    tests: dict[str, Any] = {"human": HUMAN, "metrics": by_name, **few}
    bleu = truebleu.BLEU()
    comparison = truebleu.compare(SYSTEMS, [REFERENCE], replicates=60)
    drawn = truebleu.plan(**pair, difference=2.0)
    table: dict[Callable[..., Any], dict[str, Any]] = {
        truebleu.score: {**systems, "replicates": 40},
        truebleu.compare: {**systems, **few},
        truebleu.gate: {"new": GOOD, "old": WORSE, "references": [REFERENCE], **few},
        truebleu.explain: {**pair, **few},
        truebleu.agree: {**given, "human": judgments(), **few, "permutations": 40},
        truebleu.plan: {**pair, "difference": 2.0, **few},
        truebleu.sample: {"pool": SYSTEMS, "references": [REFERENCE], "size": 4},
        truebleu.tune: {"lists": lists(), "references": [REFERENCE], "folds": 2, **few},
        truebleu.rerank: {
            "lists": lists(),
            "references": [REFERENCE],
            "weights": {"lm": 1.0},
            **few,
        },
        truebleu.mbr: {"candidates": LISTS},
        truebleu.read_human: {"path": paths["human.tsv"], "test_set": test_set()},
        truebleu.read_test_set: {"systems": [paths["new"]], "references": [paths["ref"]]},
        truebleu.set_threads: {"threads": 2},
        corpus.as_test_set: systems,
        human.read_spans: {"path": paths["mqm.tsv"], "systems": SYSTEMS},
        metrics.read_all_statistics: {"path": paths["saved.npz"]},
        human.read_metrics_eval: {"folder": str(folder)},
        tokenizers.check_tokenizer: {"name": "13a"},
        tokenizers.tokenize: {"line": "a cat"},
        tokenizers.tokenizer_for_language: {"language": "zh"},
        tokenizers.tokenizer_for_script: {"script": "Han"},
        tokenizers.tokenizer_names: {},
        tokenizers.unspaced_script: {"texts": [REFERENCE]},
        metrics.metric_labels: {"metrics": [bleu, truebleu.CHRF()]},
        metrics.parse_metric: {"text": "bleu"},
        metrics.read_benchmarks: {"paths": [paths["human.tsv"]]},
        metrics.read_statistics: {"path": paths["saved.npz"]},
        metrics.save_statistics: {
            "statistics": metrics.read_statistics(paths["saved.npz"]),
            "path": folder / "again.json",
            "overwrite": True,
        },
        resampling.on_exact_grid: {"rows": rows[0]},
        significance.absolute_bootstrap_p: {"observed": 0.3, "differences": DIFFERENCES},
        significance.shifted_bootstrap_p: {"observed": 0.3, "differences": DIFFERENCES},
        significance.randomization_p: {"observed": 0.3, "differences": DIFFERENCES},
        significance.westfall_young: {
            "observed": [0.3, 0.1],
            "null_differences": np.stack([DIFFERENCES] * 2, 1),
        },
        significance.adjust: {"p_values": [0.1, 0.2], "method": "holm"},
        significance.percentile_interval: replicates,
        significance.bca_interval: {"estimate": 0.5, "jackknife": DIFFERENCES[:5], **replicates},
        significance.student_interval: {"values": DIFFERENCES, "level": 0.9},
        significance.bootstrap_scores: {
            "statistics": statistics(),
            "units": unit,
            "bootstrap": resampling.Bootstrap(replicates=50),
        },
        significance.swap_differences: {
            "statistics": statistics(),
            "pairs": [(0, 1)],
            "swaps": resampling.Swaps(replicates=50),
        },
        significance.bootstrap_wins: {"differences": DIFFERENCES},
        significance.clusters: {"scores": [1.0, 2.0], "better": [[False, True], [False, False]]},
        significance.rank_ranges: {"better": [[False, True], [False, False]]},
        significance.probability_of_best: {"scores": FIRST.T},
        significance.equivalence_p: {"differences": DIFFERENCES, "margin": 0.5},
        significance.non_inferiority_p: {"differences": DIFFERENCES, "margin": 0.5},
        significance.experimentwise_error: {"alpha": 0.05, "comparisons": 3},
        significance.fewest_units: {"alpha": 0.05},
        significance.find_test: {"name": "ar"},
        significance.group_runs: {"names": ["a.1", "a.2"], "pattern": "{system}.{run}"},
        significance.metric_statistics: {
            "test_set": test_set(),
            "metrics": [bleu],
            "units": unit,
        },
        significance.monte_carlo_error: {"p": 0.1, "replicates": 40},
        significance.monte_carlo_interval: {"p": 0.1, "replicates": 40},
        significance.smallest_p: {"replicates": 40},
        significance.scheffe_p: {"segment_scores": FIRST.T},
        significance.tukey_p: {"segment_scores": FIRST.T},
        truebleu.report: {**pair, **few},
        explanation.degenerate_outputs: {"test_set": test_set()},
        significance.find_curve: {"metric": bleu},
        explanation.mean_gradient: {
            "metric": bleu,
            "start": rows[0].sum(0)[None],
            "end": rows[1].sum(0)[None],
        },
        explanation.split_difference: {"metric": bleu, "first": rows[0], "second": rows[1]},
        significance.people_agreement: {
            "curve": significance.CURVES[0],
            "difference": 1.0,
            "replicates": DIFFERENCES,
            "score": 30.0,
        },
        agreement.bootstrap_agreement: {**tests, "by": by},
        agreement.bootstrap_system_agreement: {
            **tests,
            "by": "pearson",
            "metrics": {name: agreement.mean_of_segments(rows) for name, rows in by_name.items()},
        },
        agreement.judgment_permutation_test: {
            "metric1": FIRST,
            "metric2": SECOND,
            "judgments": comparisons(),
            "by": agreement.coefficient("kendall-a"),
            "permutations": 40,
            "seed": 1,
        },
        agreement.measure_judgments: {
            "metric": FIRST,
            "judgments": comparisons(),
            "by": "kendall-a",
        },
        agreement.calibrate_ties: {"human": HUMAN, "metric": FIRST},
        agreement.coefficient: {"name": "pearson"},
        agreement.correlation_p: {"human": HUMAN[0], "metric": FIRST[0], "name": "pearson"},
        agreement.count_pairs: {"human": HUMAN, "metric": FIRST},
        agreement.mean_of_segments: {"scores": FIRST},
        agreement.measure: {"human": HUMAN, "metric": FIRST, "by": "pearson"},
        agreement.pair_permutation_test: {**judged, "permutations": 40},
        agreement.permutation_test: {**judged, "by": by, "permutations": 40},
        agreement.soft_pairwise_test: {**judged, "permutations": 40},
        agreement.williams_test: {"human": HUMAN[0], "metric1": FIRST[0], "metric2": SECOND[0]},
        agreement.rank_metrics: {
            "values": {"good": 0.5, "bad": 0.2},
            "test": lambda _a, _b: agreement.MetricTest(difference=0.3, p=0.1, method="scores"),
        },
        agreement.fit_curves: {**given, "human": judgments(), **few},
        panel: {"test_sets": {"de": test_set(), "fr": test_set()}, **few},
        read_panel: {"paths": [paths["saved.npz"]]},
        significance.read_curves: {"path": paths["curves.json"]},
        agreement.rank_systems: {"names": list(SYSTEMS), "human": HUMAN},
        agreement.soft_pairwise_accuracy: {
            "human": HUMAN,
            "metrics": by_name,
            "permutations": 40,
        },
        nbest.count_candidates: {"lists": lists(), "references": [REFERENCE]},
        nbest.describe_lists: {"lists": lists()},
        nbest.oracle_scores: {"lists": lists(), "references": [REFERENCE]},
        nbest.read_nbest: {"path": paths["lists.moses"], "input_format": "moses"},
        nbest.read_weights: {"path": paths["weights.txt"]},
        nbest.utility_matrix: {"metric": "chrf", "candidates": GOOD},
        reports.chart: {"drawable": drawn},
        reports.render: {"result": comparison},
        reports.save_chart: {
            "drawable": drawn,
            "path": folder / "chart.json",
            "overwrite": True,
        },
        simulation.save_test_set: {
            "test_set": test_set(),
            "folder": folder / "set",
            "overwrite": True,
        },
        simulation.simulate: {"segments": 5, "systems": [0.1]},
        simulation.simulate_causes: {"segments": 12},
    }
    small: dict[str, Any] = {"test_set": pool(), "replicates": 100}
    sampled: dict[str, Any] = {**small, "sizes": [10], "samples": 5}
    table |= {
        studies.study_accuracy: sampled,
        studies.study_coverage: sampled,
        studies.study_power: sampled,
        studies.study_sampling: {"test_set": pool(), "sizes": [8], "independent": 100},
        studies.study_sensitivity: small,
        studies.study_references: {**small, "samples": 5, "shares": [0.3, 0.5, 0.8]},
        studies.study_test_size: {**small, "samples": 5, "shares": [0.3, 0.5, 0.8]},
        studies.study_equivalents: small,
        studies.study_type_one: {**small, "repetitions": 50},
        studies.study_multiplicity: {**small, "repetitions": 50},
        studies.study_replicates: {
            "test_set": pool(),
            "replicates": [40],
            "repetitions": 5,
        },
        studies.study_length: {"test_set": test_set(), "lengths": [0.8]},
        studies.study_tuning: {
            "lists": lists(),
            "references": [REFERENCE],
            "test_lists": lists(),
            "test_references": [REFERENCE],
            "smoothings": ("0", "1"),
            "without_mira": True,
            "runs": 2,
            "epochs": 1,
            "replicates": 50,
        },
        studies.study_reranking: {
            "lists": lists(),
            "references": [REFERENCE],
            "metrics": ["bleu"],
            "ngrams": 1,
            "folds": 2,
            "replicates": 50,
        },
        studies.study_smoothing: {
            "test_set": test_set(),
            "human": judgments(),
            "replicates": 40,
            "permutations": 20,
        },
    }
    return {f"{f.__module__}.{f.__qualname__}": Call(f, given) for f, given in table.items()}


def constant(_output: str, _references: list[str]) -> float:
    """A function that is a metric."""
    return 1.0


def instances(folder: Path) -> list[object]:
    """An object of every public class whose methods or constructor take arguments."""
    coefficient, signature = agreement.coefficient("kendall-a"), truebleu.BLEU().signature
    column = reports.Column("a", "A")
    table = reports.Table((column,), ({"a": 1.0},))
    plot = reports.Plot("point", "a", "a")
    return [
        *(metrics.parse_metric(name) for name in METRICS),
        metrics.FunctionMetric(function=constant, name="one"),
        metrics.GivenScores.of({name: list(row) for name, row in zip(SYSTEMS, HUMAN, strict=True)}),
        metrics.DependencyF(parses=str(folder)),
        signature, metrics.read_statistics(folder / "saved.npz"),
        test_set(), judgments(),
        resampling.Bootstrap(replicates=50), resampling.Swaps(replicates=50),
        human.PairwiseJudgments(
            label="people", systems=("new", "old"), signature="people",
            judgments=(human.Judgment(1, "new", "old", 1),),
        ),
        resampling.Units.segments(8), statistics()[0],
        significance.CompareSettings(), significance.GateSettings(),
        significance.IntervalSettings(), significance.ResamplingSettings(),
        significance.TESTS["ar"], significance.CORRECTIONS["holm"],
        significance.INTERVAL_METHODS["percentile"], significance.CURVES[0],
        agreement.AgreeSettings(), coefficient, comparisons(), agreement.mean_of_segments(FIRST),
        agreement.MetricTest(difference=0.3, p=0.1, method="scores"),
        agreement.MetricAgreement(value=0.5), agreement.PairCounts(1, 0, 0, 0, 0),
        agreement.bootstrap_agreement(
            HUMAN, {"good": FIRST, "bad": SECOND}, agreement.coefficient("pearson"), replicates=40
        ),
        planning.PlanSettings(), planning.SampleSettings(size=3),
        planning.ReportedDifference(sd=1.0, se=None, interval=None, level=None, segments=None),
        nbest.count_candidates(lists(), [REFERENCE]), nbest.FeatureMean(name="lm"),
        nbest.OuterLoop(decoder="true {weights} {nbest}", folder=folder / "rounds"),
        nbest.Mert(), nbest.Mira(), nbest.Pro(), nbest.ExpectedBleu(), nbest.MinimumRisk(),
        nbest.ExpectedCorpusBleu(), nbest.Exact(), nbest.Aggregate(), nbest.Prune(),
        nbest.CoarseToFine(), nbest.ListFormat(), lists(), nbest.SparseFeatures.of([{"a": 1.0}]),
        column, plot, reports.Heading("a"), reports.Notes(("a",)), reports.Sentences(("a",)), table,
        reports.Document((table,), table), reports.Chart(title="a", table=table, plot=plot),
        simulation.Channel(), corpus.Segments(["a cat"]), human.read_metrics_eval(folder),
    ]  # fmt: skip


METRICS = ["bleu", "chrf", "nist", "ter", "sentbleu", "gtm", "mbleu", "per", "wer", "length"]


@cache
def results() -> list[object]:
    """A result of every verb."""
    few: dict[str, Any] = {"replicates": 60, "seed": 1}
    pair: Any = ({"new": GOOD, "old": WORSE}, [REFERENCE])
    return [
        truebleu.score(*pair, per_segment=True), truebleu.compare(*pair, **few),
        truebleu.gate(GOOD, WORSE, [REFERENCE], **few), truebleu.explain(*pair, **few),
        truebleu.plan(*pair, difference=2.0, **few), truebleu.sample(*pair, size=4),
        truebleu.agree(test_set(), judgments(), **few, permutations=40),
        truebleu.agree(
            test_set(), judgments(), grid=["chrf:beta=1|2"], **few, permutations=40
        ),
        truebleu.tune(lists(), [REFERENCE], folds=2, **few),
        truebleu.rerank(lists(), [REFERENCE], weights={"lm": 1.0}, **few),
        truebleu.mbr(LISTS), nbest.describe_lists(lists()),
        nbest.oracle_scores(lists(), [REFERENCE]),
        agreement.rank_systems(list(SYSTEMS), HUMAN),
    ]  # fmt: skip


#: These plan for every size there is, and take a while.
SLOW = {"plan"}


@cache
def outcomes(folder: Path) -> list[object]:
    """What the calls return, and every metric's scores."""
    quick = [call for call in calls(folder).values() if call.function.__name__ not in SLOW]
    scored = [metrics.parse_metric(name).corpus(GOOD, [REFERENCE]) for name in METRICS]
    return [*(call.function(**call.arguments) for call in quick), *scored]


def objects(folder: Path) -> list[object]:
    """An object of every public class: made, or a part of what something returns."""
    files(folder)
    made = [*instances(folder), *results(), *walk([results(), outcomes(folder)])]
    seen = {type(value) for value in made}
    # The rest, which only special texts give, with whatever it may be made of.
    for kind in public_classes() - seen:
        with suppress(SettingError):
            made.append(kind(**dict.fromkeys(names_of(kind), 1)))
    return made


def names_of(kind: type) -> list[str]:
    """The fields of a dataclass or named tuple."""
    return [field.name for field in fields(kind)] if is_dataclass(kind) else [*kind._fields]  # type: ignore[attr-defined]


def public_classes() -> set[type]:
    """Every class of the public namespaces that there are objects of."""
    modules = [import_module(f"truebleu.{name}") for name in NAMESPACES]
    values = [getattr(module, name) for module in modules for name in module.__all__]
    bases = {metrics.Metric, metrics.MeanMetric, corpus.Frame, corpus.Segments}
    classes = {value for value in values if inspect.isclass(value)} - bases
    # Not protocols, which others' classes follow.
    return {kind for kind in classes if is_dataclass(kind) or hasattr(kind, "_fields")}


def walk(value: object) -> Iterator[object]:
    """The dataclasses and named tuples within a value."""
    if is_dataclass(value) and not isinstance(value, type):
        yield value
        for field in fields(value):
            yield from walk(getattr(value, field.name))
    elif isinstance(value, Mapping):
        yield from (part for item in value.values() for part in walk(item))
    elif isinstance(value, list | tuple):
        if hasattr(value, "_fields"):
            yield value
        yield from (part for item in value for part in walk(item))


#: Arguments of methods by their names.
USUAL: dict[str, Any] = {
    "output": "a cat", "outputs": GOOD, "references": [REFERENCE], "test_set": test_set,
    "first": "new", "second": "old", "language": "zh", "script": "Chinese", "max_order": 2,
    "width": 10, "texts": [GOOD], "metric": "good", "name": "lm", "system": "new", "segment": 0,
    "indices": [0] * 8, "difference": 1.0, "accuracy": 0.8, "level": 0.9, "other": "bad",
    "rate": 0.1, "words": ["a"], "count": 8, "length": 2, "documents": DOCUMENTS, "lists": LISTS,
    "value": 1.0, "units": 8, "pairs": 1, "a": 0, "b": 1, "label": "a", "needed_by": "x",
    "path": "chart.json", "folder": "out", "library": "pandas", "scores": {"a": [1.0]},
    "systems": SYSTEMS, "candidate": 0, "rows": [{"a": 1.0}], "item": "segment",
    "draw": lambda: 0.5, "signature": lambda: truebleu.BLEU().signature, "metrics": ["bleu"],
    "better": "a", "worse": "b", "statistics": lambda: statistics(), "differences": DIFFERENCES,
    "observed": np.array(0.3), "swaps": lambda: resampling.Swaps(replicates=50),
    "replicates": 20, "seed": 1,
}  # fmt: skip


def methods(owner: object) -> Iterator[tuple[str, Call]]:
    """The public methods of an object that take arguments, and its class."""
    kind = type(owner)
    yield kind.__name__, Call(kind, fields_of(owner))
    for name in dir(kind):
        is_own = not name.startswith("_") and not hasattr(Sequence, name) and name != "get"
        if is_own and inspect.isroutine(getattr(kind, name)):
            method = getattr(owner, name)
            yield f"{kind.__name__}.{name}", Call(method, usual(method, owner))


def fields_of(owner: object) -> dict[str, Any]:
    """What a dataclass is made of."""
    if not is_dataclass(owner):
        return {}
    return {field.name: getattr(owner, field.name) for field in fields(owner) if field.init}


def usual(method: Callable[..., Any], owner: object) -> dict[str, Any]:
    """Arguments by the names of parameters; sums and rows are those that the metric counts."""
    given: dict[str, Any] = {}
    for name, parameter in inspect.signature(method).parameters.items():
        if name in ("sums", "rows") and isinstance(owner, metrics.Metric):
            given[name] = np.ones((2, 30))
        elif name in USUAL and parameter.default is parameter.empty:
            value = USUAL[name]
            given[name] = value() if callable(value) and name != "draw" else value
    return given
