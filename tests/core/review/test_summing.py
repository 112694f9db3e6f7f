"""What stayed unanswered, and by whom the goal is known, from records alone."""

from __future__ import annotations

from dataclasses import replace

from core.belief import Answer, Atom, BeliefEntry, BeliefSource, Verdict
from core.episode_state import EpisodeState
from core.events import EpisodeEnded, EpisodeResult, EpisodeStarted, Event, Record
from core.planning_model import Literal
from core.state.causes import goal_evidence
from core.state.state_reducer import fold_records
from tests.core.log import made


def told(*events: Event) -> tuple[EpisodeState, int]:
    """The last state, and how many questions were left unanswered on the way."""
    state = fold_records(Record("e", number, 0.0, float(number), e) for number, e in enumerate(events, 1))
    return state, state.counts.unanswered


def turn(number: int, verdict: Verdict, by: str = "") -> list[Event]:
    """Four questions, all answered so by the model."""
    events = list(made.turn(number, made.blank_frame("top", 0.0, ""), by=by))
    answered = events[3]
    answers = tuple(replace(a, verdict=verdict) for a in answered.call.answers)  # type: ignore[attr-defined]
    events[3] = replace(answered, call=replace(answered.call, answers=answers))  # type: ignore[attr-defined, type-var]
    return events


END = EpisodeEnded(EpisodeResult.SUCCEEDED, "done", True)


def test_that_answered_questions_are_not_counted() -> None:
    assert told(made.started(), *turn(1, Verdict.YES), *turn(2, Verdict.NO), END)[1] == 0


def test_that_what_stayed_unknown_is_counted_once_in_each_turn() -> None:
    assert told(made.started(), *turn(1, Verdict.UNKNOWN), *turn(2, Verdict.UNKNOWN), END)[1] == 8
    assert told(made.started(), *turn(1, Verdict.UNKNOWN), *turn(2, Verdict.YES), END, END)[1] == 4


def test_that_what_a_person_answered_instead_is_not_counted() -> None:
    unknown = turn(1, Verdict.UNKNOWN, by="ada")  # who reviews all four, and sets one more
    assert told(made.started(), *unknown, END)[1] == 0


def test_that_a_question_without_any_answer_is_counted() -> None:
    asked = turn(1, Verdict.YES)[:3]
    assert told(made.started(), *asked, END)[1] == 4


def test_that_the_goal_is_counted_by_who_said_so_last() -> None:
    sources = (
        BeliefSource.MODEL,
        BeliefSource.MODEL,
        BeliefSource.SENSOR,
        BeliefSource.ASSUMED,
        BeliefSource.PREDICTED,
        BeliefSource.OPERATOR,
    )
    atoms = [Atom("at", (str(i),)) for i in range(len(sources))]
    belief = tuple(BeliefEntry(a, Verdict.YES, s) for a, s in zip(atoms, sources, strict=True))
    goal = (*(Literal(a.predicate, a.args) for a in atoms), Literal("never", ("said",), positive=False))
    started = replace(made.started(), goal=goal, belief=belief)
    assert isinstance(started, EpisodeStarted)
    assert goal_evidence(told(started)[0]) == {
        "seen": 2,
        "sensed": 1,
        "assumed": 1,
        "predicted": 1,
        "person": 1,
        "initial": 1,  # of what nobody said anything the problem file says that it is not so
    }
    assert set(goal_evidence(EpisodeState()).values()) == {0}


def test_that_an_answer_changes_by_whom_it_is_known() -> None:
    state, _ = told(made.started(), *turn(1, Verdict.YES))
    assert goal_evidence(state)["seen"] == 1
    assert (
        Answer(Atom("inside", ("mug", "shelf0")), Verdict.YES, BeliefSource.MODEL).atom in state.belief.state
    )
