"""The outer loop of tuning: decode, merge the new lists with the earlier ones, tune again.

A folder keeps the files of every round: ``round-01.weights.tsv`` (also ``.json`` and ``.ini``), the
decoder's ``round-01.nbest`` and ``round-01.log``, and ``rounds.jsonl`` with a line for each
finished round. An interrupted loop continues from these files.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from truebleu.corpus._files import write_files
from truebleu.corpus.nbest import NBest  # noqa: TC001  # settings are read from annotations
from truebleu.corpus.nbest_files import read_nbest
from truebleu.errors import DecoderError, SettingError, UnreadableFileError
from truebleu.execution.journal import Runner, Task
from truebleu.nbest.choices import format_weights
from truebleu.nbest.problem import drop_duplicates, merge_lists
from truebleu.schema import Column, Setting, check_fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.nbest.choices import WeightsFormat

    #: Weights, and the objective before and after.
    Tuned = tuple[Mapping[str, float], float, float]
    Tune = Callable[[NBest, Mapping[str, float]], Tuned]

__all__ = ["OuterLoop", "Round"]

JOURNAL = "rounds.jsonl"
PLACEHOLDERS = ("{weights}", "{weights.json}", "{weights.ini}", "{nbest}")
#: Seconds between asking a decoder to end and killing it.
GRACE = 5.0
#: Largest change of normalized weights that counts as converged.
CONVERGED = 1e-5


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One round of the outer loop.

    Attributes:
        number: number of the round, from 1.
        new: number of candidates that no earlier round had.
        candidates: number of different candidates of all rounds so far.
        before: objective on these candidates with the weights of the decoder.
        after: objective on these candidates with the tuned weights, never below `before`.
        weights: tuned weights.
    """

    number: Annotated[int, Column(heading="Round")]
    new: Annotated[int, Column(heading="New candidates")]
    candidates: Annotated[int, Column(heading="Candidates")]
    before: Annotated[float, Column(heading="Before", digits=2)]
    after: Annotated[float, Column(heading="After", digits=2)]
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class OuterLoop:
    """A decoder with the folder of its rounds, which `tune` accepts instead of lists.

    >>> loop = OuterLoop(decoder="decode.sh {weights} {nbest}", folder="rounds", timeout=3600)
    >>> loop.rounds
    15

    Attributes:
        decoder: command of the decoder, in which ``{weights}`` (or ``{weights.json}``,
            ``{weights.ini}``) and ``{nbest}`` stand for the files that it reads and writes.
        folder: folder of the rounds; a folder that has rounds is continued.
        read: function that reads the decoder's lists from a file by name.
        rounds: maximum number of rounds with a decoder.
        timeout: seconds after which a decoder is stopped.
    """

    decoder: Annotated[str, Setting(option=False)]
    folder: Annotated[str | PathLike[str], Setting(option=False)]
    read: Callable[[str], NBest] = read_nbest
    rounds: Annotated[int, Setting(minimum=1, maximum=10_000, rare=True)] = 15
    timeout: Annotated[
        float | None, Setting(above=0, rare=True, flags=("--decoder-timeout",), metavar="SECONDS")
    ] = None

    def __post_init__(self) -> None:
        check_fields(self)
        has_weights = any(name in self.decoder for name in PLACEHOLDERS[:-1])
        if not has_weights or PLACEHOLDERS[-1] not in self.decoder or not _words(self.decoder):
            expected = "a command with {weights} and {nbest} in it"
            raise SettingError("decoder", self.decoder, expected)

    def run(
        self, start: Mapping[str, float], header: Mapping[str, Any], tune: Tune
    ) -> Iterator[tuple[Round, NBest]]:
        """Yield each round with the lists of all rounds so far, until nothing new appears.

        Args:
            start: weights of the first round.
            header: settings of the rounds; raises an error if the folder has rounds with others.
            tune: function that tunes weights on lists; returns them with the objective before and
                after.
        """
        folder = Path(self.folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = f"cannot be created: {error.strerror}"
            raise UnreadableFileError(str(folder), reason) from error
        header = {"study": "tune --decoder", "decoder": self.decoder, **header}
        runner = Runner(folder / JOURNAL)
        weights, merged = dict(start), None
        tasks: list[Task] = []
        for number in range(1, self.rounds + 1):
            tasks.append(
                Task(("round", number), partial(self._round, number, weights, merged, tune))
            )
            record = runner.run(header, tasks)["round", number]
            merged, new = self._merged(number, merged)
            if (merged.candidates, new) != (record["candidates"], record["new"]):
                found = f"{merged.candidates:,} candidates, {new:,} of them new"
                expected = f"{record['candidates']:,} and {record['new']:,} as {JOURNAL} says"
                raise SettingError(str(self._path(number, "nbest")), found, expected)
            converged = _distance(weights, record["weights"]) <= CONVERGED
            weights = dict(record["weights"])
            yield Round(number=number, **record), merged
            if not new or converged:
                return

    def _round(
        self, number: int, weights: Mapping[str, float], merged: NBest | None, tune: Tune
    ) -> dict[str, Any]:
        """Decode, merge and tune; return the record of the round."""
        self._decode(number, weights)
        lists, new = self._merged(number, merged)
        tuned, before, after = tune(lists, weights)
        # Keep the decoder's weights if the tuned weights choose worse from these lists.
        if after < before:
            tuned, after = weights, before
        objectives = {"before": before, "after": after}
        return {"new": new, "candidates": lists.candidates, **objectives, "weights": dict(tuned)}

    def _path(self, number: int, ending: str) -> Path:
        return Path(self.folder) / f"round-{number:02}.{ending}"

    def _merged(self, number: int, merged: NBest | None) -> tuple[NBest, int]:
        lists = self.read(str(self._path(number, "nbest")))
        if merged is not None:
            return merge_lists(merged, lists)
        lists = drop_duplicates(lists)
        return lists, lists.candidates

    def _decode(self, number: int, weights: Mapping[str, float]) -> None:
        """Run the decoder, which writes the lists of a round."""
        kinds: list[WeightsFormat] = ["tsv", "json"]
        kinds += ["ini"] if "{weights.ini}" in self.decoder else []
        paths = {f"{{weights.{kind}}}": self._path(number, f"weights.{kind}") for kind in kinds}
        texts = {
            path.name: [format_weights(weights, kind).encode()]
            for path, kind in zip(paths.values(), kinds, strict=True)
        }
        write_files(Path(self.folder), texts, overwrite=True)
        paths["{weights}"] = paths["{weights.tsv}"]
        lists = paths["{nbest}"] = self._path(number, "nbest")
        # An interrupted round may have left its lists.
        lists.unlink(missing_ok=True)
        # A single pass: the name of the folder may look like a placeholder.
        pattern = re.compile("|".join(map(re.escape, PLACEHOLDERS)))
        words = [pattern.sub(lambda m: str(paths[m[0]]), word) for word in _words(self.decoder)]
        log = self._path(number, "log")
        code = self._start(words, log, number)
        if code:
            self._fail(number, f"ended with exit code {code}", log)
        if not lists.is_file():
            self._fail(number, f"wrote no {lists.name}", log)

    def _start(self, words: Sequence[str], log: Path, number: int) -> int:
        """Run the decoder and return its exit code."""
        with log.open("wb") as output:
            try:
                # A new process group, so that the decoder's children end with it.
                process = subprocess.Popen(  # noqa: S603  # the user's own command
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                self._fail(number, f"cannot be started: {error.strerror}", log)
            try:
                return process.wait(self.timeout)
            except subprocess.TimeoutExpired:
                _end(process)
                self._fail(number, f"took longer than {self.timeout:g} seconds and was ended", log)
            finally:
                # An interrupt, such as Ctrl-C, must end the decoder too.
                if process.poll() is None:
                    _end(process)

    def _fail(self, number: int, reason: str, log: Path) -> NoReturn:
        last = log.read_bytes().decode("utf-8", "replace").strip().splitlines()[-3:]
        raise DecoderError(self.decoder, number, reason, str(log), " / ".join(last))


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise SettingError("decoder", command, f"a command ({error})") from None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process group by SIGTERM, then by SIGKILL."""
    for name in ("SIGTERM", "SIGKILL"):
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, getattr(signal, name))
            else:
                process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)


def _distance(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Compute the largest difference of a weight after dividing by the sum of absolute values."""
    sizes = [sum(map(abs, weights.values())) or 1.0 for weights in (a, b)]
    changes = (a.get(name, 0.0) / sizes[0] - b.get(name, 0.0) / sizes[1] for name in {**a, **b})
    return max(map(abs, changes), default=0.0)
