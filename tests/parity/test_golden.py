"""The cases of this project are the ones that need no data from elsewhere, all of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.parity.cases import GOLDEN, inline_cases, is_inline

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "count"), [("sacrebleu", 990), ("nist-multeval", 26), ("meta", 54)]
)
def test_a_clone_proves_parity_by_itself(name: str, count: int) -> None:
    cases = inline_cases(name)
    assert len({case["id"] for case in cases}) == len(cases) == count
    assert all(is_inline(case) for case in cases)


@pytest.mark.parametrize("name", ["sacrebleu", "nist-multeval", "meta"])
def test_the_cases_equal_the_whole_file(name: str, shared: Path) -> None:
    whole = json.loads((shared / "golden" / f"{name}.json").read_text(encoding="utf-8"))
    by_id = {case["id"]: case for case in whole if is_inline(case)}
    assert {case["id"]: case for case in inline_cases(name)} == by_id


def test_every_file_is_named_in_the_notes() -> None:
    notes = (GOLDEN / "README.md").read_text(encoding="utf-8")
    files = [path.name for path in GOLDEN.glob("*.json")]
    assert [name for name in files if f"`{name}`" not in notes] == []
