"""Continue from a moment of a logged episode with a changed answer: the same world, another belief.

A simulator is restored by executing the same steps again with the same seed: what goes wrong depends only on
the seed, the step and how often it was tried (docs/review.md). Each step must end as it did; if one does not,
nothing is run. The fork is a separate episode with its parent's id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from core import events as ev
from core.belief import Answer, Belief, BeliefEntry, BeliefSource, Verdict
from core.config import ComponentFactory, EpisodeComponents, Settings, ignore
from core.episode import with_knowledge
from core.errors import BadValue, RobotError
from core.knowledge.changes import NO_KNOWLEDGE, Knowledge
from core.log.rerun_settings import settings_of
from core.loop.permit_issuer import PermitIssuer
from core.planning_model import Problem
from core.policy import BeliefCorrected, Context, Policy
from core.ports import Embodiment, GroundTruth, Robot, StepStatus
from core.state.state_reducer import fold_records
from core.stop_token import StopToken
from core.supervision import WATCH, SupervisionLevels

# What the household's situations were called in the logs of earlier versions.
RENAMED = {"it stays closed": "it does not open wide"}


@dataclass(frozen=True)
class Fork(Settings):
    """Settings of a fork: those of its parent, and where it continues from."""

    parent: str = ""
    parent_record: int = 0  # number of the parent's last record that still counts
    steps: tuple[ev.StepFinished, ...] = field(default=(), repr=False)  # executed until then
    belief: Belief = field(default_factory=Belief, repr=False)
    answers: tuple[Answer, ...] = ()  # answers to apply first
    knowledge: Knowledge = field(default=NO_KNOWLEDGE, repr=False)  # the changes in force then
    purpose: str = ""  # why the program itself made it; "": a person did
    cancel: StopToken = field(default_factory=StopToken, repr=False, compare=False)  # of the restoring

    is_robot_in_use: bool = field(default=False, repr=False, compare=False)  # a person chose the same now

    @property
    def robot_is_chosen(self) -> bool:
        """Return False, unless a person uses this very robot now: else only a log named it."""
        return self.is_robot_in_use

    @property
    def base_settings(self) -> Settings:
        """Return the settings without the fork."""
        return Settings(**{f.name: getattr(self, f.name) for f in fields(Settings)})

    def as_strings(self) -> dict[str, str]:
        """Return `Settings.as_strings` with the parent and what was changed."""
        own = dict(self.base_settings.as_strings())
        own |= {"parent": self.parent, "moment": str(self.parent_record)}
        if self.purpose:
            own["purpose"] = self.purpose
        changed = [a for a in self.answers if a.source is BeliefSource.OPERATOR]
        if changed:
            own["changed"] = ", ".join(f"{a.atom} {a.verdict.value}" for a in changed)
        return own


def fork_at_record(records: Sequence[ev.Record], number: int, **changes: Any) -> Fork:
    """Return a fork after this record, with `changes` to the settings. Raises BadValue if it cannot be."""
    past = [r for r in records if r.number <= number]
    after = [r for r in records if r.number > number][:1]
    if past and isinstance(past[-1].event, ev.DomainChanged):  # its facts are in the belief only after it
        past += [r for r in after if isinstance(r.event, ev.BeliefChanged)]
    return _fork(past, (), changes)


def fork_before(
    records: Sequence[ev.Record], number: int, answers: Sequence[Answer] = (), **changes: Any
) -> Fork:
    """Return a fork just before this record, which then believes these answers. Raises BadValue."""
    past = [r for r in records if r.number < number]
    return _fork(past, tuple(replace(a, turn=0) for a in answers), changes)


def fork_at_answer(
    records: Sequence[ev.Record], number: int, place: int, verdict: Verdict, by: str, **changes: Any
) -> Fork:
    """Return a fork in which answer `place` of record `number` has this verdict (of the atom).

    The other answers of that call count as they did. Raises BadValue.
    """
    answered = next((r for r in records if r.number == number), None)
    if answered is None or not isinstance(answered.event, ev.AnswersReceived):
        raise BadValue(f"Record {number} of the episode is no answer: choose another one.")
    call = answered.event.call
    if not 0 <= place < len(call.answers):
        raise BadValue(f"Record {number} of the episode has no answer {place}: choose another one.")
    counted = _accepted_answers(records, number) or call.answers
    atom = call.answers[place].atom
    changed = Answer(atom, verdict, BeliefSource.OPERATOR, "changed for a fork", by=by)
    answers = tuple(changed if a.atom == atom else replace(a, turn=0) for a in counted)
    return _fork([r for r in records if r.number < number], answers, changes)


def _accepted_answers(records: Sequence[ev.Record], number: int) -> tuple[Answer, ...]:
    """Return the answers in that record after a person's review; () if nobody reviewed them."""
    for record in records:
        if record.number > number:
            if isinstance(record.event, ev.AnswersReviewed):
                return record.event.answers
            if isinstance(record.event, ev.QuestionsAsked | ev.BeliefChanged | ev.EpisodeEnded):
                break
    return ()


def _fork(past: Sequence[ev.Record], answers: tuple[Answer, ...], changes: dict[str, Any]) -> Fork:
    started = next((r.event for r in past if isinstance(r.event, ev.EpisodeStarted)), None)
    if started is None:
        raise BadValue("The episode had not begun by then: choose a later moment.")
    world = started.settings.get("world", "SIM")
    if world != "SIM":
        raise BadValue(
            f"The episode was on {world}, whose world cannot be brought back: fork a simulated one."
        )
    steps = tuple(r.event for r in past if isinstance(r.event, ev.StepFinished))
    halted = next((e for e in steps if e.result.status is StepStatus.HALTED), None)
    if halted is not None:
        raise BadValue(
            f"The step {halted.step} was stopped on its way, nobody knows how far: choose a moment before it."
        )
    settings = replace(settings_of(started), **changes)
    state = fold_records(past)
    entries = (_before_fork(e) for e in state.belief)
    return Fork(
        **{f.name: getattr(settings, f.name) for f in fields(Settings)},
        parent=past[0].episode,
        parent_record=past[-1].number,
        steps=steps,
        belief=replace(state.belief, entries=Belief().with_entries(entries).entries),
        answers=answers,
        knowledge=Knowledge(state.knowledge, state.refused_changes),
    )


def _before_fork(entry: BeliefEntry) -> BeliefEntry:
    """Return the entry with turn 0, because the turns of the fork are counted anew."""
    said = replace(entry.evidence, turn=0) if entry.evidence else None
    return replace(entry, since=0, last_unknown_turn=None, evidence=said)


def fork_factory(make: ComponentFactory) -> ComponentFactory:
    """Return a factory that also makes the components of a Fork: world restored, belief set."""

    def made(
        settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
    ) -> EpisodeComponents:
        parts = make(settings, notify, supervision)
        if not isinstance(settings, Fork):
            return parts
        try:
            restore_world(parts.robot, parts.permits, settings.steps, settings.cancel, notify)
        except BaseException:
            parts.close()
            raise
        parts = with_knowledge(parts, settings.knowledge)
        return replace(parts, first_belief=_first_belief(parts.method, parts.task.problem, settings))

    return made


def restore_world(
    robot: Robot,
    permits: PermitIssuer,
    steps: Sequence[ev.StepFinished],
    cancel: StopToken,
    notify: Callable[[str], None] = ignore,
) -> None:
    """Execute the steps again, blocking until done or cancelled.

    Raises RobotError if one ends differently than before, if it was cancelled, and for a robot that is not a
    simulator, whatever the log says about it.
    """
    if robot.embodiment is not Embodiment.SIM:
        raise RobotError(
            f"{robot.name} is {robot.embodiment.value}: its world cannot be brought back: "
            "fork a simulated one."
        )
    for number, step in enumerate(steps, 1):
        notify(f"Restoring the world: step {number} of {len(steps)}.")
        outcome = robot.do(step.step, permits.restore(step.step), cancel)
        if cancel.is_set():
            raise RobotError(f"The world was not restored. {cancel.reason}")
        situation = robot.situation if isinstance(robot, GroundTruth) else ""
        then = RENAMED.get(step.situation, step.situation)
        if (outcome.status, RENAMED.get(situation, situation)) != (step.result.status, then):
            was, now = _ended(step.result.status, step.situation), _ended(outcome.status, situation)
            raise RobotError(
                f"The world cannot be restored: {step.step} {was} then and {now} now. Another version of the "
                "program or of the domain recorded it; fork an episode of this one."
            )


def _ended(ending: StepStatus, situation: str) -> str:
    return f"{ending.value} ({situation})" if situation else ending.value


def _first_belief(method: Policy, problem: Problem, fork: Fork) -> Belief:
    """Return the belief that the fork begins with: the restored one, with the answers to apply first."""
    if not fork.answers:
        return fork.belief
    return method.update(Context(problem, fork.belief), BeliefCorrected(fork.answers))
