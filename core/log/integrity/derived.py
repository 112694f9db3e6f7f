"""Check that data derived from an episode's records still agree with them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from math import isclose

from core.log.integrity.validation import excerpt, parse_json

FROM_START = ("began", "recorded_as", "task", "domain", "settings")


def differences(db: sqlite3.Connection, nr: int) -> Iterator[str]:
    """Yield in words what an episode's row and answers contain that does not follow from its records.

    Raises sqlite3.Error.
    """
    stored, wanted = (_row(db, table, nr) for table in ("episode", "counting"))
    ended = stored["ended"] is not None
    for name, value in wanted.items():
        if name in FROM_START and wanted["began"] is None:
            continue  # a beginning that is missing is reported as that
        if (ended or name in FROM_START) and not _same(name, stored[name], value):
            yield f"its {name} is {_worded(name, stored[name])}, and its records say {_worded(name, value)}"
    forged, have, want = db.execute(_ANSWERS, {"nr": nr}).fetchone()
    if ended and (forged or have != want):
        differ = max(forged, abs(have - want))
        yield f"its answers in table answer are not those of its records ({differ} differ)"


def _row(db: sqlite3.Connection, table: str, nr: int) -> dict[str, object]:
    cursor = db.execute(f"select * from {table} where nr = ?", (nr,))
    return dict(zip((column for column, *_ in cursor.description), cursor.fetchone(), strict=True))


def _worded(name: str, value: object) -> str:
    """Return a column's value as it is shown, whether it comes from the row or from the records."""
    if name.endswith("_goal") and value in (0, 1):
        return "true" if value else "false"
    if value is None:
        return "not set"
    return repr(excerpt(value, 40)) if isinstance(value, str) else excerpt(value, 40)


def _same(name: str, stored: object, wanted: object) -> bool:
    if name == "settings":
        try:
            return bool(parse_json(str(stored)) == parse_json(str(wanted)))
        except ValueError:
            return False
    if name == "cost":  # an older version wrote 0 where no price was known
        stored, wanted = stored or 0.0, wanted or 0.0
    if isinstance(stored, float) and isinstance(wanted, int | float):
        return isclose(stored, wanted, rel_tol=1e-9, abs_tol=1e-12)
    return stored == wanted


# An atom that was reviewed twice in one review is kept once.
_ANSWERS = """
select (select count(*) from (select * from answer where episode = :nr
        except select * from answering where episode = :nr)),
    (select count(*) from answer where episode = :nr),
    (select count(*) from (select distinct record, place from answering where episode = :nr))
"""
