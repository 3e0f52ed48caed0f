"""Rates of false alarms and of covered values on designs with a known truth, and their page.

A design is a number of trials of one kind, each of which answers one or several questions by yes
or no. A question is a row of the page: its rate of yes, compared with the promised rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from evidence.data import read_set
from evidence.page import page_text
from truebleu.execution.journal import Runner, Task
from truebleu.metrics.registry import as_metrics
from truebleu.reports.document import LARGEST_SHARE, Column, Document, Table
from truebleu.reports.formats.machine_readable import render_tsv as tsv
from truebleu.reports.formats.markdown import render as markdown
from truebleu.resampling import Units
from truebleu.significance.corrections import default_correction
from truebleu.significance.pairs import all_pair_tests
from truebleu.significance.settings import CompareSettings
from truebleu.significance.tests import default_replicates
from truebleu.significance.unit_counts import UnitCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from truebleu.execution.journal import Record
    from truebleu.significance.unit_counts import Pair

ALPHA = 0.05
# A pair with runaway outputs, for which no interval has its coverage, and three without.
PAIRS = (
    ("Gemini-1.5-Pro", "GPT-4"),
    ("GPT-4", "Aya23"),
    ("ONLINE-B", "Claude-3.5"),
    ("Aya23", "ONLINE-B"),
)
ONE_UNIT = f"one unit accounts for over {100 * LARGEST_SHARE:.0f} % of the variance"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Question of a row of the page.

    Attributes:
        default: question, and the default that it is about.
        design: null hypothesis or pool, and its size.
        expected: promised rate, or None for power.
        always: warning in every trial.
        sometimes: warning that depends on the trial.
    """

    default: str
    design: str
    expected: float | None = ALPHA
    always: str = ""
    sometimes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Trials of one kind.

    Attributes:
        questions: questions that every trial answers.
        trials: number of trials.
        trial: for the number of a trial, the answers to the questions and whether the program gives
            the warning that depends on the trial; shares, where a question is asked of several
            pairs of systems at once. Then also the shares that are wrong and have the warning.
    """

    questions: tuple[Question, ...]
    trials: int
    trial: Callable[[int], tuple[Sequence[float], ...]]

    def task(self) -> Task:
        """Return all trials as a task for a journal."""
        first = self.questions[0]
        return Task((first.default, first.design, self.trials), self._run)

    def _run(self) -> Record:
        answers = np.array([self.trial(number) for number in range(self.trials)], dtype=float)
        rates, warned, *both = answers.swapaxes(0, 1)
        promised = np.array([question.expected or 0.0 for question in self.questions])
        wrong = np.where(promised > 0.5, 1 - rates, rates)
        caught = (both[0] if both else wrong * warned).sum(axis=0)
        return {
            "rates": rates.mean(axis=0).tolist(),
            "warned": warned.mean(axis=0).tolist(),
            "caught": (caught / np.maximum(wrong.sum(axis=0), 1e-300)).tolist(),
        }

    def rows(self, record: Record) -> list[Row]:
        """Make the rows of the page from the trials."""
        numbers = (record[name] for name in ("rates", "warned", "caught"))
        return [
            Row(
                question=question, rate=rate, trials=self.trials, share_warned=warned, caught=caught
            )
            for question, rate, warned, caught in zip(self.questions, *numbers, strict=True)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A rate and its promised value.

    Attributes:
        question: question of the row.
        rate: rate of yes.
        trials: number of trials.
        share_warned: share of trials with the warning that depends on the trial.
        caught: share of the wrong decisions with that warning.
    """

    question: Question
    rate: float
    trials: int
    share_warned: float = 0.0
    caught: float = 0.0

    @property
    def error(self) -> float:
        """Two binomial standard errors of the promised rate; of power, of its own."""
        rate = self.rate if self.question.expected is None else self.question.expected
        return float(2 * np.sqrt(rate * (1 - rate) / self.trials))

    @property
    def holds(self) -> bool:
        """True if the rate is within its error or on the safe side."""
        if self.question.expected is None:
            return True
        off = self.rate - self.question.expected
        return bool(abs(off) <= self.error or (off < 0) == (self.question.expected < 0.5))

    @property
    def wrong(self) -> int:
        """Number of wrong decisions: false alarms, or values outside their interval."""
        share = self.rate if (self.question.expected or 0) < 0.5 else 1 - self.rate
        return round(share * self.trials)

    @property
    def warned(self) -> int:
        """Number of wrong decisions with a warning."""
        return round(self.wrong * (1.0 if self.question.always else self.caught))

    @property
    def printed(self) -> str:
        """Warnings that are printed."""
        some = (
            f"{self.question.sometimes} (in {100 * self.share_warned:.0f} % of trials and "
            f"{100 * self.caught:.0f} % of the wrong ones)"
        )
        warnings = (self.question.always, some if self.share_warned > 0 else "")
        return "; ".join(warning for warning in warnings if warning)

    def cells(self) -> dict[str, str | float | bool | None]:
        """Return the row of the table."""
        return {
            "default": self.question.default,
            "design": self.question.design,
            "expected": self.question.expected,
            "rate": self.rate,
            "error": self.error,
            "trials": self.trials,
            "holds": None if self.question.expected is None else self.holds,
            "printed": self.printed,
        }


def measured(designs: Iterable[Design], journal: Path | None = None) -> tuple[Row, ...]:
    """Measure every design's rows; a journal saves finished designs."""
    listed = list(designs)
    tasks = [design.task() for design in listed]
    records = Runner(journal).run({"study": "defaults"}, tasks)
    pairs = zip(listed, tasks, strict=True)
    return tuple(row for design, task in pairs for row in design.rows(records[task.key]))


@cache
def pool(metric: str) -> tuple[UnitCounts, Units, dict[str, int]]:
    """Count WMT24 en-es by one metric; return counts by segment, documents and system indices."""
    test_set = read_set("wmt24-en-es", documents=True)
    (parsed,) = as_metrics([metric])
    rows = parsed.count(test_set).array()
    by_segment = UnitCounts.of(parsed.name, parsed, rows, Units.segments(len(rows)))
    places = {name: place for place, name in enumerate(test_set.systems)}
    return by_segment, Units.documents(test_set.documents or ()), places


@cache
def document_pool(metric: str) -> UnitCounts:
    """Return the pool's counts by document."""
    by_segment, documents, _ = pool(metric)
    return like(by_segment, documents.add_up(by_segment.rows))


def like(statistics: UnitCounts, rows: NDArray[np.float64]) -> UnitCounts:
    """Return counts of the same metric with other rows."""
    return UnitCounts(statistics.label, statistics.metric, np.ascontiguousarray(rows))


def rejected(
    statistics: UnitCounts,
    pairs: list[Pair],
    seed: int,
    replicates: int | None = None,
    test: str = "scaled",
) -> NDArray[np.bool_]:
    """Return a mask of the pairs that a test rejects, with all other defaults."""
    return p_values(statistics, pairs, seed, replicates, test) <= ALPHA


def p_values(
    statistics: UnitCounts,
    pairs: list[Pair],
    seed: int,
    replicates: int | None = None,
    test: str = "scaled",
    correction: str | None = None,
) -> NDArray[np.float64]:
    """Compute adjusted p-values of pairs, with all other defaults."""
    correction = correction or default_correction(len(pairs))
    number = replicates or default_replicates(correction, len(pairs), ALPHA)
    settings = CompareSettings(
        test=test, correction=correction, seed=seed, replicates=1000, test_replicates=number
    )
    (tests,) = all_pair_tests([statistics], [], pairs, settings, lambda _first, _count: [])
    return np.asarray(tests.p_adjusted)


def few(kind: str, count: int, enough: int) -> str:
    """Return the warning about few documents, if it is printed."""
    return f"fewer than {enough} documents" if kind == "documents" and count < enough else ""


COLUMNS = (
    Column("default", "default"),
    Column("design", "design"),
    Column("expected", "promised", 3),
    Column("rate", "measured", 3),
    Column("error", "± error", 3),
    Column("trials", "trials"),
    Column("holds", "holds"),
    Column("printed", "warning printed there"),
)


def _summary(sections: Iterable[tuple[str, list[Row]]]) -> Document:
    """Make a row per default: designs that hold, and wrong decisions with a warning."""
    columns = (
        Column("default", "default"),
        Column("rates", "rates"),
        Column("holding", "hold"),
        Column("wrong", "wrong decisions elsewhere"),
        Column("warned", "with a warning", 0, percent=True),
    )
    rows: list[dict[str, str | float | None]] = []
    for heading, measured_rows in sections:
        others = [row for row in measured_rows if not row.holds]
        wrong, warned = (sum(getattr(row, name) for row in others) for name in ("wrong", "warned"))
        rows.append(
            {
                "default": heading,
                "rates": len(measured_rows),
                "holding": len(measured_rows) - len(others),
                "wrong": wrong,
                "warned": warned / wrong if wrong else None,
            }
        )
    table = Table(columns, tuple(rows))
    return Document((table,), table)


@dataclass(frozen=True, slots=True)
class Rates:
    """Page of all rates.

    Attributes:
        rows: rows in the order of the page.
        journal: journal of the measurements, removed once the page is written.
    """

    rows: tuple[Row, ...]
    journal: Path | None = None

    def write(self, folder: Path) -> None:
        """Write the page and its table."""
        table = Table(COLUMNS, tuple(row.cells() for row in self.rows))
        document = Document((table,), table)
        (folder / "tables").mkdir(parents=True, exist_ok=True)
        (folder / "tables" / "defaults.tsv").write_text(tsv(document), encoding="utf-8")
        (folder / "defaults.md").write_text(page_text(self._parts()), encoding="utf-8")
        if self.journal is not None:
            self.journal.unlink(missing_ok=True)

    def _parts(self) -> list[str]:
        promised = [row for row in self.rows if row.question.expected is not None]
        held = sum(row.holds for row in promised)
        others = [row for row in promised if not row.holds]
        wrong, warned = (sum(getattr(row, name) for row in others) for name in ("wrong", "warned"))
        share = f", and {100 * warned / wrong:.0f} % of the wrong decisions there had a warning"
        parts = [
            "# Do the defaults keep their promises?",
            f"**Answer.** {held} of {len(promised)} rates are within their error of what is "
            f"promised, or on the safe side. {len(others)} are not{share if wrong else ''}.",
            "Each row is a default on a design whose truth is known: systems, metrics or runs that "
            "are equal by construction, or samples from a pool (sets of WMT21 to WMT24, TED). "
            "*Promised* is the level of the test (0.05) or of the interval (0.95), and the error "
            "is two binomial standard errors. A warning counts only where the command prints it, "
            "and what matters is the share of the wrong decisions that had one: of false alarms, "
            "of bad systems that passed, of values that intervals miss. Of so many rates that "
            f"hold, {len(promised) * 0.023:.0f} would be beyond their error by chance. Power is "
            "not promised: it stands beside that of the test which a default has replaced. "
            "All rows are in one [table](tables/defaults.tsv); below are those that do not hold.",
        ]
        of_promises = [
            (heading, rows)
            for heading, rows in self._sections()
            if rows[0].question.expected is not None
        ]
        parts.append(markdown(_summary(of_promises)).rstrip())
        for heading, rows in self._sections():
            shown = [row for row in rows if row.question.expected is None or not row.holds]
            if not shown:
                continue
            table = Table(COLUMNS, tuple(row.cells() for row in shown))
            parts += [f"## {heading}", markdown(Document((table,), table)).rstrip()]
        return [*parts, "Made by `make evidence`; all figures come from the run itself."]

    def _sections(self) -> Iterable[tuple[str, list[Row]]]:
        by_heading: dict[str, list[Row]] = {}
        for row in self.rows:
            by_heading.setdefault(row.question.default.split(" (")[0], []).append(row)
        return by_heading.items()
