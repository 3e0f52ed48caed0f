"""``python -m truebleu``: the command line."""

from truebleu.cli.main import main

main()
