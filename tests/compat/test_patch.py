"""Whatever sacreBLEU counts, scores, warns of or refuses, its copy with our kernels does too."""

from __future__ import annotations

import logging
import pickle
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, strategies as st

from tests.compat.copies import OURS, PLAIN, data, in_both, needs_data, parts
from truebleu.compat import _patch

if TYPE_CHECKING:
    from collections.abc import Sequence

# Words, marks, entities, scripts, spaces of all kinds, and a surrogate that UTF-8 lacks.
PIECES = ["the", "The", "cat", "mat.", " .", ",", "1,000.5", "&quot;", "<skipped>", "İ", "ß", "-\n"]
PIECES += [
    "天",
    "気",
    "。",
    "カ",
    "ー",
    "é",
    "e\u0301",
    "\u00a0",
    "\u2028",
    "\x1c",
    "\t",
    "😀",
    "\ud800",
]
LINES = st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join)

SETTINGS = st.one_of(
    st.tuples(
        st.just("BLEU"),
        st.fixed_dictionaries(
            {},
            optional={
                "tokenize": st.sampled_from(["13a", "intl", "zh", "char", "none"]),
                "lowercase": st.booleans(),
                "smooth_method": st.sampled_from(["exp", "floor", "add-k", "none"]),
                "effective_order": st.booleans(),
                "max_ngram_order": st.integers(0, 6),
            },
        ),
    ),
    st.tuples(
        st.just("CHRF"),
        st.fixed_dictionaries(
            {},
            optional={
                "char_order": st.integers(0, 7),
                "word_order": st.integers(0, 3),
                "beta": st.sampled_from([1, 2, 3, 0.5]),
                "lowercase": st.booleans(),
                "whitespace": st.booleans(),
                "eps_smoothing": st.booleans(),
            },
        ),
    ),
    st.tuples(
        st.just("TER"),
        st.fixed_dictionaries(
            {},
            optional={
                name: st.booleans()
                for name in ("normalized", "no_punct", "asian_support", "case_sensitive")
            },
        ),
    ),
)
REFERENCES = st.lists(st.lists(st.none() | LINES, max_size=4), min_size=1, max_size=3)


@given(SETTINGS, st.lists(LINES, max_size=4), REFERENCES, st.booleans())
def test_rows_and_scores_equal_sacrebleus_for_any_text(
    settings: tuple[str, dict[str, Any]],
    hypotheses: list[str],
    references: list[list[str | None]],
    cached: bool,
) -> None:
    name, arguments = settings

    def count(metrics: Any, _: Any) -> Any:
        metric = getattr(metrics, name)(**arguments, references=references if cached else None)
        given_now = None if cached else references
        rows = metric._extract_corpus_statistics(hypotheses, given_now)
        return rows, metric.num_refs, parts(metric.corpus_score(hypotheses, given_now))

    plain, ours = in_both(count)
    assert ours == plain


@given(SETTINGS, LINES, st.lists(st.none() | LINES, max_size=3))
def test_sentence_scores_are_the_same(
    settings: tuple[str, dict[str, Any]], hypothesis: str, references: list[str | None]
) -> None:
    name, arguments = settings

    def score(metrics: Any, _: Any) -> Any:
        metric = getattr(metrics, name)(**arguments)
        score = metric.sentence_score(hypothesis, references)
        return parts(score), str(metric.get_signature())

    plain, ours = in_both(score)
    assert ours == plain


@needs_data
@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("BLEU", {}),
        ("BLEU", {"lowercase": True, "tokenize": "intl", "smooth_method": "add-k"}),
        ("CHRF", {}),
        ("CHRF", {"word_order": 2, "lowercase": True}),
        ("TER", {"normalized": True}),
    ],
)
def test_real_texts_are_counted_by_kernels_with_the_same_rows(
    name: str, arguments: dict[str, Any], cached: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = 3 if name == "TER" else 100  # sacreBLEU takes long for TER
    references: list[Sequence[str | None]] = [
        data(f"four-references/ref{number}.txt", size) for number in range(4)
    ]
    references[1] = [None if i % 7 == 0 else line for i, line in enumerate(references[1])]
    outputs = [data(f"four-references/out.{number}.txt", size) for number in range(2)]

    def count(metrics: Any, _: Any) -> Any:
        metric = getattr(metrics, name)(**arguments, references=references if cached else None)
        given_now = None if cached else references
        rows = [metric._extract_corpus_statistics(output, given_now) for output in outputs]
        scores = [parts(metric._aggregate_and_compute(output_rows)) for output_rows in rows]
        return rows, scores, str(metric.get_signature())

    # Without its own way of counting, only a kernel can give the rows.
    metric_type = getattr(import_module(f"{OURS}.metrics"), name)
    monkeypatch.setattr(metric_type, "_compute_segment_statistics", None)
    plain, ours = in_both(count)
    assert ours == plain


def test_tokenizers_that_kernels_lack_cut_the_lines_before_they_count() -> None:
    pytest.importorskip("MeCab")
    pytest.importorskip("ipadic")

    def count(metrics: Any, _: Any) -> Any:
        metric = metrics.BLEU(tokenize="ja-mecab")
        references = [["今日は良い天気です。", "猫がいる。"], ["今日は天気が良い。", None]]
        return metric._extract_corpus_statistics(["今日は天気です。", "猫がいます。"], references)

    plain, ours = in_both(count)
    assert ours == plain
    assert ours.startswith("[[")


def test_subclasses_and_tokenizers_of_others_go_sacrebleus_own_way() -> None:
    class Upper:
        def signature(self) -> str:
            return "13a"

        def __call__(self, line: str) -> str:
            return line.upper()

    def count(metrics: Any, _: Any) -> Any:
        class FirstWords(metrics.BLEU):  # type: ignore[misc]
            def _preprocess_segment(self, line: str) -> str:
                return " ".join(line.split()[:2])

        replaced = metrics.BLEU()
        replaced.tokenizer = Upper()
        texts = ["a b X"], [["A b c"]]
        return [
            metric._extract_corpus_statistics(*texts)
            for metric in (FirstWords(), replaced, FirstWords(references=texts[1]))
        ]

    plain, ours = in_both(count)
    assert ours == plain
    assert ours.startswith("[[[2, 2, 1, 0, 0, 0,")


def test_tokenized_lines_are_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    # The surrogate makes the kernel refuse the text, and sacreBLEU count it.
    for extra in ([], ["\ud800"]):
        logged = []
        for copy in (PLAIN, OURS):
            caplog.clear()
            with caplog.at_level(logging.WARNING):
                output = ["a b ."] * 100 + extra
                import_module(f"{copy}.metrics").BLEU().corpus_score(output, [output])
            logged.append(list(caplog.messages))
        assert logged[0] == logged[1]
        assert sum("100 lines" in message for message in logged[1]) == 1


def test_a_metric_with_cached_references_can_be_pickled() -> None:
    metric = import_module(f"{OURS}.metrics").BLEU(references=[["the cat sat on the mat"] * 3])
    expected = metric.corpus_score(["the cat sat on a mat"] * 3, None).score
    copy = pickle.loads(pickle.dumps(metric))  # noqa: S301
    assert copy.corpus_score(["the cat sat on a mat"] * 3, None).score == expected


def test_a_text_shorter_than_the_cached_references_is_scored() -> None:
    def count(metrics: Any, _: Any) -> Any:
        metric = metrics.CHRF(references=[["a b", "c", "d e"], ["a", "c", "e"]])
        return [metric._extract_corpus_statistics(["a b", "c d", "e"][:n], None) for n in (1, 2, 3)]

    plain, ours = in_both(count)
    assert ours == plain


def test_many_cached_references_count_as_sacrebleu_does() -> None:
    lines = [f"the cat {i % 7} sat on the {i % 5} mat" for i in range(_patch.FEW + 20)]
    gaps = [None if i % 3 else line.upper() for i, line in enumerate(lines)]

    def count(metrics: Any, _: Any) -> Any:
        made = (metrics.BLEU(references=[lines[1:], gaps[1:]], lowercase=low) for low in (0, 1))
        twice = [(m, text) for m in made for text in (lines[:-1], lines[2:], lines[:9])]
        return [metric._extract_corpus_statistics(text, None) for metric, text in twice]

    plain, ours = in_both(count)
    assert ours == plain


def test_a_seam_that_was_closed_leaves_metrics_with_cached_references_working() -> None:
    metrics = import_module(f"{PLAIN}.metrics")
    texts = ["the cat sat on a mat"], [["the cat sat on the mat"]]
    expected = metrics.BLEU(references=texts[1]).corpus_score(texts[0], None).score
    seam = _patch.Patch(PLAIN)
    seam.open(signed=True)
    seam.open(signed=True)
    try:
        metric = metrics.BLEU(references=texts[1])
        assert "+truebleu." in str(metric.get_signature())
        assert metric.corpus_score(texts[0], None).score == expected
    finally:
        seam.close()
    assert metric.corpus_score(texts[0], None).score == expected
    assert "truebleu" not in str(metric.get_signature())
