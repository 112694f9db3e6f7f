"""Define what a policy can want next: each action is a value that the loop carries out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from core.belief import Query
from core.knowledge.suggestion import Suggestion
from core.operator import Addressee
from core.planning_model import Problem, Step
from core.ports import ChatMessage
from core.reason import Reason
from core.wish import Wish, WishOptions


@dataclass(frozen=True)
class MakePlan:
    """Solve `problem` with the planner. The next observation is `GotPlan`.

    With a `wish`, the plan's steps also have their motions, found over the scene that the robot sees:
    `GotScene` comes before.
    """

    problem: Problem
    reason: Reason
    wish: Wish | None = None
    options: WishOptions | None = None


@dataclass(frozen=True)
class AskQuestions:
    """Ask these questions in one call, about the current picture.

    `GotAnswers` follows, after a person's review. Without queries it follows at once, and only says that the
    picture was looked at. The OPERATOR can be asked about anything that can be put into words, and after
    `wait_seconds` (None: never) silence counts as no answer.
    """

    queries: tuple[Query, ...]
    addressee: Addressee = Addressee.MODEL
    reason: Reason | None = None
    wait_seconds: float | None = None


@dataclass(frozen=True)
class AskModel:
    """Ask a language model anything else. `GotReply` follows; `purpose` names the kind of request."""

    purpose: str
    messages: tuple[ChatMessage, ...]
    with_picture: bool = False
    reason: Reason | None = None


@dataclass(frozen=True)
class LookFrom:
    """Look from one of `Context.viewpoints`. This is motion, so it passes the gate; `GotPicture` follows."""

    viewpoint: str
    reason: Reason


@dataclass(frozen=True)
class DoSteps:
    """Execute the first of these steps; the others are the rest of its plan.

    Where the steps differ from the current plan, the loop first offers them to the operator. `StepDone` or
    `StepHalted` follows in the next turn, or `GotPlan(accepted=False)` if the operator keeps the old plan.
    """

    steps: tuple[Step, ...]
    reason: Reason


@dataclass(frozen=True)
class ChangeDomain:
    """Continue with another domain, which a person must approve. `DomainChangeDecided` follows.

    A person's edit that leaves no plan, as `has_plan` says, is not applied.
    """

    problem: Problem
    difference: str  # in words, for people
    pddl: str  # the changed domain, for the log
    reason: Reason
    suggestion: Suggestion | None = None  # the changes as values, which a person can edit
    has_plan: Callable[[Problem], bool] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class ClaimGoal:
    """End the episode because the goal is reached, with this probability (None: not estimated)."""

    reason: Reason
    probability: float | None = None


@dataclass(frozen=True)
class GiveUp:
    """Ask a person for help; if nobody is there, the episode ends."""

    reason: Reason


Action = MakePlan | AskQuestions | AskModel | LookFrom | DoSteps | ChangeDomain | ClaimGoal | GiveUp
