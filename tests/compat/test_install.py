"""Programs that import sacrebleu get truebleu: the same classes by either name, and said so."""

from __future__ import annotations

import pickle
import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

import truebleu.compat.sacrebleu
from truebleu.compat import install, uninstall
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def installed() -> Iterator[None]:
    names = [name for name in sys.modules if name.partition(".")[0] == "sacrebleu"]
    before = {name: sys.modules.pop(name) for name in names}
    install()
    yield
    uninstall()
    sys.modules.update(before)


@pytest.mark.usefixtures("installed")
def test_modules_are_the_drop_ins_own() -> None:
    assert import_module("sacrebleu") is truebleu.compat.sacrebleu
    by_name = import_module("sacrebleu.metrics.chrf")
    own = import_module("truebleu.compat.sacrebleu.metrics.chrf")
    assert by_name is own
    assert own.__spec__ is not None
    assert own.__spec__.name == "truebleu.compat.sacrebleu.metrics.chrf"


TOKENIZERS = {
    "tokenizer_13a": "Tokenizer13a",
    "tokenizer_char": "TokenizerChar",
    "tokenizer_intl": "TokenizerV14International",
    "tokenizer_none": "NoneTokenizer",
    "tokenizer_ter": "TercomTokenizer",
    "tokenizer_zh": "TokenizerZh",
}


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("module", TOKENIZERS)
def test_tokenizers_are_imported_by_sacrebleus_names_and_pickled(module: str) -> None:
    name = TOKENIZERS[module]
    tokenizer = getattr(import_module(f"sacrebleu.tokenizers.{module}"), name)()
    own = import_module(f"truebleu.compat.sacrebleu.tokenizers.{module}")
    assert type(tokenizer) is getattr(own, name)
    assert pickle.loads(pickle.dumps(tokenizer))("a  b") == tokenizer("a  b")  # noqa: S301


@pytest.mark.usefixtures("installed")
def test_what_the_drop_in_lacks_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"sacrebleu\.dataset: truebleu stands in"):
        import_module("sacrebleu.dataset")


@pytest.mark.usefixtures("installed")
def test_installing_again_is_no_error() -> None:
    install()
    assert import_module("sacrebleu") is truebleu.compat.sacrebleu


def test_a_loaded_sacrebleu_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", ModuleType("sacrebleu"))
    with pytest.raises(SettingError, match="nothing has imported it yet"):
        install()


def test_signatures_say_so_only_while_it_stands_in(installed: None) -> None:
    bleu = truebleu.compat.sacrebleu.BLEU()
    bleu.corpus_score(["a"], [["a"]])
    assert str(bleu.get_signature()).endswith("|version:2.6.0+truebleu.0.1.0")
    uninstall()
    bleu.corpus_score(["a"], [["a"]])
    assert str(bleu.get_signature()).endswith("|version:2.6.0")
    assert installed is None
