"""Report errors of commands: one sentence on stderr, exit code 2, no traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from app.cli.printing import print_text
from core.errors import ConsoleError

BAD_INPUT = 2


@contextmanager
def report_errors() -> Iterator[None]:
    """Turn a ConsoleError into its sentence and exit code 2."""
    try:
        yield
    except ConsoleError as error:
        print_text(error, error=True)
        raise typer.Exit(BAD_INPUT) from None
