"""Imports between the modules of a package, and their cycles."""

from __future__ import annotations

import ast
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Set
    from pathlib import Path


def read_imports(folder: Path) -> dict[str, set[str]]:
    """Map each module of a package to the modules of the package that it imports.

    Imports inside functions and for types count too; those of a compiled module do not.
    """
    names = {path: _module_name(folder, path) for path in sorted(folder.rglob("*.py"))}
    # A compiled module has no Python file, but a stub.
    compiled = {_module_name(folder, path) for path in folder.rglob("*.pyi")}
    known = compiled.union(names.values())
    imports: dict[str, set[str]] = {}
    for path, name in names.items():
        package = name if path.stem == "__init__" else name.rpartition(".")[0]
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imports[name] = set(_imported(tree, package, known)) - compiled
    return imports


def _module_name(folder: Path, path: Path) -> str:
    parts = path.relative_to(folder.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(tree: ast.Module, package: str, known: Set[str]) -> Iterator[str]:
    """Yield the known modules that a module imports, at any depth of the code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from {alias.name for alias in node.names} & known
        elif isinstance(node, ast.ImportFrom):
            base = _absolute_name(node, package)
            for alias in node.names:
                module = f"{base}.{alias.name}"
                yield from {module if module in known else base} & known


def _absolute_name(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [node.module])])


def import_cycles(imports: Mapping[str, Set[str]]) -> list[list[str]]:
    """Find a shortest cycle through each module that is on one; each cycle once."""
    cycles: dict[frozenset[str], list[str]] = {}
    for name in imports:
        cycle = _shortest_cycle(imports, name)
        if cycle:
            cycles.setdefault(frozenset(cycle), cycle)
    return sorted(cycles.values(), key=lambda cycle: (len(cycle), cycle))


def _shortest_cycle(imports: Mapping[str, Set[str]], start: str) -> list[str]:
    """Return the shortest path from a module back to itself; empty if there is none."""
    queue = deque([[start]])
    seen: set[str] = set()
    while queue:
        path = queue.popleft()
        for name in sorted(imports[path[-1]] - {path[-1]}):
            if name == start:
                return path
            if name not in seen:
                seen.add(name)
                queue.append([*path, name])
    return []
