"""What a simulator knows of a question."""

from __future__ import annotations

from core.belief import Atom, Query, QueryTopic
from core.loop.ground_truth import is_observable, truth_of
from core.planning_model import Step

FACT = Query(Atom("closed", ("door",)), "Is it closed?")
WORKED = Query(Atom("worked", ("open", "door")), "Was it successful?", topic=QueryTopic.STEP_SUCCEEDED)
POSSIBLE = Query(Atom("possible", ("open", "door")), "Can it be opened?", topic=QueryTopic.STEP_POSSIBLE)


class Facts:
    situation = ""

    def truth(self) -> frozenset[Atom]:
        return frozenset({FACT.atom, WORKED.atom, POSSIBLE.atom})  # propositions of questions are no facts

    def is_observable(self, atom: Atom) -> bool:
        return False


class Steps:
    def step_succeeded(self) -> bool | None:
        return False

    def step_possible(self, step: Step) -> bool:
        return step == Step("open", ("door",))


def test_that_each_question_is_judged_by_who_knows() -> None:
    assert [truth_of(Facts(), q) for q in (FACT, WORKED, POSSIBLE)] == [True, None, None]
    assert [truth_of(Steps(), q) for q in (FACT, WORKED, POSSIBLE)] == [None, False, True]
    assert [truth_of(object(), q) for q in (FACT, WORKED, POSSIBLE)] == [None, None, None]


def test_that_questions_about_steps_are_about_the_whole_picture() -> None:
    assert [is_observable(Facts(), q) for q in (FACT, WORKED, POSSIBLE)] == [False, True, True]
