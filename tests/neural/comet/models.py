"""Small real checkpoints of COMET with random weights, as a cache of the Hugging Face hub.

Usage: python -m tests.neural.comet.models FOLDER

The encoder is a BERT of two layers whose tokens are characters. Scores mean nothing, but the
package loads and runs these models as it does large ones, offline.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
import yaml
from comet.models import ReferencelessRegression, RegressionMetric, UnifiedMetric, XCOMETMetric
from transformers import BertConfig, BertTokenizerFast

REVISION = "c0ffee" + 34 * "0"
#: Class, its name in hparams.yaml, and settings that differ from the class's defaults.
MODELS: dict[str, tuple[type, str, dict[str, Any]]] = {
    "regression": (RegressionMetric, "regression_metric", {"pool": "avg"}),
    "referenceless": (ReferencelessRegression, "referenceless_regression_metric", {"pool": "avg"}),
    "unified": (UnifiedMetric, "unified_metric", {"input_segments": ["mt", "src"]}),
    "xcomet": (XCOMETMetric, "xcomet_metric", {"word_layer": 2, "word_level_training": True}),
}


def snapshot(hub: Path, name: str) -> Path:
    """Make a model's folder in the hub's cache, with one revision."""
    model = hub / f"models--random--{name}"
    folder = model / "snapshots" / REVISION
    (folder / "checkpoints").mkdir(parents=True)
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text(REVISION)
    return folder


def make_encoder(folder: Path) -> None:
    """Write the tokenizer and the configuration of the encoder."""
    characters = [chr(code) for code in range(0x21, 0x600) if chr(code).isprintable()]
    pieces = [f"##{character}" for character in characters]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = folder / "words.txt"
    words.write_text("\n".join([*special, *characters, *pieces]), encoding="utf-8")
    tokenizer = BertTokenizerFast(vocab_file=str(words), do_lower_case=False, model_max_length=512)
    tokenizer.save_pretrained(folder)
    size = len(special) + len(characters) + len(pieces)
    BertConfig(
        vocab_size=size,
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        # Larger than usual, so that random weights tell texts apart.
        initializer_range=0.25,
    ).save_pretrained(folder)


def make_models(hub: Path) -> None:
    """Write the encoder and all models into an empty cache."""
    encoder = snapshot(hub, "encoder")
    make_encoder(encoder)
    for seed, (name, (kind, identifier, settings)) in enumerate(MODELS.items(), start=7):
        torch.manual_seed(seed)
        model = kind(
            encoder_model="BERT",
            pretrained_model=str(encoder),
            load_pretrained_weights=False,
            local_files_only=True,
            hidden_sizes=[40, 20],
            **settings,
        )
        folder = snapshot(hub, name)
        # Where a program that loads the model finds the encoder.
        hyper_parameters = {**model.hparams, "pretrained_model": "random/encoder"}
        checkpoint = {
            "state_dict": model.state_dict(),
            "hyper_parameters": hyper_parameters,
            "pytorch-lightning_version": "2.0.0",
        }
        torch.save(checkpoint, folder / "checkpoints" / "model.ckpt")
        plain = {
            key: value
            for key, value in hyper_parameters.items()
            if isinstance(value, bool | int | float | str | list)
        }
        text = yaml.safe_dump({**plain, "class_identifier": identifier})
        (folder / "hparams.yaml").write_text(text)


if __name__ == "__main__":
    make_models(Path(sys.argv[1]))
