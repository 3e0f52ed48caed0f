"""Which script a text is in, as far as it decides about words."""

from __future__ import annotations

import pytest

from truebleu.corpus import Segments
from truebleu.corpus.scripts import unspaced_script

CHINESE = "他们在上海开了一家新的商店。"
JAPANESE = "彼らは上海に新しい店を開いた。"
ENGLISH = "They opened a new shop in Shanghai."


@pytest.mark.parametrize(
    ("text", "script"),
    [
        (CHINESE, "Chinese"),
        (JAPANESE, "Japanese"),
        ("พวกเขาเปิดร้านใหม่ในเซี่ยงไฮ้", "Thai"),
        ("ພວກເຂົາເປີດຮ້ານໃໝ່", "Lao"),
        ("ពួកគេបានបើកហាងថ្មី", "Khmer"),
        ("သူတို့ဆိုင်အသစ်ဖွင့်ခဲ့သည်", "Myanmar"),
        ("ཁོ་ཚོས་ཚོང་ཁང་གསར་པ་ཞིག་བཙུགས།", "Tibetan"),
        (ENGLISH, None),
        ("그들은 상하이에 새 가게를 열었다.", None),
        ("Они открыли новый магазин.", None),
        ("उन्होंने एक नई दुकान खोली।", None),
        ("هم فتحوا متجرا جديدا.", None),
        ("", None),
        ("42 + 1 = 43。", None),
    ],
)
def test_scripts_without_spaces_are_told(text: str, script: str | None) -> None:
    assert unspaced_script([[text]]) == script
    assert unspaced_script([Segments([text])]) == script


def test_latin_names_do_not_hide_a_script() -> None:
    # More letters are Latin than Chinese, and the text is Chinese still.
    assert unspaced_script([["使用 Kubernetes 部署应用"]]) == "Chinese"


def test_a_few_characters_do_not_change_a_text() -> None:
    assert unspaced_script([[f"The word 你好 means hello. {ENGLISH}"]]) is None
    assert unspaced_script([[ENGLISH] * 9 + [CHINESE]]) is None


def test_a_few_kana_do_not_make_a_text_japanese() -> None:
    assert unspaced_script([[f"{CHINESE}の"] * 3]) == "Chinese"


def test_all_references_decide_together() -> None:
    assert unspaced_script([[None, "…"], [CHINESE, None]]) == "Chinese"
