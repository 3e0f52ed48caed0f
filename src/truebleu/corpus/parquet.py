"""Tables as Parquet, read by the optional package pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu.corpus.tables import Table
from truebleu.errors import MalformedFileError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Parquet(Table):
    """Columns of a Parquet file; only those that are asked for are read."""

    def __init__(self, path: str, file: Any) -> None:
        super().__init__(path, file.schema_arrow.names)
        self.refuse_twins(None)
        self._file = file

    def values(self, column: str) -> Sequence[object]:
        """All values of a column, None where one is null."""
        import pyarrow

        try:
            values: list[object] = self._file.read(columns=[column]).column(0).to_pylist()
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise _malformed(self.path, error) from error
        return values

    def line(self, row: int) -> None:  # noqa: ARG002
        """None: there are no lines."""
        return


def read_parquet(path: str, data: bytes) -> Parquet:
    """The table in a Parquet file."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("reading Parquet files", "parquet") from None
    try:
        return Parquet(path, pyarrow.parquet.ParquetFile(pyarrow.BufferReader(data)))
    except (pyarrow.ArrowException, OSError) as error:
        raise _malformed(path, error) from error


def _malformed(path: str, error: Exception) -> MalformedFileError:
    reason = " ".join(str(error).split())
    return MalformedFileError(path, None, f"damaged data ({reason})", "Parquet")
