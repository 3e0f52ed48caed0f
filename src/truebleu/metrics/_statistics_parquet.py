"""Statistics files in Parquet: a row per system and segment, and a header in the file's metadata.

Any reader of Parquet can use the table; docs/reference/statistics-files.md has the layout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu.corpus._files import STATISTICS
from truebleu.errors import MalformedFileError, MissingExtraError, TruebleuError
from truebleu.metrics.statistics_files import (
    FORMAT_VERSION,
    KIND,
    SavedStatistics,
    finite,
    version_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

# Under this key the metadata has the header, as JSON.
HEADER = STATISTICS.encode()
LABELS = {"document": "documents", "domain": "domains"}


def parquet_bytes(systems: Sequence[SavedStatistics]) -> bytes:
    """The file that holds these systems, which were counted against the same references."""
    from json import dumps

    import numpy as np

    pyarrow = _pyarrow("writing Parquet files")
    first = systems[0]
    for system in systems:
        system.require_same_as(first)
    names_of = {
        signature: [
            f"{signature.split('|')[0]}.{place}.{column}" for column in range(rows.shape[1])
        ]
        for place, (signature, rows) in enumerate(first.rows.items())
    }
    counts: dict[str, Column] = {}
    for signature, names in names_of.items():
        rows = finite(np.concatenate([one.rows[signature] for one in systems]))
        counts |= {name: rows[:, place] for place, name in enumerate(names)}
    header: dict[str, Any] = {
        "version": FORMAT_VERSION,
        "systems": [{"name": one.system, "output": one.output} for one in systems],
        "segments": first.segments,
        "references": first.references,
        "fingerprint": first.fingerprint,
        "metrics": [
            {"signature": signature, "columns": names} for signature, names in names_of.items()
        ],
    }
    labels: dict[str, list[Any]] = {"characters": list(first.lengths) * len(systems)}
    labels |= {
        name: list(values) * len(systems)
        for name, field in LABELS.items()
        if (values := getattr(first, field)) is not None
    }
    header["checksum"] = _checksum(header, labels, counts)
    of_rows = [one.system for one in systems for _ in range(first.segments)]
    columns = {
        "system": pyarrow.array(of_rows).dictionary_encode(),
        "segment": pyarrow.array(list(range(1, first.segments + 1)) * len(systems)),
        **{name: pyarrow.array(values) for name, values in labels.items()},
        **{name: pyarrow.array(_small(column)) for name, column in counts.items()},
    }
    table = pyarrow.table(columns).replace_schema_metadata({HEADER: dumps(header)})
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue().to_pybytes())


def parsed_parquet(path: str, data: bytes) -> tuple[SavedStatistics, ...] | None:
    """The systems in a file; None where it is a table of another kind."""
    from json import loads

    pyarrow = _pyarrow("reading Parquet files")
    try:
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(data))
        written = (file.schema_arrow.metadata or {}).get(HEADER)
        if written is None:
            return None
        header: dict[str, Any] = loads(written)
        version_of(path, header)
        table = file.read()
        return _systems(path, header, table)
    except TruebleuError:
        raise
    except (pyarrow.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())
        raise MalformedFileError(path, None, f"damaged Parquet ({reason})", KIND) from None
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
        raise MalformedFileError(path, None, "another layout", KIND) from None


def _systems(path: str, header: Mapping[str, Any], table: Any) -> tuple[SavedStatistics, ...]:
    import numpy as np

    header = dict(header)
    checksum, segments = header.pop("checksum"), int(header["segments"])
    kept = [name for name in ("characters", *LABELS) if name in table.column_names]
    labels = {name: table[name].to_pylist() for name in kept}
    counts = {
        name: np.asarray(table[name].to_numpy(), dtype=np.float64)
        for metric in header["metrics"]
        for name in metric["columns"]
    }
    if checksum != _checksum(header, labels, counts):
        found = "contents that do not fit their checksum"
        raise MalformedFileError(path, None, found, f"{KIND}, unchanged")
    names = [system["name"] for system in header["systems"]]
    if table["system"].to_pylist() != [name for name in names for _ in range(segments)]:
        raise MalformedFileError(path, None, "rows in another order", f"{KIND}, unchanged")
    rows = {
        metric["signature"]: finite(np.stack([counts[name] for name in metric["columns"]], axis=1))
        for metric in header["metrics"]
    }
    return tuple(
        SavedStatistics(
            system=system["name"],
            segments=segments,
            references=header["references"],
            fingerprint=header["fingerprint"],
            output=system["output"],
            lengths=tuple(labels["characters"][:segments]),
            documents=tuple(labels["document"][:segments]) if "document" in labels else None,
            domains=tuple(labels["domain"][:segments]) if "domain" in labels else None,
            rows={
                signature: np.ascontiguousarray(part[place * segments : (place + 1) * segments])
                for signature, part in rows.items()
            },
            label=path,
        )
        for place, system in enumerate(header["systems"])
    )


def _checksum(
    header: Mapping[str, Any], labels: Mapping[str, Sequence[object]], counts: Mapping[str, Column]
) -> str:
    """SHA-256 of the header, the labels and the counts as floats, however the table stores them."""
    from hashlib import sha256
    from json import dumps

    digest = sha256(dumps([header, labels], sort_keys=True).encode())
    for name in sorted(counts):
        digest.update(counts[name].astype("<f8").tobytes())
    return f"sha256:{digest.hexdigest()}"


def _small(column: Column) -> NDArray[Any]:
    """Whole numbers as such, so that other readers see counts; all else as it is."""
    import numpy as np

    whole = column.astype(np.int64) if np.abs(column).max(initial=0) < 2**53 else None
    if whole is None or (whole != column).any() or (np.signbit(column) & (column == 0)).any():
        return np.ascontiguousarray(column)
    return whole


def _pyarrow(purpose: str) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError(purpose, "parquet") from None
    return pyarrow
