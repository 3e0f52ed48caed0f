"""What systems and references are called: short names, longer only where they would collide."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from truebleu.corpus import locations
from truebleu.errors import DuplicateSystemError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.texts import NamedText


def distinct_names(texts: Sequence[NamedText], given: Sequence[str | None]) -> list[str]:
    """A name for each text: the given one, or as many folders of its path as tell it apart.

    So `a/x.txt` and `b/y.txt` are called `x` and `y`, but `a/out.txt` and `b/out.txt` are `a/out`
    and `b/out`. Where nothing tells them apart, two texts get one name.
    """
    ladders = [[name] if name else _ladder(text) for text, name in zip(texts, given, strict=True)]
    steps = [0] * len(texts)
    while True:
        names = [ladder[step] for ladder, step in zip(ladders, steps, strict=True)]
        counts = Counter(names)
        climbing = [
            i for i, name in enumerate(names) if counts[name] > 1 and steps[i] + 1 < len(ladders[i])
        ]
        if not climbing:
            return names
        for i in climbing:
            steps[i] += 1


def refuse_duplicates(names: Sequence[str]) -> None:
    """Raises DuplicateSystemError where two names are the same."""
    name, count = Counter(names).most_common(1)[0] if names else ("", 0)
    if count > 1:
        raise DuplicateSystemError(name)


def _ladder(text: NamedText) -> list[str]:
    """Ever longer names of a text, from the shortest to all that is known of it."""
    folders = [part for part in text.path.replace("\\", "/").split("/")[:-1] if part]
    stem = locations.stem(text.path)
    inside = [] if text.name == stem else [text.name]
    parts = [*folders, stem, *inside]
    names = ["/".join(parts[-length:]) for length in range(1, len(parts) + 1)]
    return [*names, text.label]
