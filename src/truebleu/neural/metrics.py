"""Neural metrics: their settings, and what their signatures depend on."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias

from truebleu.corpus.text_warnings import TextWarning
from truebleu.errors import RefusedError, SettingError
from truebleu.metrics.base import MeanMetric, Signature, mean_statistics
from truebleu.neural.comet import CometEngine, find_device, installed_versions
from truebleu.neural.hub import find_checkpoint, require_model
from truebleu.neural.programs import (
    ProgramEngine,
    find_program,
    program_versions,
    read_bert_score,
    read_comet_score,
    read_metricx,
    split_command,
)
from truebleu.neural.scoring import score_triples
from truebleu.schema import Setting, check_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from truebleu._core import Statistics
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import TestSet
    from truebleu.neural.hub import Checkpoint
    from truebleu.neural.score_cache import Triple
    from truebleu.neural.scoring import Engine

    Identity: TypeAlias = tuple[tuple[str, str], ...]

__all__ = ["BertScore", "Comet", "CometKiwi", "CommandMetric", "MetricX", "XComet"]

#: Characters from which a text may be longer than a model's 510 tokens.
LONG = 1500

Device = Literal["auto", "cpu", "gpu"]
Batch = Annotated[int, Setting(minimum=1, maximum=4096)]


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuralMetric(MeanMetric):
    """A metric whose segment scores are made by a model, or by any program.

    Attributes:
        identity: names and values of all that a score depends on; None before they are known.
    """

    identity: Identity | None = field(
        default=None, repr=False, compare=False, metadata={"text": False}
    )

    counts_in_parts: ClassVar[bool] = False
    #: True if several references are joined by the best score instead of the mean.
    takes_best_reference: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def uses_source(self) -> bool:
        """True if the metric reads the source."""
        return True

    def engine(self) -> Engine:
        """Return what scores texts; raises RefusedError if a model or program is missing."""
        raise NotImplementedError

    @property
    def signature(self) -> Signature:
        """Model, revision, precision, versions of packages, and device."""
        return Signature.of(self.name, **dict(self.identity or ()))

    def for_references(self, references: Sequence[TextLike]) -> NeuralMetric:
        """Return this metric with its identity: the model and the programs on this machine."""
        if self.identity is not None:
            return self
        identity = dict(self.engine().identity)
        if not self.needs_references:
            identity["refs"] = "none"
        elif len(references) > 1:
            identity["refs"] = "best" if self.takes_best_reference else "mean"
        return replace(self, identity=tuple(identity.items()))

    def for_signature(self, signature: Mapping[str, str]) -> NeuralMetric:
        """Return this metric with the identity of a saved signature; no model is needed."""
        fields = {k: v for k, v in signature.items() if k not in ("nrefs", "version")}
        return replace(self, identity=tuple(fields.items()))

    def examine(self, test_set: TestSet) -> Iterator[TextWarning]:
        """Yield warnings about empty and very long outputs."""
        self._require_source(test_set.source)
        name = self.name
        for system, text in test_set.systems.items():
            empty = [i for i, output in enumerate(text, start=1) if not (output or "").strip()]
            long = [i for i, output in enumerate(text, start=1) if len(output or "") > LONG]
            if empty:
                given = "an ordinary score" if len(empty) == 1 else "ordinary scores"
                message = (
                    f"{system}: {_outputs(len(empty), 'empty ')}, to which {name} gives {given}"
                )
                yield TextWarning("neural-empty", system, len(empty), empty[0], message)
            if long:
                message = (
                    f"{system}: {_outputs(len(long))} of more than {LONG:,} characters, which "
                    f"{name} may cut after about 510 tokens"
                )
                yield TextWarning("neural-cut", system, len(long), long[0], message)

    def count(self, test_set: TestSet) -> Statistics:
        """Score each distinct source, output and reference once; columns: the score, and 1."""
        self._require_source(test_set.source)
        sources = (test_set.source if self.uses_source else None) or [None] * len(test_set)
        references = test_set.references if self.needs_references else ()
        rows = {
            system: [
                [(source, output or "", text) for text in texts if text is not None]
                if texts
                else [(source, output or "", None)]
                for source, output, *texts in zip(sources, outputs, *references, strict=True)
            ]
            for system, outputs in test_set.systems.items()
        }
        locations: dict[Triple, str] = {}
        for system, segments in rows.items():
            for number, triples in enumerate(segments, start=1):
                for triple in triples:
                    locations.setdefault(triple, f"{system}, segment {number}")
        scores = score_triples(self.engine(), locations)
        join = max if self.takes_best_reference else _mean
        return mean_statistics(
            [
                [join([scores[triple] for triple in triples]) for triples in segments]
                for segments in rows.values()
            ]
        )

    def _require_source(self, source: object) -> None:
        """Check that there is a source if the metric reads it; raises RefusedError."""
        if source is None and self.uses_source:
            raise RefusedError(
                f"{self.name} reads the source: name it with -s FILE (source=, of n-best lists "
                "sources= in NBest)"
            )

    def score_ahead(self, pairs: Iterable[tuple[str, str, str | None]]) -> None:
        """Score outputs against references, with their sources, so that `count` finds them."""
        triples: dict[Triple, str] = {}
        for output, reference, source in pairs:
            self._require_source(source)
            triples.setdefault((source if self.uses_source else None, output, reference), "a pair")
        score_triples(self.engine(), triples)


def _outputs(number: int, kind: str = "") -> str:
    return f"{number:,} {kind}output" + ("" if number == 1 else "s")


def _mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comet(NeuralMetric):
    """COMET; see docs/reference/metrics/comet.md.

    Attributes:
        model: name of a model in the hub, or a file that ends in .ckpt.
        revision: revision of the model in the hub.
        precision: single or half; by default single, and half with the program comet-score.
        device: cpu, gpu, or auto: a GPU if there is one.
        batch: number of texts that the model reads at once.
        references: False to score without references, if the model can.
    """

    model: str = "Unbabel/wmt22-comet-da"
    revision: str = ""
    precision: Literal["single", "half"] | None = None
    device: Device = "auto"
    batch: Batch = 16
    references: bool = True

    name: ClassVar[str] = "COMET"

    @property
    def checkpoint(self) -> Checkpoint:
        """The model's checkpoint; raises RefusedError if it is not on this machine."""
        return find_checkpoint(self.name, self.model, self.revision)

    @property
    def needs_references(self) -> bool:
        """True if the model scores against references."""
        return self.references and self.checkpoint.uses_references

    def engine(self) -> Engine:
        """Return COMET in this process, or the user's comet-score."""
        versions, command = installed_versions(), None
        if versions is None and (command := find_program("comet")) is None:
            raise RefusedError(
                f"{self.name} needs the package unbabel-comet: run pip install 'truebleu[comet]' "
                "in an environment of its own, or set TRUEBLEU_COMET to a command of comet-score"
            )
        checkpoint, device = self.checkpoint, find_device(self.device)
        if (
            not self.references
            and checkpoint.uses_references
            and checkpoint.kind != "xcomet_metric"
        ):
            raise SettingError("references", False, f"yes: {checkpoint.name} needs references")
        identity = {"model": checkpoint.name, "rev": checkpoint.revision[:12], "device": device}
        if command is not None:
            return self._program(command, checkpoint, identity)
        identity |= {"prec": self.precision or "single", **(versions or {})}
        return CometEngine(self.name, checkpoint, identity, self.batch)

    def _program(
        self, command: list[str], checkpoint: Checkpoint, identity: dict[str, str]
    ) -> Engine:
        """Return the user's comet-score; raises SettingError for another precision."""
        versions = program_versions(tuple(command), "comet-score")
        known = re.match(r"(\d+)\.(\d+)\.(\d+)", versions.get("unbabel-comet", ""))
        # Half since version 2.2.5.
        is_old = known is not None and tuple(map(int, known.groups())) < (2, 2, 5)
        precision = "single" if is_old else "half"
        if self.precision not in (None, precision):
            expected = (
                f"{precision}, in which this comet-score computes; single precision needs COMET "
                "in this process: pip install 'truebleu[comet]'"
            )
            raise SettingError("precision", self.precision, expected)
        identity |= {"prec": precision, **(versions or {"unbabel-comet": "unknown"})}
        identity |= {"batch": str(self.batch), "by": "comet-score"}
        texts = ["-s", "{source}", "-t", "{output}", "--to_json", "{scores}"]
        texts += ["-r", "{reference}"] if self.needs_references else []
        options = ["--model", str(checkpoint.path), "--batch_size", str(self.batch), "--quiet"]
        options += ["--only_system", "--gpus", "0" if identity["device"] == "cpu" else "1"]
        return ProgramEngine(self.name, [*command, *options, *texts], identity, read_comet_score)


@dataclass(frozen=True, slots=True, kw_only=True)
class CometKiwi(Comet):
    """CometKiwi, which needs no references; see docs/reference/metrics/comet.md."""

    model: str = "Unbabel/wmt22-cometkiwi-da"

    name: ClassVar[str] = "CometKiwi"


@dataclass(frozen=True, slots=True, kw_only=True)
class XComet(Comet):
    """XCOMET; see docs/reference/metrics/comet.md."""

    model: str = "Unbabel/XCOMET-XL"

    name: ClassVar[str] = "XCOMET"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricX(NeuralMetric):
    """MetricX, errors from 0 to 25; see docs/reference/metrics/metricx.md.

    Attributes:
        model: name of a model in the hub, or its folder.
        tokenizer: name of the tokenizer in the hub, or its folder.
        references: False to score without references.
    """

    model: str = "google/metricx-24-hybrid-large-v2p6"
    tokenizer: str = "google/mt5-xl"
    references: bool = True

    name: ClassVar[str] = "MetricX"
    higher_is_better: ClassVar[bool] = False
    limits: ClassVar[tuple[float, float]] = (0.0, 25.0)

    @property
    def needs_references(self) -> bool:
        """True unless references=no, or the model is for quality estimation only."""
        return self.references and "-qe-" not in self.model

    @property
    def uses_source(self) -> bool:
        """True except with MetricX-23 and references."""
        return "metricx-23" not in self.model or not self.needs_references

    def engine(self) -> Engine:
        """Return the user's program; MetricX has no package."""
        command = find_program("metricx")
        if command is None:
            raise RefusedError(
                f"{self.name} has no package: set TRUEBLEU_METRICX to the command that runs its "
                "predict module, such as env PYTHONPATH=metricx metricx-env/bin/python -m "
                "metricx24.predict"
            )
        folder = require_model(self.name, self.model)
        tokenizer = require_model(f"{self.name}: its tokenizer", self.tokenizer, weights=False)
        length = "1024" if "metricx-23" in self.model else "1536"
        options = ["--tokenizer", str(tokenizer), "--model_name_or_path", str(folder)]
        options += ["--max_input_length", length, "--batch_size", "1"]
        options += ["--input_file", "{jsonl}", "--output_file", "{scores}"]
        options += [] if self.needs_references else ["--qe"]
        identity = {"model": self.model, "rev": folder.name[:12], "maxlen": length}
        return ProgramEngine(self.name, [*command, *options], identity, read_metricx)


@dataclass(frozen=True, slots=True, kw_only=True)
class BertScore(NeuralMetric):
    """BERTScore's F1; see docs/reference/metrics/bertscore.md.

    Attributes:
        model: name of a model in the hub, or its folder.
        layers: layer whose embeddings are compared; by default the package's for this model.
        device: cpu, gpu, or auto: a GPU if there is one.
        batch: number of texts that the model reads at once.
    """

    model: str = "bert-base-multilingual-cased"
    layers: Annotated[int | None, Setting(minimum=1, maximum=200)] = None
    device: Device = "auto"
    batch: Batch = 64

    name: ClassVar[str] = "BERTScore"
    takes_best_reference: ClassVar[bool] = True

    @property
    def uses_source(self) -> bool:
        """False: outputs are compared with references."""
        return False

    def engine(self) -> Engine:
        """Return bert-score in this process, or the user's program."""
        versions = installed_versions(("bert-score", "torch", "transformers"))
        folder = require_model(self.name, self.model)
        device, layers = find_device(self.device), self.layers
        identity = {
            "model": self.model,
            "rev": folder.name[:12],
            "layer": "default" if layers is None else str(layers),
            **(versions or {}),
            "device": device,
        }
        if versions is not None:
            from truebleu.neural.bert_score import BertScoreEngine

            return BertScoreEngine(self.name, self.model, layers, self.batch, identity)
        command = find_program("bertscore")
        if command is None:
            raise RefusedError(
                f"{self.name} needs the package bert-score: pip install bert-score; or set "
                "TRUEBLEU_BERTSCORE to the command of a bert-score elsewhere"
            )
        options = ["-m", self.model, "-b", str(self.batch), "-s"]
        options += ["-r", "{reference}", "-c", "{output}"]
        options += [] if layers is None else ["-l", str(layers)]
        identity["by"] = "bert-score"
        return ProgramEngine(self.name, [*command, *options], identity, read_bert_score)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandMetric(NeuralMetric):
    """Any program that writes one score a line; see docs/reference/metrics/command.md.

    Attributes:
        run: command; {source}, {output} and {reference} stand for files, else texts go to its
            standard input, separated by tabs.
        name: name of the metric in results.
        higher_is_better: False if lower is better.
        source: True if the program reads the source.
        references: True if the program reads references.
        release: version of the program, for the signature.
    """

    run: str
    # field() prevents the inherited property from becoming the default.
    name: str = field(default="command")
    higher_is_better: bool = True
    source: bool | None = None
    references: bool | None = None
    release: str = ""

    def _reads(self, field: str, choice: bool | None, default: bool) -> bool:
        if choice is not None:
            return choice
        return f"{{{field}}}" in self.run if "{output}" in self.run else default

    @property
    def uses_source(self) -> bool:
        """True if the command names {source}; without placeholders only if source=yes."""
        return self._reads("source", self.source, False)

    @property
    def needs_references(self) -> bool:
        """True if the command names {reference}; without placeholders unless references=no."""
        return self._reads("reference", self.references, True)

    def engine(self) -> Engine:
        """Return the program; raises RefusedError if it cannot be found."""
        identity = {"run": sha256(self.run.encode()).hexdigest()[:12]}
        identity |= {"release": self.release} if self.release else {}
        return ProgramEngine(self.name, split_command("command", self.run), identity)
