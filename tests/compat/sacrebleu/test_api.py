"""Code that was written for sacreBLEU; the expected values are sacreBLEU 2.6.0's."""

from __future__ import annotations

import inspect
import logging
import pickle
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

import truebleu.compat.sacrebleu as sacrebleu
from truebleu import errors
from truebleu.compat.sacrebleu.compat import corpus_bleu as older_corpus_bleu
from truebleu.compat.sacrebleu.metrics import (
    BLEU,
    CHRF,
    METRICS,
    TER,
    BLEUScore,
    CHRFScore,
    TERScore,
)
from truebleu.compat.sacrebleu.metrics.base import Metric, Score, Signature
from truebleu.compat.sacrebleu.tokenizers import BaseTokenizer
from truebleu.compat.sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from truebleu.compat.sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

if TYPE_CHECKING:
    from pathlib import Path

HYPOTHESES = ["The cat sat on the mat.", "It rained all day long.", "Nobody came to the party."]
REFERENCE = ["A cat sat on the mat.", "It rained the whole day long.", "No one came to the party."]
OTHER = [
    "The cat was sitting on the mat.",
    "It was raining all day.",
    "Nobody turned up at the party.",
]
ALL_METRICS = [BLEU, CHRF, TER]


def test_corpus_bleu_reads_like_sacrebleu() -> None:
    score = sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCE])
    parts = "84.2/75.0/61.5/50.0 (BP = 0.900 ratio = 0.905 hyp_len = 19 ref_len = 21)"
    assert str(score) == f"BLEU = 59.76 {parts}"
    assert repr(score) == str(score)
    assert score.format(width=1, score_only=True) == "59.8"
    assert score.format(1, False, "nrefs:1") == f"BLEU|nrefs:1 = 59.8 {parts}"


def test_a_score_has_the_attributes_of_sacrebleu() -> None:
    score = sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCE])
    assert isinstance(score, BLEUScore)
    assert (score.counts, score.totals) == ([16, 12, 8, 5], [19, 16, 13, 10])
    assert (score.sys_len, score.ref_len, score.name) == (19, 21, "BLEU")
    assert score.ratio == pytest.approx(19 / 21)
    assert score.prec_str == "84.2/75.0/61.5/50.0"
    assert all(isinstance(count, int) for count in score.counts + score.totals)
    assert score.bp == pytest.approx(0.9000876262522594)
    chrf = sacrebleu.corpus_chrf(HYPOTHESES, [REFERENCE], word_order=2)
    assert isinstance(chrf, CHRFScore)
    assert (chrf.name, chrf.char_order, chrf.word_order, chrf.beta) == ("chrF2++", 6, 2, 2)
    ter = sacrebleu.corpus_ter(HYPOTHESES, [REFERENCE])
    assert isinstance(ter, TERScore)
    assert (ter.num_edits, ter.ref_length) == (5, 18.0)


def test_add_k_shows_up_in_the_counts_as_in_sacrebleu() -> None:
    score = sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCE], smooth_method="add-k", smooth_value=0.5)
    assert score.counts == [16, 12.5, 8.5, 5.5]
    assert score.totals == [19, 16.5, 13.5, 10.5]


def test_json_has_the_signature_in_parts() -> None:
    metric = BLEU()
    score = metric.corpus_score(HYPOTHESES, [REFERENCE])
    text = score.format(width=1, signature=str(metric.get_signature()), is_json=True)
    assert text == (
        '{\n "name": "BLEU",\n "score": 59.8,\n "signature": '
        '"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0",\n "verbose_score": '
        '"84.2/75.0/61.5/50.0 (BP = 0.900 ratio = 0.905 hyp_len = 19 ref_len = 21)",\n '
        '"nrefs": "1",\n "case": "mixed",\n "eff": "no",\n "tok": "13a",\n "smooth": "exp",\n '
        '"version": "2.6.0"\n}'
    )


def test_signatures_can_be_short_and_can_be_changed() -> None:
    metric = TER(normalized=True)
    metric.sentence_score("a b", ["a c", None, "a d"])
    signature = metric.get_signature()
    assert isinstance(signature, Signature)
    long = "nrefs:2|case:lc|tok:tercom|norm:yes|punct:yes|asian:no|version:2.6.0"
    assert str(signature) == repr(signature) == signature.format() == long
    assert signature.format(short=True) == "#:2|c:lc|t:tercom|nr:yes|pn:yes|as:no|v:2.6.0"
    assert signature.info["nrefs"] == 2
    assert signature.info["version"] == sacrebleu.__version__ == "2.6.0"
    signature.update("seed", 7)
    assert signature.format().startswith("nrefs:2|seed:7|case:lc|")


@pytest.mark.parametrize("metric", [metric() for metric in ALL_METRICS])
def test_there_is_no_signature_before_a_score(metric: BLEU | CHRF | TER) -> None:
    with pytest.raises(errors.CorpusError, match="compute a score first"):
        metric.get_signature()


@pytest.mark.parametrize(
    ("smooth", "shown"),
    [
        ({"smooth_method": "floor"}, "floor[0.10]"),
        ({"smooth_method": "add-k"}, "add-k[1.00]"),
        ({"smooth_method": "add-k", "smooth_value": 0.25}, "add-k[0.25]"),
        ({"smooth_method": "exp", "smooth_value": 0.25}, "exp"),
    ],
)
def test_the_signature_shows_the_smoothing(smooth: dict[str, Any], shown: str) -> None:
    metric = BLEU(**smooth)
    metric.corpus_score(HYPOTHESES, [REFERENCE])
    assert metric.get_signature().info["smooth"] == shown


@pytest.mark.parametrize(
    ("references", "shown"),
    [
        ([REFERENCE, OTHER], "2"),
        ([REFERENCE, [None, *OTHER[1:]]], "var"),
        # Each segment has one: what varies is only where it stands.
        ([[REFERENCE[0], None, None], [None, *OTHER[1:]]], "1"),
    ],
)
def test_the_signature_counts_the_references_that_are_there(
    references: list[list[str | None]], shown: str
) -> None:
    metric = BLEU()
    metric.corpus_score(HYPOTHESES, references)
    assert str(metric.get_signature()).startswith(f"nrefs:{shown}|")


@pytest.mark.parametrize("metric", ALL_METRICS)
def test_references_may_be_given_once(metric: type[BLEU | CHRF | TER]) -> None:
    references = [REFERENCE, OTHER]
    keeping = metric(references=references)
    expected = metric().corpus_score(HYPOTHESES, references)
    assert str(keeping.corpus_score(HYPOTHESES, None)) == str(expected)
    # Other references in between leave the kept ones, and their number, as they were.
    keeping.sentence_score("a", ["a"])
    assert [str(score) for score in keeping.corpus_scores([HYPOTHESES])] == [str(expected)]
    assert keeping.get_signature().info["nrefs"] == 2


def test_kept_references_are_tokenized_by_other_packages_too() -> None:
    pytest.importorskip("MeCab")
    hypotheses, references = ["猫がマットに座った。"], [["猫がマットの上に座った。"]]
    kept = BLEU(trg_lang="ja", references=references).corpus_score(hypotheses, None)
    assert str(kept) == str(BLEU(trg_lang="ja").corpus_score(hypotheses, references))
    assert kept.totals[0] == 7


@pytest.mark.parametrize("metric", ALL_METRICS)
def test_without_any_references_there_is_no_score(metric: type[BLEU | CHRF | TER]) -> None:
    with pytest.raises(RuntimeError, match=rf"^{metric.__name__}: no references"):
        metric().corpus_score(HYPOTHESES, None)


def test_sentence_functions_take_a_list_of_references() -> None:
    assert str(sacrebleu.sentence_bleu(HYPOTHESES[0], [REFERENCE[0]])).startswith("BLEU = 80.91 ")
    assert str(sacrebleu.sentence_chrf("a b c", ["a b c"])) == "chrF2 = 100.00"
    assert str(sacrebleu.sentence_ter(HYPOTHESES[0], (REFERENCE[0],))) == "TER = 16.67"


def test_raw_corpus_bleu_tokenizes_nothing() -> None:
    score = sacrebleu.raw_corpus_bleu(["this is a fest"], [["this is a test"]], 0.01)
    assert score.score == pytest.approx(22.3606797749979)


def test_bleu_of_counts_leaves_the_counts_alone() -> None:
    correct, total = [9, 7, 5, 3], [10, 8, 6, 4]
    score = BLEU.compute_bleu(correct, total, 11, 11, smooth_method="add-k")
    assert score.counts == [9, 8, 6, 4]
    assert (correct, total) == ([9, 7, 5, 3], [10, 8, 6, 4])
    assert BLEU.compute_bleu(correct, total, 11, 11).score == pytest.approx(83.75922397)


def test_bleu_of_counts_needs_a_count_for_each_order() -> None:
    with pytest.raises(errors.SettingError, match="expected 4 counts in each"):
        BLEU.compute_bleu([1, 1], [2, 2], 3, 3)


def test_an_older_import_path_gives_the_same_function() -> None:
    assert older_corpus_bleu is sacrebleu.corpus_bleu
    assert METRICS["BLEU"] is sacrebleu.BLEU
    assert issubclass(BLEU, Metric)


def test_ngrams_can_be_looked_at() -> None:
    assert sacrebleu.extract_word_ngrams(["a", "b", "a", "b"], 2) == {"a b": 2, "b a": 1}
    assert sacrebleu.extract_char_ngrams("ab ab", 2) == {"ab": 2, "ba": 1}
    spaced = sacrebleu.extract_char_ngrams("ab ab", 2, include_whitespace=True)
    assert spaced == {"ab": 2, "b ": 1, " a": 1}
    assert not sacrebleu.extract_char_ngrams("a", 2)


def test_tokenizers_can_be_called() -> None:
    assert Tokenizer13a()("Hello, world!") == "Hello , world !"
    assert Tokenizer13a().signature() == "13a"
    assert TercomTokenizer(no_punct=True)("A ; B.") == "a b"
    assert "13a" in BLEU.TOKENIZERS


def test_a_tokenizer_of_ones_own_can_be_put_in() -> None:
    metric = BLEU(lowercase=True)

    class Letters(BaseTokenizer):
        def signature(self) -> str:
            return "letters"

        def __call__(self, line: str) -> str:
            return " ".join(line)

    metric.tokenizer = Letters()
    score = metric.corpus_score(["ABCD"], [["abcd"]])
    assert score.totals == [4, 3, 2, 1]
    assert score.score == pytest.approx(100)
    assert metric.get_signature().info["tok"] == "letters"


@pytest.mark.parametrize("hypotheses", ["The cat", b"The cat", 3, None, [1], ["a", 2], ["a", None]])
@pytest.mark.parametrize("metric", ALL_METRICS)
def test_hypotheses_of_the_wrong_type_are_a_type_error(
    metric: type[BLEU | CHRF | TER], hypotheses: Any
) -> None:
    with pytest.raises(TypeError, match=rf"^{metric.__name__}: hypotheses"):
        metric().corpus_score(hypotheses, [["a", "b"]])


@pytest.mark.parametrize(
    "references", ["a", b"a", 3, ["a"], [["a"], "b"], [3], [[3]], [["a"], [4]]]
)
@pytest.mark.parametrize("metric", ALL_METRICS)
def test_references_of_the_wrong_type_are_a_type_error(
    metric: type[BLEU | CHRF | TER], references: Any
) -> None:
    with pytest.raises(TypeError, match=rf"^{metric.__name__}: references"):
        metric().corpus_score(["a"], references)
    with pytest.raises(TypeError, match=rf"^{metric.__name__}: references"):
        metric(references=references)


@pytest.mark.parametrize(
    ("hypothesis", "references"),
    [(["a"], ["a"]), (None, ["a"]), ("a", "a"), ("a", b"a"), ("a", 3), ("a", [3]), ("a", ["a", 3])],
)
@pytest.mark.parametrize("metric", ALL_METRICS)
def test_a_sentence_of_the_wrong_type_is_a_type_error(
    metric: type[BLEU | CHRF | TER], hypothesis: Any, references: Any
) -> None:
    with pytest.raises(TypeError, match=rf"^{metric.__name__}: "):
        metric().sentence_score(hypothesis, references)


def test_references_grouped_by_segment_are_an_error() -> None:
    by_segment = [list(lines) for lines in zip(REFERENCE, OTHER, strict=True)]
    with pytest.raises(errors.TransposedReferencesError):
        sacrebleu.corpus_bleu(HYPOTHESES, by_segment)


@pytest.mark.parametrize("references", [[REFERENCE[:2]], [REFERENCE, OTHER[:1]], [REFERENCE * 2]])
def test_texts_of_different_length_are_an_error(references: list[list[str]]) -> None:
    with pytest.raises(errors.UnpairedSegmentsError) as caught:
        sacrebleu.corpus_chrf(HYPOTHESES, references)
    assert isinstance(caught.value, ValueError)
    with pytest.raises(errors.UnpairedSegmentsError):
        CHRF(references=references).corpus_score(HYPOTHESES, None)


@pytest.mark.parametrize(
    ("hypotheses", "references"), [([], [["a"]]), (["a"], []), (["a"], [[]]), ([], [])]
)
def test_nothing_to_score_is_an_error(hypotheses: list[str], references: list[list[str]]) -> None:
    with pytest.raises(errors.EmptyTextError):
        sacrebleu.corpus_ter(hypotheses, references)


def test_a_segment_without_any_reference_is_an_error() -> None:
    with pytest.raises(errors.AbsentSegmentError, match="segment 2"):
        sacrebleu.corpus_bleu(["a", "b"], [["a", None], ["a", None]])
    with pytest.raises(errors.AbsentSegmentError):
        sacrebleu.sentence_ter("a", [None])
    with pytest.raises(errors.EmptyTextError):
        sacrebleu.sentence_ter("a", [])


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"tokenize": "14a"}, errors.UnknownNameError),
        ({"smooth_method": "exponential"}, errors.UnknownNameError),
        ({"smooth_method": "floor", "smooth_value": -1.0}, errors.SettingError),
        ({"smooth_method": "add-k", "smooth_value": float("nan")}, errors.SettingError),
        ({"max_ngram_order": 0}, errors.SettingError),
    ],
)
def test_settings_that_cannot_be_are_an_error(
    settings: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        BLEU(**settings)


@pytest.mark.parametrize("orders", [(0, 0), (-1, 2), (6, -1), (101, 0)])
def test_orders_that_cannot_be_are_an_error(orders: tuple[int, int]) -> None:
    with pytest.raises(errors.SettingError):
        CHRF(*orders)


@pytest.mark.parametrize("function", [sacrebleu.get_source_file, sacrebleu.get_reference_files])
def test_test_sets_are_not_downloaded_unasked(
    function: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test_set = import_module("sacrebleu").DATASETS["wmt14"]
    monkeypatch.setattr(test_set, "_rawdir", str(tmp_path / "raw"))
    monkeypatch.setattr(test_set, "_outdir", str(tmp_path))
    with pytest.raises(errors.SettingError, match="--download wmt14 -l en-de"):
        function("wmt14", "en-de")
    assert list(tmp_path.iterdir()) == []


def test_test_sets_are_those_of_the_real_package() -> None:
    real = import_module("sacrebleu")
    assert sacrebleu.get_available_testsets() == real.get_available_testsets()
    assert sacrebleu.get_langpairs_for_testset("wmt14") == sorted(
        real.get_langpairs_for_testset("wmt14")
    )
    assert sacrebleu.DATASETS is real.DATASETS


def test_an_interval_has_sacrebleus_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    metric = CHRF()
    score = metric.corpus_score(HYPOTHESES, [REFERENCE], n_bootstrap=1000)
    assert score.format(width=3) == "chrF2 = 70.190 (μ = 70.648 ± 17.812)"
    assert str(metric.get_signature()).startswith("nrefs:1|bs:1000|seed:12345|case:mixed|")


@pytest.mark.parametrize("metric", ALL_METRICS)
def test_an_unseeded_interval_says_so(
    metric: type[BLEU | CHRF | TER], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "None")
    scorer = metric(references=[REFERENCE])
    assert "± " in str(scorer.corpus_score(HYPOTHESES, None, n_bootstrap=50))
    assert "|bs:50|seed:none|" in str(scorer.get_signature())


@pytest.mark.parametrize("seed", ["x", "-1", "1.5", ""])
def test_a_seed_that_is_no_number_is_an_error(seed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    with pytest.raises(errors.SettingError, match="SACREBLEU_SEED"):
        BLEU().corpus_score(HYPOTHESES, [REFERENCE], n_bootstrap=10)


def test_an_interval_can_be_made_of_scores() -> None:
    score = Score("mine", 0.5)
    score.estimate_ci([Score("mine", value / 100) for value in range(100)])
    assert str(score) == "mine = 0.50 (μ = 0.49 ± 0.47)"


def test_one_replicate_is_no_interval() -> None:
    metric = BLEU()
    assert "μ" not in str(metric.corpus_score(HYPOTHESES, [REFERENCE], n_bootstrap=1))
    assert metric.get_signature().info["bs"] is None


def test_tokenized_text_is_pointed_out_once_there_is_much_of_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tokenized = ["a b c d ."] * 100
    sacrebleu.corpus_bleu(tokenized[1:], [tokenized[1:]])
    sacrebleu.corpus_bleu(tokenized, [tokenized], force=True)
    assert not caplog.records
    sacrebleu.corpus_bleu(tokenized, [tokenized])
    assert [(record.name, record.levelno) for record in caplog.records] == [
        ("sacrebleu", logging.WARNING)
    ]


def test_hints_go_to_sacrebleus_logger(caplog: pytest.LogCaptureFixture) -> None:
    BLEU().sentence_score("a", ["a"])
    BLEU(trg_lang="ja", tokenize="char")
    assert ["effective_order" in caplog.text, "ja-mecab" in caplog.text] == [True, True]
    assert {record.name for record in caplog.records} == {"sacrebleu"}


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (
            sacrebleu.corpus_bleu,
            "hypotheses references smooth_method smooth_value force lowercase tokenize "
            "use_effective_order",
        ),
        (
            sacrebleu.sentence_bleu,
            "hypothesis references smooth_method smooth_value lowercase tokenize "
            "use_effective_order",
        ),
        (
            sacrebleu.corpus_chrf,
            "hypotheses references char_order word_order beta remove_whitespace eps_smoothing",
        ),
        (
            sacrebleu.sentence_ter,
            "hypothesis references normalized no_punct asian_support case_sensitive",
        ),
        (
            BLEU,
            "lowercase force tokenize smooth_method smooth_value max_ngram_order effective_order "
            "trg_lang references",
        ),
        (
            CHRF,
            "char_order word_order beta lowercase whitespace eps_smoothing references",
        ),
        (BLEUScore, "score counts totals precisions bp sys_len ref_len"),
    ],
)
def test_arguments_come_in_sacrebleus_order(function: Any, names: str) -> None:
    assert list(inspect.signature(function).parameters) == names.split()


def test_scores_can_be_pickled() -> None:
    score = sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCE])
    assert str(pickle.loads(pickle.dumps(score))) == str(score)  # noqa: S301


@pytest.mark.parametrize("metric", ALL_METRICS)
def test_metrics_can_be_pickled_with_their_references(metric: type[BLEU | CHRF | TER]) -> None:
    keeping = metric(references=[REFERENCE])
    copy = pickle.loads(pickle.dumps(keeping))  # noqa: S301
    expected = keeping.corpus_score(HYPOTHESES, None)
    assert str(copy.corpus_score(HYPOTHESES, None)) == str(expected)
    assert str(copy.get_signature()) == str(keeping.get_signature())


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    assert not hasattr(sacrebleu, "nothing_of_that_name")


def test_files_are_opened_plain_or_compressed(tmp_path: Path) -> None:
    for name in ("text", "text.gz"):
        with sacrebleu.smart_open(str(tmp_path / name), "wt") as file:
            file.write("a\u2028b\rc\nd\n")
        with sacrebleu.smart_open(str(tmp_path / name)) as file:
            assert list(file) == ["a\u2028b\rc\n", "d\n"]


def test_scoring_needs_no_numpy() -> None:
    code = (
        "import sys, truebleu.compat.sacrebleu as s\n"
        "s.corpus_bleu(['a'], [['a']]); s.sentence_chrf('a', ['a']); s.sentence_ter('a', ['a'])\n"
        "print([name for name in ('numpy', 'json', 'logging') if name in sys.modules])"
    )
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"
