"""Claims about the outer loop: it finds known weights, goes on where it stopped, loses nothing."""

from __future__ import annotations

import json
import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

import pytest

from truebleu.errors import DecoderError, MalformedFileError, SettingError, TruebleuError
from truebleu.nbest import TUNERS, OuterLoop, count_candidates, read_nbest, tune
from truebleu.nbest.choices import weighted_choices
from truebleu.nbest.problem import merge_lists
from truebleu.simulation import BEST_WEIGHTS, Decoder

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.corpus.nbest import NBest
    from truebleu.nbest.tuning import TuneResult

SEGMENTS, SIZE = 10, 15
PROGRAM = (
    f"{shlex.quote(sys.executable)} -m truebleu.simulation.decoder {{weights}} {{nbest}} "
    f"--segments {SEGMENTS} --size {SIZE}"
)
START = dict.fromkeys(BEST_WEIGHTS, 0.2)
OPTIONS: dict[str, Any] = {"folds": 0, "replicates": 100, "method": "mert:restarts=3"}


def loop(folder: Path, decoder: str = PROGRAM, **settings: Any) -> OuterLoop:
    return OuterLoop(decoder=decoder, folder=folder, **settings)


def script(code: str) -> str:
    """A decoder in Python, which gets the two files as arguments."""
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)} {{weights}} {{nbest}}"


def tuned(made: OuterLoop) -> TuneResult:
    references = Decoder(segments=SEGMENTS).references
    return tune(made, references, start=START, **OPTIONS)


@pytest.mark.slow
def test_a_decoder_whose_best_weights_are_known_is_tuned_to_the_end(tmp_path: Path) -> None:
    result = tuned(loop(tmp_path / "rounds"))
    assert result.development[0] == pytest.approx(100.0)
    assert result.start < 60
    assert len(result.rounds) > 1
    # On the lists of all rounds so far, tuning never makes the score fall.
    assert all(made.after >= made.before for made in result.rounds)
    assert [made.candidates for made in result.rounds] == sorted(
        made.candidates for made in result.rounds
    )
    decoded = Decoder(segments=SEGMENTS).decode(dict(result.rounds[-1].weights), size=1)
    exact = [
        text == reference
        for ((text, _),), reference in zip(
            decoded, Decoder(segments=SEGMENTS).references, strict=True
        )
    ]
    assert sum(exact) >= SEGMENTS - 1
    kept = {path.name for path in (tmp_path / "rounds").iterdir()}
    assert {"rounds.jsonl", "round-01.nbest", "round-01.weights.tsv", "round-01.log"} <= kept


@pytest.mark.parametrize("method", TUNERS)
def test_final_weights_are_no_worse_than_any_round_on_the_merged_lists(
    tmp_path: Path, method: str
) -> None:
    decoder = Decoder(segments=12)
    for number, forward in enumerate((0.2, -0.2, 0.5), 1):
        write_moses(decoder.nbest({**START, "forward": forward}, size=20), number, tmp_path)
    copy = script(
        "import pathlib, shutil, sys; path = pathlib.Path(sys.argv[2]); "
        "shutil.copy(path.parent.parent / path.name, path)"
    )
    result = tune(
        loop(tmp_path / "rounds", copy, rounds=3),
        decoder.references,
        start=START,
        method=method,
        folds=0,
    )
    lists = [read_nbest(tmp_path / f"round-0{round_.number}.nbest") for round_ in result.rounds]
    merged = lists[0]
    for other in lists[1:]:
        merged, _ = merge_lists(merged, other)
    counted = count_candidates(merged, decoder.references)
    scores = [
        counted.score(weighted_choices(merged, weights))
        for weights in (result.by_feature, *(round_.weights for round_ in result.rounds))
    ]
    assert scores[0] == max(scores)
    assert scores[0] == pytest.approx(result.development[0])
    assert len(scores) > 2


def write_moses(lists: NBest, number: int, folder: Path) -> None:
    """Lists as a decoder would write them in a round."""
    lines = [
        f"{segment} ||| {lists.texts[place]} ||| "
        + " ".join(f"{name}= {float(lists.feature(name)[place])!r}" for name in lists.feature_names)
        + " ||| 0\n"
        for segment, span in enumerate(lists.spans())
        for place in range(span.start, span.stop)
    ]
    (folder / f"round-0{number}.nbest").write_text("".join(lines))


@pytest.mark.slow
def test_an_interrupted_loop_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    whole = tuned(loop(tmp_path / "whole"))
    part = tmp_path / "part"
    tuned(loop(part, rounds=1))
    # The first round's decoder is not run again: its list is read.
    (part / "round-01.log").write_text("untouched")
    again = tuned(loop(part))
    assert again == whole
    assert (part / "round-01.log").read_text() == "untouched"
    references = Decoder(segments=SEGMENTS).references
    with pytest.raises(SettingError, match="seed"):
        tune(loop(part), references, start=START, **OPTIONS, seed=7)


def test_a_list_that_was_changed_afterwards_is_noticed(tmp_path: Path) -> None:
    tuned(loop(tmp_path, rounds=1))
    path = tmp_path / "round-01.nbest"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(SettingError, match=r"as rounds\.jsonl says"):
        tuned(loop(tmp_path, rounds=1))


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            script("import sys; print('no model'); sys.exit(3)"),
            "exit code 3; its last output: no model",
        ),
        (script("pass"), r"wrote no round-01\.nbest"),
        ("/nowhere/decoder {weights} {nbest}", "cannot be started: No such file"),
    ],
)
def test_a_decoder_that_fails_is_quoted(tmp_path: Path, command: str, message: str) -> None:
    with pytest.raises(DecoderError, match=message):
        tuned(loop(tmp_path, command))


@pytest.mark.slow
def test_a_decoder_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Both hold the pipe; the child, which does not end politely, would write into it at last.
    child = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "print('here', flush=True); time.sleep(60); print('still here', flush=True)"
    )
    code = (
        "import subprocess, sys, time\n"
        f"with open({str(pipe)!r}, 'w') as pipe:\n"
        f"    subprocess.Popen([sys.executable, '-c', {child!r}], stdout=pipe)\n"
        "    time.sleep(60)\n"
    )
    with open(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
        with pytest.raises(DecoderError, match="took longer than 3 seconds and was ended"):
            tuned(loop(tmp_path / "rounds", script(code), timeout=3))
        # Read until nobody holds the other end.
        os.set_blocking(reader.fileno(), True)
        assert b"still here" not in reader.read()


def test_a_bad_list_names_its_line_and_earlier_rounds_stay(tmp_path: Path) -> None:
    tuned(loop(tmp_path, rounds=1))
    lines = (tmp_path / "rounds.jsonl").read_text()
    header, first = lines.splitlines()
    # The same folder, as if the decoder had changed: its second list is damaged.
    code = "import sys; open(sys.argv[2], 'w').write('0 ||| a ||| forward= x ||| 1\\n')"
    (tmp_path / "rounds.jsonl").write_text(
        json.dumps({**json.loads(header), "decoder": script(code)}) + "\n" + first + "\n"
    )
    with pytest.raises(MalformedFileError, match=r"round-02\.nbest: line 1"):
        tuned(loop(tmp_path, script(code)))
    assert (tmp_path / "rounds.jsonl").read_text().splitlines()[1] == first


def test_arguments_are_checked_before_the_decoder_runs(tmp_path: Path) -> None:
    made = loop(tmp_path, script("import pathlib; pathlib.Path('ran').touch()"))
    for options, message in (
        ({"start": None}, "start: None; expected weights for the decoder"),
        ({"start": START, "folds": 1}, "folds: 1"),
        ({"start": START, "repeats": "two"}, "repeats"),
        ({"start": START, "method": "mert:epochs=3"}, "unknown setting of mert 'epochs'"),
    ):
        with pytest.raises(TruebleuError, match=message):
            tune(made, ["a"], **options)
    assert not list(tmp_path.iterdir())
    with pytest.raises(SettingError, match="timeout: 0"):
        loop(tmp_path, timeout=0)
    with pytest.raises(SettingError, match="folder"):
        OuterLoop(decoder=PROGRAM, folder=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "command", ["", "decode", "decode {weights}", "decode {nbest}", "'{weights}"]
)
def test_a_command_without_both_files_is_refused(tmp_path: Path, command: str) -> None:
    with pytest.raises(SettingError, match="decoder"):
        loop(tmp_path, command)
