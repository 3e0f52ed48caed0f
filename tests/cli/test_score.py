"""``truebleu score`` as a user meets it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import answer, run
from truebleu import BLEU

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

OUTPUTS = ["the cat sat on the mat", "a dog barked at me", "it rains again today"]
REFERENCES = ["the cat sat on a mat", "the dog barked at me", "it is raining again"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "sys.txt").write_text("\n".join(OUTPUTS) + "\n", encoding="utf-8")
    (tmp_path / "ref.txt").write_text("\n".join(REFERENCES) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_table_has_a_row_per_system_and_the_signatures() -> None:
    result = run("score", "-r", "ref.txt", "sys.txt", "perfect=ref.txt", "-m", "bleu", "-m", "ter")
    lines = result.out.splitlines()
    assert lines[0].split() == ["System", "BLEU", "TER"]
    assert [line.split()[0] for line in lines[2:4]] == ["sys", "perfect"]
    assert lines[3].split()[1:] == ["100.00", "0.00"]
    assert lines[5].startswith("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|")
    assert "ref.txt: identical to the reference" in result.err


def test_json_has_the_promised_shape(folder: Path) -> None:
    others = [*OUTPUTS[:2], REFERENCES[2]]
    (folder / "ref-2.txt").write_text("\n".join(others) + "\n", encoding="utf-8")
    files = ("-r", "ref.txt", "-r", "ref-2.txt", "sys.txt")
    values = answer("score", *files, "-m", "bleu", "-m", "chrf")
    assert values["version"] == 1
    assert values["test_set"]["segments"] == 3
    names = [metric["name"] for metric in values["metrics"]]
    assert names == ["BLEU", "chrF2"]
    (system,) = values["systems"]
    expected = BLEU().corpus(OUTPUTS, [REFERENCES, others])
    assert system["name"] == "sys"
    assert system["scores"]["BLEU"] == expected.to_dict()


def test_namesakes_are_told_apart_by_their_settings() -> None:
    values = answer("score", "-r", "ref.txt", "sys.txt", "-m", "bleu", "-m", "bleu:max_order=2")
    names = [metric["name"] for metric in values["metrics"]]
    assert names == ["BLEU[n:4]", "BLEU[n:2]"]


@pytest.mark.parametrize("format_", ["text", "tsv", "latex", "markdown", "json"])
def test_segments_are_scored_in_every_format(format_: str) -> None:
    result = run("score", "-r", "ref.txt", "sys.txt", "--per-segment", "--format", format_)
    assert result.code == 0, result.err
    first = BLEU().sentence(OUTPUTS[0], REFERENCES[0]).score
    assert f"{first:.2f}" in result.out or repr(first) in result.out


def test_details_show_what_a_score_is_made_of() -> None:
    result = run("score", "-r", "ref.txt", "sys.txt", "--details")
    assert f"sys: {BLEU().corpus(OUTPUTS, REFERENCES)}" in result.out


def test_standard_input_is_a_text(folder: Path) -> None:
    result = shell(folder, "score -r ref.txt - < sys.txt")
    assert result.returncode == 0, result.stderr
    assert f"{BLEU().corpus(OUTPUTS, REFERENCES).score:.2f}" in result.stdout


@pytest.mark.usefixtures("restored_threads")
def test_threads_change_nothing() -> None:
    single = run("score", "-r", "ref.txt", "sys.txt", "--threads", "1")
    assert single.code == 0
    assert single.out == run("score", "-r", "ref.txt", "sys.txt", "--threads", "2").out


BAD_INPUTS: list[tuple[Sequence[str], Sequence[str]]] = [
    (["-r", "none.txt", "sys.txt"], ["none.txt", "no such file"]),
    (["-r", ".", "sys.txt"], ["directory"]),
    (["-r", "short.txt", "sys.txt"], ["short.txt", "2", "sys", "3"]),
    (["-r", "latin1.txt", "sys.txt"], ["latin1.txt: line 2, byte 3: e9 is not UTF-8"]),
    (["-r", "empty.txt", "sys.txt"], ["empty.txt: no segments"]),
    (["-r", "nul.txt", "sys.txt"], ["nul.txt", "line 2", "NUL"]),
    (["-r", "ref.txt", "sys.txt", "-m", "blue"], ["did you mean 'bleu'"]),
    (["-r", "ref.txt", "sys.txt", "-m", "bleu:tokenize=13"], ["did you mean '13a'"]),
    (["-r", "ref.txt", "a=sys.txt", "a=ref.txt"], ["two systems are called 'a'"]),
    (["-r", "table.tsv#reference", "sys.txt"], ["table.tsv", "reference", "src, ref"]),
    (["-r", "bad.xml", "sys.txt"], ["bad.xml: line 2"]),
    (["-r", "bad.jsonl#ref", "sys.txt"], ["bad.jsonl: line 2"]),
]


@pytest.mark.parametrize(("arguments", "messages"), BAD_INPUTS, ids=lambda a: " ".join(a))
def test_bad_input_gets_one_error_in_words(
    folder: Path, arguments: Sequence[str], messages: Sequence[str]
) -> None:
    (folder / "short.txt").write_text("a\nb\n")
    (folder / "latin1.txt").write_bytes(b"a\nab\xe9\nc\n")
    (folder / "empty.txt").write_bytes(b"")
    (folder / "nul.txt").write_bytes(b"a\nb\0c\nd\n")
    (folder / "table.tsv").write_text("src\tref\na\tb\n")
    (folder / "bad.xml").write_text("<dataset>\n<doc></dataset>")
    (folder / "bad.jsonl").write_text('{"ref": "a"}\n{"ref": \n')
    result = run("score", *arguments)
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("error: ")
    assert "Traceback" not in result.err
    for message in messages:
        assert message.lower() in result.err.lower()


def test_strict_makes_warnings_errors(folder: Path) -> None:
    (folder / "tabs.txt").write_text("a\tb\nc\nd\n")
    relaxed = run("score", "-r", "ref.txt", "tabs.txt")
    assert relaxed.code == 0
    assert relaxed.err.startswith("warning: tabs")
    strict = run("score", "-r", "ref.txt", "tabs.txt", "--strict")
    assert strict.code == 2
    assert strict.out == ""


def test_warnings_of_one_kind_are_one_line(folder: Path) -> None:
    (folder / "tabs.txt").write_text("a\tb\nc\nd\n")
    (folder / "both.txt").write_text("a\tb\n\nd\n")
    short = run("score", "-r", "ref.txt", "tabs.txt", "both.txt").err
    assert "they count as white space (and 1 more; --details lists them)" in short
    assert short.count("warning: ") == 2
    full = run("score", "-r", "ref.txt", "tabs.txt", "both.txt", "--details").err
    assert full.count("warning: ") == 3


def test_usage_errors_exit_with_2() -> None:
    assert run("score", "-r", "ref.txt", "sys.txt", "--per-segment", "--details").code == 2
    assert run("score", "-r", "ref.txt", "sys.txt", "--per-segment", "--confidence").code == 2
    assert run("score", "sys.txt").code == 2
    assert run("score", "-r", "ref.txt").code == 2


def test_help_shows_examples() -> None:
    result = run("score", "--help")
    assert result.code == 0
    assert "Examples:" in result.out


@pytest.mark.parametrize("redirection", ["<&-", "< /dev/null"])
def test_plain_files_need_no_standard_input(folder: Path, redirection: str) -> None:
    result = shell(folder, f"score -r ref.txt sys.txt {redirection}")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout


def test_a_closed_standard_input_is_an_error_in_words(folder: Path) -> None:
    result = shell(folder, "score -r ref.txt - <&-")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "error: -: standard input is closed\n"


@pytest.mark.parametrize(
    "command",
    [
        "score -r ref.txt sys.txt",
        "gate long.txt --baseline old=long.txt -r long.txt --accept-inputs",
    ],
)
def test_a_reader_that_went_away_is_no_answer(folder: Path, command: str) -> None:
    (folder / "long.txt").write_text("a b c d e\n" * 100, encoding="utf-8")
    reading, writing = os.pipe()
    os.close(reading)
    result = shell(folder, command, stdout=writing)
    os.close(writing)
    assert (result.returncode, "Traceback" in result.stderr) == (141, False)


def test_a_full_disk_is_an_error_in_words(folder: Path) -> None:
    result = shell(folder, "score -r ref.txt sys.txt > /dev/full")
    assert (result.returncode, result.stderr) == (
        2,
        "error: standard output: No space left on device\n",
    )


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "utf-8:strict"])
def test_results_are_utf8_whatever_the_environment_says(folder: Path, encoding: str) -> None:
    command = "score -r ref.txt 中=sys.txt --format json"
    result = shell(folder, command, PYTHONIOENCODING=encoding)
    assert json.loads(result.stdout)["systems"][0]["name"] == "中"


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8:strict", "utf-8:surrogateescape"])
def test_a_file_name_that_is_not_utf8_leaves_json_valid(folder: Path, encoding: str) -> None:
    (folder / os.fsdecode(b"s\xff.txt")).write_text("\n".join(OUTPUTS), encoding="utf-8")
    command = "score -r ref.txt s*.txt --format json"
    result = shell(folder, command, PYTHONIOENCODING=encoding)
    names = [system["name"] for system in json.loads(result.stdout)["systems"]]
    assert names == ["sys", "s\udcff"]


def shell(
    folder: Path, command: str, *, stdout: int = subprocess.PIPE, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", f"{shlex.quote(sys.executable)} -m truebleu {command}"],
        cwd=folder,
        env={**os.environ, **environment},
        stdout=stdout,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )


def test_the_references_or_the_language_choose_the_tokenizer(tmp_path: Path) -> None:
    (tmp_path / "ref.txt").write_text("猫坐在垫子上。\n狗在门口叫。\n", encoding="utf-8")
    (tmp_path / "sys.txt").write_text("猫坐在地毯上。\n狗在门口叫。\n", encoding="utf-8")
    texts = ("sys.txt", "-r", "ref.txt")
    result = run("score", *texts)
    assert (result.code, result.err) == (0, "")
    assert "|tok:zh|" in result.out
    assert "tokenizer zh chosen for Chinese references" in result.out
    by_language = run("score", *texts, "-l", "en-de")
    assert "|tok:13a|" in by_language.out
    assert "chosen for" not in by_language.out
    refused = run("score", *texts, "-m", "chrf", "-l", "zh")
    assert (refused.code, refused.out) == (2, "")
    assert "--language: 'zh'" in refused.err
    strict = run("score", *texts, "-m", "bleu,wer", "--strict")
    assert (strict.code, strict.out) == (2, "")
    assert "WER cuts words at spaces" in strict.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--unit", "segment"], "--unit requires --confidence"),
        (["--level", "0.95"], "--level requires --confidence"),
        (["--replicates", "1000"], "--replicates requires --confidence"),
        (["--by-domain"], "--by-domain requires --confidence"),
        (["--interval", "bca"], "--interval requires --confidence"),
        (["--force"], "--force requires a file to write"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(options: list[str], message: str) -> None:
    result = run("score", "sys.txt", "-r", "ref.txt", *options)
    assert (result.code, result.out) == (2, "")
    assert f"Error: {message}" in result.err


def test_plain_scores_do_not_import_numpy() -> None:
    code = (
        "import sys\n"
        "from truebleu.cli.main import truebleu\n"
        "truebleu(['score', '-r', 'ref.txt', 'sys.txt'], standalone_mode=False)\n"
        "print('numpy' in sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "False"
