"""``python -m truebleu.compat.sacrebleu`` is ``truebleu sacrebleu``."""

import sys

from truebleu.compat.sacrebleu.sacrebleu import main

if __name__ == "__main__":
    sys.exit(main())
