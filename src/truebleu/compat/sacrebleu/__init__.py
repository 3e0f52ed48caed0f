"""sacreBLEU's interface on truebleu's counting: the same scores and signatures, sooner.

    import truebleu.compat.sacrebleu as sacrebleu

is all that existing code has to change. Three things differ on purpose: texts that do not pair
segment by segment are an error instead of being cut to the shortest; test sets come from the real
package, where that is installed, and are downloaded only when asked; and a warning is logged where
the answer of a paired test misleads.

>>> corpus_bleu(["the cat sat on the mat"], [["the cat sat on a mat"]])
BLEU = 53.73 83.3/60.0/50.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)
"""

from truebleu.compat.sacrebleu.compat import (
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    raw_corpus_bleu,
    sentence_bleu,
    sentence_chrf,
    sentence_ter,
)
from truebleu.compat.sacrebleu.metrics import BLEU, CHRF, TER
from truebleu.compat.sacrebleu.metrics.helpers import extract_char_ngrams, extract_word_ngrams
from truebleu.compat.sacrebleu.utils import (
    SACREBLEU_DIR,
    download_test_set,
    get_available_testsets,
    get_langpairs_for_testset,
    get_reference_files,
    get_source_file,
    smart_open,
)
from truebleu.compat.sacrebleu.version import __version__

__all__ = [
    "BLEU",
    "CHRF",
    "SACREBLEU_DIR",
    "TER",
    "__version__",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "download_test_set",
    "extract_char_ngrams",
    "extract_word_ngrams",
    "get_available_testsets",
    "get_langpairs_for_testset",
    "get_reference_files",
    "get_source_file",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
    "smart_open",
]


def __getattr__(name: str) -> object:
    if name == "DATASETS":
        from truebleu.corpus.known_test_sets import sacrebleu_module

        return sacrebleu_module("dataset").DATASETS
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
