"""Forms that earlier versions wrote are read as this version means them."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core import events as ev
from core.belief import Atom, BeliefSource
from core.events import PlanMade
from core.install_paths import version
from core.log import schema
from core.log.codec import read_event, write_event
from core.log.export import jsonl
from core.log.integrity.salvage import salvage
from core.log.integrity.verify import verify
from core.log.recorder import Recorder
from core.log.search import search
from core.log.sidecar import copies
from core.log.store import Store
from core.log.upgrades import OLD_FIELDS, OLD_NAMES
from core.operator import End, Proceed, Proposal, ProposalKind, StopRaised
from core.planning_model import Literal
from core.reason import Cause
from core.state.state_reducer import fold_records
from tests.core.log import made
from tests.core.log.closed_log import edit, edit_body, old_log, read
from tests.core.log.test_stored_form import names

PLAN = {"status": "found", "steps": [], "engine": "", "seconds": 0.0, "expanded": 0, "why": ""}
SAID = {"atom": ["closed", "door"], "verdict": "no", "source": "model", "said": "No.", "turn": 3,
        "frame": "f", "by": "m", "confidence": None, "seconds": 0.0}  # fmt: skip
CLOSED = {"predicate": "closed", "args": ["door"], "positive": True}


def planned(**old: object) -> PlanMade:
    revision = {"turn": 3, "old": [], "new": PLAN, "causes": [], "answer": None, "why": "", **old}
    event = read_event("Planned", json.dumps({"revision": revision, "accepted": True}))
    assert isinstance(event, PlanMade)
    assert read_event("PlanMade", write_event(event)) == event
    return event


def test_that_a_revision_with_causes_has_a_reason_now() -> None:
    revision = planned(causes=[CLOSED], answer=SAID).change
    assert revision.reason.cause is Cause.DISCREPANCY
    assert revision.reason.literals == (Literal("closed", ("door",)),)
    assert revision.trigger is not None
    assert (revision.trigger.atom, revision.trigger.source) == (Atom("closed", ("door",)), BeliefSource.MODEL)


@pytest.mark.parametrize(
    ("why", "cause"),
    [
        ("the first plan", Cause.FIRST_PLAN),
        ("asked for by you", Cause.REQUESTED),
        ("", Cause.PLAN_COMPLETED),
        ("because I say so", Cause.OTHER),
    ],
)
def test_that_a_sentence_becomes_a_reason(why: str, cause: Cause) -> None:
    reason = planned(why=why).change.reason
    assert reason.cause is cause
    assert reason.note == (why if cause is Cause.OTHER else "")


LOGS = Path(__file__).parents[2] / "fixtures" / "logs"


def test_that_a_log_of_november_2026_is_read_whole(tmp_path: Path) -> None:
    """Written at d59c66f: halve_egg with one grasp that failed and one new plan."""
    path = old_log(tmp_path, "2026-11-21")
    before = path.read_bytes()
    with closing(Recorder.open(path)) as recorder:  # brings it up
        (copy,) = copies(path)
        assert recorder.notices == (schema.UPGRADED.format(version(), copy),)
    assert copy.read_bytes()[100:] == before[100:] and copy.stat().st_mode & 0o777 == 0o600
    with closing(Store.open(path)) as store:
        (summary,) = store.episodes()
        assert store.notices == () and copies(path) == [copy]
        state = fold_records(store.records(summary.episode))
        assert store.execute("select domain from episode").fetchone() == ("household",)  # was a simulator's
    assert state.started is not None and state.started.domain == "household"
    assert (state.counts.steps, state.counts.replans) == (5, 1)
    assert state.plan_change is not None and state.plan_change.reason.cause is Cause.DISCREPANCY
    assert state.plan_change.trigger is not None


# --- the names of the log before 26 November 2026 (written at 4db49a67) ------------------------------


def rest() -> Iterator[ev.Event]:
    yield ev.ActionProposed(Proposal(7, 3, ProposalKind.STOP_RELEASE, None, "A stop waits.", stop_number=1))
    yield ev.DecisionMade(7, 3, StopRaised(2, "key"))
    yield ev.DecisionMade(7, 3, Proceed(2, "ada"))
    yield ev.DecisionMade(8, 3, End("enough", "ada"))


def test_that_every_record_with_an_old_name_is_read_as_what_it_meant() -> None:
    new = ev.MotionSampled  # was not there yet
    learning = (event for event in made.learning() if not isinstance(event, new))
    events = [*made.episode(3, by="ada", truth=True), *learning, *rest()]
    lines = (LOGS / "events-2026-11-26.txt").read_text().splitlines()
    assert [read_event(*line.split("\t", 1)) for line in lines] == events


def test_that_every_old_name_leads_to_one_of_today() -> None:
    today = names()
    assert set(OLD_NAMES.values()) <= set(today)
    for kind, renamed in OLD_FIELDS.items():
        assert set(renamed.values()) <= set(today[kind]) and not set(renamed) & set(today[kind]), kind


def columns(path: Path, names: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(f"select {names} from record order by id").fetchall()


def sealed(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute("select id, seal from episode where seal is not null").fetchall()


def test_that_a_log_with_the_old_names_gets_the_new_ones_once_and_keeps_what_was_written(
    tmp_path: Path,
) -> None:
    path = old_log(tmp_path, "2026-11-26")
    written, seals = columns(path, "kind || '|' || body, crc, chain"), sealed(path)
    Store.open(path).close()
    assert columns(path, "ifnull(written, kind || '|' || body), crc, chain")[: len(written)] == written
    assert sealed(path)[: len(seals)] == seals and len(seals) == 2
    assert not {kind for (kind,) in columns(path, "kind")} & set(OLD_NAMES)
    once = columns(path, "kind, body, written")
    with Store.open(path) as store:
        assert columns(path, "kind, body, written") == once
        report = verify(store)
        assert (report.findings, report.unchained, report.unsealed, report.interrupted) == ((), 0, 0, 1)
        for episode in store.episodes():
            assert [write_event(r.event) for r in store.records(episode.episode)]
        turns = store.db.execute("select count(*), sum(turn is null) from record where kind = 'PlanMade'")
        assert turns.fetchone() == (3, 0)
        assert store.db.execute("select count(*) from questions").fetchone() == (12,)
        assert len(search(store, "dishwasher")) > 0


def test_that_what_was_changed_before_the_upgrade_shows_after_it(tmp_path: Path) -> None:
    path = old_log(tmp_path, "2026-11-26")
    edit_body(path, "Answered", "Yes, 1.", "No, 1.")
    edit(path, "update record set body = replace(body, 'pickup', 'putdown') where kind = 'Acted'")
    with Store.open(path) as store:
        found = [finding.problem for finding in verify(store).findings]
    assert any("does not follow from those before it" in problem for problem in found)
    assert any(re.fullmatch(r"record \d+ is not as it was written", problem) for problem in found)


def test_that_what_was_changed_in_the_new_names_alone_shows(tmp_path: Path) -> None:
    path = old_log(tmp_path, "2026-11-26")
    Store.open(path).close()
    edit(path, "update record set body = replace(body, 'Yes, 1.', 'No, 1.') where kind = 'AnswersReceived'")
    with Store.open(path) as store:
        found = [finding.problem for finding in verify(store).findings]
    assert any("is not what was written before its names changed" in problem for problem in found)


@pytest.mark.parametrize("upgraded", [True, False])
def test_that_a_log_with_the_old_names_is_salvaged(tmp_path: Path, upgraded: bool) -> None:
    path = old_log(tmp_path, "2026-11-26")
    shutil.copy(path, tmp_path / "other.db")
    Store.open(tmp_path / "other.db").close()
    given = read(tmp_path / "other.db")
    saved = salvage(tmp_path / "other.db" if upgraded else path, tmp_path / "saved.db")
    assert saved.lost == (() if upgraded else (f"episode {min(set(given), key=list(given).index)}: its end",))
    again = read(tmp_path / "saved.db")
    for episode, records in given.items():
        assert [r.event for r in again[episode]][:-1] == [r.event for r in records][:-1]


def test_that_a_view_of_an_older_log_is_dropped_unread(tmp_path: Path) -> None:
    path = old_log(tmp_path, "2026-11-26")
    with closing(sqlite3.connect(path)) as db:
        db.executescript('drop view episodes; create view "epi""sodes" as select load_extension(\'x\')')
    with Store.open(path) as store:
        assert verify(store).is_intact
        assert schema.pending(schema.Database(store.db), path) == []


def test_that_an_old_export_is_imported(tmp_path: Path) -> None:
    lines = (LOGS / "events-2026-11-26.txt").read_text().splitlines()
    place = {"episode": "20261126-120000-0a1b2c3d", "wall": 1764158400.5, "monotonic": 12.25}
    forms = (
        {**place, "number": number, "event": {"kind": kind, **json.loads(body)}}
        for number, (kind, body) in enumerate((line.split("\t", 1) for line in lines), 1)
    )
    (tmp_path / "old.jsonl").write_text("".join(json.dumps(form) + "\n" for form in forms))
    with Store.open(tmp_path / "log.db") as store:
        (id,) = jsonl.import_file(store, tmp_path / "old.jsonl")
        assert [r.event for r in store.records(id)] == [read_event(*line.split("\t", 1)) for line in lines]
