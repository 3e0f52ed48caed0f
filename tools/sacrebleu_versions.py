"""Check the drop-in with the sacreBLEU of this environment: the same digits, or one sentence."""

from __future__ import annotations

import sys

import sacrebleu

from truebleu.compat import install
from truebleu.errors import TruebleuError

OUTPUTS = ["The cat sat on the mat.", "A dog barked at 1,000 people!", "", "été — déjà vu"]
REFERENCES = [["A cat sat on a mat.", "The dog barked at 1,000 people.", "x", "été: déjà vu"]]


def scores() -> list[float]:
    """Return scores of four metrics by sacreBLEU's functions."""
    return [
        sacrebleu.corpus_bleu(OUTPUTS, REFERENCES).score,
        sacrebleu.corpus_chrf(OUTPUTS, REFERENCES).score,
        sacrebleu.corpus_chrf(OUTPUTS, REFERENCES, word_order=2).score,
        sacrebleu.corpus_ter(OUTPUTS, REFERENCES).score,
    ]


def main() -> None:
    """Compare the scores before and after `install`."""
    before = scores()
    try:
        install()
    except TruebleuError as error:
        message = str(error)
        if "\n" in message or "sacrebleu" not in message:
            sys.exit(f"sacreBLEU {sacrebleu.__version__}: no sentence about the version: {message}")
        print(f"sacreBLEU {sacrebleu.__version__}: {message}")
        return
    if any(abs(a - b) > 1e-9 * abs(a) for a, b in zip(before, scores(), strict=True)):
        sys.exit(f"sacreBLEU {sacrebleu.__version__}: {scores()}; expected {before}")
    print(f"sacreBLEU {sacrebleu.__version__}: the same digits")


if __name__ == "__main__":
    main()
