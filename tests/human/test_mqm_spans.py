"""Marked errors find their outputs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from truebleu.errors import MalformedFileError
from truebleu.human.mqm import ErrorSpan, read_spans

if TYPE_CHECKING:
    from pathlib import Path

    from tests.writing import Folder

OUTPUTS = {
    "a": ["Ein Hund bellt.", " Die Katze schläft. ", "Ein Hund bellt."],
    "b": ["x", "y", "z"],
}
HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"


def row(system: str, target: str, category: str = "Accuracy", severity: str = "Major") -> str:
    return f"{system}\td\t1\t1\tr1\ts\t{target}\t{category}\t{severity}\n"


def test_marks_of_mqm_become_places_in_the_output(folder: Folder) -> None:
    text = HEADER + row("a", "Ein <v>Hund</v> bellt.") + row("a", "Die Katze <v>schläft</v>.")
    text += row("a", "Ein Hund bellt.", "No-error", "No-error") + row("c", "<v>other</v>")
    text += row("a", "<v>gone</v>")
    spans = read_spans(folder.write("mqm.tsv", text), OUTPUTS)
    dog = ErrorSpan(start=4, end=8, severity="Major", category="Accuracy")
    # The second output has a blank before it; the first and the third are the same text.
    cat = ErrorSpan(start=11, end=18, severity="Major", category="Accuracy")
    assert spans.spans == {"a": [[dog], [cat], [dog]]}
    assert OUTPUTS["a"][1][11:18] == "schläft"
    assert spans.unmatched == 1


def test_errors_of_xcomet_are_read(folder: Folder) -> None:
    error = {"text": "Hund", "confidence": 0.4, "severity": "minor", "start": 4, "end": 8}
    segments = [{"mt": "Ein Hund bellt.", "COMET": 0.9, "errors": [error]}, {"mt": "gone"}]
    path = folder.write("comet.json", json.dumps({"out/a.txt": segments}))
    spans = read_spans(path, OUTPUTS)
    assert spans.spans["a"][2] == [ErrorSpan(start=4, end=8, severity="minor")]
    assert "b" not in spans.spans


def test_a_system_is_called_as_everywhere_else(folder: Folder) -> None:
    error = {"severity": "minor", "start": 0, "end": 1}
    path = folder.write("comet.json", json.dumps({"a.de": [{"mt": "x", "errors": [error]}]}))
    assert list(read_spans(path, {"a.de": ["x"]}).spans) == ["a.de"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            HEADER + row("nobody", "<v>x</v>"),
            "errors of .nobody.; expected errors in the given outputs",
        ),
        ("system\tscore\na\t1\n", "the columns"),
        ('{"a.txt": 1}', "without a list of segments"),
        (
            '{"a.txt": [{"mt": "x", "errors": [{"start": 0, "end": 9, "severity": "m"}]}]}',
            "segment 1 of a.txt",
        ),
        (
            '{"a.txt": [{"mt": ["x"], "errors": [{"start": 0, "end": 1, "severity": "m"}]}]}',
            "mt is not a text",
        ),
        ('{"a.txt": [', "line 1: invalid JSON"),
    ],
)
def test_files_of_other_kinds_are_refused(folder: Folder, text: str, reason: str) -> None:
    with pytest.raises(MalformedFileError, match=reason):
        read_spans(folder.write("file", text), OUTPUTS)


def test_real_annotations_find_their_outputs(shared: Path) -> None:
    data = shared / "data" / "ted-mqm-en-de"
    files = sorted((data / "sys").glob("*.txt"))
    systems = {file.stem: file.read_text(encoding="utf-8").split("\n")[:-1] for file in files}
    found = read_spans(str(data / "mqm-annotations.tsv"), systems)
    marked = sum(len(spans) for outputs in found.spans.values() for spans in outputs)
    assert marked > 3000
    assert found.unmatched < 0.05 * marked
