"""CSV of any of the log's views, for spreadsheets and statistics programs.

Text that a spreadsheet would take for a formula is prefixed with an apostrophe: it may come from a model.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.errors import UnknownName
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

    It covers all episodes or, with OF_EPISODES, these (full ids). Raises UnknownName, LogError, OSError.
    """
    known = OF_EPISODES if episodes else VIEWS
    if view not in known:
        raise UnknownName("table to export", view, known)
    where = f" where episode in ({', '.join('?' * len(episodes))})" if episodes else ""
    with as_log_error(store.path):
        found = store.db.execute(f"select * from {view}{where}", tuple(episodes))

    def rows() -> Iterator[Sequence[object]]:  # an error of the log is none of the file's
        with as_log_error(store.path):
            yield from found

    with to.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(column[0] for column in found.description)
        return sum(1 for row in rows() if writer.writerow(map(_cell, row)))


FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value if isinstance(value, int | float | None) else excerpt(value)
    return f"'{value}" if value.lstrip(" ").startswith(FORMULA) else value
