"""Panels from files: a folder per test set, statistics files, a manifest, or one long table."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING

from truebleu._settings import checked
from truebleu.corpus._files import Files, stem
from truebleu.corpus._reading import read_test_set
from truebleu.corpus._tables import parse_table
from truebleu.corpus.test_set import as_test_set
from truebleu.errors import MalformedFileError, SettingError
from truebleu.metrics.statistics_files import SavedTestSet, find_statistics, read_all_statistics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.corpus._tables import Table
    from truebleu.corpus.test_set import TestSet

__all__ = ["read_panel"]

# What files of a test set's folder are, by how their names begin.
BEGINNINGS = {"ref": "reference", "src": "source", "source": "source", "doc": "documents"}
OUTPUTS = ("sys", "systems", "outputs", "hyp")
ROLES = ("system", "reference", "source", "documents", "statistics")
MANIFEST = ("test_set", "role", "path")
LONG = ("test_set", "system", "output", "reference")
EXPECTED = (
    "a folder of test sets, a statistics file, or a table with the columns "
    f"{', '.join(MANIFEST)} or {', '.join(LONG)}"
)


@checked
def read_panel(paths: Sequence[str]) -> dict[str, TestSet]:
    """Read the test sets of a panel, by their names.

    Args:
        paths: each a folder with a folder for every test set, the folder of one, a statistics file,
            or a table: a manifest that names files, or a long one that has the texts.
    """
    panel: dict[str, TestSet] = {}
    for path in paths:
        for name, test_set in _test_sets(path):
            if name in panel:
                raise SettingError("test set", name, "a different name for each")
            panel[name] = test_set
    return panel


def _test_sets(path: str) -> Iterator[tuple[str, TestSet]]:
    if os.path.isdir(path):
        yield from _of_folder(path)
        return
    saved = find_statistics(path)
    if saved is not None:
        yield stem(path), SavedTestSet.of(saved)
        return
    table = parse_table(path, Files().contents(path))
    if table is not None and all(map(table.has, LONG)):
        yield from _of_long_table(table)
    elif table is not None and all(map(table.has, MANIFEST)):
        yield from _of_manifest(table)
    else:
        raise MalformedFileError(path, None, "something else", EXPECTED)


# Folders.


def _of_folder(folder: str) -> Iterator[tuple[str, TestSet]]:
    """The test set of a folder, or those of the folders and statistics files in it."""
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
        elif (saved := find_statistics(path)) is not None:
            count += 1
            yield stem(path), SavedTestSet.of(saved)
    if not count:
        expected = "folders with a reference (ref*) and outputs, or statistics files"
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


def _only(where: str, role: str, files: Sequence[str]) -> str | None:
    if len(files) > 1:
        raise SettingError(role, f"{len(files)} files in {where}", "one at most")
    return files[0] if files else None


# Tables.


def _rows(table: Table, names: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The number of each row, and its values as text."""
    columns = {name: table.values(name) for name in names if table.has(name)}
    for row, values in enumerate(zip(*columns.values(), strict=True)):
        cells = dict(zip(columns, values, strict=True))
        empty = next((name for name, value in cells.items() if value is None), None)
        if empty is not None:
            raise MalformedFileError(table.path, table.line(row), f"no {empty}", "a value")
        yield row, {name: str(value) for name, value in cells.items()}


def _of_manifest(table: Table) -> Iterator[tuple[str, TestSet]]:
    """Files by test set and role; paths are relative to the manifest."""
    folder = os.path.dirname(table.path)
    sets: dict[str, dict[str, list[str]]] = {}
    for row, cells in _rows(table, (*MANIFEST, "name")):
        if cells["role"] not in ROLES:
            expected = f"one of {', '.join(ROLES)}"
            found = f"the role {cells['role']!r}"
            raise MalformedFileError(table.path, table.line(row), found, expected)
        path = os.path.join(folder, cells["path"])
        if cells["role"] == "system" and cells.get("name"):
            path = f"{cells['name']}={path}"
        roles = sets.setdefault(cells["test_set"], {role: [] for role in ROLES})
        roles[cells["role"]].append(path)
    for name, files in sets.items():
        if files["statistics"]:
            if any(files[role] for role in ROLES if role != "statistics"):
                raise SettingError("test set", name, "texts or statistics, not both")
            saved = [one for path in files["statistics"] for one in read_all_statistics(path)]
            yield name, SavedTestSet.of(saved)
            continue
        yield (
            name,
            read_test_set(
                files["system"],
                files["reference"],
                source=_only(name, "source", files["source"]),
                documents=_only(name, "documents", files["documents"]),
            ),
        )


def _of_long_table(table: Table) -> Iterator[tuple[str, TestSet]]:
    """A row per test set, system and segment; segments pair by `segment`, or else by order."""
    sets: dict[str, dict[str, dict[str, dict[str, str]]]] = {}
    for row, cells in _rows(table, (*LONG, "segment", "document", "domain")):
        systems = sets.setdefault(cells["test_set"], {})
        segments = systems.setdefault(cells["system"], {})
        key = cells.get("segment", str(len(segments) + 1))
        if key in segments:
            found = f"segment {key} of {cells['system']} in {cells['test_set']} twice"
            raise MalformedFileError(table.path, table.line(row), found, "each segment once")
        segments[key] = cells
        known = next(iter(systems.values()))
        for name in ("reference", "document", "domain"):
            if key in known and known[key].get(name) != cells.get(name):
                found = f"another {name} of segment {key} in {cells['test_set']}"
                expected = f"that of {known[key]['system']}"
                raise MalformedFileError(table.path, table.line(row), found, expected)
    for name, systems in sets.items():
        (first, segments), *others = systems.items()
        for system, cells_of in others:
            if cells_of.keys() != segments.keys():
                found = f"{len(cells_of)} segments of {system} in {name}"
                expected = f"the {len(segments)} that {first} has"
                raise MalformedFileError(table.path, None, found, expected)

        def labels(column: str) -> list[str] | None:
            return [row[column] for row in segments.values()] if table.has(column) else None  # noqa: B023

        yield (
            name,
            as_test_set(
                {
                    system: [cells_of[key]["output"] for key in segments]
                    for system, cells_of in systems.items()
                },
                [row["reference"] for row in segments.values()],
                documents=labels("document"),
                domains=labels("domain"),
            ),
        )
