"""Calls that work of the verbs, the readers and the metrics: what the sweep spoils."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import truebleu
from truebleu import corpus, counts, human, metrics, nbest, simulation
from truebleu.significance.panel import panel
from truebleu.significance.panel_files import read_panel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

REFERENCE = [f"the cat {i} sat on the mat of house {i % 3}" for i in range(8)]
GOOD = [line.replace("mat", "rug") if i % 3 else line for i, line in enumerate(REFERENCE)]
WORSE = [line.replace("sat on", "was at") for line in REFERENCE]
SYSTEMS = {"new": GOOD, "old": WORSE, "third": REFERENCE[1:] + REFERENCE[:1]}
DOCUMENTS = [f"d{i // 2}" for i in range(8)]
LISTS = [[REFERENCE[i], GOOD[i], WORSE[i]] for i in range(8)]
HUMAN = [[3.0, 2, 4, 5, 1, 2, 3, 4], [1.0, 2, 1, 3, 1, 1, 2, 2], [2.0, 3, 1, 1, 1, 2, 4, 2]]
METRICS = ["bleu", "chrf", "nist", "ter", "sentbleu", "gtm", "mbleu", "per", "wer", "length"]
#: These plan for every size there is, or draw charts, and take a while.
SLOW = {"plan", "report"}


class Call(NamedTuple):
    """Something to call with arguments that are right."""

    function: Callable[..., Any]
    arguments: dict[str, Any]


@cache
def test_set() -> truebleu.TestSet:
    """A small test set with documents."""
    return corpus.as_test_set(SYSTEMS, [REFERENCE], documents=DOCUMENTS)


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
    scores = {name: tuple(row) for name, row in zip(SYSTEMS, HUMAN, strict=True)}
    return human.HumanScores(label="people", level="segment", scores=scores, signature="people")


def files(folder: Path) -> dict[str, str]:
    """The files that readers read."""
    for name, lines in {"ref": REFERENCE, **SYSTEMS}.items():
        (folder / name).write_text("\n".join(lines) + "\n", "utf-8")
    rows = [
        f"{name}\t{i}\t{score}"
        for name, scores in zip(SYSTEMS, HUMAN, strict=True)
        for i, score in enumerate(scores, 1)
    ]
    (folder / "human.tsv").write_text("\n".join(["system\tsegment\tscore", *rows, ""]), "utf-8")
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    error = "new\tx\t1\t1\tr\ts\tthe cat 1 sat on <v>the</v> rug of house 1\tStyle\tMajor"
    (folder / "mqm.tsv").write_text(f"{head}\n{error}\n", "utf-8")
    (folder / "weights.txt").write_text("lm 1\nlength 0.5\n", "utf-8")
    ranked = [f"{i} ||| {text} ||| lm= 1 ||| 1" for i, texts in enumerate(LISTS) for text in texts]
    (folder / "lists.moses").write_text("\n".join([*ranked, ""]), "utf-8")
    saved = truebleu.count({"new": GOOD}, [REFERENCE])
    counts.save_counts(saved, folder / "saved.npz", overwrite=True)
    return {path.name: str(path) for path in folder.iterdir()}


def verbs() -> dict[str, Call]:
    """Calls of the verbs by their names."""
    pair: dict[str, Any] = {"systems": {"new": GOOD, "old": WORSE}, "references": [REFERENCE]}
    systems: dict[str, Any] = {"systems": SYSTEMS, "references": [REFERENCE]}
    ranked: dict[str, Any] = {"lists": lists(), "references": [REFERENCE]}
    few: dict[str, Any] = {"replicates": 60, "seed": 1}
    table: dict[Callable[..., Any], dict[str, Any]] = {
        truebleu.count: {**systems, "documents": DOCUMENTS},
        truebleu.score: {**systems, "replicates": 40},
        truebleu.compare: {**systems, **few},
        truebleu.gate: {**pair, "baseline": "old", **few},
        truebleu.explain: {**pair, **few},
        truebleu.agree: {"systems": test_set(), "human": judgments(), **few, "permutations": 40},
        truebleu.plan: {**pair, "difference": 2.0, **few},
        truebleu.sample: {**systems, "size": 4},
        truebleu.check: {**systems, "train": [__file__]},
        truebleu.report: {**pair, **few},
        truebleu.tune: {**ranked, "folds": 2, **few},
        truebleu.rerank: {**ranked, "weights": {"lm": 1.0}, **few},
        truebleu.mbr: {"candidates": LISTS},
        panel: {"test_sets": {"de": test_set(), "fr": test_set()}, **few},
    }
    return {function.__name__: Call(function, given) for function, given in table.items()}


def readers(folder: Path) -> dict[str, Call]:
    """Calls of what reads files or makes objects of what callers have, by their names."""
    paths = files(folder)
    table: dict[Callable[..., Any], dict[str, Any]] = {
        truebleu.read_test_set: {"systems": [paths["new"]], "references": [paths["ref"]]},
        truebleu.read_human: {"path": paths["human.tsv"], "test_set": test_set()},
        truebleu.set_threads: {"threads": 2},
        corpus.as_test_set: {"systems": SYSTEMS, "references": [REFERENCE]},
        metrics.parse_metric: {"text": "bleu"},
        counts.read_counts: {"path": paths["saved.npz"]},
        nbest.read_nbest: {"path": paths["lists.moses"], "input_format": "moses"},
        nbest.read_weights: {"path": paths["weights.txt"]},
        read_panel: {"paths": [paths["saved.npz"]]},
        simulation.simulate: {"segments": 5, "systems": [0.1]},
    }
    return {function.__name__: Call(function, given) for function, given in table.items()}


def metric_classes() -> dict[str, Call]:
    """What makes each metric of its settings, with those that it usually has."""
    made = [metrics.parse_metric(name) for name in METRICS]
    return {type(metric).__name__: Call(type(metric), {}) for metric in made}


@cache
def results() -> list[object]:
    """What every verb returns that is quick."""
    quick = [call for name, call in verbs().items() if name not in SLOW]
    return [call.function(**call.arguments) for call in quick]
