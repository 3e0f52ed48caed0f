"""Texts that commands read part by part, since they are larger than memory or are to be read so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from truebleu.cli._options import refuse_parts, share_read, warn_of
from truebleu.cli.main import progress_bar, warn
from truebleu.corpus._files import expanded, extension, locate, may_hold_statistics
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from truebleu.cli._options import Texts
    from truebleu.corpus.streams import Parts, Source, TestSetStream
    from truebleu.metrics.base import Metric


def stream_of(
    texts: Texts,
    chunk: int | None,
    metrics: Sequence[Metric],
    options: Mapping[str, Any],
    needs: Mapping[str, Any],
) -> TestSetStream | None:
    """The texts part by part; None where they are large, but must be read at once.

    Args:
        texts: what the command names.
        chunk: as the option says.
        metrics: that are to be counted.
        options: of resampling.
        needs: other options that need all segments in memory, where they are given.
    """
    try:
        _require_parts(texts, metrics, {**needs, **_needing(options)})
    except SettingError as error:
        if chunk is not None:
            raise
        warn(f"all texts are read into memory, though they are large: {error}")
        refuse_parts()
        return None
    if not texts.references:
        from truebleu.metrics.statistics_streams import stream_statistics_files

        return watched(stream_statistics_files([str(path) for path in expanded(texts.systems)]))
    from truebleu.corpus.streams import stream_test_set

    return watched(
        stream_test_set(
            texts.systems,
            texts.references,
            source=texts.source,
            documents=texts.documents,
            strict=texts.strict,
            chunk=chunk,
        )
    )


def watched(stream: TestSetStream) -> TestSetStream:
    """The stream, which says how far it has come."""
    return replace(stream, source=_Watched(stream.source, []))


def saved(
    stream: TestSetStream, metrics: Sequence[Metric], file: str, *, force: bool
) -> TestSetStream:
    """Count a stream, save the statistics and stream those instead; its warnings are reported."""
    from truebleu.metrics.statistics_streams import save_stream, stream_statistics_files

    with progress_bar(0, "counting", share=share_read(stream)) as progress:
        warnings = save_stream(stream, metrics, file, overwrite=force, progress=progress)
    warn_of(warnings)
    return watched(stream_statistics_files([file]))


def _require_parts(texts: Texts, metrics: Sequence[Metric], needs: Mapping[str, Any]) -> None:
    from truebleu.corpus.streams import require_formats

    where = "where texts are read part by part"
    given = {"--test-set": texts.known and "documents", **needs}
    for name, value in given.items():
        if value:
            shown = "on" if value is True else ", ".join(value) if _is_list(value) else value
            raise SettingError(name, shown, f"none {where}: it needs all of them in memory")
    for metric in metrics:
        if metric.counts_whole_text:
            raise SettingError("metric", metric.name, f"one that counts segments alone {where}")
    kinds = {_holds_statistics(written) for written in expanded(texts.systems)}
    if kinds == {True} and not texts.references:
        return
    if True in kinds:
        expected = f"texts, or statistics in Parquet only {where}"
        raise SettingError("systems", "statistics files", expected)
    if not texts.references:
        raise SettingError("references", "none", f"at least one {where}")
    further = [path for path in (texts.source, texts.documents) if path is not None]
    require_formats([*texts.references, *expanded(texts.systems), *further])


def _holds_statistics(written: str | PathLike[str]) -> bool:
    """Whether a file holds statistics as Parquet; others are refused."""
    location = locate(written)
    if location.column is not None or not may_hold_statistics(location.path):
        return False
    if extension(location.path) == ".parquet":
        from truebleu.metrics._statistics_parquet import Reader

        return Reader(location.path, location.path).header is not None
    if extension(location.path) == ".json":
        raise SettingError("system", location.path, "Parquet where statistics are read in parts")
    return False


def _needing(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of resampling that need all segments in memory, by name."""
    from truebleu.significance.corrections import CORRECTIONS
    from truebleu.significance.intervals import INTERVAL_METHODS
    from truebleu.significance.tests import TESTS

    def chosen(name: str) -> Any:
        return options.get(name)

    interval, test, correction = (chosen(name) for name in ("interval", "test", "correction"))
    needs = {f"--{name.replace('_', '-')}": chosen(name) for name in _NEEDY}
    needs["--unit"] = chosen("unit") if chosen("unit") == "block" else None
    needs["--bootstrap"] = chosen("bootstrap") if chosen("bootstrap") == "multinomial" else None
    needs["--interval"] = interval if interval and INTERVAL_METHODS[interval].needs_units else None
    needs["--test"] = test if test and TESTS[test].needs_units else None
    by_scores = correction and CORRECTIONS[correction].basis == "segment scores"
    needs["--correction"] = correction if by_scores else None
    return needs


_NEEDY = ("block_length", "by_domain", "runs", "about", "adaptive")


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


@dataclass(frozen=True, slots=True)
class _Watched:
    """A source, and the parts that it gives now: they say how far it has come."""

    source: Source
    latest: list[Parts]

    def read(self) -> Parts:
        """Begin to read."""
        self.latest[:] = [self.source.read()]
        return self.latest[0]

    def share(self) -> float | None:
        """How much was read."""
        return self.latest[0].share_read if self.latest else None
