"""The outcome of a trial, how a trial is run, and how sure its method was of facts that were so."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core import events as ev
from core.belief import Atom, Belief, Query, QueryTopic, Verdict
from core.config import ComponentFactory, Settings
from core.episode import run_components
from core.episode_state import EpisodeState
from core.events import GroundTruthFact
from core.log.recorder import Recorder
from core.loop.gate import AutoOperator
from core.planners import Planner
from core.planning_model import PlanStatus
from core.state.state_reducer import apply_record
from core.stop_token import StopToken
from core.vqa.rate_limit import RateLimit


@dataclass(frozen=True)
class TrialOutcome:
    """The outcome of a trial. `reached` is None if the truth is unknown.

    `answered` and `correct` count yes/no answers whose truth a simulator knew.
    """

    result: str
    reason: str
    believed: bool
    reached: bool | None
    steps: int
    calls: int
    questions: int
    replans: int
    unanswered: int
    answered: int
    correct: int
    planning_seconds: float
    seconds: float
    episode: str = ""  # its id in the log, where one is kept
    probability: float | None = None  # of the goal at the end, where the method computes one
    calibration: str = ""  # of the facts that it asked about, as `belief_calibration.as_text`
    situations: int = 0  # that the robot told of, in words
    expanded: int = 0  # states that planning expanded, or samples that it drew for motions

    @property
    def succeeded(self) -> bool:
        return bool(self.reached)

    @property
    def handled(self) -> int:
        """Return how many situations came between and the goal was truly reached all the same."""
        return self.situations if self.succeeded else 0

    @property
    def false_claim(self) -> bool:
        """Return True if the goal was claimed but not reached."""
        claimed = self.believed and self.result == ev.EpisodeResult.SUCCEEDED.value
        return claimed and self.reached is False

    @property
    def claimed_at(self) -> float | None:
        """Return how likely the method held a goal that it claimed, and that the truth is known of."""
        claimed = self.result == ev.EpisodeResult.SUCCEEDED.value and self.reached is not None
        return self.probability if claimed else None

    @property
    def crashed(self) -> bool:
        return self.result == ev.EpisodeResult.CRASHED.value


def run_trial(
    make: ComponentFactory,
    settings: Settings,
    log: Path | None = None,
    planners: dict[object, Planner] | None = None,
    rate: RateLimit | None = None,
    cancel: StopToken | None = None,
) -> TrialOutcome:
    """Run one unattended episode, and log it if `log` is given. Raises ConsoleError.

    `planners`, by engine and its options, are reused across trials: they cache plans, and the same problem
    has the same plan, so that only the time changes. `rate` is kept by every request to a model.
    """
    began = time.perf_counter()
    recorder = Recorder.open(log) if log else Recorder.without_log()
    course = _Course()
    with recorder:
        parts = make(settings)
        try:
            if rate is not None:
                parts.meter.wait_for_turn = rate.wait
            if planners is not None:
                key = settings.engine, tuple(sorted(settings.options_for("engine").items()))
                parts = replace(parts, planner=planners.setdefault(key, parts.planner))
            events = run_components(parts, AutoOperator(parts.robot.embodiment), cancel or StopToken())
            for record in recorder.record_events(events):
                course.add(record)
        finally:
            parts.close()
    return course.outcome(time.perf_counter() - began, course.state.episode if log else "")


class _Course:
    """The state of the running trial, and what it does not count."""

    def __init__(self) -> None:
        self.state = EpisodeState()
        self._answered, self._correct, self._planning = 0, 0, 0.0
        self._expanded = 0
        self._said: dict[object, Verdict] = {}
        self._believed: Mapping[Atom, float] = {}
        self._bins = EMPTY

    def add(self, record: ev.Record) -> None:
        self.state = apply_record(self.state, record)
        match record.event:
            case ev.QuestionsAsked(queries=queries):
                self._believed = believed_before(self.state.belief, queries)
            case ev.PlanMade(change) if change.new_plan.status is not PlanStatus.FAILED:
                self._planning += change.new_plan.seconds
                self._expanded += change.new_plan.expanded
            case ev.AnswersReceived(_, _, call):
                self._said = {a.atom: a.verdict for a in call.answers}
            case ev.GroundTruthRecorded(_, _, facts):
                self._bins = with_truth(self._bins, self._believed, facts)
                pairs = [(self._said.get(f.atom), f.holds) for f in facts]
                judged = [(v is Verdict.YES, so) for v, so in pairs if v in _SURE]
                self._answered += len(judged)
                self._correct += sum(yes == so for yes, so in judged)

    def outcome(self, seconds: float, episode: str) -> TrialOutcome:
        state, counts = self.state, self.state.counts
        ended = state.ended or ev.EpisodeEnded(ev.EpisodeResult.INTERRUPTED, "the episode was broken off")
        end = ended.result.value, ended.reason, ended.believed_goal, ended.true_goal
        done = counts.steps, counts.calls, counts.questions, counts.replans
        said = counts.unanswered, self._answered, self._correct
        rest = ended.probability, as_text(self._bins), len(state.situations)
        drawn = self._expanded
        return TrialOutcome(*end, *done, *said, self._planning, seconds, episode, *rest, expanded=drawn)


_SURE = (Verdict.YES, Verdict.NO)


BINS = 10


@dataclass(frozen=True)
class Bin:
    """Facts that were held to be about equally likely."""

    facts: int = 0
    believed: float = 0.0  # the sum of their probabilities
    true: int = 0

    @property
    def mean(self) -> float:
        return self.believed / self.facts

    @property
    def share(self) -> float:
        return self.true / self.facts


Bins = tuple[Bin, ...]
EMPTY: Bins = (Bin(),) * BINS


def believed_before(belief: Belief, queries: Sequence[Query]) -> Mapping[Atom, float]:
    """Return the probability of each fact that is asked about, where the method gives one."""
    found = ((q.atom, belief.probability(q.atom)) for q in queries if q.topic is QueryTopic.FACT)
    return {atom: p for atom, p in found if p is not None}


def with_truth(bins: Bins, believed: Mapping[Atom, float], facts: Iterable[GroundTruthFact]) -> Bins:
    """Return the bins with these facts added, as far as they were believed with a probability."""
    new = list(bins)
    for fact in facts:
        if (p := believed.get(fact.atom)) is not None:
            at = min(BINS - 1, int(p * BINS))
            old = new[at]
            new[at] = Bin(old.facts + 1, old.believed + p, old.true + fact.holds)
    return tuple(new)


def pooled(texts: Iterable[str]) -> Bins:
    """Return the sum of bins written by `as_text`; what is none of them counts as empty."""
    every = [_read(text) for text in texts]
    return tuple(
        Bin(*(sum(values) for values in zip(*((b.facts, b.believed, b.true) for b in same), strict=True)))
        for same in zip(EMPTY, *every, strict=True)
    )


def as_text(bins: Bins) -> str:
    """Return such as "0/0/0 5/0.83/1 ...", "" if there is no fact in them."""
    if not any(b.facts for b in bins):
        return ""
    return " ".join(f"{b.facts}/{b.believed:.3f}/{b.true}" for b in bins)


def _read(text: str) -> Bins:
    try:
        parts = [word.split("/") for word in text.split()]
        found = tuple(Bin(int(facts), float(believed), int(true)) for facts, believed, true in parts)
    except ValueError:
        return EMPTY
    fits = len(found) == BINS and all(0 <= b.true <= b.facts and 0 <= b.believed <= b.facts for b in found)
    return found if fits else EMPTY


def calibration_error(bins: Bins) -> float | None:
    """Return the mean distance of probability and share, by facts (ECE); None without facts."""
    facts = sum(b.facts for b in bins)
    return sum(abs(b.believed - b.true) for b in bins) / facts if facts else None
