"""Permits to move: whatever a robot does, it does on a permit for exactly that motion, and only once.

Each robot owns a `PermitLedger`. Whoever claims it holds the only `PermitAuthority` that can write permits
into it; the robot redeems them. Nothing here takes a lock, so that a stop, or a handler that interrupts a
thread, never waits: the operations on dictionaries that decide are atomic.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import Enum
from itertools import count
from operator import attrgetter

from core.errors import MotionRefused, RobotNotReady
from core.planning_model import Step


class PermitKind(Enum):
    """What a permit is for."""

    STEP = "a step"
    LOOK = "a look from elsewhere"
    JOG = "jogging"
    FREEDRIVE = "freedrive"
    GRIPPER = "the gripper"
    RECOVERY = "recovery"  # power, brakes, unlocking
    RESTORE = "restoring a simulation"


MANUAL_KINDS = (PermitKind.JOG, PermitKind.FREEDRIVE, PermitKind.GRIPPER, PermitKind.RECOVERY)


@dataclass(frozen=True)
class Permit:
    """Allows one motion, once. Only the object that was issued counts, not an equal one."""

    number: int
    kind: PermitKind
    what: str  # the motion, as `describe_motion` words it
    proposal: int = 0  # the number of the proposal that was approved; 0: a person moves the arm by hand
    stop_number: int = 0  # the robot's last stop when this was asked for; any later one voids the permit
    by: str = ""  # who asked for it; "": nobody, the supervision levels allow it


def describe_motion(motion: object) -> str:
    """Return a motion as text, a step with its values: a permit for one grasp is not one for another."""
    if isinstance(motion, Step) and motion.values:
        return f"{motion} {_encode(dict(motion.values))}"
    return str(motion)


_values = attrgetter(*(field.name for field in fields(Permit)))
_encode = json.JSONEncoder(sort_keys=True, default=dict).encode


class PermitLedger:
    """One robot's ledger of permits. Every method may be called from any thread.

    `last_stop` returns the number of the robot's last stop, in force or released; `barred` says why nobody
    may move the robot from here, as somebody else does, else "".
    """

    def __init__(self, last_stop: Callable[[], int], barred: Callable[[], str] = str) -> None:
        self._last_stop, self._barred = last_stop, barred
        self._numbers = count(1)
        self._issued: dict[int, tuple[Permit, tuple[object, ...], PermitAuthority]] = {}  # and its values
        self._holder: dict[str, PermitAuthority] = {}

    def claim(self) -> PermitAuthority:
        """Return the right to issue permits, until it is released. Raises RobotNotReady if it is taken."""
        authority = PermitAuthority(self)
        if self._holder.setdefault("holder", authority) is not authority:
            raise RobotNotReady("The robot already takes its permits from somebody else: end that first.")
        return authority

    def redeem(self, permit: Permit, motion: object, *kinds: PermitKind) -> None:
        """Use the permit up for this motion; call it first in whatever moves. Raises MotionRefused."""
        if reason := self.refusal(permit, motion, *kinds):
            raise MotionRefused(f"The robot does not move: {reason}.")

    def refusal(self, permit: Permit, motion: object, *kinds: PermitKind) -> str:
        """Use the permit up, as `redeem` does, and return why it does not allow this motion; "" if it does.

        Whatever is shown under a number uses that number up, also what turns out to be forged.
        """
        if not isinstance(permit, Permit):
            return "there is no permit for it"
        issued, values, authority = self._issued.pop(permit.number, (None, (), None))
        if issued is None:
            return f"its permit {permit.number} was used already, or never issued"
        if issued is not permit or values != _values(permit) or authority is not self._holder.get("holder"):
            return f"its permit {permit.number} is not the one that was issued"
        if permit.kind not in kinds or permit.what != describe_motion(motion):
            return f"its permit {permit.number} is for {permit.kind.value}, {permit.what}"
        if permit.stop_number != self._last_stop():
            return f"a stop came after its permit {permit.number} was asked for"
        return self._barred()


class PermitAuthority:
    """The issuing half of a robot's ledger, of which there is one at a time. Any thread."""

    def __init__(self, ledger: PermitLedger) -> None:
        self._ledger = ledger

    @property
    def last_stop(self) -> int:
        return self._ledger._last_stop()

    def issue(self, kind: PermitKind, motion: object, stop_number: int, proposal: int, by: str) -> Permit:
        """Issue a permit that holds until a stop later than `stop_number`.

        Raises RobotNotReady without a person for what only a person may ask for, once this was released, and
        while somebody else moves the robot.
        """
        ledger = self._ledger
        if ledger._holder.get("holder") is not self:
            raise RobotNotReady("Nobody can permit a motion any more: the episode is over.")
        if kind in MANUAL_KINDS and not by:
            raise RobotNotReady(f"Only a person may ask for {kind.value}: say who.")
        if barred := ledger._barred():
            raise RobotNotReady(f"{barred}.")
        permit = Permit(next(ledger._numbers), kind, describe_motion(motion), proposal, stop_number, by)
        ledger._issued[permit.number] = permit, _values(permit), self
        return permit

    def void(self, permit: Permit) -> None:
        """Take back a permit that was not used. Idempotent."""
        self._ledger._issued.pop(permit.number, None)

    def release(self) -> None:
        """Void every permit and leave the ledger to the next who claims it. Idempotent."""
        if self._ledger._holder.get("holder") is self:
            self._ledger._issued.clear()
            self._ledger._holder.pop("holder", None)
