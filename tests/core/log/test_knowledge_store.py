"""What people admitted is kept per domain; a damaged file costs nothing but itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.episode_state import EpisodeState, PlanRow, PlanRowState, SuggestedChange, SuggestionState
from core.errors import BadFile
from core.events import EpisodeStarted
from core.knowledge.changes import AddPrecondition, Evidence, LearntChange, SideEffect
from core.knowledge.suggestion import SituationReport, Suggestion
from core.log.knowledge_store import (
    MAX_COUNTS,
    AdmittedChange,
    KnowledgeStore,
    after_episode,
    usable,
    with_counts,
)
from core.planning_model import Step, Typed
from tests.core.knowledge.test_changes import RUSTY, WIRE
from tests.core.tiny import PROBLEM

KEPT = tuple(
    AdmittedChange(
        LearntChange(change, (Evidence("the key is rusty", "May it?", "No. \ud800 é", "no", "m"),), "e1"),
        "ada",
    )
    for change in (RUSTY, WIRE)
)


def test_that_changes_are_kept_once_and_removed(tmp_path: Path) -> None:
    store = KnowledgeStore(tmp_path / "knowledge")
    assert store.load("doors") == ()
    for one in (KEPT[0], *KEPT):
        store.keep("doors", one)
    assert store.load("doors") == KEPT and store.load("other") == ()
    store.remove("doors", RUSTY)
    assert [one.learnt.change for one in store.load("doors")] == [WIRE]


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"version": 1, "changes": [{"learnt": 3}]}', "\x00"])
def test_that_a_damaged_file_is_told_in_one_sentence_and_left_as_it_is(tmp_path: Path, text: str) -> None:
    store = KnowledgeStore(tmp_path)
    store.path("doors").write_text(text)
    with pytest.raises(BadFile, match="is no list of learnt changes"):
        store.load("doors")
    with pytest.raises(BadFile):
        store.keep("doors", KEPT[0])
    assert store.path("doors").read_text() == text


def test_that_a_name_never_leads_out_of_the_folder(tmp_path: Path) -> None:
    assert KnowledgeStore(tmp_path).path("../../etc").parent == tmp_path


def test_that_what_the_domain_no_longer_takes_is_left_out_and_said() -> None:
    gone = AdmittedChange(LearntChange(AddPrecondition("fly", "is_rusty", ("thing",))), "ada")
    changes, faults = usable(PROBLEM, (*KEPT, gone))
    assert [learnt.change for learnt in changes] == [RUSTY, WIRE]
    assert len(faults) == 1 and "no action 'fly'" in faults[0]


def test_that_a_change_is_switched_off_and_on_and_then_not_used(tmp_path: Path) -> None:
    store = KnowledgeStore(tmp_path)
    store.update("doors", lambda _: KEPT)
    store.keep("doors", replace(KEPT[0], kept=False))
    off, on = store.load("doors")
    assert not off.kept and on.kept
    assert [learnt.change for learnt in usable(PROBLEM, (off, on))[0]] == [WIRE]
    store.keep("doors", KEPT[0])
    assert store.load("doors") == KEPT


def test_that_the_oldest_counts_go_before_anything_that_a_person_admitted() -> None:
    counts = [LearntChange(SideEffect("open", f"jams {n}", None, robot="r")) for n in range(MAX_COUNTS + 1)]
    kept = with_counts(with_counts(KEPT, counts[:1], "e1", "bob"), counts[1:], "e2", "bob")
    assert kept[:2] == KEPT and {one.learnt.episode for one in kept[2:]} == {"e2"}


STARTED = EpisodeStarted("t", "doors", (Typed("key_1", "key"), Typed("wire_1", "wire")), (), ())


def test_that_an_episode_counts_what_served_and_what_was_refused() -> None:
    used = PlanRow(Step("open", ("wire_1", "door_1")), PlanRowState.DONE, 1)
    learnt = tuple(one.learnt for one in KEPT)
    refused = SuggestedChange(1, Suggestion(SituationReport("x"), learnt), SuggestionState.REFUSED, by="bob")
    state = EpisodeState(started=STARTED, knowledge=learnt, plan_rows=(used,))
    rusty, wire = after_episode(KEPT, state)
    assert (rusty.served, wire.served) == (0, 1)
    again = after_episode((), replace(state, knowledge=(), suggestions=(refused,), refused_changes=(WIRE,)))
    assert [(one.by, one.kept, one.refused) for one in again] == [("bob", False, 1)]
    assert after_episode(again, replace(state, suggestions=(), knowledge=()))[0].refused == 1
