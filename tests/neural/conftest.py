"""A cache of its own for each test, models without weights, and programs that stand in."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import truebleu.neural.metrics
import truebleu.neural.scoring as scoring
from truebleu.corpus.test_set import TestSet, as_test_set

STAND_INS = Path(__file__).with_name("stand_ins.py")
REVISION = "0123456789abcdef0123456789abcdef01234567"
SOURCE = ["Der Hund bellt.", "Guten Tag.", "Der Hund bellt.", "Ja."]
OUTPUTS = {
    "a": ["The dog barks.", "Good day.", "The dog barks.", "Yes."],
    "b": ["A dog barks.", "Good day.", "The dog barks.", "Yeah."],
}
REFERENCE = ["The dog barks.", "Good day.", "The dog barks.", "Yes."]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of an empty cache."""
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("COMET", "METRICX", "BERTSCORE"):
        monkeypatch.delenv(f"TRUEBLEU_{name}", raising=False)
    forget()
    return tmp_path / "cache" / "scores.sqlite"


def forget() -> None:
    """Forget the scores in memory, as a new process does."""
    scoring._memory.clear()


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hub's cache with models that have settings and no weights."""
    folder = tmp_path / "hub"
    monkeypatch.setenv("HF_HUB_CACHE", str(folder))
    kinds = {
        "comet": "class_identifier: regression_metric",
        "qe": "class_identifier: referenceless_regression_metric",
        "kiwi": "class_identifier: unified_metric\ninput_segments:\n- mt\n- src",
        "unite": "class_identifier: unified_metric\ninput_segments:\n- mt\n- src\n- ref",
        "xcomet": "class_identifier: xcomet_metric",
        "nan": "class_identifier: regression_metric",
        "trunc": "class_identifier: regression_metric",
    }
    for name, settings in kinds.items():
        write_model(folder, name, settings)
    for name in ("tiny--encoder", "bert-base-multilingual-cased", "google--mt5-xl", METRICX):
        snapshot = make_snapshot(folder, name)
        (snapshot / "config.json").write_text("{}")
        (snapshot / "tokenizer.json").write_text("{}")
    return folder


METRICX = "google--metricx-24-hybrid-large-v2p6"


def make_snapshot(hub: Path, name: str) -> Path:
    folder = hub / f"models--{name}"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text(REVISION)
    snapshot = folder / "snapshots" / REVISION
    snapshot.mkdir(parents=True)
    return snapshot


def write_model(hub: Path, name: str, settings: str, encoder: str = "tiny/encoder") -> Path:
    """A model whose folder is named after it, as the stand-in wants; the hub links to it."""
    snapshot = make_snapshot(hub, f"tiny--{name}")
    (snapshot / "hparams.yaml").write_text(f"{settings}\npretrained_model: {encoder}\nx: 1\n")
    (snapshot / "checkpoints").mkdir()
    (snapshot / "checkpoints" / "model.ckpt").write_bytes(b"weights of " + name.encode())
    return snapshot / "checkpoints" / "model.ckpt"


def stand_in(program: str) -> str:
    """The command of a stand-in, as a user writes it."""
    return f"'{sys.executable}' '{STAND_INS}' {program}"


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs in another environment, and no package in this one."""
    monkeypatch.setattr(truebleu.neural.metrics, "installed_versions", lambda *_: None)
    monkeypatch.setenv("TRUEBLEU_COMET", stand_in("comet-score"))
    monkeypatch.setenv("TRUEBLEU_METRICX", stand_in("metricx"))
    monkeypatch.setenv("TRUEBLEU_BERTSCORE", stand_in("bert-score"))


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file with the number of texts of each run of a stand-in."""
    monkeypatch.setenv("STAND_IN_LOG", str(tmp_path / "runs"))
    return tmp_path / "runs"


@pytest.fixture
def texts() -> TestSet:
    """Two systems with their source, and some equal segments."""
    return as_test_set(OUTPUTS, REFERENCE, source=SOURCE)
