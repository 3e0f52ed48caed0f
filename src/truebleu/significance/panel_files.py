"""Panels from files: a folder per test set, or saved counts."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from truebleu import schema
from truebleu.corpus._files import stem
from truebleu.corpus._reading import read_test_set
from truebleu.corpus.test_set import TestSet
from truebleu.counts.counting import count_texts
from truebleu.counts.inputs import count_benchmarks, holds_benchmarks
from truebleu.counts.saved import find_counts
from truebleu.errors import MalformedFileError, SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.counts.counts import Counts
    from truebleu.metrics.registry import MetricsLike

__all__ = ["read_panel"]

# Roles of the files in a test set's folder, by the beginning of their names.
BEGINNINGS = {"ref": "reference", "src": "source", "source": "source", "doc": "documents"}
OUTPUTS = ("sys", "systems", "outputs", "hyp")
EXPECTED = "a folder of test sets, saved counts, or scores of items"


def read_panel(
    paths: Sequence[str], metrics: MetricsLike | None = None, documents: str | None = None
) -> dict[str, Counts]:
    """Read the test sets of a panel, by name; texts are counted when they are compared.

    Args:
        paths: folders with a folder for every test set, folders of one test set, or saved counts;
            or scores of items, such as the output of a harness.
        metrics: names or objects. Default: BLEU, the scores of items, or all of saved counts.
        documents: field of scored items that tells which belong together.
    """
    schema.require_type("paths", paths, Iterable, "folders or files")
    if holds_benchmarks(paths):
        return count_benchmarks(paths, metrics, documents)
    if documents is not None:
        raise SettingError("documents", documents, "None unless the panel has scores of items")
    panel: dict[str, Counts] = {}
    for path in paths:
        for name, source in _test_sets(schema.require_path("paths", path), metrics):
            if name in panel:
                raise SettingError("test set", name, "a different name for each")
            panel[name] = count_texts(source, metrics) if isinstance(source, TestSet) else source
    return panel


def _test_sets(path: str, metrics: MetricsLike | None) -> Iterator[tuple[str, TestSet | Counts]]:
    if os.path.isdir(path):
        yield from _of_folder(path, metrics)
    elif (saved := find_counts(path, metrics)) is not None:
        yield stem(path), saved
    else:
        raise MalformedFileError(path, None, "something else", EXPECTED)


# Folders.


def _of_folder(folder: str, metrics: MetricsLike | None) -> Iterator[tuple[str, TestSet | Counts]]:
    """Yield the test set of a folder, or the test sets of its folders and saved counts."""
    entries = sorted(entry for entry in os.listdir(folder) if not entry.startswith("."))
    if any(_role(entry) == "reference" for entry in entries):
        yield os.path.basename(os.path.normpath(folder)), _read_folder(folder, entries)
        return
    count = 0
    for entry in entries:
        path = os.path.join(folder, entry)
        if os.path.isdir(path):
            inside = sorted(name for name in os.listdir(path) if not name.startswith("."))
            if any(_role(name) == "reference" for name in inside):
                count += 1
                yield entry, _read_folder(path, inside)
        elif (saved := find_counts(path, metrics)) is not None:
            count += 1
            yield stem(path), saved
    if not count:
        expected = "folders with a reference (ref*) and outputs, or saved counts"
        raise SettingError("panel", f"no test set in {folder}", expected)


def _role(entry: str) -> str | None:
    return next((role for start, role in BEGINNINGS.items() if entry.startswith(start)), None)


def _read_folder(folder: str, entries: Sequence[str]) -> TestSet:
    files: dict[str | None, list[str]] = defaultdict(list)
    for entry in entries:
        path = os.path.join(folder, entry)
        if os.path.isfile(path):
            files[_role(entry)].append(path)
    outputs = [os.path.join(folder, name) for name in OUTPUTS if name in entries]
    return read_test_set(
        outputs or files[None],
        files["reference"],
        source=_only(folder, "source", files["source"]),
        documents=_only(folder, "documents", files["documents"]),
    )


def _only(folder: str, role: str, files: Sequence[str]) -> str | None:
    if len(files) > 1:
        raise SettingError(role, f"{len(files)} files in {folder}", "at most one file")
    return files[0] if files else None
