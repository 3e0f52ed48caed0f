"""The options of long work: where its tasks run, and the journal that keeps their results."""

from __future__ import annotations

from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from truebleu.cli._options import (
    add_options,
    executor_options,
    progress_bar,
    refuse_idle,
    repeatable_option,
)
from truebleu.cli.main import is_quiet, say, warn
from truebleu.corpus._files import expanded, note_input

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor

    from truebleu.cli._options import Command


def task_options(command: Command) -> Command:
    """Where the tasks of long work run, and what keeps their results: the command gets `runner`."""

    @wraps(command)
    def with_runner(
        *arguments: Any,
        resume: Path | None,
        share: str | None,
        merged: Sequence[str],
        executor: Executor | None,
        **options: Any,
    ) -> None:
        from truebleu.execution.journal import Runner, Share, ShareFinished

        if share is not None:
            refuse_idle(["chart"], "no --tasks beside it: a share has no result to draw")
        runner = Runner(
            journal=resume,
            progress=partial(progress_bar, what="studying"),
            tell=warn,
            share=None if share is None else Share.parse(share),
            merged=[Path(path) for path in expanded(merged)],
            executor=executor,
        )
        for path in (*runner.merged, *([] if resume is None else [resume])):
            note_input(path)
        try:
            command(*arguments, runner=runner, **options)
        except ShareFinished as finished:
            if not is_quiet():
                say(str(finished))

    return add_options(
        cast("Command", with_runner),
        click.option(
            "--resume",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="Keep results in FILE as they come; where it exists, go on from it.",
        ),
        click.option(
            "--tasks",
            "share",
            metavar="K/N",
            help="Run the K-th of N shares of the tasks, and keep it in --resume FILE.",
        ),
        repeatable_option(
            "--merge",
            "merged",
            metavar="FILE",
            text="Take over what a share kept: a file, a folder or a pattern; repeat for several.",
        ),
        executor_options,
    )
