"""Scores against length: what the formulas say, and Koehn's figure."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Any

import pytest

from truebleu.corpus import as_test_set, read_test_set
from truebleu.errors import SettingError, UnknownNameError
from truebleu.execution.journal import Runner
from truebleu.metrics.bleu import BLEU
from truebleu.metrics.dependency import DependencyF
from truebleu.metrics.given import GivenScores
from truebleu.simulation import simulate
from truebleu.studies.length import study_length

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.corpus import TestSet
    from truebleu.exhibits import Exhibit

SEGMENT = " ".join(f"w{place}" for place in range(20))


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=50, systems=[0.1, 0.2, 0.3])


def by_step(exhibit: Exhibit, metric: str, step: str = "kept") -> dict[Any, Any]:
    return {row[step]: row for row in exhibit.rows if row["metric"] == metric}


def test_a_perfect_output_loses_what_the_formulas_say() -> None:
    test_set = as_test_set([SEGMENT] * 10, [SEGMENT] * 10)
    exhibit = study_length(test_set, ["bleu", "gtm", "wer", "length"], lengths=[0.5, 0.8])
    for kept in (0.5, 0.8):
        # All words are right, so BLEU is its brevity penalty (Papineni et al. 2002, §2.3).
        bleu = by_step(exhibit, "BLEU")[kept]
        assert bleu["score"] == pytest.approx(100 * exp(1 - 1 / kept))
        # GTM is the F-score of precision 1 and of this recall.
        assert by_step(exhibit, "GTM")[kept]["relative"] == pytest.approx(2 * kept / (1 + kept))
        assert by_step(exhibit, "WER")[kept]["score"] == pytest.approx(100 * (1 - kept))
        assert by_step(exhibit, "Length")[kept]["relative"] == pytest.approx(kept)
        assert bleu["length"] == pytest.approx(kept)
    # WER is 0 at the natural length: no share of it can be given.
    assert by_step(exhibit, "WER")[0.5]["relative"] is None
    assert any("a score of 0 at the natural length" in finding for finding in exhibit.findings)


def test_words_that_are_said_twice_cost_precision() -> None:
    test_set = as_test_set([SEGMENT] * 10, [SEGMENT] * 10)
    exhibit = study_length(test_set, ["gtm"], lengths=[1.5])
    # 20 of 30 words match.
    assert by_step(exhibit, "GTM")[1.5]["score"] == pytest.approx(100 * 2 * 20 / (20 + 30))


def test_the_natural_length_has_the_natural_score(pool: TestSet) -> None:
    exhibit = study_length(pool, ["bleu"], lengths=[0.9])
    natural = by_step(exhibit, "BLEU")[1.0]
    scores = [
        BLEU().corpus(output, list(pool.references)).score for output in pool.systems.values()
    ]
    assert natural["score"] == pytest.approx(sum(scores) / 3)
    assert natural["relative"] == natural["low"] == natural["high"] == 1.0
    shorter = by_step(exhibit, "BLEU")[0.9]
    assert shorter["low"] < shorter["relative"] < shorter["high"] < 1.0


def test_choice_goes_from_the_shortest_to_the_longest(pool: TestSet) -> None:
    exhibit = study_length(pool, ["bleu", "ter"], way="choice")
    ranks = by_step(exhibit, "TER", "rank")
    assert list(ranks) == [1, 2, 3]
    lengths = [ranks[rank]["length"] for rank in ranks]
    assert lengths == sorted(lengths)
    shortest = [min(outputs, key=_words) for outputs in zip(*pool.systems.values(), strict=True)]
    words = sum(map(_words, shortest)) / sum(map(_words, pool.references[0]))
    assert lengths[0] == pytest.approx(words)
    assert ranks[2]["relative"] == 1.0


def _words(segment: str | None) -> int:
    assert segment is not None
    return len(segment.split())


@pytest.mark.parametrize("way", ["cut", "choice"])
def test_bleu_drops_more_than_gtm_on_real_texts(shared: Path, way: Any) -> None:
    folder = shared / "data" / "wmt21-en-de"
    systems = [str(path) for path in sorted((folder / "sys").iterdir())[:4]]
    test_set = read_test_set(systems, [str(folder / "refA.txt")])
    exhibit = study_length(test_set, way=way)
    first = {row["metric"]: row["relative"] for row in reversed(exhibit.rows)}
    assert first["BLEU"] < first["GTM"] < 1  # type: ignore[operator]
    assert exhibit.findings[-1].startswith(
        "Of the metrics where more is better the shortest outputs cost BLEU most"
    )


def test_texts_without_blanks_are_cut_by_characters() -> None:
    text = ["猫がマットの上に座っていたので、犬は外にいた。"] * 4
    exhibit = study_length(as_test_set(text, text), ["bleu:tokenize=char"], lengths=[0.5])
    assert exhibit.settings["piece"] == "character"
    assert by_step(exhibit, "BLEU")[0.5]["score"] == pytest.approx(100 * exp(1 - 2))


def test_a_study_goes_on_where_it_stopped(pool: TestSet, tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    whole = study_length(pool, runner=Runner(journal))
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:3]))
    assert study_length(pool, runner=Runner(journal)) == whole
    assert journal.read_text() == "".join(lines)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"lengths": [0.0]}, "above 0 and up to 1.5"),
        ({"lengths": [float("nan")]}, "above 0"),
        ({"lengths": [1.6]}, "up to 1.5"),
        ({"lengths": [True]}, "a number"),
        ({"lengths": [1.0]}, "another|other length"),
        ({"lengths": []}, "other length"),
        ({"way": "choice", "lengths": [0.5]}, "none with 'choice'"),
        ({"metrics": []}, "at least one"),
    ],
)
def test_what_says_nothing_is_refused(pool: TestSet, options: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        study_length(pool, **options)


def test_two_systems_are_too_few_to_choose_among() -> None:
    with pytest.raises(SettingError, match="at least 3 to choose among"):
        study_length(simulate(segments=9, systems=[0.1, 0.2]), way="choice")


def test_scores_that_do_not_read_the_texts_are_refused(pool: TestSet) -> None:
    given = GivenScores.of({name: [1.0] * 50 for name in pool.systems})
    parse = "1 cats _ _ _ _ 0 root _ _\n".replace(" ", "\t")
    parses = DependencyF.of({"system": parse}, [parse])
    for metric in (given, parses):
        with pytest.raises(SettingError, match="of the outputs as they are"):
            study_length(pool, [metric])


def test_unknown_names_are_refused(pool: TestSet) -> None:
    for options in ({"way": "cuts"}, {"piece": "words"}):
        with pytest.raises(UnknownNameError, match="did you mean"):
            study_length(pool, **options)  # type: ignore[arg-type]
