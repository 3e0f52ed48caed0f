"""The public data that the evidence is made of: where it lies and how it is read."""

from __future__ import annotations

from pathlib import Path

from truebleu.corpus import TestSet, read_test_set

DATA = Path(__file__).parents[2] / "shared" / "data"
# English output from two source languages, translated by these systems: one pool.
POOLED_SETS = ("wmt23-he-en", "wmt23-zh-en")


def read_set(name: str, *references: str, documents: bool = False) -> TestSet:
    """A data set with all its systems."""
    folder = DATA / name
    systems = [str(folder / "sys")] if (folder / "sys").is_dir() else _outputs(folder)
    chosen = references or ("refA",)
    return read_test_set(
        systems,
        [str(folder / f"{reference}.txt") for reference in chosen],
        documents=str(folder / "docs.tsv") if documents else None,
    )


def _outputs(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.glob("*.txt") if not path.name.startswith("ref"))


def pooled() -> TestSet:
    """WMT23's Hebrew-English and Chinese-English sets, one after the other.

    Of the systems, those that translated both.
    """
    sets = [read_set(name) for name in POOLED_SETS]
    common = [name for name in sets[0].systems if all(name in one.systems for one in sets)]
    return TestSet(
        systems={name: [s for one in sets for s in one.systems[name]] for name in common},
        references=([s for one in sets for s in one.references[0]],),
        reference_names=("refA",),
    )
