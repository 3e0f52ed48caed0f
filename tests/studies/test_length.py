"""Scores against length: what the formulas say, and Koehn's figure."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, strategies as st

from truebleu.corpus import as_test_set, read_test_set
from truebleu.errors import SettingError, UnknownNameError
from truebleu.execution.journal import Runner
from truebleu.metrics.bleu import BLEU
from truebleu.metrics.dependency import DependencyF
from truebleu.scores import GivenScores
from truebleu.simulation import simulate
from truebleu.studies.length import Piece, pieces_between_blanks, pieces_of, resize, study_length

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.corpus import TestSet
    from truebleu.studies import StudyResult

SEGMENT = " ".join(f"w{place}" for place in range(20))


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=50, systems=[0.1, 0.2, 0.3])


def by_step(result: StudyResult, metric: str, step: str = "kept") -> dict[Any, dict[str, Any]]:
    return {row[step]: row for row in result.rows if row["metric"] == metric}


def test_a_cut_perfect_output_scores_as_the_formulas_predict() -> None:
    test_set = as_test_set([SEGMENT] * 10, [SEGMENT] * 10)
    result = study_length(test_set, ["bleu", "gtm", "wer", "length"], lengths=[0.5, 0.8])
    for kept in (0.5, 0.8):
        # All words are right, so BLEU is its brevity penalty (Papineni et al. 2002, §2.3).
        bleu = by_step(result, "BLEU")[kept]
        assert bleu["score"] == pytest.approx(100 * exp(1 - 1 / kept))
        # GTM is the F-score of precision 1 and of this recall.
        assert by_step(result, "GTM")[kept]["relative"] == pytest.approx(2 * kept / (1 + kept))
        assert by_step(result, "WER")[kept]["score"] == pytest.approx(100 * (1 - kept))
        assert by_step(result, "Length")[kept]["relative"] == pytest.approx(kept)
        assert bleu["length"] == pytest.approx(kept)
    # WER is 0 at the natural length: no share of it can be given.
    assert by_step(result, "WER")[0.5]["relative"] is None
    sentences = result.to_document().sentences
    assert any("the score at natural length is 0" in sentence for sentence in sentences)


def test_repeated_words_cost_precision() -> None:
    test_set = as_test_set([SEGMENT] * 10, [SEGMENT] * 10)
    result = study_length(test_set, ["gtm"], lengths=[1.5])
    # 20 of 30 words match.
    assert by_step(result, "GTM")[1.5]["score"] == pytest.approx(100 * 2 * 20 / (20 + 30))


def test_the_natural_length_has_the_natural_score(pool: TestSet) -> None:
    result = study_length(pool, ["bleu"], lengths=[0.9])
    natural = by_step(result, "BLEU")[1.0]
    scores = [
        BLEU().corpus(output, list(pool.references)).score for output in pool.systems.values()
    ]
    assert natural["score"] == pytest.approx(sum(scores) / 3)
    assert natural["relative"] == natural["relative_low"] == natural["relative_high"] == 1.0
    shorter = by_step(result, "BLEU")[0.9]
    assert shorter["relative_low"] is not None
    assert shorter["relative"] is not None
    assert shorter["relative_high"] is not None
    assert shorter["relative_low"] < shorter["relative"] < shorter["relative_high"] < 1.0


def _words(segment: str | None) -> int:
    assert segment is not None
    return len(segment.split())


def test_texts_without_blanks_are_cut_by_characters() -> None:
    text = ["猫がマットの上に座っていたので、犬は外にいた。"] * 4
    result = study_length(as_test_set(text, text), ["bleu:tokenize=char"], lengths=[0.5])
    assert result.settings["piece"] == "character"
    assert by_step(result, "BLEU")[0.5]["score"] == pytest.approx(100 * exp(1 - 2))


def test_an_interrupted_study_resumes(pool: TestSet, tmp_path: Path) -> None:
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
        ({"lengths": [True]}, "a number above 0"),
        ({"lengths": [1.0]}, "other length"),
        ({"metrics": []}, "at least one"),
    ],
)
def test_invalid_settings_are_rejected(pool: TestSet, options: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        study_length(pool, **options)


def test_scores_that_do_not_read_the_texts_are_refused(pool: TestSet) -> None:
    scores = GivenScores.of({name: [1.0] * 50 for name in pool.systems})
    parse = "1 cats _ _ _ _ 0 root _ _\n".replace(" ", "\t")
    parses = DependencyF.of({"system": parse}, [parse])
    with pytest.raises(SettingError, match="expected a metric that counts texts"):
        study_length(pool, [scores])
    with pytest.raises(SettingError, match="to the unchanged outputs"):
        study_length(pool, [parses])


def test_unknown_names_are_refused(pool: TestSet) -> None:
    with pytest.raises(UnknownNameError, match="did you mean"):
        study_length(pool, piece="words")  # type: ignore[arg-type]


# Outputs of other lengths are as long as asked for, and made of nothing else.


WORDS = st.lists(st.sampled_from(["a", "bb", "c.", "猫"]), max_size=12).map(" ".join)
TEXTS = st.lists(WORDS, min_size=1, max_size=12)
SHARES = st.floats(min_value=0.05, max_value=1.5)
PIECES: st.SearchStrategy[Piece] = st.sampled_from(["word", "character"])


@given(TEXTS, SHARES, PIECES)
def test_the_whole_text_has_the_share_asked_for(
    text: list[str], share: float, piece: Piece
) -> None:
    before = sum(len(pieces_of(segment, piece)) for segment in text)
    after = sum(len(pieces_of(segment, piece)) for segment in resize(text, share, piece))
    assert abs(after - share * before) <= 0.5 + 1e-9


@given(TEXTS, SHARES, PIECES)
def test_segments_are_cut_or_repeated_at_their_ends(
    text: list[str], share: float, piece: Piece
) -> None:
    for old, new in zip(text, resize(text, share, piece), strict=True):
        assert new is not None
        before, after = pieces_of(old, piece), pieces_of(new, piece)
        assert abs(len(after) - share * len(before)) <= 1 + 1e-9
        more = len(after) - len(before)
        assert after == (before[: len(after)] if more <= 0 else before + before[-more:])


@given(TEXTS, PIECES)
def test_the_natural_length_changes_nothing(text: list[str], piece: Piece) -> None:
    blanks = ["  two  blanks ", *text]
    assert resize(blanks, 1.0, piece) == blanks


def test_an_absent_segment_stays_absent() -> None:
    assert resize(["a b", None], 0.5, "word") == ["a", None]


@pytest.mark.parametrize(
    ("reference", "piece"),
    [
        (["The cat sat on the mat.", "Yes."], "word"),
        (["Donaudampfschifffahrtsgesellschaft heißt sie."], "word"),
        (
            [
                "猫がマットの上に座っていたので、犬は外にいた。",
                "Google の製品を使っている人は多いそうです。",
            ],
            "character",
        ),
        ([""], "word"),
    ],
)
def test_words_are_what_blanks_separate(reference: list[str], piece: Piece) -> None:
    assert pieces_between_blanks(as_test_set(reference, reference)) == piece


def test_bleu_drops_more_than_gtm_on_real_texts(shared: Path) -> None:
    folder = shared / "data" / "wmt21-en-de"
    systems = [str(path) for path in sorted((folder / "sys").iterdir())[:4]]
    test_set = read_test_set(systems, [str(folder / "refA.txt")])
    result = study_length(test_set)
    first = {row["metric"]: row["relative"] or 0.0 for row in reversed(result.rows)}
    assert first["BLEU"] < first["GTM"] < 1
    assert (
        result.to_document()
        .sentences[-1]
        .startswith("Among higher-is-better metrics, BLEU loses most at the shortest outputs")
    )
