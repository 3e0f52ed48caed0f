"""Folders as HELM and lighteval leave them, compared without options; the numbers are by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli import shell
from tests.scores.formats.files import written

if TYPE_CHECKING:
    from pathlib import Path

#: Scores of four items; the means are 0.75 and 0.4, the difference is 0.35.
FIRST, SECOND = [1.0, 0.5, 1.0, 0.5], [0.2, 0.4, 1.0, 0.0]


def compared(*paths: str) -> dict[str, Any]:
    """The one comparison that a command without options makes of these folders."""
    done = shell.run("compare", *paths, "-f", "json", "-q")
    assert done.code == 0, done.err
    result = json.loads(done.out)
    (pair,) = result["comparisons"]
    assert result["test_set"]["segments"] == 4
    means = {
        system["name"]: score["score"]
        for system in result["systems"]
        for score in system["scores"].values()
    }
    (metric,) = result["metrics"]
    return {"pair": pair, "means": means, "higher": metric["higher_is_better"]}


def stat(name: str, mean: float) -> dict[str, Any]:
    return {"name": {"name": name, "split": "test"}, "count": 1, "sum": mean, "mean": mean}


def helm_run(root: Path, model: str, scores: list[float], trials: int = 1) -> str:
    """A run of HELM: each metric class has an entry of its own for every instance and trial."""
    folder = f"runs/v1/quiz:task=qa,model={model.replace('/', '_')}"
    keys = [(f"id{n}", trial, score) for n, score in enumerate(scores) for trial in range(trials)]
    entries = [
        {"instance_id": item, "train_trial_index": trial, "stats": [each]}
        for item, trial, score in keys
        # Trials move a score up and down; its mean over them stays what it is.
        for each in (
            stat("f1_score", score + 0.1 * (trial - (trials - 1) / 2)),
            stat("num_prompt_tokens", 40.0),
        )
    ]
    written(root, f"{folder}/per_instance_stats.json", json.dumps(entries))
    # One number of the whole run, and the predictions for the web page with the same scores.
    written(root, f"{folder}/stats.json", json.dumps([stat("f1_score", 0.9)]))
    shown = [
        {"instance_id": item, "train_trial_index": trial, "stats": {"f1_score": score}}
        for item, trial, score in keys
    ]
    written(root, f"{folder}/display_predictions.json", json.dumps(shown))
    about = {"name": folder.rsplit("/", 1)[1], "adapter_spec": {"model": model}}
    written(root, f"{folder}/run_spec.json", json.dumps(about))
    return str(root / folder)


@pytest.mark.parametrize("whole", [True, False])
def test_a_folder_of_helm_is_read_by_its_item_scores(tmp_path: Path, *, whole: bool) -> None:
    folders = [
        helm_run(tmp_path, "openai/one", FIRST),
        helm_run(tmp_path, "openai/two", SECOND),
    ]
    found = compared(*([str(tmp_path)] if whole else folders))
    assert found["means"] == pytest.approx({"openai/one": 0.75, "openai/two": 0.4})
    assert abs(found["pair"]["difference"]) == pytest.approx(0.35)
    assert found["higher"] is True


def test_trials_of_helm_are_runs_and_not_items(tmp_path: Path) -> None:
    helm_run(tmp_path, "one", FIRST, trials=3)
    helm_run(tmp_path, "two", SECOND, trials=3)
    done = shell.run("compare", str(tmp_path), "-q")
    assert done.code == 0, done.err
    assert "about further runs" in done.out
    assert "differ by 0.3500" in done.out


def lighteval_run(
    root: Path, model: str, date: str, scores: list[float], *, higher: bool = True
) -> str:
    """A model's details in Parquet, items in another order, and its results beside them."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [
        {
            "doc": {"id": str(item), "query": f"question {item}", "task_name": "quiz|0"},
            "metric": {"error": score},
            "model_response": {"text": ["an answer"]},
        }
        for item, score in enumerate(scores)
    ]
    file = root / f"details/{model}/{date}/details_quiz|0_{date}.parquet"
    file.parent.mkdir(parents=True)
    parquet.write_table(arrow.Table.from_pylist(rows[::-1]), file)
    results = {
        "config_general": {"model_name": model},
        "results": {"quiz|0": {"error": 0.9}, "all": {"error": 0.9}},
        "config_tasks": {
            "quiz|0": {"metrics": [{"metric_name": "error", "higher_is_better": higher}]}
        },
    }
    written(root, f"results/{model}/results_{date}.json", json.dumps(results))
    return str(file.parents[1])


@pytest.mark.parametrize("whole", [True, False])
def test_a_folder_of_lighteval_is_read_by_its_details(tmp_path: Path, *, whole: bool) -> None:
    folders = [
        lighteval_run(tmp_path, "org/one", "2026-02-03T10-11-12.000001", FIRST, higher=False),
        lighteval_run(tmp_path, "org/two", "2026-02-04T10-11-12.000001", SECOND, higher=False),
    ]
    found = compared(*([str(tmp_path / "details")] if whole else folders))
    assert found["means"] == pytest.approx({"org/one": 0.75, "org/two": 0.4})
    assert abs(found["pair"]["difference"]) == pytest.approx(0.35)
    # As the results say, which are in a folder of their own.
    assert found["higher"] is False
