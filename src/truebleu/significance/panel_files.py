"""Panels from files: a folder per test set, saved counts, or one long table."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from truebleu import schema
from truebleu.corpus._files import Files, stem
from truebleu.corpus._reading import align, merged, read_test_set
from truebleu.corpus.sequences import absent_segments
from truebleu.corpus.tables import parse_table
from truebleu.corpus.test_set import TestSet, as_test_set
from truebleu.counts.counting import count_texts
from truebleu.counts.inputs import count_benchmarks, holds_benchmarks
from truebleu.counts.saved import find_counts
from truebleu.errors import MalformedFileError, SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.corpus.tables import Table
    from truebleu.counts.counts import Counts
    from truebleu.metrics.registry import MetricsLike

__all__ = ["read_panel"]

# Roles of the files in a test set's folder, by the beginning of their names.
BEGINNINGS = {"ref": "reference", "src": "source", "source": "source", "doc": "documents"}
OUTPUTS = ("sys", "systems", "outputs", "hyp")
LONG = ("test_set", "system", "output", "reference")
EXPECTED = f"a folder of test sets, saved counts, or a table with the columns {', '.join(LONG)}"


def read_panel(
    paths: Sequence[str], metrics: MetricsLike | None = None, documents: str | None = None
) -> dict[str, Counts]:
    """Read the test sets of a panel, by name; texts are counted when they are compared.

    Args:
        paths: folders with a folder for every test set, folders of one test set, saved counts, or
            long tables with the texts; or scores of items, such as the output of a harness.
        metrics: names or objects. Default: BLEU, the scores of items, or all of saved counts.
        documents: field of scored items that tells which belong together.
    """
    schema.require_type("paths", paths, Iterable, "folders or files")
    if holds_benchmarks(paths) and not any(map(_is_long_table, paths)):
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


def _is_long_table(path: str) -> bool:
    if os.path.isdir(path):
        return False
    table = parse_table(path, Files().contents(path))
    return table is not None and all(map(table.has, LONG))


def _test_sets(path: str, metrics: MetricsLike | None) -> Iterator[tuple[str, TestSet | Counts]]:
    if os.path.isdir(path):
        yield from _of_folder(path, metrics)
        return
    saved = find_counts(path, metrics)
    if saved is not None:
        yield stem(path), saved
        return
    table = parse_table(path, Files().contents(path))
    if table is not None and all(map(table.has, LONG)):
        yield from _of_long_table(table)
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


def _of_long_table(table: Table) -> Iterator[tuple[str, TestSet]]:
    """Yield the test sets of a table with a row per test set, system and segment.

    Segments pair by the column `segment`, or else by order.
    """
    sets: dict[str, list[int]] = defaultdict(list)
    for row, name in enumerate(table.labels("test_set")):
        sets[name].append(row)
    for name, rows in sets.items():
        part = table.only(rows)
        references = part.select("reference", "reference")
        outputs = part.select("system", "output")
        if len(outputs) == 1:
            outputs = [outputs[0]._replace(name=part.labels("system")[0])]
        texts, _ = align([*references, *outputs], references=1)
        layout = merged([text.layout for text in texts])
        for text in texts:
            if absent := absent_segments(text.segments):
                found = f"{len(absent)} segments fewer of {text.name} in {name}"
                expected = "the same segments of every system"
                raise MalformedFileError(table.path, None, found, expected)
        yield (
            name,
            as_test_set(
                {text.name: text.segments for text in texts[1:]},
                texts[0].segments,
                documents=layout.documents,
                domains=layout.domains,
            ),
        )
