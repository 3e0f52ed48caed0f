"""Planted damage: spread evenly or unevenly, and outputs that are no translations."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from evidence.data import DATA, POOLED_SETS, read_set
from truebleu.corpus import as_test_set, read_test_set
from truebleu.counts.inputs import counts_of
from truebleu.execution.journal import Task
from truebleu.explanation import degenerate_outputs, split_difference
from truebleu.explanation.explain import NEAR
from truebleu.explanation.slices import even_spread_ps, members, reference_shares, variables
from truebleu.metrics import BLEU
from truebleu.reports.document import Column
from truebleu.resampling import Units
from truebleu.studies._study import binomial_rate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Key, Record, Runner
    from truebleu.reports.document import Row

# Damaged sets of each kind, and permutations of the labels in each.
NULLS, PLANTED, REPLICATES = 400, 200, 500
# Runs in a task; and the first seed, as the method was developed on smaller seeds.
PART, FIRST_SEED = 25, 1000
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
ORDINARY_COLUMNS = (
    Column("set", "Set"),
    Column("systems", "Systems"),
    Column("outputs", "Outputs"),
    Column("flagged", "Flagged"),
    Column("rate", "of 1,000", 1),
    Column("kinds", "Kinds (an output may have several)"),
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


@cache
def _joined(folders: tuple[str, ...], system: str) -> TestSet:
    """Read one test set, or concatenate several."""
    first, *others = (_texts(folder, system) for folder in folders)
    if not others:
        return first
    sets = (first, *others)
    return as_test_set(
        {system: [text or "" for each in sets for text in each.systems[system]]},
        [text or "" for each in sets for text in each.references[0]],
        source=[text or "" for each in sets for text in each.source or ()],
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
        return np.flatnonzero(domains == Counter(test_set.domains or ()).most_common(1)[0][0])
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
    """Return the variables that an explanation would name."""
    (before,) = (list(text) for text in test_set.systems.values())
    after = list(before)
    for place in places:
        after[place] = _halved(before[place] or "")
    pair = replace(test_set, systems={"a": after, "b": before}, warnings=())
    counts = counts_of(pair, None, METRIC)
    rows = counts.metrics[0].rows.floats()
    split = split_difference(METRIC, rows[:, 0], rows[:, 1]).by_segment
    units = Units.segments(len(pair))
    if unit == "document":
        units = Units.documents(pair.documents or ())
    cuts, shares = variables(counts), reference_shares(counts)
    ps = even_spread_ps(cuts, split, shares, units, replicates=REPLICATES, seed=seed)
    names = set()
    for cut, adjusted in zip(cuts, ps, strict=True):
        member = members(cut)
        values = split @ member
        excess = np.abs(values - (shares @ member) * split.sum()) / np.abs(values).sum()
        # Twice, because an explanation also tests n-grams.
        if ((2 * adjusted <= ALPHA) & (excess >= NEAR)).any():
            names.add(cut.name)
    return names


@dataclass(frozen=True, slots=True)
class Damage:
    """Damage that removes the second half of segments.

    Attributes:
        sets: test sets, concatenated, with a system of each.
        kind: variable to draw segments by; "" for all segments, or whole documents.
        count: number of segments, at most as many as there are.
        unit: unit of the test.
        runs: number of draws.
    """

    sets: tuple[str, ...]
    system: str
    kind: str
    count: int
    unit: str
    runs: int

    @property
    def planted(self) -> bool:
        """True if the damage is in one kind of segments."""
        return self.kind not in ("", "documents")

    def tasks(self) -> list[Task]:
        """Split the runs into tasks."""
        return [
            Task((*self.sets, self.kind, self.count, self.unit, start), partial(self.run, start))
            for start in range(FIRST_SEED, FIRST_SEED + self.runs, PART)
        ]

    def run(self, start: int) -> Record:
        """Count how often any variable is named, and how often the right one."""
        test_set = _joined(self.sets, self.system)
        named = [
            _named(test_set, _damaged(test_set, self.kind, self.count, seed), self.unit, seed)
            for seed in range(start, start + PART)
        ]
        return {
            "named": sum(map(bool, named)),
            "right": sum(self.kind in names for names in named),
        }

    def row(self, records: Mapping[Key, Record]) -> Row:
        """Make the row of the page."""
        parts = [records[task.key] for task in self.tasks()]
        rate = binomial_rate(sum(part["named"] for part in parts), self.runs)
        size = min(self.count, len(_pool(_joined(self.sets, self.system), self.kind)))
        where = "whole documents" if self.kind else "drawn from all"
        return {
            "damage": f"{size} of {' and '.join(self.sets)}, "
            + (f"where {self.kind}" if self.planted else where),
            "unit": f"{self.unit}s",
            "runs": self.runs,
            "named": rate.value,
            "low": rate.low,
            "high": rate.high,
            "right": sum(part["right"] for part in parts) / self.runs if self.planted else None,
        }


SPANISH, HEBREW = (("wmt24-en-es",), "GPT-4"), (("wmt23-he-en",), "GPT4-5shot")
# No single set has 200 questions.
INTO_ENGLISH = (POOLED_SETS, "GPT4-5shot")
DAMAGES = (
    Damage(*SPANISH, "", 60, "segment", NULLS),
    Damage(*SPANISH, "", 500, "segment", NULLS),
    Damage(*HEBREW, "", 60, "segment", NULLS),
    Damage(*SPANISH, "documents", 60, "document", NULLS),
    Damage(*SPANISH, "documents", 500, "document", NULLS),
    Damage(*HEBREW, "ends with a question mark", 60, "segment", PLANTED),
    Damage(*INTO_ENGLISH, "ends with a question mark", 200, "segment", PLANTED),
    Damage(*SPANISH, "source characters", 60, "segment", PLANTED),
    Damage(*SPANISH, "source characters", 200, "segment", PLANTED),
    Damage(*SPANISH, "domain", 60, "segment", PLANTED),
    Damage(*SPANISH, "domain", 200, "segment", PLANTED),
    Damage(*SPANISH, "domain", 60, "document", PLANTED),
    Damage(*SPANISH, "domain", 200, "document", PLANTED),
)


def spread_rows(runner: Runner) -> tuple[Row, ...]:
    """Measure how often damage is reported as uneven, drawn from all segments or from one kind."""
    records = runner.run({"study": "explain"}, [task for one in DAMAGES for task in one.tasks()])
    return tuple(damage.row(records) for damage in DAMAGES)


# Ten refusals, and eight frames of a translation, in each language. No rule was developed on them.
REFUSALS = {
    "English": (
        "Let's talk about something more pleasant instead.",
        "There is nothing here that I could work with, so please try again.",
        "Producing such insults would go against my principles.",
        "Which dialect should I use for this?",
        "My knowledge ends some years ago, hence I have no details on these events.",
        "Sadly I was not given any words to convert.",
        "Human experts should answer medical questions like this one.",
        "The string you entered looks like computer code and has no meaning for readers.",
        "Nope, not doing that.",
        "I have been trained to avoid graphic descriptions of harm.",
    ),
    "Czech": (
        "Pojďme si raději povídat o něčem příjemnějším.",
        "Není tu nic, s čím bych mohl pracovat, zkuste to znovu.",
        "Takové urážky psát zásadně nebudu.",
        "Jaké nářečí si mám zvolit?",
        "Moje znalosti končí před pár lety, takže podrobnosti neznám.",
        "Nedostal jsem žádná slova, která bych převedl.",
        "Na lékařské dotazy by měl odpovídat odborník.",
        "Zadaný řetězec vypadá jako počítačový kód a pro čtenáře nemá smysl.",
        "Ne, tohle dělat nebudu.",
        "Byl jsem vycvičen vyhýbat se líčení násilí.",
    ),
    "Japanese": (
        "もっと楽しい話題にしませんか。",
        "作業できる材料がありませんので、やり直してください。",
        "そのような悪口を書くことは主義に反します。",
        "どの方言を使えばよいですか。",
        "私の知識は数年前までのものなので、その件はわかりかねます。",
        "変換する言葉がひとつも届いていません。",
        "医療に関することは専門家に相談してください。",
        "入力された文字列はプログラムのようで、意味を成していません。",
        "いいえ、それはやりません。",
        "残酷な描写は避けるように訓練されています。",
    ),
    "Chinese": (
        "我们聊点愉快的话题吧。",
        "这里没有可供处理的材料，请再试一次。",
        "写这种辱骂的话有违我的原则。",
        "请问要用哪一种方言？",
        "我的知识截至几年以前，所以不了解详情。",
        "我没有收到任何需要转换的词语。",
        "医疗方面的疑问应当咨询专业人士。",
        "输入的字符串看起来像程序代码，没有意义。",
        "不，我不会那样做。",
        "我受过训练，会避开血腥的描写。",
    ),
}
NOTES = {
    "English": (
        "Possible wording: {}",
        "A native speaker might say: {}",
        "First draft follows. {}",
        "Using a neutral register, we get: {}",
        "{} Alternatively, a shorter phrasing could be chosen.",
        "{} [Confidence: high]",
        "{} Feel free to ask if anything is unclear.",
        "{} The idiom was replaced by a common one.",
    ),
    "Czech": (
        "Možné znění: {}",
        "Rodilý mluvčí by řekl: {}",
        "Následuje první návrh. {}",
        "V neutrálním stylu dostaneme: {}",
        "{} Případně lze zvolit kratší vyjádření.",
        "{} [Jistota: vysoká]",
        "{} Kdyby bylo cokoli nejasné, klidně se zeptejte.",
        "{} Ustálené rčení jsem nahradil obvyklejším.",
    ),
    "Japanese": (
        "考えられる表現：{}",
        "母語話者ならこう言うでしょう：{}",
        "まずは下書きです。{}",
        "中立的な文体にすると：{}",
        "{}もっと短い言い回しを選ぶこともできます。",
        "{}［確信度：高い］",
        "{}不明な点があれば遠慮なくお尋ねください。",
        "{}慣用句は一般的なものに置き換えました。",
    ),
    "Chinese": (
        "可能的措辞：{}",
        "母语者会这样讲：{}",
        "以下是初稿。{}",
        "采用中性语体可得：{}",
        "{}也可以选用更简短的表达。",
        "{}［把握程度：高］",
        "{}若有不清楚之处，欢迎随时提问。",
        "{}成语已换成更常见的说法。",
    ),
}
FENCES = ("```{}```", "<output>{}</output>")
SPACED = ("English", "Czech")
BROKEN = 10


def _into() -> Iterator[tuple[str, TestSet]]:
    """Return pairs of systems by target language; two systems into Chinese drop characters."""
    for language, folder in (
        ("English", "wmt23-he-en"),
        ("Czech", "wmt23-en-cs"),
        ("Japanese", "wmt23-en-ja"),
    ):
        test_set, other = _texts(folder, "GPT4-5shot"), _texts(folder, "ONLINE-B")
        yield language, replace(test_set, systems={**test_set.systems, **other.systems})
    turned = _texts("wmt23-zh-en", "GPT4-5shot")
    chinese = [text or "" for text in turned.source or ()]
    english = [text or "" for text in turned.references[0]]
    systems = {
        f"without {share:.0%}": [
            "".join(letter for letter in text if letter in "。！？" or generator.random() > share)
            for text in chinese
        ]
        for share, generator in ((0.15, np.random.default_rng(3)), (0.3, np.random.default_rng(4)))
    }
    yield "Chinese", as_test_set(systems, chinese, source=english)


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
    """Return unrelated sentences."""
    references = _texts("wmt21-en-de", "Facebook-AI").references[0]
    return [text for text in references if text is not None and len(text) > 80]


def _broken(kind: str, language: str, output: str, source: str, number: int) -> str:
    if kind == "refusals":
        return REFUSALS[language][number]
    if kind == "refusals in English":
        return REFUSALS["English"][number]
    if kind == "notes, preambles, fences":
        return (*NOTES[language], *FENCES)[number].format(output)
    if kind == "copies of the source":
        return source
    if kind == "German":
        return _german()[number]
    if kind == "first halves":
        return output[: len(output) // 2]
    end = " " + " ".join(output.split()[-4:]) if language in SPACED else output[-8:]
    return output + 6 * end


def degenerate_rows() -> Iterator[Row]:
    """Plant ten faulty outputs of each kind, and count how many are flagged."""
    for language, test_set in _into():
        name = next(iter(test_set.systems))
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
            system = replace(test_set, systems={**test_set.systems, name: texts}, warnings=())
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
    """Count the flags in unchanged outputs, by kind."""
    for folder in ("wmt21-en-de", "wmt23-en-cs", "wmt23-en-ja", *POOLED_SETS, "wmt24-en-es"):
        test_set = read_set(folder)
        source = (DATA / folder / "src.txt").read_text(encoding="utf-8").split("\n")
        test_set = replace(test_set, source=source[: len(test_set)])
        kinds: Counter[str] = Counter()
        flagged = 0
        for of_kind in degenerate_outputs(test_set).values():
            kinds.update({kind: len(places) for kind, places in of_kind.items() if places})
            flagged += len({place for places in of_kind.values() for place in places})
        outputs = len(test_set.systems) * len(test_set)
        yield {
            "set": folder,
            "systems": len(test_set.systems),
            "outputs": outputs,
            "flagged": flagged,
            "rate": 1000 * flagged / outputs,
            "kinds": ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()),
        }
