"""A value of a kind that COWP does not have: proposed, checked, applied, edited and refused all the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

from app.presentation.change_drafts import draft_fields, renamed, with_value
from app.presentation.suggestions import change_face
from core.belief import Belief
from core.knowledge.apply import apply_changes, change_faults
from core.knowledge.changes import Evidence, Knowledge, LearntChange
from core.knowledge.proposed import Known, Proposed
from core.knowledge.suggestion import SituationReport, Suggestion
from core.knowledge.words import spoken
from core.loop.domain_changes import ChangeRefused, admit, known_after, refuse
from core.planning_model import Problem
from core.policy import ChangeDomain, Context
from core.reason import Cause, Reason
from core.text.vocabulary import Vocabulary
from tests.app.suggesting import A_BOWL, BOWL, FACT, FORBID
from tests.core.knowledge.test_changes import RUSTY
from tests.core.tiny import PROBLEM


@dataclass(frozen=True)
class Unlearn(Proposed):
    """The robot no longer does `action`."""

    action: str
    why: str = ""
    lasting: ClassVar = True

    def describe(self, object_name: Callable[[str], str] = spoken) -> str:
        return f"{spoken(self.action)} is not done any more"

    @property
    def pddl(self) -> str:
        return f"actions: no {self.action}"

    def apply(self, problem: Problem) -> Problem:
        left = tuple(a for a in problem.domain.actions if a.name != self.action)
        return replace(problem, domain=replace(problem.domain, actions=left))

    def faults(self, known: Known) -> Iterator[str]:
        yield from known.unknown("action", (self.action,))


NO_TAKE: Any = Unlearn("take", "it breaks things")  # no kind that a log can hold
LEARNT = LearntChange(NO_TAKE, (Evidence("it broke", by="a model"),))
SUGGESTION = Suggestion(SituationReport("it broke"), (LearntChange(RUSTY), LEARNT))


def test_that_a_value_of_any_kind_is_checked_and_applied_beside_the_others() -> None:
    assert change_faults(PROBLEM, (RUSTY, Unlearn("fly"))) == (
        "The domain has no action 'fly': name one that it has.",
    )
    assert not change_faults(PROBLEM, (NO_TAKE,))
    left = {a.name for a in PROBLEM.domain.actions} - {"take"}
    assert {a.name for a in apply_changes(PROBLEM, (NO_TAKE,)).domain.actions} == left


def test_that_a_card_tells_it_and_a_person_edits_it() -> None:
    face = change_face(LEARNT, Vocabulary())
    assert (face.text, face.pddl) == ("Take is not done any more", "actions: no take")
    assert [f.value for f in draft_fields(NO_TAKE, PROBLEM)] == ["take", "it breaks things"]
    edited: Any = with_value(NO_TAKE, "action", "open")
    assert edited == Unlearn("open", "it breaks things")
    assert renamed((NO_TAKE,), "it breaks things", "it is hot") == (replace(NO_TAKE, why="it is hot"),)


@pytest.mark.parametrize("change", [FORBID, FACT, BOWL, A_BOWL])
def test_that_a_value_put_back_as_it_is_shown_leaves_the_change_as_it_was(change: Any) -> None:
    for field in draft_fields(change, PROBLEM):
        assert with_value(change, field.name, field.value) == change


def test_that_it_is_admitted_as_edited_or_refused_for_good() -> None:
    context = Context(PROBLEM, Belief(), knowledge=Knowledge())
    action = ChangeDomain(apply_changes(PROBLEM, (NO_TAKE,)), "", "", Reason(Cause.OTHER), SUGGESTION)
    admitted = admit(context, action, (NO_TAKE,), "ada")
    assert admitted.difference == "take is not done any more"
    assert known_after(context, admitted).changes == (LEARNT,)
    with pytest.raises(ChangeRefused, match="no action 'fly'"):
        admit(context, action, (replace(NO_TAKE, action="fly"),), "ada")
    assert refuse(context, action).refused == (NO_TAKE,)  # not the precondition, which only bars something
