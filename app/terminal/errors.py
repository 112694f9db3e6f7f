"""What a verb does with errors: one sentence on stderr, exit code 2, no traceback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from core.errors import ConsoleError

BAD_INPUT = 2


@contextmanager
def one_sentence() -> Iterator[None]:
    """Turn a ConsoleError into its sentence and exit code 2."""
    try:
        yield
    except ConsoleError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(BAD_INPUT) from None
