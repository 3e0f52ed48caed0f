"""Settings that would have no effect, or no meaning, are refused in words."""

from __future__ import annotations

from typing import Any

import pytest

from truebleu import CompareSettings
from truebleu.errors import SettingError


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"correction": "tukey", "adaptive": True}, "adaptive"),
        ({"correction": "scheffe", "alternative": "greater"}, "alternative"),
        ({"correction": "westfall-young", "test": "bootstrap-absolute"}, "correction"),
        ({"alternative": "less", "test": "bootstrap-absolute"}, "alternative"),
        ({"level": 1e-13}, "level"),
        ({"level": 1 - 1e-13}, "level"),
    ],
)
def test_settings_without_effect_or_meaning_are_refused(
    settings: dict[str, Any], named: str
) -> None:
    with pytest.raises(SettingError, match=f"^{named}: "):
        CompareSettings(**settings)
