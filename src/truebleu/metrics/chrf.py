"""chrF and chrF++: F-score of character and word n-grams (Popović, 2015 and 2017)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

from truebleu import _core
from truebleu.errors import SettingError
from truebleu.metrics.base import NativeMetric, Score, Signature
from truebleu.schema import Setting, check_fields, require_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import CoreSettings, NgramMatches

__all__ = ["CHRF"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CHRF(NativeMetric):
    """chrF; ``word_order=2`` makes it chrF++. See docs/reference/metrics/chrf.md.

    >>> print(CHRF(word_order=2).corpus(["the cat sat on the mat"], ["the cat sat on a mat"]))
    chrF2++ = 72.03
    """

    char_order: Annotated[int, Setting(minimum=0, maximum=100)] = 6
    word_order: Annotated[int, Setting(minimum=0, maximum=100)] = 0
    beta: Annotated[int, Setting(minimum=0, maximum=1000)] = 2
    lowercase: bool = False
    whitespace: bool = False

    score_type = Score
    limits: ClassVar[tuple[float, float]] = (0.0, 100.0)
    eps_smoothing: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        if self.char_order + self.word_order == 0:
            raise SettingError("char_order", 0, "at least 1 if word_order is 0")

    @property
    def name(self) -> str:
        """``chrF2``, ``chrF2++``: beta, and a plus for each order of words."""
        return f"chrF{self.beta}{'+' * self.word_order}"

    def advice_for_script(self, script: str) -> str | None:  # noqa: ARG002
        """Return word_order=0, since word n-grams need spaces, or None without word n-grams."""
        return "word_order=0" if self.word_order else None

    def core_settings(self) -> CoreSettings:
        """Return the settings; columns by order: n-grams of output, of reference, and matches."""
        return {
            "kind": "chrf",
            "char_order": self.char_order,
            "word_order": self.word_order,
            "lowercase": self.lowercase,
            "whitespace": self.whitespace,
            "scoring": {"beta": self.beta, "eps_smoothing": self.eps_smoothing},
        }

    def column_parts(self, width: int) -> tuple[str, ...]:  # noqa: ARG002
        """Name the parts: lengths, and matches of characters and of words."""
        lengths = ("output length", "reference length")
        characters = (*lengths, "character matches") * self.char_order
        return characters + (*lengths, "word matches") * self.word_order

    def ngram_matches(self, test_set: TestSet, first: str, second: str) -> NgramMatches | None:
        """Return the character n-grams that two systems match differently often, or None.

        None with several references, since each output is counted against its best reference, and
        if white space counts.
        """
        if len(test_set.references) > 1 or self.whitespace or not self.char_order:
            return None
        from truebleu.metrics.bleu import BLEU

        for name, system in (("first", first), ("second", second)):
            require_name(name, system, test_set.systems)

        def characters(segments: Iterable[str | None]) -> list[str | None]:
            return [None if text is None else "".join(text.split()) for text in segments]

        texts = replace(
            test_set,
            systems={name: characters(test_set.systems[name]) for name in (first, second)},
            references=tuple(characters(reference) for reference in test_set.references),
            warnings=(),
        )
        # BLEU with characters as tokens clips matches in the same way.
        tokens = BLEU(tokenize="char", lowercase=self.lowercase, max_order=self.char_order)
        matches = tokens.ngram_matches(texts, first, second)
        order = matches.columns - 1
        return replace(
            matches,
            ngrams=[ngram.replace(" ", "") for ngram in matches.ngrams],
            columns=3 * (order - 1) + 2,  # output length, reference length, matches of each order
        )

    def pair_scorer(self) -> _core.PairScorer:
        """Return a scorer of candidate pairs."""
        return _core.PairScorer(self.native())

    @property
    def signature(self) -> Signature:
        """Case, effective order, orders and white space; beta is in the name."""
        return Signature.of(
            self.name,
            case="lc" if self.lowercase else "mixed",
            eff=not self.eps_smoothing,
            nc=self.char_order,
            nw=self.word_order,
            space=self.whitespace,
        )
