"""A method as a policy: what it believes, and which action it wants next.

`begin` returns the first belief, `update` the belief after an observation, and `act` the next action. The
loop carries the action out and reports the outcome as the next observation; the gate, stops, the log and the
ground truth stay with the loop. All three methods are pure: replay, fork and preview call them again, from
any thread.
"""

from core.planning_model import same_step
from core.policy.actions import (
    Action,
    AskModel,
    AskQuestions,
    ChangeDomain,
    ClaimGoal,
    DoSteps,
    GiveUp,
    LookFrom,
    MakePlan,
)
from core.policy.context import Context, RemainingBudget, advance, same_plan
from core.policy.observations import (
    BeliefCorrected,
    BeliefRestored,
    DomainChangeDecided,
    GotAnswers,
    GotPicture,
    GotPlan,
    GotReply,
    GotScene,
    GotSenses,
    GotSituation,
    Observation,
    PlanRequested,
    ProceedRequested,
    StepDone,
    StepHalted,
)
from core.policy.protocols import (
    HandlesSituations,
    HasOwnGoal,
    InterpretsReplies,
    LearningPolicy,
    LearnsRates,
    LooksForSituations,
    Policy,
    UsesGroundTruth,
    UsesScene,
)

__all__ = [
    "Action", "AskModel", "AskQuestions", "BeliefCorrected", "BeliefRestored", "ChangeDomain",
    "ClaimGoal", "Context", "DoSteps", "DomainChangeDecided", "GiveUp", "GotAnswers", "GotPicture",
    "GotPlan", "GotReply", "GotScene", "GotSenses", "GotSituation", "HandlesSituations", "HasOwnGoal",
    "InterpretsReplies",
    "LearningPolicy", "LearnsRates", "LookFrom", "LooksForSituations", "MakePlan", "Observation",
    "PlanRequested", "Policy", "ProceedRequested", "RemainingBudget", "StepDone", "StepHalted",
    "UsesGroundTruth", "UsesScene",
    "advance", "same_plan", "same_step",
]  # fmt: skip
