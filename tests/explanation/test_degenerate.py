"""What is flagged, and what is not."""

from __future__ import annotations

import pytest

from truebleu.corpus import as_test_set
from truebleu.explanation import degenerate_outputs

REFERENCE = "The committee will meet again on Thursday morning."
SOURCE = "Der Ausschuss tagt erneut am Donnerstagmorgen."


def flags(output: str, reference: str = REFERENCE, source: str | None = SOURCE) -> set[str]:
    test_set = as_test_set(
        {"a": [output]}, [reference], source=None if source is None else [source]
    )
    return {flag for flag, places in degenerate_outputs(test_set)["a"].items() if places}


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (REFERENCE, set()),
        ("On Thursday the committee meets.", set()),
        ("", {"empty"}),
        (" \u200b\t", {"empty"}),
        ("Meet.", {"cut short"}),
        (SOURCE, {"untranslated"}),
        (" ".join(f"chapter {n} says" for n in range(1000, 1014)), {"runaway"}),
        ("the cat is on " * 4, {"loop"}),
        ("Комитет снова соберётся в четверг утром.", {"wrong language"}),
        ("The Комитет will meet again on Thursday.", set()),
    ],
)  # fmt: skip
def test_each_fault_has_its_flag(output: str, expected: set[str]) -> None:
    assert flags(output) == expected


def test_a_repeated_reference_may_be_repeated() -> None:
    chorus = "la la la la " * 5
    assert flags(chorus, reference=chorus, source=chorus) == set()


def test_a_copied_name_is_no_untranslated_output() -> None:
    assert flags("Buenos Aires, Argentina", "Buenos Aires, Argentina", "Buenos Aires, Argentina") == set()  # fmt: skip  # noqa: E501
    assert flags("Weimar", "Weimar an der Ilm", "Weimar") == set()


def test_no_output_is_untranslated_without_a_source() -> None:
    assert flags(SOURCE, source=None) == set()


def test_japanese_scripts_go_together() -> None:
    assert flags("カタカナだけ", reference="漢字とひらがな", source=None) == set()


def test_lengths_are_compared_with_the_most_lenient_reference() -> None:
    test_set = as_test_set({"a": ["word " * 30]}, [["short"], ["word " * 12]])
    assert degenerate_outputs(test_set)["a"]["runaway"] == ()


TARGETS = {
    "English": [
        "The committee will meet again on Thursday morning to discuss the new budget.",
        "Heavy rain is expected in the north, and trains may be late until the evening.",
        "She bought three books and a map before the shop closed for the holidays.",
    ],
    "Czech": [
        "Výbor se ve čtvrtek ráno znovu sejde, aby projednal nový rozpočet.",
        "Na severu se očekává silný déšť a vlaky mohou mít do večera zpoždění.",
        "Koupila si tři knihy a mapu, než obchod před svátky zavřel.",
    ],
    "Japanese": [
        "委員会は新しい予算を話し合うため、木曜日の朝に再び集まる予定である。",
        "北部では激しい雨が予想され、列車は夕方まで遅れることがある。",
        "彼女は店が休みに入る前に本を三冊と地図を一枚買った。",
    ],
    "Chinese": [
        "委员会将于星期四上午再次开会讨论新的预算。",
        "北部预计有大雨，火车可能会晚点到傍晚。",
        "她在商店放假之前买了三本书和一张地图。",
    ],
}
REFUSALS = {
    "English": [
        "I'm sorry, but I can't assist with that.",
        "As an AI language model, I am unable to do so.",
        "I cannot translate this text, since it contains offensive words.",
    ],
    "Czech": [
        "Omlouvám se, ale s tímto vám nemohu pomoci.",
        "Bohužel tento text nelze převést.",
        "Jako jazykový model to udělat nesmím.",
    ],
    "Japanese": [
        "申し訳ございませんが、お応えできません。",
        "この内容は不適切なため翻訳できません。",
        "言語モデルなので、それはお答えできません。",
    ],
    "Chinese": [
        "很抱歉，我无法满足您的要求。",
        "对不起，我不能协助您。",
        "作为人工智能助手，我不便回答。",
    ],
}
NOTES = {
    "English": ["Here is the translation: {}", "{}\nNote: this is literal.", "```\n{}\n```"],
    "Czech": ["Zde je překlad: {}", "{} (Pozn.: doslovně.)", "```{}```"],
    "Japanese": ["以下は翻訳です：{}", "{}\n注：これは直訳です。", "```{}```"],
    "Chinese": ["以下是译文：{}", "{}（注：这是直译。）", "```{}```"],
}


def damaged(language: str, outputs: list[str]) -> dict[str, tuple[int, ...]]:
    """What is found in a few outputs among many of one language; the others are as they should."""
    texts = [f"{number}. {text}" for number in range(20) for text in TARGETS[language]]
    source = [f"Zdroj číslo {number}." for number in range(len(texts))]
    test_set = as_test_set({"a": [*outputs, *texts[len(outputs) :]]}, texts, source=source)
    flagged = degenerate_outputs(test_set)["a"]
    assert all(place < len(outputs) for places in flagged.values() for place in places)
    return flagged


@pytest.mark.parametrize("language", TARGETS)
class TestInFourLanguages:
    def test_refusals(self, language: str) -> None:
        assert damaged(language, REFUSALS[language])["refusal"] == (0, 1, 2)

    def test_notes_and_preambles(self, language: str) -> None:
        texts = zip(NOTES[language], TARGETS[language], strict=True)
        assert damaged(language, [note.format(text) for note, text in texts])["note"] == (0, 1, 2)

    def test_loops(self, language: str) -> None:
        looping = [text + text[-9:-1] * 5 for text in TARGETS[language]]
        assert damaged(language, looping)["loop"] == (0, 1, 2)

    def test_halves_of_sentences(self, language: str) -> None:
        halves = [text[: len(text) // 2] for text in TARGETS[language]]
        assert damaged(language, halves)["cut short"] == (0, 1, 2)

    def test_other_languages(self, language: str) -> None:
        for other, texts in TARGETS.items():
            expected = () if other == language else (0, 1, 2)
            assert damaged(language, texts)["wrong language"] == expected, other


def test_one_latin_name_in_the_references_does_not_excuse_another_script() -> None:
    references = ["委员会讨论了OpenAI的预算。", *TARGETS["Chinese"]]
    outputs = ["委员会讨论了OpenAI的预算。", TARGETS["English"][0], *TARGETS["Chinese"][1:]]
    flagged = degenerate_outputs(as_test_set({"a": outputs}, references))["a"]
    assert flagged["wrong language"] == (1,)


def test_outputs_that_begin_alike_whatever_the_source_are_answers() -> None:
    # In a language that no word list knows.
    answer = "Nid oes modd i mi wneud hyn yn awr gan fod"
    outputs = [f"{answer} {word}." for word in ("hynny", "popeth", "pawb")]
    source = ["Anna sleeps.", "Why not?", "Rain falls all day."]
    references = ["Mae Anna yn cysgu heno.", "Pam lai, meddai wrtho?", "Mae hi'n bwrw glaw drwy'r dydd."]  # fmt: skip  # noqa: E501
    flagged = degenerate_outputs(as_test_set({"a": outputs}, references, source=source))["a"]
    assert flagged["refusal"] == (0, 1, 2)


@pytest.mark.parametrize(
    ("language", "ending"),
    [
        ("English", "I hope this helps!"),
        ("Czech", "Doufám, že vám to pomůže!"),
        ("Japanese", "以上が翻訳です。"),
        ("Chinese", "希望这对您有帮助！"),
    ],
)
def test_a_comment_after_a_translation_is_a_note(language: str, ending: str) -> None:
    outputs = [f"{TARGETS[language][0]} {ending}"]
    assert damaged(language, outputs)["note"] == (0,)


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("English", "I'd be happy to help, but I need more context."),
        ("Czech", "Jsem umělá inteligence a na toto neodpovídám."),
        ("Japanese", "ポリシーに違反するため処理できません。"),
        ("Chinese", "这段文字包含敏感信息，恕我不便。"),
    ],
)
def test_answers_about_the_request_are_refusals(language: str, answer: str) -> None:
    assert damaged(language, [answer])["refusal"] == (0,)


def test_a_translated_apology_is_no_refusal() -> None:
    assert flags("ごめんなさい、何ですか？", "悪いけど、何これ？", "I'm sorry, what?") == set()


def test_a_phrase_that_recurs_at_intervals_is_no_loop() -> None:
    text = "Offices can visit the jails of the county, meet staff in jails of the county and report on jails of the county"  # fmt: skip  # noqa: E501
    reference = "Such an office may see each prison, speak with those who work there, and then report on everything"  # fmt: skip  # noqa: E501
    assert "loop" not in flags(text, reference, None)
    assert "loop" in flags(f"{text}{' meet staff in jails of the county and leave' * 3}", reference, None)  # fmt: skip  # noqa: E501


def test_a_single_foreign_letter_does_not_make_a_text_foreign() -> None:
    reference = "The government announced funding of nearly 500 million dollars for tourism."
    output = "The government announced an allocation of nearly S新500 million for tourism."
    assert flags(output, reference, None) == set()


def test_tags_and_names_stay_as_they_are() -> None:
    tags = "#PilotTraining #Flying @GroundSchool https://example.org/school"
    translated = "#Flugausbildung #Fliegen @Bodenschule https://example.org/schule"
    assert "untranslated" not in flags(tags, translated, tags)


def beside(language: str, outputs: list[str]) -> dict[str, tuple[int, ...]]:
    """What is found where another system does as it should."""
    texts = [f"{number}. {text}" for number in range(20) for text in TARGETS[language]]
    systems = {"a": [*outputs, *texts[len(outputs) :]], "b": texts}
    flagged = degenerate_outputs(as_test_set(systems, texts))
    assert not any(flagged["b"].values())
    return flagged["a"]


ELSEWHERE = {
    "English": "Let's talk about something pleasant.",
    "Czech": "Pojďme si povídat o něčem příjemném.",
    "Japanese": "もっと楽しい話題にしませんか。",
    "Chinese": "我们聊点愉快的话题吧。",
}


@pytest.mark.parametrize("language", ["English", "Czech", "Japanese"])
def test_a_text_about_something_else_is_unrelated(language: str) -> None:
    assert beside(language, [ELSEWHERE[language]])["unrelated"] == (0,)


@pytest.mark.parametrize("language", TARGETS)
def test_a_beginning_or_end_about_something_else_is_a_note(language: str) -> None:
    about, (first, second, _) = ELSEWHERE[language], TARGETS[language]
    assert beside(language, [f"{about} 0. {first}", f"0. {second} {about}"])["note"] == (0, 1)


def test_a_text_that_two_systems_share_is_not_unrelated() -> None:
    references = [f"{number}. {text}" for number in range(20) for text in TARGETS["English"]]
    free, freer = "They sit down together in two days.", "They sit down together in just two days."
    systems = {"a": [free, *references[1:]], "b": references}
    assert degenerate_outputs(as_test_set(systems, references))["a"]["unrelated"] == (0,)
    systems["c"] = [freer, *references[1:]]
    assert degenerate_outputs(as_test_set(systems, references))["a"]["unrelated"] == ()


def test_a_sentence_in_two_is_no_note() -> None:
    text = TARGETS["English"][2]
    split = text.replace("and a map before", "and a map. That was before")
    assert beside("English", ["", "", f"0. {split}"])["note"] == ()


def test_tags_of_the_reference_are_no_fence() -> None:
    assert "note" in flags(f"<output>{REFERENCE}</output>")
    assert flags(f"<b>{REFERENCE}</b>", f"So: <b>{REFERENCE}</b>") == set()


def test_a_name_in_latin_letters_leaves_japanese_japanese() -> None:
    reference = "Appleマップの勝ちと言えます。"
    assert flags("Apple Mapsが優勝。", reference, None) == set()
    assert flags("苹果地图获得了最后的胜利。", reference, None) == {"wrong language"}


def test_short_outputs_are_no_fault_if_most_systems_have_them() -> None:
    long = [f"{number}. {text}" for number in range(20) for text in TARGETS["English"]]
    brief = ["The committee meets Thursday", *long[1:]]
    one = {"a": brief, "b": long, "c": long, "d": long}
    assert degenerate_outputs(as_test_set(one, long))["a"]["cut short"] == (0,)
    assert degenerate_outputs(as_test_set(one | {"b": brief, "c": brief}, long))["a"]["cut short"] == ()  # fmt: skip  # noqa: E501
