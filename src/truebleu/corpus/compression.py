"""Compressed files, known by their first bytes and not by their name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.errors import MalformedFileError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable


def decompress(path: str, data: bytes) -> bytes:
    """The file's contents; data that is not compressed comes back as it is."""
    for magic, kind, inflate in _KINDS:
        if data.startswith(magic):
            return _inflated(path, data, kind, inflate)
    return data


def _inflated(path: str, data: bytes, kind: str, inflate: Callable[[bytes], bytes]) -> bytes:
    try:
        return inflate(data)
    except MissingExtraError:
        raise
    # Each library has errors of its own, and none may be imported before it is needed.
    except Exception as error:
        found = f"{kind} data that is damaged or cut off ({error})"
        raise MalformedFileError(path, None, found, f"complete {kind} data") from error


def _gzip(data: bytes) -> bytes:
    import gzip

    return gzip.decompress(data)


def _bzip2(data: bytes) -> bytes:
    import bz2

    return bz2.decompress(data)


def _xz(data: bytes) -> bytes:
    import lzma

    return lzma.decompress(data)


def _zstd(data: bytes) -> bytes:
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return _zstd_of_extra(data)
    whole: bytes = zstd.decompress(data)
    return whole


def _zstd_of_extra(data: bytes) -> bytes:
    try:
        import zstandard
    except ImportError:
        raise MissingExtraError("reading zstd files", "zstd") from None
    parts: list[bytes] = []
    while data:
        frame = zstandard.ZstdDecompressor().decompressobj()
        parts.append(frame.decompress(data))
        if not frame.eof:
            raise ValueError("the last frame does not end")
        data = frame.unused_data
    return b"".join(parts)


_KINDS: tuple[tuple[bytes | tuple[bytes, ...], str, Callable[[bytes], bytes]], ...] = (
    (b"\x1f\x8b", "gzip", _gzip),
    # With the size of its blocks: text may begin with BZh.
    (tuple(b"BZh%d" % size for size in range(1, 10)), "bzip2", _bzip2),
    (b"\xfd7zXZ\x00", "xz", _xz),
    (b"\x28\xb5\x2f\xfd", "zstd", _zstd),
)
