"""Count the files that one has to read to follow a command, and how modules import each other.

    python tools/traced_files.py                             four usual commands
    python tools/traced_files.py -- score -r ref.txt a.txt   one command
    python tools/traced_files.py --imports                   modules, sizes, importers and cycles

A file counts where the body of one of its functions is executed, in any thread. What runs when a
module is imported does not count: neither its own statements nor the bodies of its classes. The
functions that such statements call do count, and files that have no others are marked.
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
import threading
from collections import Counter, defaultdict, deque
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from inspect import CO_OPTIMIZED
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from types import CodeType, FrameType

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
PACKAGE = "truebleu"

# What is traced where no command is given; {set} is a data set.
COMMANDS = {
    "score": "score -r {set}/refA.txt {set}/sys/UF.txt",
    "compare": "compare -r {set}/refA.txt {set}/sys/UF.txt {set}/sys/ICL.txt --replicates 200",
    "study power": "study power -r {set}/refA.txt {set}/sys/UF.txt {set}/sys/ICL.txt --sizes 100 "
    "--samples 5 --replicates 100",
    "agree": "agree -r {set}/refA.txt {set}/sys/Nemo.txt {set}/sys/UEdin.txt "
    "{set}/sys/HuaweiTSC.txt --human {set}/human-mqm.tsv --others ignore -m bleu -m chrf "
    "--replicates 50 --permutations 50",
}
DATA_SET = "wmt21-en-de"

# --------------------------------------------------------------------------------------------------
# Tracing.

#: These are parts of the code around them, though Python may compile them as functions.
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


class Trace:
    """The functions of a package that are executed, told by their code."""

    def __init__(self, folder: Path) -> None:
        self.prefix = f"{folder}{os.sep}"
        self.called: set[CodeType] = set()
        self.called_while_importing: set[CodeType] = set()

    def run(self, arguments: Sequence[str]) -> int:
        """Run ``python -m`` of the package in this process, and give its exit code."""
        sys.argv = [PACKAGE, *arguments]
        code = 0
        threading.setprofile(self._event)
        sys.setprofile(self._event)
        try:
            runpy.run_module(PACKAGE, run_name="__main__", alter_sys=True)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
        return code

    def _event(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code in self.called or not self._counts(code):
            return
        if self._importing(frame):
            self.called_while_importing.add(code)
        else:
            self.called.add(code)

    def _counts(self, code: CodeType) -> bool:
        """Whether this is the body of a function; Python does not optimize modules and classes."""
        return (
            code.co_filename.startswith(self.prefix)
            and bool(code.co_flags & CO_OPTIMIZED)
            and code.co_name not in COMPREHENSIONS
        )

    def _importing(self, frame: FrameType) -> bool:
        """Whether a module that is being imported has called, at whatever remove."""
        caller = frame.f_back
        while caller is not None:
            imported = caller.f_globals.get("__name__") != "__main__"
            if caller.f_code.co_name == "<module>" and imported:
                return True
            caller = caller.f_back
        return False

    def files(self) -> dict[str, tuple[int, bool]]:
        """The functions executed in each file, and whether they were only while importing."""
        functions = Counter(code.co_filename for code in self.called | self.called_while_importing)
        running = {code.co_filename for code in self.called}
        return {
            name.removeprefix(self.prefix): (functions[name], name not in running)
            for name in sorted(functions)
        }


def trace(arguments: Sequence[str]) -> int:
    """Run a command, and list the files that it executed; what it prints is dropped."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        sys.exit(f"{PACKAGE} is not installed")
    traced = Trace(Path(spec.submodule_search_locations[0]))
    errors = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(errors):
        code = traced.run(arguments)
    if code:
        print(f"exit {code}: {errors.getvalue().strip()}")
    files = traced.files()
    functions = sum(count for count, _ in files.values())
    importing = sum(only for _, only in files.values())
    print(f"{len(files)} files ({importing} only while importing), {functions} functions")
    for name, (count, only) in files.items():
        print(f"{count:5}  {name}{'  (while importing)' if only else ''}")
    return code


def trace_all(data: Path, brief: bool) -> int:
    """Trace the usual commands, each in its own process, so that each imports what it needs."""
    failed = 0
    for name, row in COMMANDS.items():
        arguments = shlex.split(row.format(set=shlex.quote(str(data / DATA_SET))))
        process = subprocess.run(
            [sys.executable, __file__, "--", *arguments],
            stdout=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
        failed |= process.returncode
        first, *rest = process.stdout.splitlines() or ["nothing"]
        print("\n".join([f"{name}: {first}", *([] if brief else rest)]))
    return failed


# --------------------------------------------------------------------------------------------------
# Imports.

#: At the top of a module, inside a function, or for types only.
When: TypeAlias = Literal["top", "later", "types"]
SHORT = 60


@dataclass(frozen=True, slots=True)
class Import:
    """A module of the package that is imported, the name taken from it, and what it is called."""

    module: str
    name: str | None
    alias: str
    when: When


@dataclass(frozen=True, slots=True)
class Module:
    """A file of the package."""

    name: str
    initial: bool
    lines: int
    imports: tuple[Import, ...]
    #: The names that its own code uses, apart from importing them.
    used: frozenset[str]


def read_modules(folder: Path) -> dict[str, Module]:
    """All modules of a package that are written in Python."""
    names = {path: _module_name(folder, path) for path in sorted(folder.rglob("*.py"))}
    # A compiled module has no file of Python code, but a stub.
    compiled = {_module_name(folder, path) for path in folder.rglob("*.pyi")}
    known = frozenset(names.values()) | compiled
    modules: dict[str, Module] = {}
    for path, name in names.items():
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        initial = path.stem == "__init__"
        modules[name] = Module(
            name=name,
            initial=initial,
            lines=len(source.splitlines()),
            imports=tuple(
                imported
                for imported in _imports(tree, "top", name if initial else _parent(name), known)
                if imported.module not in compiled
            ),
            used=frozenset(
                node.id
                for node in ast.walk(tree)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            ),
        )
    return modules


def _module_name(folder: Path, path: Path) -> str:
    parts = path.relative_to(folder.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _parent(name: str) -> str:
    return name.rpartition(".")[0]


def _imports(tree: ast.AST, when: When, package: str, known: frozenset[str]) -> Iterator[Import]:
    """The imports of modules of the package, at any depth of the code."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name in known:
                    yield Import(one.name, None, one.asname or one.name.split(".")[0], when)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            for one in node.names:
                alias = one.asname or one.name
                if f"{base}.{one.name}" in known:
                    yield Import(f"{base}.{one.name}", None, alias, when)
                elif base in known:
                    yield Import(base, one.name, alias, when)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _imports(node, "types" if when == "types" else "later", package, known)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            body = ast.Module(body=node.body, type_ignores=[])
            otherwise = ast.Module(body=node.orelse, type_ignores=[])
            yield from _imports(body, "types", package, known)
            yield from _imports(otherwise, when, package, known)
        else:
            yield from _imports(node, when, package, known)


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    base = parts[: len(parts) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def importers(modules: Mapping[str, Module]) -> dict[str, set[str]]:
    """Who imports each module, without __init__.py where it only hands names on.

    Who imports a name that an __init__.py hands on, imports the module that the name is from.
    """
    found: dict[str, set[str]] = {name: set() for name in modules}
    for module in modules.values():
        for one in module.imports:
            if not (module.initial and one.alias not in module.used):
                found[_origin(modules, one)].add(module.name)
    return found


def _origin(modules: Mapping[str, Module], one: Import) -> str:
    """The module that an imported name is from."""
    module = modules[one.module]
    if module.initial and one.name is not None:
        for inner in module.imports:
            if inner.alias == one.name and inner.module != module.name:
                return _origin(modules, inner)
    return one.module


def cycles(modules: Mapping[str, Module], kinds: Iterable[When]) -> list[list[str]]:
    """A shortest cycle through each module that is on one; each cycle once, the shortest first."""
    wanted = set(kinds)
    graph = {
        name: sorted(
            {one.module for one in module.imports if one.when in wanted and one.module != name}
        )
        for name, module in modules.items()
    }
    found: dict[frozenset[str], list[str]] = {}
    for name in graph:
        cycle = _shortest_cycle(graph, name)
        if cycle:
            found.setdefault(frozenset(cycle), cycle)
    return sorted(found.values(), key=lambda cycle: (len(cycle), cycle))


def _shortest_cycle(graph: Mapping[str, Sequence[str]], start: str) -> list[str]:
    """The shortest way from a module back to itself; empty where there is none."""
    queue = deque([[start]])
    seen: set[str] = set()
    while queue:
        way = queue.popleft()
        for following in graph[way[-1]]:
            if following == start:
                return way
            if following not in seen:
                seen.add(following)
                queue.append([*way, following])
    return []


def report_imports(folder: Path) -> None:
    """Print the sizes of modules, those with one importer, the short ones and the cycles."""
    modules = read_modules(folder)
    initial = [module for module in modules.values() if module.initial]
    lines = sum(module.lines for module in modules.values())
    print(
        f"{len(modules)} modules ({len(initial)} of them __init__.py), {lines} lines, "
        f"{lines / len(modules):.0f} on average"
    )
    by_importer: dict[str, list[str]] = defaultdict(list)
    for name, who in importers(modules).items():
        if len(who) == 1 and not modules[name].initial:
            by_importer[next(iter(who))].append(name)
    count = sum(map(len, by_importer.values()))
    print(f"\n{count} modules are imported by one other module only:")
    for importer, imported in sorted(by_importer.items()):
        print(f"  {_short(importer)} ← {', '.join(map(_short, imported))}")
    small = [one for one in modules.values() if one.lines < SHORT and not one.initial]
    smallest = sum(module.lines < SHORT for module in initial)
    print(
        f"\n{len(small)} modules have less than {SHORT} lines, apart from {smallest} __init__.py:"
    )
    for module in sorted(small, key=lambda module: (module.lines, module.name)):
        print(f"{module.lines:5}  {_short(module.name)}")
    running = cycles(modules, ("top", "later"))
    print(f"\n{len(cycles(modules, ('top',)))} import cycles at the top of modules")
    print(f"{len(running)} with imports inside functions")
    everything = cycles(modules, ("top", "later", "types"))
    print(f"{len(everything)} with imports for types as well:")
    for cycle in everything:
        print(f"  {' → '.join(map(_short, [*cycle, cycle[0]]))}")


def _short(name: str) -> str:
    return re.sub(rf"^{PACKAGE}\.", "", name)


# --------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--imports", action="store_true", help="report on imports instead")
    parser.add_argument(
        "--package",
        type=Path,
        default=ROOT / "src" / PACKAGE,
        help="with --imports: the folder of the package (%(default)s)",
    )
    parser.add_argument("--data", type=Path, default=DATA, help="the data sets (%(default)s)")
    parser.add_argument("--brief", action="store_true", help="the usual commands' counts only")
    parser.add_argument("command", nargs="*", help="a command and its arguments, after --")
    options = parser.parse_args(arguments)
    if options.imports:
        report_imports(options.package)
        return 0
    if options.command:
        return trace(options.command)
    return trace_all(options.data, options.brief)


if __name__ == "__main__":
    sys.exit(main())
