"""The only code that issues permits: for a decision that passed the gate, or for manual actuation."""

from __future__ import annotations

from collections.abc import Callable

from core.arm.step_candidates import best_step
from core.errors import RobotError, RobotNotReady
from core.operator import Approve, Choose, Decision, Operator, Proposal, ProposalKind
from core.permit import MANUAL_KINDS, Permit, PermitKind, PermitLedger
from core.planning_model import Step
from core.ports import Embodiment

# Begins a person's motion with a permit; returns why it was refused, "" if it began.
ManualActuation = Callable[[PermitKind, object, Callable[[Permit], str]], str]


def deny_actuation(kind: PermitKind, motion: object, begin: Callable[[Permit], str]) -> str:
    """Refuse every motion: no person may move the robot from here."""
    return "nobody may move it from here"


class PermitIssuer:
    """Issues the permits for one robot, whose ledger it claims until `close`.

    `decide` belongs to the loop's thread; everything else may be called from any thread. Raises RobotNotReady
    if the robot's permits come from elsewhere.
    """

    def __init__(self, ledger: PermitLedger, embodiment: Embodiment) -> None:
        self._authority, self._embodiment = ledger.claim(), embodiment
        self._last: Permit | None = None  # of the last decision, void at the next proposal

    def decide(self, operator: Operator, proposal: Proposal) -> tuple[Decision, Permit | None]:
        """Ask the operator; return the decision, with the permit for exactly what it allows to be done.

        A stop that comes while the operator decides voids it. Raises RobotNotReady if nobody approves a step
        of a REAL robot.
        """
        if self._last is not None:
            self._authority.void(self._last)
        stop_number = self._authority.last_stop
        decision = operator.decide(proposal)
        motion = permitted_motion(proposal, decision)
        if motion is None:
            return decision, None
        kind, what = motion
        by = decision.by if isinstance(decision, Approve | Choose) else ""
        if self._embodiment is Embodiment.REAL and not by:
            raise RobotNotReady(f"A person approves what a real robot does: nobody approved {what}.")
        self._last = self._authority.issue(kind, what, stop_number, proposal.number, by)
        return decision, self._last

    def manual_permit(self, kind: PermitKind, motion: object, by: str) -> Permit:
        """Return a permit for a motion that the person `by` commands now. Raises RobotNotReady."""
        if kind not in MANUAL_KINDS:
            raise RobotNotReady(f"Nobody moves a robot by hand for {kind.value}: it has to pass the gate.")
        return self._authority.issue(kind, motion, self._authority.last_stop, 0, by)

    def manual_actuation(self, by: str) -> ManualActuation:
        """Return the function with which the person `by` begins motions; it never raises RobotNotReady."""

        def move(kind: PermitKind, motion: object, begin: Callable[[Permit], str]) -> str:
            try:
                return begin(self.manual_permit(kind, motion, by))
            except RobotNotReady as refused:
                return str(refused).rstrip(".")

        return move

    def restore(self, step: Step) -> Permit:
        """Return a permit to repeat a step. Raises RobotError if the robot is not a simulator."""
        if self._embodiment is not Embodiment.SIM:
            raise RobotError(f"The robot is {self._embodiment.value}: its world cannot be brought back.")
        return self._authority.issue(PermitKind.RESTORE, step, self._authority.last_stop, 0, "")

    def close(self) -> None:
        """Void every permit and release the robot's ledger. Idempotent."""
        self._authority.release()


def permitted_motion(proposal: Proposal, decision: Decision) -> tuple[PermitKind, Step | str] | None:
    """Return the motion that this decision about this proposal allows; None if it allows none."""
    match decision, proposal:
        case Choose(step), _ if proposal.kind is not ProposalKind.STOP_RELEASE:
            return PermitKind.STEP, step
        case Approve(), Proposal(kind=ProposalKind.STEP, step=Step() as proposed):
            return PermitKind.STEP, best_step(proposal.candidates) or proposed
        case Approve(), Proposal(kind=ProposalKind.VIEWPOINT, step=Step(args=(viewpoint,))):
            return PermitKind.LOOK, viewpoint
    return None
