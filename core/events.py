"""What happened, in the past tense: one closed union, read with one `match`.

The loop's own events come from `run_episode`; those of people and the program go through the same
recorder, which orders both streams and gives each its time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import get_args

from core.belief import Answer, Atom, BeliefEntry, Contradiction, Hypothesis, Query
from core.operator import Addressee, Decision, PlanChange, Proposal
from core.planning_model import Literal, Plan, Step, Typed
from core.ports import BoundingBox, ChatMessage, Frame, ModelCall, StepResult
from core.reason import Reason
from core.wire import kind_of


class EpisodeResult(Enum):
    SUCCEEDED = "succeeded"  # the goal is believed
    NO_PLAN = "no plan"
    STEP_LIMIT = "step limit"
    ENDED = "ended"  # by a person, or by closing
    CRASHED = "crashed"
    INTERRUPTED = "broken off"  # written by the repair at the next start


# --- the loop's --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EpisodeStarted:
    """`settings` are words to show and to repeat the episode by: robot, answerer, method, seed, ..."""

    task: str
    domain: str
    objects: tuple[Typed, ...]
    goal: tuple[Literal, ...]
    belief: tuple[BeliefEntry, ...]
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class FrameCaptured:
    """The pixels travel in the frame; the log keeps them once, by the frame's id."""

    turn: int
    frame: Frame
    boxes: tuple[BoundingBox, ...] = ()


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
    """What the model said; it counts only after Believed."""

    turn: int
    frame: str
    call: ModelCall


@dataclass(frozen=True)
class ModelConsulted:
    """A method asked a language model something else. `read` says how the reply was understood, `error` why
    there is none. Its cost counts as an answerer's does."""

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


@dataclass(frozen=True)
class GroundTruthFact:
    """What is so in a simulator. `seen`: the picture of that moment can show it, true or false."""

    atom: Atom
    holds: bool
    is_observable: bool


@dataclass(frozen=True)
class GroundTruthRecorded:
    """What was so in the simulator when the questions were asked, in their order: for statistics. No method
    reads it, and no screen shows it while the episode runs."""

    turn: int
    frame: str
    facts: tuple[GroundTruthFact, ...]


@dataclass(frozen=True)
class AnswersReviewed:
    """What a person made of the answers; only those that differ or were shown."""

    turn: int
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class BeliefChanged:
    """The entries that changed, and what did not fit together. `hypotheses` None: those did not change."""

    turn: int
    changes: tuple[BeliefEntry, ...]
    contradictions: tuple[Contradiction, ...] = ()
    hypotheses: tuple[Hypothesis, ...] | None = None


@dataclass(frozen=True)
class PlanOffered:
    """A new plan waits for consent beside the old one."""

    change: PlanChange


@dataclass(frozen=True)
class PlanMade:
    """A plan was made; `accepted` False: a person kept the old one."""

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
    """The step was handed to the robot."""

    turn: int
    step: Step


@dataclass(frozen=True)
class StepFinished:
    """`situation` is the simulator's truth, for people and statistics; no method reads it."""

    turn: int
    step: Step
    result: StepResult
    situation: str = ""


@dataclass(frozen=True)
class DomainChanged:
    """A change of the domain was accepted or refused. `pddl` is the whole changed domain."""

    turn: int
    difference: str
    pddl: str
    accepted: bool
    reason: Reason


@dataclass(frozen=True)
class EpisodeEnded:
    """`true_goal` is the simulator's verdict, None without one. It is kept apart from the belief."""

    result: EpisodeResult
    reason: str
    believed_goal: bool = False
    true_goal: bool | None = None
    missing: tuple[Atom, ...] = ()  # atoms of the goal that are not so in truth
    probability: float | None = None  # of the goal, where the method works one out


# --- people's and the program's ----------------------------------------------------------------------


@dataclass(frozen=True)
class StopRequested:
    number: int
    reason: str
    by: str = ""


@dataclass(frozen=True)
class StandstillMeasured:
    """Standstill as measured: seconds from the request, and the speed seen last (m/s)."""

    number: int
    seconds: float
    speed: float | None = None


@dataclass(frozen=True)
class SupervisionChanged:
    """The dials as they stand from now on."""

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


@dataclass(frozen=True)
class Notice:
    """Something a person should know that stopped nothing: a wait, a retry, a slow disk."""

    level: str  # "info", "doubt" or "fault"
    text: str


LoopEvent = (
    EpisodeStarted
    | FrameCaptured
    | SensorsRead
    | QuestionsAsked
    | AnswersReceived
    | ModelConsulted
    | GroundTruthRecorded
    | AnswersReviewed
    | BeliefChanged
    | PlanOffered
    | PlanMade
    | ActionProposed
    | DecisionMade
    | StepStarted
    | StepFinished
    | DomainChanged
    | EpisodeEnded
)
OutsideEvent = (
    StopRequested | StandstillMeasured | SupervisionChanged | Paused | Resumed | Bookmarked | Notice
)
Event = LoopEvent | OutsideEvent

EVENT_TYPES: Mapping[str, type] = MappingProxyType(
    {kind_of(kind): kind for kind in (*get_args(LoopEvent), *get_args(OutsideEvent))}
)


@dataclass(frozen=True)
class Record:
    """An event with its place and time. `wall` is Unix time, `monotonic` seconds of the recorder."""

    episode: str
    number: int
    wall: float
    monotonic: float
    event: Event
