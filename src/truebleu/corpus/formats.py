"""Formats by the ending of a file's name; whatever has none of them is plain lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.corpus import locations
from truebleu.corpus.lines import read_lines

if TYPE_CHECKING:
    from truebleu.corpus.tables import Table
    from truebleu.corpus.texts import Contents

# Each format's module is imported only when a file needs it: a run on plain lines starts faster.


def parse(path: str, data: bytes) -> Contents:
    """Parses a file's uncompressed bytes."""
    ending = locations.extension(path)
    if ending in (".sgm", ".sgml"):
        from truebleu.corpus.sgml import read_sgml

        return read_sgml(path, data)
    if ending == ".xml":
        from truebleu.corpus.wmt_xml import read_xml

        return read_xml(path, data)
    return parse_table(path, data) or read_lines(path, data)


def parse_table(path: str, data: bytes) -> Table | None:
    """Parses a table; None where the ending is not that of one."""
    match locations.extension(path):
        case ".tsv":
            from truebleu.corpus.delimited import read_tsv

            return read_tsv(path, data)
        case ".csv":
            from truebleu.corpus.delimited import read_csv

            return read_csv(path, data)
        case ".jsonl" | ".ndjson":
            from truebleu.corpus.json_lines import read_json_lines

            return read_json_lines(path, data)
        case ".parquet":
            from truebleu.corpus.parquet import read_parquet

            return read_parquet(path, data)
    return None
