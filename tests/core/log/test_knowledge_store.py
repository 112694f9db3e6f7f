"""What people admitted is kept per domain; a damaged file costs nothing but itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import BadFile
from core.knowledge.changes import AddPrecondition, Evidence, LearntChange
from core.log.knowledge_store import AdmittedChange, KnowledgeStore, usable
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
    store.admit("doors", KEPT[:1])
    store.admit("doors", KEPT)
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
        store.admit("doors", KEPT)
    assert store.path("doors").read_text() == text


def test_that_a_name_never_leads_out_of_the_folder(tmp_path: Path) -> None:
    assert KnowledgeStore(tmp_path).path("../../etc").parent == tmp_path


def test_that_what_the_domain_no_longer_takes_is_left_out_and_said() -> None:
    gone = AdmittedChange(LearntChange(AddPrecondition("fly", "is_rusty", ("thing",))), "ada")
    changes, faults = usable(PROBLEM, (*KEPT, gone))
    assert [learnt.change for learnt in changes] == [RUSTY, WIRE]
    assert len(faults) == 1 and "no action 'fly'" in faults[0]
