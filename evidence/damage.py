"""Damage done on purpose: spread evenly or not, and in outputs that are no translations."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from evidence.data import DATA
from truebleu.corpus import as_test_set, read_test_set
from truebleu.explanation import degenerate_outputs, split_difference
from truebleu.explanation.explain import NEAR
from truebleu.explanation.slices import even_spread_ps, members, reference_shares, variables
from truebleu.metrics import BLEU
from truebleu.reports.document import Column
from truebleu.resampling import Units
from truebleu.studies._study import binomial_rate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.reports.document import Row

# Sets of each kind of damage, and how often labels are laid anew in each.
NULLS, PLANTED, REPLICATES = 400, 200, 500
ALPHA = 0.05
METRIC = BLEU(tokenize="13a")

SPREAD_COLUMNS = (
    Column("damage", "Segments that lose their second half"),
    Column("unit", "Unit"),
    Column("runs", "Sets"),
    Column("named", "It depends on something", 1, percent=True),
    Column("low", "from", 1, percent=True),
    Column("high", "to", 1, percent=True),
    Column("right", "named rightly", 1, percent=True),
)
DEGENERATE_COLUMNS = (
    Column("language", "Into"),
    Column("kind", "Outputs"),
    Column("broken", "Broken"),
    Column("found", "Found"),
)


@cache
def _texts(folder: str, system: str) -> TestSet:
    path = DATA / folder
    documents = path / "docs.tsv"
    return read_test_set(
        [str(path / "sys" / f"{system}.txt")],
        [str(path / "refA.txt")],
        source=str(path / "src.txt"),
        documents=str(documents) if documents.exists() else None,
    )


def _halved(text: str) -> str:
    words = text.split()
    return " ".join(words[: len(words) // 2])


def _pool(test_set: TestSet, kind: str) -> NDArray[np.int64]:
    source = [text or "" for text in test_set.source or ()]
    if kind == "ends with a question mark":
        return np.flatnonzero([text.rstrip().endswith(("?", "？")) for text in source])
    if kind == "source characters":
        lengths = np.array([len(text) for text in source])
        return np.flatnonzero(lengths >= np.quantile(lengths, 0.8))
    if kind == "domain":
        domains = np.array(test_set.domains)
        return np.flatnonzero(domains == domains[0])
    return np.arange(len(test_set))


def _damaged(test_set: TestSet, kind: str, count: int, seed: int) -> tuple[int, ...]:
    generator = np.random.default_rng([seed, count])
    if kind != "documents":
        pool = _pool(test_set, kind)
        return tuple(generator.choice(pool, min(count, len(pool)), replace=False).tolist())
    units = Units.documents(test_set.documents or ())
    places: list[int] = []
    for unit in generator.permutation(len(units)).tolist():
        if len(places) < count:
            places += np.flatnonzero(units.of_segment == unit).tolist()
    return tuple(places)


def _named(test_set: TestSet, places: tuple[int, ...], unit: str, seed: int) -> set[str]:
    """The variables that an explanation would name."""
    (before,) = (list(text) for text in test_set.systems.values())
    after = list(before)
    for place in places:
        after[place] = _halved(before[place] or "")
    pair = replace(test_set, systems={"a": after, "b": before}, warnings=())
    rows = METRIC.count(pair).array()
    split = split_difference(METRIC, rows[:, 0], rows[:, 1]).by_segment
    units = Units.segments(len(pair))
    if unit == "document":
        units = Units.documents(pair.documents or ())
    cuts, shares = variables(pair), reference_shares(pair)
    ps = even_spread_ps(cuts, split, shares, units, replicates=REPLICATES, seed=seed)
    names = set()
    for cut, adjusted in zip(cuts, ps, strict=True):
        member = members(cut)
        values = split @ member
        excess = np.abs(values - (shares @ member) * split.sum()) / np.abs(values).sum()
        # Twice: an explanation asks about n-grams too.
        if ((2 * adjusted <= ALPHA) & (excess >= NEAR)).any():
            names.add(cut.name)
    return names


def spread_rows() -> Iterator[Row]:
    """How often damage is said to depend on something: drawn from all segments, and from a kind."""
    english, hebrew = ("wmt24-en-es", "GPT-4"), ("wmt23-he-en", "GPT4-5shot")
    for folder, kind, count, unit, runs in (
        (english, "", 60, "segment", NULLS),
        (english, "", 500, "segment", NULLS),
        (hebrew, "", 60, "segment", NULLS),
        (english, "documents", 60, "document", NULLS),
        (hebrew, "ends with a question mark", 60, "segment", PLANTED),
        (hebrew, "ends with a question mark", 200, "segment", PLANTED),
        (english, "source characters", 60, "segment", PLANTED),
        (english, "source characters", 200, "segment", PLANTED),
        (english, "domain", 60, "segment", PLANTED),
        (english, "domain", 60, "document", PLANTED),
    ):
        test_set = _texts(*folder)
        named = [
            _named(test_set, _damaged(test_set, kind, count, seed), unit, seed)
            for seed in range(runs)
        ]
        planted = kind not in ("", "documents")
        size = min(count, len(_pool(test_set, kind)))
        rate = binomial_rate(sum(map(bool, named)), runs)
        where = f"where {kind}" if planted else "whole documents" if kind else "drawn from all"
        yield {
            "damage": f"{size} of {folder[0]}, {where}",
            "unit": f"{unit}s",
            "runs": runs,
            "named": rate.value,
            "low": rate.low,
            "high": rate.high,
            "right": sum(kind in names for names in named) / runs if planted else None,
        }


# Ten refusals, and five frames of a translation, in each language.
REFUSALS = {
    "English": (
        "I'm sorry, but I can't assist with that request.",
        "I cannot translate this text because it contains offensive content.",
        "As an AI language model, I am unable to help with this.",
        "I apologize, but I don't feel comfortable with this text.",
        "I'm not able to provide a translation of this content.",
        "Sorry, I can't help you to translate that.",
        "I'm sorry, I cannot fulfill this request.",
        "Unfortunately, this text can't be translated.",
        "Could you please provide the text you want me to translate?",
        "This request goes against my guidelines.",
    ),
    "Czech": (
        "Omlouvám se, ale s tímto požadavkem vám nemohu pomoci.",
        "Bohužel tento text nemohu přeložit.",
        "Jako jazykový model nemohu tento obsah zpracovat.",
        "Je mi líto, ale tento překlad nemohu poskytnout.",
        "Promiňte, ale nejsem schopen tento text přeložit.",
        "Omlouvám se, tento obsah je nevhodný.",
        "Nemohu přeložit tento text, protože obsahuje urážky.",
        "Lituji, ale s tím vám nepomohu.",
        "Prosím, pošlete mi text, který chcete přeložit.",
        "Tento požadavek porušuje mé zásady.",
    ),
    "Japanese": (
        "申し訳ございませんが、そのご依頼にはお応えできません。",
        "申し訳ありませんが、このテキストを翻訳することはできません。",
        "言語モデルとして、その内容にはお答えできません。",
        "すみませんが、お手伝いできません。",
        "この内容は不適切なため翻訳できません。",
        "恐れ入りますが、このリクエストには対応できません。",
        "申し訳ありません。お手伝いすることができません。",
        "翻訳するテキストをご提供ください。",
        "ごめんなさい、それはできません。",
        "これは私のガイドラインに違反しています。",
    ),
    "Chinese": (
        "很抱歉，我无法翻译这段内容。",
        "对不起，我不能协助您完成这件事。",
        "作为一个人工智能语言模型，我无法提供该内容。",
        "抱歉，我无法满足您的要求。",
        "我不能翻译包含攻击性语言的文本。",
        "请提供您需要翻译的文本。",
        "抱歉，该内容不适合。",
        "对不起，我无法回答这个问题。",
        "很遗憾，我无法处理此请求。",
        "此请求违反了我的使用准则。",
    ),
}
NOTES = {
    "English": (
        "Here is the translation: {}",
        "Sure! The translation: {}",
        "{} I hope this helps!",
    ),
    "Czech": ("Zde je překlad: {}", "{} (Pozn. překl.: doslovně.)", "{} Doufám, že vám to pomůže!"),
    "Japanese": ("以下は翻訳です：{}", "日本語訳：{}", "{} 注：直訳です。"),
    "Chinese": ("以下是翻译：{}", "当然！译文：{}", "{}（译者注：这是直译。）"),
}
FENCE = "```{}```"
SPACED = ("English", "Czech")
BROKEN = 10


def _into() -> Iterator[tuple[str, TestSet]]:
    """A system into each language; into Chinese one that drops characters."""
    yield "English", _texts("wmt23-he-en", "GPT4-5shot")
    yield "Czech", _texts("wmt23-en-cs", "GPT4-5shot")
    yield "Japanese", _texts("wmt23-en-ja", "GPT4-5shot")
    turned = _texts("wmt23-zh-en", "GPT4-5shot")
    chinese = [text or "" for text in turned.source or ()]
    generator = np.random.default_rng(3)
    system = [
        "".join(letter for letter in text if letter in "。！？" or generator.random() > 0.15)
        for text in chinese
    ]
    english = [text or "" for text in turned.references[0]]
    yield "Chinese", as_test_set({"system": system}, chinese, source=english)


KINDS = (
    "refusals",
    "refusals in English",
    "notes, preambles, fences",
    "copies of the source",
    "German",
    "loops",
    "first halves",
)


@cache
def _german() -> list[str]:
    """Sentences about something else."""
    references = _texts("wmt21-en-de", "Facebook-AI").references[0]
    return [text for text in references if text is not None and len(text) > 80]


def _broken(kind: str, language: str, output: str, source: str, number: int) -> str:
    if kind == "refusals":
        return REFUSALS[language][number]
    if kind == "refusals in English":
        return REFUSALS["English"][number]
    if kind == "notes, preambles, fences":
        notes = (*NOTES[language], FENCE)
        return notes[number % len(notes)].format(output)
    if kind == "copies of the source":
        return source
    if kind == "German":
        return _german()[number]
    if kind == "first halves":
        return output[: len(output) // 2]
    end = " " + " ".join(output.split()[-4:]) if language in SPACED else output[-8:]
    return output + 6 * end


def degenerate_rows() -> Iterator[Row]:
    """Ten outputs of each kind, broken on purpose, and how many of them are found."""
    for language, test_set in _into():
        (name,) = test_set.systems
        outputs = [text or "" for text in test_set.systems[name]]
        source = [text or "" for text in test_set.source or ()]
        least = 60 if language in SPACED else 25
        long = [place for place, text in enumerate(outputs) if len(text) > least]
        generator = np.random.default_rng(1)
        for kind in KINDS:
            places = generator.choice(long, BROKEN, replace=False).tolist()
            texts = list(outputs)
            for number, place in enumerate(places):
                texts[place] = _broken(kind, language, outputs[place], source[place], number)
            system = replace(test_set, systems={name: texts}, warnings=())
            flagged = {
                place for flags in degenerate_outputs(system)[name].values() for place in flags
            }
            yield {
                "language": language,
                "kind": kind,
                "broken": BROKEN,
                "found": len(flagged & set(places)),
            }


def ordinary_rows() -> Iterator[Row]:
    """What is flagged in the outputs of twenty systems as they are."""
    for folder in ("wmt21-en-de", "wmt23-en-cs"):
        systems = sorted((DATA / folder / "sys").glob("*.txt"))[:10]
        test_set = read_test_set(
            [str(path) for path in systems],
            [str(DATA / folder / "refA.txt")],
            source=str(DATA / folder / "src.txt"),
        )
        flagged = sum(
            len({place for places in kinds.values() for place in places})
            for kinds in degenerate_outputs(test_set).values()
        )
        outputs = len(systems) * len(test_set)
        yield {
            "set": folder,
            "systems": len(systems),
            "outputs": outputs,
            "flagged": flagged,
            "rate": 1000 * flagged / outputs,
        }
