"""Define what can happen, in the past tense: one closed union, read with a single `match`.

The loop's own events come from `run_episode`. Those of people and the program go through the same recorder,
which puts both streams in order and stamps each event with its time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import get_args

from core.belief import Answer, Atom, BeliefEntry, Contradiction, Hypothesis, Query
from core.knowledge.changes import Change, LearntChange
from core.knowledge.suggestion import SituationReport
from core.operator import Addressee, Decision, PlanChange, Proposal
from core.planning_model import Literal, Plan, Step, Typed
from core.ports import BoundingBox, ChatMessage, Frame, ModelCall, StepResult
from core.reason import Reason
from core.scene import Scene

EPISODE = "episode"


class EpisodeResult(Enum):
    SUCCEEDED = "succeeded"  # the goal is believed
    NO_PLAN = "no plan"
    STEP_LIMIT = "step limit"
    ENDED = "ended"  # by a person, or by closing the program
    CRASHED = "crashed"
    INTERRUPTED = "broken off"  # written by the repair at the next start


# --- events of the loop -----------------------------------------------------------------------------


@dataclass(frozen=True)
class EpisodeStarted:
    """`settings` are strings to show, and to repeat the episode from: robot, answerer, method, seed, ..."""

    task: str
    domain: str
    objects: tuple[Typed, ...]
    goal: tuple[Literal, ...]
    belief: tuple[BeliefEntry, ...]
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    hypotheses: tuple[Hypothesis, ...] = ()  # of a method that keeps whole states, as the episode begins
    knowledge: tuple[LearntChange, ...] = ()  # learnt in earlier episodes, in force from the beginning
    chained: bool = True  # the log chains its records, so a log without the chain has lost it
    recorded_as: str = EPISODE  # else what is no episode, and is not counted as one: "draft", "search", ...


@dataclass(frozen=True)
class FrameCaptured:
    """A frame was captured. It carries the pixels, which the log stores once, under the frame's id.

    `review`: questions about it, drawn by chance, that nobody asks in the episode, but a blind review does.
    """

    turn: int
    frame: Frame
    boxes: tuple[BoundingBox, ...] = ()
    review: tuple[Query, ...] = ()


@dataclass(frozen=True)
class SensorsRead:
    turn: int
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class QuestionsAsked:
    turn: int
    frame: str
    queries: tuple[Query, ...]
    addressee: Addressee = Addressee.MODEL


@dataclass(frozen=True)
class AnswersReceived:
    """The model's answers, before review. The belief changes only with BeliefChanged."""

    turn: int
    frame: str
    call: ModelCall


@dataclass(frozen=True)
class ModelConsulted:
    """A method consulted a language model about something other than its queries.

    `interpretation` says how the reply was understood, `error` why there is none. The cost counts like an
    answerer's.
    """

    turn: int
    purpose: str
    messages: tuple[ChatMessage, ...]
    frame: str  # id of the picture that went along, "" for none
    raw_reply: str
    interpretation: str
    by: str
    seconds: float = 0.0
    tokens: int = 0
    cost: float | None = None
    error: str = ""
    reason: Reason | None = None
    finish_reason: str = ""
    reasoning: str = ""


@dataclass(frozen=True)
class GroundTruthFact:
    """A fact in the simulator. `is_observable`: the picture of that moment can show whether it holds."""

    atom: Atom
    holds: bool
    is_observable: bool


@dataclass(frozen=True)
class GroundTruthRecorded:
    """The ground truth of each question when it was asked, in the order of the questions, for statistics.

    `unasked`: of other facts when a picture was taken, for those who train an eye. No method reads it, and it
    is not displayed while the episode runs.
    """

    turn: int
    frame: str
    facts: tuple[GroundTruthFact, ...]
    unasked: tuple[GroundTruthFact, ...] = ()


@dataclass(frozen=True)
class AnswersReviewed:
    """The answers after a person's review; only those that were changed or shown."""

    turn: int
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class BeliefChanged:
    """The entries that changed, and the contradictions found. `hypotheses` is None if they did not change."""

    turn: int
    changes: tuple[BeliefEntry, ...]
    contradictions: tuple[Contradiction, ...] = ()
    hypotheses: tuple[Hypothesis, ...] | None = None


@dataclass(frozen=True)
class SceneSeen:
    """Where things are, as the robot told before a plan with motions was made."""

    turn: int
    scene: Scene


@dataclass(frozen=True)
class PlanImproving:
    """A plan of so many steps is found, and the planner looks for a better one."""

    turn: int
    length: int


@dataclass(frozen=True)
class PlanOffered:
    """A new plan waits for acceptance beside the old one."""

    change: PlanChange


@dataclass(frozen=True)
class OfferWithdrawn:
    """The offered plan went undecided, because of the decision or the stop that follows."""

    turn: int


@dataclass(frozen=True)
class PlanMade:
    """A plan was made. `accepted` is False if a person kept the old one."""

    change: PlanChange
    accepted: bool = True

    @property
    def plan(self) -> Plan:
        return self.change.new_plan


@dataclass(frozen=True)
class ActionProposed:
    proposal: Proposal


@dataclass(frozen=True)
class DecisionMade:
    proposal: int
    turn: int
    decision: Decision


@dataclass(frozen=True)
class StepStarted:
    """A step was handed to the robot."""

    turn: int
    step: Step


@dataclass(frozen=True)
class StepFinished:
    """A step ended. `situation` is the simulator's truth, for people and statistics; no method reads it."""

    turn: int
    step: Step
    result: StepResult
    situation: str = ""


@dataclass(frozen=True)
class SituationNoticed:
    """A situation was told, by the robot or by a person. With a fault in it, nothing follows."""

    turn: int
    situation: SituationReport


@dataclass(frozen=True)
class DomainChanged:
    """A domain change was accepted, rejected or undone. `pddl` is the whole domain as suggested, or restored.

    The suggestion and the decision are in the proposal before it. `knowledge` is what is in force afterwards,
    and `refused` what a person refused so far.
    """

    turn: int
    difference: str
    pddl: str
    accepted: bool
    reason: Reason
    knowledge: tuple[LearntChange, ...] = ()
    refused: tuple[Change, ...] = ()


@dataclass(frozen=True)
class EpisodeEnded:
    """The episode ended. `true_goal` is a simulator's verdict, whatever is believed; None without one."""

    result: EpisodeResult
    reason: str
    believed_goal: bool = False
    true_goal: bool | None = None
    missing: tuple[Atom, ...] = ()  # goal atoms that do not truly hold
    probability: float | None = None  # of the goal, where the method computes one


# --- events of people and the program ---------------------------------------------------------------


PROGRAM = "the program"  # itself


@dataclass(frozen=True)
class StopRequested:
    number: int
    reason: str
    by: str = ""  # a person, PROGRAM, or "" if nobody knows


@dataclass(frozen=True)
class StandstillMeasured:
    """The measured standstill: seconds since the request, and the last speed seen (m/s)."""

    number: int
    seconds: float
    speed: float | None = None


@dataclass(frozen=True)
class MotionSampled:
    """How an arm stood `at` some times of the recorder's clock, while live video was kept: its joints (rad),
    how far its gripper was open (m), and each joint's torque as a share of what it can, where that is known.
    """

    at: tuple[float, ...]
    joints: tuple[tuple[float, ...], ...]
    openings: tuple[float, ...]
    loads: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class SupervisionChanged:
    """The supervision levels from now on."""

    ask: str
    believe: str
    replan: str
    move: str
    by: str = ""


@dataclass(frozen=True)
class Paused:
    by: str = ""


@dataclass(frozen=True)
class Resumed:
    by: str = ""


@dataclass(frozen=True)
class Bookmarked:
    note: str = ""
    by: str = ""


class HandoverStage(Enum):
    """How far the question has come which of several consoles moves an arm."""

    ASKED = "asked"  # the asker wants to move it
    REFUSED = "refused"  # as it did not stand still; in older logs by a person, or as no answer came
    GIVEN = "given"  # up by the mover's person, at standstill
    TAKEN = "taken"  # by the asker's person, as nobody moved it any more


@dataclass(frozen=True)
class ArmHandover:
    """Two consoles and one arm; both log it. `mover` and `asker` name the consoles, `mover` "" is nobody."""

    stage: HandoverStage
    mover: str
    asker: str
    reason: str = ""

    @property
    def sentence(self) -> str:
        """Return what happened, for people."""
        mover, asker, reason = self.mover, self.asker, f": {self.reason}" if self.reason else ""
        match self.stage:
            case HandoverStage.ASKED:
                return f"{asker} asked {mover} for the arm{reason}."
            case HandoverStage.REFUSED:
                return f"{mover} did not give the arm to {asker}{reason}."
            case HandoverStage.GIVEN:
                return f"{mover} gave up the arm for {asker}{reason}."
        return f"{asker} took the arm: " + (f"{mover} was gone." if mover else "nobody moved it.")


@dataclass(frozen=True)
class Notice:
    """Something a person should know that stopped nothing: a wait, a retry, a slow disk."""

    level: str  # "info", "doubt" or "fault"
    text: str


LoopEvent = (
    EpisodeStarted | FrameCaptured | SensorsRead | QuestionsAsked | AnswersReceived | ModelConsulted
    | GroundTruthRecorded | AnswersReviewed | BeliefChanged | SceneSeen | PlanImproving | PlanOffered
    | OfferWithdrawn | PlanMade | ActionProposed | DecisionMade | StepStarted | StepFinished
    | SituationNoticed | DomainChanged | EpisodeEnded
)  # fmt: skip
OutsideEvent = (
    StopRequested | StandstillMeasured | MotionSampled | SupervisionChanged | Paused | Resumed
    | Bookmarked | ArmHandover | Notice
)  # fmt: skip
Event = LoopEvent | OutsideEvent

EVENT_TYPES: Mapping[str, type] = MappingProxyType(
    {kind.__name__: kind for kind in (*get_args(LoopEvent), *get_args(OutsideEvent))}
)


@dataclass(frozen=True)
class Record:
    """An event with its number and time: `wall` is Unix time, `monotonic` the recorder's, in seconds."""

    episode: str
    number: int
    wall: float
    monotonic: float
    event: Event
