"""The state of a logged episode at any moment, folded as in the live view, so that all panels agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import degrees

from core import events as ev
from core.belief import Answer, BeliefSource, Query, Verdict
from core.episode_state import EpisodeState
from core.ports import StepStatus
from core.review.recording import JumpTarget, Reading, Recording
from core.state.state_reducer import apply_record

READ = ("belief", "counts", "goal_probabilities")  # what a reading is made of
KEYFRAME_EVERY = 32  # records between two cached states; those in between are folded again


@dataclass(frozen=True)
class RecordedQuestion:
    """A question with its answer: answer `place` of the AnswersReceived record at `index`."""

    index: int  # after `index` records it was asked but not yet answered
    number: int  # of the AnswersReceived record
    place: int
    turn: int
    frame: str
    query: Query
    model: Answer
    operator: Answer | None = None  # the operator's answer at the time


class EpisodeReplay(Recording):
    """A logged episode, whose moments are its records."""

    def __init__(self, records: Sequence[ev.Record]) -> None:
        self.records = tuple(records)
        self._keyframes: list[EpisodeState] = [EpisodeState()]
        self.times: list[float] = []
        moments: list[JumpTarget] = []
        readings: list[Reading] = []
        state = EpisodeState()
        for index, record in enumerate(self.records, 1):
            older, state = state, apply_record(state, record)
            self.times.append(max(state.now, self.times[-1] if self.times else 0.0))
            moments += (JumpTarget(index, kind, state.now) for kind in _kinds(older, state, record.event))
            if any(getattr(state, name) is not getattr(older, name) for name in READ):
                goal = state.goal_probabilities[-1].probability if state.goal_probabilities else None
                readings.append(Reading(self.times[-1], state.belief, state.counts, goal))
            if index % KEYFRAME_EVERY == 0:
                self._keyframes.append(state)
        self.jump_targets, self.readings = tuple(moments), tuple(readings)
        self.motion = _motion(self.records)
        self.final_state = state
        self.questions = tuple(_questions(self.records))
        self.unasked = tuple(_unasked(self.records))  # of each picture, for a blind review
        self._last = (len(self.records), state)

    @property
    def first_trouble(self) -> JumpTarget | None:
        """Return the first contradiction or failed step."""
        return self.next_jump_target(0, ("contradiction", "failure"))

    def state_at(self, index: int) -> EpisodeState:
        """Return the state after `index` records. Its frames have no pixels, as in the log."""
        index = max(0, min(index, len(self.records)))
        at, state = self._last
        if not 0 <= index - at <= KEYFRAME_EVERY:
            at = min(index // KEYFRAME_EVERY, len(self._keyframes) - 1) * KEYFRAME_EVERY
            state = self._keyframes[at // KEYFRAME_EVERY]
        for record in self.records[at:index]:
            state = apply_record(state, record)
        self._last = index, state
        return state

    def index_of_record(self, number: int) -> int:
        """Return the position right after the record of this number, or the end."""
        return next((i for i, r in enumerate(self.records, 1) if r.number >= number), len(self.records))

    def text_at(self, index: int) -> str:
        return f"turn {self.state_at(index).turn}"


def _motion(records: Sequence[ev.Record]) -> Mapping[str, Sequence[tuple[float, float]]]:
    """Return each joint's angle in degrees, and its torque in percent of what it can."""
    found: dict[str, list[tuple[float, float]]] = {}
    for event in (r.event for r in records if isinstance(r.event, ev.MotionSampled)):
        for name, rows, unit in (("joint", event.joints, degrees(1)), ("torque", event.loads, 100)):
            for at, row in zip(event.at, rows, strict=False):
                for number, value in enumerate(row, 1):
                    point = (at - records[0].monotonic, unit * value)
                    found.setdefault(f"{name} {number}", []).append(point)
    return found


def _kinds(previous: EpisodeState, state: EpisodeState, event: ev.Event) -> tuple[str, ...]:
    a, b = previous.counts, state.counts
    grown = (
        ("turn", isinstance(event, ev.FrameCaptured)),
        ("override", b.overrides > a.overrides),
        ("contradiction", b.contradictions > a.contradictions),
        ("failure", isinstance(event, ev.StepFinished) and event.result.status is not StepStatus.DONE),
        ("stop", b.stops > a.stops),
        ("re-plan", b.replans > a.replans),
        ("bookmark", isinstance(event, ev.Bookmarked)),
    )
    return tuple(kind for kind, so in grown if so)


def _questions(records: Sequence[ev.Record]) -> list[RecordedQuestion]:
    found: list[RecordedQuestion] = []
    queries: tuple[Query, ...] = ()
    first = 0  # index of the first answer that a review may refer to
    for index, record in enumerate(records):
        match record.event:
            case ev.QuestionsAsked(_, _, asked):
                queries, first = asked, len(found)
            case ev.AnswersReceived(turn, frame, call):
                by_atom = {q.atom: q for q in queries}
                first = len(found)
                for place, answer in enumerate(call.answers):
                    query = by_atom.get(answer.atom) or Query(answer.atom, str(answer.atom))
                    at = index, record.number, place, turn, frame
                    found.append(RecordedQuestion(*at, query, answer))
            case ev.AnswersReviewed(_, answers):
                said = {a.atom: a for a in answers}
                found[first:] = [replace(q, operator=said.get(q.query.atom)) for q in found[first:]]
    return found


def _unasked(records: Sequence[ev.Record]) -> Iterator[RecordedQuestion]:
    for index, record in enumerate(records, 1):
        if isinstance(event := record.event, ev.FrameCaptured):
            for place, query in enumerate(event.review):
                at = index, record.number, place, event.turn, event.frame.id
                yield RecordedQuestion(*at, query, Answer(query.atom, Verdict.UNKNOWN, BeliefSource.MODEL))
