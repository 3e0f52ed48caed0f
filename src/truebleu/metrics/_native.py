"""Metrics that are counted and scored by the native code, and those of them that cut words."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypedDict

from truebleu._threads import use_environment
from truebleu.metrics.base import Metric, Signature, require_types, rows_of
from truebleu.tokenizers import (
    AUTO,
    DEFAULT,
    NATIVE,
    check_tokenizer,
    cuts_words_of,
    external_tokenizer,
    tokenizer_for_language,
    tokenizer_for_script,
    unspaced_script,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from truebleu import _core
    from truebleu._core import Statistics
    from truebleu.corpus import TestSet, TextLike


class NativeMetric(Metric):
    """A metric that says which native metric does its work."""

    __slots__ = ()

    @abstractmethod
    def native(self) -> _core.NativeMetric:
        """The native metric with these settings."""

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.native().width

    def count(self, test_set: TestSet) -> Statistics:
        """The statistics of all systems in one pass; `native` says what the columns are."""
        use_environment()
        return self.native().count(list(test_set.systems.values()), test_set.references)

    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """The scores of summed rows, over any leading axes: one call, all replicates."""
        native = self.native()
        rows, shape = rows_of(sums, native.width)
        return native.scores(rows).reshape(shape)

    def gradient(self, sums: ArrayLike) -> NDArray[np.float64]:
        """The derivative of the score by each column of summed rows, shaped as they are."""
        native = self.native()
        rows, shape = rows_of(sums, native.width)
        return native.gradient(rows).reshape(*shape, native.width)

    def parts(self, sums: Sequence[float], references: int | None) -> dict[str, Any]:
        """What the class of this metric's scores is made of, for `describe`."""
        signature = self.signature.with_references(references)
        return {"signature": signature, **self.native().details(sums)}


class Tokens(TypedDict):
    """How the native code cuts segments."""

    tokenizer: str
    lowercase: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenMetric(NativeMetric):
    """A native metric of tokens. An external tokenizer cuts the texts before they are counted.

    Attributes:
        chosen_for: the script that the tokenizer was chosen for, by `for_references`.
    """

    chosen_for: str | None = field(
        default=None, repr=False, compare=False, metadata={"text": False}
    )
    if TYPE_CHECKING:  # each metric has a default of its own
        tokenize: str
        lowercase: bool

    @property
    def tokens(self) -> Tokens:
        """What is left for the native code to do about tokens and case."""
        if self.tokenize == AUTO:  # of use for scoring only, which is the same for all of them
            return {"tokenizer": DEFAULT, "lowercase": self.lowercase}
        if self.tokenize in NATIVE:
            return {"tokenizer": self.tokenize, "lowercase": self.lowercase}
        return {"tokenizer": "none", "lowercase": False}

    def for_references(self, references: Sequence[TextLike]) -> TokenMetric:
        """With the tokenizer that fits the script of the references, where it is `auto`."""
        if self.tokenize != AUTO:
            return self
        script = unspaced_script(references)
        return replace(self, tokenize=tokenizer_for_script(script), chosen_for=script)

    def for_language(self, language: str) -> TokenMetric:
        """With the tokenizer that sacreBLEU uses for the language, where it is `auto`."""
        if self.tokenize != AUTO:
            return self
        return replace(self, tokenize=tokenizer_for_language(language))

    def advice_for_script(self, script: str) -> str | None:
        """A tokenizer that cuts the script, where this one does not."""
        if cuts_words_of(self.tokenize, script):
            return None
        return f"tokenize={tokenizer_for_script(script)}"

    def count(self, test_set: TestSet) -> Statistics:
        """The statistics of all systems in one pass; `native` says what the columns are."""
        if self.tokenize == AUTO:
            return self.for_references(test_set.references).count(test_set)
        external = external_tokenizer(self.tokenize)
        if external is None:
            # The class is made anew for its slots, which `super()` would not know.
            return NativeMetric.count(self, test_set)
        use_environment()
        systems, references = (
            [external.tokenize_text(text, lowercase=self.lowercase) for text in texts]
            for texts in (test_set.systems.values(), test_set.references)
        )
        return self.native().count(systems, references)

    def token_signature(self, **fields: str | int | bool) -> Signature:
        """Case, tokenizer, and these fields."""
        case = "lc" if self.lowercase else "mixed"
        signature = Signature.of(self.name, case=case, tok=self.tokenizer_signature, **fields)
        return replace(signature, script=self.chosen_for)

    @property
    def tokenizer_signature(self) -> str:
        """The tokenizer, with the version of an external one."""
        external = external_tokenizer(self.tokenize)
        return self.tokenize if external is None else external.signature


@dataclass(frozen=True, slots=True, kw_only=True)
class WordMetric(TokenMetric):
    """A metric of words: by default what white space separates, case kept.

    With several references, a segment counts against the one that is best for its output.
    """

    tokenize: str = "none"
    lowercase: bool = False

    def __post_init__(self) -> None:
        require_types(self)
        check_tokenizer(self.tokenize)

    @property
    def signature(self) -> Signature:
        """Case and tokenizer."""
        return self.token_signature()
