"""Neural metrics by programs of other environments: comet-score, MetricX, bert-score, any command.

Programs get files of distinct texts, one per line. An exit status of 0 is no success: the number of
scores, the texts beside them and the values are checked.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from truebleu.errors import RefusedError, shortened
from truebleu.neural.comet import PACKAGES, cure_for
from truebleu.neural.scoring import Engine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.neural.hub import Checkpoint
    from truebleu.neural.score_cache import Triple

#: Seconds that a stopped program may take to end.
GRACE = 5.0
# Fields of a triple, as placeholders of a command.
_FIELDS = ("source", "output", "reference")
# What ends a line in a program's file.
_BREAKS = re.compile(r"[\r\n]+")


def settings_file() -> Path:
    """Return the path of the file with the user's programs: a line NAME = COMMAND for each."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return Path(base) / "truebleu" / "programs"


def find_program(name: str) -> list[str] | None:
    """Return the user's command for a program such as comet, split into words, or None.

    Raises RefusedError if the command cannot be found.
    """
    variable = f"TRUEBLEU_{name.upper()}"
    origin, text = variable, os.environ.get(variable, "")
    if not text and (file := settings_file()).is_file():
        origin = str(file)
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition("=")
            if key.strip().lower() == name:
                text = value.strip()
    return split_command(origin, text) if text.strip() else None


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
def _versions(command: tuple[str, ...], program: str, packages: tuple[str, ...]) -> dict[str, str]:
    """Return the versions of packages in the environment of a command, as far as they are known."""
    at = next((i for i, word in enumerate(command) if os.path.basename(word) == program), None)
    if at is None:
        return {}
    folder = os.path.dirname(command[at])
    code = "import sys, importlib.metadata as m; print([m.version(p) for p in sys.argv[1:]])"
    python = [*command[:at], os.path.join(folder, "python"), "-c", code, *packages]
    try:
        result = subprocess.run(python, capture_output=True, text=True, check=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return {}
    return dict(zip(packages, re.findall(r"'([^']+)'", result.stdout), strict=False))


class _Job(NamedTuple):
    """Files for a program, with their texts.

    Attributes:
        folder: folder of the files.
        files: file of each field that the program reads.
        texts: source, output and reference of each line.
    """

    folder: Path
    files: Mapping[str, Path]
    texts: Sequence[tuple[str | None, ...]]


class ProgramEngine(Engine):
    """A program that scores files.

    Args:
        name: name of the metric.
        command: command of the user, split into words.
        identity: names and values of all that a score depends on.
    """

    # Each start of a program loads its model again.
    first_block, block_seconds = 2048, 600.0

    def __init__(self, name: str, command: Sequence[str], identity: Mapping[str, str]) -> None:
        self.name, self.command, self.identity = name, list(command), identity

    @property
    def cache_identity(self) -> str:
        """All that keys of the cache depend on: also the program and its files as they are."""
        files = [shutil.which(self.command[0]) or "", *self.command[1:]]
        states = [
            (f, os.stat(f).st_size, os.stat(f).st_mtime_ns) for f in files if os.path.isfile(f)
        ]
        return f"{super().cache_identity}|{self.command}|{states}"

    def score(self, block: Sequence[Triple]) -> list[float]:
        """Write the texts, run the program, and read its scores."""
        with TemporaryDirectory(prefix="truebleu-") as folder:
            texts = [tuple(None if t is None else _one_line(t) for t in triple) for triple in block]
            files: dict[str, Path] = {}
            for name, column in zip(_FIELDS, zip(*texts, strict=True), strict=True):
                if column[0] is not None:
                    files[name] = Path(folder, f"{name}.txt")
                    lines = "".join(f"{text}\n" for text in column)
                    files[name].write_bytes(lines.encode())
            return self.score_files(_Job(Path(folder), files, texts))

    def score_files(self, job: _Job) -> list[float]:
        """Return the scores of files; without placeholders, texts go to standard input."""
        words = [word for word in self.command if any(f"{{{field}}}" in word for field in _FIELDS)]
        command, data = self.command, b""
        if words:
            paths = {f"{{{field}}}": str(file) for field, file in job.files.items()}
            pattern = re.compile("|".join(map(re.escape, paths)))
            command = [pattern.sub(lambda at: paths[at[0]], word) for word in command]
        else:
            rows = ([t.replace("\t", " ") for t in row if t is not None] for row in job.texts)
            data = "".join("\t".join(row) + "\n" for row in rows).encode()
        scores = []
        for number, line in enumerate(self.run(command, data).splitlines(), start=1):
            try:
                scores.append(float(line))
            except ValueError:
                raise RefusedError(
                    f"{self.name}: line {number} of the program's output: {shortened(line)!r}; "
                    "expected a score on each line"
                ) from None
        return scores

    def run(self, command: Sequence[str], data: bytes = b"") -> str:
        """Run a command and return its output; raises RefusedError if it fails."""
        quiet = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONUTF8": "1"}
        environment = {**quiet, **os.environ}
        try:
            pipe = subprocess.PIPE
            process = subprocess.Popen(  # noqa: S603
                command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment
            )
        except OSError as error:
            raise RefusedError(f"{self.name}: {command[0]}: {error.strerror}") from None
        try:
            output, error_output = process.communicate(data)
        except BaseException:
            # A program such as `uv run` hands the signal on to what it started.
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=GRACE)
            process.kill()
            process.communicate()
            raise
        errors = error_output.decode("utf-8", "replace")
        if process.returncode != 0:
            lines = [line.strip() for line in re.split(r"[\r\n]", errors) if line.strip()]
            last = shortened(lines[-1] if lines else "it wrote no message", 200)
            raise RefusedError(
                f"{self.name}: {os.path.basename(command[0])} ended with exit status "
                f"{process.returncode}: {last}{cure_for(errors)}"
            )
        return output.decode("utf-8", "replace")

    def read(self, file: Path) -> str:
        """Read a file that the program should have written; raises RefusedError without it."""
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            program = os.path.basename(self.command[0])
            raise RefusedError(f"{self.name}: {program} wrote no scores into {file.name}") from None

    def checked(self, scores: Sequence[tuple[object, float]], job: _Job) -> list[float]:
        """Return scores; raises RefusedError unless they stand beside the texts of the job."""
        for number, ((text, _), row) in enumerate(zip(scores, job.texts, strict=False), start=1):
            output = str(row[1]).strip()
            if str(text).strip() != output:
                raise RefusedError(
                    f"{self.name}: the program's score {number} is of the output "
                    f"{shortened(str(text))!r}; expected {shortened(output)!r}"
                )
        return [score for _, score in scores]


class CometProgram(ProgramEngine):
    """The program comet-score, which computes in half precision since its version 2.2.5."""

    def __init__(
        self, name: str, command: Sequence[str], checkpoint: Checkpoint, device: str, batch: int
    ) -> None:
        versions = _versions(tuple(command), "comet-score", PACKAGES)
        known = re.match(r"(\d+)\.(\d+)\.(\d+)", versions.get("unbabel-comet", ""))
        is_old = known is not None and tuple(map(int, known.groups())) < (2, 2, 5)
        self.precision = "single" if is_old else "half"
        identity = {
            "model": checkpoint.name,
            "rev": checkpoint.revision[:12],
            "prec": self.precision,
            **(versions or {"unbabel-comet": "unknown"}),
            "device": device,
            "batch": str(batch),
            "by": "comet-score",
        }
        gpus = "0" if device == "cpu" else "1"
        options = ["--model", str(checkpoint.path), "--batch_size", str(batch), "--gpus", gpus]
        super().__init__(name, [*command, *options, "--quiet", "--only_system"], identity)

    def score_files(self, job: _Job) -> list[float]:
        """Return the scores in the JSON of comet-score."""
        flags = {"source": "-s", "output": "-t", "reference": "-r"}
        options = [word for name, file in job.files.items() for word in (flags[name], str(file))]
        result = job.folder / "scores.json"
        self.run([*self.command, *options, "--to_json", str(result)])
        text = self.read(result)
        try:
            (rows,) = json.loads(text).values()
            scores = [(row["mt"], float(row["COMET"])) for row in rows]
        except (ValueError, LookupError, TypeError, AttributeError):
            raise RefusedError(f"{self.name}: comet-score wrote JSON in another layout") from None
        return self.checked(scores, job)


class MetricXProgram(ProgramEngine):
    """MetricX's predict module, which reads and writes JSON Lines."""

    def score_files(self, job: _Job) -> list[float]:
        """Return the predictions in the program's output file."""
        names = ("source", "hypothesis", "reference")
        rows = [
            {name: text for name, text in zip(names, row, strict=True) if text is not None}
            for row in job.texts
        ]
        given, result = job.folder / "in.jsonl", job.folder / "out" / "scores.jsonl"
        result.parent.mkdir()
        given.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        paths = ["--input_file", str(given), "--output_file", str(result)]
        self.run([*self.command, *paths])
        text = self.read(result)
        try:
            # A line separator such as U+2028 may stand in a text.
            found = [json.loads(line) for line in text.split("\n") if line]
            scores = [(row["hypothesis"], float(row["prediction"])) for row in found]
        except (ValueError, LookupError, TypeError):
            raise RefusedError(f"{self.name}: the program wrote JSON in another layout") from None
        return self.checked(scores, job)


class BertScoreProgram(ProgramEngine):
    """The program bert-score, which prints P, R and F1 for each segment with -s."""

    def score_files(self, job: _Job) -> list[float]:
        """Return the F1 in the program's output."""
        paths = ["-r", str(job.files["reference"]), "-c", str(job.files["output"]), "-s"]
        output = self.run([*self.command, *paths])
        number = r"(-?[\d.]+|nan)"
        rows = re.findall(rf"^{number}\t{number}\t{number}\s*$", output, re.MULTILINE)
        return [float(row[2]) for row in rows]


def _one_line(text: str) -> str:
    """Replace what would end a line by a blank."""
    return _BREAKS.sub(" ", text)


def command_digest(text: str) -> str:
    """Return a short hash of a command, for signatures, which hold no commands."""
    return sha256(text.encode()).hexdigest()[:12]
