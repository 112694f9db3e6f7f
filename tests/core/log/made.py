"""Made-up but whole episodes: every lane of the loop, a person's words, a stop, a picture a turn."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

import numpy as np

from core.belief import Answer, Atom, BeliefEntry, BeliefSource, Contradiction, Purpose, Query, Verdict
from core.events import (
    ActionProposed,
    AnswersReceived,
    AnswersReviewed,
    BeliefChanged,
    DecisionMade,
    EpisodeEnded,
    EpisodeResult,
    EpisodeStarted,
    Event,
    FrameCaptured,
    GroundTruthFact,
    GroundTruthRecorded,
    PlanMade,
    QuestionsAsked,
    SensorsRead,
    StepFinished,
    StepStarted,
)
from core.operator import Approve, Correct, PlanChange, Proposal, ProposalKind
from core.pictures import blank_frame, make_frame
from core.planning_model import Literal, Plan, PlanStatus, Step, Typed
from core.ports import Frame, ModelCall, StepResult, StepStatus
from core.reason import FIRST_PLAN, Cause, Reason

PREDICATES = ("inside", "ontop", "open", "handempty")


def atom(i: int) -> Atom:
    return Atom(PREDICATES[i % 4], ("mug", f"shelf{i % 3}"))


def frame(seed: int, size: int = 16) -> Frame:
    rng = np.random.default_rng(seed)
    rgb = rng.integers(0, 256, (size, size, 3), dtype=np.uint8)
    return make_frame(rgb, "top", float(seed), f"view {seed}")


def started(task: str = "boil_water", **settings: str) -> EpisodeStarted:
    words = {"method": "dkprompt", "answerer": "perfect", "robot": "kitchen", "seed": "7", **settings}
    given = tuple(BeliefEntry(atom(i), Verdict.YES, BeliefSource.INITIAL) for i in range(4))
    goal = (Literal("inside", ("mug", "shelf0")),)
    return EpisodeStarted(task, "household", (Typed("mug", "movable"),), goal, given, MappingProxyType(words))


def plan(turn: int, steps: int) -> PlanMade:
    made = tuple(Step("pickup", (f"thing{i}",)) for i in range(steps))
    cause = Answer(atom(0), Verdict.NO, BeliefSource.MODEL, "No.", turn)
    causes = (Literal("inside", ("mug", "shelf0"), False),) if turn else ()
    new = Plan(PlanStatus.FOUND, made, "pyperplan", 0.01)
    reason = Reason(Cause.DISCREPANCY, causes, cause) if turn else FIRST_PLAN
    return PlanMade(PlanChange(turn, made[1:], new, reason))


def turn(
    number: int, picture: Frame, questions: int = 4, by: str = "", truth: bool = False
) -> Iterator[Event]:
    queries = tuple(Query(atom(i), f"Is it so ({i})?", purpose=Purpose.EFFECT) for i in range(questions))
    answers = tuple(
        Answer(q.atom, Verdict.YES, BeliefSource.MODEL, f"Yes, {i}.", number, picture.id, "gpt", 0.9)
        for i, q in enumerate(queries)
    )
    yield FrameCaptured(number, picture)
    yield SensorsRead(number, (Answer(Atom("handempty"), Verdict.YES, BeliefSource.SENSOR, turn=number),))
    yield QuestionsAsked(number, picture.id, queries)
    yield AnswersReceived(
        number, picture.id, ModelCall(answers, "Yes to all.", "gpt", 0.5, 300, 0.002, "paper-1")
    )
    if truth:
        facts = tuple(
            GroundTruthFact(a.atom, i > 0, True) for i, a in enumerate(answers)
        )  # the first one is wrong
        yield GroundTruthRecorded(number, picture.id, facts)
    if by:
        wrong = answers[0]
        right = Answer(wrong.atom, Verdict.NO, BeliefSource.OPERATOR, "", number, picture.id, by, seconds=2.5)
        yield AnswersReviewed(number, (right, *answers[1:]))
    odd = (Contradiction((atom(0), atom(1)), "in two places"),) if by else ()
    yield BeliefChanged(
        number, tuple(BeliefEntry(a.atom, a.verdict, a.source, number, a) for a in answers), odd
    )
    step = Step("pickup", ("mug",), MappingProxyType({"grasp": (0.1, 0.2)}))
    yield ActionProposed(Proposal(number, number, ProposalKind.STEP, step))
    if by:
        said = Answer(atom(2), Verdict.NO, BeliefSource.OPERATOR, turn=number, by=by)
        yield DecisionMade(number, number, Correct((said,), by))
    yield DecisionMade(number, number, Approve(by))
    yield StepStarted(number, step)
    yield StepFinished(number, step, StepResult(StepStatus.FAILED if by else StepStatus.DONE, "", 0.1))


def episode(
    turns: int = 3, pictures: bool = False, by: str = "", task: str = "boil_water", truth: bool = False
) -> Iterator[Event]:
    yield started(task)
    yield plan(0, turns)
    for number in range(1, turns + 1):
        picture = frame(number) if pictures else blank_frame("top", 0.0, "")
        yield from turn(number, picture, by=by if number == turns else "", truth=truth)
        if number == turns // 2 + 1:
            yield plan(number, turns)
    yield EpisodeEnded(
        EpisodeResult.SUCCEEDED, "The goal is believed to be reached.", True, False, (atom(0),)
    )
