"""Forms that earlier versions wrote are read as this version means them."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from core.belief import Atom, BeliefSource
from core.events import PlanMade
from core.log.codec import read_event, write_event
from core.log.recorder import Recorder
from core.log.store import Store
from core.planning_model import Literal
from core.reason import Cause
from core.state.state_reducer import fold_records

PLAN = {"status": "found", "steps": [], "engine": "", "seconds": 0.0, "expanded": 0, "why": ""}
SAID = {"atom": ["closed", "door"], "verdict": "no", "source": "model", "said": "No.", "turn": 3,
        "frame": "f", "by": "m", "confidence": None, "seconds": 0.0}  # fmt: skip
CLOSED = {"predicate": "closed", "args": ["door"], "positive": True}


def planned(**old: object) -> PlanMade:
    revision = {"turn": 3, "old": [], "new": PLAN, "causes": [], "answer": None, "why": "", **old}
    event = read_event("Planned", json.dumps({"revision": revision, "accepted": True}))
    assert isinstance(event, PlanMade)
    assert read_event("Planned", write_event(event)) == event
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
    path = tmp_path / "log.db"
    path.write_bytes((LOGS / "2026-11-21.sqlite").read_bytes())
    Recorder.open(path).close()  # brings it up
    with closing(Store.open(path)) as store:
        (summary,) = store.episodes()
        state = fold_records(store.records(summary.episode))
    assert (state.counts.steps, state.counts.replans) == (5, 1)
    assert state.plan_change is not None and state.plan_change.reason.cause is Cause.DISCREPANCY
    assert state.plan_change.trigger is not None
