"""What a simulator knows of a question."""

from __future__ import annotations

from core.facts import About, Atom, Query
from core.problem import Step
from core.truth import holds, shown

FACT = Query(Atom("closed", ("door",)), "Is it closed?")
WORKED = Query(Atom("worked", ("open", "door")), "Was it successful?", about=About.WORKED)
POSSIBLE = Query(Atom("possible", ("open", "door")), "Can it be opened?", about=About.POSSIBLE)


class Facts:
    situation = ""

    def truth(self) -> frozenset[Atom]:
        return frozenset({FACT.atom, WORKED.atom, POSSIBLE.atom})  # propositions of questions are no facts

    def seen(self, atom: Atom) -> bool:
        return False


class Steps:
    def worked(self) -> bool | None:
        return False

    def possible(self, step: Step) -> bool:
        return step == Step("open", ("door",))


def test_that_each_question_is_judged_by_who_knows() -> None:
    assert [holds(Facts(), q) for q in (FACT, WORKED, POSSIBLE)] == [True, None, None]
    assert [holds(Steps(), q) for q in (FACT, WORKED, POSSIBLE)] == [None, False, True]
    assert [holds(object(), q) for q in (FACT, WORKED, POSSIBLE)] == [None, None, None]


def test_that_questions_about_steps_are_about_the_whole_picture() -> None:
    assert [shown(Facts(), q) for q in (FACT, WORKED, POSSIBLE)] == [False, True, True]
