"""The choices of the metrics tasks, as ../shared/facts has them in its table."""

from __future__ import annotations

import pytest

from truebleu.scores.task_standards import set_name, standard_of


@pytest.mark.parametrize(
    ("name", "lp", "reference", "systems", "segments"),
    [
        ("wmt19", "de-en", "ref", "wmt-z", "wmt-raw"),
        ("wmt20", "zh-en", "ref", "wmt-z", "wmt-raw"),
        ("wmt21.news", "en-de", "refC", "mqm", "mqm"),
        ("wmt21.news", "zh-en", "refB", "mqm", "mqm"),
        ("wmt21.news", "cs-en", "refA", "wmt-z", "wmt-raw"),
        ("wmt21.tedtalks", "zh-en", "refB", "mqm", "mqm"),
        ("wmt22", "cs-en", "refB", "wmt", "wmt"),
        ("wmt22", "en-cs", "refB", "wmt-appraise", "wmt-appraise"),
        ("wmt22", "fr-de", "refA", None, None),
        ("wmt22", "en-ru", "refA", "mqm", "mqm"),
        ("wmt23", "he-en", "refB", "mqm", "mqm"),
        ("wmt23", "en-he", "refB", None, None),
        ("wmt23", "en-cs", "refA", "da-sqm", "da-sqm"),
        ("wmt24", "en-de", "refB", "mqm", "mqm"),
        ("wmt24", "en-cs", "refA", "esa", "esa"),
        ("wmt25", "en-ko_KR", None, "mqm", "mqm"),
        ("wmt25", "en-cs_CZ", None, "esa-human1", "esa-human1"),
    ],
)
def test_references_and_human_scores(
    name: str, lp: str, reference: str | None, systems: str | None, segments: str | None
) -> None:
    standard = standard_of(name, lp)
    assert standard is not None
    assert (standard.reference, standard.systems, standard.segments) == (
        reference,
        systems,
        segments,
    )


def test_outliers_and_human_translations() -> None:
    kept = {("wmt23", "he-en"), ("wmt23", "en-he"), ("wmt24", "en-de")}
    outliers = {
        ("wmt22", "en-de"): ("M2M100_1.2B-B4",),
        ("wmt23", "en-de"): ("synthetic_ref",),
        ("wmt24", "ja-zh"): ("MSLC",),
    }
    for name in ("wmt22", "wmt23", "wmt24", "wmt25"):
        for lp in ("en-de", "he-en", "en-he", "ja-zh", "en-cs"):
            standard = standard_of(name, lp)
            assert standard is not None
            assert standard.has_humans == ((name, lp) in kept)
            if (name, lp) != ("wmt24", "en-de"):
                assert standard.outliers == outliers.get((name, lp), ())


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("wmt23", "wmt23"),
        ("WMT24", "wmt24"),
        ("wmt23-eval-set", "wmt23"),
        ("wmt21.news", "wmt21.news"),
        ("wmt21", None),
        ("wmt18", None),
        ("wmt26", None),
        ("wmt231", None),
        ("mine", None),
    ],
)
def test_the_set_is_known_by_its_folder(folder: str, name: str | None) -> None:
    assert set_name(folder) == name
    assert standard_of(None, "en-de") is None
