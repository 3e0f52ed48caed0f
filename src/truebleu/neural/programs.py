"""Neural metrics by programs of other environments: comet-score, MetricX, bert-score, any command.

Programs get files of distinct texts, one per line. An exit status of 0 is no success: the number of
scores, their texts and their values are checked.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeAlias

from truebleu.errors import RefusedError, shortened
from truebleu.neural.comet import PACKAGES, cure_for
from truebleu.neural.scoring import Engine

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu.neural.scoring import Triple

#: Seconds that a stopped program may take to end.
GRACE = 5.0
# Fields of a triple, as placeholders of a command, and their names in MetricX's files.
_FIELDS = {"source": "source", "output": "hypothesis", "reference": "reference"}
# Line ends, which become blanks in the files of programs.
_BREAKS = re.compile(r"[\r\n]+")


def settings_file() -> Path:
    """Return the path of the file with the user's programs: a line NAME = COMMAND for each."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return Path(base) / "truebleu" / "programs"


def find_program(name: str) -> list[str] | None:
    """Return the user's command for a program such as comet, split into words, or None.

    Raises RefusedError if the command cannot be found.
    """
    origin, file = f"TRUEBLEU_{name.upper()}", settings_file()
    text = os.environ.get(origin, "").strip()
    if not text and file.is_file():
        origin = str(file)
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        commands = {
            key.strip().lower(): value for key, _, value in (x.partition("=") for x in lines)
        }
        text = commands.get(name, "").strip()
    return split_command(origin, text) if text else None


def split_command(origin: str, text: str) -> list[str]:
    """Split a command into words; raises RefusedError if its program cannot be found."""
    try:
        words = shlex.split(text, posix=os.name != "nt")
    except ValueError as error:
        raise RefusedError(f"{origin}: {text!r}: {error}; expected a command") from None
    if not words or shutil.which(words[0]) is None:
        program = words[0] if words else text
        raise RefusedError(f"{origin}: {program}: no such program; is it on the PATH?")
    return words


@lru_cache(maxsize=8)
def program_versions(command: tuple[str, ...], program: str) -> dict[str, str]:
    """Return the versions of COMET's packages in the environment of a command; empty if unknown."""
    at = next((i for i, word in enumerate(command) if os.path.basename(word) == program), None)
    if at is None:
        return {}
    folder = os.path.dirname(command[at])
    code = "import sys, importlib.metadata as m; print([m.version(p) for p in sys.argv[1:]])"
    python = [*command[:at], os.path.join(folder, "python"), "-c", code, *PACKAGES]
    try:
        result = subprocess.run(python, capture_output=True, text=True, check=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return {}
    return dict(zip(PACKAGES, re.findall(r"'([^']+)'", result.stdout), strict=False))


#: Reader of a program's output and of the file that it wrote, or "": each score, with its output if
#: the program names it.
Reader: TypeAlias = Callable[[str, str], Iterable[tuple[str | None, float]]]


def read_lines(output: str, _file: str) -> Iterator[tuple[None, float]]:
    """Read one score on each line."""
    return ((None, float(line)) for line in output.splitlines())


def read_comet_score(_output: str, file: str) -> Iterator[tuple[str, float]]:
    """Read the JSON of comet-score: its only output with more than four decimals."""
    (rows,) = json.loads(file).values()
    return ((row["mt"], float(row["COMET"])) for row in rows)


def read_metricx(_output: str, file: str) -> Iterator[tuple[str, float]]:
    """Read MetricX's JSON Lines."""
    # A line separator such as U+2028 may stand in a text.
    rows = (json.loads(line) for line in file.split("\n") if line)
    return ((row["hypothesis"], float(row["prediction"])) for row in rows)


def read_bert_score(output: str, _file: str) -> Iterator[tuple[None, float]]:
    """Read the F1 of bert-score, the last of three numbers."""
    number = r"(-?[\d.]+|nan)"
    rows = re.finditer(rf"^{number}\t{number}\t{number}\s*$", output, re.MULTILINE)
    return ((None, float(row[3])) for row in rows)


@dataclass
class ProgramEngine(Engine):
    """A program that scores files.

    Attributes:
        name: name of the metric.
        command: words of the command: {source}, {output} and {reference} stand for files of lines,
            {jsonl} for JSON Lines, {scores} for a file to write. Without them, the program gets
            lines of texts separated by tabs.
        identity: names and values of all that a score depends on.
        read: reader of the scores.
    """

    name: str
    command: Sequence[str]
    identity: Mapping[str, str]
    read: Reader = read_lines

    # Each start of a program loads its model again.
    first_block = 2048
    block_seconds = 600.0

    @property
    def cache_identity(self) -> str:
        """All that keys of the cache depend on: also the program and its files as they are."""
        files = (shutil.which(self.command[0]) or "", *self.command[1:])
        states = [(os.stat(f).st_size, os.stat(f).st_mtime_ns) for f in files if os.path.isfile(f)]
        return f"{super().cache_identity}|{self.command}|{states}"

    def score(self, block: Sequence[Triple]) -> list[float]:
        """Write the texts, run the program, and read its scores."""
        columns = {
            field: [_BREAKS.sub(" ", str(text)) for text in texts]
            for field, texts in zip(_FIELDS, zip(*block, strict=True), strict=True)
            if texts[0] is not None
        }
        rows = list(zip(*columns.values(), strict=True))
        keys = [_FIELDS[field] for field in columns]
        files = {field: "\n".join([*texts, ""]) for field, texts in columns.items()}
        files["jsonl"] = "".join(
            f"{json.dumps(dict(zip(keys, row, strict=True)))}\n" for row in rows
        )
        program = os.path.basename(self.command[0])
        with TemporaryDirectory(prefix="truebleu-") as folder:
            for name, text in files.items():
                Path(folder, name).write_bytes(text.encode())
            paths = {f"{{{name}}}": os.path.join(folder, name) for name in (*files, "scores")}
            pattern = re.compile("|".join(map(re.escape, paths)))
            command = [pattern.sub(lambda at: paths[at[0]], word) for word in self.command]
            tabbed = "".join("\t".join(t.replace("\t", " ") for t in row) + "\n" for row in rows)
            output = self._run(command, tabbed if command == list(self.command) else "")
            scores_file = Path(folder, "scores")
            try:
                text = (
                    scores_file.read_text(encoding="utf-8") if paths["{scores}"] in command else ""
                )
                scores = list(self.read(output, text))
            except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
                raise RefusedError(
                    f"{self.name}: the scores of {program} cannot be read: {error}"
                ) from None
        outputs = zip(scores, columns["output"], strict=False)
        for number, ((text_of, _), expected) in enumerate(outputs, start=1):
            if text_of is not None and str(text_of).strip() != expected.strip():
                raise RefusedError(
                    f"{self.name}: score {number} of {program} is of the output "
                    f"{shortened(str(text_of))!r}; expected {shortened(expected)!r}"
                )
        return [score for _, score in scores]

    def _run(self, command: Sequence[str], data: str) -> str:
        """Run a command and return its output; raises RefusedError if it fails."""
        quiet = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONUTF8": "1"}
        pipe, environment = subprocess.PIPE, {**quiet, **os.environ}
        try:
            process = subprocess.Popen(  # noqa: S603
                command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment
            )
        except OSError as error:
            raise RefusedError(f"{self.name}: {command[0]}: {error.strerror}") from None
        with process:
            try:
                streams = process.communicate(data.encode())
            except BaseException:
                # A program such as `uv run` hands the signal on to what it started.
                process.terminate()
                with suppress(subprocess.TimeoutExpired):
                    process.communicate(timeout=GRACE)
                process.kill()
                raise
        output, errors = (stream.decode("utf-8", "replace") for stream in streams)
        if process.returncode == 0:
            return output
        lines = [line.strip() for line in re.split(r"[\r\n]", errors) if line.strip()]
        last = shortened(lines[-1] if lines else "it wrote no message", 200)
        raise RefusedError(
            f"{self.name}: {os.path.basename(command[0])} ended with exit status "
            f"{process.returncode}: {last}{cure_for(errors)}"
        )
