"""Degenerate outputs: faults that are visible in the text, whatever the score.

An output may be empty, cut short, runaway, looping, untranslated or in another language; it may be
a refusal, contain a note about the translation, or be unrelated to the source. The rules use only
characters, so that they work for any language: they compare an output with its reference and
source, with other systems' outputs, with the language of all references, and with the system's
other outputs. Flags depend on the outputs, so a difference without flagged segments is exploratory.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from math import log
from statistics import median
from typing import TYPE_CHECKING
from unicodedata import name as character_name

from truebleu import _core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from truebleu.corpus.test_set import TestSet

__all__ = ["degenerate_outputs"]

# A runaway output has more than this factor times the reference's characters, plus this extra.
RUNAWAY_FACTOR, RUNAWAY_EXTRA = 3, 30
# An output is cut short below a quarter of the characters of a reference that is not short itself,
# or below three fifths if it ends within a sentence.
CUT_SHARE, CUT_WITHIN_SENTENCE, CUT_LEAST = 0.25, 0.6, 30
# Fewest systems from which the usual length of outputs can be learnt.
MANY = 4
# A loop has more than LOOP_LEAST letters, and more than twice as many as any loop of source or
# reference; three repetitions may be emphasis, so they count only with more than EMPHASIS letters.
LOOP_LEAST, EMPHASIS = 10, 20
# Shorter sources, such as names, may stay untranslated.
UNTRANSLATED_LEAST = 10
# A copy has this share of the source's trigrams, if the reference has at most half of them.
COPIED_SHARE, KEPT_SHARE = 0.9, 0.5
# An output is foreign if more than this share of its letters, and at least FOREIGN_LEAST, are in
# scripts with less than USED_SHARE of all letters of references; letters that its own reference has
# do not count.
FOREIGN_SHARE, USED_SHARE, FOREIGN_LEAST = 0.6, 0.1, 10
# An output with at least LANGUAGE_LEAST trigrams is also foreign if their mean log frequency in the
# references is lower by RARER than its own reference's and the median reference's.
RARER, LANGUAGE_LEAST = 0.7, 25
# An answer about the request shares less than this of its trigrams with reference and source.
ABOUT_REQUEST = 0.3
# Unrelated texts share less than this of their trigrams, weighted by rarity, with reference, source
# and other outputs; RELATED_PAIRS is for East Asian texts, whose pairs of characters are rarer.
# References must have at least RELATED_LEAST trigrams.
RELATED, RELATED_PAIRS, RELATED_LEAST = 0.14, 0.1, 20
# An extra beginning or end has at least EXTRA_LEAST trigrams; the remaining text has at least the
# share BESIDES of the reference's length.
EXTRA_LEAST, BESIDES = 4, 0.7
# Fewest outputs of a system with one beginning or end that make a habit, if no reference has it.
ALIKE = 3
# Number of characters in an opening, and in the longest preamble.
OPENING, PREAMBLE = 24, 80
# Tags and addresses stay untranslated.
KEPT = re.compile(r"[#@]\S+|https?://\S+")
# Outputs of sources whose first characters differ should begin differently.
SOURCE_OPENING = 3
# Share of outputs that makes a habit.
MOSTLY = 0.9

# Letters per word in East Asian scripts.
KANA = frozenset({"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HALFWIDTH"})
EAST_ASIAN = frozenset({"CJK", "KANA"})
LETTERS_OF_A_WORD = 3
# Chinese has kana only in names, Japanese everywhere.
KANA_SHARE = 0.1

#: Words of answers to the request instead of translations, in many languages.
REQUEST = re.compile(
    r"translat|traduc|traduz|tradui|übersetz|vertaal|vertal|překlad|přelož|tłumacz|przetłum"
    r"|перев[оеё]|переклад|翻[訳译譯]|[译譯訳]文|번역|ترجم|תרגו|תרגם|अनुवाद|dịch|çevir|μεταφρ"
    r"|sorry,? (?:but|i)|i apolog|i(?:['’]m| am) (?:unable|not able|afraid)|an ai\b|language model"
    r"|(?:this|your) request|guideline|(?:more|enough) context|hope (?:this|it) helps|lo siento"
    r"|désolé|tut mir leid|kann ich nicht|omlouv|bohužel|nemohu|jazykov\w+ model|umělá inteligence"
    r"|promiňte|lituj|požadav|(?:vám|rád|ráda) (?:to )?pom[oů]|извин|не могу|к сожалению|вибач"
    r"|przeprasz|nie mogę|desculp|não posso|mi dispiace|抱歉|对不起|對不起|恕我|敏感[信内]|希望这"
    r"|(?:无法|無法|不能)(?:提供|协助|協助|完成|回答|处理|處理|满足)|人工智能|语言模型|请求|准则"
    r"|申し訳|お手伝い|言語モデル|ご依頼|リクエスト|ポリシー|ガイドライン|恐れ入り|ごめんなさい"
    r"|(?:\b(?:note|n\.b|explanation|pozn|poznámka|vysvětlení|nota|hinweis|anmerkung|remarque|uwaga"
    r"|примечание|примітка)|[注註][意释釋]?|備考|说明|説明|補足|참고|ملاحظة|הערה|टिप्पणी)\W{0,3}[:：]"
    r"|죄송|미안|할 수 없|도와|סליחה|מצטער|לא יכול|آسف|عذر|لا أستطيع|क्षमा|खेद|माफ",
    re.IGNORECASE,
)
#: Words of source and reference that explain an apology in the output.
SORRY = re.compile(r"sorry|pardon|excuse|regret|遗憾|遺憾|すみません|ごめん|悪い", re.IGNORECASE)
# Superset of the letters of East Asian scripts, quick to search for.
MAY_BE_EAST_ASIAN = re.compile("[^\0-\u2e7f]")
# Most letters in the part that a loop repeats.
LONGEST_PART = 40
FENCE = re.compile(r"```|^<\w+>(?=.*</\w+>$)")
STOP = re.compile(r"[.!?:)]+(?=\W|$)|[。！？：）\n]+")
ENDED = re.compile(r"[^\w\s,;，；、]$")


class Text:
    """A text and its properties, each computed once."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __len__(self) -> int:
        return len(self.text)

    @cached_property
    def trigrams(self) -> frozenset[str]:
        """Trigrams of lower-case characters; pairs of East Asian ones, whose words are shorter."""
        text = " ".join(self.text.lower().split())
        trigrams = _core.trigrams(text)
        if not self.is_east_asian:
            return trigrams
        pairs = (first + second for first, second in pairwise(text) if _script(first) in EAST_ASIAN)
        return frozenset(pairs).union(
            trigram for trigram in trigrams if _script(trigram[0]) not in EAST_ASIAN
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """Trigrams that consist of letters."""
        return frozenset(filter(str.isalpha, self.trigrams))

    @cached_property
    def scripts(self) -> Counter[str]:
        """Number of letters of each script."""
        counts: Counter[str] = Counter()
        for character, count in Counter(self.text).items():
            script = _script(character)
            if script is not None:
                counts[script] += count
        return counts

    @cached_property
    def is_east_asian(self) -> bool:
        """True if the text has letters of an East Asian script."""
        return MAY_BE_EAST_ASIAN.search(self.text) is not None and bool(
            EAST_ASIAN & self.scripts.keys()
        )

    @cached_property
    def letters(self) -> str:
        """Letters and digits in lower case."""
        return "".join(filter(str.isalnum, self.text)).lower()

    @cached_property
    def loop_at_the_end(self) -> int:
        """Number of letters in a loop of three repetitions at the end, or 0."""
        letters, end = self.letters, self.letters[-LOOP_LEAST - 1 :]
        period = len(letters) - len(end) - letters.rfind(end, 0, -1)
        return 3 * period if letters.endswith(3 * letters[-period:]) else 0

    @cached_property
    def loop(self) -> int:
        """Number of letters in the longest loop of three or more repetitions, or 0."""
        runs = _core.loops(self.letters, LONGEST_PART)
        counted = (run for run, part in runs if run > min(3 * part, EMPHASIS))
        return max([self.loop_at_the_end, *counted])

    @cached_property
    def is_ended(self) -> bool:
        """True if the text ends with punctuation other than commas and semicolons."""
        return ENDED.search(self.text.strip()) is not None

    @cached_property
    def opening(self) -> str:
        """First characters of the text; empty for a short text."""
        length = OPENING // 2 if self.is_east_asian else OPENING
        return self.text[:length] if len(self) > length else ""

    @cached_property
    def stops(self) -> list[int]:
        """Positions within the text after sentences, brackets and colons."""
        text = self.text.rstrip()
        return [stop.end() for stop in STOP.finditer(text) if stop.end() < len(text)]

    @cached_property
    def ends(self) -> list[Text]:
        """Parts that may be a preamble, and parts that may be a note after the text."""
        heads = [self.text[:end] for end in self.stops if end <= PREAMBLE]
        return [Text(end) for end in (*heads, *(self.text[stop:] for stop in self.stops[-2:]))]

    @property
    def habits(self) -> Iterator[str]:
        """Parts that outputs for different sources share only by habit."""
        yield from filter(None, (self.opening, *(part.text for part in self.ends)))

    def share_in(self, texts: Iterable[Text]) -> float:
        """Return the share of the text's trigrams that occur in other texts."""
        rest = self.trigrams.difference(*(text.trigrams for text in texts))
        return 1 - len(rest) / len(self.trigrams) if self.trigrams else 1.0


class Language:
    """Frequencies of trigrams, scripts and openings in all references of a test set."""

    def __init__(self, references: Sequence[Sequence[Text]]) -> None:
        self.texts = [text for texts in references for text in texts]
        letters: Counter[str] = Counter()
        self.segments: Counter[str] = Counter()
        self.habits: set[str] = set()
        for texts in references:
            self.segments.update(frozenset().union(*(text.words for text in texts)))
        for text in self.texts:
            letters.update(text.scripts)
            self.habits.update(text.habits)
        # Logarithm of each possible count of segments plus 0.5.
        self.logarithms = [log(count + 0.5) for count in range(len(references) + 1)]
        self.log_total = log(max(1, self.segments.total()))
        used = USED_SHARE * letters.total()
        self.scripts = {script for script, count in letters.items() if count >= used}

    def familiarity(self, text: Text, *, own_count: int = 0) -> float:
        """Compute the mean log count of segments with each trigram, less `own_count` segments."""
        counts = [self.segments.get(trigram, own_count) - own_count for trigram in text.words]
        return sum([self.logarithms[count] for count in counts]) / len(text.words)

    def relation(self, text: Text, other: Text) -> float:
        """Compute the share of a text's trigrams that another text has, weighted by surprise.

        Trigrams weigh less if many segments have them or if the other text is long.
        """
        if not other.words:
            return 0.0
        maximum = self.log_total - log(len(other.words))

        def weight(trigrams: Iterable[str]) -> float:
            counts = [self.segments.get(trigram, 0) for trigram in trigrams]
            return sum([max(0.0, maximum - self.logarithms[count]) for count in counts])

        whole = weight(text.words)
        return weight(text.words & other.words) / whole if whole else 1.0

    @cached_property
    def median_familiarity(self) -> float:
        """Median familiarity of the references."""
        long = (text for text in self.texts if len(text.words) >= LANGUAGE_LEAST)
        return median(self.familiarity(text, own_count=1) for text in long)


class Habits:
    """Habits of a system: beginnings, ends and lengths of its outputs.

    Attributes:
        sources: for each beginning or end, first characters of the sources of outputs with it.
        length: length of all outputs, relative to the references; at least 1.
        ends_sentences: True if nearly all outputs end with punctuation if their references do.
    """

    def __init__(
        self, outputs: Sequence[Text], sources: Sequence[Text], references: Sequence[Sequence[Text]]
    ) -> None:
        self.sources: dict[str, set[str]] = defaultdict(set)
        ended = []
        for output, source, of_segment in zip(outputs, sources, references, strict=True):
            about = source.text or of_segment[0].text
            for part in output.habits:
                self.sources[part].add(about[:SOURCE_OPENING])
            if all(text.is_ended for text in of_segment):
                ended.append(output.is_ended)
        self.ends_sentences = sum(ended) >= MOSTLY * len(ended)
        expected = sum(min(map(len, of_segment)) for of_segment in references)
        self.length = max(1.0, sum(map(len, outputs)) / max(1, expected))


@dataclass(frozen=True, kw_only=True)
class Output:
    """An output, with the texts that the rules compare it with.

    Attributes:
        text: text of the output.
        source: source of the segment; empty if unknown.
        references: references of the segment.
        outputs: outputs of all systems for the segment.
        usual_length: median number of characters in these outputs.
        language: language of all references.
        foreign: language of all sources.
        habits: habits of the system.
    """

    text: Text
    source: Text
    references: Sequence[Text]
    outputs: Sequence[Text]
    usual_length: float
    language: Language
    foreign: Language
    habits: Habits

    @cached_property
    def others(self) -> list[Text]:
        """References and source."""
        return [*self.references, self.source]

    @cached_property
    def is_unlike_references(self) -> bool:
        """True if hardly any of the output's trigrams are in a reference."""
        return self.text.share_in(self.references) < ABOUT_REQUEST

    @cached_property
    def is_unlike(self) -> bool:
        """True if hardly any of the output's trigrams are in reference or source."""
        return self.is_unlike_references and self.text.share_in(self.others) < ABOUT_REQUEST

    def relation(self, part: Text) -> float:
        """Compute the largest relation of a part to source or references."""
        return max(
            self.foreign.relation(part, self.source),
            *(self.language.relation(part, text) for text in self.references),
        )

    def is_unrelated(self, part: Text) -> bool:
        """Return whether a part is unrelated to reference, source and all other outputs.

        False unless another output is related to reference or source, as evidence that they can be
        compared.
        """
        minimum = RELATED_PAIRS if part.is_east_asian else RELATED
        if self.relation(part) >= minimum:
            return False
        others = [text for text in self.outputs if text is not self.text and text.text]
        return any(self.relation(text) >= RELATED for text in others) and all(
            self.language.relation(part, text) < minimum for text in others
        )

    def is_answer(self, part: Text) -> bool:
        """Return whether a part is about the request, and neither reference nor source is."""
        return REQUEST.search(part.text) is not None and not any(
            REQUEST.search(text.text) or SORRY.search(text.text) for text in self.others
        )

    def is_habit(self, part: str) -> bool:
        """Return whether several outputs of the system have a part that no reference has."""
        return part not in self.language.habits and len(self.habits.sources[part]) >= ALIKE


def _visible(text: Text) -> bool:
    return any(character.isprintable() and not character.isspace() for character in text.text)


def _has_run_away(output: Output) -> bool:
    return len(output.text) > RUNAWAY_FACTOR * max(map(len, output.references)) + RUNAWAY_EXTRA


def _is_cut_short(output: Output) -> bool:
    shortest: float = min(map(len, output.references))
    length = len(output.text)
    # Short outputs are no fault if most systems have short outputs.
    if len(output.outputs) >= MANY:
        shortest = min(shortest, output.usual_length)
    minimum = 2 * CUT_LEAST // 3 if EAST_ASIAN & output.language.scripts else CUT_LEAST
    if shortest <= minimum or length >= CUT_WITHIN_SENTENCE * shortest * output.habits.length:
        return False
    ends_usually = output.habits.ends_sentences and all(text.is_ended for text in output.references)
    within = ends_usually and not output.text.is_ended
    return _visible(output.text) and (length < CUT_SHARE * shortest or within)


def _loops(output: Output) -> bool:
    text = output.text
    return text.loop > LOOP_LEAST and all(text.loop > 2 * other.loop for other in output.others)


def _is_untranslated(output: Output) -> bool:
    text, source = output.text, output.source
    return (
        len(KEPT.sub("", source.text).strip()) > UNTRANSLATED_LEAST
        and COPIED_SHARE * len(source) <= len(text) <= len(source) / COPIED_SHARE
        and source.share_in([text]) >= COPIED_SHARE
        and source.share_in(output.references) <= KEPT_SHARE
    )


def _has_wrong_script(output: Output) -> bool:
    letters, used = output.text.scripts, output.language.scripts
    # Kana distinguish Japanese from Chinese, as both use Chinese characters.
    if letters["CJK"] and "CJK" in used:
        east_asian = letters["KANA"] + letters["CJK"]
        has_kana = letters["KANA"] > KANA_SHARE * east_asian
        if has_kana != ("KANA" in used) and east_asian >= FOREIGN_LEAST:
            return all((text.scripts["KANA"] > 0) != has_kana for text in output.references)
    if letters.keys() <= used:
        return False
    foreign = total = 0
    for script, count in letters.items():
        weight = LETTERS_OF_A_WORD if script in EAST_ASIAN else 1
        total += weight * count
        if script not in used:
            in_references = max(text.scripts[script] for text in output.references)
            foreign += weight * max(0, count - in_references)
    return foreign >= FOREIGN_LEAST and foreign > FOREIGN_SHARE * total


def _is_unlike_references(output: Output) -> bool:
    """Return whether its trigrams are far rarer in the language than its references' trigrams."""
    texts, language = [output.text, *output.references], output.language
    # The quick check comes first: most outputs share many trigrams with their references.
    if EAST_ASIAN & language.scripts or not output.is_unlike_references:
        return False
    if min(len(text.words) for text in texts) < LANGUAGE_LEAST:
        return False
    familiarities = [language.familiarity(text, own_count=1) for text in output.references]
    return (
        language.familiarity(output.text) < min(language.median_familiarity, *familiarities) - RARER
    )


def _is_a_refusal(output: Output) -> bool:
    """Return whether the output answers the request or repeats a habitual opening."""
    text = output.text
    return output.is_unlike and (output.is_answer(text) or output.is_habit(text.opening))


def _has_a_note(output: Output) -> bool:
    """Return whether the output has a preamble or note that reference and source lack."""
    text, others = output.text, output.others
    fence = FENCE.search(text.text)
    if fence is not None and not any(fence.group() in other.text for other in others):
        return True
    parts = [part for part in text.ends if part.share_in(others) < ABOUT_REQUEST]
    return any(map(output.is_answer, parts)) or any(
        output.is_habit(part.text) or _is_extra(part, output)
        for part in parts
        if len(part.words) >= EXTRA_LEAST
    )


def _is_extra(part: Text, output: Output) -> bool:
    """Return whether a part is unrelated text added at the beginning or end of an output.

    The output must have more stops (ends of sentences, brackets, colons) than each reference, the
    source and the median output, and still be long enough without the part.
    """
    text, longest = output.text, max(map(len, output.references))
    return (
        len(text.stops) > max(len(other.stops) for other in output.others)
        and len(text) - len(part) >= BESIDES * longest
        and output.is_unrelated(part)
        and len(text.stops) > median(len(other.stops) for other in output.outputs)
    )


def _is_unrelated(output: Output) -> bool:
    return (
        min(len(text.words) for text in output.references) >= RELATED_LEAST
        and output.is_unlike
        and output.is_unrelated(output.text)
        and not any(rule(output) for flag, rule in RULES.items() if flag != "unrelated")
    )


@lru_cache(maxsize=1 << 14)
def _script(character: str) -> str | None:
    """Return a letter's script, the first word of its Unicode name; None for other characters."""
    if not character.isalpha():
        return None
    script = character_name(character, "").split(" ")[0]
    return "KANA" if script in KANA else script or None


#: Rule of each flag.
RULES: Mapping[str, Callable[[Output], bool]] = {
    "empty": lambda output: not _visible(output.text),
    "runaway": _has_run_away,
    "cut short": _is_cut_short,
    "loop": _loops,
    "untranslated": _is_untranslated,
    "wrong language": lambda output: _has_wrong_script(output) or _is_unlike_references(output),
    "refusal": _is_a_refusal,
    "note": _has_a_note,
    "unrelated": _is_unrelated,
}


def degenerate_outputs(test_set: TestSet) -> dict[str, dict[str, tuple[int, ...]]]:
    """Return the indices of the flagged segments, from 0, by system and flag.

    >>> from truebleu.corpus import as_test_set
    >>> test_set = as_test_set({"a": ["A cat.", ""]}, ["The cat.", "It sat."])
    >>> degenerate_outputs(test_set)["a"]["empty"]
    (1,)
    """
    references = [
        [Text(text) for text in texts if text is not None] or [Text("")]
        for texts in zip(*test_set.references, strict=True)
    ]
    if not references:  # the rules compare outputs with them
        return {system: dict.fromkeys(RULES, ()) for system in test_set.systems}
    sources = [Text(text or "") for text in test_set.source or [""] * len(test_set)]
    language, foreign = Language(references), Language([[source] for source in sources])
    # Each text and its cached properties are freed after its segment.
    texts = {
        system: deque(Text(text or "") for text in outputs)
        for system, outputs in test_set.systems.items()
    }
    habits = {system: Habits(outputs, sources, references) for system, outputs in texts.items()}
    flagged: dict[str, dict[str, list[int]]] = {
        system: {flag: [] for flag in RULES} for system in texts
    }
    for index, (source, of_segment) in enumerate(zip(sources, references, strict=True)):
        outputs = [waiting.popleft() for waiting in texts.values()]
        usual_length = median(map(len, outputs))
        for system, text in zip(texts, outputs, strict=True):
            output = Output(
                text=text,
                source=source,
                references=of_segment,
                outputs=outputs,
                usual_length=usual_length,
                language=language,
                foreign=foreign,
                habits=habits[system],
            )
            for flag, rule in RULES.items():
                if rule(output):
                    flagged[system][flag].append(index)
    return {
        system: {flag: tuple(indices) for flag, indices in of_system.items()}
        for system, of_system in flagged.items()
    }
