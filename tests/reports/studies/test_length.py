"""What is said of scores and lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from truebleu.corpus import read_test_set
from truebleu.studies.length import (
    study_length,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("way", ["cut", "choice"])
def test_bleu_drops_more_than_gtm_on_real_texts(shared: Path, way: Any) -> None:
    folder = shared / "data" / "wmt21-en-de"
    systems = [str(path) for path in sorted((folder / "sys").iterdir())[:4]]
    test_set = read_test_set(systems, [str(folder / "refA.txt")])
    result = study_length(test_set, way=way)
    first = {row.metric: row.relative or 0.0 for row in reversed(result.rows)}
    assert first["BLEU"] < first["GTM"] < 1
    assert (
        result.to_document()
        .sentences[-1]
        .startswith("Of the higher-is-better metrics, the shortest outputs cost BLEU most")
    )
