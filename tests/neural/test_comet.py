"""COMET in this process, with a package that stands in; tests/neural/comet has the real one."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import truebleu
import truebleu.neural.comet as comet
import truebleu.neural.metrics
from tests.neural.stand_ins import plain_score
from truebleu.errors import RefusedError
from truebleu.neural.comet import find_device

if TYPE_CHECKING:
    from truebleu.corpus.test_set import TestSet

METRIC = "cometkiwi:model=tiny/kiwi,device=cpu"
VERSIONS = {"unbabel-comet": "2.2.7", "torch": "2.1"}


class Model:
    """A model whose `predict` does as `behaviour` says."""

    def __init__(self, behaviour: str) -> None:
        self.behaviour = behaviour
        self.calls: list[tuple[int, dict[str, Any]]] = []

    def eval(self) -> None:
        pass

    def half(self) -> Model:
        return self

    def predict(self, samples: list[dict[str, str]], **options: Any) -> SimpleNamespace:
        self.calls.append((len(samples), options))
        if self.behaviour == "interrupted":
            sys.exit(1)  # as Lightning does
        if self.behaviour == "memory":
            raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB\nmore")
        return SimpleNamespace(scores=[plain_score(s["src"], s["mt"]) for s in samples])


@pytest.fixture
def package(hub: object, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A package comet; its attribute `model` is what it loads."""
    del hub
    module, torch = ModuleType("comet"), ModuleType("torch")
    module.model = Model("")  # type: ignore[attr-defined]
    module.load_from_checkpoint = lambda *_, **__: module.model  # type: ignore[attr-defined]
    torch.cuda = SimpleNamespace(is_available=lambda: False)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "comet", module)
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(truebleu.neural.metrics, "installed_versions", lambda *_: VERSIONS)
    comet._load.cache_clear()
    return module


def test_distinct_texts_are_predicted_once(texts: TestSet, package: ModuleType) -> None:
    counts = truebleu.count(texts, metrics=METRIC)
    rows = counts.metrics[0].rows.floats()
    assert rows[3, 1, 0] == plain_score("Ja.", "Yeah.")
    ((number, options),) = package.model.calls
    assert number == 5
    assert options["gpus"] == 0
    assert options["num_workers"] == 0
    assert "device:cpu|prec:single|unbabel-comet:2.2.7|torch:2.1" in str(
        counts.signature(counts.metrics[0])
    )


def test_a_second_run_imports_no_package(
    texts: TestSet, package: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = truebleu.score(texts, metrics=METRIC)
    assert package.model.calls
    for name in ("comet", "torch"):
        monkeypatch.setitem(sys.modules, name, None)  # importing it fails
    comet._load.cache_clear()
    assert truebleu.score(texts, metrics=METRIC) == first


def test_half_precision_keeps_the_batches_of_comet_score(
    texts: TestSet, package: ModuleType
) -> None:
    truebleu.score(texts, metrics=f"{METRIC},precision=half,batch=2")
    ((_, options),) = package.model.calls
    assert options["batch_size"] == 2
    assert options["length_batching"] is False


def test_ctrl_c_inside_lightning_is_an_interrupt(texts: TestSet, package: ModuleType) -> None:
    package.model.behaviour = "interrupted"
    with pytest.raises(KeyboardInterrupt):
        truebleu.score(texts, metrics=METRIC)


def test_too_little_memory_is_a_sentence(texts: TestSet, package: ModuleType) -> None:
    package.model.behaviour = "memory"
    expected = (
        r"CometKiwi: RuntimeError: CUDA out of memory. .*; too little memory: use a smaller batch="
    )
    with pytest.raises(RefusedError, match=expected):
        truebleu.score(texts, metrics=METRIC)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ModuleNotFoundError("No module named 'pkg_resources'"), "pip install 'setuptools<81'"),
        (
            ImportError("cannot import name 'runtime_version' from 'google.protobuf'"),
            "pip install 'sentencepiece==0.2.0'",
        ),
        (ImportError("numpy.core.multiarray failed to import"), r"pip install 'truebleu\[comet\]'"),
        (RuntimeError("PytorchStreamReader failed"), "the checkpoint is damaged: fetch it again"),
    ],
    ids=["setuptools", "protobuf", "numpy", "checkpoint"],
)
def test_a_model_that_cannot_be_loaded_is_a_sentence(
    texts: TestSet, package: ModuleType, error: Exception, message: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    package.load_from_checkpoint = fail  # type: ignore[attr-defined]
    with pytest.raises(RefusedError, match=f"CometKiwi: .*{message}"):
        truebleu.score(texts, metrics=METRIC)


def test_a_gpu_that_torch_does_not_see_is_a_sentence(texts: TestSet, package: ModuleType) -> None:
    del package
    with pytest.raises(RefusedError, match="torch does not see the GPU; use device=cpu"):
        truebleu.score(texts, metrics="cometkiwi:model=tiny/kiwi,device=gpu")


@pytest.mark.parametrize(
    ("visible", "device", "expected"),
    [("", "auto", "cpu"), ("-1", "auto", "cpu"), ("0", "cpu", "cpu")],
)
def test_no_gpu_is_used_if_none_may_be(
    monkeypatch: pytest.MonkeyPatch, visible: str, device: str, expected: str
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert find_device(device) == expected
