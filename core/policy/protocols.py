"""The port of a method, and the optional capabilities that the loop looks for in one."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from core.belief import Belief
from core.knowledge.changes import Knowledge, LearntChange
from core.knowledge.suggestion import SituationReport
from core.planning_model import Problem
from core.policy.actions import Action, AskModel
from core.policy.context import Context
from core.policy.observations import GotReply, Observation


class Policy(Protocol):
    """A method. It never changes in place: a method that learns returns a new policy."""

    @property
    def name(self) -> str: ...

    def begin(self, problem: Problem) -> Belief: ...

    def update(self, context: Context, observation: Observation) -> Belief:
        """Return the belief after `observation`; `context` and its belief are those before it."""
        ...

    def act(self, context: Context) -> Action: ...


@runtime_checkable
class InterpretsReplies(Protocol):
    """A policy that consults a language model and can say how it interpreted a reply."""

    def interpret_reply(self, reply: GotReply) -> str:
        """Return how the reply is interpreted, for people and the log; "" if it is not an answer."""
        ...


@runtime_checkable
class HandlesSituations(Protocol):
    """A policy that can use situations told in words."""

    def read_situation(self, context: Context, sentence: str, by: str) -> SituationReport:
        """Return the situation as understood, with a fault where it is of no use."""
        ...


@runtime_checkable
class LearnsRates(Protocol):
    """A policy that counts how often what happens, and reckons with what it counted in earlier episodes."""

    learns_rates: bool  # False: only what a person let count shall count

    def knowing(self, knowledge: Knowledge) -> Policy:
        """Return the policy for an episode that begins with this."""
        ...

    def counted(self, robot: str) -> tuple[LearntChange, ...]:
        """Return what it counted in the episode; `robot` names the robot and its world."""
        ...


@runtime_checkable
class LooksForSituations(Protocol):
    """A policy that can have a vision model asked what is unusual in the picture."""

    def look_for_situation(self, context: Context) -> AskModel: ...

    def seen_situation(self, reply: GotReply) -> str:
        """Return the sentence that the reply tells, on one line; "" if it tells of nothing unusual."""
        ...


@runtime_checkable
class LearningPolicy(Protocol):
    def learn(self, context: Context) -> Policy:
        """Return the policy for the next turn, with what it has learned."""
        ...


@runtime_checkable
class UsesScene(Protocol):
    """A policy that is told where things are in each turn, by a robot that can tell."""

    uses_scene: bool


@runtime_checkable
class HasOwnGoal(Protocol):
    """A policy that may be given another goal than the task's, which a simulator cannot judge."""

    has_own_goal: bool


@runtime_checkable
class UsesGroundTruth(Protocol):
    """A policy that receives some predicates from a simulator, as in a published program.

    They arrive as sensor answers, so that the log shows it; on a robot without ground truth there are none.
    """

    @property
    def ground_truth_predicates(self) -> frozenset[str]:
        """Return the names of these predicates."""
        ...
