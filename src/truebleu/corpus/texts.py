"""One text as it comes out of a file: its segments and what the file says about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu._core import Segments

# Named tuples here and in locations.py: making a dataclass takes several times as long, and
# a cold start pays for each.

#: What a text is in a test set.
Role: TypeAlias = Literal["system", "reference", "source"]

#: A segment's place where files name it: the id of its document, and its id there.
Key: TypeAlias = tuple[str, str]

#: Columns that say which document or domain a segment is from; the first that exists counts.
DOCUMENT_COLUMNS = ("doc", "document", "document_id")
DOMAIN_COLUMNS = ("domain",)
LABEL_COLUMNS = (*DOCUMENT_COLUMNS, *DOMAIN_COLUMNS)


class Layout(NamedTuple):
    """What a file says about its segments, one item for each; None where it is silent."""

    documents: tuple[str, ...] | None = None
    domains: tuple[str, ...] | None = None
    keys: tuple[Key, ...] | None = None


class NamedText(NamedTuple):
    """A text, what it is called and where it is from.

    Attributes:
        label: What messages call it: the file, and the column if there are several.
        path: The file.
        name: The default name of the system or reference.
        segments: The text itself.
        layout: Documents, domains and keys.
        carriage_returns: Line ends of the file that were written as CR LF.
        byte_order_mark: Whether the file began with one.
    """

    label: str
    path: str
    name: str
    segments: Segments
    layout: Layout = Layout()
    carriage_returns: int = 0
    byte_order_mark: bool = False


class Contents(Protocol):
    """A file that was read and parsed, ready to hand over its texts."""

    def select(self, role: Role, name: str | None) -> Sequence[NamedText]:
        """The text of that name, or, where the format holds several, all texts of the role."""
