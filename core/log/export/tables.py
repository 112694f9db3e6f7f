"""CSV of any of the log's views, for spreadsheets and statistics programs.

Text that a spreadsheet would take for a formula is prefixed with an apostrophe: it may come from a model.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from core.errors import BadFile, UnknownName
from core.log.database import as_log_error
from core.log.integrity.validation import excerpt
from core.log.store import Store

OVER_ALL = ("agreement", "judgement")
OF_EPISODES = (
    *("episodes", "questions", "overrides", "replans", "stops", "costs", "bookmarks", "judged", "records"),
)
VIEWS = (*OF_EPISODES, *OVER_ALL)


def export(store: Store, view: str, to: Path, episodes: Sequence[str] = ()) -> int:
    """Write one of VIEWS with its column names and return the number of rows.

    It covers all episodes or, with OF_EPISODES, these (full ids). Raises UnknownName, BadFile, LogError.
    """
    known = OF_EPISODES if episodes else VIEWS
    if view not in known:
        raise UnknownName("table to export", view, known)
    where = f" where episode in ({', '.join('?' * len(episodes))})" if episodes else ""
    with as_log_error(store.path):
        rows = store.db.execute(f"select * from {view}{where}", tuple(episodes))
        return write_rows([column[0] for column in rows.description], rows, to)


def write_query(store: Store, sql: str, to: Path) -> int:
    """Write what a query finds and return the number of rows. Raises BadFile, LogError."""
    with as_log_error(store.path):
        rows = store.db.execute(sql)
        return write_rows([column[0] for column in rows.description], rows, to)


def write_rows(heads: Sequence[str], rows: Iterable[Sequence[object]], to: Path) -> int:
    """Write these rows and return their number. Raises BadFile."""
    count = 0
    try:
        with to.open("w", encoding="utf-8", errors="replace", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(heads)
            for row in rows:
                writer.writerow(map(_cell, row))
                count += 1
    except OSError as error:
        reason = f"cannot be written ({error.strerror})"
        raise BadFile(to, reason, remedy="Choose another file") from error
    return count


FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value if isinstance(value, int | float | None) else excerpt(value)
    return f"'{value}" if value.lstrip(" ").startswith(FORMULA) else value
