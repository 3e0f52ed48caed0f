"""Tokenizers by name, native and of other packages."""

from __future__ import annotations

import sys
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from truebleu import BLEU
from truebleu.corpus import Segments
from truebleu.errors import MissingExtraError, SettingError, UnknownNameError, UnreadableFileError
from truebleu.tokenizers import (
    external_tokenizer,
    script_of_letters,
    tokenize,
    tokenizer_for_language,
    tokenizer_names,
    unspaced_script,
)

if TYPE_CHECKING:
    from pathlib import Path


TEXT = ["Der Hund bellt laut.", "Die Katze schläft im Haus.", "Ein Hund und eine Katze."] * 20


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small SentencePiece model, trained here."""
    from sentencepiece import SentencePieceTrainer

    folder = tmp_path_factory.mktemp("models")
    SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT),
        model_prefix=str(folder / "small"),
        vocab_size=40,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return folder / "small.model"


def test_every_name_is_known() -> None:
    expected = {"13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab", "spm"}
    assert expected <= set(tokenizer_names())


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'ja-mecab'"):
        BLEU(tokenize="ja_mecab")


def test_a_model_file_makes_a_tokenizer(model: Path) -> None:
    name = f"spm:{model}"
    pieces = tokenize(TEXT[0], name)
    assert "".join(pieces).replace("▁", " ").strip() == TEXT[0]
    assert len(pieces) > len(TEXT[0].split())
    assert BLEU(tokenize=name).corpus(TEXT, TEXT).score == pytest.approx(100)
    assert "|tok:spm-" in str(BLEU(tokenize=name).signature)


def test_the_model_s_digest_is_in_the_signature(model: Path, tmp_path: Path) -> None:
    copy = tmp_path / "renamed.model"
    copy.write_bytes(model.read_bytes())
    assert BLEU(tokenize=f"spm:{copy}").signature == BLEU(tokenize=f"spm:{model}").signature


def test_a_known_model_is_looked_for_in_the_named_folders(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUEBLEU_MODELS", str(tmp_path))
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "sacrebleu"))
    with pytest.raises(UnreadableFileError) as missing:
        tokenize("a", "flores101")
    assert str(tmp_path / "sacrebleu_tokenizer_spm.model") in str(missing.value)
    assert "spm:PATH" in str(missing.value)
    (tmp_path / "sacrebleu_tokenizer_spm.model").write_bytes(model.read_bytes())
    external = external_tokenizer("flores101")
    assert external is not None
    digest = sha256(model.read_bytes()).hexdigest()
    assert external.signature == f"flores101-{digest[:12]}"


@pytest.mark.parametrize("content", [b"", b"not a model"])
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.model"
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError, match="not a SentencePiece model"):
        tokenize("a", f"spm:{path}")


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match=r"none\.model: No such file"):
        tokenize("a", f"spm:{tmp_path / 'none.model'}")


@pytest.mark.parametrize(
    ("name", "module", "package"),
    [("ja-mecab", "MeCab", "mecab-python3"), ("ko-mecab", "mecab_ko", "mecab-ko")],
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    name: str, module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from truebleu.tokenizers import _load

    monkeypatch.setitem(sys.modules, module, None)
    # Past the memory of what has been loaded already.
    with pytest.raises(MissingExtraError, match=f"pip install {package} "):
        _load.__wrapped__(name)


@pytest.mark.parametrize(
    ("language", "tokenizer"),
    [
        ("zh", "zh"),
        ("en-zh", "zh"),
        ("en-zh_CN", "zh"),
        ("zh-TW", "zh"),
        ("zh-Hant", "zh"),
        ("eng-zho", "zh"),
        ("JA", "ja-mecab"),
        ("de-ja", "ja-mecab"),
        ("ko", "ko-mecab"),
        ("zh-en", "13a"),
        ("en-pt-BR", "13a"),
        ("es-419", "13a"),
        ("th", "13a"),
    ],
)
def test_a_language_or_a_pair_chooses_as_sacrebleu_does(language: str, tokenizer: str) -> None:
    assert tokenizer_for_language(language) == tokenizer


@pytest.mark.parametrize("language", ["", "chinese", "en-zh-ja", "en-", "z", "e1-zh"])
def test_an_invalid_language_is_rejected(language: str) -> None:
    with pytest.raises(SettingError, match="a pair such as en-zh"):
        tokenizer_for_language(language)


# Scripts without spaces between words.


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


@pytest.mark.parametrize(("han", "script"), [(25, None), (26, "Chinese")])
def test_more_than_a_quarter_of_unspaced_letters_decide(han: int, script: str | None) -> None:
    assert script_of_letters({"spaced": 100 - han, "han": han, "kana": 0}) == script


@pytest.mark.parametrize(("kana", "script"), [(10, "Chinese"), (11, "Japanese")])
def test_more_than_a_tenth_of_kana_is_japanese(kana: int, script: str) -> None:
    assert script_of_letters({"spaced": 0, "han": 100 - kana, "kana": kana}) == script
