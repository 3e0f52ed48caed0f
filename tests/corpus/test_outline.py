"""Outlines: names, sizes and labels of a test set without its texts."""

from __future__ import annotations

import json
import pickle
from functools import partial
from typing import Any

import pytest

from truebleu.corpus.fingerprints import Fingerprints
from truebleu.corpus.outline import Outline, document_warnings
from truebleu.corpus.text_warnings import TextWarning
from truebleu.errors import AbsentTextError, ArgumentTypeError, SettingError, UnpairedSegmentsError

PASSAGES = ("p1", "p1", "p2")


def passages(name: str) -> tuple[str, ...] | None:
    return PASSAGES if name == "passage" else None


def make_outline(**changes: Any) -> Outline:
    values: dict[str, Any] = {
        "systems": ("a", "b"),
        "segments": 3,
        "reference_names": ("ref",),
        "references_each": 1,
        "documents": ("d1", "d2", "d1"),
        "domains": ("x", "y", "y"),
        "names": ("q1", "q2", "q3"),
        "fields": passages,
        "fingerprints": Fingerprints(references="r", outputs={"a": "o"}, lengths=(4, 5, 6)),
        "warnings": (TextWarning("blank", "a", 1, 2, "a: 1 blank segment"),),
    }
    return Outline(**{**values, **changes})


def test_sizes_count_documents_and_domains() -> None:
    sizes = make_outline().sizes
    assert sizes.to_dict() == {
        "segments": 3,
        "references": 1,
        "reference_names": ["ref"],
        "documents": 2,
        "domains": 2,
        "rows": "segments",
    }
    assert json.loads(json.dumps(sizes.to_dict())) == sizes.to_dict()


def test_sizes_of_unknown_labels_are_none() -> None:
    sizes = make_outline(documents=None, domains=None, reference_names=(), rows="items").sizes
    assert (sizes.documents, sizes.domains, sizes.references) == (None, None, 0)
    assert sizes.rows == "items"


def test_fingerprints_are_required() -> None:
    outline = make_outline()
    assert outline.require_fingerprints() is outline.fingerprints
    with pytest.raises(AbsentTextError, match="the segments, counted without fingerprints=True"):
        make_outline(fingerprints=None).require_fingerprints()


def test_a_subset_keeps_the_names_of_its_segments() -> None:
    part = make_outline().subset([2, 0])
    assert (part.systems, part.segments) == (("a", "b"), 2)
    assert part.documents == ("d1", "d1")
    assert part.domains == ("y", "x")
    assert part.names == ("q3", "q1")
    assert part.labels("passage") == ("p2", "p1")
    assert part.labels("chapter") is None
    assert part.subset([1]).labels("passage") == ("p1",)


def test_a_subset_has_no_fingerprints_and_no_warnings() -> None:
    part = make_outline().subset([0, 1, 2])
    assert (part.fingerprints, part.warnings) == (None, ())


def test_a_subset_of_unknown_labels_has_none() -> None:
    part = make_outline(documents=None, domains=None, names=None, fields=None).subset([1])
    assert (part.documents, part.domains, part.names, part.fields) == (None, None, None, None)
    assert part.labels("passage") is None


def test_some_systems_have_the_same_segments() -> None:
    outline = make_outline()
    chosen = outline.select(["b"])
    assert chosen.systems == ("b",)
    assert chosen.select(["a", "b"]) == outline


def test_labels_are_documents_domains_and_fields() -> None:
    outline = make_outline()
    assert outline.labels("document") == ("d1", "d2", "d1")
    assert outline.labels("domain") == ("x", "y", "y")
    assert outline.labels("passage") == PASSAGES
    assert make_outline(domains=None).labels("domain") is None


def test_a_field_may_be_called_domain() -> None:
    fields = partial(dict.get, {"domain": PASSAGES})
    assert make_outline(domains=None, fields=fields).labels("domain") == PASSAGES
    assert make_outline(fields=fields).labels("domain") == ("x", "y", "y")


def test_columns_are_known_labels_or_given_ones() -> None:
    outline = make_outline()
    assert outline.columns(None) == {}
    assert outline.columns("passage") == {"passage": PASSAGES}
    assert outline.columns(["domain", "document"]) == {
        "domain": ("x", "y", "y"),
        "document": ("d1", "d2", "d1"),
    }
    assert outline.columns({"half": [1, 1, 2]}) == {"half": ("1", "1", "2")}


@pytest.mark.parametrize(
    ("by", "error", "message"),
    [
        (["passages"], SettingError, "'domain' or 'document', or a mapping"),
        ([3], SettingError, "by: 3"),
        (3, ArgumentTypeError, "by: 3; expected names, or a mapping"),
        ({"half": [1, 2]}, UnpairedSegmentsError, "half: 2 segments, but segments has 3"),
        ({"half": "xyz"}, SettingError, "half: 'xyz'; expected a list of labels"),
    ],
)
def test_impossible_columns_are_refused(by: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make_outline().columns(by)


def test_columns_without_labels_say_so() -> None:
    outline = make_outline(documents=None, domains=None)
    with pytest.raises(SettingError, match="the test set knows no documents"):
        outline.columns("document")


def test_pickled_outlines_are_equal() -> None:
    for outline in (make_outline(), make_outline().subset([2, 1])):
        copy = pickle.loads(pickle.dumps(outline))  # noqa: S301
        assert copy == outline
        assert copy.labels("passage") == outline.labels("passage")


def test_documents_that_jump_back_and_forth_are_said() -> None:
    in_order = tuple(f"d{index // 5}" for index in range(40))
    assert document_warnings("docs", in_order) == ()
    assert document_warnings("docs", None) == ()
    # Twelve stretches of eight documents are allowed, thirteen are too many.
    stretches = [*range(8), *range(4)]
    assert document_warnings("docs", tuple(map(str, stretches))) == ()
    (warning,) = document_warnings("docs", tuple(map(str, [*stretches, 6])))
    assert (warning.code, warning.count, warning.segment) == ("document-order", 13, 2)
