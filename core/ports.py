"""What the loop talks to, and the small values they exchange. Every Protocol is small on purpose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from core.belief import Answer, Atom, BeliefSource, Query, Verdict
from core.cancel import Cancel
from core.planning_model import Plan, Problem, Step

# --- pictures ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """One still. `png` are the very bytes that a model gets; `id` is their SHA-256 in hex.

    `rgb` is H x W x 3, uint8, and `depth` H x W, float32, metres; neither is ever written to. A frame
    without pictures (`--no-pictures`, or read back from a log) has `rgb` None and `png` empty.
    """

    id: str
    camera: str = ""
    timestamp: float = 0.0  # seconds, the robot's monotonic clock
    viewpoint: str = ""  # where the eye is: the same word whenever the camera is in the same pose
    rgb: NDArray[np.uint8] | None = field(default=None, compare=False, repr=False)
    png: bytes = field(default=b"", compare=False, repr=False)
    depth: NDArray[np.float32] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class BoundingBox:
    """Where a named object is in a frame: pixels, `right` and `bottom` exclusive."""

    name: str
    left: float
    top: float
    right: float
    bottom: float


# --- the robot --------------------------------------------------------------------------------------


class StepStatus(Enum):
    """What the robot reports of a step. A missed grasp is FAILED or even DONE, never an exception."""

    DONE = "done"
    FAILED = "failed"
    HALTED = "halted"


@dataclass(frozen=True)
class StepResult:
    status: StepStatus
    detail: str = ""
    seconds: float = 0.0


class Embodiment(Enum):
    """What moves. REAL is everything that does not prove to be our emulator."""

    SIM = "SIM"
    EMULATED = "EMULATED"
    REAL = "REAL"


class Robot(Protocol):
    """Something that moves and sees. All but `halt` are called from the loop's thread."""

    @property
    def name(self) -> str: ...

    @property
    def embodiment(self) -> Embodiment: ...

    def release_stop(self, up_to: int) -> None:
        """Release halts up to this number; a later one stays. Raises RobotNotReady."""

    def look(self, cancel: Cancel) -> Frame:
        """A fresh still. Raises Cancelled."""
        ...

    def sense(self) -> Mapping[Atom, bool]:
        """What the non-vision senses tell now (in the paper: hand empty, in hand, hot)."""
        ...

    def do(self, step: Step, cancel: Cancel) -> StepResult:
        """Block until the step is done, has failed, or was halted; HALTED at once while a halt is latched."""
        ...

    def halt(self) -> int:
        """Any thread, at once, again and again. Latches, and returns its number: 1, 2, ..."""
        ...

    def close(self) -> None:
        """Let go of threads, processes and windows. Idempotent."""


@runtime_checkable
class GroundTruth(Protocol):
    """A simulator that knows what is so. Never shown to a method."""

    def truth(self) -> frozenset[Atom]:
        """Every atom that holds now."""
        ...

    def is_observable(self, atom: Atom) -> bool:
        """Whether the picture of now can show this atom, true or false."""
        ...

    @property
    def situation(self) -> str:
        """The name of the situation that the last step met, "" for none."""
        ...


@runtime_checkable
class StepTruth(Protocol):
    """A simulator that can judge steps, so that answers about steps are judged by the truth as well."""

    def step_succeeded(self) -> bool | None:
        """Whether the last step had every effect that its action promises; None before the first, and where
        nobody can tell."""
        ...

    def step_possible(self, step: Step) -> bool:
        """Whether the step could be done now."""
        ...


@runtime_checkable
class SupportsViewpoints(Protocol):
    """A robot that can look from elsewhere without doing a step. Looking from there is motion."""

    @property
    def viewpoints(self) -> tuple[str, ...]:
        """Where it can look from now, by name."""
        ...

    def look_from(self, viewpoint: str, cancel: Cancel) -> Frame:
        """A still from there. Raises Cancelled, RobotError; HALTED motion is Cancelled."""
        ...


@runtime_checkable
class ProvidesBoxes(Protocol):
    def boxes(self, names: Sequence[str]) -> tuple[BoundingBox, ...]:
        """Boxes in the last frame of `look`, of those names that are in it."""
        ...


@runtime_checkable
class ProvidesLiveFrames(Protocol):
    """Live pictures, from the robot's own thread; `live` may be called from any thread."""

    @property
    def cameras(self) -> tuple[str, ...]: ...

    def live(self, camera: str) -> Frame | None:
        """The latest live frame, or None before the first one. `png` is empty. Never blocks."""
        ...


@runtime_checkable
class ReportsRendering(Protocol):
    """A robot that goes on with blank frames where it cannot draw."""

    @property
    def blank_frames_reason(self) -> str:
        """Why its frames are blank, in one sentence for people; "" where they are not."""
        ...


# --- models and answers -----------------------------------------------------------------------------


@dataclass(frozen=True)
class ChatMessage:
    role: str  # "system" or "user"
    text: str


@dataclass(frozen=True)
class ReplyToken:
    """A token of a reply, its log-probability, and those of the alternatives where known."""

    text: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Reply:
    text: str
    model: str = ""
    tokens: tuple[ReplyToken, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None  # US dollars; None: not known
    seconds: float = 0.0


class Model(Protocol):
    """One door for every prompt: budget, retry, cache, log and key handling live behind it."""

    @property
    def name(self) -> str: ...

    def ask(self, messages: Sequence[ChatMessage], pictures: Sequence[bytes], cancel: Cancel) -> Reply:
        """`pictures` are PNG bytes. Raises AnswererError, Cancelled."""
        ...


@dataclass(frozen=True)
class ModelCall:
    """One call of an answerer: its answers, and what it took. `said` is the whole raw reply."""

    answers: tuple[Answer, ...]
    raw_reply: str = ""
    by: str = ""
    seconds: float = 0.0
    tokens: int = 0
    cost: float | None = None
    prompt: str = ""  # name and version of the prompt
    confidences: tuple[float | None, ...] = ()  # raw, of each answer: figures to calibrate, never to believe


class Answerer(Protocol):
    @property
    def name(self) -> str: ...

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: Cancel) -> ModelCall:
        """One answer per query, in order; what cannot be read is UNKNOWN for all of its questions.

        Raises AnswererError when the model stays away, Cancelled.
        """
        ...


# --- planning ---------------------------------------------------------------------------------------


class Planner(Protocol):
    def plan(self, problem: Problem, cancel: Cancel) -> Plan:
        """Same problem, same plan. Raises Cancelled, PlanningError."""
        ...


@runtime_checkable
class UsesModel(Protocol):
    """An answerer whose model a method may ask other things as well."""

    @property
    def model(self) -> Model: ...


def all_unknown(queries: Sequence[Query], turn: int, frame: str, reason: str) -> tuple[Answer, ...]:
    """UNKNOWN for every query, with the reason as the raw reply."""
    return tuple(Answer(q.atom, Verdict.UNKNOWN, BeliefSource.MODEL, reason, turn, frame) for q in queries)
