"""Small files as evaluation tools write them, with the right answers (shared/golden/formats)."""

from __future__ import annotations

import contextlib
import json
import random
from pathlib import Path
from typing import Any

import pytest

import truebleu
from tests.cli import shell
from truebleu.errors import CorpusError, TruebleuError
from truebleu.scores import ItemScores, read_benchmarks

#: Each tool, a pattern of its files or folders, and which of the right answers they have.
FILES = [
    ("promptfoo", "out.json", 0),
    ("promptfoo", "out.jsonl", 0),
    ("promptfoo", "out.csv", 0),
    ("deepeval", "*/.deepeval/.latest_test_run.json", 0),
    ("deepeval", "results/*.json", 0),
    ("openai-evals", "*.jsonl", 0),
    ("helm", "**/per_instance_stats.json", 0),
    ("helm", "**/display_predictions.json", 0),
    ("lighteval", "details/**/*.parquet", 0),
    ("wmt25", "data/automatic_scores/*.jsonl", 0),
    ("hf-evaluate", "*.json", 0),
    ("bert-score", "*a.txt", 0),
    ("comet", "stdout.txt", 0),
    ("comet", "scores.json", 0),
    ("metricx", "all-systems.jsonl", 0),
    ("metricx", "*a.jsonl", 0),
    ("pymarian", "*.txt", 0),
    ("lm-eval", "*/samples_*.jsonl", 0),
    ("inspect", "*.eval", 0),
    ("helm", "benchmark_output", 0),
    ("helm", "benchmark_output/runs/v1/*", 0),
    ("lighteval", "details", 0),
    ("lighteval", "details/org/*", 0),
    ("lm-eval", "org__*", 0),
    ("deepeval", "results", 0),
    ("wmt25", "data/automatic_scores", 0),
    ("mt-metrics-eval", "tiny26/metric-scores/en-xx/MetricY-refA.seg.score", 1),
]


def files_of(shared: Path, tool: str, pattern: str) -> list[str]:
    folder = shared / "golden" / "formats" / tool
    paths = sorted(path for path in folder.glob(pattern) if path.name != "expected.json")
    assert paths, (tool, pattern)
    return list(map(str, paths))


@pytest.mark.parametrize(("tool", "pattern", "which"), FILES)
def test_a_comparison_without_options_has_the_right_answer(
    shared: Path, tool: str, pattern: str, which: int
) -> None:
    files = files_of(shared, tool, pattern)
    done = shell.run("compare", *files, "-f", "json", "-q")
    assert done.code == 0, done.err
    result = json.loads(done.out)
    text = (shared / "golden" / "formats" / tool / "expected.json").read_text()
    expected: dict[str, Any] = json.loads(text)[which]
    names = list(expected["systems"])
    means = {
        system["name"]: next(iter(system["scores"].values()))["score"]
        for system in result["systems"]
    }
    for name in names:
        assert means[name] == pytest.approx(expected["systems"][name]["mean_over_items"])
    (pair,) = (p for p in result["comparisons"] if {p["a"], p["b"]} == set(names))
    sign = 1 if pair["a"] == names[0] else -1
    assert sign * pair["difference"] == pytest.approx(expected["paired"]["mean"])
    (metric,) = result["metrics"]
    assert metric["higher_is_better"] is (expected["direction"] == "higher")


@pytest.mark.parametrize(
    ("tool", "folder", "benchmark"),
    [
        ("helm", "benchmark_output", "six:task=qa"),
        ("lighteval", "details", "six|0"),
        ("deepeval", "results", "results"),
        ("wmt25", "data/automatic_scores", "en-xx_XX"),
    ],
)
def test_a_folder_of_a_tool_is_a_panel(
    shared: Path, tool: str, folder: str, benchmark: str
) -> None:
    sets = read_benchmarks([str(shared / "golden" / "formats" / tool / folder)])
    assert list(sets) == [benchmark]
    assert [len(scored.systems) for scored in sets.values()] == [2]


def test_documents_are_the_unit_where_the_tool_has_them(shared: Path) -> None:
    files = files_of(shared, "wmt25", "data/automatic_scores/*.jsonl")
    scored = ItemScores.read(files)
    assert scored.documents == ("d1", "d1", "d2", "d3", "d3", "d3")
    metric = "scores:column=MetricX-24-Hybrid-XL"
    (pair,) = truebleu.compare(scored, metrics=metric).comparisons
    assert pair.difference == pytest.approx(1.0)


def test_scores_of_systems_alone_are_refused(shared: Path, tmp_path: Path) -> None:
    (path,) = files_of(shared, "comet", "only-system.txt")
    with pytest.raises(CorpusError, match=r"expected the scores of its segments: comet-score with"):
        ItemScores.read([path])
    (alpha, _) = files_of(shared, "bert-score", "*a.txt")
    with open(alpha) as file:
        (tmp_path / "means.txt").write_text(file.readline())
    with pytest.raises(CorpusError, match="scores of segments: bert-score -s"):
        ItemScores.read([tmp_path / "means.txt"])
    saved = {"accuracy": 0.5, "_evaluate_version": "0.4.6"}
    (tmp_path / "saved.json").write_text(json.dumps(saved))
    with pytest.raises(CorpusError, match="only corpus scores; expected a list"):
        ItemScores.read([tmp_path / "saved.json"])


def test_an_error_is_missing_and_a_failed_assertion_a_low_score(
    shared: Path, tmp_path: Path
) -> None:
    (path,) = files_of(shared, "promptfoo", "out.jsonl")
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    rows[0] |= {"failureReason": 2, "score": 0, "namedScores": {}}
    (tmp_path / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(CorpusError, match="no score of item"):
        truebleu.compare(ItemScores.read([tmp_path / "out.jsonl"]))


def test_other_datasets_and_other_settings_do_not_pair(shared: Path, tmp_path: Path) -> None:
    alpha, beta = files_of(shared, "bert-score", "*a.txt")
    with open(beta) as file:
        (tmp_path / "beta.txt").write_text(file.read().replace("L17", "L18"))
    with pytest.raises(CorpusError, match=r"items of .*L18_no-idf.*; expected .*L17"):
        ItemScores.read([alpha, tmp_path / "beta.txt"])
    log = {"model": "m", "task": "quiz", "dataset": {"name": "test"}}
    sample = {"id": 1, "epoch": 1, "target": "t", "scores": {"match": {"value": 1}}}
    paths = [tmp_path / f"{name}.json" for name in ("test", "train")]
    for path in paths:
        about = {**log, "model": path.stem, "dataset": {"name": path.stem}}
        path.write_text(json.dumps({"eval": about, "samples": [sample]}))
    with pytest.raises(CorpusError, match="items of train; expected test"):
        ItemScores.read(paths)


def test_promptfoo_repeats_are_runs(shared: Path, tmp_path: Path) -> None:
    (path,) = files_of(shared, "promptfoo", "out.jsonl")
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    rows += [{**row, "testIdx": row["testIdx"] + 6} for row in rows]
    (tmp_path / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    runs = ItemScores.read([tmp_path / "out.jsonl"]).outline(by_runs=True).runs
    assert runs == {"alpha": ("alpha.run1", "alpha.run2"), "beta": ("beta.run1", "beta.run2")}


def test_a_metric_of_deepeval_that_passes_below_its_threshold_is_lower(
    shared: Path, tmp_path: Path
) -> None:
    (path, _) = files_of(shared, "deepeval", "results/*.json")
    with open(path) as file:
        run = json.load(file)
    for case in run["testCases"]:
        for metric in case["metricsData"]:
            metric["success"] = metric["score"] <= metric["threshold"]
    (tmp_path / "run.json").write_text(json.dumps(run))
    scores = truebleu.score(ItemScores.read([tmp_path / "run.json"]))
    assert scores.higher_is_better == {"Correctness [GEval]": False}


def test_several_metrics_of_helm_are_choices_and_accounts_are_none(tmp_path: Path) -> None:
    def stat(name: str, mean: float) -> dict[str, Any]:
        return {"name": {"name": name}, "count": 1, "mean": mean}

    entries = [
        {
            "instance_id": f"id{n}",
            "train_trial_index": 0,
            "stats": [stat("exact_match", 1), stat("f1_score", 0.5), stat("num_prompt_tokens", 9)],
        }
        for n in range(3)
    ]
    (tmp_path / "per_instance_stats.json").write_text(json.dumps(entries))
    scored = ItemScores.read([tmp_path / "per_instance_stats.json"])
    with pytest.raises(CorpusError, match="the scores exact_match, f1_score; expected one score"):
        truebleu.score(scored)
    assert truebleu.score(scored, metrics="scores:column=f1_score")
    perturbed = [{**entry, "perturbation": {"name": "typos"}} for entry in entries]
    (tmp_path / "per_instance_stats.json").write_text(json.dumps([*entries, *perturbed]))
    (evaluation,) = ItemScores.read([tmp_path / "per_instance_stats.json"]).evaluations
    assert [item.filter for item in evaluation.chosen_items()] == [""] * 3


#: What may stand in the place of any value.
JUNK: list[Any] = [None, -1, 1e308, "", "x", True, [], {}, [1], {"a": 1}, [[1]], 10**30]


def damaged(draws: random.Random, value: Any) -> Any:
    """A value with something else in one place, or with nothing there."""
    if not value or not isinstance(value, dict | list) or draws.random() < 0.15:
        return draws.choice(JUNK)
    places = list(value) if isinstance(value, dict) else list(range(len(value)))
    place = draws.choice(places)
    copy = value.copy()
    if draws.random() < 0.15:
        del copy[place]
    else:
        copy[place] = damaged(draws, value[place])
    return copy


@pytest.mark.parametrize(
    ("tool", "pattern"),
    [(tool, pattern) for tool, pattern, _ in FILES if pattern.endswith((".json", ".jsonl"))],
)
def test_whatever_is_damaged_in_a_file_is_refused_or_read(
    shared: Path, tmp_path: Path, tool: str, pattern: str
) -> None:
    text = Path(files_of(shared, tool, pattern)[0]).read_text()
    draws = random.Random(26)  # noqa: S311
    path = tmp_path / f"damaged{pattern[pattern.rindex('.') :]}"
    for _ in range(40):
        if pattern.endswith(".jsonl"):
            lines = text.splitlines()
            place = draws.choice([0, draws.randrange(len(lines))])
            lines[place] = json.dumps(damaged(draws, json.loads(lines[place])))
            path.write_text("\n".join(lines))
        else:
            path.write_text(json.dumps(damaged(draws, json.loads(text))))
        with contextlib.suppress(TruebleuError):
            truebleu.score(ItemScores.read([path]))


def test_rows_without_any_field_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[{}, {}]")
    with pytest.raises(CorpusError, match=r"a\.json"):
        ItemScores.read([tmp_path / "a.json"])
