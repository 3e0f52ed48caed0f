"""Names and texts from every door stay text in every format: markup, controls, formulas, lines.

A door is a way by which a name gets in. Each is attacked by every payload; those that it lets in
stand together in one output, by each format.
"""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.robustness.forgery import CHECKS, PAYLOADS, html, require_no_controls, xml
from truebleu import count
from truebleu.cli.main import main
from truebleu.counts import save_counts
from truebleu.reports.document import CHECK_FORMATS, FORMATS
from truebleu.scores import GivenScores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    #: Writes files with these names in them, and gives the command that reads them.
    Door = Callable[[Sequence[str]], list[str]]

SEGMENTS = 12
WORDS = "the cat sat on the mat and the dog ran to the old house"
REFERENCE = [f"{WORDS} {i}" for i in range(SEGMENTS)]
#: How every line on standard error begins.
OURS = ("error: ", "warning: ", "Usage: ", "Try ", "Error: ", "wrote ", "sacreBLEU: ")
FEW = ["--replicates", "1200"]
COMPARE = ["compare", "--replicates", "100", "--correction", "none"]


def output(number: int) -> list[str]:
    """The outputs of a system, which differ from those of the others."""
    return [
        " ".join(word for place, word in enumerate(line.split()) if (place + i * number) % 13 > 2)
        for i, line in enumerate(REFERENCE, number + 1)
    ]


def write(path: str, lines: Sequence[str]) -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="")
    return path


def write_json(path: str, records: Sequence[object]) -> str:
    return write(path, [json.dumps(record, ensure_ascii=False) for record in records])


def texts(names: Sequence[str]) -> list[str]:
    """A table with the outputs of all systems, which takes any names, and the reference."""
    rows = [
        {"system": name, "id": str(i), "text": line}
        for n, name in enumerate(names)
        for i, line in enumerate(output(n))
    ]
    write_json("ref.jsonl", [{"id": str(i), "text": line} for i, line in enumerate(REFERENCE)])
    return [write_json("long.jsonl", rows), "-r", "ref.jsonl#text"]


def reference() -> list[str]:
    return ["-r", write("ref.txt", REFERENCE)]


def plain(*arguments: str) -> list[str]:
    return [*COMPARE, write("a.txt", output(1)), write("b.txt", output(2)), *arguments]


# Names of systems.


def name_option(names: Sequence[str]) -> list[str]:
    files = [f"{name}={write(f'{n}.txt', output(n))}" for n, name in enumerate(names)]
    return [*COMPARE, *reference(), "--", *files]


def folder_of_files(names: Sequence[str]) -> list[str]:
    if any("/" in name for name in names):
        raise ValueError("a folder's name")
    # Files are read in the order of their names.
    for n, name in enumerate(sorted(names)):
        write(f"sys/{name}.txt", output(n))
    return [*COMPARE, "sys", *reference()]


def table_headings(names: Sequence[str]) -> list[str]:
    rows = zip(REFERENCE, *(output(n) for n in range(len(names))), strict=True)
    write("t.tsv", ["\t".join(row) for row in [("ref", *names), *rows]])
    return [*COMPARE, "-r", "t.tsv#ref", *(f"t.tsv#{name}" for name in names)]


def json_keys(names: Sequence[str]) -> list[str]:
    columns = [REFERENCE, *(output(n) for n in range(len(names)))]
    rows = zip(*columns, strict=True)
    write_json("t.jsonl", [dict(zip(("ref", *names), row, strict=True)) for row in rows])
    return [*COMPARE, "-r", "t.jsonl#ref", *(f"t.jsonl#{name}" for name in names)]


def long_table(names: Sequence[str]) -> list[str]:
    return [*COMPARE, *texts(names)]


def sgml_names(names: Sequence[str]) -> list[str]:
    documents = [
        f'<doc sysid="{escape(name)}" docid="d">'
        + "".join(f'<seg id="{i}">{line}</seg>' for i, line in enumerate(output(n)))
        + "</doc>"
        for n, name in enumerate(names)
    ]
    write("s.sgm", ["<tstset>", *documents, "</tstset>"])
    return [*COMPARE, "s.sgm", *reference()]


def sgml_documents(names: Sequence[str]) -> list[str]:
    """A document for each name, whose scores are shown."""
    documents = [
        f'<doc sysid="s{n}" docid="{escape(name)}"><seg id="1">{REFERENCE[0]} {n}</seg></doc>'
        for n in range(2)
        for name in names
    ]
    write("s.sgm", ["<tstset>", *documents, "</tstset>"])
    return ["compare", "s.sgm", "-r", write("ref.txt", REFERENCE[:1] * len(names)), *BY_DOCUMENT]


BY_DOCUMENT = ["--by", "document", *FEW]


def xml_names(names: Sequence[str]) -> list[str]:
    def attribute(name: str) -> str:
        return "".join(f"&#{ord(sign)};" for sign in name)

    outputs = [
        f'<hyp system="{attribute(name)}"><p>'
        + "".join(f'<seg id="{i}">{line}</seg>' for i, line in enumerate(output(n), 1))
        + "</p></hyp>"
        for n, name in enumerate(names)
    ]
    document = f'<doc id="{attribute(names[0])}">{"".join(outputs)}</doc>'
    write("s.xml", ['<?xml version="1.0"?>', f"<dataset>{document}</dataset>"])
    return [*COMPARE, "s.xml", *reference()]


def saved_counts(names: Sequence[str]) -> list[str]:
    outputs = {name: output(n) for n, name in enumerate(names)}
    save_counts(count(outputs, [REFERENCE]), "s.npz", overwrite=True)
    return [*COMPARE, "s.npz"]


def saved_items(names: Sequence[str]) -> list[str]:
    systems = {
        name: [{"id": f"{names[0]}{i}", "score": (i + n) % 3 % 2} for i in range(SEGMENTS)]
        for n, name in enumerate(names)
    }
    metric = GivenScores(name=names[0])
    save_counts(count(systems, metrics=metric), "items.npz", overwrite=True)
    return [*COMPARE, "items.npz"]


def optimizer_runs(names: Sequence[str]) -> list[str]:
    runs = [f"{name}.{run}" for name in names for run in "12"]
    return [*COMPARE, *texts(runs), "--runs", "{system}.{run}"]


# What is known about segments.


def labels(names: Sequence[str], column: str) -> list[str]:
    write_json("docs.jsonl", [{column: names[i % len(names)]} for i in range(SEGMENTS * 5)])
    write("ref.txt", REFERENCE * 5)
    files = [write(f"s{n}.txt", output(n) * 5) for n in range(2)]
    return ["compare", *files, "-r", "ref.txt", "--documents", "docs.jsonl", *FEW]


def documents(names: Sequence[str]) -> list[str]:
    return [*labels(names, "doc"), "--by", "document"]


def domains(names: Sequence[str]) -> list[str]:
    columns = [{"doc": f"d{i}", "domain": names[i % len(names)]} for i in range(SEGMENTS * 5)]
    command = [*labels(names, "doc"), "--by", "domain"]
    write_json("docs.jsonl", columns)
    return command


def headings_of_groups(names: Sequence[str]) -> list[str]:
    write_json("g.jsonl", [dict.fromkeys(names, f"g{i % 2}") for i in range(SEGMENTS)])
    return plain(*reference(), *(part for name in names for part in ("--by", f"g.jsonl#{name}")))


def names_of_references(names: Sequence[str]) -> list[str]:
    files = [write(f"refs/{name}.txt", REFERENCE) for name in names]
    return plain(*(part for file in files for part in ("-r", file)))


# Metrics and judgments.


def columns_of_scores(names: Sequence[str]) -> list[str]:
    rows = [
        {"system": f"s{n}", "segment": i + 1, **dict.fromkeys(names, (i * 7 + n) % 5)}
        for n in range(2)
        for i in range(SEGMENTS)
    ]
    write_json("scores.jsonl", rows)
    metrics = [f"scores:path=scores.jsonl,column={name}" for name in names]
    return ["compare", *(part for metric in metrics for part in ("-m", metric)), *FEW]


def names_of_metrics(names: Sequence[str]) -> list[str]:
    metrics = columns_of_scores(["score"])[2]
    several = [part for name in names for part in ("-m", f"{metrics},name={name}")]
    return ["compare", *several, *FEW]


def systems_of_scores(names: Sequence[str]) -> list[str]:
    rows = [
        {"system": name, "segment": i + 1, "score": (i * 7 + n) % 5}
        for n, name in enumerate(names)
        for i in range(SEGMENTS)
    ]
    write_json("scores.jsonl", rows)
    return [*COMPARE, "-m", "scores:path=scores.jsonl"]


def judged(names: Sequence[str], raters: Sequence[str] = ("r",)) -> list[str]:
    rows = [
        {"system": name, "segment": i + 1, "rater": rater, "score": (i * 7 + n) % 5}
        for n, name in enumerate(names)
        for i in range(SEGMENTS)
        for rater in raters
    ]
    write_json("human.jsonl", rows)
    return ["agree", *texts(names), "--human", "human.jsonl", *FEW, "--permutations", "10"]


def raters(names: Sequence[str]) -> list[str]:
    return [*judged(["a", "b", "c"], names), "--raters", "z"]


# N-best lists.


def lists(names: Sequence[str]) -> str:
    """Lists whose candidates have features of these names."""
    segments = [
        {
            "candidates": [
                {"text": text, "score": -place, **dict.fromkeys(names, (i + place) % 3)}
                for place, text in enumerate((f"{line} x", line))
            ]
        }
        for i, line in enumerate(REFERENCE)
    ]
    return write_json("lists.jsonl", segments)


def features(names: Sequence[str]) -> list[str]:
    return ["nbest", "stats", lists(names)]


def weights(names: Sequence[str]) -> list[str]:
    few = ["--folds", "0", "--method", "mert:restarts=0,directions=0", *FEW]
    return ["tune", lists(names), *reference(), *few]


def candidates(names: Sequence[str]) -> list[str]:
    """Candidates as they are shown with the reasons for their choice."""
    write_json("texts.jsonl", [{"candidates": [name, f"{name} x"]} for name in names])
    return ["mbr", "texts.jsonl"]


# Texts themselves, where they are shown.


def words(names: Sequence[str]) -> list[str]:
    lines = REFERENCE[:4]
    write_json("a.jsonl", [{"text": f"{line} {name}"} for name in names for line in lines])
    write_json("b.jsonl", [{"text": line} for _ in names for line in lines])
    few = ["--replicates", "100"]
    return ["explain", "a=a.jsonl#text", "b=b.jsonl#text", "-r", "a.jsonl#text", *few]


DOORS: tuple[Door, ...] = (
    *(name_option, folder_of_files, table_headings, json_keys, long_table, sgml_names),
    *(
        sgml_documents,
        xml_names,
        saved_counts,
        saved_items,
        optimizer_runs,
        documents,
        domains,
    ),
    *(headings_of_groups, names_of_references, columns_of_scores, names_of_metrics),
    *(systems_of_scores, judged, raters, features, weights, candidates, words),
)
#: Doors of texts, which make other tables than harmless texts do.
OTHER_TEXTS = (words,)
#: Other commands that show names of systems, which all come in by the same door.
COMMANDS: dict[str, Door] = {
    "score": lambda names: ["score", *texts(names), "--details"],
    "score by segment": lambda names: ["score", *texts(names), "--per-segment"],
    "compare with a baseline": lambda names: [*long_table(names), "--baseline", names[0]],
    # Not all, since names that make the same name of a file are refused.
    "check": lambda names: ["check", *texts(names), "--train", "ref.jsonl"],
    "sample": lambda names: ["sample", *texts(names[:15]), "--size", "3", "-o", "o"],
}


def gate_of(arguments: list[str]) -> list[str]:
    """The gate of the two systems that the last arguments of compare name."""
    *options, new, old = arguments
    return ["gate", *options, new, "--baseline", old, "--accept-inputs", *FEW]


#: The same for two systems, one of which has a name of all payloads.
COMMANDS_FOR_TWO: dict[str, Door] = {
    "explain": lambda names: ["explain", *texts(names), *FEW],
    "gate": lambda names: gate_of(json_keys(names)[-4:]),
    "plan": lambda names: ["plan", *texts(names), "--difference", "1"],
    "study sensitivity": lambda names: ["study", "sensitivity", *texts(names)],
}


class Runs:
    """Runs commands, each in a folder of its own, and looks at what they write on both streams."""

    def __init__(
        self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.folder, self.number = folder, 0
        self.capsys, self.monkeypatch = capsys, monkeypatch
        # Long names would take more lines of text than short ones.
        monkeypatch.setenv("COLUMNS", "1000000")

    def __call__(self, door: Door, names: Sequence[str], *options: str) -> tuple[int, str]:
        self.number += 1
        folder = self.folder / str(self.number)
        folder.mkdir()
        self.monkeypatch.chdir(folder)
        with pytest.raises(SystemExit) as stopped:
            main(with_options(door(names), options))
        out, err = self.capsys.readouterr()
        require_no_controls(err)
        # Neither a line of its own, nor anything of our own making.
        assert all(line.startswith(OURS) or not line for line in err.splitlines()), err
        return int(str(stopped.value.code)), out


def with_options(command: list[str], options: Sequence[str]) -> list[str]:
    end = command.index("--") if "--" in command else len(command)
    return [*command[:end], *options, *command[end:]]


@pytest.fixture
def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Runs:
    return Runs(tmp_path, capsys, monkeypatch)


def taken(run: Runs, door: Door, payloads: Sequence[str]) -> list[str]:
    """The payloads that get in; one does not where no file can have such a name.

    All at once where that goes well, or else those of each half.
    """
    try:
        gets_in = run(door, [*payloads, "harmless", "other"])[0] in (0, 1)
    except (OSError, ValueError):
        gets_in = False
    if gets_in or len(payloads) == 1:
        return list(payloads) if gets_in else []
    middle = len(payloads) // 2
    return [*taken(run, door, payloads[:middle]), *taken(run, door, payloads[middle:])]


def require_texts(run: Runs, door: Door, names: Sequence[str], formats: Sequence[str]) -> None:
    """Whatever the names, the output is made of the same as of harmless ones.

    One word is as long as the other: HTML shows the whole of a long one in a title.
    """
    harmless = [
        f"name-{place}".ljust(len(name) if re.fullmatch(r"[^\s:]+", name) else 0, "x")
        for place, name in enumerate(names)
    ]
    for format_ in formats:
        expected = CHECKS[format_](run(door, harmless, "-f", format_)[1])
        status, written = run(door, names, "-f", format_)
        assert status in (0, 1)
        found = CHECKS[format_](written)
        assert found == expected or door in OTHER_TEXTS, format_


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_no_door_lets_in_anything_but_text(door: Door, run: Runs) -> None:
    payloads = taken(run, door, list(PAYLOADS.values()))
    # Most get in by any door; one that none got in by would make this test idle.
    assert len(payloads) > 6
    require_texts(run, door, [*payloads, "harmless"], tuple(FORMATS))


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_shows_anything_but_text(name: str, run: Runs) -> None:
    require_texts(run, COMMANDS[name], [*PAYLOADS.values(), "harmless"], tuple(FORMATS))


@pytest.mark.parametrize("name", COMMANDS_FOR_TWO)
@pytest.mark.parametrize("first", ["=", "\n"])
def test_no_command_for_two_systems_shows_anything_but_text(
    name: str, first: str, run: Runs
) -> None:
    formats = (*FORMATS, *(CHECK_FORMATS if name == "gate" else ()))
    joined = first + "".join(PAYLOADS.values())
    require_texts(run, COMMANDS_FOR_TWO[name], [joined, "harmless"], formats)


def files_for_two(names: Sequence[str]) -> list[str]:
    """Files of two systems, the second worse where a segment is a question."""
    lines = [line + "?" * (i % 2) for i, line in enumerate(REFERENCE * 5)]
    worse = ["a cat" if line.endswith("?") else line for line in lines]
    files = [write(f"{name}.txt", text) for name, text in zip(names, (lines, worse), strict=True)]
    return [*files, "-r", write("ref", lines)]


#: Commands whose names of systems are names of files.
FILE_COMMANDS: dict[str, Door] = {
    "score": lambda names: ["score", *files_for_two(names), "--details"],
    "compare": lambda names: [*COMPARE, *files_for_two(names)],
    "explain": lambda names: ["explain", *files_for_two(names), "--details", *FEW],
    "gate": lambda names: gate_of(
        ["-r", "ref", *(part for part in files_for_two(names) if part.endswith(".txt"))]
    ),
    "plan": lambda names: ["plan", *files_for_two(names), "--difference", "1"],
    "study sensitivity": lambda names: ["study", "sensitivity", *files_for_two(names)],
}


@pytest.mark.parametrize("name", FILE_COMMANDS)
def test_a_file_name_that_is_no_text_stays_a_name(name: str, run: Runs) -> None:
    require_texts(run, FILE_COMMANDS[name], ["x\udcff", "y\udcfe"], tuple(FORMATS))


def message_options(*words: str) -> Door:
    """A command that is refused for what a name says."""
    return lambda names: [word.replace("{}", names[0]) for word in (*words, *texts(["a", "b"]))]


def message_file(ending: str, content: Callable[[str], str], *words: str) -> Door:
    """A command that is refused for what stands in a file."""

    def door(names: Sequence[str]) -> list[str]:
        write(f"x{ending}", [content(names[0])])
        return [*words, *texts(["a", "b"])]

    return door


def scored(name: str) -> str:
    return json.dumps({"system": name, "segment": 1, "score": "high"}, ensure_ascii=False)


#: Commands whose error messages show what was found.
MESSAGES: dict[str, Door] = {
    "file": message_options("compare", "{}.txt"),
    "column": message_options("compare", "long.jsonl#{}"),
    "metric": message_options("compare", "-m", "{}"),
    "setting": message_options("compare", "-m", "bleu:{}"),
    "value of a setting": message_options("compare", "-m", "bleu:tokenize={}"),
    "option": message_options("compare", "--{}"),
    "choice": message_options("compare", "--test", "{}"),
    "number": message_options("compare", "--replicates", "{}"),
    "baseline": message_options("compare", "--baseline", "{}"),
    "group": message_options("compare", "--by", "{}"),
    "language": message_options("compare", "-l", "{}"),
    "command": lambda names: [names[0]],
    "study": lambda names: ["study", names[0]],
    "coefficient": message_options("agree", "--human", "long.jsonl", "-c", "{}"),
    "cluster": message_options("study", "coverage", "--cluster", "{}"),
    "curves": message_options("compare", "--people", "{}"),
    "format of n-best lists": lambda names: ["nbest", "stats", names[0]],
    "table": message_file(".tsv", lambda name: f"a\t{name}\nx", "compare", "x.tsv#b"),
    "line of JSON": message_file(".jsonl", lambda name: f"{{{name}", "compare", "x.jsonl#b"),
    "human scores": message_file(".jsonl", scored, "agree", "--human", "x.jsonl"),
    "scores": message_file(".jsonl", scored, "compare", "-m", "scores:path=x.jsonl"),
    "weights": lambda names: [
        *("rerank", lists(["f"]), "--weights", write("w.tsv", [f"{names[0]}\t1"]))
    ],
    "parse": message_file(
        ".conllu", lambda name: f"1\t{name}\t_\n", "score", "-m", "dependency-f:path=x.conllu"
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_no_message_says_anything_but_text(name: str, run: Runs) -> None:
    for payload in PAYLOADS.values():
        assert run(MESSAGES[name], [payload]) == (2, ""), payload


# Files that people open.

JOINED = "".join(PAYLOADS.values())


def file_of(run: Runs, name: str, file: str, *words: str) -> str:
    """A file that a command writes about a system of that name, whose outputs say it too."""

    def door(_names: Sequence[str]) -> list[str]:
        rows = zip(REFERENCE, output(1), output(2), strict=True)
        columns = [
            {"ref": ref, name: f"{a} {name}".replace("\0", ""), "b": b, "g": (name, "x")[i % 2]}
            for i, (ref, a, b) in enumerate(rows)
        ]
        write_json("t.jsonl", columns)
        texts = ["-r", "t.jsonl#ref", f"t.jsonl#{name}", "t.jsonl#b"]
        return [*words, file, *FEW, *texts, "--by", "t.jsonl#g"]

    assert run(door, [name])[0] == 0
    return (run.folder / str(run.number) / file).read_text("utf-8")


def test_the_page_of_a_report_has_texts_only(run: Runs) -> None:
    page = file_of(run, JOINED, "page.html", "report", "-o")
    expected = file_of(run, "name", "page.html", "report", "-o")
    # Tables of n-grams have as many rows as the texts have differences, warnings are a list, and
    # rows of systems that differ are shaded. Long names lose their middle and have a title.
    lists = {("ul", ()), ("li", ()), ("tr", ("class",)), ("span", ("class", "title"))}
    assert set(html(page)) - lists == set(html(expected)) - lists


@pytest.mark.parametrize("ending", ["json", "svg"])
def test_charts_have_texts_only(ending: str, run: Runs) -> None:
    # Words enough for several lines.
    chart, expected = (
        file_of(run, name, f"chart.{ending}", "compare", "--chart")
        for name in (JOINED, "name " * 99)
    )
    if ending == "json":
        CHECKS["json"](chart)
    else:
        assert set(xml(chart)) == set(xml(expected))
