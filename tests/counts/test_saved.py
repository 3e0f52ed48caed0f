"""Saved counts: files that keep every count, and damaged files that are refused."""

from __future__ import annotations

import io
import json
import os
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

import truebleu
from truebleu import BLEU
from truebleu.corpus._files import STATISTICS
from truebleu.corpus.fingerprints import Fingerprints
from truebleu.corpus.outline import Outline
from truebleu.counts import Counts, count_files, read_counts, save_counts
from truebleu.counts.rows import ArrayRows, Rows
from truebleu.counts.saved import find_counts, rename_system
from truebleu.errors import (
    MalformedFileError,
    OtherCountsError,
    RefusedError,
    SettingError,
    UnreadableFileError,
)
from truebleu.metrics import FunctionMetric, Signature
from truebleu.metrics.base import GivenMean
from truebleu.metrics.registry import METRICS
from truebleu.scores import GivenScores
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet

METRICS_SAVED = ["bleu", "ter", "nist"]


@pytest.fixture(scope="module")
def test_set() -> TestSet:
    texts = simulate(segments=40, systems={"old": Channel.at_rate(0.2)}, references=2)
    numbers = [int(name.rpartition("-")[2]) for name in texts.documents or ()]
    return replace(texts, domains=tuple("xy"[number % 2] for number in numbers))


@pytest.fixture(scope="module")
def counts(test_set: TestSet) -> Counts:
    return truebleu.count(test_set, metrics=METRICS_SAVED)


@pytest.fixture
def file(counts: Counts, tmp_path: Path) -> Path:
    save_counts(counts, tmp_path / "old.npz")
    return tmp_path / "old.npz"


def rewritten(
    file: Path, header: Mapping[str, Any], arrays: Mapping[str, Any] = MappingProxyType({})
) -> Path:
    """The file with other arrays, or with other values in its header."""
    with np.load(file) as archive:
        parts: dict[str, Any] = {**archive, **arrays}
    values = {**json.loads(parts[STATISTICS].tobytes()), **header}
    parts[STATISTICS] = np.frombuffer(json.dumps(values).encode(), dtype=np.uint8)
    np.savez(file, **parts)
    return file


def require_equal(found: Counts, expected: Counts) -> None:
    """Check that saved counts are those that were saved, except for texts and warnings."""
    outline = replace(expected.outline, warnings=(), fingerprints=expected.fingerprints)
    assert found.outline == outline
    assert found.labels == expected.labels
    for read, counted in zip(found.metrics, expected.metrics, strict=True):
        assert read.scorer == counted.scorer
        assert found.signature(read) == expected.signature(counted)
        assert read.rows.floats().tobytes() == counted.rows.floats().tobytes()


def test_saved_counts_are_read_back_exactly(counts: Counts, file: Path) -> None:
    # The ending of a file does not matter.
    read = read_counts(file.rename(file.with_suffix(".txt")))
    require_equal(read, counts)
    assert read.texts is None


def every_metric() -> list[str]:
    """Every metric of the registry as people write it, with settings where it has some."""
    written = {
        "depf": "",
        "scores": "",
        "bleu": "bleu:lowercase=yes,smooth=floor,smooth_value=0.05",
    }
    written |= {"chrf": "chrf:word_order=2,beta=3", "gtm": "gtm:exponent=1.2"}
    # Models that are not on this machine: tests/neural has programs that stand in.
    neural = {name for name, (module, _) in METRICS.items() if module == "truebleu.neural.metrics"}
    return [
        written.get(name, name)
        for name in METRICS
        if name not in neural | {"spans"} and written.get(name, name)
    ]


def test_every_metric_of_the_registry_is_read_back_by_its_name(tmp_path: Path) -> None:
    texts = simulate(segments=12, systems={"a": Channel.at_rate(0.2)}, seed=4)
    counts = truebleu.count(texts, metrics=[*every_metric(), "bleu:tokenize=intl", "chrf"])
    save_counts(counts, tmp_path / "all.npz")
    require_equal(read_counts(tmp_path / "all.npz"), counts)
    of_saved, of_texts = truebleu.score(read_counts(tmp_path / "all.npz")), truebleu.score(counts)
    assert of_saved["a"] == of_texts["a"]


def test_the_tokenizer_of_the_references_is_saved(tmp_path: Path) -> None:
    texts = ["他用很多时间写代码。"] * 3
    save_counts(truebleu.count({"a": texts}, texts), tmp_path / "zh.npz")
    (metric,) = read_counts(tmp_path / "zh.npz").metrics
    assert metric.scorer == BLEU(tokenize="zh")
    (requested,) = read_counts(tmp_path / "zh.npz", "bleu").metrics
    assert requested.scorer == BLEU(tokenize="zh")


def test_items_are_read_back_with_their_names(tmp_path: Path) -> None:
    scores_of: dict[str, list[float]] = {"a": [1, 0, 0.5], "b": [0, 1, 1]}
    rows = {
        system: [
            {"id": f"q{index}", "score": score, "passage": f"p{index // 2}"}
            for index, score in enumerate(scores)
        ]
        for system, scores in scores_of.items()
    }
    counts = truebleu.count(rows, documents="passage")
    save_counts(counts, tmp_path / "items.npz")
    read = read_counts(tmp_path / "items.npz")
    require_equal(read, counts)
    assert (read.outline.rows, read.outline.names) == ("items", ("q0", "q1", "q2"))
    assert read.outline.documents == ("p0", "p0", "p1")
    assert truebleu.compare(read, replicates=50).comparisons == (
        truebleu.compare(counts, replicates=50).comparisons
    )


@pytest.mark.parametrize("higher", [True, False])
def test_given_scores_are_read_back_with_counts_of_texts(higher: bool, tmp_path: Path) -> None:
    # A name may look like a signature.
    name = "COMET|nrefs:7|x"
    scores = {"a": [0.5, None, -1.0]}
    given = GivenScores.of(scores, name=name, higher_is_better=higher, missing="omit")
    counts = truebleu.count({"a": ["x y", "z", "v w"]}, ["x y", "z v", "w"], ["bleu", given])
    save_counts(counts, tmp_path / "both.npz")
    read = read_counts(tmp_path / "both.npz")
    require_equal(read, counts)
    assert read.metrics[1].scorer.higher_is_better is higher
    assert truebleu.score(read)["a"] == truebleu.score(counts)["a"]


def test_a_varying_number_of_references_is_saved(tmp_path: Path) -> None:
    references: list[list[str | None]] = [["x", "y"], ["z", None]]
    counts = truebleu.count({"a": ["x", "y"]}, references)
    save_counts(counts, tmp_path / "a.npz")
    read = read_counts(tmp_path / "a.npz")
    assert read.outline.references_each is None
    assert read.signature(read.metrics[0])["nrefs"] == "var"


def test_counts_of_some_systems_are_saved_without_the_others(tmp_path: Path) -> None:
    texts = simulate(segments=9, systems=[0.1, 0.2, 0.3])
    names = list(texts.systems)
    counts = truebleu.count(texts)
    save_counts(counts.select([names[2], names[0]]), tmp_path / "two.npz")
    read = read_counts(tmp_path / "two.npz")
    assert read.outline.systems == (names[2], names[0])
    assert_array_equal(read.metrics[0].rows.floats(), counts.metrics[0].rows.floats()[:, [2, 0]])
    outputs = counts.fingerprints.outputs
    assert read.fingerprints.outputs == {name: outputs[name] for name in read.outline.systems}


def overlap(output: str, references: list[str]) -> float:
    return float(output in references)


def test_a_metric_without_a_name_must_be_requested(tmp_path: Path) -> None:
    metric = FunctionMetric(function=overlap, name="overlap")
    counts = truebleu.count({"a": ["x", "y"]}, ["x", "z"], [metric])
    save_counts(counts, tmp_path / "a.npz")
    with pytest.raises(OtherCountsError, match=r"a\.npz: metric: overlap; expected a metric named"):
        read_counts(tmp_path / "a.npz")
    read = read_counts(tmp_path / "a.npz", [metric])
    assert float(truebleu.score(read)["a"]["overlap"]) == 0.5


def of_rows(rows: NDArray[np.float64]) -> Counts:
    """Counts of one system by a mean of scores: any sum, and a number of scores."""
    scorer = GivenMean(name="X", signature=Signature.of("X"))
    prints = Fingerprints(references="", outputs={}, lengths=(1,) * len(rows))
    outline = Outline(systems=("s",), segments=len(rows), fingerprints=prints)
    return Counts.of(outline, [(scorer, Rows.of(ArrayRows(rows[:, np.newaxis])))])


FINITE = st.floats(allow_nan=False, allow_infinity=False)
# The sign of zero, where whole numbers stop being written without a point, the ends of the range.
EDGES = [0.0, -0.0, 0.1, 2.0**53 - 1, 2.0**53, -(2.0**53), 5e-324, 1.7976931348623157e308]


@given(
    arrays(np.float64, st.tuples(st.integers(1, 8), st.just(2)), elements=st.integers(1, 2**33))
    | arrays(np.float64, st.integers(1, 8), elements=FINITE).map(
        lambda sums: np.stack([sums, np.ones_like(sums)], axis=1)
    )
)
@example(np.array([EDGES, [1.0] * len(EDGES)]).T)
@example(np.array([[0.0, -0.0, 2.0**53 - 1, 1.0], [0.0, 0.0, 2.0**53 - 1, 2.0**32]]).T)
def test_every_finite_number_survives(
    tmp_path_factory: pytest.TempPathFactory, rows: NDArray[np.float64]
) -> None:
    path = tmp_path_factory.mktemp("saved") / "file.npz"
    save_counts(of_rows(rows), path)
    assert read_counts(path).metrics[0].rows.floats().tobytes() == rows.tobytes()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_are_not_finite_are_not_saved(number: float, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="finite numbers"):
        save_counts(of_rows(np.array([[1.0, number]])), tmp_path / "file.npz")
    assert list(tmp_path.iterdir()) == []


def test_whole_numbers_are_stored_in_few_bytes(file: Path) -> None:
    with np.load(file, allow_pickle=False) as archive:
        kinds = {name: (array.dtype.name, array.shape) for name, array in archive.items()}
    assert kinds["metric-0"] == ("uint8", (1, 40, 10))
    assert kinds["metric-2"] == ("float64", (1, 40, 12))


def test_equal_counts_give_equal_bytes(counts: Counts, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        save_counts(counts, tmp_path / folder / "old.npz")
    assert (tmp_path / "a" / "old.npz").read_bytes() == (tmp_path / "b" / "old.npz").read_bytes()


def test_counting_in_parts_does_not_change_saved_counts(
    counts: Counts, test_set: TestSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {"ref-1": test_set.references[0], "ref-2": test_set.references[1], **test_set.systems}
    for name, text in texts.items():
        Path(f"{name}.txt").write_text("".join(f"{segment}\n" for segment in text))
    labels = zip(test_set.documents or (), test_set.domains or (), strict=True)
    table = "".join(f"{document}\t{domain}\n" for document, domain in labels)
    Path("docs.tsv").write_text("document\tdomain\n" + table)
    from_files = count_files(
        ["old.txt"],
        ["ref-1.txt", "ref-2.txt"],
        ["bleu", "ter"],
        documents="docs.tsv",
        fingerprints=True,
    )
    save_counts(from_files, "files.npz")
    names = from_files.outline.reference_names
    of_texts = counts.only("BLEU", "TER")
    save_counts(
        replace(of_texts, outline=replace(of_texts.outline, reference_names=names)), "texts.npz"
    )
    assert Path("files.npz").read_bytes() == Path("texts.npz").read_bytes()


def test_counts_without_fingerprints_are_not_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("x\n")
    counts = count_files(["a.txt"], ["a.txt"])
    with pytest.raises(truebleu.errors.AbsentTextError, match="fingerprints=True"):
        save_counts(counts, "a.npz")
    assert not Path("a.npz").exists()


def test_an_existing_file_is_kept_unless_it_may_be_overwritten(
    counts: Counts, tmp_path: Path
) -> None:
    path = tmp_path / "old.npz"
    path.write_text("mine")
    with pytest.raises(SettingError, match=r"old\.npz.*--force"):
        save_counts(counts, path)
    assert path.read_text() == "mine"
    save_counts(counts, path, overwrite=True)
    assert read_counts(path).outline.systems == ("old",)
    assert [entry.name for entry in tmp_path.iterdir()] == ["old.npz"]


def test_another_ending_is_refused(counts: Counts, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"old\.json'?; expected a name that ends in \.npz"):
        save_counts(counts, tmp_path / "old.json")


# Metrics that are requested.


def test_requested_metrics_are_read_in_their_order(file: Path) -> None:
    assert read_counts(file, "ter,bleu").labels == ["TER", "BLEU"]


@pytest.mark.parametrize("metric", [BLEU(lowercase=True), BLEU(max_order=2)], ids=str)
def test_another_signature_is_refused(file: Path, metric: BLEU) -> None:
    with pytest.raises(OtherCountsError, match=r"old\.npz: signature: BLEU\|nrefs:2"):
        read_counts(file, metric)


def test_a_metric_that_was_not_saved_is_refused(file: Path) -> None:
    with pytest.raises(OtherCountsError, match=r"expected WER\|"):
        read_counts(file, "wer")


@pytest.mark.parametrize("metrics", ["scores", "bleu,scores:path=comet.tsv"])
def test_scores_of_other_programs_cannot_be_requested(file: Path, metrics: str) -> None:
    with pytest.raises(RefusedError, match=r"old\.npz: .*leave out -m scores"):
        read_counts(file, metrics)


@pytest.mark.parametrize("metrics", [None, "bleu"])
def test_counts_of_another_version_of_truebleu_are_refused(
    metrics: str | None, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truebleu.metrics.base.VERSION", "99.0")
    with pytest.raises(OtherCountsError, match=r"expected BLEU\|.*version:truebleu-99\.0"):
        read_counts(file, metrics)


@pytest.mark.parametrize("version", [1, 2, 4, "3", None, [3]])
def test_another_format_version_is_refused(file: Path, version: object) -> None:
    with pytest.raises(MalformedFileError, match=r"old\.npz: (format version .*3|another layout)"):
        read_counts(rewritten(file, {"version": version}))


# Damaged files.


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.999])
def test_a_file_that_is_cut_off_is_refused(file: Path, kept: float) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: int(kept * len(data))])
    with pytest.raises(MalformedFileError, match=r"old\.npz: damaged data"):
        read_counts(file)


@pytest.mark.parametrize("place", [0.1, 0.3, 0.5, 0.7])
def test_a_changed_byte_is_noticed(file: Path, place: float) -> None:
    data = bytearray(file.read_bytes())
    data[int(place * len(data))] ^= 1
    file.write_bytes(data)
    with pytest.raises(MalformedFileError, match=r"damaged data|another layout"):
        read_counts(file)


ONES = np.ones((1, 40, 10), dtype=np.uint8)
SYSTEM = {"name": "old", "output": ""}
GIVEN = {"signature": "X|nrefs:2", "given": {"name": "X", "fields": {}, "higher_is_better": True}}


@pytest.mark.parametrize(
    ("header", "arrays"),
    [
        ({"metrics": None}, {}),
        ({"metrics": []}, {}),
        ({"metrics": ["a", "b", "c", "d"]}, {}),
        ({"metrics": [1.5]}, {}),
        ({"metrics": [{}]}, {}),
        ({"metrics": [{**GIVEN, "given": 1}]}, {}),
        ({"metrics": [{**GIVEN, "given": {"name": "X"}}]}, {}),
        ({"metrics": [{**GIVEN, "given": {**GIVEN["given"], "fields": 3}}]}, {}),  # type: ignore[dict-item]
        ({"segments": 41}, {}),
        ({"segments": 40.0}, {}),
        ({"segments": "40"}, {}),
        ({"segments": 10**15}, {}),
        ({"segments": 0}, {"lengths": ONES[0, :0, 0], "metric-0": ONES[:, :0]}),
        ({"systems": []}, {}),
        ({"systems": []}, {"metric-0": ONES[:0], "metric-1": ONES[:0], "metric-2": ONES[:0]}),
        ({"systems": [{}]}, {}),
        ({"systems": [{"name": "", "output": ""}]}, {}),
        ({"systems": [{"name": 3, "output": ""}]}, {}),
        ({"systems": [SYSTEM, SYSTEM]}, {"metric-0": np.repeat(ONES, 2, axis=0)}),
        ({"systems": [{"name": "old", "output": None}]}, {}),
        ({"systems": [{"name": "old", "output": 1.5}]}, {}),
        ({"rows": None}, {}),
        ({"rows": "lines"}, {}),
        ({"fingerprint": None}, {}),
        ({"fingerprint": 1.5}, {}),
        ({"references": [None, 1.5]}, {}),
        ({"references_each": 2.0}, {}),
        ({"metrics": [{**GIVEN, "signature": None}]}, {}),
        ({"metrics": [{**GIVEN, "given": {**GIVEN["given"], "name": None}}]}, {}),  # type: ignore[dict-item]
        ({"metrics": [{**GIVEN, "given": {**GIVEN["given"], "fields": {"a": None}}}]}, {}),  # type: ignore[dict-item]
        ({"metrics": [{**GIVEN, "given": {**GIVEN["given"], "higher_is_better": 1.5}}]}, {}),  # type: ignore[dict-item]
        ({"names": [None] * 40}, {}),
        ({"names": [1.5] * 40}, {}),
        ({"documents": [None]}, {"documents": np.zeros(40, dtype=np.uint32)}),
        ({"documents": [1.5]}, {"documents": np.zeros(40, dtype=np.uint32)}),
        ({"documents": []}, {}),
        ({"names": ["q1"]}, {}),
        ({"references": 10**9}, {}),
        ({"references_each": 10**9}, {}),
        ({"references_each": -1}, {}),
        ({"references_each": "2"}, {}),
        ({}, {"metric-0": ONES[:, :39]}),
        ({}, {"metric-0": ONES[0]}),
        ({}, {"metric-0": ONES.astype(str)}),
        ({}, {"metric-0": np.full((1, 40, 10), np.nan)}),
        ({}, {"lengths": ONES[0, :39, 0]}),
        ({}, {"lengths": np.full(40, np.nan)}),
    ],
    ids=str,
)
def test_another_layout_is_refused(
    file: Path, header: dict[str, Any], arrays: dict[str, Any]
) -> None:
    with pytest.raises(MalformedFileError, match="another layout"):
        read_counts(rewritten(file, header, arrays))


@pytest.mark.parametrize("metrics", [None, BLEU(tokenize="13a")], ids=str)
def test_counts_of_another_width_are_refused(file: Path, metrics: BLEU | None) -> None:
    nine = {"metric-0": np.ones((1, 40, 9), dtype=np.uint8)}
    with pytest.raises(MalformedFileError, match=r"old\.npz: 9 columns of BLEU; expected 10"):
        read_counts(rewritten(file, {}, nine), metrics)


#: A row of each metric that a segment can have, and rows that none can have.
FORGED: dict[str, tuple[list[float], list[list[float]]]] = {
    "bleu": ([5, 6, 4, 3, 2, 1, 5, 4, 3, 2], [
        [5, 6, 4, 3, 2.5, 1, 5, 4, 3, 2], [5, 6, 4, 3, 2, -1, 5, 4, 3, 2],
        [5, 6, 4, 5, 2, 1, 5, 4, 3, 2], [5, -6, 4, 3, 2, 1, 5, 4, 3, 2],
        [5, 6, 4, 3, 2, 1, 5, 4, 4, 2], [4, 6, 4, 3, 2, 1, 5, 4, 3, 2],
    ]),
    "mbleu": ([1, 1, 1, 0, 0, 0, 1, 0, 0, 0], [[1, 1, 2, 0, 0, 0, 1, 0, 0, 0]]),
    "chrf:char_order=1": ([3, 4, 2], [[3, 4, 4], [4, 3, 4], [3, 4, 1.5], [3, 4, -1]]),
    "ter": ([2, 3.5], [[-1, 3], [1, -3]]),
    "wer": ([4, 5, 1, 2, 1], [
        [4.5, 5, 1, 2, 1], [3, 5, 1, 2, 1], [4, 2, 1, 2, 1], [1, 5, 1, -1, 1],
    ]),
    "per": ([1, 2], [[1.5, 2], [-1, 2], [1, 2.5]]),
    "gtm": ([2, 3, 2], [[2.5, 3, 2], [-1, 3, 2], [1, 2.5, 2]]),
    "gtm:exponent=2": ([1.5, 3, 2], [[2.5, 3, 2]]),
    "length": ([3, 4], [[2.5, 4], [3, -4]]),
    "sentbleu": ([120, 4, 30, 1], [
        [120, 4, 31, 1], [120, 4, 30, 2], [120, 4.5, 30, 1], [-4, 4, -1, 1],
    ]),
    "nist:max_order=1": ([3, 3, 2.5, 3], [[3, 3, -2.5, 3]]),
}  # fmt: skip


@pytest.mark.parametrize("metric", FORGED)
def test_counts_that_no_segment_can_have_are_refused(metric: str, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    texts = {"a": ["a b", "c d"], "b": ["a b", "c e"]}
    save_counts(truebleu.count(texts, ["a b", "c d"], metric), path)
    possible, forged = FORGED[metric]
    for row in forged:
        rows = np.array([[possible, possible], [possible, row]], dtype=np.float64)
        with pytest.raises(MalformedFileError, match=r"of segment 2 of b: .* that a segment can"):
            read_counts(rewritten(path, {}, {"metric-0": rows}))
    rows = np.array([[possible] * 2] * 2, dtype=np.float64)
    assert read_counts(rewritten(path, {}, {"metric-0": rows})).outline.segments == 2


@pytest.mark.parametrize("row", [[1, -1], [1, 0.5], [1, 0]])
def test_means_of_a_number_of_scores_that_cannot_be_are_refused(
    row: list[float], file: Path
) -> None:
    rows = np.array([[[0.5, 1]] * 39 + [row]], dtype=np.float64)
    with pytest.raises(MalformedFileError, match=r"X of segment 40 of old: 1, "):
        read_counts(rewritten(file, {"metrics": [GIVEN]}, {"metric-0": rows}))


def test_given_scores_of_another_width_are_refused(file: Path) -> None:
    with pytest.raises(MalformedFileError, match=r"old\.npz: 10 columns of X; expected 2"):
        read_counts(rewritten(file, {"metrics": [GIVEN]}))


@pytest.mark.parametrize("metric", ["blue", "bleu:x=1", "bleu:max_order=0", "bleu,chrf", "a:b:c"])
def test_a_metric_of_another_truebleu_is_refused_with_the_file(file: Path, metric: str) -> None:
    header = {"metrics": [{"signature": "BLEU|nrefs:2", "metric": metric}]}
    with pytest.raises(MalformedFileError, match=r"old\.npz: (metric '|another layout)"):
        read_counts(rewritten(file, header))


def test_a_file_names_no_other_file_to_read(file: Path) -> None:
    header = {"metrics": [{"signature": "x|nrefs:2", "metric": "scores:path=/dev/zero"}]}
    with pytest.raises(RefusedError, match=r"old\.npz"):
        read_counts(rewritten(file, header))


def test_no_room_is_made_for_an_array_that_is_not_there(file: Path) -> None:
    """The array says that it has 10 ** 15 rows, as the header does, and is empty."""
    head = io.BytesIO()
    shape = (1, 10**15, 10)
    np.lib.format.write_array_header_1_0(
        head, {"descr": "|u1", "fortran_order": False, "shape": shape}
    )
    rewritten(file, {"segments": 10**15, "metrics": [GIVEN]})
    with ZipFile(file) as archive:
        first = archive.read(f"{STATISTICS}.npy")
    with ZipFile(file, "w") as archive:
        archive.writestr(f"{STATISTICS}.npy", first)
        archive.writestr("lengths.npy", head.getvalue().replace(b"(1, 1", b"(1"))
        archive.writestr("metric-0.npy", head.getvalue())
    with pytest.raises(MalformedFileError, match="another layout"):
        read_counts(file)


def test_objects_are_not_unpickled(file: Path) -> None:
    rewritten(file, {}, {"metric-0": np.array([[[print] * 10] * 40], dtype=object)})
    with pytest.raises(MalformedFileError, match="another layout"):
        read_counts(file)


def test_an_archive_that_grows_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_MAX_BYTES", "1000")
    with pytest.raises(MalformedFileError, match="TRUEBLEU_MAX_BYTES"):
        read_counts(file)


@pytest.mark.parametrize("content", ["", "a text\n", "{}", '{"format": "other"}'])
def test_a_file_of_another_kind_is_not_saved_counts(tmp_path: Path, content: str) -> None:
    path = tmp_path / "text"
    path.write_text(content)
    assert find_counts(str(path)) is None
    with pytest.raises(MalformedFileError, match="another file format"):
        read_counts(path)


def test_counts_are_found_by_their_beginning(file: Path) -> None:
    found = find_counts(str(file), "ter")
    assert found is not None
    assert found.labels == ["TER"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert find_counts(str(tmp_path / "none")) is None
    with pytest.raises(UnreadableFileError, match="no such file"):
        read_counts(tmp_path / "none")


def test_a_pipe_is_left_unread(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert find_counts(str(tmp_path / "pipe")) is None


# The name of the only system.


def test_the_only_system_can_be_renamed(counts: Counts) -> None:
    renamed = rename_system(counts, "new", "new=old.npz")
    assert renamed.outline.systems == ("new",)
    output = counts.fingerprints.output("old")
    assert renamed.fingerprints.outputs == {"new": output}
    assert renamed.metrics[0].rows == counts.metrics[0].rows


def test_the_only_scored_model_can_be_renamed() -> None:
    renamed = rename_system(truebleu.count({"a": [0, 1]}), "b", "b=items.npz")
    assert renamed.outline.systems == ("b",)
    assert renamed.fingerprints.outputs == {}


def test_several_systems_cannot_be_renamed() -> None:
    counts = truebleu.count({"a": [0, 1], "b": [1, 1]})
    with pytest.raises(SettingError, match="a file of one system, not 2"):
        rename_system(counts, "c", "c=both.npz")
