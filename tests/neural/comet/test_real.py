"""The real package on small real checkpoints: `make neural` installs what these tests need."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comet import load_from_checkpoint
from comet.models import CometModel

import truebleu
import truebleu.neural.comet as in_process
import truebleu.neural.metrics
from tests.neural.comet.conftest import FOLDER
from tests.neural.comet.models import REVISION, make_models
from tests.neural.conftest import forget
from truebleu.corpus.nbest import NBest
from truebleu.corpus.test_set import TestSet, as_test_set
from truebleu.errors import RefusedError
from truebleu.nbest import mbr
from truebleu.neural.comet import CometEngine
from truebleu.neural.scoring import ScoreCache
from truebleu.simulation import Channel, simulate

KINDS = {
    "regression": "comet:model=random/regression",
    "referenceless": "comet:model=random/referenceless",
    "unified": "cometkiwi:model=random/unified",
    "xcomet": "xcomet:model=random/xcomet",
}
# How far half precision depends on the other texts of a batch, as measured on real texts.
HALF = {"regression": 2e-3, "referenceless": 2e-3, "unified": 2e-3, "xcomet": 0.5}
COMET_SCORE = Path(sys.executable).with_name("comet-score")


@pytest.fixture(scope="session", autouse=True)
def models() -> Path:
    """A hub's cache with all models."""
    make_models(Path(FOLDER.name))
    return Path(FOLDER.name)


@pytest.fixture(autouse=True)
def _no_model_is_loaded() -> Iterator[None]:
    in_process._load.cache_clear()
    yield
    in_process._load.cache_clear()


@pytest.fixture(scope="module")
def texts() -> TestSet:
    """Three systems of 150 segments, which agree in some of them."""
    systems = {name: Channel.at_rate(rate) for name, rate in (("a", 0.05), ("b", 0.1), ("c", 0.3))}
    simulated = simulate(systems=systems, segments=150, seed=3)
    reference = list(simulated.references[0])
    outputs = {name: list(text) for name, text in simulated.systems.items()}
    source = [" ".join(reversed(str(text).split())) for text in reference]
    return as_test_set(outputs, reference, source=source)


def checkpoint(models: Path, name: str) -> str:
    folder = models / f"models--random--{name}" / "snapshots" / REVISION
    return str(folder / "checkpoints" / "model.ckpt")


def samples(texts: TestSet, system: str, *, references: bool) -> list[dict[str, str]]:
    rows = zip(texts.source or (), texts.systems[system], texts.references[0], strict=True)
    names = ("src", "mt", "ref") if references else ("src", "mt")
    return [dict(zip(names, map(str, row), strict=False)) for row in rows]


def predicted(models: Path, name: str, rows: list[dict[str, str]]) -> list[float]:
    """What the package's own `predict` computes."""
    model = load_from_checkpoint(checkpoint(models, name))
    output = model.predict(rows, gpus=0, progress_bar=False, num_workers=0)
    return list(output.scores)


def scores_of(texts: TestSet, metric: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    return truebleu.count(texts, metrics=metric).metrics[0].rows.floats()[:, :, 0]


def uses_references(kind: str) -> bool:
    return kind in ("regression", "xcomet")


# The same numbers.


@pytest.mark.parametrize("kind", KINDS)
def test_single_precision_equals_predict(models: Path, texts: TestSet, kind: str) -> None:
    scores = scores_of(texts, KINDS[kind])
    for column, system in enumerate(texts.systems):
        rows = samples(texts, system, references=uses_references(kind))
        np.testing.assert_allclose(scores[:, column], predicted(models, kind, rows), atol=1e-6)
    assert np.std(scores) > 1e-3


def comet_score(models: Path, texts: TestSet, kind: str, folder: Path) -> list[list[float]]:
    """What the program comet-score writes, for each system."""
    files = {"src": texts.source or (), "ref": texts.references[0], **texts.systems}
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    command: list[str | Path] = [COMET_SCORE, "-s", "src", "-t", *texts.systems, "--gpus", "0"]
    command += ["-r", "ref"] if uses_references(kind) else []
    command += ["--model", checkpoint(models, kind), "--to_json", "out.json", "--quiet"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    written = json.loads((folder / "out.json").read_text())
    return [[row["COMET"] for row in written[system]] for system in texts.systems]


@pytest.mark.parametrize("kind", KINDS)
def test_half_precision_equals_comet_score(
    models: Path, texts: TestSet, tmp_path: Path, kind: str
) -> None:
    expected = comet_score(models, texts, kind, tmp_path)
    # All systems at once: other batches than comet-score's, which scores them one by one.
    together = scores_of(texts, f"{KINDS[kind]},precision=half")
    np.testing.assert_allclose(together.T, expected, atol=HALF[kind])
    assert len(np.unique(together)) < len(np.unique(scores_of(texts, KINDS[kind])))


@pytest.mark.parametrize("kind", KINDS)
def test_half_precision_of_one_system_is_comet_scores_to_the_digit(
    models: Path, tmp_path: Path, kind: str
) -> None:
    # No text twice, so that the batches are the same.
    numbers = [f"{'word ' * (1 + i % 9)}{i}" for i in range(100)]
    one = as_test_set(
        {"a": [f"x {n}" for n in numbers]}, [f"y {n}" for n in numbers], source=numbers
    )
    (expected,) = comet_score(models, one, kind, tmp_path)
    scores = scores_of(one, f"{KINDS[kind]},precision=half")[:, 0]
    np.testing.assert_allclose(scores, expected, atol=1e-6)


def test_the_two_ways_compute_the_same_half_precision(
    texts: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = scores_of(texts, f"{KINDS['regression']},precision=half")
    monkeypatch.setattr(truebleu.neural.metrics, "installed_versions", lambda *_: None)
    monkeypatch.setenv("TRUEBLEU_COMET", str(COMET_SCORE))
    counts = truebleu.count(texts, metrics=KINDS["regression"])
    np.testing.assert_allclose(counts.metrics[0].rows.floats()[:, :, 0], here, atol=2e-3)
    signature = str(counts.signature(counts.metrics[0]))
    # The versions are those of the program's environment.
    assert "|prec:half|unbabel-comet:2." in signature
    assert "|by:comet-score|" in signature


# Each text once.


@pytest.fixture
def encodings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of texts that were encoded, call by call."""
    calls: list[int] = []
    original: Callable[..., Any] = CometModel.get_sentence_embedding

    def counted(self: CometModel, input_ids: Any, *rest: Any, **named: Any) -> Any:
        calls.append(len(input_ids))
        return original(self, input_ids, *rest, **named)

    monkeypatch.setattr(CometModel, "get_sentence_embedding", counted)
    return calls


@pytest.mark.parametrize("kind", ["regression", "referenceless"])
def test_each_distinct_text_is_encoded_once(
    texts: TestSet, encodings: list[int], kind: str
) -> None:
    scores_of(texts, KINDS[kind])
    columns = [texts.source or (), *texts.systems.values()]
    columns += [texts.references[0]] if kind == "regression" else []
    distinct = len({text for column in columns for text in column})
    checked = 16 * (3 if kind == "regression" else 2)
    assert sum(encodings) == distinct + checked
    encodings.clear()
    forget()
    scores_of(texts, KINDS[kind])
    assert encodings == []


def test_embeddings_that_predict_contradicts_are_not_used(
    models: Path,
    texts: TestSet,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def shifted(self: CometEngine, block: Sequence[Any]) -> list[float]:
        return [score + 1e-3 for score in self._predict(block)]

    monkeypatch.setattr(CometEngine, "_by_embeddings", shifted)
    scores = scores_of(texts, KINDS["regression"])
    assert "scores from embeddings differ from `predict` by" in capsys.readouterr().err
    expected = predicted(models, "regression", samples(texts, "a", references=True))
    np.testing.assert_allclose(scores[:, 0], expected, atol=1e-6)


def test_minimum_bayes_risk_encodes_each_candidate_once(
    models: Path, texts: TestSet, encodings: list[int]
) -> None:
    segments, candidates = 12, 11
    lists = [[f"{texts.systems['c'][i]} {k}" for k in range(candidates)] for i in range(segments)]
    sources = list(map(str, list(texts.source or ())[:segments]))
    result = mbr(NBest.of(lists, sources=sources), metric=KINDS["regression"])
    assert sum(encodings) == segments * (candidates + 1) + 3 * 16
    rows = [
        {"src": source, "mt": output, "ref": reference}
        for source, texts_of in zip(sources, lists, strict=True)
        for output in texts_of
        for reference in texts_of
    ]
    shape = (segments, candidates, candidates)
    expected = np.reshape(predicted(models, "regression", rows), shape).mean(axis=2)
    utilities = [segment.utilities for segment in result.segments]
    np.testing.assert_allclose(np.array(utilities, dtype=float), expected, atol=1e-6)


# Runs that end early, and runs that need no model.


@pytest.fixture
def command(texts: TestSet, tmp_path: Path) -> list[str]:
    """A command that takes a while: predict on a model that reads texts together."""
    numbered = {"src": texts.source or (), "ref": texts.references[0], **texts.systems}
    for name, lines in numbered.items():
        copies = (f"{line} {copy}\n" for copy in range(10) for line in lines)
        (tmp_path / name).write_text("".join(copies))
    files = [str(tmp_path / name) for name in texts.systems]
    options = ["-s", str(tmp_path / "src"), "-m", KINDS["unified"], "-f", "tsv"]
    return [sys.executable, "-m", "truebleu", "score", *files, *options]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_run_that_was_stopped_continues(
    command: list[str], cache: Path, number: signal.Signals
) -> None:
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not kept():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    _, errors = process.communicate()
    before = kept()
    assert process.returncode == {"SIGINT": 130, "SIGTERM": 143}.get(number.name, -number)
    if number != signal.SIGKILL:
        assert errors.splitlines()[-1].endswith("run the same command again to continue")
        assert "Traceback" not in errors
    continued = system_scores(command)
    assert 0 < before < kept()
    cache.unlink()
    # Other batches, so the last digits of float32 may differ.
    np.testing.assert_allclose(continued, system_scores(command), atol=1e-6)


def system_scores(command: list[str]) -> list[float]:
    """The scores of all systems that a command prints."""
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    _header, *rows = (line for line in printed.splitlines() if not line.startswith("#"))
    return [float(row.split("\t")[1]) for row in rows]


def kept() -> int:
    """The number of scores in the cache."""
    return ScoreCache().size()[0]


def test_a_second_run_imports_neither_torch_nor_comet(command: list[str]) -> None:
    first = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    code = (
        "import runpy, sys\n"
        "try: runpy.run_module('truebleu', run_name='__main__')\n"
        "except SystemExit as end: assert not end.code\n"
        "print({'torch', 'comet', 'transformers'} & set(sys.modules), file=sys.stderr)\n"
    )
    again = [sys.executable, "-c", code, *command[3:]]
    second = subprocess.run(again, capture_output=True, text=True, check=True)
    assert second.stdout == first
    assert second.stderr == "set()\n"


# What is missing or broken.


def test_a_damaged_checkpoint_is_a_sentence(models: Path, texts: TestSet, tmp_path: Path) -> None:
    good = Path(checkpoint(models, "regression"))
    (tmp_path / "checkpoints").mkdir()
    damaged = tmp_path / "checkpoints" / "model.ckpt"
    damaged.write_bytes(good.read_bytes()[:50_000])
    (tmp_path / "hparams.yaml").write_bytes((good.parents[1] / "hparams.yaml").read_bytes())
    with pytest.raises(RefusedError, match=r"COMET: .*the checkpoint is damaged: fetch it again"):
        truebleu.score(texts, metrics=f"comet:model={damaged}")


def test_bertscore_equals_the_package(models: Path, texts: TestSet) -> None:
    from bert_score import BERTScorer
    from transformers import BertConfig, BertModel

    encoder = models / "models--random--encoder" / "snapshots" / REVISION
    if not (encoder / "model.safetensors").exists():
        BertModel(BertConfig.from_pretrained(encoder)).save_pretrained(encoder)
    scores = scores_of(texts, f"bertscore:model={encoder},layers=2")
    scorer = BERTScorer(model_type=str(encoder), num_layers=2, device="cpu")
    outputs, references = (list(map(str, t)) for t in (texts.systems["b"], texts.references[0]))
    expected = [float(score) for score in scorer.score(outputs, references)[2]]
    np.testing.assert_allclose(scores[:, 1], expected, atol=1e-6)
