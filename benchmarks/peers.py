"""What each peer is asked for, and the same work done by truebleu: callables that return scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import truebleu

if TYPE_CHECKING:
    from benchmarks.data import Corpus

Run: TypeAlias = Callable[[], list[float]]


@dataclass(frozen=True, slots=True)
class Contest:
    """The same scores from truebleu, from the peer, and from the peer in other ways."""

    ours: Run
    peer: Run
    other_ways: dict[str, Run] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A peer and the work that it shares with truebleu.

    Attributes:
        name: what ``--only`` calls it.
        work: the work, in words.
        package: the peer's distribution; the label in the table is its name and version.
        prepare: makes a contest of a corpus; what it does is not timed.
        step: 10 for every tenth segment, where a peer is too slow for all.
        least_words: segments with fewer words are left out, where peers count those differently.
        note: what must be known to read the numbers.
        bar: how many times faster truebleu is meant to be.
    """

    name: str
    work: str
    package: str
    prepare: Callable[[Corpus], Contest]
    step: int = 1
    least_words: int = 0
    note: str = ""
    bar: float = 10.0

    @property
    def peer(self) -> str | None:
        """Name and version of the peer, or None where it is not installed."""
        return installed(self.package)


def installed(package: str) -> str | None:
    """Name and version of a distribution, or None where it is not installed."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return None


def our_scores(corpus: Corpus, metric: str) -> list[float]:
    """One score per system, from plain lists of str."""
    scores = truebleu.score(corpus.systems, corpus.reference, [metric])
    return [score.score for system in scores.systems for score in system.scores.values()]


def our_segment_scores(corpus: Corpus, metric: str) -> list[float]:
    """One score per system and segment, from plain lists of str."""
    scores = truebleu.score(corpus.systems, corpus.reference, [metric], per_segment=True)
    return [
        score
        for system in scores.systems
        for by_segment in (system.segments or {}).values()
        for score in by_segment
        if score is not None
    ]


def sacrebleu_metric(class_name: str, metric: str, **settings: int) -> Callable[[Corpus], Contest]:
    """SacreBLEU's metric object, one for all systems: as documented, and with references cached."""

    def prepare(corpus: Corpus) -> Contest:
        from sacrebleu import metrics

        make: Any = getattr(metrics, class_name)
        outputs = list(corpus.systems.values())
        references = [corpus.reference]

        # A new object each time: it remembers the lines that it has tokenized, and in a second
        # round would know all of them.
        def plain() -> list[float]:
            metric = make(**settings)
            return [metric.corpus_score(text, references).score for text in outputs]

        def cached() -> list[float]:
            metric = make(**settings, references=references)
            return [metric.corpus_score(text, None).score for text in outputs]

        return Contest(
            lambda: our_scores(corpus, metric), plain, {"with references cached": cached}
        )

    return prepare


def sacrebleu_ter(corpus: Corpus) -> Contest:
    """The plain way alone: TER has next to nothing to cache, and takes long."""
    contest = sacrebleu_metric("TER", "ter")(corpus)
    return Contest(contest.ours, contest.peer)


def bleuscore_bleu(corpus: Corpus) -> Contest:
    """Corpus BLEU with the tokenizer 13a, one call per system."""
    from bleuscore import compute

    references = [[line] for line in corpus.reference]
    outputs = list(corpus.systems.values())
    return Contest(
        lambda: our_scores(corpus, "bleu"),
        lambda: [100 * cast("float", compute(references, text)["bleu"]) for text in outputs],
    )


def nltk_bleu(corpus: Corpus) -> Contest:
    """Corpus BLEU of words."""
    from nltk.translate.bleu_score import corpus_bleu

    references = [[line.split()] for line in corpus.reference]
    outputs = [[line.split() for line in text] for text in corpus.systems.values()]
    return Contest(
        lambda: our_scores(corpus, "bleu:tokenize=none"),
        lambda: [100 * corpus_bleu(references, text) for text in outputs],
    )


def nltk_nist(corpus: Corpus) -> Contest:
    """NIST of words, with textbook weights."""
    from nltk.translate.nist_score import corpus_nist

    references = [[line.split()] for line in corpus.reference]
    outputs = [[line.split() for line in text] for text in corpus.systems.values()]
    return Contest(
        lambda: our_scores(corpus, "nist:tokenize=none,zero_history=no"),
        lambda: [corpus_nist(references, text, n=5) for text in outputs],
    )


def fast_bleu_bleu(corpus: Corpus) -> Contest:
    """BLEU of each segment, in words, with 0.1 in place of no matches."""
    from fast_bleu import BLEU

    references = [[line.split()] for line in corpus.reference]
    outputs = [[line.split() for line in text] for text in corpus.systems.values()]
    by_segment = [list(lines) for lines in zip(*outputs, strict=True)]
    orders = {4: (0.25, 0.25, 0.25, 0.25)}

    def peer() -> list[float]:
        # An object knows one set of references, so that each segment needs one, for all systems.
        rows = [
            BLEU(reference, orders).get_score(lines)[4]
            for reference, lines in zip(references, by_segment, strict=True)
        ]
        return [100 * score for system in zip(*rows, strict=True) for score in system]

    metric = "bleu:tokenize=none,smooth=floor,smooth_value=0.1"
    return Contest(lambda: our_segment_scores(corpus, metric), peer)


def fastchrf_chrf(corpus: Corpus) -> Contest:
    """ChrF of each segment, all systems in one call."""
    from fastchrf import pairwise_chrf

    outputs = [list(lines) for lines in zip(*corpus.systems.values(), strict=True)]
    references = [[line] for line in corpus.reference]

    def peer() -> list[float]:
        rows = pairwise_chrf(outputs, references)
        return [score for system in zip(*rows, strict=True) for (score,) in system]

    return Contest(lambda: our_segment_scores(corpus, "chrf"), peer)


def jiwer_wer(corpus: Corpus) -> Contest:
    """WER, one call per system."""
    from jiwer import wer

    def single_blanks(text: list[str]) -> list[str]:
        return [" ".join(line.split()) for line in text]

    reference = single_blanks(corpus.reference)
    outputs = [single_blanks(text) for text in corpus.systems.values()]
    return Contest(
        lambda: our_scores(corpus, "wer"),
        lambda: [100 * cast("float", wer(reference, text)) for text in outputs],
    )


def _sacrebleu(name: str, work: str, prepare: Callable[[Corpus], Contest]) -> Comparison:
    return Comparison(name=name, work=work, package="sacrebleu", prepare=prepare, bar=60)


COMPARISONS = (
    _sacrebleu("bleu", "BLEU", sacrebleu_metric("BLEU", "bleu")),
    _sacrebleu("chrf", "chrF", sacrebleu_metric("CHRF", "chrf")),
    _sacrebleu("chrf++", "chrF++", sacrebleu_metric("CHRF", "chrf:word_order=2", word_order=2)),
    Comparison(
        name="ter",
        work="TER",
        package="sacrebleu",
        prepare=sacrebleu_ter,
        bar=100,
        step=10,
        note="every 10th segment, since sacreBLEU takes 10 minutes and more for all",
    ),
    Comparison(
        name="bleuscore",
        work="BLEU",
        package="bleuscore",
        prepare=bleuscore_bleu,
        note="both cut with the tokenizer 13a; bleuscore one system per call",
    ),
    Comparison(
        name="nltk",
        work="BLEU of words",
        package="nltk",
        prepare=nltk_bleu,
        least_words=4,
        note="NLTK gets lists of words, truebleu cuts the lines itself (tokenize=none); segments "
        "of less than 4 words left out, as NLTK counts a 4-gram in them",
    ),
    Comparison(
        name="nist",
        work="NIST of words",
        package="nltk",
        prepare=nltk_nist,
        bar=20,
        note="NLTK gets lists of words, truebleu cuts the lines itself (tokenize=none); with one "
        "reference the two define the same score",
    ),
    Comparison(
        name="fast-bleu",
        work="BLEU of words, by segment",
        package="fast-bleu",
        prepare=fast_bleu_bleu,
        least_words=4,
        note="fast-bleu gets lists of words, truebleu cuts the lines itself; segments of less than "
        "4 words left out, as fast-bleu has no effective order",
    ),
    Comparison(
        name="fastchrf",
        work="chrF by segment",
        package="fastchrf",
        prepare=fastchrf_chrf,
        note="pairwise_chrf, the exact one of fastchrf's two functions, all systems in one call",
    ),
    Comparison(
        name="jiwer",
        work="WER",
        package="jiwer",
        prepare=jiwer_wer,
        bar=20,
        note="jiwer gets lines with single blanks, as it splits at no other white space",
    ),
)
