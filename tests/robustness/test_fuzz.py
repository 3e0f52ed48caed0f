"""Every reader on damaged files, every metric on strange text: our own errors and nothing else.

`make fuzz` goes on for longer, with the number of cases.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import math
import random
import sys
import warnings
from collections import Counter
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from tests.human.reading.test_kinds import KINDS as JUDGMENTS
from tests.scores.formats.test_golden import FILES as TOOLS, damaged as other_value
from truebleu import count, metrics, score
from truebleu.corpus._files import STATISTICS
from truebleu.corpus._reading import read_test_set
from truebleu.corpus.nbest_files import NBEST_FORMATS, read_nbest
from truebleu.corpus.test_set import as_test_set
from truebleu.counts.saved import read_counts, save_counts
from truebleu.errors import TruebleuError
from truebleu.execution.journal import Runner, Task
from truebleu.human import read_human
from truebleu.metrics.dependency import DependencyF
from truebleu.nbest.choices import read_weights
from truebleu.scores.formats import read_evaluations
from truebleu.scores.given import GivenScores, read_segment_scores
from truebleu.significance.gate import gate
from truebleu.tokenizers import NATIVE, tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SEED = 16
CASES = 40
RECORDED = Path(__file__).parents[1] / "scores" / "formats_llm" / "recorded"
GOLDEN = Path(__file__).resolve().parents[3] / "shared" / "golden" / "formats"
LINES = ["a cat", "sat"]
TEXT = b"a cat\nsat\n"
GZIP = gzip.compress(TEXT, mtime=0)
SGML = (
    b'<tstset><doc sysid="s" docid="d"><seg id="1">a &lt; cat</seg>'
    b'<!-- x --><seg id="2">sat</seg></doc></tstset>\n'
)
XML = (
    b'<?xml version="1.0"?><dataset><doc id="d"><hyp system="s"><p><seg id="1">a cat</seg>'
    b'<seg id="2">sat</seg></p></hyp></doc></dataset>\n'
)
NIST = b'<?xml version="1.0"?><!-- y --><mteval>' + SGML.replace(b"cat", b"&#99;at") + b"</mteval>"
LONG = b"system\tdoc\tid\ttext\nA\td\t1\ta cat\nA\td\t2\tsat\nB\td\t1\tx\nB\td\t2\ty\n"
PARSE = (
    b"# text = a cat\n1\ta\ta\tDET\t_\t_\t2\tdet\t_\t_\n2\tcat\tcat\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    b"1\tsat\tsit\tVERB\t_\t_\t0\troot\t_\t_\n\n"
)
NBEST: dict[str, bytes] = {
    "moses": b"0 ||| a cat ||| lm= -1 2 tm= 3 ||| -1.5\n1 ||| sat ||| lm= -2 1 tm= 1 ||| -2\n",
    "cdec": b"0 ||| a cat ||| lm=-1 tm=2 ||| -1.5\n1 ||| sat ||| lm=-2 tm=1 ||| -2\n",
    "joshua": b"0 ||| a cat ||| lm=-1 tm=2 ||| -1.5\n1 ||| sat ||| lm=-2 tm=1 ||| -2\n",
    "marian": b"0 ||| a cat ||| F0= -1 ||| -1.5\n1 ||| sat ||| F0= -2 ||| -2\n",
    "fairseq": b"S-0\tx\nH-0\t-0.5\ta cat\nP-0\t-0.5 -0.5\nS-1\ty\nH-1\t-0.1\tsat\nP-1\t-0.1\n",
    "sockeye": b'{"translations": ["a cat", "x"], "scores": [[1.5], [2]]}\n'
    b'{"translations": ["sat"], "scores": [[1]]}\n',
    "jsonl": b'{"id": "1", "candidates": [{"text": "a cat", "score": -1}]}\n'
    b'{"id": "2", "candidates": [{"text": "sat", "score": -2}]}\n',
    "flat": b"a cat\nsat\n",
}
PIECES = [
    *b"\0 \xff \xed\xb2\x80 \t \n \r \" ' < > & = \\u0000 \\udc80 NaN 1e999 <!-- -->".split(b" "),
    *b"]]> <![CDATA[ &#0; &#x110000; <doc <seg> </seg> {} [[[[ ||| _ # , : . - 0 null true".split(),
    *(b" ", b"-1", b"1e300", b'"text": "x",', b"\xe2\x80\xa8", b"\xc2\x85", b"\x1b[31m"),
    *(b"9" * 5000, b"[" * 20_000, b'{"a":' * 20_000),
]


def parquet(**columns: Sequence[object]) -> bytes:
    """Columns in Parquet."""
    file = BytesIO()
    pq.write_table(pa.table(columns or {"doc": ["d1", "d2"], "text": LINES}), file)
    return file.getvalue()


def parquet_scores() -> bytes:
    """Scores of two systems in Parquet."""
    return parquet(system=["a", "b"], segment=[1, 1], score=[0.5, 1.0])


def saved_counts() -> bytes:
    """Saved counts of two systems by two metrics, one of them scores of another program."""
    given = GivenScores.of({"s": [0.5, 1], "t": [1, None]}, name="x", missing="omit")
    with TemporaryDirectory() as folder:
        counts = count({"s": LINES, "t": LINES[::-1]}, LINES, ["chrf", given], documents=["d", "e"])
        save_counts(counts, Path(folder) / "s.npz")
        return (Path(folder) / "s.npz").read_bytes()


def saved_header() -> bytes:
    """The JSON in a file of saved counts."""
    with np.load(BytesIO(saved_counts())) as archive:
        header: bytes = archive[STATISTICS].tobytes()
    return header


def score_counts(path: Path) -> object:
    """Score saved counts."""
    return score(read_counts(path), per_segment=True)


def score_header(path: Path) -> object:
    """Score saved counts with another header."""
    with np.load(BytesIO(saved_counts())) as archive:
        arrays = dict(archive)
    arrays[STATISTICS] = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    np.savez(path.with_suffix(".npz"), **arrays)
    return score_counts(path.with_suffix(".npz"))


def run_study(path: Path) -> None:
    """Resume a study of two tasks from a journal."""
    tasks = [Task(key=("a", number), work=lambda: {"value": 1.5}) for number in range(2)]
    Runner(journal=path).run({"study": "fuzz", "pool": {"systems": 2}}, tasks)


def journal() -> bytes:
    """The journal of that study."""
    with TemporaryDirectory() as folder:
        run_study(Path(folder) / "j")
        return (Path(folder) / "j").read_bytes()


def look(path: Path) -> None:
    """One look of a gate at a test set, by the ledger in a file."""
    texts = [f"{line} {i}" for i, line in enumerate(LINES * 10)]
    both = {"new": texts, "old": [*texts[:-1], "x"]}
    gate(both, [texts], baseline="old", replicates=50, ledger=path, looks=3)


def ledger() -> bytes:
    """A ledger with one look."""
    with TemporaryDirectory() as folder:
        look(Path(folder) / "l")
        return (Path(folder) / "l").read_bytes()


def read_items(path: Path) -> None:
    """Read scores that another tool wrote: all of them are finite."""
    column, filter_ = ("exact_match", "plain") if path.suffix == ".jsonl" else ("", "")
    scores = read_segment_scores(str(path), column=column, filter_=filter_)
    rows = [scores.of(system, scores.segments) for system in scores.by_system]
    assert all(math.isfinite(score) for row in rows for score in row if score is not None)


def read_tools(path: Path) -> None:
    """Read what a tool wrote, on its own: items with their outputs, references and scores."""
    for evaluation in read_evaluations(str(path)):
        items = evaluation.chosen_items()
        name = evaluation.score_name(items, "")
        scores = [evaluation.score(item, name) for item in items]
        assert all(math.isfinite(score) for score in scores if score is not None)


def golden() -> dict[str, Target]:
    """The first of each kind of file of every tool, where these are at hand."""
    targets = {}
    for tool, pattern, _ in TOOLS if GOLDEN.is_dir() else ():
        path = sorted((GOLDEN / tool).glob(pattern))[0]
        if path.is_dir():
            continue
        targets[f"tools {tool} {pattern}"] = target(path.read_bytes(), path.name, read_tools)
    return targets


def read_texts(path: Path) -> None:
    """Read a text, which must have as many segments as its reference."""
    reference = path.with_name("reference")
    reference.write_bytes(TEXT)
    column = "#text" if path.suffix in (".tsv", ".csv", ".jsonl", ".parquet") else ""
    assert len(read_test_set([f"{path}{column}"], [reference])) == 2


def read_long(path: Path) -> None:
    """Read texts of several systems from one table."""
    reference = path.with_name("reference")
    reference.write_bytes(TEXT)
    read_test_set([f"{path}#text"], [reference])


def read_documents(path: Path) -> None:
    """Read the documents of two segments."""
    reference = path.with_name("reference")
    reference.write_bytes(TEXT)
    labels = read_test_set([reference], [reference], documents=path).documents
    assert labels is None or len(labels) == 2


def read_judgments(path: Path) -> None:
    """Read human scores of two systems: all numbers are finite."""
    judgments = read_human(path, systems=["a", "b"], segments=2)
    scores = getattr(judgments, "scores", {})
    assert all(math.isfinite(x) for row in scores.values() for x in row if x is not None)


def weigh(path: Path) -> None:
    """Read weights of features."""
    assert all(math.isfinite(weight) for weight in read_weights(str(path)).values())


def count_parses(path: Path) -> None:
    """Count relations of parses."""
    metric = DependencyF.of({"s": path}, [PARSE.decode()])
    score = metric.score(metric.count(as_test_set({"s": LINES}, [LINES])).array().sum(0))
    assert 0 <= score[0] <= 100


#: Targets: what a whole file is, the end of its name, and what reads it.
Target = tuple["Callable[[], bytes]", str, "Callable[[Path], object]"]


def target(data: bytes, ending: str, read: Callable[[Path], object]) -> Target:
    return (lambda: data), ending, read


TARGETS: dict[str, Target] = {
    "text": target(TEXT, ".txt", read_texts),
    "tsv": target(b"doc\ttext\nd1\ta cat\nd2\tsat\n", ".tsv", read_texts),
    "csv": target(b'doc,text\nd1,"a ""cat"""\nd2,sat\n', ".csv", read_texts),
    "jsonl": target(b'{"text": "a cat"}\n{"text": "\\u00e9"}\n', ".jsonl", read_texts),
    "json": target(b'[{"id": 1, "text": "a cat"}, {"id": 2, "text": "x"}]', ".json", read_texts),
    "long table": target(LONG, ".tsv", read_long),
    "sgml": target(SGML, ".sgm", read_texts),
    "nist xml": target(NIST, ".xml", read_texts),
    "xml": target(XML, ".xml", read_texts),
    "gzip": target(GZIP, ".gz", read_texts),
    "bzip2": target(bz2.compress(TEXT), ".bz2", read_texts),
    "xz": target(lzma.compress(TEXT), ".xz", read_texts),
    "zstd": target(zstandard.ZstdCompressor().compress(TEXT), ".zst", read_texts),
    "gzip streams": target(GZIP + gzip.compress(b"", mtime=0), ".gz", read_texts),
    "bzip2 streams": target(bz2.compress(TEXT[:6]) + bz2.compress(TEXT[6:]), ".bz2", read_texts),
    "xz streams": target(lzma.compress(TEXT[:6]) + lzma.compress(TEXT[6:]), ".xz", read_texts),
    "parquet": (parquet, ".parquet", read_texts),
    "parquet judgments": (parquet_scores, ".parquet", read_judgments),
    "parquet scores": (parquet_scores, ".parquet", read_items),
    "documents lines": target(b"d1\nd2\n", ".txt", read_documents),
    "documents docs": target(b"news d1\nnews d2\n", ".docs", read_documents),
    "documents table": target(b"doc\tdomain\nd1\tnews\nd2\tnews\n", ".tsv", read_documents),
    "conllu": target(PARSE, ".conllu", count_parses),
    "counts": (saved_counts, ".npz", score_counts),
    "counts header": (saved_header, ".json", score_header),
    **{f"items {file.name}": target(file.read_bytes(), file.name, read_items)
       for file in sorted(RECORDED.iterdir())},
    **golden(),
    "journal": (journal, ".jsonl", run_study),
    "ledger": (ledger, ".db", look),
    "weights": target(b"lm\t1\ntm= 0.5 2\n", ".txt", weigh),
    **{f"judgments {name}": target(text.encode(), name, read_judgments)
       for name, text in JUDGMENTS.items()},
    **{f"n-best {name}": target(NBEST[name], ".txt", partial(
        read_nbest, input_format=name, list_size=1 if name == "flat" else None))
       for name in NBEST_FORMATS},
}  # fmt: skip


def restructured(data: bytes, draw: random.Random) -> bytes | None:
    """JSON, or one of its lines, with something else in one place; None where it is no JSON."""
    for lines in ([data], data.splitlines()):
        place = draw.randrange(len(lines))
        try:
            value = json.loads(lines[place])
        except ValueError:
            continue
        changed = json.dumps(other_value(draw, value)).encode()
        return b"\n".join([*lines[:place], changed, *lines[place + 1 :]])
    return None


def damaged(data: bytes, draw: random.Random) -> bytes:
    """The data with one to four pieces put in, taken out, doubled, or bits turned over.

    One in three of what is JSON is JSON still, with something else in one place.
    """
    if draw.random() < 1 / 3 and (changed := restructured(data, draw)) is not None:
        return changed
    for _ in range(draw.randint(1, 4)):
        start = draw.randrange(len(data) + 1)
        end = min(len(data), start + draw.randrange(12))
        flipped = bytes(byte ^ 1 << draw.randrange(8) for byte in data[start:end])
        piece = draw.choice([*PIECES, data[start:end] * 2, flipped, b""])
        data = data[:start] + piece + data[end:]
    return data


def attack(folder: Path, name: str, draw: random.Random, data: bytes) -> None:
    """Read one damaged file; any error but ours is a fault, and so is any warning."""
    ending, read = TARGETS[name][1:]
    path = folder / f"x{ending}"
    path.write_bytes(damaged(data, draw))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            read(path)
        except TruebleuError as error:
            str(error)


@pytest.mark.parametrize("name", TARGETS)
def test_a_damaged_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    draw, data = random.Random(f"{SEED} {name}"), TARGETS[name][0]()  # noqa: S311
    for _ in range(CASES):
        attack(tmp_path, name, draw, data)


@pytest.mark.parametrize("name", TARGETS)
def test_the_whole_file_is_read(name: str, tmp_path: Path) -> None:
    make, ending, read = TARGETS[name]
    (tmp_path / f"x{ending}").write_bytes(make())
    read(tmp_path / f"x{ending}")


LETTERS = [
    *"aB1. ,'\"-<>&;\t|@#%",
    *"\u00a0\u2028\u0085\x1c\ufeff\u200b\u0301\u202e", *"\u00e9\u4e2d\u6587",
    *"\u304b\u30ca\u0e01\uac00\u0627\u05d0\U0001f600\U00010000\uffff", "&quot;", "<skipped>", "\r",
]  # fmt: skip
METRICS = [
    *("bleu", "chrf", "chrf:word_order=2", "ter", "ter:normalized=yes,asian_support=yes", "nist"),
    *("sentbleu", "gtm", "gtm:exponent=2", "mbleu", "per", "wer", "length", "bleu:smooth=none"),
]


def score_strange_text(draw: random.Random) -> None:
    """Score three strange segments by some metric, with two references, and cut one of them."""
    texts = [
        ["".join(draw.choices(LETTERS, k=draw.randrange(25))) for _ in range(3)] for _ in range(3)
    ]
    metric = metrics.parse_metric(draw.choice(METRICS))
    score = metric.corpus(texts[0], texts[1:])
    assert math.isfinite(score.score)
    rows = metric.statistics(texts[0], texts[1:])
    assert metric.score(rows.sum(axis=0)) == pytest.approx(score.score, rel=1e-12)
    name = draw.choice(NATIVE)
    assert tokenize(texts[0][0], name) == tokenize(texts[0][0], name)


def test_strange_text_has_a_finite_score() -> None:
    draw = random.Random(SEED)  # noqa: S311
    for _ in range(300):
        score_strange_text(draw)


def fuzz(seconds: float, seed: int = SEED) -> tuple[Counter[str], Counter[str]]:
    """Attack for so long: the cases and the faults of each group, whose name is the first word."""
    end = monotonic() + seconds
    cases, faults = Counter[str](), Counter[str]()
    whole = {name: make() for name, (make, _, _) in TARGETS.items()}
    with TemporaryDirectory() as folder:
        while monotonic() < end:
            seed += 1
            for name in (*whole, "strange text"):
                sys.stderr.write(f"\rseed {seed} {name:<30} {cases.total():,} cases")
                draw = random.Random(f"{seed} {name}")  # noqa: S311
                for _ in range(CASES):
                    group = name.split()[0]
                    cases[group] += 1
                    try:
                        if name in whole:
                            attack(Path(folder), name, draw, whole[name])
                        else:
                            score_strange_text(draw)
                    except Exception as error:  # any fault is counted, and said
                        faults[group] += 1
                        sys.stderr.write(f"\n{name}: {error!r}\n")
    return cases, faults


if __name__ == "__main__":
    of_group, failed = fuzz(60 * float(sys.argv[1]), *map(int, sys.argv[2:]))
    for each in of_group:
        sys.stdout.write(f"| {each} | {of_group[each]:,} | {failed[each]} |\n")
    sys.exit(1 if failed else 0)
