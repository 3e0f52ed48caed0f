"""The evidence on blocks and systematic samples: Koehn (2004), §3.2 to 3.4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evidence.data import DATA, read_set
from evidence.page import Page, Section
from truebleu.corpus import read_test_set
from truebleu.studies import study_sampling

if TYPE_CHECKING:
    from truebleu.corpus import TestSet
    from truebleu.studies import StudyResult
    from truebleu.studies._study import Row

SYSTEMS = ("GPT4-5shot", "ONLINE-A", "ONLINE-B", "ONLINE-Y", "NLLB_Greedy")
SIZES = (100, 300)
INTRODUCTION = """
Koehn cut 30,000 sentences of the European Parliament into 100 blocks of 300 consecutive sentences,
and into 100 systematic ("broad") samples of every hundredth sentence. Here the sets of WMT23 and
talks are cut in the same two ways, which leaves fewer samples, and a third spread stands beside
them: that of samples of as many segments drawn independently. The design effect is how much larger
the variance is than that.
"""
FIGURES_2_AND_3 = """
Figs. 2 and 3: on 100 blocks of 300 sentences the BLEU of the Spanish-English system ran from 21 to
37, on 100 systematic samples from 27 to 31. "Translation quality of neighboring sentences
correlates positively" (§3.4).
"""
FIGURE_4 = """
Fig. 4: on 100 systematic samples of 300 sentences the Spanish system was better than the Danish one
by up to 4 BLEU, and in only one sample it was worse, by 0.07.
"""


def page() -> Page:
    """Three runs; a few seconds."""
    chinese, hebrew, talks = _scores(), _differences(), _talks()
    sections = (chinese, hebrew, talks)
    scores, differences = (
        [_ratio(section.result, of) for section in sections] for of in ("score", "difference")
    )
    less = all(d < s for d, s in zip(differences, scores, strict=True))
    return Page(
        name="sampling",
        title="Should a test set be one block of text, or sentences from all over?",
        introduction=INTRODUCTION,
        summary=(
            f"On blocks of 300 segments BLEU spreads {min(scores):.1f} to {max(scores):.1f} times "
            "as far as on systematic samples of 300, and its differences "
            f"{min(differences):.1f} to {max(differences):.1f} times"
            + (", less than scores, since both systems meet the same hard texts." if less else ".")
        ),
        sections=sections,
    )


def _mean(result: StudyResult, of: str) -> Row:
    """Return the mean on samples of 300."""
    (mean,) = (row for row in result.rows if (row["of"], row["size"]) == (f"mean of {of}s", 300))
    return mean


def _ratio(result: StudyResult, of: str) -> float:
    mean = _mean(result, of)
    return float(mean["block_sd"] / mean["systematic_sd"])


def _verdict(result: StudyResult, of: str) -> str:
    mean, ratio = _mean(result, of), _ratio(result, of)
    # The paper has no differences on blocks.
    agrees = "as in the paper, " if ratio > 1 else "unlike the paper, "
    if of == "difference":
        agrees = ""
    low = mean["block_effect_low"]
    beyond = (
        f"which is more than chance: the design effect of blocks is at least {low:.1f}"
        if low > 1
        else f"which may be chance with so few blocks: the design effect may be as low as {low:.2f}"
    )
    return (
        f"{of.capitalize()}s spread {ratio:.1f} times as far on blocks as on systematic samples, "
        f"{agrees}{beyond}."
        f" Systematic samples spread {_against_independent(mean)} independent segments."
    )


def _against_independent(mean: Row) -> str:
    if mean["systematic_effect_low"] > 1:
        return "more than"
    if mean["systematic_effect_high"] < 1:
        return "less than"
    return "as much, within the error of so few, as"


def _some(name: str) -> TestSet:
    folder = DATA / name
    systems = [str(folder / "sys" / f"{system}.txt") for system in SYSTEMS]
    return read_test_set(systems, [str(folder / "refA.txt")])


def _section(result: StudyResult, heading: str, of: str, paper: str, more: str = "") -> Section:
    systems = " ".join(f"sys/{system}.txt" for system in SYSTEMS)
    return Section(
        heading=heading,
        command=f"truebleu study sampling -r refA.txt {systems} --sizes 100,300{more}",
        result=result,
        paper=paper,
        verdict=_verdict(result, of),
    )


def _scores() -> Section:
    result = study_sampling(_some("wmt23-zh-en"), sizes=SIZES)
    return _section(result, "WMT23 Chinese-English", "score", FIGURES_2_AND_3)


def _differences() -> Section:
    result = study_sampling(_some("wmt23-he-en"), sizes=SIZES, figure="differences")
    heading = "WMT23 Hebrew-English, differences"
    return _section(result, heading, "difference", FIGURE_4, " --figure differences")


def _talks() -> Section:
    result = study_sampling(
        read_set("iwslt-optimizer-runs", "ref"), ["bleu:tokenize=none"], sizes=SIZES
    )
    return Section(
        heading="Talks, translated by three systems of three optimizer runs each",
        command="truebleu study sampling -r ref.txt baseline.opt*.txt sys1.opt*.txt "
        "-m bleu:tokenize=none --sizes 100,300",
        result=result,
        verdict=_verdict(result, "score") + " " + _verdict(result, "difference"),
        chart=False,
    )
