"""Signatures: all that must match before two scores may be compared."""

from __future__ import annotations

from dataclasses import dataclass, replace

from truebleu._core import VERSION


@dataclass(frozen=True, slots=True)
class Signature:
    """A metric's name and settings: ``BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|…``.

    The keys are those of sacreBLEU, so that a reader of its signatures can read these.
    """

    name: str
    fields: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, name: str, **fields: str | int | bool) -> Signature:
        """A signature of these fields, in this order; a bool becomes yes or no.

        >>> Signature.of("TER", norm=False).fields
        (('norm', 'no'),)
        """
        return cls(name, tuple((key, _text(value)) for key, value in fields.items()))

    def with_references(self, references: int | None) -> Signature:
        """The signature of a score against this many references; None means a varying number."""
        count = "var" if references is None else str(references)
        return replace(self, fields=(("nrefs", count), *self.fields))

    def __str__(self) -> str:
        fields = (*self.fields, ("version", f"truebleu-{VERSION}"))
        return "|".join((self.name, *(f"{key}:{value}" for key, value in fields)))


def _text(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
