from __future__ import annotations

import json

from truebleu.corpus import Segments, TestSet


def test_the_outline_counts_segments_documents_and_domains() -> None:
    test_set = TestSet(
        systems={"a": Segments(["x", "y", "z"])},
        references=(Segments(["x", "y", "z"]),),
        reference_names=("ref",),
        documents=("d1", "d1", "d2"),
        domains=("news", "news", "news"),
    )
    outline = {
        "segments": 3,
        "references": 1,
        "reference_names": ["ref"],
        "documents": 2,
        "domains": 1,
    }
    assert len(test_set) == 3
    assert json.loads(json.dumps(test_set.to_dict())) == outline


def test_what_is_unknown_is_none() -> None:
    text = Segments(["x"])
    outline = TestSet(systems={}, references=(text,), reference_names=("r",)).to_dict()
    assert outline["documents"] is None
    assert outline["domains"] is None
