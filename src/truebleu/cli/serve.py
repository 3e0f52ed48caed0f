"""``truebleu serve``: the page of ``truebleu report`` from this machine, for sets of any size."""

from __future__ import annotations

from typing import Any

import click

from truebleu.cli.report import command_line, make_report, report_options
from truebleu.errors import SettingError
from truebleu.reports.page._server import ADDRESS, ReportServer

EPILOG = """\b
Examples:
  truebleu serve -r ref.txt old.txt new.txt
  truebleu serve -r ref.txt -s src.txt --documents docs.tsv sys/ --port 8000

\b
The page answers this machine only, and only whoever has its whole address. Ctrl-C ends it.
"""


@click.command("serve", epilog=EPILOG)
@report_options
@click.option(
    "--port",
    type=click.IntRange(min=0, max=65535),
    default=0,
    show_default=True,
    help="Where to listen; 0 for any free port.",
)
def command(port: int, **options: Any) -> None:
    """Show what is known about SYSTEMs in a browser, with every segment.

    The page is that of `truebleu report`, and it fetches segments as they are looked at.
    """
    made = make_report(**options)
    try:
        server = ReportServer(made, command=command_line(), port=port)
    except OSError as error:
        expected = f"a free port of {ADDRESS} ({error.strerror}); 0 finds one"
        raise SettingError("--port", port, expected) from error
    with server:
        # A program that started this one may wait for the address.
        click.echo(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return
