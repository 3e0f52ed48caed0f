"""Dependency F: agreement of dependency relations (Riezler & Maxwell, 2005, section 3)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from truebleu import _core
from truebleu.errors import SettingError, UnknownNameError
from truebleu.metrics.metric import Metric, Score, rows_of
from truebleu.metrics.parses import GivenParses, ParsesInFolder, ParsesOfSpacy
from truebleu.metrics.relations import Relations, relations_of
from truebleu.metrics.signature import Signature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from truebleu._core import Statistics
    from truebleu.corpus import TestSet
    from truebleu.metrics.parses import ParseSource

Word = Literal["form", "lemma"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DependencyScore(Score):
    """Dependency F of one text, with precision and recall in [0, 100]."""

    precision: float
    recall: float
    matched: int
    output_relations: int
    reference_relations: int

    def __str__(self) -> str:
        return (
            f"{self.name} = {self.score:.2f} (P = {self.precision:.1f} R = {self.recall:.1f} "
            f"output = {self.output_relations} reference = {self.reference_relations})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DependencyF(Metric):
    r"""F-score of dependency relations; see docs/reference/metrics/depf.md.

    >>> cats = "1 cats _ _ _ _ 2 nsubj _ _\n2 sleep _ _ _ _ 0 root _ _\n".replace(" ", "\t")
    >>> dogs = "1 dogs _ _ _ _ 2 nsubj _ _\n2 sleep _ _ _ _ 0 root _ _\n".replace(" ", "\t")
    >>> metric = DependencyF.of({"system": cats}, [dogs])
    >>> print(metric.corpus(["cats sleep"], ["dogs sleep"]))
    depF = 50.00 (P = 50.0 R = 50.0 output = 2 reference = 2)
    """

    parses: str = ""
    spacy: str = ""
    labelled: bool = True
    word: Word = "form"
    direction: bool = True
    lowercase: bool = False
    root: bool = True
    check_text: bool = True
    parser: str = ""
    given: GivenParses | None = field(default=None, repr=False, metadata={"text": False})

    name: ClassVar[str] = "depF"

    def __post_init__(self) -> None:
        if self.word not in get_args(Word):
            raise UnknownNameError("word", self.word, get_args(Word))
        if bool(self.parses) + bool(self.spacy) + (self.given is not None) != 1:
            expected = "a folder of CoNLL-U files, or else spacy=MODEL, and not both"
            raise SettingError("parses", self.parses, expected)

    @classmethod
    def of(
        cls,
        outputs: Mapping[str, str | PathLike[str]],
        references: Sequence[str | PathLike[str]],
        **settings: bool | str,
    ) -> DependencyF:
        """A metric of these parses: the outputs' by system, the references' in their order.

        Each is a path, or CoNLL-U itself, which has line ends. Settings are those of the class.
        """
        return cls(given=GivenParses.of(outputs, references), **settings)  # type: ignore[arg-type]

    def count(self, test_set: TestSet) -> Statistics:
        """Columns: relations that match, those of the output, and those of the reference."""
        import numpy as np

        kind = Relations(self.labelled, self.word, self.direction, self.lowercase, self.root)
        source = self._source()
        texts = [
            relations_of(source.reference(test_set, index), kind)
            for index in range(len(test_set.references))
        ]
        references = [
            [Counter(relations) for relations in row if relations is not None]
            for row in zip(*texts, strict=True)
        ]
        rows = np.empty((len(test_set), len(test_set.systems), 3))
        for index, system in enumerate(test_set.systems):
            outputs = relations_of(source.output(test_set, system), kind)
            for segment, output in enumerate(outputs):
                rows[segment, index] = _best_row(output or [], references[segment])
        return _core.Statistics(rows)

    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """F in [0, 100] of summed rows, over any leading axes; 0 where there are no relations."""
        import numpy as np

        rows, shape = rows_of(sums, 3)
        # The harmonic mean of matched / output and matched / reference.
        relations = rows[:, 1] + rows[:, 2]
        return (200 * rows[:, 0] / np.where(relations > 0, relations, 1)).reshape(shape)

    def describe(self, sums: Sequence[float], references: int | None) -> DependencyScore:
        """F of one row of sums, with precision, recall and counts."""
        matched, output, reference = sums
        return DependencyScore(
            score=_percent(2 * matched, output + reference),
            signature=self.signature.with_references(references),
            precision=_percent(matched, output),
            recall=_percent(matched, reference),
            matched=int(matched),
            output_relations=int(output),
            reference_relations=int(reference),
        )

    @property
    def signature(self) -> Signature:
        """Case, labels, words, direction, root, and the parser."""
        return Signature.of(
            self.name,
            case="lc" if self.lowercase else "mixed",
            labels=self.labelled,
            word=self.word,
            dir=self.direction,
            root=self.root,
            parser=self.parser or self._source().parser,
        )

    def _source(self) -> ParseSource:
        if self.given is not None:
            return self.given if self.check_text else self.given.unchecked()
        if self.spacy:
            return ParsesOfSpacy(self.spacy)
        return ParsesInFolder(self.parses, self.check_text)


def _best_row(output: Sequence[str], references: Sequence[Counter[str]]) -> tuple[int, int, int]:
    """The row against the reference with the best F; of equals, that with fewest relations."""
    own = Counter(output)
    best, row = (-1.0, 0), (0, 0, 0)
    for reference in references:
        # Clipped: a relation matches as often as both sides have it.
        both = own.keys() & reference.keys()
        matched = sum([min(own[relation], reference[relation]) for relation in both])
        total = reference.total()
        rank = (_percent(2 * matched, len(output) + total), -total)
        if rank > best:
            best, row = rank, (matched, len(output), total)
    return row


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0
