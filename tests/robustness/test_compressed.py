"""Compressed files: everything in them is read, or they are refused."""

from __future__ import annotations

import bz2
import gzip
import lzma
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from truebleu.corpus._files import decompress
from truebleu.counts import count_files
from truebleu.errors import MalformedFileError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

try:
    import zstandard
except ImportError:
    zstandard = None  # type: ignore[assignment,unused-ignore]

TEXT = b"".join(b"segment number %d\n" % number for number in range(300))
KINDS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}
if zstandard is not None:
    KINDS["zstd"] = lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data)

each_kind = pytest.mark.parametrize("kind", KINDS)


@each_kind
def test_streams_one_after_the_other_are_all_read(kind: str) -> None:
    compress = KINDS[kind]
    assert decompress("x", compress(TEXT) + compress(b"more\n") + compress(b"")) == TEXT + b"more\n"


@each_kind
@pytest.mark.parametrize("rest", [b"garbage", b"\x01", b"BZh9", b"plain text\n" * 50])
def test_bytes_after_the_last_stream_are_rejected(kind: str, rest: bytes) -> None:
    with pytest.raises(MalformedFileError, match="damaged or truncated"):
        decompress("x", KINDS[kind](TEXT) + rest)


@each_kind
def test_damage_in_a_later_stream_is_refused(kind: str) -> None:
    first, second = KINDS[kind](TEXT), bytearray(KINDS[kind](TEXT))
    second[len(second) // 2] ^= 0xFF
    with pytest.raises(MalformedFileError, match="damaged or truncated"):
        decompress("x", first + bytes(second))


@given(kind=st.sampled_from(sorted(KINDS)), share=st.floats(0, 1), twice=st.booleans())
def test_a_cut_file_is_refused_or_ends_between_streams(
    kind: str, share: float, twice: bool
) -> None:
    one = KINDS[kind](TEXT)
    whole = one * (1 + twice)
    # The first bytes tell that it is compressed.
    end = max(10, int(share * len(whole)))
    try:
        found = decompress("x", whole[:end])
    except MalformedFileError:
        assert end not in (len(one), len(whole))
    else:
        assert found == TEXT * (end // len(one))
        assert end % len(one) == 0


@each_kind
def test_the_limit_holds_for_files_read_in_parts(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, plain = tmp_path / "x", tmp_path / "plain"
    plain.write_bytes(b"a cat sat\n" * 100_000)
    path.write_bytes(KINDS[kind](plain.read_bytes()))
    for limit, is_refused in ((999_999, True), (1_000_000, False)):
        monkeypatch.setenv("TRUEBLEU_MAX_BYTES", str(limit))
        with (
            pytest.raises(MalformedFileError, match=f"than {limit:,} bytes")
            if is_refused
            else nullcontext()
        ):
            assert len(count_files([str(path)], [str(plain)])) == 100_000


@each_kind
def test_a_bomb_is_refused_unless_it_is_allowed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = KINDS[kind](b"x" * 3_000_000)
    monkeypatch.setenv("TRUEBLEU_MAX_BYTES", "1000000")
    with pytest.raises(MalformedFileError, match=r"1,000,000 bytes; .* TRUEBLEU_MAX_BYTES"):
        decompress("x", bomb)
    monkeypatch.setenv("TRUEBLEU_MAX_BYTES", "3000000")
    assert len(decompress("x", bomb)) == 3_000_000
