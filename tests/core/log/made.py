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
    ArmHandover,
    BeliefChanged,
    Bookmarked,
    DecisionMade,
    DomainChanged,
    EpisodeEnded,
    EpisodeResult,
    EpisodeStarted,
    Event,
    FrameCaptured,
    GroundTruthFact,
    GroundTruthRecorded,
    HandoverStage,
    ModelConsulted,
    MotionSampled,
    Notice,
    OfferWithdrawn,
    Paused,
    PlanImproving,
    PlanMade,
    PlanOffered,
    QuestionsAsked,
    Resumed,
    SensorsRead,
    SituationNoticed,
    StandstillMeasured,
    StepFinished,
    StepStarted,
    StopRequested,
    SupervisionChanged,
)
from core.knowledge.changes import (
    AddObject,
    AddPrecondition,
    AddRepair,
    AllowSubstitute,
    Evidence,
    LearntChange,
)
from core.knowledge.suggestion import SituationReport, Suggestion
from core.operator import AcceptEdited, Approve, Correct, PlanChange, Proposal, ProposalKind
from core.pictures import blank_frame, make_frame
from core.planning_model import Literal, Plan, PlanStatus, Step, Typed
from core.ports import ChatMessage, Frame, ModelCall, StepResult, StepStatus
from core.reason import FIRST_PLAN, Cause, Reason

PREDICATES = ("inside", "ontop", "open", "handempty")


def atom(i: int) -> Atom:
    return Atom(PREDICATES[i % 4], ("mug", f"shelf{i % 3}"))


def frame(seed: int, size: int = 16) -> Frame:
    rng = np.random.default_rng(seed)
    rgb = rng.integers(0, 256, (size, size, 3), dtype=np.uint8)
    return make_frame(rgb, "top", float(seed), f"view {seed}")


LARGE = frame(99, 300)


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


def learning() -> Iterator[Event]:
    """An episode of what the others do not have: what is learnt, offered plans, a stop, a person's words."""
    changes = (
        AddPrecondition("fill", "is_dirty", ("cup",)),
        AllowSubstitute("mug", "cup"),
        AddRepair("operate", "dishwasher", "is_dirty", "cup"),
        AddObject("mug_1", "mug", (Atom("at", ("mug_1", "kitchen")),)),
    )
    asked = Evidence("the cup is dirty", "May a mug be a cup?", "Yes.", "yes", "a model")
    learnt = tuple(LearntChange(change, (asked,)) for change in changes)
    told = SituationReport("the cup is dirty", ("cup_1",), "ada")
    suggested = Suggestion(told, learnt, (Step("fill", ("mug_1",)),))
    found = plan(1, 2)
    yield started("serve_water", method="cowp", domain="dining")
    yield SituationNoticed(1, told)
    yield ModelConsulted(1, "substitute", (ChatMessage("user", "May it?"),), "", "Yes.", "yes", "gpt", 0.1, 9)
    yield PlanImproving(1, 2)
    yield PlanOffered(found.change)
    yield OfferWithdrawn(1)
    yield ActionProposed(
        Proposal(1, 1, ProposalKind.DOMAIN_CHANGE, None, "a mug is a cup", suggestion=suggested)
    )
    yield DecisionMade(1, 1, AcceptEdited(changes, "ada"))
    pddl = "(define (domain dining) (:predicates (is_dirty ?c)))"
    reason = Reason(Cause.OTHER, note="The cup is dirty.")
    yield DomainChanged(1, "a mug is a cup", pddl, True, reason, learnt, (changes[1],))
    yield StopRequested(1, "Esc", "ada")
    yield StandstillMeasured(1, 0.2, 0.0)
    yield MotionSampled((1.0, 1.1), ((0.0, 1.0), (0.1, 1.0)), (0.05, 0.05))
    yield SupervisionChanged("WATCH", "WATCH", "ASSIST", "MANUAL", "ada")
    yield Paused("ada")
    yield Resumed("ada")
    yield Bookmarked("odd", "ada")
    yield ArmHandover(HandoverStage.ASKED, "ada", "bob")
    yield Notice("info", "The disk is slow.")
    yield EpisodeEnded(EpisodeResult.NO_PLAN, "There is no plan.", False, None, (), 0.5)
