"""Test sets drawn from pools, how like them they are, and their files."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy.stats import ks_2samp

from truebleu.corpus import TestSet, as_test_set, read_test_set
from truebleu.errors import SettingError, UnknownNameError, UnreadableFileError
from truebleu.planning import sample as drawing
from truebleu.planning.sample import Sample, _words, largest_distance, sample
from truebleu.schema import Draw, Streams
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


@pytest.fixture(scope="module")
def pool() -> TestSet:
    channels = {"good": Channel.at_rate(0.1), "bad": Channel.at_rate(0.3)}
    return simulate(segments=400, systems=channels, references=2, seed=4)


def draw(texts: TestSet, **values: Any) -> Sample:
    return sample(texts, **{"size": 60, **values})


def positions(drawn: Sample) -> NDArray[np.int64]:
    return np.array(drawn.segments) - 1


def words(texts: TestSet) -> list[list[str]]:
    return _words(texts, "13a")


def only_references(*texts: list[str | None]) -> TestSet:
    names = tuple(f"reference-{number}" for number in range(len(texts)))
    return TestSet(systems={}, references=texts, reference_names=names)


@pytest.mark.parametrize("method", ["systematic", "random", "stratified", "document"])
def test_all_texts_are_drawn_together(pool: TestSet, method: str) -> None:
    result = draw(pool, draw=method)
    drawn = result.test_set
    for number, position in enumerate(positions(result).tolist()):
        for name in pool.systems:
            assert drawn.systems[name][number] == pool.systems[name][position]
        for here, there in zip(drawn.references, pool.references, strict=True):
            assert here[number] == there[position]
        assert drawn.documents is not None
        assert pool.documents is not None
        assert drawn.documents[number] == pool.documents[position]
    assert len(drawn) == len(result.segments)
    assert abs(len(drawn) - 60) <= (5 if method == "document" else 0)


def test_lengths_count_the_source_if_there_is_one(pool: TestSet) -> None:
    with_source = replace(pool, source=["one two three"] * 400)
    assert {len(tokens) for tokens in words(with_source)} == {3}
    assert set(draw(with_source).pool_lengths.quantiles.values()) == {3}
    patchy = only_references(["a b", None], [None, "c"])
    assert [len(tokens) for tokens in words(patchy)] == [2, 1]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": 0}, "size: 0; expected a whole number from 1 up"),
        ({"size": -3}, "size: -3"),
        ({"size": 401}, "size: 401; expected at most 400"),
        ({"seed": -1}, "seed: -1"),
    ],
)
def test_impossible_draws_raise(pool: TestSet, values: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        draw(pool, **values)


@pytest.mark.parametrize("values", [{"draw": "blocks"}, {"tokenizer": "words"}])
def test_unknown_names_are_refused(pool: TestSet, values: dict[str, Any]) -> None:
    with pytest.raises(UnknownNameError):
        draw(pool, **values)


def test_a_pool_without_labels_cannot_be_drawn_by_them(pool: TestSet) -> None:
    bare = replace(pool, documents=None, domains=None)
    with pytest.raises(SettingError, match="expected a pool with documents"):
        draw(bare, draw="document")
    with pytest.raises(SettingError, match="expected a pool with domains"):
        draw(bare, draw="stratified")
    with pytest.raises(SettingError, match="'one document'"):
        draw(replace(pool, documents=("d",) * 400), draw="document")


def test_the_report_counts_what_a_plain_count_finds(pool: TestSet) -> None:
    report = draw(pool, draw="random")
    drawn = set(positions(report).tolist())
    lengths = np.array([len(tokens) for tokens in words(pool)])
    assert report.lengths.mean == pytest.approx(lengths[positions(report)].mean())
    assert report.pool_lengths.quantiles["0.5"] == np.median(lengths)
    assert sum(domain.segments for domain in report.domains) == 60
    assert sum(domain.pool_share for domain in report.domains) == pytest.approx(1)
    assert report.documents == len({(pool.documents or ())[position] for position in drawn})


def test_the_distance_is_kolmogorov_and_smirnovs() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        left, right = rng.poisson(9, size=40), rng.poisson(11, size=150)
        assert largest_distance(left, right) == pytest.approx(ks_2samp(left, right).statistic)


@pytest.mark.slow
def test_random_samples_are_about_as_far_from_the_pool_as_the_report_says(pool: TestSet) -> None:
    below = 0
    for seed in range(200):
        report = draw(pool, draw="random", seed=seed)
        below += report.length_distance <= report.usual_distance
    # Lengths are whole numbers, and with ties distances are smaller.
    assert below >= 0.93 * 200


def test_the_whole_pool_differs_in_nothing(pool: TestSet) -> None:
    report = draw(pool, size=400)
    assert report.length_distance == 0
    assert report.usual_distance == 0
    json.dumps(report.to_dict(), allow_nan=False)


def test_a_saved_sample_can_be_read(pool: TestSet, tmp_path: Path) -> None:
    drawn = draw(replace(pool, source=pool.references[0]))
    files = drawn.save(tmp_path / "new" / "folder")
    names = [file.name for file in files]
    assert names == [
        "reference-1.txt",
        "reference-2.txt",
        "source.txt",
        "good.txt",
        "bad.txt",
        "documents.tsv",
        "segments.txt",
    ]
    again = read_test_set(files[3:5], files[:2], source=files[2], documents=files[5])
    assert replace(again, warnings=()).to_dict() == drawn.test_set.to_dict()
    assert list(again.systems["bad"]) == list(drawn.test_set.systems["bad"])
    assert again.documents == drawn.test_set.documents
    assert again.domains == drawn.test_set.domains
    numbers = [int(line) for line in files[6].read_text().splitlines()]
    assert numbers == list(drawn.segments)


@pytest.mark.parametrize(
    "segments",
    [
        ["one\ntwo", "x"],
        ["one\r", "x"],
        ["\ufeffone", "x"],
        ["one", ""],
        ["\u2028", "\x0c\x85"],
    ],
)
def test_texts_that_lines_cannot_hold_are_saved_all_the_same(
    segments: list[str], tmp_path: Path
) -> None:
    pool = replace(only_references(["r", None], ["s", "t"]), systems={"a": segments})
    drawn = draw(pool, size=2)
    *references, system, _ = drawn.save(tmp_path)
    again = read_test_set([system], references)
    assert list(again.systems["a"]) == segments
    assert [list(reference) for reference in again.references] == [["r", None], ["s", "t"]]


def test_labels_that_a_table_cannot_hold_are_saved_all_the_same(tmp_path: Path) -> None:
    pool = replace(only_references(["r", "s"]), documents=("a\tb", "c\r"))
    reference, labels, _ = draw(pool, size=2).save(tmp_path)
    assert read_test_set([], [reference], documents=labels).documents == ("a\tb", "c\r")


def test_names_of_files_do_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    pool = as_test_set({"../a": ["x"]}, ["r"])
    files = draw(pool, size=1).save(tmp_path / "out")
    assert {file.parent for file in files} == {tmp_path / "out"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


@pytest.mark.parametrize("names", [("a", "A"), ("segments",), ("..",), ("reference",)])
def test_names_that_would_hide_another_file_are_refused(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    pool = as_test_set({name: ["x"] for name in names}, ["r"])
    pool = replace(pool, reference_names=("reference",))
    with pytest.raises(SettingError, match="write NAME=FILE"):
        draw(pool, size=1).save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_nothing_is_overwritten_unless_it_may_be(pool: TestSet, tmp_path: Path) -> None:
    (tmp_path / "segments.txt").write_text("mine")
    drawn = draw(pool)
    with pytest.raises(SettingError, match=r"segments\.txt"):
        drawn.save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["segments.txt"]
    assert (tmp_path / "segments.txt").read_text() == "mine"
    drawn.save(tmp_path, overwrite=True)
    assert (tmp_path / "segments.txt").read_text() != "mine"


@pytest.mark.parametrize("name", ["documents.tsv", "source.txt", "reference.jsonl"])
def test_files_of_another_draw_raise(name: str, pool: TestSet, tmp_path: Path) -> None:
    drawn = draw(replace(pool, documents=None, domains=None))
    drawn.save(tmp_path)
    (tmp_path / name).write_text("of other segments")
    before = (tmp_path / "segments.txt").read_text()
    other = replace(drawn, segments=tuple(number + 1 for number in drawn.segments))
    with pytest.raises(SettingError, match=f"{name}.*another draw"):
        other.save(tmp_path, overwrite=True)
    assert (tmp_path / "segments.txt").read_text() == before
    (tmp_path / name).unlink()
    (tmp_path / "README.md").write_text("not a draw's")
    other.save(tmp_path, overwrite=True)
    assert (tmp_path / "segments.txt").read_text() != before


def test_a_distance_is_usually_at_most_one() -> None:
    report = draw(only_references([*["a"] * 99, "a b"]), size=1)
    assert report.usual_distance == 1


def test_a_folder_that_is_a_file_is_refused(pool: TestSet, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UnreadableFileError):
        draw(pool).save(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


# Which segments are drawn.


def stream(seed: int) -> Draw:
    return Streams(seed, "test").at(0)


SIZES = st.integers(1, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n)))
LABELS = st.lists(st.sampled_from("abcde"), min_size=1, max_size=60)


@given(sizes=SIZES, seed=st.integers(0, 1000))
def test_a_systematic_sample_takes_steps_of_two_lengths_at_most(
    sizes: tuple[int, int], seed: int
) -> None:
    count, size = sizes
    positions = drawing.systematic(count, size, stream(seed))
    assert len(positions) == size
    assert positions[0] >= 0
    assert positions[-1] < count
    # Around the end the pool begins again.
    steps = np.diff([*positions, positions[0] + count])
    assert set(steps.tolist()) <= {count // size, -(-count // size)}


@pytest.mark.parametrize("start", range(10))
def test_a_systematic_sample_is_every_kth_segment(start: int) -> None:
    """Koehn (2004, §3.3): sample i of 30,000 segments has i, i + 100, i + 200 and so on."""
    positions = drawing.systematic(100, 10, lambda: (start + 0.5) / 10)
    assert positions.tolist() == list(range(start, 100, 10))


def test_every_segment_is_as_likely_in_a_systematic_sample() -> None:
    starts = [(start + 0.5) / 7 for start in range(7)]
    taken = Counter(p for u in starts for p in drawing.systematic(7, 3, lambda u=u: u).tolist())  # type: ignore[misc]
    assert taken == dict.fromkeys(range(7), 3)


@given(sizes=SIZES, seed=st.integers(0, 1000))
def test_a_random_sample_has_each_segment_once(sizes: tuple[int, int], seed: int) -> None:
    count, size = sizes
    positions = drawing.random(count, size, stream(seed)).tolist()
    assert positions == sorted(set(positions))
    assert len(positions) == size
    assert set(positions) <= set(range(count))


def test_every_segment_is_as_likely_in_a_random_sample() -> None:
    taken = Counter(p for seed in range(2000) for p in drawing.random(10, 3, stream(seed)).tolist())
    # 600 each; 5 standard deviations.
    assert all(abs(taken[position] - 600) < 103 for position in range(10))


@given(labels=LABELS, seed=st.integers(0, 100), data=st.data())
def test_a_stratified_sample_has_the_shares_of_the_pool(
    labels: list[str], seed: int, data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, len(labels)))
    positions = drawing.stratified(labels, size, stream(seed)).tolist()
    assert positions == sorted(set(positions))
    assert len(positions) == size
    taken = Counter(labels[position] for position in positions)
    for label, count in Counter(labels).items():
        assert abs(taken[label] - Fraction(size * count, len(labels))) < 1


def test_every_segment_of_a_stratum_is_as_likely() -> None:
    taken: Counter[int] = Counter()
    for seed in range(2000):
        taken.update(drawing.stratified("x" * 10, 3, stream(seed)).tolist())
    # 600 each; 5 standard deviations.
    assert all(abs(taken[position] - 600) < 103 for position in range(10))


@given(counts=st.lists(st.integers(1, 50), min_size=1, max_size=8), data=st.data())
def test_largest_remainders_get_the_remaining_segments(
    counts: list[int], data: st.DataObject
) -> None:
    total = sum(counts)
    size = data.draw(st.integers(1, total))
    taken = drawing.allocate(counts, size)
    assert sum(taken) == size
    shares = [Fraction(size * count, total) for count in counts]
    rounded_up = [s - int(s) for s, n in zip(shares, taken, strict=True) if n > s]
    rounded_down = [s - int(s) for s, n in zip(shares, taken, strict=True) if n < s]
    assert not rounded_up or not rounded_down or min(rounded_up) >= max(rounded_down)
    assert all(n <= count for n, count in zip(taken, counts, strict=True))


@given(labels=LABELS, seed=st.integers(0, 100), data=st.data())
def test_documents_stay_whole(labels: list[str], seed: int, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(labels)))
    positions = set(drawing.whole_documents(labels, size, stream(seed)).tolist())
    assert positions
    for label in set(labels):
        inside = {position for position, other in enumerate(labels) if other == label}
        assert inside <= positions or not inside & positions


@given(
    lengths=st.lists(st.integers(1, 9), min_size=2, max_size=12),
    seed=st.integers(0, 100),
    data=st.data(),
)
def test_no_further_document_comes_nearer(
    lengths: list[int], seed: int, data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, sum(lengths)))
    labels = [f"d{i}" for i, length in enumerate(lengths) for _ in range(length)]
    positions = drawing.whole_documents(labels, size, stream(seed))
    taken = {labels[position] for position in positions.tolist()}
    reached = len(positions)
    assume(reached != size)
    left_out = [length for i, length in enumerate(lengths) if f"d{i}" not in taken]
    assert all(abs(reached + length - size) >= abs(reached - size) for length in left_out)


def test_documents_of_one_segment_reach_any_size() -> None:
    labels = [f"d{i}" for i in range(30)]
    assert len(drawing.whole_documents(labels, 17, stream(1))) == 17
    assert len(drawing.whole_documents(labels, 30, stream(1))) == 30


def test_a_single_long_document_is_drawn_if_closest() -> None:
    labels = ["a"] * 40 + ["b"] * 50
    assert len(drawing.whole_documents(labels, 1, stream(3))) == 40


@pytest.mark.parametrize("draw", [drawing.systematic, drawing.random])
def test_the_seed_alone_decides(draw: object) -> None:
    assert callable(draw)
    drawn = [draw(1000, 30, stream(seed)).tolist() for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


def test_samples_compare_pickle_and_print(pool: TestSet) -> None:
    drawn = draw(pool)
    assert pickle.loads(pickle.dumps(drawn)) == drawn == draw(pool)  # noqa: S301
    assert drawn != draw(pool, seed=1)
    assert str(drawn).startswith("Drew 60 of 400 segments, evenly spread")
    assert "<table" in drawn._repr_html_()


@pytest.mark.parametrize(("dropped", "reached"), [(10, 41), (11, 40)])
def test_ten_documents_at_most_are_dropped_for_a_nearer_size(dropped: int, reached: int) -> None:
    # Twenty documents of two segments, and one that fits if so many of them go.
    labels = [f"d{n // 2:02}" for n in range(40)] + ["last"] * (2 * dropped + 1)
    in_order = iter(range(len(labels)))
    assert len(drawing.whole_documents(labels, 41, lambda: next(in_order))) == reached
