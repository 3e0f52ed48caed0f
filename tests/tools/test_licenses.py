"""Licences of crates: expressions are read as SPDX means them."""

from __future__ import annotations

import pytest

from tools.licenses import allowed, crates


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("MIT", True),
        ("MIT/Apache-2.0", True),
        ("GPL-3.0-only", False),
        ("GPL-3.0-only OR MIT", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR GPL-2.0) AND Unicode-3.0", True),
        ("(GPL-2.0 AND MIT) OR AGPL-3.0", False),
        ("", False),
    ],
)
def test_expressions(expression: str, expected: bool) -> None:
    assert allowed(expression) is expected


def test_all_crates_may_be_in_the_wheel() -> None:
    licences = crates()
    assert any(name.startswith("pyo3 ") for name in licences)
    assert all(map(allowed, licences.values()))
