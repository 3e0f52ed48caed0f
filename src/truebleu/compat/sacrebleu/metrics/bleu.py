"""BLEU with sacreBLEU's settings (Papineni et al., 2002)."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

from truebleu._core import NativeMetric
from truebleu.compat.sacrebleu.metrics.base import Metric, Score
from truebleu.compat.sacrebleu.tokenizers import NAMES, NativeTokenizer, tokenizer
from truebleu.compat.sacrebleu.utils import warn
from truebleu.errors import SettingError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from truebleu.corpus.test_set import TextLike

MAX_NGRAM_ORDER = 4

# So many segments that end in " ." look tokenized.
TOKENIZED_PERIODS = 100


class BLEUScore(Score):
    """BLEU and what it is made of; precisions are in [0, 100]."""

    def __init__(
        self,
        score: float,
        counts: list[float],
        totals: list[float],
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        super().__init__("BLEU", score)
        self.counts = counts
        self.totals = totals
        self.precisions = precisions
        self.bp = bp
        self.sys_len = sys_len
        self.ref_len = ref_len

    @property
    def ratio(self) -> float:
        """Length of the hypotheses over that of the references; 0 where there is nothing."""
        return self.sys_len / self.ref_len if self.ref_len else 0

    @property
    def prec_str(self) -> str:
        """The precisions with one decimal: ``83.3/60.0/50.0/33.3``."""
        return "/".join(f"{precision:.1f}" for precision in self.precisions)

    @property
    def _verbose(self) -> str:
        lengths = f"hyp_len = {self.sys_len:d} ref_len = {self.ref_len:d}"
        return f"{self.prec_str} (BP = {self.bp:.3f} ratio = {self.ratio:.3f} {lengths})"


class BLEU(Metric[BLEUScore]):
    """BLEU with sacreBLEU's arguments.

    >>> bleu = BLEU(lowercase=True)
    >>> bleu.corpus_score(["The cat sat on the mat"], [["the cat sat on a mat"]]).prec_str
    '83.3/60.0/50.0/33.3'
    >>> bleu.get_signature()
    nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0
    """

    #: The value of each smoothing that takes one.
    SMOOTH_DEFAULTS: ClassVar[dict[str, float | None]] = {
        "none": None,
        "floor": 0.1,
        "add-k": 1,
        "exp": None,
    }
    TOKENIZERS: ClassVar[tuple[str, ...]] = NAMES
    TOKENIZER_DEFAULT: ClassVar[str] = "13a"

    # By target language, where no tokenizer is named.
    LANGUAGE_TOKENIZERS: ClassVar[dict[str, str]] = {
        "zh": "zh",
        "ja": "ja-mecab",
        "ko": "ko-mecab",
    }
    SHORT_NAMES: ClassVar[Mapping[str, str]] = {
        **Metric.SHORT_NAMES,
        "case": "c",
        "eff": "e",
        "smooth": "s",
    }

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = MAX_NGRAM_ORDER,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Sequence[Sequence[str | None]] | None = None,
    ) -> None:
        super().__init__()
        self.lowercase = lowercase
        self.force = force
        self.trg_lang = trg_lang
        self.smooth_method = smooth_method
        self.smooth_value = smooth_value
        self.max_ngram_order = max_ngram_order
        self.effective_order = effective_order
        _check_smoothing(smooth_method, smooth_value)
        _check_order(max_ngram_order)
        usual = self.LANGUAGE_TOKENIZERS.get(trg_lang)
        if tokenize is None:
            tokenize = usual or self.TOKENIZER_DEFAULT
        elif usual is not None and tokenize != usual:
            warn(f"the tokenizer {usual!r} or 'spm' would suit the target language {trg_lang!r}")
        self.tokenizer = tokenizer(tokenize)
        self._keep(references)

    @property
    def tokenizer_signature(self) -> str:
        """What the signature says about the tokenizer."""
        return self.tokenizer.signature()

    @staticmethod
    def compute_bleu(
        correct: Sequence[float],
        total: Sequence[float],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = MAX_NGRAM_ORDER,
    ) -> BLEUScore:
        """BLEU of counts: matches and n-grams of each order, and both lengths.

        >>> BLEU.compute_bleu([5, 3, 2, 1], [6, 5, 4, 3], 6, 6).score
        53.7284965911771
        """
        _check_smoothing(smooth_method, smooth_value)
        _check_order(max_ngram_order)
        matches, totals = correct[:max_ngram_order], total[:max_ngram_order]
        if not len(matches) == len(totals) == max_ngram_order:
            found = (len(correct), len(total))
            raise SettingError("correct, total", found, f"{max_ngram_order} counts in each")
        sums = [float(count) for count in (sys_len, ref_len, *matches, *totals)]
        return _describe(sums, smooth_method, smooth_value, effective_order)

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> BLEUScore:
        """BLEU of one segment; better with ``effective_order=True``, as few have many 4-grams."""
        if not self.effective_order:
            warn("BLEU of single segments should be computed with effective_order=True")
        return super().sentence_score(hypothesis, references)

    def _prepare(self, text: TextLike) -> TextLike:
        if isinstance(self.tokenizer, NativeTokenizer):
            return text
        # sacreBLEU's order: lower-case, strip on the right, tokenize.
        lines = (None if line is None else self._cased(line).rstrip() for line in text)
        return [None if line is None else self.tokenizer(line) for line in lines]

    def _cased(self, line: str) -> str:
        return line.lower() if self.lowercase else line

    def _native(self, smooth_value: float = 0.0) -> NativeMetric:
        name, lowercase = "none", False
        if isinstance(self.tokenizer, NativeTokenizer):
            name, lowercase = self.tokenizer.name, self.lowercase
        return NativeMetric.bleu(
            tokenizer=name,
            lowercase=lowercase,
            max_order=self.max_ngram_order,
            reference_length="closest",
            smooth=self.smooth_method,
            smooth_value=smooth_value,
            effective_order=self.effective_order,
        )

    def _check_hypotheses(self, hypotheses: object) -> None:
        super()._check_hypotheses(hypotheses)
        if not self.force and _looks_tokenized(hypotheses):  # type: ignore[arg-type]  # a text
            warn(
                f"{TOKENIZED_PERIODS} or more hypotheses end in a separate period: they look "
                "tokenized, which changes the score; if they should be like that, say force"
            )

    def _score(self, sums: Sequence[float]) -> BLEUScore:
        return _describe(sums, self.smooth_method, self.smooth_value, self.effective_order)

    def _resampled_scores(self, sums: NDArray[np.float32]) -> NDArray[np.floating[Any]]:
        from truebleu.compat.sacrebleu._resampling import bleu_scores

        return bleu_scores(
            sums,
            smooth=self.smooth_method,
            smooth_value=_smooth_value(self.smooth_method, self.smooth_value),
            effective_order=self.effective_order,
        )

    def _swapped_scores(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        smooth_value = _smooth_value(self.smooth_method, self.smooth_value)
        if self.smooth_method == "add-k":
            # sacreBLEU adds to whole numbers here, which cuts a fraction off.
            smooth_value = float(int(smooth_value))
        return self._native(smooth_value).scores(sums)

    def _signature_fields(self) -> dict[str, str | int | bool]:
        smooth = self.smooth_method
        if self.SMOOTH_DEFAULTS[smooth] is not None:
            smooth += f"[{_smooth_value(smooth, self.smooth_value):.2f}]"
        return {
            "case": "lc" if self.lowercase else "mixed",
            "eff": "yes" if self.effective_order else "no",
            "tok": self.tokenizer_signature,
            "smooth": smooth,
        }


def _describe(
    sums: Sequence[float], smooth: str, smooth_value: float | None, effective_order: bool
) -> BLEUScore:
    # Matches and totals stand in pairs behind the two lengths; texts are not looked at here.
    native = NativeMetric.bleu(
        tokenizer="none",
        lowercase=False,
        max_order=(len(sums) - 2) // 2,
        reference_length="closest",
        smooth=smooth,
        smooth_value=_smooth_value(smooth, smooth_value),
        effective_order=effective_order,
    )
    details = native.details(sums)
    return BLEUScore(
        details["score"],
        _whole(list(details["matches"])),
        _whole(list(details["totals"])),
        list(details["precisions"]),
        details["brevity_penalty"],
        details["output_length"],
        details["reference_length"],
    )


def _whole(counts: list[float]) -> list[float]:
    """Counts are whole numbers, except where add-k added a fraction."""
    whole: list[float] = list(map(int, counts))
    if whole == counts:
        return whole
    return [int(count) if count.is_integer() else count for count in counts]


def _smooth_value(method: str, value: float | None) -> float:
    default = BLEU.SMOOTH_DEFAULTS[method] or 0.0
    return float(default if value is None else value)


def _check_smoothing(method: str, value: float | None) -> None:
    if method not in BLEU.SMOOTH_DEFAULTS:
        raise UnknownNameError("smoothing", method, list(BLEU.SMOOTH_DEFAULTS))
    if value is None or BLEU.SMOOTH_DEFAULTS[method] is None:
        return  # like sacreBLEU, let a value pass that the method does not use
    if not (isfinite(value) and value >= 0):
        raise SettingError("smooth_value", value, "a number from 0 up")


def _check_order(order: int) -> None:
    if not 1 <= order <= 100:
        raise SettingError("max_ngram_order", order, "a whole number from 1 to 100")


def _looks_tokenized(hypotheses: Sequence[str]) -> bool:
    if len(hypotheses) < TOKENIZED_PERIODS:
        return False
    return sum(line.endswith(" .") for line in hypotheses) >= TOKENIZED_PERIODS
