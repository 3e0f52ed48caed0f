"""Test sets drawn from pools, how like them they are, and their files."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import ks_2samp

from truebleu import BLEU, GivenScores
from truebleu.corpus import TestSet, as_test_set, read_test_set
from truebleu.errors import SettingError, UnknownNameError, UnreadableFileError
from truebleu.metrics.registry import parse_metric
from truebleu.planning.representativeness import describe_sample, largest_distance, standard_errors
from truebleu.planning.sample import SampleSettings, draw_sample, save_sample
from truebleu.resampling import Units
from truebleu.significance.statistics import metric_statistics
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def pool() -> TestSet:
    channels = {"good": Channel.at_rate(0.1), "bad": Channel.at_rate(0.3)}
    return simulate(segments=400, systems=channels, references=2, seed=4)


def settings(**values: Any) -> SampleSettings:
    return SampleSettings(**{"size": 60, **values})


def only_references(*texts: list[str | None]) -> TestSet:
    names = tuple(f"reference-{number}" for number in range(len(texts)))
    return TestSet(systems={}, references=texts, reference_names=names)


@pytest.mark.parametrize("draw", ["broad", "random", "stratified", "document"])
def test_all_texts_are_drawn_together(pool: TestSet, draw: str) -> None:
    sample = draw_sample(pool, settings(draw=draw))
    drawn = sample.test_set
    for number, position in enumerate(sample.positions.tolist()):
        for name in pool.systems:
            assert drawn.systems[name][number] == pool.systems[name][position]
        for here, there in zip(drawn.references, pool.references, strict=True):
            assert here[number] == there[position]
        assert drawn.documents is not None
        assert pool.documents is not None
        assert drawn.documents[number] == pool.documents[position]
    assert len(drawn) == len(sample.positions)
    assert abs(len(drawn) - 60) <= (5 if draw == "document" else 0)


def test_groups_of_length_keep_their_shares(pool: TestSet) -> None:
    sample = draw_sample(
        replace(pool, domains=None), settings(size=100, draw="stratified", length_groups=4)
    )
    lengths = np.array([len(tokens) for tokens in sample.tokens])
    edges = np.quantile(lengths, [0.25, 0.5, 0.75])
    for edge in edges:
        share = (lengths <= edge).mean()
        assert (lengths[sample.positions] <= edge).mean() == pytest.approx(share, abs=0.021)


def test_lengths_are_the_sources_where_there_is_one(pool: TestSet) -> None:
    with_source = replace(pool, source=["one two three"] * 400)
    assert {len(tokens) for tokens in draw_sample(with_source, settings()).tokens} == {3}
    one = draw_sample(only_references(["a b", None], [None, "c"]), settings(size=1))
    assert [len(tokens) for tokens in one.tokens] == [2, 1]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": 0}, "size: found 0, expected a whole number from 1 up"),
        ({"size": -3}, "size: found -3"),
        ({"size": 401}, "size: found 401, expected at most 400"),
        ({"draw": "stratified", "length_groups": 0}, "length_groups: found 0"),
        ({"length_groups": 2}, "length_groups: found 2, expected 1 unless"),
        ({"seed": -1}, "seed: found -1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    pool: TestSet, values: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        draw_sample(pool, settings(**values))


@pytest.mark.parametrize("values", [{"draw": "blocks"}, {"tokenizer": "words"}])
def test_unknown_names_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(UnknownNameError):
        settings(**values)


def test_a_pool_without_labels_cannot_be_drawn_by_them(pool: TestSet) -> None:
    bare = replace(pool, documents=None, domains=None)
    with pytest.raises(SettingError, match="expected a pool with documents"):
        draw_sample(bare, settings(draw="document"))
    with pytest.raises(SettingError, match="expected a pool with domains"):
        draw_sample(bare, settings(draw="stratified"))
    with pytest.raises(SettingError, match="found 'one document'"):
        draw_sample(replace(pool, documents=("d",) * 400), settings(draw="document"))


def test_the_report_counts_what_a_plain_count_finds(pool: TestSet) -> None:
    sample = draw_sample(pool, settings(draw="random"))
    report = describe_sample(sample)
    assert report.segments == tuple(position + 1 for position in sample.positions)
    drawn = {int(position) for position in sample.positions}
    inside = [t for i, tokens in enumerate(sample.tokens) if i in drawn for t in tokens]
    outside = [t for i, tokens in enumerate(sample.tokens) if i not in drawn for t in tokens]
    words = report.vocabulary
    known = set(inside)
    unseen = [token for token in outside if token not in known]
    assert words.types_covered == pytest.approx(len(known) / len({*inside, *outside}))
    assert words.tokens_covered == pytest.approx(1 - len(unseen) / len([*inside, *outside]))
    assert words.out_of_vocabulary == pytest.approx(len(unseen) / len(outside))
    lengths = np.array([len(tokens) for tokens in sample.tokens])
    assert report.lengths.mean == pytest.approx(lengths[sample.positions].mean())
    assert report.pool_lengths.quantiles[3] == np.median(lengths)
    assert sum(domain.segments for domain in report.domains) == 60
    assert sum(domain.pool_share for domain in report.domains) == pytest.approx(1)
    assert report.documents == len({(pool.documents or ())[position] for position in drawn})


def test_the_distance_is_kolmogorov_and_smirnovs() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        left, right = rng.poisson(9, size=40), rng.poisson(11, size=150)
        assert largest_distance(left, right) == pytest.approx(ks_2samp(left, right).statistic)


def test_random_samples_are_about_as_far_from_the_pool_as_the_report_says(pool: TestSet) -> None:
    below = 0
    for seed in range(200):
        report = describe_sample(draw_sample(pool, settings(draw="random", seed=seed)), ["length"])
        below += report.length_distance <= report.usual_distance
    # Lengths are whole numbers, and with ties distances are smaller.
    assert below >= 0.93 * 200


@pytest.mark.parametrize("metric", ["bleu", "chrf"])
@pytest.mark.parametrize("unit", ["segment", "document"])
def test_scores_of_random_samples_spread_by_one_standard_error(
    pool: TestSet, metric: str, unit: str
) -> None:
    units = Units.segments(400)
    if unit == "document":
        units = Units.documents(pool.documents or ())
    counted = metric_statistics(pool, [parse_metric(metric)], units)[0]
    size = len(units) // 4
    rng = np.random.default_rng(6)
    sums = np.array(
        [counted.rows[rng.permutation(len(units))[:size]].sum(axis=0) for _ in range(2000)]
    )
    spread = counted.metric.score(sums).std(axis=0)
    assert standard_errors(counted, size) == pytest.approx(spread, rel=0.1)


def test_scores_are_those_of_the_texts(pool: TestSet) -> None:
    sample = draw_sample(pool, settings())
    report = describe_sample(sample, ["bleu"])
    for one in report.systems:
        texts = sample.test_set
        assert one.score == pytest.approx(
            BLEU().corpus(texts.systems[one.system], texts.references).score
        )
        assert one.pool_score == pytest.approx(
            BLEU().corpus(pool.systems[one.system], pool.references).score
        )
        assert one.standard_error is not None
        assert one.standard_errors == pytest.approx(one.difference / one.standard_error)


def test_given_scores_go_along() -> None:
    pool = as_test_set({"a": ["x"] * 50}, ["y"] * 50)
    metric = GivenScores.of({"a": [float(number) for number in range(50)]})
    sample = draw_sample(pool, settings(size=10))
    (one,) = describe_sample(sample, [metric]).systems
    assert one.score == pytest.approx(sample.positions.mean())


def test_the_whole_pool_differs_in_nothing(pool: TestSet) -> None:
    report = describe_sample(draw_sample(pool, settings(size=400)))
    assert report.length_distance == 0
    assert report.usual_distance == 0
    assert report.vocabulary.out_of_vocabulary is None
    assert all(one.difference == pytest.approx(0) for one in report.systems)
    assert all(one.standard_errors is None for one in report.systems)
    assert {"out_of_vocabulary", "standard_error", "standard_errors"} == set(report.reasons)
    json.dumps(report.to_dict(), allow_nan=False)


def test_a_pool_without_words_has_no_vocabulary() -> None:
    report = describe_sample(draw_sample(only_references(["", "", ""]), settings(size=2)))
    assert report.vocabulary.types_covered is None
    assert report.reasons["types_covered"] == "the pool has no words"
    assert report.systems == ()
    json.dumps(report.to_dict(), allow_nan=False)


def test_what_is_saved_is_read_again(pool: TestSet, tmp_path: Path) -> None:
    sample = draw_sample(replace(pool, source=pool.references[0]), settings())
    files = save_sample(sample, tmp_path / "new" / "folder")
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
    assert replace(again, warnings=()).to_dict() == sample.test_set.to_dict()
    assert list(again.systems["bad"]) == list(sample.test_set.systems["bad"])
    assert again.documents == sample.test_set.documents
    assert again.domains == sample.test_set.domains
    numbers = [int(line) for line in files[6].read_text().splitlines()]
    assert numbers == (sample.positions + 1).tolist()


@pytest.mark.parametrize(
    "segments",
    [["one\ntwo", "x"], ["one\r", "x"], ["\ufeffone", "x"], ["one", ""], ["\u2028", "\x0c\x85"]],
)
def test_texts_that_lines_cannot_hold_are_saved_all_the_same(
    segments: list[str], tmp_path: Path
) -> None:
    pool = replace(only_references(["r", None], ["s", "t"]), systems={"a": segments})
    sample = draw_sample(pool, settings(size=2))
    *references, system, _ = save_sample(sample, tmp_path)
    again = read_test_set([system], references)
    assert list(again.systems["a"]) == segments
    assert [list(reference) for reference in again.references] == [["r", None], ["s", "t"]]


def test_labels_that_a_table_cannot_hold_are_saved_all_the_same(tmp_path: Path) -> None:
    pool = replace(only_references(["r", "s"]), documents=("a\tb", "c\r"))
    reference, labels, _ = save_sample(draw_sample(pool, settings(size=2)), tmp_path)
    assert read_test_set([], [reference], documents=labels).documents == ("a\tb", "c\r")


def test_names_of_files_do_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    pool = as_test_set({"../a": ["x"]}, ["r"])
    files = save_sample(draw_sample(pool, settings(size=1)), tmp_path / "out")
    assert {file.parent for file in files} == {tmp_path / "out"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


@pytest.mark.parametrize("names", [("a", "A"), ("segments",), ("..",), ("reference",)])
def test_names_that_would_hide_another_file_are_refused(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    pool = as_test_set({name: ["x"] for name in names}, ["r"])
    pool = replace(pool, reference_names=("reference",))
    with pytest.raises(SettingError, match="write NAME=FILE"):
        save_sample(draw_sample(pool, settings(size=1)), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_nothing_is_overwritten_unless_it_may_be(pool: TestSet, tmp_path: Path) -> None:
    (tmp_path / "segments.txt").write_text("mine")
    sample = draw_sample(pool, settings())
    with pytest.raises(SettingError, match=r"segments\.txt"):
        save_sample(sample, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["segments.txt"]
    assert (tmp_path / "segments.txt").read_text() == "mine"
    save_sample(sample, tmp_path, overwrite=True)
    assert (tmp_path / "segments.txt").read_text() != "mine"


@pytest.mark.parametrize("name", ["documents.tsv", "source.txt", "reference.jsonl"])
def test_what_another_draw_left_does_not_mix_with_this_one(
    name: str, pool: TestSet, tmp_path: Path
) -> None:
    sample = draw_sample(replace(pool, documents=None, domains=None), settings())
    save_sample(sample, tmp_path)
    (tmp_path / name).write_text("of other segments")
    before = (tmp_path / "segments.txt").read_text()
    other = replace(sample, positions=sample.positions + 1)
    with pytest.raises(SettingError, match=f"{name}.*another draw"):
        save_sample(other, tmp_path, overwrite=True)
    assert (tmp_path / "segments.txt").read_text() == before
    (tmp_path / name).unlink()
    (tmp_path / "README.md").write_text("not a draw's")
    save_sample(other, tmp_path, overwrite=True)
    assert (tmp_path / "segments.txt").read_text() != before


def test_a_distance_is_usually_at_most_one() -> None:
    report = describe_sample(draw_sample(only_references([*["a"] * 99, "a b"]), settings(size=1)))
    assert report.usual_distance == 1


def test_a_folder_that_is_a_file_is_refused(pool: TestSet, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UnreadableFileError):
        save_sample(draw_sample(pool, settings()), tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
