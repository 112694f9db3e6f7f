"""A fork of a wish: the same plan from its beginning, and another one with a thing in the hand."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

import main
from core import events as ev
from core.config import Settings
from core.episode import run_components
from core.log.recorder import Recorder
from core.log.store import Store
from core.loop.gate import AutoOperator
from core.planning_model import Plan
from core.ports import Embodiment
from core.review.fork import fork_at_record, fork_factory
from core.stop_token import StopToken

SETTINGS = Settings(
    "coffee",
    domain="tabletop-wishes",
    method="owl-tamp",
    answerer="perfect",
    knower="recorded",
    pictures=False,
)


def run(settings: Settings, path: Path) -> list[ev.Record]:
    with closing(fork_factory(main.make_components)(settings)) as p, Recorder.open(path) as recorder:
        return list(recorder.record_events(run_components(p, AutoOperator(Embodiment.SIM), StopToken())))


def first_plan(records: list[ev.Record]) -> Plan:
    return next(r.event.change.new_plan for r in records if isinstance(r.event, ev.PlanMade))


@pytest.mark.long
def test_that_a_wish_is_logged_and_forked_with_its_plan(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    run(SETTINGS, log)
    with closing(Store.open(log, read_only=True)) as store:
        records = list(store.records(store.episodes()[0].episode))
    kinds = {type(record.event) for record in records}
    assert {ev.ModelConsulted, ev.SceneSeen, ev.PlanMade, ev.EpisodeEnded} <= kinds
    again = run(fork_at_record(records, records[0].number), log)
    moves = [[dict(s.values) for s in first_plan(of).steps] for of in (records, again)]
    assert moves[0] == moves[1] and all("moves" in values for values in moves[0])
    picked = next(r for r in records if isinstance(r.event, ev.StepFinished))
    held = run(fork_at_record(records, picked.number), log)
    assert first_plan(held).steps[0].name == "place_ontop"
    assert isinstance(end := held[-1].event, ev.EpisodeEnded) and end.true_goal
