"""``truebleu sacrebleu``: what is printed is what sacreBLEU 2.6.0 prints, byte for byte."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from truebleu.compat.sacrebleu.sacrebleu import main

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = {
    "one": "The cat sat on the mat.\nIt rained all day long.\nNobody came to the party.\n",
    "two": "A cat is on a mat.\nAll day long it rained.\nNobody at the party came.\n",
    "ref": "A cat sat on the mat.\nIt rained the whole day long.\nNo one came to the party.\n",
    "other": (
        "The cat was sitting on the mat.\nIt was raining all day.\nNobody turned up at the party.\n"
    ),
    "short": "The cat sat on the mat.\n",
    "empty": "",
}
SIGNATURE = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
PARTS = "84.2/75.0/61.5/50.0 (BP = 0.900 ratio = 0.905 hyp_len = 19 ref_len = 21)"
LINE = f"BLEU|{SIGNATURE} = 59.8 {PARTS}\n"
JSON = f"""\
{{
 "name": "BLEU",
 "score": 59.8,
 "signature": "{SIGNATURE}",
 "verbose_score": "{PARTS}",
 "nrefs": "1",
 "case": "mixed",
 "eff": "no",
 "tok": "13a",
 "smooth": "exp",
 "version": "2.6.0"
}}
"""
TABLE = """\
╒══════════╤════════╤═════════╕
│   System │  BLEU  │  chrF2  │
╞══════════╪════════╪═════════╡
│      one │  68.3  │  70.2   │
├──────────┼────────┼─────────┤
│      two │  16.7  │  43.5   │
╘══════════╧════════╧═════════╛

-----------------
Metric signatures
-----------------
 - BLEU       #:2|c:mixed|e:no|tok:13a|s:exp|v:2.6.0
 - chrF2      #:2|c:mixed|e:yes|nc:6|nw:0|s:no|v:2.6.0
"""
LATEX = rf"""\begin{{tabular}}{{rc}}
\toprule
   System &  BLEU  \\
\midrule
      one &  59.8  \\
      two &  10.2  \\
\bottomrule
\end{{tabular}}

-----------------
Metric signatures
-----------------
 - BLEU       {SIGNATURE}
"""
SYSTEMS_JSON = """\
[
    {
        "system": "one",
        "BLEU": "59.8",
        "TER": "27.8"
    },
    {
        "system": "two",
        "BLEU": "10.2",
        "TER": "77.8"
    }
]
"""
THREE_METRICS = """\
        BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 68.3 100.0/87.5/61.5/50.0 (BP = 0.949 ratio = 0.950 hyp_len = 19 ref_len = 20)
      chrF2|nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 70.2
TER|nrefs:2|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 27.8
"""  # noqa: E501
SEGMENTS = """\
BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0 = 80.9 85.7/83.3/80.0/75.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)
BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0 = 32.2 83.3/60.0/25.0/16.7 (BP = 0.846 ratio = 0.857 hyp_len = 6 ref_len = 7)
BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0 = 64.3 83.3/80.0/75.0/66.7 (BP = 0.846 ratio = 0.857 hyp_len = 6 ref_len = 7)
"""  # noqa: E501
INTERVALS = "[\n59.8 (μ = 58.2 ± 28.2),\n70.2 (μ = 70.6 ± 17.8)\n]\n"
NO_SUBSETS = "No subset information found. Consider using --origlang argument.\n"


@pytest.fixture(autouse=True)
def _texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for variable in ("SACREBLEU_FORMAT", "SACREBLEU_SEED", "NO_COLOR"):
        monkeypatch.delenv(variable, raising=False)


def give(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ref -i one", JSON),
        ("ref -i one -sh", JSON),
        ("ref -i one -f text", LINE),
        ("ref -i one -f latex", LINE),
        ("ref -i one -f text -w 3 -b", "59.761\n"),
        ("ref -i one -d", LINE + NO_SUBSETS),
        ("ref other -i one -m ter chrf bleu -f text", THREE_METRICS),
        ("ref -i one -m ter bleu -b", "[\n59.8,\n27.8\n]\n"),
        ("ref -i one -m ter bleu -b -f text", "59.8\n27.8\n"),
        ("ref -i one -ci -m chrf bleu -b", INTERVALS),
        ("ref -i one -sl", SEGMENTS),
        ("ref -i one -sl -m ter -b", "16.7\n33.3\n33.3\n"),
        ("ref -i one two -m ter bleu", SYSTEMS_JSON),
        ("ref other -i one two -m bleu chrf -f text -sh", TABLE),
        ("ref -i one two -f latex", LATEX),
        ("ref -i", "[]\n"),
    ],
)
def test_the_output_is_sacrebleus(
    command: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command.split()) == 0
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("", 1),
        ("-i one", 1),
        ("ref -i nowhere", 1),
        ("nowhere -i one", 1),
        ("ref -i .", 1),
        ("ref -i short", 1),
        ("ref short -i one", 1),
        ("empty -i empty", 1),
        ("ref -i one one", 1),
        ("ref -i one two -sl", 1),
        ("ref -i one two -ci", 1),
        ("ref -i one -sl -ci", 1),
        ("ref -i one -sl -m bleu chrf", 1),
        ("ref -i -f text", 1),
        ("ref other -i one -nr 2", 1),
        ("ref -i one -nr 2", 17),
        ("ref -i one -e klingon", 1),
        ("ref -i one -l german", 1),
        ("ref -i one -w -1", 1),
        ("ref -i one -m chrf -cc 0", 1),
        ("ref -i one -m bleurt", 2),
        ("ref -i one -f xml", 2),
        ("ref -i one -tok moses", 2),
        ("ref -i one --confide", 2),
        ("ref -i one -par -pbs", 2),
        ("-t wmt14 -l en-de -i one", 1),
        ("ref -i one -ol de", 1),
        ("ref -i one --subset news", 1),
        ("ref -i one --subset=", 1),
        ("--list", 0),
        ("--cite -t wmt14", 0),
        ("--cite", 1),
        ("--cite -t wmt07", 1),
        ("--download wmt07", 1),
        ("--echo src", 1),
        ("--help", 0),
    ],
)
def test_the_exit_status_is_sacrebleus(
    command: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command.split()) == code
    out, err = capsys.readouterr()
    assert bool(out) == (code == 0)
    if code in (1, 17):
        assert err.startswith("sacreBLEU: ")
        assert "Traceback" not in err


def test_the_version_says_who_is_speaking(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("truebleu ")


@pytest.mark.parametrize("command", ["ref -i one two -q", "ref -i one -q"])
def test_quiet_says_nothing_but_the_result(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command.split()) == 0
    assert not capsys.readouterr().err


def test_standard_input_has_one_system_per_column(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = zip(TEXTS["one"].splitlines(), TEXTS["two"].splitlines(), strict=True)
    give(monkeypatch, "".join("\t".join(row) + "\n" for row in columns).encode())
    assert main(["ref", "-m", "bleu", "ter"]) == 0
    expected = SYSTEMS_JSON.replace('"one"', '"System 1"').replace('"two"', '"System 2"')
    assert capsys.readouterr().out == expected


def test_a_carriage_return_ends_a_line_of_standard_input_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    data = TEXTS["one"].replace("\n", "\r").encode()
    give(monkeypatch, data)
    assert main(["ref", "-f", "text"]) == 0
    assert capsys.readouterr().out == LINE
    (tmp_path / "cr").write_bytes(data)
    assert main(["ref", "-i", "cr"]) == 1


def test_a_line_of_standard_input_with_other_columns_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give(monkeypatch, b"a\tb\nc\nd\te\n")
    assert main(["ref"]) == 17
    assert "line 2: found 1 columns, expected 2" in capsys.readouterr().err


def test_no_standard_input_is_one_empty_segment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give(monkeypatch, b"")
    assert main(["short", "-b"]) == 0
    assert capsys.readouterr().out == "0.0\n"


def test_references_may_be_columns_of_one_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = zip(TEXTS["ref"].splitlines(), TEXTS["other"].splitlines(), strict=True)
    (tmp_path / "both").write_text("".join("\t".join(row) + "\n" for row in rows))
    assert main(["both", "-nr", "2", "-i", "one", "-m", "bleu", "chrf", "ter", "-f", "text"]) == 0
    assert capsys.readouterr().out == THREE_METRICS


def test_files_may_be_compressed_and_in_another_encoding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with gzip.open(tmp_path / "one.gz", "wb") as file:
        file.write(TEXTS["one"].encode("utf-16"))
    (tmp_path / "ref16").write_text(TEXTS["ref"], encoding="utf-16")
    assert main(["ref16", "-e", "utf-16", "-i", "one.gz", "-f", "text"]) == 0
    assert capsys.readouterr().out == LINE
    assert main(["ref16", "-i", "one"]) == 1
    assert "ref16: not utf-8" in capsys.readouterr().err


@pytest.mark.parametrize(("wanted", "expected"), [("TEXT", LINE), ("pdf", JSON), ("json", JSON)])
def test_the_environment_may_set_the_format(
    wanted: str,
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SACREBLEU_FORMAT", wanted)
    assert main(["ref", "-i", "one"]) == 0
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize(
    ("language", "tokenizer"), [("en-zh", "zh"), ("en-de", "13a"), ("en-ja", "ja-mecab-0.996-IPA")]
)
def test_the_target_language_decides_on_the_tokenizer(
    language: str, tokenizer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("MeCab")
    assert main(["ref", "-i", "one", "-l", language, "-f", "text"]) == 0
    assert f"|tok:{tokenizer}|" in capsys.readouterr().out


def test_only_a_terminal_gets_colour(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["ref", "-i", "one", "two", "-f", "text"]
    assert main(command) == 0
    plain = capsys.readouterr().out
    assert "\x1b" not in plain
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(command) == 0
    coloured = capsys.readouterr().out
    assert "  \x1b[36mSystem\x1b[0m │  \x1b[36mBLEU\x1b[0m  │" in coloured
    assert coloured.replace("\x1b[36m", "").replace("\x1b[0m", "") == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(command) == 0
    assert capsys.readouterr().out == plain


def test_a_stand_in_for_standard_output_gets_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = io.StringIO()
    monkeypatch.setattr(sys, "stdout", notebook)
    assert main(["ref", "-i", "one", "-f", "text"]) == 0
    assert notebook.getvalue() == LINE


def test_names_are_escaped_for_latex(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a_50%{~}").write_text(TEXTS["one"])
    assert main(["ref", "-i", "a_50%{~}", "one", "-f", "latex"]) == 0
    row = " a\\_50\\%\\{\\textasciitilde{}\\} &  59.8  \\\\"
    assert capsys.readouterr().out.splitlines()[4] == row


def test_it_runs_as_a_module_without_numpy() -> None:
    code = (
        "import sys\n"
        "from truebleu.compat.sacrebleu.sacrebleu import main\n"
        "main(['ref', '-i', 'one', '-m', 'bleu', 'chrf', 'ter', '-b', '-f', 'text'])\n"
        "main(['ref', '-i', 'one', '-sl', '-b'])\n"
        "sys.exit('numpy' in sys.modules)"
    )
    checked = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, b"")
    command = [sys.executable, "-m", "truebleu.compat.sacrebleu", "ref", "-i", "one", "-f", "text"]
    result = subprocess.run(command, capture_output=True, check=True)
    assert result.stdout.decode() == LINE


def test_a_closed_pipe_is_no_traceback() -> None:
    command = f"{sys.executable} -m truebleu.compat.sacrebleu ref -i one -sl -w 60000 | true"
    result = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert result.stderr == b""
