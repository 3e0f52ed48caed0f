"""Warnings about texts: debris, copies and shifted lines."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from truebleu.corpus import TextWarning, as_test_set, read_test_set
from truebleu.schema import to_builtins

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.writing import Folder

VOCABULARY = "the a small big cat dog house tree sees finds old new river over under red"


def sentences(count: int, seed: int = 1) -> list[str]:
    rng = random.Random(seed)  # noqa: S311
    return [" ".join(rng.choices(VOCABULARY.split(), k=rng.randint(6, 14))) for _ in range(count)]


def translated(segments: list[str]) -> list[str]:
    """Other outputs for the same segments: every third word is left out."""
    return [" ".join(w for i, w in enumerate(s.split()) if i % 3) for s in segments]


def text(segments: list[str]) -> str:
    return "".join(f"{segment}\n" for segment in segments)


def warnings(folder: Folder, system: str, reference: str) -> dict[str, TextWarning]:
    every = folder.read(system, reference).warnings
    assert len({(warning.code, warning.text) for warning in every}) == len(every)
    return {w.code: w for w in every if w.text == str(folder.path / "system")}


def test_clean_texts_have_no_warnings(folder: Folder) -> None:
    reference = sentences(60)
    assert warnings(folder, text(translated(reference)), text(reference)) == {}


@pytest.mark.parametrize(
    ("written", "code", "count", "segment"),
    [
        ("\ufeffa\nb\nc\n", "byte-order-mark", 1, 1),
        ("a\nb\r\nc\r\n", "crlf", 2, None),
        ("a\nb\tb\t\nc\n", "tabs", 2, 2),
        ("a\nb\rb\nc\n", "carriage-returns", 1, 2),
        ("a\u2028\nb\x85b\x0b\nc\x0c\u2029\n", "line-breaks", 5, 1),
        ("a\nb\u200bb\nc\ufeff\n", "zero-width", 2, 2),
        ("a\n\nc\n", "blank", 1, 2),
        ("a\n \n\n", "mostly-empty", 2, 2),
        ("e\u0301\n\u00e9\nc\n", "normalization", 1, 1),
    ],
)
def test_suspicious_characters_of_a_file_are_reported(
    folder: Folder, written: str, code: str, count: int, segment: int | None
) -> None:
    reported = warnings(folder, written, "r\ns\nt\n")
    assert set(reported) == {code}
    warning = reported[code]
    assert (warning.count, warning.segment) == (count, segment)
    assert warning.message.startswith(f"{folder.path / 'system'}: ")
    assert "\n" not in warning.message
    assert json.loads(json.dumps(to_builtins(warning)))["code"] == code


def test_zero_width_characters_that_a_script_needs_are_fine(folder: Folder) -> None:
    assert warnings(folder, "می\u200cخواهم\n👩\u200d🚀\nक्\u200dष\n", "a\nb\nc\n") == {}


def test_decomposed_text_is_reported_where_others_are_composed(folder: Folder) -> None:
    composed = "été\nnaïve\ngarçon\n"
    decomposed = unicodedata.normalize("NFD", composed)
    assert warnings(folder, decomposed, composed)["normalization"].count == 3
    assert "normalization" not in warnings(folder, decomposed + "x\n", decomposed + "y\n")
    assert "normalization" not in warnings(folder, composed + "x\n", composed + "y\n")


def test_warnings_name_the_column_and_file_warnings_appear_once(
    folder: Folder,
) -> None:
    path = folder.write("t.tsv", "\ufeffref\tmt\nr\ta\u200b\ns\tb\n")
    reported = read_test_set([f"{path}#mt"], [f"{path}#ref"]).warnings
    assert [(warning.code, warning.text) for warning in reported] == [
        ("byte-order-mark", path),
        ("zero-width", f"{path}#mt"),
    ]


def test_identical_texts_are_reported(folder: Folder) -> None:
    a, b = folder.write("a", "x\ny\n"), folder.write("b", "x\ny\n")
    other, same = folder.write("other", "u\nv\n"), folder.write("same", "u\nv\n")
    reported = read_test_set([a, b, other], [same, f"z={b}"], source=a).warnings
    assert {(warning.code, warning.text) for warning in reported} == {
        ("same-as-source", a),
        ("same-as-reference", a),
        ("same-as-source", b),
        ("same-as-reference", b),
        ("same-as-system", b),
        ("same-as-reference", other),
    }
    reported = read_test_set([], [other, same]).warnings
    assert [(warning.code, warning.text) for warning in reported] == [("same-as-reference", same)]


def test_a_text_in_two_roles_is_reported_once(folder: Folder) -> None:
    path = folder.write("a", "x\ty\n")
    others = [folder.write(name, "x\ty\n") for name in ("b", "c")]
    reported = read_test_set([path, *others], [path, folder.write("d", "x\ty\n")]).warnings
    assert len(reported) == len({(warning.code, warning.text) for warning in reported})


def test_a_lost_first_line_is_noticed(folder: Folder) -> None:
    reference = sentences(80)
    outputs = translated(reference)
    reported = warnings(folder, text([*outputs[1:], outputs[-1]]), text(reference))
    assert (reported["shifted"].segment, reported["shifted"].count) == (1, 79)
    assert "segments 1 to 79" in reported["shifted"].message
    assert "moved down by 1; 1 line lost at segment 1?" in reported["shifted"].message


def test_an_extra_line_in_the_middle_is_noticed(folder: Folder) -> None:
    reference = sentences(80)
    outputs = translated(reference)
    reported = warnings(folder, text([*outputs[:40], "", *outputs[40:-1]]), text(reference))
    assert reported["shifted"].segment == 42
    assert "moved up by 1; 1 line extra at segment 42?" in reported["shifted"].message


def codes(
    system: list[str], reference: list[str], *others: list[str], source: list[str] | None = None
) -> dict[str, list[str]]:
    """Return the codes of the warnings about texts in memory, by the name of the text."""
    references = {"ref": reference} | {f"ref{i}": text for i, text in enumerate(others, 2)}
    test_set = as_test_set({"system": system}, references, source=source).examined()
    found: dict[str, list[str]] = {}
    for warning in test_set.warnings:
        found.setdefault(warning.text, []).append(warning.code)
    return found


def shuffled(segments: list[str]) -> list[str]:
    return random.Random(4).sample(segments, len(segments))  # noqa: S311


def test_lines_in_another_order_are_noticed_in_every_text() -> None:
    reference = sentences(300)
    outputs = translated(reference)
    assert codes(outputs, reference) == {}
    assert codes(shuffled(outputs), reference) == {"system": ["misaligned"]}
    stretch = [*outputs[:100], *outputs[149:99:-1], *outputs[150:]]
    assert codes(stretch, reference) == {"system": ["misaligned"]}
    assert codes(outputs, reference, shuffled(reference)) == {"ref2": ["misaligned"]}
    source = [segment.upper().replace("A", "Ä") for segment in reference]
    assert codes(outputs, reference, source=source) == {}
    assert codes(outputs, reference, source=shuffled(source)) == {"source": ["misaligned"]}


def test_serious_warnings_name_the_lines() -> None:
    reference = sentences(300)
    outputs = translated(reference)
    test_set = as_test_set([*outputs[:100], *outputs[149:99:-1], *outputs[150:]], reference)
    (warning,) = test_set.examined().warnings
    assert warning.is_serious
    assert warning.segment == pytest.approx(101, abs=4)
    assert warning.count == pytest.approx(50, abs=8)
    assert f"segments {warning.segment} to" in warning.message


GREEK = str.maketrans("abdefghilmnorstuvwy", "αβδεφγηιλμνορστυβωψ")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda i, text: "null" if i % 20 == 0 else text, "shared-text"),
        (lambda i, text: "[ERROR: rate limited]" if i % 5 == 0 else text, "shared-text"),
        (lambda _, text: f"<think> {text}", "added-text"),
        (lambda _, text: f"Translation: {text}", "added-text"),
        (lambda i, text: f"{i} ||| {text}", "added-text"),
        (lambda _, text: f"{text}</s>", "added-text"),
        (lambda _, text: text.replace("e", "&#233;"), "strange-characters"),
        (lambda _, text: text.replace("e", r"\u00e9"), "strange-characters"),
        (lambda _, text: text.replace(" ", "%20"), "strange-characters"),
        (lambda _, text: text.replace(" ", " ▁"), "strange-characters"),
        (lambda _, text: text.replace("e", "\u0435"), "strange-characters"),
        (lambda _, text: text.replace("e", "\ufffd"), "strange-characters"),
        (lambda _, text: text.replace("e", "Ã©"), "strange-characters"),
        (lambda _, text: f"{text[:4]}\u00ad{text[4:]}", "zero-width"),
        (lambda _, text: text[:18], "cut-off"),
        (lambda i, text: text.translate(GREEK) if i % 10 == 0 else text, "wrong-language"),
    ],
)
def test_debris_is_noticed_in_outputs_and_references(
    change: Callable[[int, str], str], code: str
) -> None:
    reference = sentences(300)
    outputs = translated(reference)
    assert codes(outputs, reference) == {}
    damaged = [change(i, output) for i, output in enumerate(outputs)]
    assert code in codes(damaged, reference)["system"]
    if code != "cut-off":
        damaged = [change(i, segment) for i, segment in enumerate(reference)]
        assert code in codes(outputs, damaged)["ref"]


def test_copies_of_the_reference_are_noticed() -> None:
    reference = [f"{a} {b}" for a, b in zip(sentences(300), sentences(300, 2), strict=True)]
    outputs = translated(reference)
    copied = [
        r if i % 10 == 0 else o for i, (r, o) in enumerate(zip(reference, outputs, strict=True))
    ]
    assert codes(copied, reference) == {"system": ["copied-reference"]}
    source = [segment.upper() for segment in reference]
    copied = [s if i % 10 == 0 else o for i, (s, o) in enumerate(zip(source, outputs, strict=True))]
    assert "untranslated" in codes(copied, reference, source=source)["system"]


DATA = (
    "four-references",
    "iwslt-optimizer-runs",
    "ted-mqm-en-de",
    "wmt21-en-de",
    "wmt23-en-cs",
    "wmt23-en-ja",
    "wmt23-he-en",
    "wmt23-zh-en",
    "wmt24-en-es",
)


#: Ordinary outputs with faults: entities and nonsense.
GOOD_REASONS = {
    "ONLINE-B": ("strange-characters",),
    "CycleL": ("wrong-language",),
}


def real_files(folder: Path) -> tuple[list[str], list[str]]:
    references = sorted(folder.glob("ref*.txt"))
    beside = sorted(set(folder.glob("*.txt")) - set(references) - {folder / "src.txt"})
    systems = sorted((folder / "sys").glob("*.txt")) or beside
    return [str(path) for path in systems], [str(path) for path in references]


def plainly_counted(path: str, code: str) -> int:
    data = Path(path).read_bytes()
    segments = data.decode("utf-8-sig").removesuffix("\n").split("\n")
    match code:
        case "byte-order-mark":
            return int(data.startswith(b"\xef\xbb\xbf"))
        case "tabs":
            return sum(segment.count("\t") for segment in segments)
        case "blank":
            return sum(not segment.strip() for segment in segments)
        case "tokenized":
            return sum(segment.rstrip().endswith(" .") for segment in segments)
        case "zero-width":
            joined = re.sub("\u200d[\u2640\u2642]", "", "\n".join(segments))  # parts of emoji
            return sum(map(joined.count, "\u00ad\u200b\u200c\u200d\u200e\u2060\ufeff"))
        case _:
            return -1


@pytest.mark.parametrize("name", DATA)
def test_findings_on_real_data_are_true(shared: Path, name: str) -> None:
    systems, references = real_files(shared / "data" / name)
    for warning in read_test_set(systems, references).warnings:
        if warning.code in GOOD_REASONS.get(Path(warning.text).stem, ()):
            continue
        if warning.code == "same-as-system":
            other = warning.message.partition("the system ")[2].partition(";")[0]
            assert Path(warning.text).read_bytes() == Path(other).read_bytes()
        else:
            assert warning.count == plainly_counted(warning.text, warning.code)


@pytest.mark.parametrize("name", DATA)
def test_lost_lines_are_noticed_in_real_data(shared: Path, folder: Folder, name: str) -> None:
    systems, references = real_files(shared / "data" / name)
    outputs = Path(systems[0]).read_text(encoding="utf-8-sig").removesuffix("\n").split("\n")
    for place in (0, len(outputs) // 2):
        lost = [*outputs[:place], *outputs[place + 1 :], outputs[-1]]
        system = folder.write("lost", text(lost))
        shifted = [f for f in read_test_set([system], references).warnings if f.code == "shifted"]
        assert len(shifted) == 1
        assert shifted[0].segment == pytest.approx(place + 1, abs=3)


@pytest.mark.parametrize("name", DATA)
def test_another_order_is_noticed_in_real_data(shared: Path, folder: Folder, name: str) -> None:
    systems, references = real_files(shared / "data" / name)
    outputs = Path(systems[-1]).read_text(encoding="utf-8-sig").removesuffix("\n").split("\n")
    middle = len(outputs) // 2
    for lines in (
        shuffled(outputs),
        [*outputs[middle:], *outputs[:middle]],
        [*outputs[:200], *outputs[249:199:-1], *outputs[250:]],
        [line for i in range(0, len(outputs), 4) for line in outputs[i : i + 4][::-1]],
    ):
        system = folder.write("other", text(lines))
        found = read_test_set([system], references[:1]).warnings
        assert "misaligned" in [warning.code for warning in found]


def test_texts_from_memory_are_examined_on_request() -> None:
    reference = sentences(60)
    systems = {"a": translated(reference), "copy": reference, "tabs": ["a\tb", *reference[1:]]}
    test_set = as_test_set(systems, {"ref": reference}, source=["\u200bx"] * 60)
    assert test_set.warnings == ()
    examined = test_set.examined()
    assert {(warning.text, warning.code) for warning in examined.warnings} == {
        ("copy", "same-as-reference"),
        ("tabs", "tabs"),
        ("source", "zero-width"),
        ("source", "misaligned"),
    }
    assert {name: list(text) for name, text in examined.systems.items()} == systems
    assert examined.examined() is examined


def test_outputs_that_end_in_a_space_and_a_full_stop_look_tokenized() -> None:
    reference = [f"{line}." for line in sentences(150)]
    tokenized = [f"{line} ." for line in translated(sentences(150))]

    def codes(system: list[str]) -> list[str]:
        test_set = as_test_set(system, [f"{line} ." for line in reference]).examined()
        return [warning.code for warning in test_set.warnings if warning.code == "tokenized"]

    # sacreBLEU's rule: a hundred of them, in outputs only.
    assert codes([*tokenized[:100], *reference[100:]]) == ["tokenized"]
    assert codes([*tokenized[:99], *reference[99:]]) == []


@pytest.mark.parametrize(("segments", "code"), [(10, "mostly-empty"), (11, "blank")])
def test_a_text_is_mostly_empty_from_half_of_its_segments_on(
    folder: Folder, segments: int, code: str
) -> None:
    system = "\n" * 5 + "".join(f"x{n}\n" for n in range(segments - 5))
    reference = "".join(f"r{n}\n" for n in range(segments))
    assert set(warnings(folder, system, reference)) == {code}
