"""Neural metrics: their settings, and what their signatures depend on."""

from __future__ import annotations

import os
import re
import sys
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
    from truebleu.neural.scoring import Engine, Triple

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
        for system, text in test_set.systems.items():
            lengths = [len((output or "").strip()) for output in text]
            empty = [number for number, length in enumerate(lengths, start=1) if not length]
            long = [number for number, length in enumerate(lengths, start=1) if length > LONG]
            cut = f"longer than {LONG:,} characters", "may cut texts after about 510 tokens"
            for code, of_kind, found, effect in (
                ("neural-empty", empty, "empty", "scores empty outputs as any other"),
                ("neural-cut", long, *cut),
            ):
                if of_kind:
                    outputs = (
                        "1 output is" if len(of_kind) == 1 else f"{len(of_kind):,} outputs are"
                    )
                    message = f"{system}: {outputs} {found}; {self.name} {effect}"
                    yield TextWarning(code, system, len(of_kind), of_kind[0], message)

    def count(self, test_set: TestSet) -> Statistics:
        """Score each distinct source, output and reference once; columns: the score, and 1."""
        self._require_source(test_set.source)
        nothing = [None] * len(test_set)
        sources = test_set.source if self.uses_source and test_set.source else nothing
        references = test_set.references if self.needs_references else (nothing,)
        locations: dict[Triple, str] = {}
        # Triples of each segment, one per reference, by system.
        rows: list[list[list[Triple]]] = []
        for system, outputs in test_set.systems.items():
            rows.append([])
            for source, output, *texts in zip(sources, outputs, *references, strict=True):
                present = [t for t in texts if t is not None or not self.needs_references]
                rows[-1].append([(source, output or "", text) for text in present])
                for triple in rows[-1][-1]:
                    locations.setdefault(triple, f"{system}, segment {len(rows[-1])}")
        scores = score_triples(self.engine(), locations)
        join = max if self.takes_best_reference else _mean
        return mean_statistics(
            [[join([scores[t] for t in triples]) for triples in segments] for segments in rows]
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
        versions, command = installed_versions(), find_program("comet")
        if versions is None and command is None:
            raise RefusedError(
                f"{self.name} needs the package unbabel-comet: run pip install 'truebleu[comet]' "
                "in an environment of its own, or set TRUEBLEU_COMET to a command of comet-score"
            )
        model, device = self.checkpoint, find_device(self.device)
        if not self.references and model.uses_references and model.kind != "xcomet_metric":
            raise SettingError("references", False, f"yes: {model.name} needs references")
        identity = {"model": model.name, "rev": model.revision[:12], "device": device}
        if versions is not None:
            identity |= {"prec": self.precision or "single", **versions}
            return CometEngine(self.name, model, identity, self.batch)
        command = command or []
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
        options = ["-s", "{source}", "-t", "{output}", "--to_json", "{scores}"]
        options += ["-r", "{reference}"] if self.needs_references else []
        options += ["--model", str(model.path), "--batch_size", str(self.batch), "--quiet"]
        options += ["--only_system", "--gpus", "0" if device == "cpu" else "1"]
        return ProgramEngine(self.name, [*command, *options], identity, read_comet_score)


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
        command += ["--tokenizer", str(tokenizer), "--model_name_or_path", str(folder)]
        command += ["--max_input_length", length, "--batch_size", "1"]
        command += ["--input_file", "{jsonl}", "--output_file", "{scores}"]
        command += [] if self.needs_references else ["--qe"]
        identity = {"model": self.model, "rev": folder.name[:12], "maxlen": length}
        return ProgramEngine(self.name, command, identity, read_metricx)


@dataclass(frozen=True, slots=True, kw_only=True)
class BertScore(NeuralMetric):
    """BERTScore's F1; see docs/reference/metrics/bertscore.md.

    Attributes:
        model: name of a model in the hub, or its folder.
        layers: layer whose embeddings are compared; by default the package's for this model.
        batch: number of texts that the model reads at once.
    """

    model: str = "bert-base-multilingual-cased"
    layers: Annotated[int | None, Setting(minimum=1, maximum=200)] = None
    batch: Batch = 64

    name: ClassVar[str] = "BERTScore"
    takes_best_reference: ClassVar[bool] = True

    @property
    def uses_source(self) -> bool:
        """False: outputs are compared with references."""
        return False

    def engine(self) -> Engine:
        """Return the user's program bert-score, or the one of this environment."""
        command, versions = find_program("bertscore"), None
        if command is None:
            versions = installed_versions(("bert-score", "torch", "transformers"))
            # An environment keeps its scripts beside its Python.
            command = [os.path.join(os.path.dirname(sys.executable), "bert-score")]
            if versions is None:
                raise RefusedError(
                    f"{self.name} needs the package bert-score: pip install bert-score; or set "
                    "TRUEBLEU_BERTSCORE to the command of a bert-score elsewhere"
                )
        layers = [] if self.layers is None else ["-l", str(self.layers)]
        identity = {"model": self.model, "rev": require_model(self.name, self.model).name[:12]}
        identity |= {"layer": layers[-1] if layers else "default", **(versions or {})}
        identity |= {"device": find_device("auto")}
        command += ["-m", self.model, "-b", str(self.batch), "-s", *layers]
        command += ["-r", "{reference}", "-c", "{output}"]
        return ProgramEngine(self.name, command, identity, read_bert_score)


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
