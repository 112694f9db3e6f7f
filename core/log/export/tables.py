"""CSV of any of the log's views, for spreadsheets and statistics programs."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from core.errors import BadFile, UnknownName
from core.log.database import explained
from core.log.store import Store

OVER_ALL = ("agreement", "judgement")
OF_EPISODES = (
    *("episodes", "questions", "overrides", "replans", "stops", "costs", "bookmarks", "judged", "records"),
)
VIEWS = (*OF_EPISODES, *OVER_ALL)


def export(store: Store, view: str, to: Path, episodes: Sequence[str] = ()) -> int:
    """One of VIEWS with its column names, of all episodes or, with OF_EPISODES, of these (full ids); returns
    the number of rows. Raises UnknownName, BadFile, LogError."""
    known = OF_EPISODES if episodes else VIEWS
    if view not in known:
        raise UnknownName("table to export", view, known)
    where = f" where episode in ({', '.join('?' * len(episodes))})" if episodes else ""
    with explained(store.path):
        rows = store.db.execute(f"select * from {view}{where}", tuple(episodes))
        try:
            with to.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(column[0] for column in rows.description)
                count = 0
                for row in rows:
                    writer.writerow(row)
                    count += 1
        except OSError as error:
            why = f"cannot be written ({error.strerror})"
            raise BadFile(to, why, way_out="Choose another file") from error
    return count
