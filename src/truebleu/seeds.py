"""The seed: kept with every result, never taken from a clock or the environment."""

from __future__ import annotations

from truebleu.errors import SettingError

DEFAULT_SEED = 12345


def require_seed(seed: object) -> None:
    """Raise SettingError unless it is a whole number of 64 bits; 0 is a seed like any other."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64:
        raise SettingError("seed", seed, "a whole number from 0 up, below 2**64")


def require_replicates(setting: str, replicates: object) -> None:
    """Raise SettingError unless it is a whole number from 1 up."""
    if isinstance(replicates, bool) or not isinstance(replicates, int) or replicates < 1:
        raise SettingError(setting, replicates, "a whole number from 1 up")
