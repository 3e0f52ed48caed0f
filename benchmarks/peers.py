"""Work of each peer and the same work by truebleu, as functions that return scores."""

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
    """Functions for one score: truebleu's, the peer's, and other ways of the peer."""

    ours: Run
    peer: Run
    other_ways: dict[str, Run] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A peer and the work that it shares with truebleu.

    Attributes:
        name: name for ``--only``.
        work: description of the work.
        package: distribution of the peer; its name and version are the label in the table.
        prepare: function that makes a contest from a corpus, without being timed.
        step: step between segments, such as 10 if the peer is too slow for all segments.
        least_words: fewest words of a segment, if the peer counts shorter segments differently.
        note: note on the numbers.
        bar: target speedup of truebleu.
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
        """Name and version of the peer, or None if it is not installed."""
        return installed(self.package)


def installed(package: str) -> str | None:
    """Return name and version of a distribution, or None if it is not installed."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return None


def our_scores(corpus: Corpus, metric: str) -> list[float]:
    """Return one score per system, from plain lists of str."""
    scores = truebleu.score(corpus.systems, corpus.reference, [metric])
    return [score.score for system in scores.systems for score in system.scores.values()]


def our_segment_scores(corpus: Corpus, metric: str) -> list[float]:
    """Return one score per system and segment, from plain lists of str."""
    scores = truebleu.score(corpus.systems, corpus.reference, [metric], per_segment=True)
    return [
        score
        for system in scores.systems
        for by_segment in (system.segments or {}).values()
        for score in by_segment
        if score is not None
    ]


def sacrebleu_metric(class_name: str, metric: str, **settings: int) -> Callable[[Corpus], Contest]:
    """Compare with sacreBLEU's metric object: as documented, and with cached references."""

    def prepare(corpus: Corpus) -> Contest:
        from sacrebleu import metrics

        make: Any = getattr(metrics, class_name)
        outputs = list(corpus.systems.values())
        references = [corpus.reference]

        # Objects cache tokenized lines, so every round needs a new one.
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
    """Compare TER without cached references: it has little to cache, and takes long."""
    contest = sacrebleu_metric("TER", "ter")(corpus)
    return Contest(contest.ours, contest.peer)


def bleuscore_bleu(corpus: Corpus) -> Contest:
    """Compare corpus BLEU with the tokenizer 13a, one call per system."""
    from bleuscore import compute

    references = [[line] for line in corpus.reference]
    outputs = list(corpus.systems.values())
    return Contest(
        lambda: our_scores(corpus, "bleu"),
        lambda: [100 * cast("float", compute(references, text)["bleu"]) for text in outputs],
    )


def nltk_bleu(corpus: Corpus) -> Contest:
    """Compare corpus BLEU of words."""
    from nltk.translate.bleu_score import corpus_bleu

    references = [[line.split()] for line in corpus.reference]
    outputs = [[line.split() for line in text] for text in corpus.systems.values()]
    return Contest(
        lambda: our_scores(corpus, "bleu:tokenize=none"),
        lambda: [100 * corpus_bleu(references, text) for text in outputs],
    )


def nltk_nist(corpus: Corpus) -> Contest:
    """Compare NIST of words, with textbook weights."""
    from nltk.translate.nist_score import corpus_nist

    references = [[line.split()] for line in corpus.reference]
    outputs = [[line.split() for line in text] for text in corpus.systems.values()]
    return Contest(
        lambda: our_scores(corpus, "nist:tokenize=none,zero_history=no"),
        lambda: [corpus_nist(references, text, n=5) for text in outputs],
    )


def fast_bleu_bleu(corpus: Corpus) -> Contest:
    """Compare BLEU of each segment, in words, with 0.1 in place of no matches."""
    from fast_bleu import BLEU

    references = [[line.split()] for line in corpus.reference]
    outputs = [[line.split() for line in text] for text in corpus.systems.values()]
    by_segment = [list(lines) for lines in zip(*outputs, strict=True)]
    orders = {4: (0.25, 0.25, 0.25, 0.25)}

    def peer() -> list[float]:
        # Each segment needs an object, because an object has one set of references.
        rows = [
            BLEU(reference, orders).get_score(lines)[4]
            for reference, lines in zip(references, by_segment, strict=True)
        ]
        return [100 * score for system in zip(*rows, strict=True) for score in system]

    metric = "bleu:tokenize=none,smooth=floor,smooth_value=0.1"
    return Contest(lambda: our_segment_scores(corpus, metric), peer)


def fastchrf_chrf(corpus: Corpus) -> Contest:
    """Compare chrF of each segment, all systems in one call."""
    from fastchrf import pairwise_chrf

    outputs = [list(lines) for lines in zip(*corpus.systems.values(), strict=True)]
    references = [[line] for line in corpus.reference]

    def peer() -> list[float]:
        rows = pairwise_chrf(outputs, references)
        return [score for system in zip(*rows, strict=True) for (score,) in system]

    return Contest(lambda: our_segment_scores(corpus, "chrf"), peer)


def jiwer_wer(corpus: Corpus) -> Contest:
    """Compare WER, one call per system."""
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
