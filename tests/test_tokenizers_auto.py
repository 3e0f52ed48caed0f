"""The tokenizer `auto`: chosen by the references, the same in every verb and for every part."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import truebleu
from truebleu import BLEU, CHRF, TER
from truebleu.corpus import as_test_set
from truebleu.counts import read_counts, save_counts
from truebleu.human import HumanScores
from truebleu.metrics import GTM, MBLEU, NIST, PER, WER, LengthRatio, Metric, SentenceBLEU
from truebleu.nbest import mbr, oracle_scores
from truebleu.studies import study_type_one

if TYPE_CHECKING:
    from pathlib import Path

CHINESE = [f"第{i}家商店今天在上海的市中心开业了。" for i in range(40)]
OLD = [line.replace("今天", "昨天") for line in CHINESE]
NEW = [line.replace("市中心", "北部") if i % 3 else line for i, line in enumerate(CHINESE)]
ENGLISH = [f"shop number {i} has opened in the north" for i in range(40)]
SYSTEMS = {"old": OLD, "new": NEW}


@pytest.mark.parametrize("metric", [BLEU(), MBLEU(), SentenceBLEU()], ids=lambda m: m.name)
def test_the_references_choose(metric: Metric) -> None:
    chosen = metric.for_references([CHINESE])
    assert chosen.signature["tok"] == "zh"
    assert chosen.signature.script == "Chinese"
    assert metric.for_references([ENGLISH]).signature["tok"] == "13a"
    assert metric.for_references([ENGLISH]).signature.script is None
    # Counting without having been told does the same.
    counted = metric.statistics(OLD, CHINESE)
    assert (counted == chosen.statistics(OLD, CHINESE)).all()


def test_scores_of_texts_and_of_segments_choose_for_themselves() -> None:
    assert BLEU().corpus(OLD, CHINESE).signature["tok"] == "zh"
    assert BLEU().corpus(OLD, CHINESE).score == BLEU(tokenize="zh").corpus(OLD, CHINESE).score
    assert BLEU().sentence("很好吃的东西", "好吃的东西").signature["tok"] == "zh"
    assert BLEU().sentence("とても美味しい", "美味しいです").signature["tok"] == "char"
    assert BLEU().sentence("very good", "good").signature["tok"] == "13a"


def test_a_tokenizer_that_was_set_stays() -> None:
    metric = BLEU(tokenize="13a")
    assert metric.for_references([CHINESE]) is metric
    assert metric.for_language("zh") is metric
    assert metric.corpus(OLD, CHINESE).signature["tok"] == "13a"


def test_a_language_chooses_as_sacrebleu_does() -> None:
    assert BLEU().for_language("en-zh") == BLEU(tokenize="zh")
    assert BLEU().for_language("ja") == BLEU(tokenize="ja-mecab")
    assert BLEU().for_language("en-th") == BLEU(tokenize="13a")


def signatures(value: object) -> list[str]:
    """Everything called signature in a result's JSON."""
    if isinstance(value, dict):
        own = [text for key, text in value.items() if key == "signature" and text]
        return own + [text for part in value.values() for text in signatures(part)]
    if isinstance(value, list):
        return [text for part in value for text in signatures(part)]
    return []


def test_every_verb_names_the_tokenizer_it_used() -> None:
    texts = as_test_set(SYSTEMS, CHINESE, documents=[str(i // 2) for i in range(40)])
    human = HumanScores(
        label="human",
        level="segment",
        scores={"old": tuple(map(float, range(40))), "new": tuple(map(float, range(1, 41)))},
        signature="human",
    )
    results = [
        truebleu.score(texts),
        truebleu.score(texts, confidence=True, replicates=100),
        truebleu.compare(texts, replicates=200),
        truebleu.gate(SYSTEMS, CHINESE, baseline="old", replicates=200),
        truebleu.plan(texts, difference=1.0, replicates=200),
        truebleu.agree(texts, human, replicates=200, permutations=200),
        oracle_scores([[a, b] for a, b in zip(OLD, NEW, strict=True)], CHINESE),
        mbr([[a, b] for a, b in zip(OLD, NEW, strict=True)], metric="bleu"),
        study_type_one(texts, repetitions=50, replicates=200, tests=("ar",)),
    ]
    for result in results:
        found = signatures(json.loads(json.dumps(result.to_dict())))
        of_bleu = [text for text in found if text.startswith("BLEU")]
        assert of_bleu, type(result)
        assert all("|tok:zh|" in text for text in of_bleu), type(result)
    for result in results[:6]:
        line = "tokenizer zh chosen for Chinese references; set tokenize=… to choose another"
        assert str(result).count(line) == 1, type(result)


def test_saved_counts_name_the_tokenizer(tmp_path: Path) -> None:
    save_counts(truebleu.count(OLD, CHINESE), tmp_path / "old.npz")
    read = read_counts(tmp_path / "old.npz")
    assert [read.signature(metric)["tok"] for metric in read.metrics] == ["zh"]


@pytest.mark.parametrize(
    ("metric", "advice"),
    [
        (WER(), "tokenize=zh"),
        (PER(), "tokenize=zh"),
        (GTM(), "tokenize=zh"),
        (LengthRatio(), "tokenize=zh"),
        (NIST(), "tokenize=zh"),
        (TER(), "normalized=yes,asian_support=yes"),
        (BLEU(tokenize="13a"), "tokenize=zh"),
        (CHRF(word_order=2), "word_order=0"),
        (TER(normalized=True, asian_support=True), None),
        (WER(tokenize="char"), None),
        (CHRF(), None),
        (BLEU(), None),
    ],
    ids=lambda value: str(getattr(value, "signature", value)),
)
def test_metrics_that_need_spaces_say_what_to_use(metric: Metric, advice: str | None) -> None:
    outline = truebleu.count(OLD, CHINESE, metric).outline
    found = [warning for warning in outline.warnings if warning.code == "unspaced"]
    assert [warning.message.partition("use ")[2] for warning in found] == (
        [] if advice is None else [advice]
    )
    if advice is not None:
        # What is advised needs no advice.
        settings = dict(setting.split("=") for setting in advice.split(","))
        text = f"{type(metric).__name__}"
        fixed = {k: v == "yes" if v in ("yes", "no") else int(v) if v.isdigit() else v
                 for k, v in settings.items()}  # fmt: skip
        assert type(metric)(**fixed).advice_for_script("Chinese") is None, text


def test_counts_of_the_same_texts_have_each_warning_once() -> None:
    once = truebleu.count(OLD, CHINESE, "wer")
    assert once.texts is not None
    assert truebleu.count(once.texts, metrics="wer").outline.warnings == once.outline.warnings
    assert truebleu.count(once).outline.warnings == once.outline.warnings


def test_results_from_lists_carry_warnings() -> None:
    result = truebleu.compare({"a": CHINESE, "b": ["", *NEW[1:]]}, CHINESE, replicates=200)
    assert {(w.text, w.code) for w in result.warnings} == {
        ("a", "same-as-reference"),
        ("b", "blank"),
    }
