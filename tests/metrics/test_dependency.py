"""Dependency F: relations counted and matched, settings, sources of parses, and laws."""

from __future__ import annotations

import gzip
import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import truebleu
from truebleu.corpus import as_test_set
from truebleu.errors import (
    CorpusError,
    MalformedFileError,
    MissingColumnError,
    MissingExtraError,
    SettingError,
    UnknownNameError,
    UnpairedSegmentsError,
    UnreadableFileError,
)
from truebleu.metrics import DependencyF, dependency as parses, parse_metric

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

Word = tuple[str, int, str]
Tree = list[Word]


def conllu(trees: Sequence[Tree]) -> str:
    """The trees as CoNLL-U; the lemma is the form in upper case."""
    blocks = []
    for tree in trees:
        lines = ["# a sentence"]
        for number, (form, head, label) in enumerate(tree, 1):
            fields = [number, form, form.upper(), "X", "_", "_", head, label, "_", "_"]
            lines.append("\t".join(map(str, fields)))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n\n"


def text(trees: Sequence[Tree]) -> list[str]:
    return [" ".join(form for form, _, _ in tree) for tree in trees]


def plain_row(output: Tree, references: list[Tree]) -> list[int]:
    """Matched, output, reference: from the definition, one pair of relations at a time."""
    rows = []
    for reference in references:
        left = [relation(word, output) for word in output]
        right = [relation(word, reference) for word in reference]
        matched = 0
        for item in left:
            if item in right:
                right.remove(item)
                matched += 1
        size = len(output) + len(reference)
        f = 2 * matched / size if size else 0.0
        rows.append((f, -len(reference), [matched, len(output), len(reference)]))
    return max(rows, key=lambda row: row[:2])[2]


def relation(word: Word, tree: Tree) -> tuple[str, str | None, str]:
    form, head, label = word
    return label, None if head == 0 else tree[head - 1][0], form


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    size = draw(st.integers(0, 6))
    tree = []
    for number in range(1, size + 1):
        head = draw(st.sampled_from([h for h in range(size + 1) if h != number]))
        form, label = draw(st.sampled_from(["a", "b", "A"])), draw(st.sampled_from(["x", "y"]))
        tree.append((form, head, label))
    return tree


@st.composite
def parsed_texts(draw: st.DrawFn) -> tuple[list[Tree], list[list[Tree]]]:
    size = draw(st.integers(1, 4))
    parsed = st.lists(trees(), min_size=size, max_size=size)
    return draw(parsed), draw(st.lists(parsed, min_size=1, max_size=3))


def rows_of(output: list[Tree], references: list[list[Tree]], **settings: Any) -> Any:
    metric = DependencyF.of({"system": conllu(output)}, list(map(conllu, references)), **settings)
    return metric.statistics(text(output), [text(reference) for reference in references])


@given(parsed_texts())
def test_rows_are_what_the_definition_says(texts: tuple[list[Tree], list[list[Tree]]]) -> None:
    output, references = texts
    expected = [plain_row(tree, list(other)) for tree, *other in zip(output, *references)]  # noqa: B905
    assert rows_of(output, references).tolist() == expected


@given(parsed_texts())
def test_the_order_of_references_does_not_matter(
    texts: tuple[list[Tree], list[list[Tree]]],
) -> None:
    output, references = texts
    np.testing.assert_array_equal(rows_of(output, references), rows_of(output, references[::-1]))


@given(parsed_texts())
def test_corpus_scores_equal_scores_of_summed_rows(
    texts: tuple[list[Tree], list[list[Tree]]],
) -> None:
    output, references = texts
    metric = DependencyF.of({"system": conllu(output)}, list(map(conllu, references)))
    outputs, others = text(output), [text(reference) for reference in references]
    rows = metric.statistics(outputs, others)
    expected = pytest.approx(metric.corpus(outputs, others).score, rel=1e-12)
    assert metric.score(rows[::-1].sum(axis=0)) == expected
    assert metric.score(rows[:1].sum(axis=0) + rows[1:].sum(axis=0)) == expected
    scores = metric.score(np.stack([rows, rows]))
    assert scores.shape == (2, len(rows))
    assert ((scores >= 0) & (scores <= 100)).all()


@given(st.lists(trees(), min_size=1, max_size=3).filter(any))
def test_identical_parses_score_100(parsed: list[Tree]) -> None:
    metric = DependencyF.of({"system": conllu(parsed)}, [conllu(parsed)])
    score = metric.corpus(text(parsed), text(parsed))
    assert (score.score, score.to_dict()["precision"], score.to_dict()["recall"]) == (100, 100, 100)


CAT: Tree = [("the", 2, "det"), ("cat", 3, "nsubj"), ("sees", 0, "root"), ("dogs", 3, "obj")]
DOGS: Tree = [("dogs", 2, "nsubj"), ("saw", 0, "root"), ("The", 4, "det"), ("cat", 2, "obj")]
TURNED: Tree = [("cat", 0, "root"), ("sees", 1, "nsubj")]


@pytest.mark.parametrize(
    ("output", "reference", "settings", "row"),
    [
        (CAT, DOGS, {}, [0, 4, 4]),
        (CAT, DOGS, {"lowercase": True}, [1, 4, 4]),
        (CAT, DOGS, {"word": "lemma"}, [1, 4, 4]),
        (CAT, DOGS, {"root": False}, [0, 3, 3]),
        (CAT, TURNED, {}, [0, 4, 2]),
        (CAT, TURNED, {"direction": False}, [1, 4, 2]),
        (CAT, TURNED, {"direction": False, "root": False}, [1, 3, 1]),
        (CAT, [("cat", 2, "obj"), ("sees", 0, "root")], {}, [1, 4, 2]),
        (CAT, [("cat", 2, "obj"), ("sees", 0, "root")], {"labelled": False}, [2, 4, 2]),
        ([], CAT, {}, [0, 0, 4]),
        ([], [], {}, [0, 0, 0]),
    ],
)
def test_settings_say_which_relations_are_the_same(
    output: Tree, reference: Tree, settings: Any, row: list[int]
) -> None:
    assert rows_of([output], [[reference]], **settings).tolist() == [row]


def test_matches_are_clipped() -> None:
    thrice: Tree = [("x", 0, "root"), ("no", 1, "neg"), ("no", 1, "neg"), ("no", 1, "neg")]
    assert rows_of([thrice], [[thrice[:2]]]).tolist() == [[2, 4, 2]]
    assert rows_of([thrice[:2]], [[thrice]]).tolist() == [[2, 2, 4]]


def test_the_parts_of_a_score() -> None:
    wrong: Tree = [("cat", 2, "nsubj"), ("sees", 0, "root")]
    metric = DependencyF.of({"system": conllu([CAT])}, [conllu([wrong])])
    score = metric.corpus(text([CAT]), text([wrong]))
    assert score.to_dict() == {
        "score": pytest.approx(200 * 2 / 6),
        "precision": 50.0,
        "recall": 100.0,
        "matched": 2,
        "output_relations": 4,
        "reference_relations": 2,
    }
    assert str(score) == "depF = 66.67 (P = 50.0 R = 100.0 output = 4 reference = 2)"
    assert metric.describe([0, 0, 0], 1).score == 0
    assert str(score.signature).startswith(
        "depF|nrefs:1|case:mixed|labels:yes|word:form|dir:yes|root:yes|parser:unstated|version:"
    )
    named = DependencyF.of({}, [], parser="udpipe-2", lowercase=True)
    assert "case:lc" in str(named.signature)
    assert "parser:udpipe-2" in str(named.signature)


def test_an_absent_reference_is_no_reference() -> None:
    metric = DependencyF.of({"s": conllu([CAT])}, [conllu([CAT]), conllu([[]])])
    some: list[list[str | None]] = [[*text([CAT])], [None]]
    assert metric.count(as_test_set({"s": text([CAT])}, some)).sums() == [[4, 4, 4]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, tree in {"out": CAT, "ref": DOGS}.items():
        (tmp_path / f"{name}.txt").write_text(text([tree])[0] + "\n")
        (tmp_path / f"{name}.conllu").write_text(conllu([tree]))
    return tmp_path


def count(folder: Path, settings: str = "") -> list[list[float]]:
    files = [str(folder / "out.txt")], [str(folder / "ref.txt")]
    metric = parse_metric(f"depf:parses={folder}{settings}")
    return metric.count(truebleu.read_test_set(*files)).sums()


def test_parses_are_found_in_a_folder_by_name(folder: Path) -> None:
    assert count(folder, ",lowercase") == [[1, 4, 4]]
    (folder / "out.conllu").rename(folder / "plain")
    (folder / "out.conllu.gz").write_bytes(gzip.compress((folder / "plain").read_bytes()))
    assert count(folder) == [[0, 4, 4]]


def test_parses_may_be_given_as_paths(folder: Path) -> None:
    metric = DependencyF.of({"x": folder / "out.conllu"}, [str(folder / "ref.conllu")])
    test_set = as_test_set({"x": text([CAT])}, text([DOGS]))
    assert metric.count(test_set).sums() == [[0, 4, 4]]
    assert hash(metric) == hash(DependencyF(given=metric.given))


def test_a_missing_file_says_whose_parses_are_expected(folder: Path) -> None:
    (folder / "ref.conllu").unlink()
    with pytest.raises(UnreadableFileError) as refusal:
        count(folder)
    expected = "ref.conllu: no such file; expected the parses of reference 'ref'"
    assert str(refusal.value).endswith(expected)


def test_parses_of_another_text_are_refused_unless_told(folder: Path) -> None:
    (folder / "out.conllu").write_text(conllu([DOGS]))
    with pytest.raises(MalformedFileError, match=r"out\.conllu: line 1: .* segment 1 of system"):
        count(folder)
    assert count(folder, ",check_text=no") == [[4, 4, 4]]


def test_parses_of_another_length_are_refused(folder: Path) -> None:
    (folder / "out.conllu").write_text(conllu([CAT, CAT]))
    with pytest.raises(UnpairedSegmentsError, match=r"out\.conllu: 2 segments, but system 'out'"):
        count(folder)


def test_missing_lemmas_and_labels_are_rejected_if_they_are_compared(folder: Path) -> None:
    parse = (folder / "out.conllu").read_text()
    (folder / "out.conllu").write_text(parse.replace("\tCAT\t", "\t_\t"))
    assert count(folder) == [[0, 4, 4]]
    with pytest.raises(MalformedFileError, match=r"line 3: no lemma of 'cat'; expected one"):
        count(folder, ",word=lemma")
    (folder / "out.conllu").write_text(parse.replace("\tdet\t", "\t_\t"))
    assert count(folder, ",labelled=no") == [[0, 4, 4]]
    with pytest.raises(MalformedFileError, match=r"line 2: no relation of 'the'"):
        count(folder)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ("", SettingError, "parses: ''; expected a folder of CoNLL-U files"),
        ("parses=a,spacy=b", SettingError, "but not both"),
        ("parses=a,word=stem", UnknownNameError, "unknown word 'stem'"),
        ("parses=a,given=b", UnknownNameError, "unknown setting of depf 'given'"),
        ("parses=a,labelled=maybe", SettingError, "expected yes or no"),
    ],
)
def test_impossible_settings_are_refused(
    settings: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as refusal:
        parse_metric(f"depf:{settings}")
    assert message in str(refusal.value)


def test_parses_must_be_given_for_every_text() -> None:
    with pytest.raises(MissingColumnError, match="no system 'system'; it has other"):
        DependencyF.of({"other": conllu([CAT])}, [conllu([CAT])]).corpus(text([CAT]), text([CAT]))
    with pytest.raises(SettingError, match="'0 parses'; expected 1, one for each"):
        DependencyF.of({"system": conllu([CAT])}, []).corpus(text([CAT]), text([CAT]))
    with pytest.raises(SettingError, match="expected a list"):
        DependencyF.of({}, conllu([CAT]))
    with pytest.raises(CorpusError, match="parses of system 'system': line 1"):
        DependencyF.of({"system": "1 a\n"}, [conllu([CAT])]).corpus(text([CAT]), text([CAT]))


class Pipeline:
    """As much of a spaCy model as is used: each word hangs on the one before it."""

    def __init__(self, annotated: bool = True) -> None:
        self.meta = {"lang": "xx", "name": "chain", "version": "1.2"}
        self.annotated = annotated

    def pipe(self, texts: list[str]) -> Any:
        return (Document(text, self.annotated) for text in texts)


class Document(list[Any]):
    def __init__(self, text: str, annotated: bool) -> None:
        super().__init__()
        self.annotated = annotated
        # spaCy makes tokens of extra white space.
        for place, word in enumerate(text.split(" ")):
            token = SimpleNamespace(text=word, lemma_=word.lower(), dep_="dep", i=place)
            token.is_space = not word
            token.head = self[-1] if self else token
            self.append(token)

    def has_annotation(self, name: str) -> bool:
        return self.annotated and name == "DEP"


@pytest.fixture
def spacy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = ModuleType("spacy")
    models = {"chain": Pipeline(), "blank": Pipeline(annotated=False)}

    def load(name: str) -> Pipeline:
        if name not in models:
            raise OSError(f"[E050] Can't find model '{name}'.")
        return models[name]

    module.load = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spacy", module)
    parses._pipeline.cache_clear()
    yield
    parses._pipeline.cache_clear()


@pytest.mark.usefixtures("spacy")
def test_spacy_parses_the_texts() -> None:
    metric = parse_metric("depf:spacy=chain")
    # The chains are root-a, a-b, b-c and root-a, a-b; a word after white space is a root.
    assert metric.statistics(["a b c"], ["a b"]).tolist() == [[2, 3, 2]]
    assert metric.statistics(["a  b"], ["a b"]).tolist() == [[1, 2, 2]]
    assert "parser:spacy-xx_chain-1.2" in str(metric.signature)
    lemmas = parse_metric("depf:spacy=chain,word=lemma")
    assert lemmas.statistics(["A"], ["a"]).tolist() == [[1, 1, 1]]
    absent: list[list[str | None]] = [["a", "b"], [None, "c"]]
    assert metric.statistics(["a", "c"], absent).tolist() == [[1, 1, 1], [1, 1, 1]]


@pytest.mark.usefixtures("spacy")
def test_a_model_that_is_missing_or_does_not_parse_is_refused() -> None:
    with pytest.raises(SettingError, match="python -m spacy download en_core_web_sm"):
        parse_metric("depf:spacy=en_core_web_sm").corpus(["a"], ["a"])
    with pytest.raises(SettingError, match="a model with a dependency parser"):
        parse_metric("depf:spacy=blank").corpus(["a"], ["a"])


def test_a_missing_spacy_raises_an_error_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    parses._pipeline.cache_clear()
    with pytest.raises(MissingExtraError, match=r"pip install spacy"):
        parse_metric("depf:spacy=chain").corpus(["a"], ["a"])
