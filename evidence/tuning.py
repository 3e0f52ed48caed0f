"""Evidence on tuning by smoothed BLEU: Chen & Cherry (2014, Tables 5 to 8)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from evidence.data import first_segments, other_segments, system_lists
from evidence.page import Page, Section
from truebleu.corpus.nbest import NBest
from truebleu.execution import Processes
from truebleu.execution.journal import Runner
from truebleu.nbest.problem import with_ngrams
from truebleu.reports.document import join_names
from truebleu.studies import study_tuning
from truebleu.studies.nbest import significant, undecided_sentences

if TYPE_CHECKING:
    from truebleu.studies import StudyResult
    from truebleu.studies._study import Row

SET = "wmt23-zh-en"
SEGMENTS = 988
JOURNALS = Path(__file__).parent / "journal"
LARGE = ("0", "2", "4", "6", "7")
# Fewest segments with an n-gram in their lists; rarer n-grams are left out.
LEAST = 30
# Epochs with the large set of features, which takes longer.
EPOCHS = 5

INTRODUCTION = """
Chen & Cherry (2014, §3.2) tuned a log-linear system on expected sentence BLEU with each of their
smoothings, five times each, on a small and on a large set of features, and tested by MultEval's
stratified randomization. Here the lists are the outputs of all systems of WMT23 for a segment, with
features that know no reference: the number of words, and how well a candidate agrees with the
others by chrF and by BLEU; the first half of the set is tuned on, the second tested. The large set
adds word n-grams. A set of systems cannot be decoded again, so there is no outer loop here; [the
simulated decoder](tuning-decoder.md) has one. MERT, which looks along one feature after the other,
tunes those that all candidates have. A smoothing is equivalent to none within a bound if the
interval of their difference lies within it; beyond 1 BLEU the page says "cannot tell".
"""
SMALL_TABLE = """
Tables 5 and 6, test BLEU of smoothings 0 to 7, the means of five replications:

| | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| Chinese, MT06 | 35.6 | 35.7 | 35.8 | 35.8 | 35.7 | 35.5 | 35.7 | 35.6 |
| Chinese, MT08 | 29.0 | 29.1 | 29.1 | 29.1 | 29.1 | 28.9 | 29.0 | 29.0 |
| Arabic, MT08 | 46.5 | 46.4 | 46.4 | 46.5 | 46.5 | 46.4 | 46.4 | 46.4 |
| Arabic, MT09 | 49.1 | 49.1 | 49.0 | 49.2 | 49.2 | 49.1 | 49.1 | 49.0 |

Standard deviations are 0.1 to 0.2. No two results differ significantly.
"""
LARGE_TABLE = """
Tables 7 and 8, test BLEU with about 7,000 features; significantly better than 0 in bold:

| | mira | 0 | 2 | 4 | 6 | 7 |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| Chinese, MT06 | 38.0 | 37.9 | 38.0 | 38.1 | 37.9 | **38.0** |
| Chinese, MT08 | 31.0 | 31.4 | 31.1 | 31.2 | 31.0 | 31.2 |
| Arabic, MT08 | 47.3 | 47.2 | **47.4** | **47.4** | 47.3 | **47.3** |
| Arabic, MT09 | 49.3 | 49.5 | **49.7** | 49.6 | **49.7** | **49.7** |
"""


def page() -> Page:
    """Make the page from runs on WMT23."""
    JOURNALS.mkdir(exist_ok=True)
    sections = (_small(), _alternate(), _large())
    few, mixed, many = (section.result for section in sections)
    return Page(
        name="tuning",
        title="Does it matter which smoothed BLEU weights are tuned on?",
        introduction=INTRODUCTION,
        summary=f"With {few.settings['features']} features {found(few)} With "
        f"{many.settings['features']:,} {found(many)} MIRA differs from no smoothing by "
        f"{row_of(few, 'mira')['difference']:+.2f} and "
        f"{row_of(many, 'mira')['difference']:+.2f} BLEU where the first half of a set is tuned on "
        f"and the second tested, and by "
        f"{row_of(mixed, 'mira')['difference']:+.2f} where every other segment is.",
        sections=sections,
    )


def capitalised(text: str) -> str:
    """Begin a text with a capital letter."""
    return text[:1].upper() + text[1:]


def smoothings_of(result: StudyResult) -> list[Row]:
    """Return the rows of smoothings, without the other tuners."""
    return [row for row in result.rows if row["tuner"].isdigit()]


def found(result: StudyResult) -> str:
    """Say how far smoothings lie apart, and within what they are equivalent to none."""
    rows = smoothings_of(result)
    values = [row["test"] for row in rows]
    spread = f"test scores of smoothings lie within {max(values) - min(values):.2f} BLEU."
    differing = [
        f"{row['tuner']} differs significantly from no smoothing ({row['difference']:+.2f})."
        for row in significant(rows)
    ]
    undecided = undecided_sentences(rows, result.settings["margin"])
    return " ".join([spread, *differing, *undecided])


def row_of(result: StudyResult, tuner: str) -> Row:
    """Return the row of a tuner."""
    (row,) = (row for row in result.rows if row["tuner"] == tuner)
    return row


def about_others(result: StudyResult) -> str:
    """Describe MIRA and MERT on the lists that they were tuned on, and on the other lists."""
    rows = [row_of(result, tuner) for tuner in ("mira", "mert")]
    tuned = " and ".join(f"{row['development']:.2f}" for row in rows)
    apart = join_names(
        [
            f"{row['tuner'].upper()} by {row['difference']:+.2f}"
            + ("" if row["p"] <= 0.05 else ", which is not significant")
            for row in rows
        ]
    )
    return (
        f"MIRA and MERT, tuned for corpus BLEU, have {tuned} where they were tuned, no smoothing "
        f"{row_of(result, '0')['development']:.2f}; on the other segments they differ from no "
        f"smoothing, {apart}."
    )


def _halves(large: bool) -> tuple[NBest, list[list[str]], NBest, list[list[str]]]:
    lists, references = system_lists(SET)
    if large:
        lists = with_ngrams(lists, orders=2, min_segments=LEAST)
    return (
        first_segments(lists, SEGMENTS),
        [text[:SEGMENTS] for text in references],
        other_segments(lists, SEGMENTS),
        [text[SEGMENTS:] for text in references],
    )


def _small() -> Section:
    result = study_tuning(*_halves(large=False))
    alike = not significant(smoothings_of(result))
    return Section(
        heading="Few features, systems of WMT23 Chinese–English as lists",
        command="truebleu study tuning dev.jsonl -r dev.ref --test-lists test.jsonl "
        "--test-reference test.ref",
        result=result,
        verdict=f"{capitalised(found(result))} "
        + f"In the paper{', too,' if alike else ''} no two differed significantly. "
        + about_others(result)
        + " The two halves are different texts; the next section mixes them.",
        paper=SMALL_TABLE,
    )


def _alternate() -> Section:
    """Split segments alternately, so that both halves have some of every text."""
    lists, references = system_lists(SET)
    parts: list[Any] = []
    for first in (0, 1):
        chosen = range(first, len(lists), 2)
        features = {
            name: [lists.feature(name)[lists.span(place)].tolist() for place in chosen]
            for name in lists.feature_names
        }
        parts.append(NBest.of([lists[place] for place in chosen], features=features))
        parts.append([[text[place] for place in chosen] for text in references])
    result = study_tuning(*parts, smoothings=("0", "7"))
    return Section(
        heading="The same with every other segment as one half",
        command="truebleu study tuning even.jsonl -r even.ref --test-lists odd.jsonl "
        "--test-reference odd.ref --smoothings 0,7",
        result=result,
        verdict=f"{capitalised(found(result))} {about_others(result)}",
        chart=False,
    )


def _large() -> Section:
    runner = Runner(JOURNALS / "tuning-ngrams.jsonl", executor=Processes(2))
    result = study_tuning(*_halves(large=True), smoothings=LARGE, epochs=EPOCHS, runner=runner)
    better = [row["tuner"] for row in significant(smoothings_of(result)) if row["difference"] > 0]
    return Section(
        heading="Many features: word n-grams beside them",
        command="truebleu study tuning dev.jsonl -r dev.ref --test-lists test.jsonl "
        f"--test-reference test.ref --smoothings 0,2,4,6,7 --epochs {EPOCHS}",
        result=result,
        verdict=f"{capitalised(found(result))} In the paper smoothing 7 was better than none "
        f"in 3 of 4 columns; here {join_names(better) if better else 'no smoothing'} is. "
        f"{about_others(result)}",
        paper=LARGE_TABLE,
    )
