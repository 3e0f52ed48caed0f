"""Public data of the evidence: folders and readers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from truebleu.corpus import TestSet, read_test_set
from truebleu.corpus.nbest import NBest
from truebleu.nbest.minimum_bayes_risk import mbr

DATA = Path(__file__).parents[2] / "shared" / "data"
# Sets with English output of the same systems, which form one pool.
POOLED_SETS = ("wmt23-he-en", "wmt23-zh-en")


def read_set(name: str, *references: str, documents: bool = False) -> TestSet:
    """Read a data set with all its systems."""
    folder = DATA / name
    systems = [str(folder / "sys")] if (folder / "sys").is_dir() else _outputs(folder)
    chosen = references or ("refA",)
    test_set = read_test_set(
        systems,
        [str(folder / f"{reference}.txt") for reference in chosen],
        documents=str(folder / "docs.tsv") if documents else None,
    )
    # Copies of another system's output would add trivial pairs.
    distinct = {tuple(text): system for system, text in reversed(list(test_set.systems.items()))}
    names = [system for system in test_set.systems if system in distinct.values()]
    return replace(test_set, systems={system: test_set.systems[system] for system in names})


def read_evaluation_set(pair: str) -> tuple[TestSet, Path]:
    """Read a language pair of WMT23's metrics task; return it and the file of its MQM scores."""
    folder = DATA / "wmt23-eval-set"
    outputs = sorted(path for path in (folder / "system-outputs" / pair).glob("*.txt"))
    systems = [str(path) for path in outputs if not path.stem.startswith(("ref", "synthetic"))]
    test_set = read_test_set(systems, [str(folder / "references" / f"{pair}.refA.txt")])
    return test_set, folder / "human-scores" / f"{pair}.mqm.seg.score"


def _outputs(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.glob("*.txt") if not path.name.startswith("ref"))


def pooled() -> TestSet:
    """Concatenate WMT23's Hebrew-English and Chinese-English sets.

    The pool has the systems that translated both.
    """
    sets = [read_set(name) for name in POOLED_SETS]
    common = [
        name for name in sets[0].systems if all(name in test_set.systems for test_set in sets)
    ]
    return TestSet(
        systems={name: [s for test_set in sets for s in test_set.systems[name]] for name in common},
        references=([s for test_set in sets for s in test_set.references[0]],),
        reference_names=("refA",),
    )


def system_lists(name: str) -> tuple[NBest, list[list[str]]]:
    """Make lists of the systems of a set, with features that need no reference.

    The features are the number of words, and chrF and BLEU against all other candidates.
    """
    test_set = read_set(name)
    lists = NBest.of_systems({key: list(text) for key, text in test_set.systems.items()})
    utilities = {
        metric: [list(segment.utilities) for segment in mbr(lists, metric=metric).segments]
        for metric in ("chrf", "bleu")
    }
    words = [[len(text.split()) for text in list_] for list_ in lists]
    features: dict[str, list[list[float]]] = {"words": [[float(n) for n in row] for row in words]}
    for metric, rows in utilities.items():
        features[metric] = [[float(value or 0.0) for value in row] for row in rows]
    made = NBest.of([list(list_) for list_ in lists], features=features, name=name)
    return made, [[str(segment) for segment in test_set.references[0]]]


def first_segments(lists: NBest, count: int) -> NBest:
    """Return the lists of the first segments."""
    return _part(lists, 0, count)


def other_segments(lists: NBest, count: int) -> NBest:
    """Return the lists of all other segments."""
    return _part(lists, count, len(lists))


def _part(lists: NBest, start: int, end: int) -> NBest:
    first, last = int(lists.offsets[start]), int(lists.offsets[end])
    sparse = None
    if lists.sparse is not None:
        own = lists.sparse
        low, high = int(own.indptr[first]), int(own.indptr[last])
        sparse = replace(
            own,
            indptr=own.indptr[first : last + 1] - low,
            indices=own.indices[low:high],
            values=own.values[low:high],
        )
    return replace(
        lists,
        texts=lists.texts[first:last],
        offsets=lists.offsets[start : end + 1] - first,
        features=lists.features[first:last],
        sparse=sparse,
    )
