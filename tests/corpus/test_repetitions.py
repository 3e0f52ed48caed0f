"""Repeated segments are reported, and are one unit of tests and intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import truebleu
from truebleu.corpus import TestSet, _files as files
from truebleu.corpus.repetitions import FEWEST_DIFFERENT, FEWEST_REPEATED, are_many
from truebleu.counts.counting import count_files
from truebleu.counts.inputs import counts_of_files
from truebleu.counts.saved import read_counts, save_counts

if TYPE_CHECKING:
    from pathlib import Path

    from tests.writing import Folder
    from truebleu.significance.results import Comparison
    from truebleu.significance.scores import Scores

WORDS = [f"word{index}" for index in range(15)]


def sentences(count: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [f"{' '.join(rng.choice(WORDS, 9))} {index}" for index in range(count)]


def outputs(references: list[str], rate: float, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [
        " ".join("x" if rng.random() < rate else word for word in text.split())
        for text in references
    ]


REFERENCE = sentences(60, 1)
SYSTEMS = {"a": outputs(REFERENCE, 0.2, 2), "b": outputs(REFERENCE, 0.3, 3)}
OPTIONS: dict[str, Any] = {"replicates": 400, "seed": 5}


def times(texts: list[str], count: int) -> list[str]:
    return texts * count


def compared(count: int, **more: Any) -> Comparison:
    systems = {name: times(text, count) for name, text in SYSTEMS.items()}
    return truebleu.compare(systems, times(REFERENCE, count), **OPTIONS, **more)


def codes(result: Comparison | Scores) -> list[str]:
    # Made-up words begin and end unlike the outputs' noise.
    return [warning.code for warning in result.warnings if warning.code != "added-text"]


@pytest.mark.parametrize("interval", ["percentile", "bca", "jackknife", "hall"])
def test_a_test_set_given_three_times_has_the_interval_of_one(interval: str) -> None:
    once, thrice = compared(1, interval=interval), compared(3, interval=interval)
    assert (codes(once), codes(thrice)) == ([], ["repeated"])
    for first, second in zip(once.comparisons, thrice.comparisons, strict=True):
        assert second.p == first.p
        assert tuple(second.interval) == pytest.approx(tuple(first.interval), abs=1e-9)


def test_documents_repeated_under_new_names_are_one_unit() -> None:
    labels = [f"d{index // 6}" for index in range(60)]
    once = compared(1, documents=labels)
    twice = compared(2, documents=[*labels, *(f"new {label}" for label in labels)])
    assert "repeated" in codes(twice)
    assert tuple(twice.comparisons[0].interval) == pytest.approx(
        tuple(once.comparisons[0].interval), abs=1e-9
    )


def test_agreement_on_repeated_segments_has_the_interval_of_one() -> None:
    human = {name: [90.0 - 7 * text.count("x") for text in own] for name, own in SYSTEMS.items()}

    def agreed(count: int) -> Any:
        systems = {name: times(text, count) for name, text in SYSTEMS.items()}
        return truebleu.agree(
            systems,
            {name: row * count for name, row in human.items()},
            ["chrf"],
            references=times(REFERENCE, count),
            coefficients=["pearson:level=segment,grouping=none"],
            **OPTIONS,
        ).answers[0]["chrF2"]

    once, thrice = agreed(1), agreed(3)
    assert thrice.value == pytest.approx(once.value)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))


def test_outputs_of_repeated_sources_may_differ() -> None:
    source = times([text.replace("word", "mot") for text in REFERENCE], 2)
    reference = times(REFERENCE, 2)
    systems = {"a": outputs(reference, 0.2, 2), "b": outputs(reference, 0.3, 3)}
    test_set = TestSet(systems=systems, references=(reference,))
    assert codes(truebleu.score(test_set)) == []
    with_source = TestSet(
        systems=systems,
        references=(reference,),
        source=source,
    )
    result = truebleu.compare(with_source, **OPTIONS)
    assert codes(result) == ["repeated"]
    (repeated,) = (warning for warning in result.warnings if warning.code == "repeated")
    assert (repeated.count, repeated.segment) == (60, 61)
    assert "over 60 segments" in str(result)


@pytest.mark.parametrize(("repeated", "expected"), [(0.05, False), (0.06, True)])
def test_up_to_five_percent_nothing_changes(repeated: float, expected: bool) -> None:
    rows = 1000
    assert are_many(round(repeated * rows), rows) == expected
    assert are_many(FEWEST_REPEATED, FEWEST_REPEATED + FEWEST_DIFFERENT)
    assert not are_many(FEWEST_REPEATED - 1, FEWEST_REPEATED + FEWEST_DIFFERENT)
    assert not are_many(FEWEST_REPEATED, FEWEST_REPEATED + FEWEST_DIFFERENT - 1)


def test_files_counted_in_parts_and_saved_have_the_same_units(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "PART_BYTES", 2000)
    monkeypatch.setattr(files.OpenedFile, "PIECE", 512)
    texts = {"ref": REFERENCE, **SYSTEMS}
    paths = {
        name: folder.write(f"{name}.txt", "".join(f"{line}\n" for line in times(text, 3)))
        for name, text in texts.items()
    }
    systems, references = [paths["a"], paths["b"]], [paths["ref"]]
    counts = count_files(systems, references, fingerprints=True)
    whole = counts_of_files(systems, references, keep_texts=True)
    assert counts.outline.repeats == whole.outline.repeats
    assert counts.outline.repeats == (*range(60), *range(60), *range(60))
    path = tmp_path / "counts.npz"
    save_counts(counts, path)
    assert read_counts(path).outline.repeats == counts.outline.repeats
    each = [counts.select([name]) for name in "ab"]
    assert each[0].join(each[1]).outline.repeats == counts.outline.repeats
    part = counts.subset(range(60, 120)).outline.repeats
    assert part == tuple(range(60))


def test_items_with_equal_questions_and_targets_are_repeated() -> None:
    rng = np.random.default_rng(4)

    def rows(different: int, **more: object) -> list[dict[str, object]]:
        return [
            {
                "id": f"q{index}",
                "question": f"{index % different}?",
                "score": int(rng.random() < 0.5),
                **more,
            }
            for index in range(120)
        ]

    repeated = truebleu.count({"a": rows(40), "b": rows(40)}).outline
    assert [warning.code for warning in repeated.warnings] == ["repeated"]
    assert repeated.repeats == tuple(index % 40 for index in range(120))
    assert truebleu.count({"a": rows(120), "b": rows(120)}).outline.repeats is None
