"""The table in a statistics file: a row per system and segment, part of the segments after part.

Each row group has a part of the segments, system after system, so that a file can be written and
read in parts. The header, with a checksum of everything, is in the metadata of the file.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu.corpus._files import STATISTICS
from truebleu.errors import MalformedFileError, MissingExtraError, SettingError, TruebleuError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

FORMAT_VERSION = 1
KIND = "statistics saved by 'truebleu score --save'"
# Under this key the metadata has the header, as JSON.
HEADER = STATISTICS.encode()
LABELS = ("characters", "document", "domain")
#: Segments of a row group, where the file is written at once.
PART = 1 << 16


class Part(NamedTuple):
    """Some segments of all systems.

    Attributes:
        labels: by the name of the column, one for each segment.
        counts: by the name of the column, shaped (system, segment).
    """

    labels: Mapping[str, Sequence[Any]]
    counts: Mapping[str, Column]


class _Digests:
    """SHA-256 of every column, of each system apart, however the rows are grouped."""

    def __init__(self, systems: int) -> None:
        self._systems = systems
        self._digests: dict[tuple[str, int], Any] = {}

    def add(self, part: Part) -> None:
        from hashlib import sha256
        from json import dumps

        for name, labels in part.labels.items():
            digest = self._digests.setdefault((name, 0), sha256())
            digest.update("".join(f"{dumps(label)}\n" for label in labels).encode())
        for name, counts in part.counts.items():
            for system in range(self._systems):
                digest = self._digests.setdefault((name, system), sha256())
                digest.update(counts[system].astype("<f8").tobytes())

    def checksum(self, header: Mapping[str, Any]) -> str:
        """Of the header and of all columns."""
        from hashlib import sha256
        from json import dumps

        digests = [[*key, digest.hexdigest()] for key, digest in sorted(self._digests.items())]
        whole = sha256(dumps([header, digests], sort_keys=True).encode())
        return f"sha256:{whole.hexdigest()}"


class Writer:
    """Writes a table part by part.

    Args:
        sink: where it goes: a file that is open, or a buffer.
        systems: their names.
        whole: columns of counts that hold whole numbers only, and are written as such.
    """

    def __init__(self, sink: Any, systems: Sequence[str], whole: Collection[str] = ()) -> None:
        self._pyarrow = require_pyarrow("writing Parquet files")
        self._sink, self._systems, self._whole = sink, list(systems), whole
        self._digests = _Digests(len(systems))
        self._writer: Any = None
        self.segments = 0

    def add(self, part: Part) -> None:
        """Write a further part."""
        import numpy as np

        array = self._pyarrow.array
        count, systems = len(part.labels["characters"]), len(self._systems)
        numbers = np.arange(self.segments + 1, self.segments + count + 1)
        columns = {
            "system": array(np.repeat(self._systems, count).tolist()).dictionary_encode(),
            "segment": array(np.tile(numbers, systems)),
            **{name: array(list(labels) * systems) for name, labels in part.labels.items()},
        }
        for name, counts in part.counts.items():
            flat = finite(counts).ravel()
            columns[name] = array(flat.astype(np.int64) if name in self._whole else flat)
        table = self._pyarrow.table(columns)
        if self._writer is None:
            self._writer = self._pyarrow.parquet.ParquetWriter(
                self._sink, table.schema, compression="zstd"
            )
        self._writer.write_table(table)
        self._digests.add(part)
        self.segments += count

    def close(self, header: Mapping[str, Any]) -> None:
        """Write the header, and end the file."""
        from json import dumps

        whole = {**header, "checksum": self._digests.checksum(header)}
        self._writer.add_key_value_metadata({STATISTICS: dumps(whole)})
        self._writer.close()


class Reader:
    """Reads a table part by part; one that is damaged or was changed is refused.

    Attributes:
        header: what is known of it, without the checksum.
    """

    def __init__(self, path: str, source: Any) -> None:
        from json import loads

        self._path = path
        self._pyarrow = require_pyarrow("reading Parquet files")
        self.header: dict[str, Any] | None = None
        with self._errors():
            self._file = self._pyarrow.parquet.ParquetFile(source)
            known = {
                **(self._file.metadata.metadata or {}),
                **(self._file.schema_arrow.metadata or {}),
            }
            if HEADER not in known:
                return
            header: dict[str, Any] = loads(known[HEADER])
            require_version(path, header)
            self._checksum = header.pop("checksum")
            self._names = [system["name"] for system in header["systems"]]
            self.header = header

    def parts(self) -> Iterator[Part]:
        """The parts in their order; the checksum is looked at after the last."""
        digests = _Digests(len(self._names))
        segments = 0
        with self._errors():
            for group in range(self._file.num_row_groups):
                part = self._part(self._file.read_row_group(group), segments)
                segments += len(part.labels["characters"])
                digests.add(part)
                yield part
            if self._checksum != digests.checksum(self.header or {}):
                found = "contents that do not fit their checksum"
                raise MalformedFileError(self._path, None, found, f"{KIND}, unchanged")

    def _part(self, table: Any, done: int) -> Part:
        import numpy as np

        header = self.header or {}
        systems = len(self._names)
        count = len(table) // systems
        expected = [name for name in self._names for _ in range(count)]
        places = np.tile(np.arange(done + 1, done + count + 1), systems)
        in_order = table["system"].to_pylist() == expected
        if not in_order or not np.array_equal(table["segment"].to_numpy(), places):
            raise MalformedFileError(
                self._path, None, "rows in another order", f"{KIND}, unchanged"
            )
        kept = [name for name in LABELS if name in table.column_names]
        return Part(
            {name: table[name][:count].to_pylist() for name in kept},
            {
                name: finite(np.asarray(table[name].to_numpy(), dtype=np.float64)).reshape(
                    systems, count
                )
                for metric in header["metrics"]
                for name in metric["columns"]
            },
        )

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except TruebleuError:
            raise
        except (self._pyarrow.ArrowException, OSError) as error:
            reason = " ".join(str(error).split())
            found = f"damaged Parquet ({reason})"
            raise MalformedFileError(self._path, None, found, KIND) from None
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
            raise MalformedFileError(self._path, None, "another layout", KIND) from None


def column_names(widths: Mapping[str, int]) -> dict[str, list[str]]:
    """The names of the columns of each metric, by its signature."""
    return {
        signature: [f"{signature.split('|')[0]}.{place}.{column}" for column in range(width)]
        for place, (signature, width) in enumerate(widths.items())
    }


def header_of(
    systems: Mapping[str, str],
    segments: int,
    references: int,
    fingerprint: str,
    names: Mapping[str, Sequence[str]],
) -> dict[str, Any]:
    """What a file says of itself.

    Args:
        systems: their names, each with the fingerprint of its text.
        segments: how many.
        references: how many.
        fingerprint: of the references.
        names: of the columns, by the metric's signature.
    """
    return {
        "version": FORMAT_VERSION,
        "systems": [{"name": name, "output": output} for name, output in systems.items()],
        "segments": segments,
        "references": references,
        "fingerprint": fingerprint,
        "metrics": [
            {"signature": signature, "columns": list(columns)}
            for signature, columns in names.items()
        ],
    }


def require_version(path: str, document: Mapping[str, Any]) -> None:
    """Refuse a layout that this truebleu does not know."""
    version = document.get("version")
    if version != FORMAT_VERSION:
        expected = f"{FORMAT_VERSION}, the one that this truebleu knows"
        raise MalformedFileError(path, None, f"format version {version!r}", expected)


def finite(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The counts, refused where one is no number."""
    import numpy as np

    if not np.isfinite(counts).all():
        raise SettingError("statistics", float(counts[~np.isfinite(counts)][0]), "finite numbers")
    return counts


def are_whole(counts: NDArray[np.float64]) -> bool:
    """Whether they can be written as whole numbers, so that other readers see counts."""
    import numpy as np

    if np.abs(counts).max(initial=0) >= 2**53 or (counts != np.floor(counts)).any():
        return False
    return not (np.signbit(counts) & (counts == 0)).any()


def require_pyarrow(purpose: str) -> Any:
    """The package, which is an extra."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError(purpose, "parquet") from None
    return pyarrow
