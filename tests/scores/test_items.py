"""Items: scores of models without texts, as compare, gate, plan and explain take them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truebleu
from tests.cli import shell
from truebleu.counts.inputs import count_items
from truebleu.errors import CorpusError, SettingError, UnknownNameError
from truebleu.scores import GivenScores, ItemScores, read_benchmarks
from truebleu.scores.items import read_evaluated_texts

OLD = [float(n % 3 == 0) for n in range(60)]
NEW = [float(n % 3 != 2) for n in range(60)]


def rows(scores: list[float], seed: int = 0, **more: Any) -> list[dict[str, Any]]:
    """The items in an order of their own, in clusters of four."""
    named = [
        {"id": f"q{n}", "score": score, "passage": f"p{n // 4}", **more}
        for n, score in enumerate(scores)
    ]
    return [named[place] for place in np.random.default_rng(seed).permutation(len(named))]


def saved(path: Path, records: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def compared(items: ItemScores, **settings: Any) -> Any:
    """The first comparison of some items."""
    return truebleu.compare(items, **{"replicates": 200, **settings}).comparisons[0]


def column(items: ItemScores, system: str) -> list[float]:
    """The scores of a system in the order of the items."""
    rows = count_items(items).metrics[0].rows.floats()
    values: list[float] = rows[:, items.systems.index(system), 0].tolist()
    return values


def test_items_pair_by_name_whatever_their_order() -> None:
    by_order = compared(ItemScores.of({"old": OLD, "new": NEW}))
    assert by_order.difference == pytest.approx(-1 / 3)
    shuffled = ItemScores.of({"old": rows(OLD, 1), "new": rows(NEW, 2)})
    names = [int(name[1:]) for name, _ in shuffled.items]
    assert names != sorted(names)
    assert column(shuffled, "old") == [OLD[name] for name in names]
    assert column(shuffled, "new") == [NEW[name] for name in names]


def test_items_compare_like_given_scores_with_texts() -> None:
    texts = {name: ["x"] * 60 for name in ("old", "new")}
    given = GivenScores.of({"old": OLD, "new": NEW}, name="score")
    expected = truebleu.compare(texts, ["x"] * 60, metrics=[given], replicates=200)
    comparison = truebleu.compare(ItemScores.of({"old": OLD, "new": NEW}), replicates=200)
    assert comparison.comparisons == expected.comparisons


def test_the_outline_has_the_names_of_the_items() -> None:
    outline = ItemScores.of({"old": rows(OLD, 1), "new": rows(NEW, 2)}).outline()
    assert (outline.rows, outline.systems, outline.segments) == ("items", ("old", "new"), 60)
    assert outline.names is not None
    assert set(outline.names) == {f"q{n}" for n in range(60)}
    assert outline.labels("passage") == tuple(f"p{int(name[1:]) // 4}" for name in outline.names)
    assert outline.labels("chapter") is None
    assert ItemScores.of({"old": OLD}).outline().names is None


def test_a_unit_in_a_group_keeps_the_name_of_its_item() -> None:
    """One item of the second half has all of the difference."""
    old, new = (
        [
            {"id": f"q{n}", "score": float(n % 2), "half": "first" if n < 15 else "second"}
            for n in range(30)
        ]
        for _ in range(2)
    )
    new[22]["score"] = 9.0
    result = truebleu.compare({"old": old, "new": new}, by=["half"], replicates=200)
    second = next(group for group in result.groups if group.label == "second")
    assert [pair.largest_unit for pair in second.comparisons] == ["q22"]


def test_clusters_are_documents() -> None:
    scored = ItemScores.of({"old": rows(OLD), "new": rows(NEW)}, documents="passage")
    result = truebleu.compare(scored, replicates=200)
    assert (result.settings.unit, result.test_set.documents) == ("document", 15)
    with pytest.raises(SettingError, match="a field of the items: id, passage, score"):
        ItemScores.of({"old": rows(OLD), "new": rows(NEW)}, documents="chapter")


def test_groups_are_by_any_field() -> None:
    fields = {"old": rows(OLD), "new": rows(NEW)}
    for system in fields.values():
        for row in system:
            row["half"] = "first" if int(row["id"][1:]) < 30 else "second"
    result = truebleu.compare(ItemScores.of(fields), by=["half"], replicates=200)
    assert [group.label for group in result.groups] == ["first", "second"]


TWICE = {
    "a": [*rows(OLD, epoch=1), *rows(NEW, epoch=2)],
    "b": [*rows(NEW, epoch=1), *rows(NEW, epoch=2)],
}


def test_epochs_are_runs_and_the_verdict_is_about_further_ones() -> None:
    outline = ItemScores.of(TWICE).outline(by_runs=True)
    assert outline.runs == {"a": ("a.run1", "a.run2"), "b": ("b.run1", "b.run2")}
    result = truebleu.compare(TWICE)
    outputs = {"a.1": OLD, "a.2": NEW, "b.1": NEW, "b.2": NEW}
    by_name = truebleu.compare(outputs, runs="{system}.{run}")
    assert result.comparisons[0].difference == pytest.approx(-1 / 6)
    # The items stand in another order, so sums may round otherwise.
    assert result.comparisons[0].p == pytest.approx(by_name.comparisons[0].p, rel=1e-12)
    assert "The verdict is about further runs of these models" in str(result)


def test_answers_that_are_averaged_are_what_the_verdict_is_about() -> None:
    result = truebleu.compare(TWICE, metrics="scores:answers=mean")
    assert result.comparisons[0].difference == pytest.approx(-1 / 6)
    assert (
        "The verdict is about these answers, up to 2 per item, not about further answers."
        in str(result)
    )
    grouped = truebleu.compare(TWICE, by={"half": ["x", "y"] * 30}, replicates=200)
    assert "The verdict is about these answers" in str(grouped)


def test_raters_are_no_runs() -> None:
    judged = {name: [*rows(OLD, rater="x"), *rows(NEW, rater="y")] for name in "ab"}
    assert ItemScores.of(judged).outline(by_runs=True).runs is None


def test_other_numbers_of_epochs_do_not_pair() -> None:
    systems = {"a": TWICE["a"], "b": rows(NEW, epoch=1)}
    with pytest.raises(
        CorpusError, match=r"1 answers to an item; expected 2 answers, .*answers=mean"
    ):
        truebleu.compare(systems)
    assert truebleu.compare(systems, metrics="scores:answers=mean")


def test_an_epoch_that_an_item_lacks_is_missing() -> None:
    with pytest.raises(CorpusError, match=r"'a.run2': segment 60: no score of item q31"):
        truebleu.compare({**TWICE, "a": TWICE["a"][:-1]})


def runs_of(draws: np.random.Generator, items: int = 120, epochs: int = 3) -> list[dict[str, Any]]:
    """Answers of a model whose runs vary as a whole: right in 60 %, with a spread of 8 points."""
    luck = np.clip(draws.normal(0.6, 0.08, epochs), 0, 1)
    right = draws.random((items, epochs)) < luck
    return [
        {"id": i, "epoch": e, "correct": int(right[i, e])}
        for i in range(items)
        for e in range(epochs)
    ]


def test_two_equal_models_are_rarely_told_apart_though_their_runs_vary() -> None:
    """Averages over these answers tell them apart far too often."""
    draws = np.random.default_rng(26)
    alarms = {"scores": 0, "scores:answers=mean": 0}
    trials = 60
    for _ in range(trials):
        systems = {"a": runs_of(draws), "b": runs_of(draws)}
        for metric in alarms:
            result = truebleu.compare(systems, metrics=metric, replicates=100)
            alarms[metric] += result.comparisons[0].p <= 0.05
    assert alarms["scores"] / trials <= 0.09, alarms
    assert alarms["scores:answers=mean"] / trials >= 0.2, alarms


def test_a_missing_score_is_an_error_and_never_0() -> None:
    systems = {"old": rows(OLD), "new": [row for row in rows(NEW) if row["id"] != "q2"]}
    with pytest.raises(CorpusError, match=r"no score of item q2; expected .*missing=common"):
        compared(ItemScores.of(systems))
    common = compared(ItemScores.of(systems), metrics=["scores:missing=common"])
    assert common.difference == pytest.approx(20 / 59 - 40 / 59)


def test_only_common_items_are_compared_if_common_ones_are_requested() -> None:
    def common(systems: Any, first: int = 0) -> Any:
        documents = [f"d{i // 2}" for i in range(first, first + len(systems["old"]))]
        how: Any = {"metrics": ["scores:missing=common"], "replicates": 100}
        return truebleu.compare(systems, documents=documents, **how)

    systems = {"old": [*OLD[:-1], None], "new": [None, *NEW[1:]]}
    result = common(systems)
    assert (result.test_set.segments, result.test_set.documents) == (58, 30)
    only = common({name: row[1:-1] for name, row in systems.items()}, first=1)
    assert result.comparisons[0].interval == only.comparisons[0].interval
    omitted = truebleu.compare(systems, metrics=["scores:missing=omit"], replicates=100)
    assert omitted.test_set.segments == 60


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({"old": OLD, "new": NEW[:-1]}, "59 segments"),
        ({"old": OLD, "new": rows(NEW)}, "items with names"),
        ({"old": []}, "old"),
        ({}, "systems"),
    ],
)
def test_items_that_do_not_pair_are_rejected(systems: dict[str, Any], message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        ItemScores.of(systems)


def test_metrics_that_need_texts_are_refused() -> None:
    with pytest.raises(SettingError, match="texts and references, which BLEU needs"):
        compared(ItemScores.of({"old": OLD, "new": NEW}), metrics=["bleu"])


def test_scores_with_texts_need_a_file() -> None:
    with pytest.raises(SettingError, match="systems that are such files"):
        truebleu.score({"a": ["x"]}, ["x"], ["scores"])
    with pytest.raises(SettingError, match="a file of scores per SYSTEM"):
        GivenScores(path="scores.tsv", answers="pass@2")


def test_gate_plan_and_explain_take_items(tmp_path: Path) -> None:
    paths = [saved(tmp_path / "new.jsonl", rows(NEW)), saved(tmp_path / "old.jsonl", rows(OLD))]
    scored = ItemScores.read(paths, documents="passage")
    assert truebleu.gate(scored, baseline="old", replicates=200).passed
    reverse = ItemScores.read(paths[::-1])
    assert not truebleu.gate(reverse, baseline="new", replicates=200).passed
    assert truebleu.plan(reverse, difference=0.1)
    explained = truebleu.explain(scored, replicates=200)
    assert sum(explained.pairs[0].segments) == pytest.approx(1 / 3)


def test_the_fingerprint_is_of_the_items_and_not_of_their_scores() -> None:
    first, second, shorter = (
        truebleu.count({"a": rows(scores)}).fingerprints for scores in (OLD, NEW, OLD[:-1])
    )
    assert first == second
    assert first.references != shorter.references
    assert first.lengths == (1,) * 60


def test_a_ledger_knows_common_items_again(tmp_path: Path) -> None:
    better = [*NEW[:-1], 1.0]
    looks = [
        truebleu.gate(
            {"old": rows(OLD), "new": [row for row in rows(new) if row["id"] != "q2"]},
            metrics="scores:missing=common",
            baseline="old",
            replicates=200,
            ledger=str(tmp_path / "looks.db"),
            looks=5,
        ).look
        for new in (NEW, better)
    ]
    assert [look.number for look in looks if look is not None] == [1, 2]


def harness(scores: dict[str, Any], **changes: Any) -> list[dict[str, Any]]:
    return [
        {
            "doc_id": number,
            "doc": {"topic": "x"},
            "target": f"the cat sat on mat {number}",
            "filtered_resps": [f"a cat sat on mat {number}"],
            "filter": "none",
            "metrics": list(scores),
            "doc_hash": f"hash {number}",
            **scores,
            **changes,
        }
        for number in range(3)
    ]


def test_texts_in_place_of_scores_are_scored(tmp_path: Path) -> None:
    records = harness({"bleu": ["reference", "output"]})
    path = saved(tmp_path / "m.jsonl", records)
    test_set = read_evaluated_texts([path], "topic")
    assert test_set is not None
    assert test_set.documents == ("x",) * 3
    found = truebleu.score(test_set, metrics=["bleu"])["m"]["BLEU"]
    outputs, references = (
        [record[key] if key == "target" else record[key][0] for record in records]
        for key in ("filtered_resps", "target")
    )
    assert found == truebleu.score(outputs, references)["system"]["BLEU"]
    with pytest.raises(CorpusError, match="bleu as a list"):
        truebleu.count(ItemScores.read([path]))


def test_documents_must_have_the_same_text_in_all_files(tmp_path: Path) -> None:
    paths = [
        saved(tmp_path / "a.jsonl", harness({"acc": 1})),
        saved(tmp_path / "b.jsonl", harness({"acc": 1}, doc_hash="other")),
    ]
    with pytest.raises(CorpusError, match="line 1: another text of item 0"):
        ItemScores.read(paths)


def test_files_of_other_scores_do_not_go_together(tmp_path: Path) -> None:
    paths = [
        saved(tmp_path / "a.jsonl", harness({"acc": 1})),
        saved(tmp_path / "b.jsonl", harness({"f1": 1})),
    ]
    with pytest.raises(CorpusError, match="scores by f1; expected acc"):
        compared(ItemScores.read(paths))


def test_epochs_of_an_archive_are_runs_and_metadata_clusters() -> None:
    recorded = Path(__file__).parent / "formats_llm" / "recorded" / "inspect.eval"
    outline = ItemScores.read([f"a={recorded}"], documents="passage").outline(by_runs=True)
    assert outline.systems == ("a.run1", "a.run2")
    assert outline.documents == ("p0", "p0", "p1")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_data_frame_has_all_systems_or_each_has_one(library: str) -> None:
    make = pytest.importorskip(library).DataFrame
    columns: dict[str, list[Any]] = {"id": ["q1", "q2"], "score": [1.0, 0.0], "passage": ["x", "y"]}
    both = {name: values * 2 for name, values in columns.items()}
    scored = ItemScores.of(make({"model": ["a", "a", "b", "b"], **both}), documents="passage")
    assert (list(scored.systems), scored.documents) == (["a", "b"], ("x", "y"))
    other = ItemScores.of({"a": make(columns), "b": make(columns)}, documents="passage")
    assert (list(other.systems), other.documents) == (["a", "b"], ("x", "y"))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ({"filtered_resps": [1]}, "line 3: no text as the output of item 2"),
        ({"target": None}, "line 3: no target of item 2"),
        ({"doc_id": None}, "line 3: doc_id None"),
        ({"metrics": 1}, "line 3: no scores"),
        ({"doc_id": 1}, "line 3: item 1 (none) of m again"),
    ],
)
def test_damaged_samples_are_refused_with_their_line(
    tmp_path: Path, damage: dict[str, Any], message: str
) -> None:
    records = harness({"bleu": ["reference", "output"]})
    path = saved(tmp_path / "m.jsonl", [*records[:2], {**records[2], **damage}])
    with pytest.raises(CorpusError) as refusal:
        read_evaluated_texts([path], None)
    assert str(refusal.value).startswith(f"{path}: {message}")


def test_samples_mixed_with_other_files_are_rejected(tmp_path: Path) -> None:
    path = saved(tmp_path / "m.jsonl", harness({"bleu": ["reference", "output"]}))
    other = tmp_path / "texts.txt"
    other.write_text("a cat\n")
    with pytest.raises(CorpusError, match=r"texts\.txt: no outputs; expected an eval"):
        read_evaluated_texts([path, str(other)], None)
    assert read_evaluated_texts([str(other)], None) is None


# Benchmarks, for panels.


def test_a_folder_of_the_harness_has_a_benchmark_for_each_task(tmp_path: Path) -> None:
    for model in ("a", "b"):
        (tmp_path / model).mkdir()
        for task, metric in (("arc", "acc"), ("sums", "exact_match")):
            name = f"samples_{task}_2026-01-01T00-00-00.000000.jsonl"
            saved(tmp_path / model / name, harness({metric: 1.0}))
        (tmp_path / model / "results_2026-01-01T00-00-00.json").write_text("{}")
    sets = read_benchmarks([str(tmp_path)], documents="topic")
    assert {name: list(one.systems) for name, one in sets.items()} == {
        "arc": ["a", "b"],
        "sums": ["a", "b"],
    }
    assert sets["arc"].documents == ("x",) * 3
    with pytest.raises(SettingError, match="test set sums: 'exact_match'; expected acc"):
        truebleu.panel(sets, ["scores"], replicates=100)
    panel_ = truebleu.panel(sets, ["scores:column=acc/exact_match,name=right"], replicates=100)
    assert [row.score for row in panel_.systems] == [1.0, 1.0]


def test_folders_and_columns_tell_benchmarks_apart(tmp_path: Path) -> None:
    for folder in ("arc", "sums"):
        (tmp_path / folder).mkdir()
        for system in ("a", "b"):
            (tmp_path / folder / f"{system}.csv").write_text("id,score,topic\nq1,1,x\nq2,0,y\n")
    by_folder = read_benchmarks([str(tmp_path / "arc"), str(tmp_path / "sums")])
    rows = [f"{bench},{system},q1,1\n" for bench in ("arc", "sums") for system in ("a", "b")]
    (tmp_path / "all.csv").write_text("benchmark,model,id,score\n" + "".join(rows))
    by_column = read_benchmarks([str(tmp_path / "all.csv")])
    for sets in (by_folder, by_column):
        assert {name: list(one.systems) for name, one in sets.items()} == {
            "arc": ["a", "b"],
            "sums": ["a", "b"],
        }
    with pytest.raises(SettingError, match="documents: 'passage'; expected a field"):
        read_benchmarks([str(tmp_path / "all.csv")], documents="passage")
    with pytest.raises(
        CorpusError, match=r"a on arc again; expected each model once; it is also in"
    ):
        read_benchmarks([str(tmp_path / "arc"), str(tmp_path / "all.csv")])
    (tmp_path / "none").mkdir()
    with pytest.raises(CorpusError, match="none"):
        read_benchmarks([str(tmp_path / "none")])


@pytest.mark.parametrize("way", ["pass", "pass@0", "pass@x", "best", "pass@-1"])
def test_ways_with_answers_have_names(way: str) -> None:
    with pytest.raises(UnknownNameError, match="mean"):
        GivenScores(answers=way)
    with pytest.raises(UnknownNameError, match="mean"):
        ItemScores.of({"a": [1.0]}, answers=way)


def test_each_benchmark_of_a_panel_has_its_own_filter(tmp_path: Path) -> None:
    date = "2026-01-01T00-00-00.000000"
    filters = {"gsm": ("strict-match", "flexible-extract"), "arc": ("none",), "code": ("b", "a")}
    for model in "ab":
        (tmp_path / model).mkdir()
        for task, names in filters.items():
            lines = [
                {**record, "filter": name, "acc": place}
                for place, name in enumerate(names)
                for record in harness({"acc": 0})
            ]
            saved(tmp_path / model / f"samples_{task}_{date}.jsonl", lines)

    def chosen(**settings: Any) -> dict[str, str]:
        sets = read_benchmarks([str(tmp_path)], **settings)
        return {name: scored.evaluations[0].items[0].filter for name, scored in sets.items()}

    assert chosen() == {"arc": "none", "code": "b", "gsm": "strict-match"}
    assert chosen(filters="flexible-extract/none/a") == {
        "arc": "none",
        "code": "a",
        "gsm": "flexible-extract",
    }
    with pytest.raises(CorpusError, match="no filter 'x'"):
        chosen(filters="x")
    file = tmp_path / "a" / f"samples_gsm_{date}.jsonl"
    (scored,) = read_benchmarks([f"{file}#flexible-extract"]).values()
    assert {item.filter for item in scored.evaluations[0].items} == {"flexible-extract"}
    done = shell.run("panel", str(tmp_path), "-m", "scores", "-q")
    assert done.code == 0, done.err
