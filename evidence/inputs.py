"""Planted faults of inputs, and false alarms: lines in another order, debris, copies, repetitions.

One output, reference or source of a public set is damaged, and the warnings about it are counted.
Then the warnings about the same sets without damage are counted, whole and in blocks of 50 lines.
"""

from __future__ import annotations

import html
import json
import urllib.parse
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evidence.data import DATA
from evidence.page import page_text
from evidence.rows import percent
from truebleu.corpus import as_test_set
from truebleu.errors import shortened
from truebleu.reports.document import Column, Document, Table
from truebleu.reports.formats.machine_readable import render_tsv as tsv
from truebleu.reports.formats.markdown import render as markdown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from truebleu.corpus.text_warnings import TextWarning
    from truebleu.reports.document import Row

# Codes of warnings about texts that do not belong together, debris, copies and repetitions.
CODES = frozenset(
    {
        "misaligned",
        "shifted",
        "copied-reference",
        "copied-system",
        "untranslated",
        "shared-text",
        "added-text",
        "strange-characters",
        "cut-off",
        "wrong-language",
        "repeated",
        "zero-width",
        "same-as-reference",
        "same-as-source",
        "same-as-system",
    }
)
# Sets with planted faults; the last one is made from Chinese sources.
PLANTED = (
    "wmt23-he-en",
    "wmt23-zh-en",
    "wmt23-en-cs",
    "wmt23-en-ja",
    "wmt24-en-es",
    "into Chinese",
)
SETS = (
    "wmt21-en-de",
    "wmt23-he-en",
    "wmt23-zh-en",
    "wmt23-en-cs",
    "wmt23-en-ja",
    "wmt23-eval-set",
    "wmt24-en-es",
    "ted-mqm-en-de",
    "iwslt-optimizer-runs",
    "four-references",
)
# Sets in which a fault was noticed before texts were compared with each other; others in none.
BEFORE = {
    "1 lost line": 6,
    "1 extra line": 6,
    "U+200B": 6,
    "the reference, 100 %": 6,
    "the first 100 segments three times": 6,
    "6 % of the rows twice": 6,
}
# Lines of a block; and share of segments that a fault changes at least to be counted.
BLOCK, CHANGED = 50, 0.01


@dataclass(frozen=True, slots=True)
class Texts:
    """A set of data.

    Attributes:
        references: references by name.
        systems: outputs by name of the system.
        source: source, or None.
    """

    references: Mapping[str, list[str]]
    systems: Mapping[str, list[str]]
    source: list[str] | None


@dataclass(frozen=True, slots=True)
class Context:
    """Other texts of a set, by segment.

    Attributes:
        reference: first reference.
        source: source.
        system: output of another system.
        stranger: output of another set, of the same length.
        foreign: sentences in another language, of the same length.
    """

    reference: list[str]
    source: list[str]
    system: list[str]
    stranger: list[str]
    foreign: list[str]


Change: TypeAlias = Callable[[list[str], Context], list[str]]


@dataclass(frozen=True, slots=True)
class Fault:
    """A way to damage a text.

    Attributes:
        name: description.
        change: function that damages a text.
        role: text that it damages: output, reference, second reference or source; or the rows of
            the output and the reference.
        with_system: True if the other system of the context is given as well.
        with_source: True if the source is given as well.
    """

    name: str
    change: Change
    role: str = "output"
    with_system: bool = False
    with_source: bool = False


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


@cache
def read_texts(name: str) -> Texts:
    """Read all texts of a set."""
    folder = DATA / name
    if name == "into Chinese":
        # The only Chinese texts are sources: outputs are made by dropping characters.
        turned = read_texts("wmt23-zh-en")
        systems = {
            f"without {share:.0%}": [
                "".join(letter for letter in text if random.random() >= share)
                for text in turned.source or ()
            ]
            for share, random in ((0.15, np.random.default_rng(3)), (0.3, np.random.default_rng(4)))
        }
        return Texts({"ref": turned.source or []}, systems, turned.references["refA"])
    if name == "wmt23-eval-set":
        references = sorted((folder / "references").glob("en-de.*"))
        outputs = sorted((folder / "system-outputs" / "en-de").glob("*.txt"))
        outputs = [path for path in outputs if not path.stem.startswith(("ref", "synthetic"))]
        source = folder / "sources" / "en-de.txt"
    else:
        inside = folder / "sys"
        references = sorted(folder.glob("ref*.txt"))
        outputs = sorted(inside.glob("*.txt") if inside.is_dir() else folder.glob("*.txt"))
        outputs = [path for path in outputs if path not in references and path.stem != "src"]
        source = folder / "src.txt"
    return Texts(
        {path.stem: _lines(path) for path in references},
        {path.stem: _lines(path) for path in outputs},
        _lines(source) if source.exists() else None,
    )


def warnings_of(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[Sequence[str]],
    source: Sequence[str] | None = None,
) -> list[TextWarning]:
    """Examine texts; return the warnings of the kinds that this page is about."""
    test_set = as_test_set(
        {name: list(text) for name, text in systems.items()},
        [list(text) for text in references],
        source=None if source is None else list(source),
    )
    return [warning for warning in test_set.examined().warnings if warning.code in CODES]


def some(share: float, change: Callable[[str, int, Context], str]) -> Change:
    """Return a change of a share of the segments, drawn at random."""

    def changed(text: list[str], context: Context) -> list[str]:
        chosen = np.random.default_rng(7).random(len(text)) < share
        return [
            change(segment, index, context) if chosen[index] else segment
            for index, segment in enumerate(text)
        ]

    return changed


def each(change: Callable[[str], str]) -> Change:
    """Return a change of every segment."""
    return lambda text, _: [change(segment) for segment in text]


def message(contents: str, share: float) -> Change:
    """Return a change of some segments to one text."""
    return some(share, lambda *_: contents)


def batches(size: int, order: Callable[[list[str]], list[str]]) -> Change:
    """Return a change of the order within batches."""
    return lambda text, _: [
        segment
        for start in range(0, len(text), size)
        for segment in order(text[start : start + size])
    ]


def stretch(length: int) -> Change:
    """Return a change that reverses some lines in place."""
    return lambda text, _: [*text[:300], *text[300 : 300 + length][::-1], *text[300 + length :]]


def lost(count: int) -> Change:
    """Return a change that loses lines, with as many of the first ones at the end instead."""
    return lambda text, _: [*text[:200], *text[200 + count :], *text[:count]]


def last_repeated(count: int) -> Change:
    """Return a change that repeats a batch in place of the last one."""
    return lambda text, _: [*text[:-count], *text[-2 * count : -count]]


def neighbours(share: float) -> Change:
    """Return a change that exchanges neighbours; `share` is that of the segments moved."""

    def changed(text: list[str], _: Context) -> list[str]:
        text, random, index = list(text), np.random.default_rng(3), 0
        while index < len(text) - 1:
            if random.random() < share / 2:
                text[index : index + 2] = text[index + 1], text[index]
                index += 1
            index += 1
        return text

    return changed


def shuffled(text: list[str], _: Context) -> list[str]:
    """Return the segments in random order."""
    return [text[index] for index in np.random.default_rng(1).permutation(len(text))]


def _subwords(mark: str, *, is_before: bool = False) -> Change:
    def split(word: str) -> str:
        if len(word) < 5:
            return word
        return f"{word[:3]} {mark}{word[3:]}" if is_before else f"{word[:3]}{mark} {word[3:]}"

    return each(lambda text: " ".join(map(split, text.split(" "))))


def _full_width(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


ALIKE = str.maketrans("aeopcx", "аеорсх")  # letters of Cyrillic
REVERSED = "lines reversed in place"
FAULTS: Mapping[str, tuple[Fault, ...]] = {
    "Order of lines": (
        Fault("shuffled", shuffled),
        Fault("halves swapped", lambda text, _: [*text[len(text) // 2 :], *text[: len(text) // 2]]),
        Fault("sorted", lambda text, _: sorted(text)),
        Fault("sorted by length", lambda text, _: sorted(text, key=len)),
        Fault("another test set", lambda _, context: context.stranger),
        Fault("the source as output", lambda _, context: context.source),
        Fault(f"100 {REVERSED}", stretch(100)),
        Fault(f"50 {REVERSED}", stretch(50)),
        Fault(f"20 {REVERSED}", stretch(20)),
        Fault("batches of 64 sorted by length", batches(64, lambda batch: sorted(batch, key=len))),
        Fault("batches of 4 reversed", batches(4, lambda batch: batch[::-1])),
        Fault("batches of 4 sorted by length", batches(4, lambda batch: sorted(batch, key=len))),
        Fault("neighbours exchanged, 5 % of lines", neighbours(0.05)),
        Fault("neighbours exchanged, 2 % of lines", neighbours(0.02)),
        Fault("1 lost line", lost(1)),
        Fault("1 extra line", lambda text, _: [*text[:200], "", *text[200:-1]]),
        Fault("7 lost lines", lost(7)),
        Fault("100 lost lines", lost(100)),
        Fault("last 64 lines repeat those before", last_repeated(64)),
        Fault("last 32 lines repeat those before", last_repeated(32)),
        Fault("last 16 lines repeat those before", last_repeated(16)),
        Fault("last 8 lines repeat those before", last_repeated(8)),
        Fault("reference shuffled", shuffled, "reference"),
        Fault("reference: 50 lines reversed", stretch(50), "reference"),
        Fault("second reference shuffled", shuffled, "second reference"),
        Fault("second reference: 50 lines reversed", stretch(50), "second reference"),
        Fault("source shuffled", shuffled, "source"),
        Fault("source: 1 lost line", lost(1), "source"),
        Fault("source: 50 lines reversed", stretch(50), "source"),
    ),
    "Debris": (
        Fault("[ERROR: rate limited], every fifth", message("[ERROR: rate limited]", 0.2)),
        Fault(
            "errors with numbers, 20 %", some(0.2, lambda _, i, __: f"Error: call {i} timed out")
        ),
        Fault("null, 2 %", message("null", 0.02)),
        Fault("nan, 1 %", message("nan", 0.01)),
        Fault("None, 5 %", message("None", 0.05)),
        Fault("TODO, 5 %", message("TODO", 0.05)),
        Fault("{}, 5 %", message("{}", 0.05)),
        Fault("..., 5 %", message("...", 0.05)),
        Fault("<think>", each("<think> {}".format)),
        Fault("<think>, 20 %", some(0.2, lambda text, *_: f"<think> {text}")),
        Fault("Translation:", each("Translation: {}".format)),
        Fault("Translation:, 20 %", some(0.2, lambda text, *_: f"Translation: {text}")),
        Fault("1. 2. 3.", lambda text, _: [f"{i}. {segment}" for i, segment in enumerate(text, 1)]),
        Fault("quotes", each('"{}"'.format)),
        Fault("<2de>", each("<2de> {}".format)),
        Fault("__de__", each("__de__ {}".format)),
        Fault("</s>", each("{}</s>".format)),
        Fault("</s>, 30 %", some(0.3, lambda text, *_: f"{text}</s>")),
        Fault("17 |||", lambda text, _: [f"{i} ||| {segment}" for i, segment in enumerate(text)]),
        Fault("<b>, 30 %", some(0.3, lambda text, *_: f"<b>{text}</b>")),
        Fault("&#39; &quot;", each(html.escape)),
        Fault("\\u00e9", each(lambda text: json.dumps(text)[1:-1])),
        Fault("b'…'", each(lambda text: repr(text.encode()))),
        Fault("JSON strings", each(lambda text: json.dumps(text, ensure_ascii=False))),
        Fault("JSON objects", each(lambda text: json.dumps({"text": text}, ensure_ascii=False))),
        Fault("%20 for spaces", each(lambda text: text.replace(" ", "%20"))),
        Fault("URL encoding", each(urllib.parse.quote)),
        Fault("ANSI colours", each("\x1b[32m{}\x1b[0m".format)),
        Fault("▁ of SentencePiece", each(lambda text: "▁" + text.replace(" ", " ▁"))),
        Fault("@@ of BPE", _subwords("@@")),
        Fault("## of WordPiece", _subwords("##", is_before=True)),
        Fault("Ġ of GPT-2", each(lambda text: text.replace(" ", " Ġ"))),
        Fault("Cyrillic letters that look alike", each(lambda text: text.translate(ALIKE))),
        Fault("the same, 20 %", some(0.2, lambda text, *_: text.translate(ALIKE))),
        Fault("full-width forms", each(_full_width)),
        Fault("full-width forms, 20 %", some(0.2, lambda text, *_: _full_width(text))),
        Fault(
            "U+FFFD for what is not ASCII",
            each(lambda t: t.encode("ascii", "replace").decode().replace("?", "\ufffd")),
        ),
        Fault("? for what is not ASCII", each(lambda t: t.encode("ascii", "replace").decode())),
        Fault("UTF-8 read as Latin-1", each(lambda text: text.encode().decode("latin-1"))),
        Fault("UTF-8 read as Windows-1252", each(lambda t: t.encode().decode("cp1252", "replace"))),
        Fault("U+00AD", each(lambda text: f"{text[:5]}\u00ad{text[5:]}")),
        Fault("U+200B", each(lambda text: f"{text[:5]}\u200b{text[5:]}")),
        Fault("U+200E", each("\u200e{}".format)),
        Fault("U+202A and U+202C", each("\u202a{}\u202c".format)),
        Fault("U+E000", each("\ue000{}".format)),
        Fault("cut at 80 characters", each(lambda text: text[:80])),
        Fault("cut at 60 bytes", each(lambda t: t.encode()[:60].decode(errors="ignore"))),
        Fault("cut at 15 words", each(lambda text: " ".join(text.split(" ")[:15]))),
        Fault("another language, 10 %", some(0.1, lambda _, i, context: context.foreign[i])),
        Fault("another language", lambda _, context: context.foreign),
        Fault("the source, 10 %", some(0.1, lambda _, i, context: context.source[i])),
        Fault("reference: <think>", each("<think> {}".format), "reference"),
        Fault("reference: null, 5 %", message("null", 0.05), "reference"),
        Fault("reference: quotes", each('"{}"'.format), "reference"),
        Fault("reference: &#39; &quot;", each(html.escape), "reference"),
        Fault("reference: @@ of BPE", _subwords("@@"), "reference"),
        Fault("reference: cut at 80 characters", each(lambda text: text[:80]), "reference"),
    ),
    "Copies and repetitions": (
        Fault("the reference, 100 %", lambda _, context: list(context.reference)),
        Fault("the reference, 50 %", some(0.5, lambda _, i, context: context.reference[i])),
        Fault("the reference, 20 %", some(0.2, lambda _, i, context: context.reference[i])),
        Fault("the reference, 10 %", some(0.1, lambda _, i, context: context.reference[i])),
        Fault(
            "the source, 5 %, with -s",
            some(0.05, lambda _, i, context: context.source[i]),
            with_source=True,
        ),
        Fault(
            "another system's, 50 %",
            some(0.5, lambda _, i, context: context.system[i]),
            with_system=True,
        ),
        Fault(
            "another system's, 30 %",
            some(0.3, lambda _, i, context: context.system[i]),
            with_system=True,
        ),
        Fault(
            "reference: a system's, 50 %",
            some(0.5, lambda _, i, context: context.system[i]),
            "reference",
            with_system=True,
        ),
        Fault("the first 100 segments three times", lambda text, _: text[:100] * 3, "rows"),
        Fault(
            "6 % of the rows twice",
            lambda text, _: [*text, *text[: len(text) * 6 // 100 + 20]],
            "rows",
        ),
    ),
}


def _context(name: str) -> Context:
    texts = read_texts(name)
    (reference, *_), systems = texts.references.values(), list(texts.systems.values())
    n = len(reference)
    stranger = read_texts("wmt21-en-de" if name != "wmt21-en-de" else "wmt23-en-cs")
    foreign = read_texts("wmt24-en-es" if name != "wmt24-en-es" else "wmt23-en-cs")

    def of_length(text: list[str]) -> list[str]:
        return (text * (n // len(text) + 1))[:n]

    return Context(
        reference=reference,
        source=texts.source or reference,
        system=systems[-1],
        stranger=of_length(next(iter(stranger.systems.values()))),
        foreign=of_length(next(iter(foreign.references.values()))),
    )


def planted(fault: Fault, name: str) -> list[TextWarning] | None:
    """Plant a fault into a set; return the warnings, or None if hardly any segment is changed."""
    texts, context = read_texts(name), _context(name)
    output = list(texts.systems.values())[min(1, len(texts.systems) - 1)]
    if output is context.system:
        output = next(iter(texts.systems.values()))
    second = list(texts.references.values())[-1]
    second = output if second is context.reference else second
    damaged = {
        "output": output,
        "reference": context.reference,
        "second reference": second,
        "source": context.source,
    }
    source = context.source if fault.with_source or fault.role == "source" else None
    for role in ("output", "reference") if fault.role == "rows" else (fault.role,):
        before, after = damaged[role], fault.change(damaged[role], context)
        damaged[role] = after
        changed = sum(a != b for a, b in zip(before, after, strict=False))
        if len(before) == len(after) and changed < CHANGED * len(before):
            return None
    systems = {"out": damaged["output"]}
    if fault.with_system or fault.role == "second reference":
        systems["other"] = context.system
    references = [damaged["reference"]]
    if fault.role == "second reference":
        references.append(damaged["second reference"])
    return warnings_of(systems, references, damaged["source"] if source else None)


def fault_rows() -> Iterator[Row]:
    """Plant all faults in all sets."""
    for kind, faults in FAULTS.items():
        for fault in faults:
            of_sets = [planted(fault, name) for name in PLANTED]
            of_sets = [warnings for warnings in of_sets if warnings is not None]
            found = [warnings for warnings in of_sets if warnings]
            yield {
                "kind": kind,
                "fault": fault.name,
                "before": f"{BEFORE.get(fault.name, 0)} of {len(of_sets)}",
                "found": f"{len(found)} of {len(of_sets)}",
                "codes": ", ".join(sorted({w.code for warnings in found for w in warnings})),
                "printed": found[0][0].message if found else "",
            }


def alarm_rows() -> Iterator[Row]:
    """Count the warnings about texts of all sets as they were published."""
    for name in SETS:
        texts = read_texts(name)
        references = list(texts.references.values())
        whole: dict[str, str] = {}
        for group in (texts.systems, *({key: text} for key, text in texts.systems.items())):
            for source in (None, texts.source):
                for warning in warnings_of(group, references, source):
                    if not warning.code.startswith("same"):
                        whole.setdefault(warning.text, f"{warning.text} {warning.code}")
        blocks, of_blocks = 0, Counter[str]()
        for start in range(0, len(references[0]) - BLOCK // 2, BLOCK):
            part = slice(start, start + BLOCK)
            for key, text in texts.systems.items():
                found = warnings_of({key: text[part]}, [one[part] for one in references])
                blocks += 1
                of_blocks.update(f"{key} {w.code}" for w in found if w.code[:4] != "same")
        yield {
            "set": name,
            "texts": len(texts.systems) + len(texts.references) + (texts.source is not None),
            "warned": len(whole),
            "whole": "; ".join(whole.values()),
            "blocks": blocks,
            "warned_blocks": sum(of_blocks.values()),
            "of_blocks": "; ".join(f"{key} {count}" for key, count in of_blocks.most_common()),
        }


FAULT_COLUMNS = (
    Column("fault", "Fault"),
    Column("before", "Before"),
    Column("found", "Noticed"),
    Column("codes", "Codes"),
    Column("printed", "Printed, in the first set"),
)
ALARM_COLUMNS = (
    Column("set", "Set"),
    Column("texts", "Texts"),
    Column("warned", "Remarked on"),
    Column("whole", "Which"),
    Column("blocks", "Blocks of 50 lines"),
    Column("warned_blocks", "Remarked on"),
    Column("of_blocks", "Which"),
)


@dataclass(frozen=True, slots=True)
class InputFaults:
    """Page of planted faults and false alarms.

    Attributes:
        faults: a row for each fault.
        alarms: a row for each set.
    """

    faults: tuple[Row, ...]
    alarms: tuple[Row, ...]

    def write(self, folder: Path) -> None:
        """Write the page and its tables."""
        (folder / "tables").mkdir(parents=True, exist_ok=True)
        columns = (Column("kind", "Kind"), *FAULT_COLUMNS)
        for number, (heads, rows) in enumerate(
            ((columns, self.faults), (ALARM_COLUMNS, self.alarms)), 1
        ):
            table = Table(heads, rows)
            path = folder / "tables" / f"inputs-{number}.tsv"
            path.write_text(tsv(Document((table,), table)), encoding="utf-8")
        (folder / "inputs.md").write_text(page_text(self._parts()), encoding="utf-8")

    def _parts(self) -> list[str]:
        counts = [[int(n) for n in str(row["found"]).split(" of ")] for row in self.faults]
        before = sum(int(str(row["before"]).split(" of ")[0]) for row in self.faults)
        found, planted_in = (sum(column) for column in zip(*counts, strict=True))
        texts, warned, blocks, in_blocks = (
            sum(int(str(row[key])) for row in self.alarms)
            for key in ("texts", "warned", "blocks", "warned_blocks")
        )
        always = sum(found == sets for found, sets in counts)
        parts = [
            "# Wrong lines, debris and copies: what is noticed, and what is noticed wrongly",
            f"**Answer.** Of {len(counts)} faults, {always} are noticed in every set that they are "
            f"planted in; of {planted_in} damaged sets, {found} ({before} before texts were "
            f"compared with each other). Of {texts} texts as they were published {warned} are "
            f"remarked on, and {in_blocks} of {blocks:,} blocks of {BLOCK} lines.",
            f"Each fault is planted into one text of {len(PLANTED)} sets: WMT23 Hebrew and "
            "Chinese into English, English into Czech and Japanese, WMT24 English into Spanish, "
            "and English into Chinese, where outputs are Chinese sources that lost 15 % of their "
            "characters. The source is given only if the fault is in it, or the table says so. A "
            f"set counts if the fault changes {percent(CHANGED)} of the segments or more. What "
            "the warnings mean stands in [warnings](../reference/warnings.md).",
        ]
        for kind in FAULTS:
            rows = tuple(
                {**row, "printed": shortened(str(row["printed"]), 130)}
                for row in self.faults
                if row["kind"] == kind
            )
            table = Table(FAULT_COLUMNS, rows)
            parts += [f"## {kind}", markdown(Document((table,), table)).rstrip()]
        table = Table(ALARM_COLUMNS, self.alarms)
        return [
            *parts,
            "## Published texts",
            "All systems of a set together and each alone, with the source and without it; then "
            "each system alone in blocks. Copies of whole files are not counted.",
            markdown(Document((table,), table)).rstrip(),
            "All rows: [faults](tables/inputs-1.tsv), [published texts](tables/inputs-2.tsv). Made "
            "by `make evidence`; all figures come from the run itself, except those from before.",
        ]


def page() -> InputFaults:
    """Plant all faults, and examine all sets."""
    return InputFaults(tuple(fault_rows()), tuple(alarm_rows()))
