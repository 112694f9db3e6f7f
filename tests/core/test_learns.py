"""A method that learns puts a wiser value in its place; with log and replay, on the domain of `tiny`."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from core import events as ev
from core.belief import Belief
from core.log.recorder import Recorder
from core.log.store import Store
from core.operator import Approve, Proceed, ProposalKind
from core.planning_model import Problem
from core.policy import (
    Action,
    ClaimGoal,
    Context,
    DoSteps,
    LearningPolicy,
    Observation,
    Policy,
)
from core.ports import StepStatus
from core.reason import NO_REASON, Cause, Reason
from core.state.state_reducer import fold_records
from tests.core.looping import Scripted, beliefs_after, only, steps
from tests.core.tiny import OPEN, PROBLEM, TAKE

HOPE = Reason(Cause.OTHER, note="it may be open")


@dataclass(frozen=True)
class Trying:
    """Takes the key at once, until it has learnt that this fails behind a shut door."""

    failed: frozenset[str] = frozenset()  # what it has learnt: actions that the robot could not do
    name: str = "trying"
    acted: list[tuple[int, Trying]] = field(default_factory=list, compare=False)  # turn, and who acted in it
    seen: list[Observation] = field(default_factory=list, compare=False)

    def begin(self, problem: Problem) -> Belief:
        return Belief.from_init(problem.state)

    def update(self, context: Context, seen: Observation) -> Belief:
        self.seen.append(seen)
        return context.belief

    def act(self, context: Context) -> Action:
        if context.turn:
            self.acted.append((context.turn, self))
        done = context.last_step
        if done and (done.step, done.result.status) == (TAKE, StepStatus.DONE):
            return ClaimGoal(NO_REASON)
        shut = TAKE.name in self.failed and not (done and done.step == OPEN)
        return DoSteps((OPEN, TAKE) if shut else (TAKE,), HOPE)

    def learn(self, context: Context) -> Policy:
        done = context.last_step
        if done is None or done.result.status is not StepStatus.FAILED:
            return self
        return replace(self, failed=self.failed | {done.step.name})


def test_that_the_next_turn_is_acted_by_what_was_learnt(setting) -> None:
    policy = Trying()
    assert isinstance(policy, LearningPolicy)
    assert steps(setting(policy=policy).run()) == [TAKE, OPEN, TAKE]
    assert [(turn, set(who.failed)) for turn, who in policy.acted] == [
        (1, set()),
        (2, {"take"}),
        (3, {"take"}),
        (4, {"take"}),
    ]
    assert policy.acted[0][1] is policy and policy.acted[1][1] is not policy


def test_that_another_thread_that_holds_the_method_never_sees_it_change(setting) -> None:
    """The screen reads the method that the episode began with, at every event."""
    policy, context = Trying(), Context(PROBLEM, Belief.from_init(PROBLEM.state))
    with ThreadPoolExecutor(1) as screen:
        wanted = {
            screen.submit(lambda: (policy.failed, policy.act(context))).result()
            for _ in setting(policy=policy).start()
        }
    assert wanted == {(frozenset(), DoSteps((TAKE,), HOPE))}


def test_that_it_begins_anew_with_what_it_knew_and_is_told_and_replayed_as_it_was(
    setting: Callable, tmp_path: Path
) -> None:
    path, policy = tmp_path / "log.sqlite", Trying()
    with Recorder.open(path) as recorder:
        live = [list(recorder.record_events(setting(policy=policy).start())) for _ in range(2)]
    first, second = ([r.event for r in records] for records in live)
    assert steps(first) == steps(second) == [TAKE, OPEN, TAKE]  # the second has not learnt from the first
    with Store.open(path, read_only=True) as store:
        read = list(store.records(live[0][0].episode))
    assert [r.event for r in read if isinstance(r.event, ev.StepFinished)] == only(first, ev.StepFinished)
    assert fold_records(read).plan_rows == fold_records(live[0]).plan_rows
    assert [e.plan.steps for e in only(first, ev.PlanMade)] == [(TAKE,), (OPEN, TAKE)]


def test_that_what_it_saw_leads_to_the_same_beliefs_with_or_without_what_it_learnt(setting) -> None:
    policy = Trying()
    setting(policy=policy).run()
    seen = tuple(policy.seen)
    wiser = policy.acted[-1][1]
    assert beliefs_after(Trying(), PROBLEM, seen) == beliefs_after(replace(wiser, seen=[]), PROBLEM, seen)


class Graduating(Trying):
    """Learns once, and becomes a method that learns no more."""

    def learn(self, context: Context) -> Policy:
        wiser = super().learn(context)
        return wiser if wiser is self else Settled(Trying(wiser.failed))


@dataclass(frozen=True)
class Settled:
    knows: Trying
    name: str = "settled"

    def begin(self, problem: Problem) -> Belief:
        return self.knows.begin(problem)

    def update(self, context: Context, seen: Observation) -> Belief:
        return context.belief

    def act(self, context: Context) -> Action:
        return self.knows.act(context)


def test_that_it_may_become_a_method_that_learns_no_more(setting) -> None:
    assert not isinstance(Settled(Trying()), LearningPolicy)
    events = setting(policy=Graduating()).run()
    assert steps(events) == [TAKE, OPEN, TAKE]
    assert events[-1].result is ev.EpisodeResult.SUCCEEDED


def test_that_a_method_that_breaks_while_it_learns_stands_at_the_gate(setting) -> None:
    class Breaking(Trying):
        def learn(self, context: Context) -> Policy:
            if context.turn == 2:
                raise ValueError("too hard a lesson")
            return super().learn(context)

    operator = Scripted([Approve(), Proceed(0, "me")])
    events = setting(policy=Breaking(), operator=operator).run()
    helped = [p for p in operator.seen if p.kind is ProposalKind.HELP_NEEDED]
    assert len(helped) == 1 and "too hard a lesson" in helped[0].explanation
    assert steps(events) == [TAKE, TAKE, OPEN, TAKE]  # in the third turn it has learnt after all
