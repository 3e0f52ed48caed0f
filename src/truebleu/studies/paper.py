"""A whole paper: every table and figure that the data allow, by the studies.

`papers.json` declares the sections of each paper: their labels, studies with options, the parts of
the results to show, and the paper's own numbers. A section that the data do not allow has a reason.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import truebleu.studies._study as base
from truebleu._results import Result
from truebleu.errors import TruebleuError, UnknownNameError
from truebleu.execution.journal import Runner
from truebleu.human.judgments import HumanScores
from truebleu.nbest.problem import with_candidates
from truebleu.reports.document import Column, Plot
from truebleu.schema import DEFAULT_SEED
from truebleu.scores.given import GivenScores
from truebleu.significance.scores import score
from truebleu.significance.student import student_quantile
from truebleu.simulation.decoder import Decoder
from truebleu.simulation.test_sets import simulate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu.corpus.nbest import NBest
    from truebleu.corpus.test_set import TestSet
    from truebleu.human.judgments import PairwiseJudgments

__all__ = ["PaperResult", "study_paper"]

PAPERS: Mapping[str, Any] = json.loads(
    (files("truebleu.studies") / "papers.json").read_text("utf-8")
)
#: Error rates of the simulated systems, as many as Zhang & Vogel had.
RATES = (0.18, 0.20, 0.21, 0.23, 0.26, 0.30, 0.35)
STUDENT_LEVELS, STUDENT_SIZES = (0.99, 0.95, 0.90), (100, 300, 600, math.inf)


@dataclass(frozen=True, slots=True)
class PaperSection:
    """A table or figure of a paper.

    Attributes:
        declared: the section in `papers.json`.
        result: result of its study; None if the data do not allow it.
        reason: reason why there is no result.
    """

    declared: Mapping[str, Any]
    result: Any = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class PaperResult(Result):
    """Every table and figure of a paper, with the paper's own numbers.

    Attributes:
        paper: name of the paper.
        title: authors, year and title.
        sections: tables and figures in the paper's order.
        notes: sentences about the data.
    """

    REPORT: ClassVar[str] = "truebleu.reports.papers"

    paper: str
    title: str
    sections: tuple[PaperSection, ...]
    notes: tuple[str, ...] = ()

    def facts(self) -> dict[str, Any]:
        """Return each section with the facts of its study, and the paper's numbers."""
        sections = [
            {name: section.declared.get(name) for name in ("label", "title", "run", "paper")}
            | {"reason": section.reason}
            | (
                {"result": section.result.facts()}
                if section.result and "run" in section.declared
                else {}
            )
            for section in self.sections
        ]
        return {"version": self.VERSION, "paper": self.paper, "sections": sections}


@dataclass(slots=True)
class _Data:
    """Inputs of the sections; missing ones are simulated, and a note says so."""

    plan: Mapping[str, Any]
    seed: int
    test_set: TestSet | None
    lists: NBest | None
    human: HumanScores | PairwiseJudgments | None
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def texts(self) -> TestSet:
        if self.test_set is None:
            self.test_set = simulate(systems=RATES, seed=self.seed, **self.plan["pool"])
            self.note(
                f"No texts were given: {len(RATES)} systems of {len(self.test_set):,} simulated "
                "segments."
            )
        return self.test_set

    def judged(self) -> tuple[TestSet, HumanScores | PairwiseJudgments]:
        """Return texts with human scores; simulated raters see the share of errors, and noise."""
        if self.human is not None:
            return self.texts(), self.human
        self.note("No human scores were given (--human): raters of a simulated set are simulated.")
        test_set = simulate(systems=RATES, seed=self.seed, **PAPERS["chen-cherry2014"]["pool"])
        (counted,) = base.Pool.of(test_set, ["wer"]).statistics
        errors = counted.metric.score(counted.rows)
        noise = np.random.default_rng(self.seed).normal(scale=errors.std(), size=errors.shape)
        columns = (-errors + noise).T.tolist()
        scores = {name: tuple(row) for name, row in zip(test_set.systems, columns, strict=True)}
        label = "simulated raters"
        return test_set, HumanScores(label=label, level="segment", scores=scores, signature=label)

    def metrics(self, declared: Mapping[str, Any]) -> list[Any]:
        """Return the metrics of a section, with the given human scores of segments."""
        human = [self.human] if declared.get("human") and self.test_set is not None else []
        return [
            *declared["metrics"],
            *(
                GivenScores.of(people.scores, name="human")
                for people in human
                if isinstance(people, HumanScores)
                and people.level == "segment"
                and people.scores.keys() == self.texts().systems.keys()
            ),
        ]

    def of_lists(self, declared: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return lists and references, a second time for tests, and decoders for rounds."""
        sides = 2 if declared["run"] == "tuning" else 1
        if self.lists is not None and not declared.get("decodes"):
            half = len(self.lists) // sides
            ends = [(0, half), (half, len(self.lists))][:sides]
            references = self.texts().references
            return [
                part
                for low, high in ends
                for part in (
                    segments(self.lists, low, high),
                    [list(text)[low:high] for text in references],
                )
            ], {}
        self.note(
            "Lists come from the simulated decoder: --lists gives others, but not for rounds."
        )
        size = dict(declared["decoder"])
        longest = size.pop("size", 50)
        decoders = [Decoder(seed=self.seed + side, **size) for side in range(sides)]
        more = {"decoders": tuple(d.nbest for d in decoders)} if declared.get("decodes") else {}
        return [part for d in decoders for part in (d.nbest(size=longest), [d.references])], more


def segments(lists: NBest, low: int, high: int) -> NBest:
    """Return the lists of some segments, without their sources."""
    ends = lists.offsets[low : high + 1]
    return with_candidates(
        replace(lists, sources=None), np.arange(ends[0], ends[-1]), ends - ends[0]
    )


def study_paper(
    paper: str,
    test_set: TestSet | None = None,
    *,
    lists: NBest | None = None,
    human: HumanScores | PairwiseJudgments | None = None,
    runner: Runner | None = None,
    seed: int = DEFAULT_SEED,
) -> PaperResult:
    """Redo every table and figure of a paper that the data allow.

    Args:
        paper: "koehn2004", "zhang-vogel2004", "riezler-maxwell2005" or "chen-cherry2014".
        test_set: pool of segments with its systems. Default: simulated ones.
        lists: n-best lists of the test set's segments. Default: of the simulated decoder.
        human: human scores of the systems. Default: of simulated raters.
        runner: runner whose journal names the files that keep the studies' results.
        seed: seed of all random numbers.
    """
    if paper not in PAPERS:
        raise UnknownNameError("paper", paper, tuple(PAPERS))
    plan = PAPERS[paper]
    data = _Data(plan, seed, test_set, lists, human)
    sections, last = [], PaperSection({})
    for number, declared in enumerate(plan["sections"], 1):
        if "reason" in declared:
            sections.append(PaperSection(declared, reason=declared["reason"]))
            continue
        if "run" in declared:
            numbered = _numbered(runner or Runner(), number)
            try:
                last = PaperSection(declared, _run(declared, data, numbered))
            except TruebleuError as error:
                # An error about the journal is not about the data.
                if numbered.journal is not None and str(error).startswith(str(numbered.journal)):
                    raise
                last = PaperSection(declared, reason=str(error))
        sections.append(replace(last, declared=declared))
    return PaperResult(paper, plan["title"], tuple(sections), tuple(data.notes))


def _numbered(runner: Runner, number: int) -> Runner:
    """Return a runner with a journal of its own for each section."""
    path = runner.journal
    return replace(runner, journal=path and path.with_name(f"{path.stem}-{number}{path.suffix}"))


def _run(declared: Mapping[str, Any], data: _Data, runner: Runner) -> Any:
    """Run the study of a section."""
    name, options = declared["run"], dict(declared.get("options", {}))
    if name == "student":
        return student_table()
    if name in ("tuning", "reranking"):
        arguments, more = data.of_lists(declared)
        options |= more
        if "gamma" in options:
            # The penalty stands against a sum over segments.
            options["gamma"] *= len(arguments[0]) / declared["decoder"]["segments"]
    elif name == "smoothing":
        arguments = list(data.judged())
    else:
        test_set = data.texts()
        systems = dict(list(test_set.systems.items())[: declared.get("systems")])
        arguments = [replace(test_set, systems=systems)]
    if "metrics" in declared:
        options["metrics"] = data.metrics(declared)
    if name == "score":
        return score(*arguments, **options)
    study = getattr(import_module("truebleu.studies"), f"study_{name.replace('-', '_')}")
    options |= {"runner": runner} | ({} if name == "length" else {"seed": data.seed})
    if "sizes" not in options:
        return study(*arguments, **options)
    options["sizes"], unfit = fitting(options["sizes"], len(data.texts()))
    result = study(*arguments, **options)
    return replace(result, sentences=[*result.sentences, *unfit])


def fitting(sizes: list[int], pool: int, samples: int = 5) -> tuple[list[int], list[str]]:
    """Choose the sizes that fit a pool several times, else the largest that does; and say so."""
    fit = [size for size in sizes if samples * size <= pool] or [pool // samples]
    large = ", ".join(f"{size:,}" for size in sizes if size not in fit)
    note = f"Samples of {large} do not fit: {samples} of up to {pool // samples:,} do."
    return fit, [note] if large else []


def student_table() -> base.StudyResult:
    """Tabulate the quantiles of Student's t by level and size, as Koehn's Table 2."""
    columns = (
        Column("level", "Level", percent=True, digits=0),
        *(Column(str(n), f"{n:,}".replace("inf", "∞"), 4) for n in STUDENT_SIZES),
    )
    rows = [
        {"level": level} | {str(n): student_quantile(level, n) for n in STUDENT_SIZES}
        for level in STUDENT_LEVELS
    ]
    settings: base.Settings = {"study": "student", "pool": {}}
    plot = Plot("point", "level", str(STUDENT_SIZES[0]))
    return base.StudyResult(settings, "Quantiles of Student's t", columns, plot, rows)
