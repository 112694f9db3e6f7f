"""Check that data derived from an episode's records still agree with them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from math import isclose

from core.errors import LogError
from core.events import EpisodeEnded, EpisodeStarted, Event, FrameCaptured
from core.log.codec import read_event
from core.log.integrity.validation import excerpt, parse_json
from core.log.rows import summary_counts


def picture_column(event: Event) -> str | None:
    """Return the value of the column `picture`."""
    return event.frame.id or None if isinstance(event, FrameCaptured) else None


def differences(db: sqlite3.Connection, nr: int) -> Iterator[str]:
    """Yield in words what an episode's row and answers contain that does not follow from its records.

    Raises sqlite3.Error.
    """
    cursor = db.execute("select * from episode where nr = ?", (nr,))
    row = dict(zip((column for column, *_ in cursor.description), cursor.fetchone(), strict=True))
    wanted = _beginning(db, nr)
    if row["ended"] is not None:
        wanted |= _end(db, nr) | summary_counts(db, nr)
        yield from _answers(db, nr)
    for name, value in wanted.items():
        if not _same(name, row[name], value):
            truth = name in _TRUTHS
            yield f"its {name} is {_worded(row[name], truth)}, and its records say {_worded(value, truth)}"


_TRUTHS = ("believed_goal", "true_goal")  # kept as 1, 0 or null


def _worded(value: object, truth: bool) -> str:
    """Return a column's value as it is shown, whether it comes from the row or from the records."""
    if truth and value in (0, 1):
        return "true" if value else "false"
    if value is None:
        return "not set"
    return repr(excerpt(value, 40)) if isinstance(value, str) else excerpt(value, 40)


def _beginning(db: sqlite3.Connection, nr: int) -> dict[str, object]:
    wall, event = _event(db, nr, "EpisodeStarted")
    if not isinstance(event, EpisodeStarted):
        return {}
    settings = json.dumps(dict(event.settings), ensure_ascii=False)
    about = {"recorded_as": event.recorded_as, "task": event.task, "domain": event.domain}
    return {"began": wall, "settings": settings, **about}


def _end(db: sqlite3.Connection, nr: int) -> dict[str, object]:
    wall, event = _event(db, nr, "EpisodeEnded")
    if not isinstance(event, EpisodeEnded):
        return {}
    goals = {"believed_goal": event.believed_goal, "true_goal": event.true_goal}
    return {"ended": wall, "result": event.result.value, "reason": event.reason, **goals}


def _event(db: sqlite3.Connection, nr: int, kind: str) -> tuple[object, Event | None]:
    found = db.execute(
        "select wall, body from record where kind = ? and episode = ? order by number limit 1", (kind, nr)
    ).fetchone()
    try:
        return (found[0], read_event(kind, str(found[1]))) if found else (None, None)
    except LogError:  # it is reported with its record
        return None, None


def _same(name: str, stored: object, worked_out: object) -> bool:
    if name == "settings":
        try:
            return bool(parse_json(str(stored)) == parse_json(str(worked_out)))
        except ValueError:
            return False
    if name == "cost":  # an older version wrote 0 where no price was known
        stored, worked_out = stored or 0.0, worked_out or 0.0
    if isinstance(stored, float) and isinstance(worked_out, int | float):
        return isclose(stored, worked_out, rel_tol=1e-9, abs_tol=1e-12)
    return bool(stored == worked_out)


def _answers(db: sqlite3.Connection, nr: int) -> Iterator[str]:
    """Compare the table of answers with the records; an atom reviewed twice in one review is kept once."""
    forged, have, want = db.execute(_ANSWERS, {"nr": nr}).fetchone()
    if forged or have != want:
        differ = max(forged, abs(have - want))
        yield f"its answers in table answer are not those of its records ({differ} differ)"


_ANSWERS = """
select (select count(*) from (select * from answer where episode = :nr
        except select * from answering where episode = :nr)),
    (select count(*) from answer where episode = :nr),
    (select count(*) from (select distinct record, place from answering where episode = :nr))
"""
