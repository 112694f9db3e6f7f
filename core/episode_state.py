"""All that a view needs to know about an episode. `core/state/state_reducer.py` folds records into it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from core import events as ev
from core.belief import Answer, Atom, Belief, BeliefSource, Contradiction, Query
from core.knowledge.changes import Change, LearntChange
from core.knowledge.suggestion import SituationReport, Suggestion
from core.operator import PlanChange, Proposal
from core.planning_model import Step
from core.ports import BoundingBox, Embodiment, Frame
from core.reason import NO_REASON, Reason
from core.scene import Scene
from core.state.missed_effects import MissedEffect
from core.supervision import SupervisionLevels


class Phase(Enum):
    """What the loop is doing; the status line shows it in words."""

    IDLE = "idle"
    LOOKING = "looking"
    ASKING = "waiting for the model"
    REVIEWING = "waiting for your review of the answers"
    PLANNING = "planning"
    OFFERED = "waiting for your review of the new plan"
    WAITING = "waiting for approval"
    HELP_NEEDED = "no plan found: waiting for you"
    ACTING = "acting"
    STOPPED = "stopped: nothing moves until you release it"
    ENDED = "ended"


WAITING_PHASES = (Phase.REVIEWING, Phase.OFFERED, Phase.WAITING, Phase.HELP_NEEDED, Phase.STOPPED)
LONG_WAIT = 5.0  # seconds: a longer wait for a person is listed in `EpisodeState.waits`
EARLIER_CARDS = 8  # cards of earlier turns that are kept


class PlanRowState(Enum):
    TODO = "to do"
    NEXT = "next"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    HALTED = "halted"
    DROPPED = "dropped"


@dataclass(frozen=True)
class PlanRow:
    """One line of the plan panel. `plan_number` is the number of the plan that introduced it."""

    step: Step
    state: PlanRowState
    plan_number: int
    number: int = 0  # its position in the episode once done, else in the plan
    old_number: int | None = None  # its position in the previous plan
    note: str = ""
    seconds: float | None = None
    turn: int = 0  # in which it was begun


@dataclass(frozen=True)
class QuestionCard:
    """One question. `model` is the model's answer and `final` the one that counted; None until known."""

    number: int
    turn: int
    query: Query
    frame: str
    model: Answer | None = None
    final: Answer | None = None
    seconds: float = 0.0
    cost: float | None = None
    raw_reply: str = ""
    raw_confidence: float | None = None  # confidence from log-probabilities, not calibrated
    error: str = ""  # why the model gave no answer

    @property
    def pending(self) -> bool:
        return self.final is None

    @property
    def overridden(self) -> bool:
        return bool(self.model and self.final and self.model.verdict is not self.final.verdict)

    def counts_in(self, belief: Belief) -> bool:
        """Return True if what is believed about the atom still rests on the answer to this question."""
        entry = belief.entry(self.query.atom)
        return entry.since == self.turn and entry.source in (BeliefSource.MODEL, BeliefSource.OPERATOR)


@dataclass(frozen=True)
class Consultation:
    """A method's own request to a language model. `number` counts them within the episode."""

    number: int
    event: ev.ModelConsulted


class TimelineTrack(Enum):
    TURN = "Turn"
    ACTION = "Action"
    QUESTION = "Question"
    PLAN = "Plan"
    OPERATOR = "You"


@dataclass(frozen=True)
class TimelineMark:
    """A mark on the time axis, in seconds since the episode began. `end` is None for an instant."""

    track: TimelineTrack
    kind: str  # "turn", "done", "failed", "halted", "yes", "no", "unknown", "plan", "override", "stop", ...
    start: float
    end: float | None
    turn: int
    label: str = ""
    record: int = 0


@dataclass(frozen=True)
class StopState:
    """A stop: requested, slowing, stopped. `speed` (m/s) and `seconds` are measured; None without data."""

    number: int
    requested_at: float
    seconds: float | None = None
    speed: float | None = None
    released: bool = False
    by_person: bool = False  # it, or one before that was not released yet


@dataclass(frozen=True)
class EpisodeCounts:
    steps: int = 0
    replans: int = 0
    calls: int = 0
    questions: int = 0
    unanswered: int = 0  # or UNKNOWN, when their turn was over
    consultations: int = 0
    overrides: int = 0
    contradictions: int = 0
    stops: int = 0
    tokens: int = 0
    cost: float = 0.0
    model_seconds: float = 0.0


class SuggestionState(Enum):
    OPEN = "open"
    ACCEPTED = "accepted"
    EDITED = "accepted as edited"
    REFUSED = "refused"
    UNDONE = "taken back"


@dataclass(frozen=True)
class SuggestedChange:
    """A suggestion and what became of it. `changes` are in force because of it, as a person left them."""

    turn: int
    suggestion: Suggestion
    state: SuggestionState = SuggestionState.OPEN
    changes: tuple[LearntChange, ...] = ()
    by: str = ""  # who decided; "" where the supervision levels let it pass
    pddl: str = ""  # the whole domain as suggested


@dataclass(frozen=True)
class GoalProbability:
    """How likely the goal was reached from this moment on, `seconds` after the episode began."""

    turn: int
    seconds: float
    probability: float


@dataclass(frozen=True)
class EpisodeState:
    """The current state of the episode. It holds the pixels of the latest frame only."""

    episode: str = ""
    started: ev.EpisodeStarted | None = None
    phase: Phase = Phase.IDLE
    since: float = 0.0  # when this phase, or the current wait in it, began
    now: float = 0.0  # time of the latest record, seconds since the episode began
    turn: int = 0
    frame: Frame | None = None
    scene: Scene | None = None  # where things were when the robot last told
    boxes: tuple[BoundingBox, ...] = ()
    cards: tuple[QuestionCard, ...] = ()  # of this turn
    earlier_cards: tuple[QuestionCard, ...] = ()  # of the turns before, the latest turn first
    consultations: tuple[Consultation, ...] = ()  # of this turn
    review_count: int = 0  # review rounds so far, as `Gate.submit_review` counts them
    belief: Belief = field(default_factory=Belief)
    changed_at: dict[Atom, float] = field(default_factory=dict)  # when each entry last changed
    contradictions: tuple[Contradiction, ...] = ()
    goal_probabilities: tuple[GoalProbability, ...] = ()  # () where the method keeps no hypotheses
    plan_rows: tuple[PlanRow, ...] = ()
    plan_count: int = 0
    offer_count: int = 0  # plans offered so far, as the gate counts them
    known_length: int = 0  # steps of a plan that is being improved
    offered_change: PlanChange | None = None
    plan_change: PlanChange | None = None  # the change that led to the current plan
    proposal: Proposal | None = None
    step_reason: Reason = NO_REASON  # why the step of this turn was proposed
    acting: Step | None = None
    acting_since: float = 0.0
    last_step: ev.StepFinished | None = None
    stop: StopState | None = None
    late: bool = False  # the stop at which it waits, or ended, came of something late (`Proposal.late`)
    supervision: SupervisionLevels = field(default_factory=SupervisionLevels)
    paused: bool = False
    ended: ev.EpisodeEnded | None = None
    counts: EpisodeCounts = field(default_factory=EpisodeCounts)
    marks: tuple[TimelineMark, ...] = ()
    waits: tuple[tuple[float, float], ...] = ()  # long waits for a person, from and until, in seconds
    missed_effects: tuple[MissedEffect, ...] = ()
    notices: tuple[ev.Notice, ...] = ()
    corrections: tuple[tuple[Answer, ...], ...] = ()  # since the last motion, in order
    started_monotonic: float = 0.0
    situations: tuple[SituationReport, ...] = ()  # told so far, those of no use as well
    knowledge: tuple[LearntChange, ...] = ()  # about the domain, in force now
    refused_changes: tuple[Change, ...] = ()
    suggestions: tuple[SuggestedChange, ...] = ()  # of the whole episode, in order

    @property
    def embodiment(self) -> str:
        return self.started.settings.get("world", "SIM") if self.started else "SIM"

    @property
    def is_held_up(self) -> bool:
        """Return True if a robot that is no real one stopped because this computer did not keep up."""
        by_person = self.stop is not None and self.stop.by_person
        return self.late and not by_person and self.embodiment != Embodiment.REAL.value

    def is_goal(self, facts: frozenset[Atom]) -> bool:
        """Return True if the goal holds where these atoms, and no others, are so."""
        return self.started is not None and all(
            (literal.atom in facts) == literal.positive for literal in self.started.goal
        )

    @property
    def undo_count(self) -> int:
        """Return how many corrections can be undone; motion resets it to 0."""
        return len(self.corrections)

    @property
    def ineffective_turns(self) -> frozenset[int]:
        """Return the turns whose step had an effect that was looked for and not found."""
        return frozenset(m.turn for m in self.missed_effects if not m.withdrawn)

    @property
    def is_running(self) -> bool:
        return self.started is not None and self.ended is None


def add_mark(
    state: EpisodeState,
    track: TimelineTrack,
    kind: str,
    label: str,
    number: int,
    turn: int | None = None,
    began: float | None = None,
) -> EpisodeState:
    """Return the state with a mark now, or since `began`, of this turn if no other is given."""
    start, end = (state.now, None) if began is None else (began, state.now)
    mark = TimelineMark(track, kind, start, end, state.turn if turn is None else turn, label, number)
    return replace(state, marks=(*state.marks, mark))
