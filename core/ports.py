"""The interfaces that the loop depends on, and the values they exchange. Protocols are small on purpose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from core.belief import Answer, Atom, BeliefSource, Query, Verdict
from core.errors import AnswererError
from core.permit import Permit, PermitLedger
from core.planning_model import Problem, Step
from core.stop_token import StopToken

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from core.domains import DomainSpec

    RgbImage = NDArray[np.uint8]
    DepthImage = NDArray[np.float32]
else:  # numpy is half of what there is to load here, and some processes need no picture
    RgbImage = DepthImage = Any

# --- pictures ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """One still image. `png` holds the exact bytes that a model receives; `id` is their SHA-256 in hex.

    `rgb` is H x W x 3, uint8, and `depth` is H x W, float32, in metres; both are read-only. A frame without a
    picture (`--no-pictures`, or read back from a log) has `rgb` None and an empty `png`.
    """

    id: str
    camera: str = ""
    timestamp: float = 0.0  # when it was taken, s, on the robot's monotonic clock; -inf: nobody knows
    viewpoint: str = ""  # the same name whenever the camera is in the same pose
    rgb: RgbImage | None = field(default=None, compare=False, repr=False)
    png: bytes = field(default=b"", compare=False, repr=False)
    depth: DepthImage | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class BoundingBox:
    """The bounding box of a named object in a frame, in pixels; `right` and `bottom` are exclusive."""

    name: str
    left: float
    top: float
    right: float
    bottom: float


# --- the robot --------------------------------------------------------------------------------------


class StepStatus(Enum):
    """The status of a step as the robot says. A missed grasp is FAILED or even DONE, never an exception."""

    DONE = "done"
    FAILED = "failed"
    HALTED = "halted"


@dataclass(frozen=True)
class StepResult:
    status: StepStatus
    detail: str = ""
    seconds: float = 0.0


class Embodiment(Enum):
    """What moves. Everything that does not prove to be our emulator is REAL."""

    SIM = "SIM"
    EMULATED = "EMULATED"
    REAL = "REAL"


class Robot(Protocol):
    """A robot with a camera. All methods but `halt` are called from the loop's thread."""

    @property
    def name(self) -> str: ...

    @property
    def embodiment(self) -> Embodiment: ...

    @property
    def permits(self) -> PermitLedger:
        """Return the ledger in which every motion of this robot needs a permit, which it redeems first."""

    def release_stop(self, up_to: int) -> None:
        """Release all halts up to this number; a later one stays in force. Raises RobotNotReady."""

    def look(self, cancel: StopToken) -> Frame:
        """Capture a fresh still image. Raises Cancelled."""

    def sense(self) -> Mapping[Atom, bool]:
        """Return the current readings of the non-vision sensors (in the paper: hand empty, in hand, hot)."""

    def do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        """Block until the step is done, failed or halted. Return HALTED at once while a halt is latched.

        A simulator takes a permit of the kind RESTORE as well as STEP. Raises MotionRefused.
        """

    def halt(self) -> int:
        """Halt at once and latch; return the halt's number (1, 2, ...). Any thread, any number of times."""

    def close(self) -> None:
        """Release threads, processes and windows. Idempotent."""


@runtime_checkable
class GroundTruth(Protocol):
    """A simulator that knows the true state, which no method is shown."""

    def truth(self) -> frozenset[Atom]:
        """Return every atom that holds now."""

    def is_observable(self, atom: Atom) -> bool:
        """Return True if the current picture can show whether this atom holds."""

    @property
    def situation(self) -> str:
        """Return the name of the situation that occurred in the last step, "" for none."""


@runtime_checkable
class StepTruth(Protocol):
    """A simulator that can judge steps, so that answers about steps can be checked as well."""

    def step_succeeded(self) -> bool | None:
        """Return True if all declared effects of the last step came; None before the first, or unknown."""

    def step_possible(self, step: Step) -> bool:
        """Return True if the step could be executed now."""


@runtime_checkable
class SupportsViewpoints(Protocol):
    """A robot that can look from another viewpoint without executing a step. Moving there is motion."""

    @property
    def viewpoints(self) -> tuple[str, ...]:
        """Return the names of the viewpoints that it can look from now."""

    def look_from(self, viewpoint: str, permit: Permit, cancel: StopToken) -> Frame:
        """Move there and capture a still. Raises RobotError, MotionRefused, and Cancelled when halted."""


@runtime_checkable
class NoticesSituations(Protocol):
    """A robot that perceives what no predicate of the domain describes, in words."""

    def situations(self) -> tuple[str, ...]:
        """Return the sentences about what is unusual now ("the cup is dirty"), in a fixed order."""


@runtime_checkable
class JudgesGoal(Protocol):
    """A simulator whose `truth` has no goal that was reached in a way that nobody would accept."""

    @property
    def true_state(self) -> frozenset[Atom]:
        """Return every atom that holds now, whatever anybody would accept."""


@runtime_checkable
class ProvidesBoxes(Protocol):
    def boxes(self, names: Sequence[str]) -> tuple[BoundingBox, ...]:
        """Return the boxes of those named objects that are visible in the last frame of `look`."""


@runtime_checkable
class ProvidesLiveFrames(Protocol):
    """Live video from the robot's own thread. `live` may be called from any thread."""

    @property
    def cameras(self) -> tuple[str, ...]: ...

    def live(self, camera: str) -> Frame | None:
        """Return the latest live frame, or None before the first one. Its `png` is empty. Never blocks."""


@runtime_checkable
class ProvidesViews(Protocol):
    """Pictures drawn from what the robot says of itself: no camera took them, and no film has them."""

    @property
    def views(self) -> tuple[str, ...]:
        """Return names that `live` takes as well."""


@runtime_checkable
class CropsStills(Protocol):
    """A robot whose still is the middle of a live picture, at its full height."""

    @property
    def still_camera(self) -> str:
        """Return the camera that shows live what the last still does, while nothing moves it; "" for none."""


@runtime_checkable
class ReportsRendering(Protocol):
    """A robot that continues with blank frames if it cannot render."""

    @property
    def blank_frames_reason(self) -> str:
        """Return in one sentence for people why its frames are blank; "" if they are not."""


# --- models and answers -----------------------------------------------------------------------------


@dataclass(frozen=True)
class ChatMessage:
    role: str  # "system" or "user"
    text: str


@dataclass(frozen=True)
class ReplyToken:
    """A token of a reply with its log-probability, and those of its alternatives where known."""

    text: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Reply:
    """A model's reply. `finish_reason` is how it ended in the server's words, `reasoning` what it thought."""

    text: str
    model: str = ""
    tokens: tuple[ReplyToken, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None  # US dollars; None: not known
    seconds: float = 0.0
    finish_reason: str = ""
    reasoning: str = ""


class SilentReply(AnswererError):
    """The model was reached, and its reply holds no answer: it is empty, withheld or cut off.

    `reply` is what came, for the log: no part of it counts.
    """

    def __init__(self, sentence: str, reply: Reply) -> None:
        super().__init__(sentence)
        self.reply = reply


class Model(Protocol):
    """A language model. Budget, retries, cache, log and key handling all lie behind this interface."""

    @property
    def name(self) -> str: ...

    def ask(self, messages: Sequence[ChatMessage], pictures: Sequence[bytes], cancel: StopToken) -> Reply:
        """Send the messages with the pictures (PNG bytes) and return a whole reply.

        Raises AnswererError, SilentReply among them, and Cancelled.
        """


@dataclass(frozen=True)
class ModelCall:
    """One call of an answerer: its answers and its cost. `raw_reply` is the complete reply."""

    answers: tuple[Answer, ...]
    raw_reply: str = ""
    by: str = ""
    seconds: float = 0.0
    tokens: int = 0
    cost: float | None = None
    prompt: str = ""  # the prompt's name and version
    confidences: tuple[float | None, ...] = ()  # of each answer, uncalibrated: use only to calibrate
    error: str = ""  # why the answerer gave no answer, in one sentence; then all of them are UNKNOWN
    finish_reason: str = ""  # how the reply ended, in the server's words
    reasoning: str = ""  # what it thought, where the server tells that apart


class Answerer(Protocol):
    @property
    def name(self) -> str: ...

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        """Return one answer per query, in order; all are UNKNOWN, with the `error`, if nothing can be read.

        Raises Cancelled, and AnswererError if the model cannot be reached.
        """


@runtime_checkable
class StatesErrorRates(Protocol):
    """An answerer that says how often it is wrong, as a profile does; never what is so.

    One that also knows what a picture does not show may say so: `sees_all`, a bool.
    """

    @property
    def persistence(self) -> float:
        """Return how often an answer is repeated, right or wrong, from the same viewpoint."""

    def error_rates(self, predicate: str) -> tuple[float, float]:
        """Return P(yes) for an atom of this predicate that holds and is visible, and for one that is not."""


@runtime_checkable
class TellsAssumption(Protocol):
    """Optional, of a method: `assumption` says in a sentence what it takes for so unmeasured, or ""."""

    @property
    def assumption(self) -> str: ...


@runtime_checkable
class TellsGaps(Protocol):
    """An answerer that knows before an episode what it cannot answer in it."""

    def gaps(self, domain_spec: DomainSpec, problem: Problem, robot: str, method: str, pictures: bool) -> str:
        """Return in one sentence which questions will stay UNKNOWN, "" if it may answer all.

        `robot` and `method` are names; `pictures` tells whether there are any.
        """


@runtime_checkable
class UsesModel(Protocol):
    """An answerer whose model a method may use for other requests as well."""

    @property
    def model(self) -> Model: ...


def all_unknown(queries: Sequence[Query], turn: int, frame: str, reason: str) -> tuple[Answer, ...]:
    """Return UNKNOWN for every query, with the reason as the raw reply."""
    return tuple(Answer(q.atom, Verdict.UNKNOWN, BeliefSource.MODEL, reason, turn, frame) for q in queries)
