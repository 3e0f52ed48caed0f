"""Test sets by name: read from a cache folder as the real package reads them, without network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

XML = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="wmttest2024"><collection id="general">
<doc id="one" origlang="en" domain="news">
<src lang="en"><p><seg id="1">Good  morning.</seg><seg id="2">A dog barked.</seg></p></src>
<ref lang="de" translator="refA"><p><seg id="1">Guten Morgen.</seg>
<seg id="2">Ein Hund bellte.</seg></p></ref>
</doc>
<doc id="two" origlang="de" domain="speech">
<src lang="en"><p><seg id="1">It rains again.</seg></p></src>
<ref lang="de" translator="refA"><p><seg id="1">Es regnet wieder.</seg></p></ref>
</doc>
</collection></dataset>
"""
SGML = """<srcset setid="newstest2017" srclang="any">
<doc docid="a" genre="news" origlang="en">
<seg id="1">{0}</seg>
</doc>
<doc docid="b" genre="news" origlang="cs">
<seg id="1">{1}</seg>
</doc>
</srcset>
"""
OUTPUT = "Guten Morgen.\nEin Hund bellt.\nEs regnet schon wieder.\n"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder with two test sets, as if they had been downloaded."""
    folder = tmp_path_factory.mktemp("cache")
    raw = folder / "wmt24" / "raw"
    (raw / "xml").mkdir(parents=True)
    (raw / "wmt24.data_onlyxml.tar.gz").write_text("extracted", encoding="utf-8")
    (raw / "xml" / "wmttest2024.en-de.all.xml").write_text(XML, encoding="utf-8")
    raw = folder / "wmt17" / "raw"
    (raw / "test").mkdir(parents=True)
    (raw / "wmt17.test.tgz").write_text("extracted", encoding="utf-8")
    for side, texts in (("src.cs", ("Dobrý den", "Pes")), ("ref.en", ("Good day", "A dog"))):
        path = raw / "test" / f"newstest2017-csen-{side}.sgm"
        path.write_text(SGML.format(*texts), encoding="utf-8")
    (folder / "system.de").write_text(OUTPUT, encoding="utf-8")
    return folder


def run(cache: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """A command that may not reach any network."""
    return subprocess.run(
        [sys.executable, "-m", *command],
        env={**os.environ, "SACREBLEU": str(cache), "http_proxy": "", "https_proxy": ""},
        cwd=cache,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        ["-t", "wmt24", "-l", "en-de", "-i", "system.de", "-m", "bleu", "chrf", "ter"],
        ["-t", "wmt17", "-l", "cs-en", "--echo", "all"],
    ],
    ids=" ".join,
)
def test_the_drop_in_prints_what_the_package_prints(cache: Path, options: list[str]) -> None:
    real = run(cache, "sacrebleu", *options)
    assert real.returncode == 0, real.stderr
    ours = run(cache, "truebleu", "sacrebleu", *options)
    assert ours.stdout == real.stdout


@pytest.mark.slow
def test_a_test_set_brings_source_documents_and_domains(cache: Path) -> None:
    arguments = ["system.de", "--test-set", "wmt24", "-l", "en-de", "-f", "json"]
    scored = run(cache, "truebleu", "score", *arguments, "--by", "domain")
    assert scored.returncode == 0, scored.stderr
    outline = json.loads(scored.stdout)["test_set"]
    assert (outline["segments"], outline["documents"], outline["domains"]) == (3, 2, 2)
    files = [str(cache / "wmt24" / "wmt24.en-de.ref-refA")]
    by_file = run(cache, "truebleu", "score", "system.de", "-r", *files, "-f", "json")
    assert (
        json.loads(scored.stdout)["systems"][0]["scores"]
        == json.loads(by_file.stdout)["systems"][0]["scores"]
    )


@pytest.mark.slow
def test_the_pair_may_follow_the_name_and_other_metrics_do(cache: Path) -> None:
    for arguments in (["--test-set", "wmt24/en-de"], ["--test-set", "wmt24", "-l", "en-de"]):
        scored = run(cache, "truebleu", "score", "system.de", *arguments, "-m", "chrf")
        assert scored.returncode == 0, scored.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--test-set", "wmt42/en-de"], "unknown test set 'wmt42'"),
        (["--test-set", "wmt24/en-en"], "unknown language pair of wmt24 'en-en'"),
        (["--test-set", "wmt24"], "expected a language pair: -l en-de, or wmt24/en-de"),
        (
            ["--test-set", "wmt24/en-de", "-r", "system.de"],
            "--test-set or --reference, not both",
        ),
        (["--test-set", "wmt24/en-de", "-l", "en-cs"], "expected a language pair"),
        (["--test-set", "wmt23/de-en"], "truebleu sacrebleu --download wmt23 -l de-en"),
        ([], "no reference given: name one with -r FILE; or use --test-set NAME"),
    ],
)
def test_a_test_set_that_is_not_downloaded_is_rejected(
    cache: Path, arguments: list[str], message: str
) -> None:
    refused = run(cache, "truebleu", "score", "system.de", *arguments)
    assert refused.returncode == 2
    assert message in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_missing_package_is_named(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "sacrebleu.py").write_text("raise ImportError", encoding="utf-8")
    refused = subprocess.run(
        [sys.executable, "-m", "truebleu", "score", "system.de", "--test-set", "wmt24/en-de"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=cache,
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 2
    assert "pip install 'sacrebleu>=2.5'" in refused.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["compare", "system.de", "other=other.de", "--unit", "segment", "--replicates", "200"],
        ["sample", "system.de", "--size", "2", "-o", "sample", "--force"],
        ["study", "length", "system.de"],
    ],
    ids=lambda command: command[0],
)
def test_other_commands_take_it_too(cache: Path, command: list[str]) -> None:
    (cache / "other.de").write_text(OUTPUT.replace("wieder", "erneut"), encoding="utf-8")
    files = ["-r", "wmt24/wmt24.en-de.ref-refA", "-s", "wmt24/wmt24.en-de.src"]
    named = run(cache, "truebleu", *command, "--test-set", "wmt24/en-de", "-q")
    assert (named.returncode, named.stderr) == (0, "")
    if command[0] == "compare":
        by_files = run(cache, "truebleu", *command, *files, "-q")
        assert named.stdout.splitlines()[:6] == by_files.stdout.splitlines()[:6]


def test_a_sacrebleu_that_is_too_old_is_named_with_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Versions 2.0 and 2.1 have dictionaries for test sets.
    package = tmp_path / "sacrebleu"
    package.mkdir()
    (package / "__init__.py").write_text("__version__ = '2.1.0'", encoding="utf-8")
    (package / "dataset.py").write_text("DATASETS = {'wmt19': {'en-de': []}}", encoding="utf-8")
    (tmp_path / "system.de").write_text(OUTPUT, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    result = run(tmp_path, "truebleu", "score", "system.de", "--test-set", "wmt19", "-l", "en-de")
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert "needs sacreBLEU 2.2 or later, not 2.1.0; install it with: pip install" in line
