"""``truebleu study`` as a shell meets it: every study is a command made from its signature."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import split
from typing import Any

import pytest

import truebleu.studies
from tests.cli.shell import answer, refuses, run, says
from tests.cli.texts import save_judged, save_texts
from truebleu.cli.study import STUDIES
from truebleu.simulation.decoder import main as decode
from truebleu.studies.paper import PAPERS

TEXTS = "system-1.txt system-2.txt -r reference-1.txt"
TRIALS = "--replicates 50 --sizes 10,20 --samples 6"
LISTS = "--simulate 12 --replicates 50"
# By study: options that make it quick.
QUICK = {
    "sampling": f"{TEXTS} --independent 100 --sizes 8,16",
    "coverage": f"{TEXTS} {TRIALS} -m bleu ter",
    "power": f"{TEXTS} {TRIALS} --tests ar,wins",
    "accuracy": f"{TEXTS} {TRIALS} --tests wins",
    "test-size": f"{TEXTS} --samples 3 --replicates 100 --shares 0.25,0.5,1",
    "references": f"{TEXTS} -r reference-2.txt --samples 2 --replicates 100 --shares 0.5,0.75,1",
    "replicates": f"{TEXTS} --replicates 100,200 --repetitions 5",
    "sensitivity": f"{TEXTS} -m bleu ter --replicates 200",
    "type-one": f"{TEXTS} --repetitions 50 --replicates 199 --tests ar,bootstrap",
    "multiplicity": f"{TEXTS} --repetitions 50 --replicates 199 --together 2",
    "equivalents": f"{TEXTS} --replicates 99 -m nist",
    "length": f"{TEXTS} --lengths 0.5,1.2",
    "smoothing": f"{TEXTS} system-3.txt --human human.tsv --replicates 100 --permutations 50",
    "tuning": f"{LISTS} --smoothings 0,2 --repeats 2 --epochs 3 --replicates 100",
    "reranking": f"{LISTS} --ngrams 1 --folds 2",
}
# The columns by which the rows of each study are told from one another.
KEYS = {
    "sampling": ("metric", "size", "of"),
    "coverage": ("metric", "size"),
    "power": ("metric", "test", "better", "worse", "size"),
    "accuracy": ("metric", "test", "band"),
    "test-size": ("metric", "system", "share"),
    "references": ("metric", "references", "share"),
    "replicates": ("metric", "system", "replicates"),
    "sensitivity": ("metric", "size", "test", "correction"),
    "type-one": ("metric", "test", "alpha"),
    "multiplicity": ("metric", "systems", "correction"),
    "equivalents": ("metric", "a", "b", "test"),
    "length": ("metric", "kept"),
    "smoothing": ("smoothing",),
    "tuning": ("tuner",),
    "reranking": ("metric",),
}


def save(folder: Path) -> None:
    """Systems with three references and documents, and in a folder of their own judged ones."""
    save_texts(folder)
    (folder / "judged").mkdir()
    save_judged(folder / "judged")


@pytest.fixture(autouse=True)
def folder(texts_folder: Path) -> Path:
    return texts_folder


def arguments(name: str, *more: str, monkeypatch: pytest.MonkeyPatch | None = None) -> list[str]:
    if name == "smoothing" and monkeypatch is not None:
        monkeypatch.chdir("judged")
    return ["study", name, *split(QUICK[name]), *more]


def test_every_study_is_a_command() -> None:
    functions = {f"study_{name.replace('-', '_')}" for name in STUDIES}
    of_papers = {"PaperResult", "study_paper"}
    assert functions | {"StudyResult"} | of_papers == set(dir(truebleu.studies))
    assert set(STUDIES) == set(QUICK) == set(KEYS)


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_a_study_answers_with_rows_sentences_and_a_chart(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = arguments(name, monkeypatch=monkeypatch)
    values = answer(*command)
    assert values["study"] == values["settings"]["study"] == name
    keys = [tuple(row[key] for key in KEYS[name]) for row in values["rows"]]
    assert len(set(keys)) == len(keys) > 0
    text = run(*command, "--chart", "chart.json", "--force")
    assert (text.code, text.err) == (0, "")
    assert " ".join(values["sentences"]) in " ".join(text.out.split())
    assert json.loads(Path("chart.json").read_text("utf-8"))["$schema"].startswith("https://vega")
    table = run(*command, "--format", "tsv").out.splitlines()
    assert len([line for line in table if not line.startswith("#")]) == 1 + len(keys)


@pytest.mark.parametrize("name", STUDIES)
def test_help_has_what_the_function_says_and_the_study_and_its_options(name: str) -> None:
    text = " ".join(run("study", name, "--help").out.split())
    function = getattr(truebleu.studies, f"study_{name.replace('-', '_')}")
    assert " ".join(function.__doc__.splitlines()[0].split()) in text
    assert ">>>" not in text
    assert "--resume FILE" in text


def test_the_default_metrics_are_the_metrics_of_the_paper() -> None:
    assert "[default: bleu, gtm]" in " ".join(run("study", "length", "--help").out.split())
    rows = answer("study", "sensitivity", *split(TEXTS), "--replicates", "200")["rows"]
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    assert metrics == ["BLEU", "NIST", "M-BLEU", "chrF2", "TER"]


def test_values_between_commas_reach_the_study() -> None:
    assert answer(*arguments("power"))["settings"]["tests"] == ["ar", "wins"]
    assert answer(*arguments("test-size"))["settings"]["sizes"] == [20, 40, 80]
    usual = answer("study", "type-one", "--simulate", "20", "--repetitions", "50")
    assert usual["settings"]["alphas"] == [0.01, 0.05, 0.1]


def test_pairs_are_of_a_kind() -> None:
    pairs: dict[str, Any] = {
        options: answer("study", "power", "--simulate", "60", *split(f"{TRIALS} {options}"))
        for options in ("", "--pairs neighbours", "--pairs all")
    }
    assert [len(result["settings"]["pairs"]) for result in pairs.values()] == [7, 4, 10]


def test_documents_are_units() -> None:
    documents = ("--documents", "documents.tsv", "--unit", "document")
    values = answer("study", "coverage", *split(TEXTS), *documents, "--sizes", "2")
    assert values["settings"]["unit"] == values["settings"]["pool"]["unit"] == "document"
    claim = "outputs swapped by document, tested by document"
    says(claim, *arguments("type-one", *documents, "--null", "document"))


def test_other_tables_and_ways_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    systems = answer(*arguments("sensitivity"))["details"]["systems"]
    assert [row["system"] for row in systems] == ["system-1", "system-2"] * 2
    monkeypatch.chdir("judged")
    command = arguments("smoothing", "--tokenize", "none")
    values = answer(*("pairs.csv" if part == "human.tsv" else part for part in command))
    assert values["rows"][0]["tau"] is None
    assert "|tok:none|" in values["settings"]["pool"]["metrics"][0]["signature"]


def test_threads_and_processes_change_no_digit() -> None:
    whole = run(*arguments("power"))
    for where in (["--threads", "2"], ["--processes", "2"]):
        assert run(*arguments("power", *where)) == whole


@pytest.mark.parametrize("name", ["power", "tuning"])
def test_a_journal_is_gone_on_with_and_never_drawn_over(name: str, folder: Path) -> None:
    journal = folder / f"{name}.svg"
    command = arguments(name, "--resume", journal.name, "-f", "json")
    first = run(*command)
    content = journal.read_bytes()
    journal.write_bytes(content[:-5])
    resumed = run(*command)
    assert (resumed.code, resumed.out) == (0, first.out)
    assert journal.read_bytes() == content
    refuses(journal.name, *command, "--chart", journal.name, "--force")
    assert journal.read_bytes() == content


@pytest.mark.slow
def test_lists_of_files_can_be_studied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("w.tsv").write_text("forward\t1\n")
    decode(["w.tsv", "lists", "--segments", "10", "--size", "5"])
    decode(["--reference", "ref", "--segments", "10"])
    test = (
        "--test-lists",
        "lists",
        "--test-reference",
        "ref",
        "--smoothings",
        "0",
        "--repeats",
        "1",
    )
    few = ("--replicates", "50")
    tuned = answer("study", "tuning", "lists", "-r", "ref", *test, *few)
    assert [row["tuner"] for row in tuned["rows"]] == ["0", "mira", "mert"]
    reranked = answer("study", "reranking", "lists", "-r", "ref", "-m", "nist", "bleu", *few)
    assert [row["metric"] for row in reranked["rows"]] == ["NIST", "BLEU"]
    assert "requires --simulate" in run("study", "tuning", "lists", *test, "--rounds", "2").err


def test_a_paper_becomes_a_page_with_charts_and_is_resumed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sections = [s | {"options": {"sizes": [8]}} for s in PAPERS["koehn2004"]["sections"][2:3]]
    monkeypatch.setitem(PAPERS, "koehn2004", PAPERS["koehn2004"] | {"sections": sections})
    command = ("study", "paper", "koehn2004", *split(TEXTS), "--resume", "kept.jsonl")
    result = run(*command, "-o", "koehn.html")
    assert (result.code, result.out) == (0, "")
    page = (folder / "koehn.html").read_text("utf-8")
    assert page.startswith('<!DOCTYPE html>\n<meta charset="UTF-8">\n<title>koehn2004</title>')
    assert "Figs. 2 and 3: scores on blocks" in page
    assert 'src="data:image/svg+xml;base64,' in page
    kept = (folder / "kept-1.jsonl").read_bytes()
    assert "Figs. 2 and 3" in run(*command).out
    assert (folder / "kept-1.jsonl").read_bytes() == kept
    refuses("koehn.html exists", *command, "-o", "koehn.html")


def test_sections_about_systems_need_systems() -> None:
    refuses("--human", "study", "paper", "koehn2004", "--human", "human.tsv")
    refuses("unknown paper 'koehn'", "study", "paper", "koehn")


# By study: what is refused beside the options above, and how.
REFUSED: dict[str, dict[str, str]] = {
    "sampling": {
        "--sizes 81": "size: 81; expected at most 80, the size of the pool",
        "--samples 2": "samples: 2",
        "--pairs some": "Invalid value for '--pairs'",
    },
    "coverage": {
        "--sizes 40 --sampling systematic": "expected at most 16 for 5 systematic samples",
        "--replicates 20": "replicates: 20; expected at least 40",
        "--level 0.05": "did you mean 0.95?",
        "--unit document": "unit: 'document'; expected a test set with",
    },
    "power": {
        "--level 0.999": "replicates: 50; expected at least 999",
        "--seed -1": "seed: -1",
    },
    "test-size": {
        "--shares 0.01,0.5,1": "at least 5 segments",
        "--shares 0.5,1": "at least 3",
        "--shares 50,75,100": "shares: 50.0; expected a number above 0 and up to 1",
        "-m nosuch": "unknown metric 'nosuch'",
    },
    "references": {"--samples 1": "samples: 1"},
    "replicates": {
        "--replicates 10,100": "replicates: 10; expected at least 40",
        "--enough 2": "enough: 2.0",
    },
    "sensitivity": {"--sizes 20 --samples 1": "samples: 1", "--samples 5": "(--sizes)"},
    "type-one": {
        "--null document": "null: 'document'; expected a test set with",
        "--repetitions 9": "repetitions: 9",
        "--alphas nan": "alphas: nan",
    },
    "multiplicity": {"--together 2,9": "together: 9"},
    "length": {"--lengths 0": "lengths: 0.0"},
    "tuning": {"--smoothings 1": "0 and other smoothings, each once"},
}
CASES = [
    pytest.param(name, options, claim, id=f"{name} {options}")
    for name, refused in REFUSED.items()
    for options, claim in refused.items()
]


@pytest.mark.parametrize(("name", "options", "claim"), CASES)
def test_studies_without_a_possible_result_are_rejected(
    name: str, options: str, claim: str, tmp_path: Path
) -> None:
    journal = tmp_path / "never.jsonl"
    refuses(claim, *arguments(name, *split(options), "--resume", str(journal)))
    assert not journal.exists()


@pytest.mark.parametrize(
    ("command", "claim"),
    [
        ("power --sizes many", "Invalid value for '--sizes': 'many' is not a valid integer"),
        ("power --tests ar,as", "Invalid value for '--tests': 'as' is not one of"),
        ("power --simulate 60 --documents d", "--documents excludes --simulate"),
        ("power --simulate 60 -s source", "--source excludes --simulate"),
        ("power", "SYSTEM: 'none'; expected at least one output, or --simulate N"),
        ("power system-1.txt", "reference: 'none'; expected a reference (-r FILE)"),
        ("power system-1.txt -r reference-1.txt", "systems: 1; expected at least 2"),
        ("smoothing system-1.txt -r reference-1.txt", "Give the human scores with --human FILE"),
        ("smoothing system-1.txt --simulate 9", "No such option"),
        ("tuning", "LISTS: 'none'; expected lists and their references"),
        ("tuning lists --simulate 3", "lists excludes --simulate"),
        ("reranking --simulate 3 -r x", "--reference excludes --simulate"),
        ("powr", "Did you mean 'power'?"),
        ("length --simulate 20 --seed 1", "No such option"),
    ],
)
def test_conflicting_options_are_rejected(command: str, claim: str) -> None:
    result = run("study", *split(command))
    assert (result.code, result.out) == (2, "")
    assert claim in result.err
