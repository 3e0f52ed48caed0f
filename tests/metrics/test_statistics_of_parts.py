"""What is counted part by part and kept narrow gives the digits of texts in memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import truebleu
from truebleu import resampling
from truebleu._core import Statistics
from truebleu.corpus import _files as parts, read_test_set
from truebleu.corpus._files import OpenedFile
from truebleu.errors import AbsentTextError, SettingError
from truebleu.metrics.registry import Rows, count_test_set, narrowed
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from truebleu.corpus.test_set import TestSet

HALF = ["first"] * 150 + ["second"] * 150
TEXTS = {"systems": ["a.txt", "b.txt"], "references": ["ref.txt"], "documents": "docs.txt"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = simulate(
        segments=300, systems={"a": Channel.at_rate(0.2), "b": Channel.at_rate(0.16)}, seed=3
    )
    for name, text in {"ref": texts.references[0], **texts.systems}.items():
        Path(f"{name}.txt").write_text("".join(f"{segment}\n" for segment in text))
    Path("docs.txt").write_text("".join(f"d{number // 6 % 40}\n" for number in range(300)))


@pytest.fixture
def whole() -> TestSet:
    return read_test_set(**TEXTS)  # type: ignore[arg-type]


def counted(monkeypatch: pytest.MonkeyPatch, metrics: list[str], size: int = 4_000) -> TestSet:
    """The same texts, counted in parts of so many bytes."""
    monkeypatch.setattr(parts, "PART_BYTES", size)
    monkeypatch.setattr(OpenedFile, "PIECE", 256)
    return count_test_set(metrics=metrics, **TEXTS)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("size", [200, 4_000, 1 << 25])
@pytest.mark.parametrize("metrics", [["bleu", "chrf", "ter"], ["nist"]], ids=str)
def test_verbs_do_not_know_the_difference(
    size: int, metrics: list[str], whole: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten = counted(monkeypatch, metrics, size)
    for verb, settings in (
        (truebleu.score, {}),
        (truebleu.score, {"per_segment": True}),
        (truebleu.score, {"confidence": True, "by": ["document"]}),
        (truebleu.compare, {"replicates": 200}),
        (truebleu.compare, {"replicates": 200, "unit": "segment", "by": {"half": HALF}}),
        (truebleu.compare, {"replicates": 200, "margin": 1.0}),
        (truebleu.gate, {"baseline": "b", "margin": 1.0}),
    ):
        expected = verb(whole, metrics=metrics, **settings)
        found = verb(forgotten, metrics=metrics, **settings)
        assert found.to_dict() == expected.to_dict()


@pytest.mark.parametrize("test", ["ar", "scaled", "bootstrap"])
def test_numbers_that_stay_narrow_give_the_same_digits(
    test: str, whole: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {"metrics": ["bleu", "chrf"], "replicates": 200, "test": test}
    for unit in ("segment", "document"):
        expected = truebleu.compare(whole, unit=unit, **settings).to_dict()
        with monkeypatch.context() as patch:
            patch.setattr(resampling, "MOST_FLOATS", 0)
            patch.setattr(resampling, "BLOCK", 64)
            forgotten = counted(monkeypatch, ["bleu", "chrf"])
            found = truebleu.compare(forgotten, unit=unit, **settings).to_dict()
        assert found == expected


def test_runs_take_some_of_the_systems(whole: TestSet, monkeypatch: pytest.MonkeyPatch) -> None:
    forgotten = counted(monkeypatch, ["bleu"])
    runs = {"y": ["b"], "x": ["a"]}
    settings: dict[str, Any] = {"metrics": ["bleu"], "replicates": 200, "runs": runs}
    expected = truebleu.compare(whole, **settings).to_dict()
    assert truebleu.compare(forgotten, **settings).to_dict() == expected


def test_fingerprints_are_those_of_the_texts(whole: TestSet) -> None:
    forgotten = count_test_set(fingerprints=True, **TEXTS)  # type: ignore[arg-type]
    assert forgotten.fingerprint == whole.fingerprint
    assert forgotten.reference_lengths == whole.reference_lengths
    assert forgotten.output_fingerprint("b") == whole.output_fingerprint("b")
    with pytest.raises(AbsentTextError):
        _ = count_test_set(**TEXTS).fingerprint  # type: ignore[arg-type]


def test_metrics_that_did_not_count_are_refused() -> None:
    forgotten = count_test_set(**TEXTS)  # type: ignore[arg-type]
    with pytest.raises(AbsentTextError):
        truebleu.score(forgotten, metrics=["chrf"])


def test_a_script_that_changes_after_the_first_part_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = ["plain words"] * 20 + ["他用很多时间写代码。"] * 200
    for name in ("ref", "a", "b"):
        Path(f"{name}.txt").write_text("\n".join(lines) + "\n")
    Path("docs.txt").write_text("d\n" * 220)
    with pytest.raises(SettingError, match="Chinese in all"):
        counted(monkeypatch, ["bleu"], 300)
    assert counted(monkeypatch, ["bleu:tokenize=13a"], 300).warnings[-1].code == "unspaced"
    assert len(counted(monkeypatch, ["bleu"], 1 << 25)) == 220


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        ([0, 1, 32767], "int16"),
        ([0, 1, 32768], "int32"),
        ([0, 2**31], "float64"),
        ([0.5, 1], "float64"),
        ([-0.0, 1], "float64"),
    ],
)
def test_numbers_are_as_narrow_as_they_fit(numbers: list[float], kind: str) -> None:
    narrow = narrowed(np.array(numbers, dtype=np.float64).reshape(-1, 1, 1))
    assert narrow.dtype == kind
    assert_array_equal(narrow.ravel(), numbers)


def test_rows_of_parts_are_added_up_from_the_first_to_the_last() -> None:
    rng = np.random.default_rng(1)
    pieces = [rng.integers(0, most, (70, 2, 3)).astype(float) for most in (9, 90_000, 9)]
    pieces.append(rng.random((70, 2, 3)))
    rows = Rows()
    for place, piece in enumerate(pieces, 1):
        rows.add(Statistics(piece))
        whole = np.concatenate(pieces[:place])
        assert rows.sums() == Statistics(whole).sums()
        assert_array_equal(rows.array(), whole)
