"""Made-up but whole episodes: every lane of the loop, a person's words, a stop, a picture a turn."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

import numpy as np

from core.deciding import Approve, Correct, Need, Proposal, Revision
from core.events import (
    Acted,
    Acting,
    Answered,
    Asked,
    Believed,
    Decided,
    Ended,
    Event,
    Fact,
    Observed,
    Planned,
    Proposed,
    Result,
    Revealed,
    Reviewed,
    Sensed,
    Started,
)
from core.facts import Answer, Atom, Contradiction, Entry, Purpose, Query, Source, Verdict
from core.pictures import blank, frame_of
from core.ports import Call, Ending, Frame, Outcome
from core.problem import Literal, Plan, PlanStatus, Step, Typed
from core.reason import FIRST_PLAN, Cause, Reason

PREDICATES = ("inside", "ontop", "open", "handempty")


def atom(i: int) -> Atom:
    return Atom(PREDICATES[i % 4], ("mug", f"shelf{i % 3}"))


def frame(seed: int, size: int = 16) -> Frame:
    rng = np.random.default_rng(seed)
    rgb = rng.integers(0, 256, (size, size, 3), dtype=np.uint8)
    return frame_of(rgb, "top", float(seed), f"view {seed}")


def started(task: str = "boil_water", **settings: str) -> Started:
    words = {"method": "dkprompt", "answerer": "perfect", "robot": "kitchen", "seed": "7", **settings}
    given = tuple(Entry(atom(i), Verdict.YES, Source.GIVEN) for i in range(4))
    goal = (Literal("inside", ("mug", "shelf0")),)
    return Started(task, "household", (Typed("mug", "movable"),), goal, given, MappingProxyType(words))


def plan(turn: int, steps: int) -> Planned:
    made = tuple(Step("pickup", (f"thing{i}",)) for i in range(steps))
    cause = Answer(atom(0), Verdict.NO, Source.MODEL, "No.", turn)
    causes = (Literal("inside", ("mug", "shelf0"), False),) if turn else ()
    new = Plan(PlanStatus.FOUND, made, "pyperplan", 0.01)
    reason = Reason(Cause.DISCREPANCY, causes, cause) if turn else FIRST_PLAN
    return Planned(Revision(turn, made[1:], new, reason))


def turn(
    number: int, picture: Frame, questions: int = 4, by: str = "", truth: bool = False
) -> Iterator[Event]:
    queries = tuple(Query(atom(i), f"Is it so ({i})?", purpose=Purpose.EFFECT) for i in range(questions))
    answers = tuple(
        Answer(q.atom, Verdict.YES, Source.MODEL, f"Yes, {i}.", number, picture.id, "gpt", 0.9)
        for i, q in enumerate(queries)
    )
    yield Observed(number, picture)
    yield Sensed(number, (Answer(Atom("handempty"), Verdict.YES, Source.SENSOR, turn=number),))
    yield Asked(number, picture.id, queries)
    yield Answered(number, picture.id, Call(answers, "Yes to all.", "gpt", 0.5, 300, 0.002, "paper-1"))
    if truth:
        facts = tuple(Fact(a.atom, i > 0, True) for i, a in enumerate(answers))  # the first one is wrong
        yield Revealed(number, picture.id, facts)
    if by:
        wrong = answers[0]
        right = Answer(wrong.atom, Verdict.NO, Source.OPERATOR, "", number, picture.id, by, seconds=2.5)
        yield Reviewed(number, (right, *answers[1:]))
    odd = (Contradiction((atom(0), atom(1)), "in two places"),) if by else ()
    yield Believed(number, tuple(Entry(a.atom, a.verdict, a.source, number, a) for a in answers), odd)
    step = Step("pickup", ("mug",), MappingProxyType({"grasp": (0.1, 0.2)}))
    yield Proposed(Proposal(number, number, Need.STEP, step))
    if by:
        said = Answer(atom(2), Verdict.NO, Source.OPERATOR, turn=number, by=by)
        yield Decided(number, number, Correct((said,), by))
    yield Decided(number, number, Approve(by))
    yield Acting(number, step)
    yield Acted(number, step, Outcome(Ending.FAILED if by else Ending.DONE, "", 0.1))


def episode(
    turns: int = 3, pictures: bool = False, by: str = "", task: str = "boil_water", truth: bool = False
) -> Iterator[Event]:
    yield started(task)
    yield plan(0, turns)
    for number in range(1, turns + 1):
        picture = frame(number) if pictures else blank("top", 0.0, "")
        yield from turn(number, picture, by=by if number == turns else "", truth=truth)
        if number == turns // 2 + 1:
            yield plan(number, turns)
    yield Ended(Result.SUCCEEDED, "The goal is believed to be reached.", True, False, (atom(0),))
