"""Everything a screen needs to know about an episode. `core/telling.py` folds records into it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from core import events as ev
from core.deciding import Proposal, Revision
from core.dials import Dials
from core.facts import Answer, Atom, Belief, Contradiction, Query
from core.ports import Box, Frame
from core.problem import Step


class Phase(Enum):
    """What the loop is at; the status line says it in words."""

    IDLE = "idle"
    LOOKING = "looking"
    ASKING = "waiting for the model"
    REVIEWING = "waiting for your look at the answers"
    PLANNING = "planning"
    OFFERED = "waiting for your look at the new plan"
    WAITING = "waiting for your word"
    HELPLESS = "waiting for help: there is no plan"
    ACTING = "acting"
    STOPPED = "stopped: nothing moves until you release it"
    ENDED = "ended"


class LineState(Enum):
    TODO = "to do"
    NEXT = "next"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    HALTED = "halted"
    DROPPED = "dropped"


@dataclass(frozen=True)
class Line:
    """One line of the plan panel. `plan` is the number of the plan that brought it."""

    step: Step
    state: LineState
    plan: int
    number: int = 0  # its place in the episode when done, or in the plan
    old_number: int | None = None  # its place in the plan before
    note: str = ""
    seconds: float | None = None


@dataclass(frozen=True)
class Card:
    """One question. `model` is what the model said, `final` what counted; None until then."""

    number: int
    turn: int
    query: Query
    frame: str
    model: Answer | None = None
    final: Answer | None = None
    seconds: float = 0.0
    cost: float | None = None
    said: str = ""
    raw: float | None = None  # confidence from log-probabilities, not calibrated

    @property
    def pending(self) -> bool:
        return self.final is None

    @property
    def overridden(self) -> bool:
        return bool(self.model and self.final and self.model.verdict is not self.final.verdict)


@dataclass(frozen=True)
class Consultation:
    """A method's own call of a language model. `number` counts them within the episode."""

    number: int
    event: ev.Consulted


class Lane(Enum):
    TURN = "Turn"
    ACTION = "Action"
    QUESTION = "Question"
    PLAN = "Plan"
    YOU = "You"


@dataclass(frozen=True)
class Mark:
    """Something on the time axis, seconds since the episode began. `end` None: an instant."""

    lane: Lane
    kind: str  # "turn", "done", "failed", "halted", "yes", "no", "unknown", "plan", "override", "stop", ...
    start: float
    end: float | None
    turn: int
    label: str = ""
    record: int = 0


@dataclass(frozen=True)
class StopState:
    """requested -> slowing -> stopped; `speed` and `seconds` as measured, None without data."""

    number: int
    requested: float
    seconds: float | None = None
    speed: float | None = None
    released: bool = False


@dataclass(frozen=True)
class Counts:
    steps: int = 0
    replans: int = 0
    calls: int = 0
    questions: int = 0
    consultations: int = 0
    overrides: int = 0
    contradictions: int = 0
    stops: int = 0
    tokens: int = 0
    cost: float = 0.0
    model_seconds: float = 0.0


@dataclass(frozen=True)
class Story:
    """The episode as it stands now. Holds the pixels of the latest frame only."""

    episode: str = ""
    started: ev.Started | None = None
    phase: Phase = Phase.IDLE
    since: float = 0.0  # when this phase, or what waits in it, began
    now: float = 0.0  # seconds since the episode began, of the latest record
    turn: int = 0
    frame: Frame | None = None
    boxes: tuple[Box, ...] = ()
    cards: tuple[Card, ...] = ()  # of this turn
    consultations: tuple[Consultation, ...] = ()  # of this turn
    rounds: int = 0  # review rounds so far: the number that `Gate.reviewed` wants
    belief: Belief = field(default_factory=Belief)
    ages: dict[Atom, float] = field(default_factory=dict)  # when each entry last changed
    contradictions: tuple[Contradiction, ...] = ()
    lines: tuple[Line, ...] = ()
    plans: int = 0
    offers: int = 0  # plans offered so far: the number that `Gate.consented` wants
    offered: Revision | None = None
    revision: Revision | None = None  # the one that brought the plan in force
    proposal: Proposal | None = None
    acting: Step | None = None
    acting_since: float = 0.0
    last: ev.Acted | None = None
    stop: StopState | None = None
    dials: Dials = field(default_factory=Dials)
    paused: bool = False
    ended: ev.Ended | None = None
    counts: Counts = field(default_factory=Counts)
    marks: tuple[Mark, ...] = ()
    notes: tuple[ev.Noted, ...] = ()
    corrections: tuple[tuple[Answer, ...], ...] = ()  # those since the last motion, the latest last
    origin: float = 0.0

    @property
    def world(self) -> str:
        return self.started.settings.get("world", "SIM") if self.started else "SIM"

    @property
    def undoable(self) -> int:
        """How many corrections can be taken back: motion ends that."""
        return len(self.corrections)

    @property
    def live(self) -> bool:
        return self.started is not None and self.ended is None
