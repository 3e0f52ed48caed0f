"""Scores as records of Every Eval Ever, a community's schema for results of evaluations.

A system has two files: its results by metric, with intervals and signatures, and a line for each
segment and metric. The schema has no place for a difference between systems or its p-value, so what
compares them stays with ``compare``. The records are of version 0.3.0.
"""

from __future__ import annotations

import json
import os
import re
import time
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args
from uuid import UUID

from truebleu._core import VERSION
from truebleu._settings import require_name
from truebleu.corpus._writing import write_files
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.corpus.test_set import TestSet
    from truebleu.significance.scores import Scores, SystemScores

SCHEMA_VERSION = "0.3.0"
#: How those who evaluated are related to those who made the system.
Relationship = Literal["first_party", "third_party", "collaborative", "other"]
RELATIONSHIPS: tuple[Relationship, ...] = get_args(Relationship)
UNKNOWN = "unknown"


def save_evaluations(
    scores: Scores,
    test_set: TestSet,
    folder: str | os.PathLike[str],
    *,
    benchmark: str,
    organization: str = UNKNOWN,
    relationship: Relationship = "other",
    overwrite: bool = False,
) -> list[Path]:
    """Write records of Every Eval Ever: results of each system, and its segments beside them.

    Args:
        scores: of the test set, with those of segments.
        test_set: what was scored.
        folder: where they go, as data/BENCHMARK/DEVELOPER/SYSTEM/; a system is called
            DEVELOPER/SYSTEM, or its developer is unknown.
        benchmark: what the test set is called.
        organization: who evaluated.
        relationship: of the organization to those who made the systems.
        overwrite: whether files that exist may be replaced.

    Returns:
        The files of results.
    """
    require_name("relationship", relationship, RELATIONSHIPS)
    if not benchmark.strip():
        raise SettingError("benchmark", benchmark, "the name of the test set")
    if any(system.segments is None for system in scores.systems):
        raise SettingError("scores", "none of segments", "score(…, per_segment=True)")
    if scores.test_set != test_set.outline or list(scores) != list(test_set.systems):
        raise SettingError("test_set", "another one", "what the scores are of")
    written = []
    for system in scores.systems:
        record = _Record(scores, test_set, system, benchmark, organization, relationship)
        results, samples = record.files()
        name, path = record.name, Path(folder, *record.folder)
        write_files(
            path,
            {f"{name}_samples.jsonl": [samples], f"{name}.json": [results]},
            overwrite=overwrite,
        )
        written.append(path / f"{name}.json")
    return written


class _Record:
    """The record of one system."""

    def __init__(
        self,
        scores: Scores,
        test_set: TestSet,
        system: SystemScores,
        benchmark: str,
        organization: str,
        relationship: str,
    ) -> None:
        self.scores, self.test_set, self.system = scores, test_set, system
        self.benchmark, self.organization = benchmark, organization
        self.relationship = relationship
        self.time = os.environ.get("SOURCE_DATE_EPOCH") or str(int(time.time()))
        self.evaluation = f"{benchmark}/{system.name}/{self.time}"
        developer, _, model = system.name.rpartition("/")
        self.developer = developer or UNKNOWN
        self.folder = ("data", _in_path(benchmark), _in_path(self.developer), _in_path(model))
        self._samples = "".join(self._sample_lines()).encode("utf-8", "surrogatepass")
        # The same samples have the same name, whatever machine writes them.
        told = self.evaluation.encode("utf-8", "surrogatepass")
        digest = sha256(told + self._samples).digest()
        self.name = str(UUID(bytes=digest[:16], version=4))

    def files(self) -> tuple[bytes, bytes]:
        """The results and the samples."""
        beside = "/".join((*self.folder, f"{self.name}_samples.jsonl"))
        values = {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": self.evaluation,
            "retrieved_timestamp": self.time,
            "source_metadata": {
                "source_type": "evaluation_run",
                "source_organization_name": self.organization,
                "evaluator_relationship": self.relationship,
            },
            "eval_library": {"name": "truebleu", "version": VERSION},
            "model_info": {
                "name": self.system.name,
                "id": self.system.name,
                "developer": self.developer,
                "additional_details": {"deployment_type": UNKNOWN, "model_availability": UNKNOWN},
            },
            "evaluation_results": [self._result(label) for label in self.scores.signatures],
            "detailed_evaluation_results": {
                "format": "jsonl",
                "file_path": beside,
                "hash_algorithm": "sha256",
                "checksum": sha256(self._samples).hexdigest(),
                "total_rows": self._samples.count(b"\n"),
            },
        }
        text = json.dumps(values, ensure_ascii=False, indent=2, allow_nan=False)
        return (text + "\n").encode("utf-8", "surrogatepass"), self._samples

    def _result_id(self, label: str) -> str:
        return f"{self.benchmark}.{label}"

    def _result(self, label: str) -> dict[str, Any]:
        signature = self.scores.signatures[label]
        config = {
            "metric_id": label.lower(),
            "metric_name": label,
            "metric_parameters": {**dict(signature.fields), "signature": str(signature)},
            "lower_is_better": self.scores.higher_is_better[label] is False,
        }
        if set(self._segments(label)) <= {0.0, 1.0, None}:
            config["score_type"] = "binary"
        return {
            "evaluation_result_id": self._result_id(label),
            "evaluation_name": self.benchmark,
            "source_data": {"dataset_name": self.benchmark, "source_type": "other"},
            "metric_config": config,
            "score_details": {
                "score": self.system.scores[label].score,
                "uncertainty": self._uncertainty(label),
            },
        }

    def _uncertainty(self, label: str) -> dict[str, Any]:
        known: dict[str, Any] = {"num_samples": self.scores.test_set.segments}
        settings = self.scores.settings
        if settings is not None and self.system.intervals is not None:
            low, high = self.system.intervals[label]
            known["confidence_interval"] = {
                "lower": low,
                "upper": high,
                "confidence_level": settings.level,
                "method": f"{settings.interval}, by {settings.unit}",
            }
            known["num_bootstrap_samples"] = settings.replicates
        return known

    def _segments(self, label: str) -> Sequence[float | None]:
        return (self.system.segments or {})[label]

    def _sample_lines(self) -> Iterator[str]:
        """A line for each segment and metric; segments without a score have none."""
        names = self.test_set.segment_names
        for place in range(len(self.test_set)):
            given, output = self._texts(place)
            about = {
                "schema_version": SCHEMA_VERSION,
                "evaluation_id": self.evaluation,
                "model_id": self.system.name,
                "evaluation_name": self.benchmark,
                "sample_id": str(place + 1) if names is None else names[place],
                "interaction_type": "single_turn",
                "input": given,
                "output": {"raw": output},
                "answer_attribution": [],
            }
            if output:
                hashed = {"raw": given["raw"], "reference": given["reference"]}
                text = json.dumps(hashed, sort_keys=True, separators=(",", ":"))
                about["sample_hash"] = sha256(text.encode()).hexdigest()
            if self.test_set.documents is not None:
                about["metadata"] = {"document": self.test_set.documents[place]}
            for label in self.scores.signatures:
                score = self._segments(label)[place]
                if score is None:
                    continue
                result = {
                    "evaluation_result_id": self._result_id(label),
                    "evaluation": {"score": score, "is_correct": score == 1.0},
                }
                line = {**about, **result}
                yield json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"

    def _texts(self, place: int) -> tuple[dict[str, Any], list[str]]:
        """What went in, and what came out; nothing where only scores are known."""
        texts = self.test_set
        if texts.is_counted:
            return {"raw": "", "reference": []}, []
        source = "" if texts.source is None else texts.source[place] or ""
        references = [text[place] for text in texts.references]
        known = [text for text in references if text is not None]
        return {"raw": source, "reference": known}, [texts.systems[self.system.name][place] or ""]


def _in_path(name: str) -> str:
    """A name that is one step of a path everywhere, and not one that leads upwards."""
    return re.sub(r"[^\w.-]+", "_", name).strip(".") or "_"
