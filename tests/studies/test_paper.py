"""Papers: every table and figure has a section, and what the data do not allow says why."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from truebleu.corpus.nbest import NBest
from truebleu.errors import SettingError, UnknownNameError
from truebleu.execution.journal import Runner
from truebleu.human.judgments import HumanScores
from truebleu.simulation import simulate
from truebleu.simulation.decoder import Decoder
from truebleu.studies import paper as paper_module, study_power, study_sensitivity
from truebleu.studies.paper import PAPERS, fitting, segments, student_table, study_paper

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.corpus import TestSet
    from truebleu.studies.paper import PaperResult

#: Numbers of tables and figures of each paper.
EXHIBITS = {
    "koehn2004": (4, 8),
    "zhang-vogel2004": (6, 8),
    "riezler-maxwell2005": (2, 2),
    "chen-cherry2014": (8, 0),
}


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=60, systems=(0.1, 0.2, 0.4), seed=3)


def only(monkeypatch: pytest.MonkeyPatch, name: str, *labels: str, **options: Any) -> None:
    """Leave only some sections of a paper, with other options."""
    sections = [s for s in PAPERS[name]["sections"] if s["label"] in labels]
    changed = [s | {"options": s["options"] | options} if "options" in s else s for s in sections]
    monkeypatch.setitem(paper_module.PAPERS, name, PAPERS[name] | {"sections": changed})


def section(result: PaperResult, label: str) -> Any:
    (found,) = (s for s in result.sections if s.declared["label"] == label)
    return found


@pytest.mark.parametrize("name", PAPERS)
def test_every_table_and_figure_of_a_paper_has_a_section(name: str) -> None:
    found = set()
    for declared in PAPERS[name]["sections"]:
        kind, *numbers = re.findall(r"Table|Fig|\d+", declared["label"])
        ends = (int(numbers[0]), int(numbers[-1]))
        found |= {(kind, number) for number in range(ends[0], ends[1] + 1)}
        assert declared["title"]
        assert "reason" in declared or "paper" in declared
    tables, figures = EXHIBITS[name]
    expected = {("Table", n) for n in range(1, tables + 1)}
    assert found == expected | {("Fig", n) for n in range(1, figures + 1)}


def test_a_section_is_its_study(pool: TestSet, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "koehn2004", "Table 3", "Figs. 7 and 8", sizes=[10])
    result = study_paper("koehn2004", pool)
    expected = study_power(
        pool, "bleu", sizes=[10], sampling="systematic", tests=["wins"], figure="confidence"
    )
    table, figures = result.sections
    assert table.result.rows == figures.result.rows == expected.rows
    assert figures.result.chart_rows == expected.chart_rows
    text = str(result)
    assert "\nTable 3: right and wrong conclusions" in text
    assert "Spanish : Danish      2.0         31%     65%     96%   100%" in text
    assert str(expected.sentences[0])[:60] in " ".join(text.split())


def test_sections_without_data_give_the_reason(
    pool: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch, "zhang-vogel2004", "Fig. 8", "Table 3")
    result = study_paper("zhang-vogel2004", pool)
    assert [s.result for s in result.sections] == [None, None]
    reason = "Not redone here: references: 1; expected 2 to 8 references"
    assert str(result).count(reason) == 2
    assert "5.091" in str(result)
    facts = result.to_dict()["sections"]
    assert [s["label"] for s in facts] == ["Fig. 8", "Table 3"]
    assert all(s["reason"].startswith("references: 1") for s in facts)


def test_an_error_about_the_journal_is_no_reason(
    pool: TestSet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    only(monkeypatch, "koehn2004", "Table 3", sizes=[10])
    runner = Runner(tmp_path / "journal.jsonl")
    first = study_paper("koehn2004", pool, runner=runner)
    assert [path.name for path in tmp_path.iterdir()] == ["journal-1.jsonl"]
    assert study_paper("koehn2004", pool, runner=runner).to_dict() == first.to_dict()
    with pytest.raises(SettingError, match=r"journal-1.jsonl: seed"):
        study_paper("koehn2004", pool, runner=runner, seed=1)


def test_sizes_that_do_not_fit_say_what_does() -> None:
    assert fitting([100, 300], 1500) == ([100, 300], [])
    sizes, (note,) = fitting([100, 300], 1499)
    assert (sizes, note) == ([100], "Samples of 300 do not fit: 5 of up to 299 do.")
    assert fitting([100, 3000], 60)[0] == [12]


def test_human_scores_are_shown_with_the_metrics(
    pool: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch, "zhang-vogel2004", "Table 1", "Fig. 3", replicates=200)
    scores = {name: tuple(range(60)) for name in pool.systems} | {"system-3": (0.0,) * 60}
    human = HumanScores(label="h", level="segment", scores=scores, signature="h")
    result = study_paper("zhang-vogel2004", pool, human=human)
    pairs = section(result, "Fig. 3").result.details["pairs"]
    marks = {(row["metric"], row["a"], row["b"]): row["mark"] for row in pairs}
    assert marks["human", "system-1", "system-2"] == "~"
    assert marks["human", "system-1", "system-3"] == ">"
    assert marks["human", "system-3", "system-2"] == "<"
    assert marks["human", "system-3", "system-3"] == ""
    assert [row["metric"] for row in pairs[::9]] == ["NIST", "BLEU", "M-BLEU", "human"]


def test_the_matrix_of_pairs_is_what_the_intervals_say(pool: TestSet) -> None:
    result = study_sensitivity(pool, ["ter"], replicates=200, correction="none")
    pairs = result.details["pairs"]
    (row,) = (r for r in result.rows if (r["test"], r["correction"]) == ("interval", "none"))
    assert sum(r["mark"] in {"<", ">"} for r in pairs) == 2 * row["significant"]
    # TER is better the lower it is.
    (best,) = (r["mark"] for r in pairs if (r["a"], r["b"]) == ("system-1", "system-3"))
    assert best == ">"


def test_given_lists_are_halved_for_tuning() -> None:
    lists = NBest.of([["a", "b"], ["c"], ["d", "e"]], features={"f": [[1, 2], [3], [4, 5]]})
    part = segments(lists, 1, 3)
    assert [tuple(list_) for list_ in part] == [("c",), ("d", "e")]
    assert part.feature("f").tolist() == [3, 4, 5]


def test_lists_are_given_or_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    label = "Tables 5 and 6"
    only(monkeypatch, "chen-cherry2014", "Table 4", label, smoothings=["0"], epochs=1, repeats=1)
    decoder = Decoder(segments=12)
    test_set = simulate(segments=12, systems=(0.2, 0.3))
    given = study_paper("chen-cherry2014", test_set, lists=decoder.nbest(size=4))
    assert section(given, label).result.settings["test_segments"] == 6
    assert not given.notes
    alone = study_paper("chen-cherry2014", test_set)
    assert section(alone, label).result.settings["test_segments"] == 60
    assert "Lists come from the simulated decoder" in str(alone)


def test_quantiles_of_student_are_the_papers() -> None:
    printed_rows = PAPERS["koehn2004"]["sections"][4]["paper"][1:]
    for row, paper in zip(student_table().rows, printed_rows, strict=True):
        # The paper has 1.9849 for 1.9840.
        for value, printed in zip(list(row.values())[1:], paper[1:], strict=True):
            assert value == pytest.approx(float(printed), abs=1e-3)


def test_an_unknown_paper_names_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="koehn2004"):
        study_paper("koehn2005")
