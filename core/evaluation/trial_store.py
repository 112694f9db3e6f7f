"""Finished trials in an SQLite file, each with all settings that repeat it. Only one process writes."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict, fields
from pathlib import Path

from core.data_file import check
from core.errors import BadFile
from core.evaluation.outcome import TrialOutcome
from core.evaluation.trial import Trial
from core.log.database import DAMAGE_ERRORS, refuse_foreign_journals, restrict
from core.text.untrusted_text import one_line

_FIELDS = tuple(f.name for f in fields(TrialOutcome))
_TABLE = f"""
create table if not exists trial (
    settings text primary key,  -- JSON, as `run` would take them
    method text, task text, profile text, openness real, seed integer,
    {", ".join(_FIELDS)})
"""
_COLUMNS = ", ".join(("settings", "method", "task", "profile", "openness", "seed", *_FIELDS))
_OURS = {("table", "trial"), ("index", "sqlite_autoindex_trial_1")}
_BUSY_SECONDS = 30.0
_REMEDY = "Name another file for the trials"


class TrialStore:
    """Stores trials; each is on disk when `put` returns. Raises BadFile."""

    def __init__(self, path: Path) -> None:
        self._path = path
        if os.path.lexists(path) and not path.is_file():
            raise BadFile(path, "it is no regular file", remedy=_REMEDY)
        refuse_foreign_journals(path)
        try:
            self._db = restrict(sqlite3.connect(path, timeout=_BUSY_SECONDS))
            found = set(self._db.execute("select type, name from sqlite_master"))
            if found - _OURS:
                self._db.close()
                what = (
                    "this is an episode log" if ("table", "episode") in found else "it holds more than trials"
                )
                raise BadFile(path, what, remedy=_REMEDY)
            with self._db:
                self._db.execute("pragma journal_mode=wal")
                self._db.execute("pragma synchronous=normal")
                self._db.execute(_TABLE)
                here = {column for _, column, *_ in self._db.execute("pragma table_info(trial)")}
                for name in _FIELDS:
                    if name not in here:  # an older version made the file
                        self._db.execute(f"alter table trial add column {name}")
        except DAMAGE_ERRORS as error:
            raise self._unusable(error) from error

    def put(self, trial: Trial, outcome: TrialOutcome) -> None:
        cell = trial.cell
        values: list[object] = [trial.key, cell.method, cell.task, cell.profile, cell.openness, trial.seed]
        values += asdict(outcome).values()
        marks = ", ".join("?" * len(values))
        try:
            with self._db:
                self._db.execute(f"insert or replace into trial ({_COLUMNS}) values ({marks})", values)
        except DAMAGE_ERRORS as error:
            raise self._unusable(error) from error

    def finished(self, trials: Iterable[Trial]) -> dict[Trial, TrialOutcome]:
        """Return the stored outcomes of these trials; a trial without one is left out. Raises BadFile."""
        try:
            with closing(self._db.execute(f"select settings, {', '.join(_FIELDS)} from trial")) as rows:
                here = {settings: values for settings, *values in rows}
        except DAMAGE_ERRORS as error:
            raise self._unusable(error) from error
        return {trial: self._outcome(here[key]) for trial in trials if (key := trial.key) in here}

    def forget(self, trials: Iterable[Trial]) -> None:
        """Delete these trials, which are to be run again."""
        try:
            with self._db:
                self._db.executemany("delete from trial where settings = ?", ((t.key,) for t in trials))
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> TrialStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _unusable(self, error: Exception) -> BadFile:
        reason = one_line(error, 200)
        return BadFile(self._path, f"the trials cannot be kept there ({reason})", remedy="Name another file")

    def _outcome(self, values: list[object]) -> TrialOutcome:
        given = dict(zip(_FIELDS, values, strict=True))
        given["calibration"] = given["calibration"] or ""  # a file of an older version has none
        given["situations"] = given["situations"] or 0
        given["believed"] = bool(given["believed"])
        given["reached"] = None if given["reached"] is None else bool(given["reached"])
        return check(TrialOutcome, given, self._path, _REMEDY)
