"""Programs that behave as comet-score, MetricX and bert-score do: arguments, files, failures.

Usage: python stand_ins.py PROGRAM [ARGUMENTS]. A score is a plain function of the texts. The folder
of a checkpoint decides what goes wrong, as in the recorded runs: nan, trunc, noenc, broken. The
variable STAND_IN names other failures (see `FAILURES`), and STAND_IN_LOG a file that gets the
number of texts of each run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from hashlib import blake2b
from pathlib import Path
from typing import NoReturn

FAILURES = ("", "short", "other-texts", "words", "killed", "slow", "silent", "infinite")


def plain_score(*texts: str | None) -> float:
    """A number from 0 to 1 that depends on every text."""
    data = "\0".join("none" if text is None else text.strip() for text in texts)
    return int.from_bytes(blake2b(data.encode(), digest_size=4).digest(), "big") / 2**32


def fail(message: str, status: int = 1) -> NoReturn:
    print("Traceback (most recent call last):\n  ...", file=sys.stderr)
    print(message, file=sys.stderr)
    sys.exit(status)


def log(number: int) -> None:
    if "STAND_IN_LOG" in os.environ:
        with Path(os.environ["STAND_IN_LOG"]).open("a") as lines:
            lines.write(f"{number}\n")


def changed(scores: list[float]) -> list[float]:
    """Scores as the failure of STAND_IN leaves them."""
    failure = os.environ.get("STAND_IN", "")
    assert failure in FAILURES
    if failure == "killed":
        os.kill(os.getpid(), 9)
    if failure == "slow":
        time.sleep(60)
    if failure == "infinite":
        return [float("inf"), *scores[1:]]
    return scores[:-1] if failure == "short" else scores


def lines_of(path: str | None) -> list[str]:
    try:
        with Path(str(path)).open(encoding="utf-8") as stream:
            return [line.strip() for line in stream.readlines()]
    except UnicodeDecodeError as error:
        fail(f"UnicodeDecodeError: {error}")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(
            f"usage: {self.prog} [options]\n{self.prog}: error: {message[0].upper()}{message[1:]}",
            file=sys.stderr,
        )
        sys.exit(2)


def comet_score(arguments: list[str]) -> None:
    """What 59 recorded runs of comet-score 2.2.7 show."""
    parser = _Parser("comet-score", allow_abbrev=False)
    for flag in ("-s", "-r", "--model_storage_path", "--num_workers", "--gpus"):
        parser.add_argument(flag)
    parser.add_argument("-t", nargs="+")
    parser.add_argument("--to_json", default="")
    parser.add_argument("--model", default="Unbabel/wmt22-comet-da")
    parser.add_argument("--batch_size", type=int, default=16)
    for flag in ("--quiet", "--only_system", "--disable_cache", "--disable_length_batching"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--print_cache_info", action="store_true")
    given = parser.parse_args(arguments)
    for name, files in (
        ("sources", [given.s]),
        ("references", [given.r]),
        ("translations", given.t),
    ):
        for path in files or ():
            if path is not None and not Path(path).exists():
                parser.error(
                    f'Parser key "{name}": Not of type Path_fr. File does not exist: {path}'
                )
    if given.s is None:
        parser.error("You must specify a source (-s) or a sacrebleu dataset (-d)")
    kind = _kind_of_model(given.model, given.model_storage_path)
    if kind in ("comet", "nan") and given.r is None:
        parser.error(f"{given.model} requires -r/--references or -d/--sacrebleu_dataset.")
    if given.t is None:
        fail("TypeError: 'NoneType' object is not iterable")
    if given.batch_size < 1:
        fail("ValueError: batch_size should be a positive integer value, but got batch_size=0")
    data = {}
    for path in given.t:
        columns = [lines_of(given.s), lines_of(path)]
        columns += [] if given.r is None else [lines_of(given.r)]
        rows = list(zip(*columns, strict=False))  # cut to the shortest, with exit status 0
        if not rows:
            fail("TypeError: 'NoneType' object is not iterable")
        log(len(rows))
        scores = [float("nan") if kind == "nan" else plain_score(*row) for row in rows]
        names = ("src", "mt", "ref")[: len(columns)]
        data[path] = [
            {**dict(zip(names, row, strict=True)), "COMET": score}
            for row, score in zip(rows, changed(scores), strict=False)
        ]
        # Beyond the end of the first file there are rows without a score.
        for extra in data[path][len(data[given.t[0]]) :]:
            del extra["COMET"]
    if os.environ.get("STAND_IN") == "other-texts":
        for written in data.values():
            written.reverse()
    for number in range(len(data[given.t[0]])):
        for path in given.t:
            if number >= len(data[path]):
                fail("IndexError: list index out of range")
            if not given.only_system:
                print(f"{path}\tSegment {number}\tscore: {data[path][number]['COMET']:.4f}")
    for path in given.t:
        scores = [row.get("COMET", 0.0) for row in data[path]]
        print(f"{path}\tscore: {sum(scores) / max(1, len(scores)):.4f}")
    if given.to_json and os.environ.get("STAND_IN") != "silent":
        if not Path(given.to_json).absolute().parent.is_dir():
            fail(f"FileNotFoundError: [Errno 2] No such file or directory: {given.to_json!r}")
        Path(given.to_json).write_text(json.dumps(data, ensure_ascii=False, indent=4))
        print(f"Predictions saved in: {given.to_json}.")
    if given.print_cache_info:
        print("CacheInfo(hits=0, misses=6, maxsize=1024, currsize=6)")


def _kind_of_model(model: str, storage: str | None) -> str:
    """The folder of a checkpoint, which says what it is; fails as comet-score does."""
    if storage is not None:
        return model
    path = Path(model)
    known = model.startswith("tiny/") or (model.endswith(".ckpt") and "nope" not in model)
    if not known:
        fail(f'KeyError: "Model {model!r} not supported by COMET."')
    kind = path.name if model.startswith("tiny/") else path.parent.parent.name
    if kind == "broken":
        fail(f"Exception: hparams.yaml file is missing from {path.parent.parent}!")
    if kind == "noenc":
        fail("AttributeError: 'NoneType' object has no attribute 'endswith'")
    if kind == "trunc":
        fail("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central")
    return kind


def metricx(arguments: list[str]) -> None:
    parser = _Parser("metricx24.predict")
    for flag in ("--tokenizer", "--model_name_or_path", "--input_file", "--output_file"):
        parser.add_argument(flag, required=True)
    for flag in ("--max_input_length", "--batch_size"):
        parser.add_argument(flag, type=int)
    parser.add_argument("--qe", action="store_true")
    given = parser.parse_args(arguments)
    rows = [json.loads(line) for line in lines_of(given.input_file)]
    log(len(rows))
    print("Generating train split: 100%")
    fields = ("source", "hypothesis") if given.qe else ("source", "hypothesis", "reference")
    scores = changed([25 * plain_score(*(row.get(field) for field in fields)) for row in rows])
    # The program repeats every field of its input.
    written = [
        json.dumps({**row, "prediction": score}) for row, score in zip(rows, scores, strict=False)
    ]
    Path(given.output_file).write_text("".join(f"{line}\n" for line in written))


def bert_score(arguments: list[str]) -> None:
    parser = _Parser("bert-score")
    parser.add_argument("-r", nargs="+")
    for flag in ("-c", "-m", "-l", "-b"):
        parser.add_argument(flag)
    parser.add_argument("-s", action="store_true")
    given = parser.parse_args(arguments)
    if given.m != "bert-base-multilingual-cased" and given.l is None:
        fail(f"KeyError: {given.m!r}")
    outputs, references = lines_of(given.c), lines_of(given.r[0])
    if len(outputs) != len(references):
        fail(f"AssertionError: # of sentences in {given.r[0]} doesn't match the # of candidates")
    log(len(outputs))
    scores = changed([plain_score(*pair) for pair in zip(outputs, references, strict=True)])
    print(
        f"{given.m}_L9_no-idf_version=0.3.12(hug_trans=4.57.6)_fast-tokenizer P: 0.5 R: 0.5 F1: 0.5"
    )
    for score in scores if given.s else ():
        print(f"{score / 2:.6f}\t{score / 3:.6f}\t{score:.6f}")


def lines(arguments: list[str]) -> None:
    """One score for each line: of files, or of fields separated by tabs on standard input."""
    if arguments:
        rows = list(zip(*map(lines_of, arguments), strict=True))
    else:
        rows = [tuple(line.rstrip("\n").split("\t")) for line in sys.stdin]
    log(len(rows))
    if os.environ.get("STAND_IN") == "words":
        print("loading the model ...")
    for score in changed([plain_score(*row) for row in rows]):
        print(score)


PROGRAMS = {
    "comet-score": comet_score,
    "metricx": metricx,
    "bert-score": bert_score,
    "lines": lines,
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](sys.argv[2:])
