"""Check that a change of the code leaves every number of the command line as it was.

    python -m tools.same_digits record BEFORE
    (change the code)
    python -m tools.same_digits record AFTER
    python -m tools.same_digits compare BEFORE AFTER

`record` runs the commands and calls of tools/digit_cases.py on public data, and writes what each
one printed to DIR/NAME.json. `compare` requires equal numbers, not equal keys: results may be
renamed and rearranged. It exits with 1 if a number is lost.

If options are renamed, edit the table; a case keeps its name, by which the two sides are paired.

"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import isclose, isnan
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from tools.digit_cases import CALLS, CASES, FOLDERS, PLAIN, SHORT, SYSTEMS, write_inputs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Number: TypeAlias = int | float
Scalar: TypeAlias = Number | str | None
Json: TypeAlias = "Scalar | list[Json] | dict[str, Json]"
#: Keys and indices that lead to a value.
Place: TypeAlias = tuple[str | int, ...]
#: Keys, with [] for every index.
Shape: TypeAlias = tuple[str, ...]

DATA = Path(__file__).parents[2] / "shared" / "data"

# --------------------------------------------------------------------------------------------------
# Recording.

TIMEOUT = 300
CALL = Path(__file__).with_name("digit_calls.py")
#: Files of these kinds in $out are recorded as well.
TEXT_FILES = (".json", ".tsv", ".txt")


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs cases with a command, calls with a Python, on data."""

    command: Sequence[str]
    python: str
    data: Path
    made: Path

    def record(self, name: str, scratch: Path) -> dict[str, Json]:
        """Return what a case printed and wrote, with folders replaced by names of the table."""
        out = scratch / name
        out.mkdir(parents=True)
        if name in CALLS:
            verb, arguments = CALLS[name]
            row = f"{verb} {json.dumps(arguments)}"
            made = str(self.made)
            steps = [[self.python, str(CALL), verb, json.dumps(arguments), made]]
        else:
            row = CASES[name]
            steps = [[*self.command, *step] for step in self._steps(row, out)]
        environment = {**os.environ, "TRUEBLEU_THREADS": "1", "PYTHONHASHSEED": "0"}
        for step in steps:
            process = subprocess.run(
                step,
                capture_output=True,
                encoding="utf-8",
                env=environment,
                timeout=TIMEOUT,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        folders = {str(out): "$out", str(self.made): "$made", str(self.data): "$data"}
        return {
            "case": name,
            "arguments": row,
            "exit": process.returncode,
            "output": _parsed(_without(process.stdout, folders)),
            "files": {
                path.relative_to(out).as_posix(): _parsed(
                    _without(path.read_text("utf-8"), folders)
                )
                for path in sorted(out.rglob("*"))
                if path.suffix in TEXT_FILES
            },
            "errors": list(_without(process.stderr, folders).splitlines()),
        }

    def _steps(self, row: str, out: Path) -> list[list[str]]:
        """Split a row into the arguments of its commands."""
        values = {name: shlex.quote(str(self.data / folder)) for name, folder in FOLDERS.items()}
        values |= {"made": shlex.quote(str(self.made)), "out": shlex.quote(str(out)), **SHORT}
        for group, (stem, names) in SYSTEMS.items():
            files = (f"{stem}{name}.txt" for name in names.split())
            values[group] = Template(" ".join(files)).substitute(values)
        steps: list[list[str]] = [[]]
        for argument in shlex.split(Template(row).substitute(values)):
            if argument == "&&":
                steps.append([])
            else:
                steps[-1].append(argument)
        for step in steps:
            if step[0] not in PLAIN and "-f" not in step:
                step += ["-f", "json"]
        return steps


def _without(text: str, folders: Mapping[str, str]) -> str:
    for folder, name in folders.items():
        text = text.replace(folder, name)
    return text


def _parsed(text: str) -> Json:
    """Parse JSON, or else split into lines; numbers between tabs become numbers."""
    try:
        parsed: Json = json.loads(text)
    except ValueError:
        rows = (line.split("\t") for line in text.splitlines())
        return [_cell(row[0]) if len(row) == 1 else [_cell(cell) for cell in row] for row in rows]
    return parsed


def _cell(text: str) -> Scalar:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def record(options: argparse.Namespace) -> int:
    """Run the cases and write a file for each; return 1 if one could not be run."""
    chosen = [
        name
        for name in (*CASES, *CALLS)
        if not options.only or any(part in name for part in options.only)
    ]
    started = monotonic()
    failed = 0
    options.folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        command = shlex.split(options.command)
        python = options.python or str(Path(command[0]).with_name("python"))
        runner = Runner(command, python, options.data, Path(scratch) / "made")
        write_inputs(options.data, runner.made)

        def run(name: str) -> tuple[str, dict[str, Json], float]:
            begun = monotonic()
            return name, runner.record(name, Path(scratch)), monotonic() - begun

        for name, recorded, seconds in pool.map(run, chosen):
            (options.folder / f"{name}.json").write_text(
                json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
            )
            if recorded["exit"] not in _exits(name):
                failed += 1
                print(f"{name}: exit {recorded['exit']}\n  {_last(recorded['errors'])}")
            elif options.times:
                print(f"{seconds:6.2f} s  {name}")
    print(f"{len(chosen)} cases, {failed} failed, {monotonic() - started:.0f} s")
    return 1 if failed else 0


def _exits(name: str) -> tuple[int, ...]:
    """Return what a case may exit with: 1 is a gate's no, 2 a refusal."""
    if name.startswith("refused"):
        return (2,)
    return (0, 1) if name.startswith("gate") else (0,)


def _last(lines: Json) -> str:
    return str(lines[-1]) if isinstance(lines, list) and lines else ""


# --------------------------------------------------------------------------------------------------
# Comparing.

TOLERANCE = 1e-12
#: Values that may differ between versions.
PASSING = re.compile(r"version:[^|\s\"]+|sha256:[0-9a-f]+|\b\d+\.\d+\.\d+\S*|\b[0-9a-f]{32,}\b")
DECIMAL = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[+-]?\d+)?", re.IGNORECASE)
#: Keys whose values say which version wrote a file.
VERSIONS = ("version", "$schema")
SHOWN = 8


@dataclass(slots=True)
class Difference:
    """Differences between the numbers of a case."""

    renames: list[str] = field(default_factory=list)
    #: Numbers that are found again, but under another key or in another order.
    moved: int = 0
    #: Places that hold another number, or another yes or no, than before.
    changed: list[str] = field(default_factory=list)
    disappeared: list[Number] = field(default_factory=list)
    #: Numbers that occur less often than before.
    fewer: list[Number] = field(default_factory=list)
    appeared: list[Number] = field(default_factory=list)
    #: Integers, such as settings and counts, that disappeared with their keys.
    whole_disappeared: list[Number] = field(default_factory=list)
    wording: int = 0

    @property
    def lost(self) -> bool:
        """True if a number was lost."""
        return bool(self.changed or self.disappeared)

    def heading(self) -> str:
        """Return a summary in a few words."""
        if self.lost:
            return "NUMBERS DISAPPEARED" if self.disappeared else "NUMBERS CHANGED"
        if self.fewer:
            return "numbers occur less often"
        if self.renames:
            return "same numbers, keys renamed"
        if self.moved or self.whole_disappeared:
            return "same numbers, rearranged"
        if self.appeared:
            return "same numbers and more"
        return "same numbers, other words" if self.wording else "identical"

    def details(self, everything: bool) -> Iterator[str]:
        """Return lines with details."""
        for label, found in (
            ("renamed", self.renames),
            ("changed", self.changed),
            ("disappeared", self.disappeared),
            ("less often", self.fewer),
            ("appeared", self.appeared),
            ("whole numbers gone", self.whole_disappeared),
        ):
            if found:
                shown = [str(one) for one in (found if everything else found[:SHOWN])]
                rest = f" … and {len(found) - len(shown)} more" if len(found) > len(shown) else ""
                yield f"{label}: {'; '.join(shown)}{rest}"
        if self.moved:
            yield f"moved: {self.moved} numbers"
        if self.wording:
            yield f"other words in {self.wording} places"


def difference(before: Json, after: Json) -> Difference:
    """Compare the numbers of two documents, first at equal places, then anywhere."""
    result = Difference()
    old, new = dict(_flat(before)), dict(_flat(after))
    everything = list(_numbers(new.values()))
    rigid = old.keys() == new.keys()
    for place in [place for place in old if place in new and _same(old[place], new[place])]:
        del old[place], new[place]
    reworded = [
        place
        for place, text in old.items()
        if isinstance(text, str) and isinstance(new.get(place), str)
    ]
    result.wording = len(reworded)
    for place in reworded:
        if list(_numbers([old[place]])) == list(_numbers([new[place]])):
            del old[place], new[place]
    result.renames = _match_renamed(old, new)
    numbers = list(_numbers(old.values()))
    gone, result.appeared = _unmatched(numbers, _numbers(new.values()))
    result.moved = len(numbers) - len(gone)
    for number in gone:
        if isinstance(number, int):
            result.whole_disappeared.append(number)
        elif any(_close(number, other) for other in everything):
            result.fewer.append(number)
        else:
            result.disappeared.append(number)
    grown = _lengths(before).items() ^ _lengths(after).items()
    lists = {place for place, _ in grown}
    for place in (place for place in old if place in new):
        a, b = old[place], new[place]
        if a is None or isinstance(a, str) or isinstance(b, str):
            continue
        # Places in a list that lost or gained entries do not correspond.
        shifted = any(place[:end] in lists for end in range(len(place)))
        if rigid or ((isinstance(a, bool) or a in gone) and not shifted):
            result.changed.append(f"{_spelled(place)}: {a} → {b}")
    return result


def _lengths(value: Json, place: Place = ()) -> dict[Place, int]:
    """Return the length of each list."""
    lengths: dict[Place, int] = {}
    if isinstance(value, list):
        lengths[place] = len(value)
    inner = value.items() if isinstance(value, dict) else enumerate(_entries(value))
    for key, entry in inner:
        lengths |= _lengths(entry, (*place, key))
    return lengths


def _entries(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _flat(value: Json, place: Place = ()) -> Iterator[tuple[Place, Scalar]]:
    """Return every value with its place, without values that depend on the version."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in VERSIONS:
                yield from _flat(inner, (*place, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _flat(inner, (*place, index))
    else:
        yield place, PASSING.sub("", value) if isinstance(value, str) else value


def _is_number(value: Scalar) -> TypeGuard[Number]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(a: Scalar, b: Scalar) -> bool:
    if _is_number(a) and _is_number(b):
        return _close(a, b)
    return type(a) is type(b) and a == b


def _close(a: Number, b: Number) -> bool:
    return a == b or isclose(a, b, rel_tol=TOLERANCE) or (isnan(a) and isnan(b))


def _numbers(values: Iterable[Scalar]) -> Iterator[Number]:
    """Return all numbers in values, and numbers with a decimal point in texts."""
    for value in values:
        if isinstance(value, str):
            yield from map(float, DECIMAL.findall(value))
        elif _is_number(value):
            yield value


def _unmatched(
    before: Iterable[Number], after: Iterable[Number]
) -> tuple[list[Number], list[Number]]:
    """Return the rest of two multisets after pairing equal numbers."""
    left, right = sorted(before, reverse=True), sorted(after, reverse=True)
    gone: list[Number] = []
    appeared: list[Number] = []
    while left and right:
        if _close(left[-1], right[-1]):
            left.pop()
            right.pop()
        elif left[-1] < right[-1]:
            gone.append(left.pop())
        else:
            appeared.append(right.pop())
    return gone + left[::-1], appeared + right[::-1]


def _match_renamed(old: dict[Place, Scalar], new: dict[Place, Scalar]) -> list[str]:
    """Pair remaining keys whose values are all equal, and remove them.

    Among several candidates, the most similar key is chosen.
    """
    before = _by_shape(place for place in old if place not in new)
    after = _by_shape(place for place in new if place not in old)
    candidates = sorted(
        (-_alike(one, other), one, other)
        for one in before
        for other in after
        if len(before[one]) == len(after[other])
        and all(_same(old[a], new[b]) for a, b in zip(before[one], after[other], strict=True))
    )
    renames: set[str] = set()
    for _, one, other in candidates:
        if one in before and other in after:
            for a, b in zip(before.pop(one), after.pop(other), strict=True):
                del old[a], new[b]
            renames.update(_renaming(one, other))
    return sorted(renames)


def _by_shape(places: Iterable[Place]) -> dict[Shape, list[Place]]:
    shapes: dict[Shape, list[Place]] = {}
    for place in places:
        shape = tuple("[]" if isinstance(key, int) else key for key in place)
        shapes.setdefault(shape, []).append(place)
    return shapes


def _alike(one: Shape, other: Shape) -> int:
    """Count the keys that two places share, from either end."""
    start = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    backwards = zip(one[start:][::-1], other[start:][::-1], strict=False)
    end = next(
        (i for i, (a, b) in enumerate(backwards) if a != b),
        min(len(one), len(other)) - start,
    )
    return start + end


def _renaming(one: Shape, other: Shape) -> list[str]:
    """Return the keys in which two equally deep places differ, or else the places."""
    if len(one) == len(other):
        return [f"{a} → {b}" for a, b in zip(one, other, strict=True) if a != b]
    return [f"{_spelled(one)} → {_spelled(other)}"]


def _spelled(place: Place | Shape) -> str:
    return ".".join(map(str, place)).replace(".[]", "[]")


def compare(options: argparse.Namespace) -> int:
    """Compare all cases; return 1 if a case lost a number that it may not lose."""
    before, after = _recorded(options.before), _recorded(options.after)
    headings: Counter[str] = Counter()
    refused = []
    for name in sorted(before.keys() | after.keys()):
        details: list[str] = []
        if name not in after or name not in before:
            heading = "MISSING AFTER" if name not in after else "new case"
            bad = name not in after
        elif before[name]["exit"] != after[name]["exit"]:
            heading, bad = f"EXIT {before[name]['exit']} → {after[name]['exit']}", True
            details = [_last(after[name]["errors"])]
        else:
            found = difference(_answer(before[name]), _answer(after[name]))
            heading, details = found.heading(), list(found.details(options.all))
            bad = found.lost or (bool(found.fewer) and not options.ignore_copies)
        allowed = " (allowed)" if bad and name in options.allow else ""
        headings[heading + allowed] += 1
        if bad and not allowed:
            refused.append(name)
        if heading != "identical" and (bad or not options.quiet):
            print("\n    ".join([f"{name}: {heading}{allowed}", *details]))
    for heading, count in headings.most_common():
        print(f"{count:4}  {heading}")
    return 1 if refused else 0


def _answer(recorded: Mapping[str, Json]) -> Json:
    return {"output": recorded["output"], "files": recorded["files"]}


def _recorded(folder: Path) -> dict[str, dict[str, Json]]:
    files = sorted(folder.glob("*.json"))
    if not files:
        sys.exit(f"{folder}: no recorded cases")
    return {path.stem: json.loads(path.read_text("utf-8")) for path in files}


# --------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    actions = parser.add_subparsers(required=True, metavar="record|compare")
    recording = actions.add_parser("record", help="run all cases, and write down what they print")
    recording.add_argument("folder", type=Path, metavar="DIR")
    recording.add_argument("--data", type=Path, default=DATA, help="the data sets (%(default)s)")
    recording.add_argument(
        "--command",
        default=os.environ.get(
            "SAME_DIGITS_COMMAND", shlex.join([sys.executable, "-m", "truebleu"])
        ),
        help="what to run; default: SAME_DIGITS_COMMAND, or this Python with -m truebleu",
    )
    recording.add_argument(
        "--python", help="what runs the calls; default: the python beside the command"
    )
    recording.add_argument("--jobs", type=int, default=2, help="cases at a time (%(default)s)")
    recording.add_argument(
        "--only", action="append", metavar="PART", help="only cases with this in their names"
    )
    recording.add_argument("--times", action="store_true", help="say how long each case takes")
    recording.set_defaults(action=record)
    comparing = actions.add_parser("compare", help="tell whether the numbers are the same")
    comparing.add_argument("before", type=Path, metavar="BEFORE")
    comparing.add_argument("after", type=Path, metavar="AFTER")
    comparing.add_argument(
        "--allow", action="append", default=[], metavar="CASE", help="a case that may differ"
    )
    comparing.add_argument(
        "--ignore-copies",
        action="store_true",
        help="let numbers occur less often, as long as they occur",
    )
    comparing.add_argument("--all", action="store_true", help="list all numbers, not the first few")
    comparing.add_argument("--quiet", action="store_true", help="list only cases that fail")
    comparing.set_defaults(action=compare)
    options = parser.parse_args(arguments)
    return int(options.action(options))


if __name__ == "__main__":
    sys.exit(main())
