"""What the loop talks to, and the small values they exchange. Every Protocol is small on purpose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from core.cancel import Cancel
from core.facts import Answer, Atom, Belief, Contradiction, Query, Source, Verdict
from core.problem import Literal, Plan, Problem, Step

# --- pictures ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """One still. `png` are the very bytes that a model gets; `id` is their SHA-256 in hex.

    `rgb` is H x W x 3, uint8, and `depth` H x W, float32, metres; neither is ever written to. A frame
    without pictures (`--no-pictures`, or read back from a log) has `rgb` None and `png` empty.
    """

    id: str
    camera: str = ""
    taken: float = 0.0  # seconds, the robot's monotonic clock
    viewpoint: str = ""  # the same word while the camera has not moved and nothing was done
    rgb: NDArray[np.uint8] | None = field(default=None, compare=False, repr=False)
    png: bytes = field(default=b"", compare=False, repr=False)
    depth: NDArray[np.float32] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Box:
    """Where a named object is in a frame: pixels, `right` and `bottom` exclusive."""

    name: str
    left: float
    top: float
    right: float
    bottom: float


# --- the robot --------------------------------------------------------------------------------------


class Ending(Enum):
    """What the robot reports of a step. A missed grasp is FAILED or even DONE, never an exception."""

    DONE = "done"
    FAILED = "failed"
    HALTED = "halted"


@dataclass(frozen=True)
class Outcome:
    ending: Ending
    detail: str = ""
    seconds: float = 0.0


class World(Enum):
    """What moves. REAL is everything that does not prove to be our emulator."""

    SIM = "SIM"
    EMULATED = "EMULATED"
    REAL = "REAL"


class Robot(Protocol):
    """Something that moves and sees. All but `halt` are called from the loop's thread."""

    @property
    def name(self) -> str: ...

    @property
    def world(self) -> World: ...

    def ready(self, up_to: int) -> None:
        """Release halts up to this number; a later one stays. Raises RobotNotReady."""

    def look(self, cancel: Cancel) -> Frame:
        """A fresh still. Raises Cancelled."""
        ...

    def sense(self) -> Mapping[Atom, bool]:
        """What the non-vision senses tell now (in the paper: hand empty, in hand, hot)."""
        ...

    def do(self, step: Step, cancel: Cancel) -> Outcome:
        """Block until the step is done, has failed, or was halted; HALTED at once while a halt is latched."""
        ...

    def halt(self) -> int:
        """Any thread, at once, again and again. Latches, and returns its number: 1, 2, ..."""
        ...

    def close(self) -> None:
        """Let go of threads, processes and windows. Idempotent."""


@runtime_checkable
class Truth(Protocol):
    """A simulator that knows what is so. Never shown to a method."""

    def truth(self) -> frozenset[Atom]:
        """Every atom that holds now."""
        ...

    def seen(self, atom: Atom) -> bool:
        """Whether the picture of now can show this atom, true or false."""
        ...

    @property
    def situation(self) -> str:
        """The name of the situation that the last step met, "" for none."""
        ...


@runtime_checkable
class Boxes(Protocol):
    def boxes(self, names: Sequence[str]) -> tuple[Box, ...]:
        """Boxes in the last frame of `look`, of those names that are in it."""
        ...


@runtime_checkable
class Cameras(Protocol):
    """Live pictures, from the robot's own thread; `live` may be called from any thread."""

    @property
    def cameras(self) -> tuple[str, ...]: ...

    def live(self, camera: str) -> Frame | None:
        """The latest live frame, or None before the first one. `png` is empty. Never blocks."""
        ...


@runtime_checkable
class Pictured(Protocol):
    """A robot that goes on with blank frames where it cannot draw."""

    @property
    def without_pictures(self) -> str:
        """Why its frames are blank, in one sentence for people; "" where they are not."""
        ...


# --- models and answers -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Message:
    role: str  # "system" or "user"
    text: str


@dataclass(frozen=True)
class Token:
    """A token of a reply, its log-probability, and those of the alternatives where known."""

    text: str
    logprob: float
    others: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Reply:
    text: str
    model: str = ""
    tokens: tuple[Token, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None  # US dollars; None: not known
    seconds: float = 0.0


class Model(Protocol):
    """One door for every prompt: budget, retry, cache, log and key handling live behind it."""

    @property
    def name(self) -> str: ...

    def ask(self, messages: Sequence[Message], pictures: Sequence[bytes], cancel: Cancel) -> Reply:
        """`pictures` are PNG bytes. Raises AnswererError, Cancelled."""
        ...


@dataclass(frozen=True)
class Call:
    """One call of an answerer: its answers, and what it took. `said` is the whole raw reply."""

    answers: tuple[Answer, ...]
    said: str = ""
    by: str = ""
    seconds: float = 0.0
    tokens: int = 0
    cost: float | None = None
    prompt: str = ""  # name and version of the prompt
    confidences: tuple[float | None, ...] = ()  # raw, of each answer: figures to calibrate, never to believe


class Answerer(Protocol):
    @property
    def name(self) -> str: ...

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: Cancel) -> Call:
        """One answer per query, in order; what cannot be read is UNKNOWN for all of its questions.

        Raises AnswererError when the model stays away, Cancelled.
        """
        ...


# --- planning and method ----------------------------------------------------------------------------


class Planner(Protocol):
    def plan(self, problem: Problem, cancel: Cancel) -> Plan:
        """Same problem, same plan. Raises Cancelled, PlanningError."""
        ...


@dataclass(frozen=True)
class Moment:
    """What a method may look at when it decides what to ask: the loop's place in a turn."""

    turn: int
    belief: Belief
    before: Belief | None = None  # the belief held before `done`
    done: Step | None = None  # the step just done
    plan: tuple[Step, ...] = ()  # what is left of the plan
    asked: frozenset[Atom] = frozenset()  # already asked about this picture


class Method(Protocol):
    """What to ask and what to make of the answers. Pure: everything comes in and goes out as values."""

    @property
    def name(self) -> str: ...

    def begin(self, problem: Problem) -> Belief: ...

    def questions(self, moment: Moment) -> tuple[Query, ...]:
        """For one call on the picture of now; none about an atom in `moment.asked`."""
        ...

    def sense(self, belief: Belief, answers: Sequence[Answer], turn: int) -> Belief:
        """Takes the senses in, and assumes nothing yet: the picture has not been asked."""
        ...

    def believe(self, belief: Belief, answers: Sequence[Answer], turn: int) -> Belief:
        """Takes the answers in, and makes the domain's assumptions (source ASSUMED)."""
        ...

    def contradictions(self, moment: Moment, answers: Sequence[Answer]) -> tuple[Contradiction, ...]:
        """What needed thing these answers contradict; `moment` is the one before they count."""
        ...

    def predict(self, belief: Belief, step: Step, turn: int) -> Belief:
        """The belief after `step`, its effects PREDICTED."""
        ...

    def doubt(self, belief: Belief, step: Step, turn: int) -> Belief:
        """The belief after `step` was halted on the way: all it touches is doubtful."""
        ...

    def problem(self, belief: Belief) -> Problem:
        """What the planner shall solve from here."""
        ...

    def surprises(self, moment: Moment) -> tuple[Literal, ...]:
        """What should hold and is not believed: missing effects of `done`, unmet preconditions of the
        first step of the plan. Reasons to plan again."""
        ...

    def reached(self, belief: Belief) -> bool:
        """Whether the goal is believed."""
        ...


def unanswered(queries: Sequence[Query], turn: int, frame: str, why: str) -> tuple[Answer, ...]:
    """UNKNOWN for every query, with the reason as the raw reply."""
    return tuple(Answer(q.atom, Verdict.UNKNOWN, Source.MODEL, why, turn, frame) for q in queries)
