"""evaluate's own machinery on truebleu, and on a module of its own that imports sacrebleu."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import evaluate
import pytest

import truebleu
from truebleu import BLEU
from truebleu.integrations.evaluate import CorpusScore

if TYPE_CHECKING:
    from pathlib import Path

FIRST = [f"the cat number {number} sat on the mat" for number in range(30)]
OUTPUTS = [line.replace("sat on", "lay by" if i % 3 else "sat on") for i, line in enumerate(FIRST)]

# A metric as users of evaluate write them; it knows nothing of truebleu.
MODULE = """
import datasets
import evaluate
import sacrebleu


class Sacrebleu(evaluate.Metric):
    def _info(self):
        text = datasets.Value("string")
        features = datasets.Features({"predictions": text, "references": datasets.Sequence(text)})
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="", features=features
        )

    def _compute(self, predictions, references):
        streams = [list(stream) for stream in zip(*references)]
        score = sacrebleu.corpus_bleu(predictions, streams)
        return {
            "score": score.score,
            "counts": score.counts,
            "totals": score.totals,
            "precisions": score.precisions,
            "bp": score.bp,
            "sys_len": score.sys_len,
            "ref_len": score.ref_len,
        }
"""
PROGRAM = """
import json
import sys
import evaluate
metric = evaluate.load(sys.argv[1])
outputs, references = json.loads(sys.argv[2])
print(json.dumps(metric.compute(predictions=outputs, references=references)))
print(sys.modules["sacrebleu.metrics.base"].__version__)
"""


def test_a_module_gives_the_score_with_its_parts() -> None:
    module = CorpusScore("bleu")
    assert isinstance(module, evaluate.Metric)
    for start in (0, 15):
        rest = slice(start, start + 15)
        module.add_batch(predictions=OUTPUTS[rest], references=[[text] for text in FIRST[rest]])
    result = module.compute()
    expected = BLEU().corpus(OUTPUTS, FIRST)
    assert result["score"] == expected.score
    assert result["precisions"] == expected.to_dict()["precisions"]
    assert result["signature"] == str(expected.signature)


def test_a_program_that_loads_a_metric_on_sacrebleu_gets_the_same_dictionary(
    tmp_path: Path,
) -> None:
    (tmp_path / "my_bleu").mkdir()
    (tmp_path / "my_bleu" / "my_bleu.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    texts = json.dumps([OUTPUTS, [[reference] for reference in FIRST]])
    arguments = ["program.py", "./my_bleu", texts]
    answers = []
    for command in ([sys.executable], [sys.executable, "-m", "truebleu.compat"]):
        run = subprocess.run(
            [*command, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        answers.append(run.stdout.splitlines()[-2:])
    (real, real_version), (ours, our_version) = answers
    assert (real_version, our_version) == ("2.6.0", f"2.6.0+truebleu.{truebleu.__version__}")
    real_scores, our_scores = json.loads(real), json.loads(ours)
    assert our_scores.keys() == real_scores.keys()
    for name, value in real_scores.items():
        assert our_scores[name] == pytest.approx(value, rel=1e-12), name
