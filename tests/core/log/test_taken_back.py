"""What a person sets and takes back before the robot moves counts nowhere afterwards."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from core import events as ev
from core.belief import Answer, BeliefSource, Verdict
from core.log.recorder import Recorder
from core.log.store import EpisodeFilter, Store
from core.operator import Correct, Undo
from core.review.statistics import predicate_statistics
from core.state.state_reducer import fold_records
from tests.core.looping import Setting
from tests.core.test_loop import Overruling
from tests.core.tiny import CLOSED, INSIDE

LIED = Answer(INSIDE, Verdict.NO, BeliefSource.OPERATOR, turn=1, by="me")


def logged(made: Setting, path: Path) -> Store:
    with closing(Recorder.open(path)) as recorder:
        for _ in recorder.record_events(made.start()):
            pass
    return Store.open(path, read_only=True)


def test_that_an_answer_reviewed_and_a_correction_taken_back_count_nowhere(
    setting: Callable[..., Setting], tmp_path: Path
) -> None:
    operator = Overruling([Correct((LIED,), "me"), Undo("me"), Undo("me")])
    with closing(logged(setting(operator=operator), tmp_path / "log.db")) as store:
        (summary,) = store.episodes()
        records = store.records(summary.episode)
        said = [r.event.decision for r in records if isinstance(r.event, ev.DecisionMade)]
        assert [a.atom for u in said if isinstance(u, Undo) for a in u.answers] == [INSIDE, CLOSED]
        assert summary.overrides == 0 and fold_records(records).counts.overrides == 0
        assert not store.execute("select * from overrides").fetchall()
        assert not store.execute("select * from judged").fetchall()
        figures = predicate_statistics(store, EpisodeFilter())
        assert {f.predicate: (f.overrides, f.undone) for f in figures} == {
            CLOSED.predicate: (0, 1),
            INSIDE.predicate: (0, 1),
        }


def test_that_what_was_set_again_counts(setting: Callable[..., Setting], tmp_path: Path) -> None:
    operator = Overruling([Correct((LIED,), "me"), Undo("me"), Correct((LIED,), "me")])
    with closing(logged(setting(operator=operator), tmp_path / "log.db")) as store:
        said = store.execute("select atom, how from overrides order by number").fetchall()
        assert [how for _, how in said] == ["answer", "correction"] and store.episodes()[0].overrides == 2


def test_that_an_older_log_does_not_say_what_was_taken_back_and_the_last_correction_is_meant(
    setting: Callable[..., Setting], tmp_path: Path
) -> None:
    operator = Overruling([Correct((LIED,), "me"), Undo("me")])
    logged(setting(operator=operator), tmp_path / "log.db").close()
    with closing(sqlite3.connect(tmp_path / "log.db")) as db:
        db.execute("drop trigger record_is_never_changed")
        older = "update record set body = json_remove(body, '$.decision.answers')"
        db.execute(f"{older} where body ->> '$.decision.kind' = 'Undo'")
        assert [how for (how,) in db.execute("select how from overrides")] == ["answer"]
