"""The episode log that a command reads or changes: `--database`, or the one in the user's data folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.cli.output.printing import print_text
from core.errors import LogError
from core.install_paths import COMMAND
from core.log.database import default_path
from core.log.store import Store


def existing_log(database: Path | None) -> Path:
    """Return the given log, or the user's own. Raises LogError if there is none yet."""
    path = database or default_path()
    if not path.exists():
        raise LogError(
            f"There is no episode log {path} yet: `{COMMAND} run` begins one, or name another with "
            "--database."
        )
    return path


def open_to_read(database: Path | None) -> Store:
    """Open the log read-only. Raises LogError."""
    return Store.open(existing_log(database), read_only=True)


@contextmanager
def open_to_write(path: Path) -> Iterator[Store]:
    """Open the log to change it. Raises LogError."""
    with Store.open(path) as store:
        print_notices(store)
        yield store


def print_notices(store: Store) -> None:
    """Print what a person should know of the log: that it was upgraded, or what was interrupted."""
    for sentence in store.notices:
        print_text(sentence, error=True)
