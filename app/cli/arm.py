"""`arm`: move a part of the arm by hand, from the terminal."""

from __future__ import annotations

import sys
from contextlib import closing
from enum import StrEnum
from time import monotonic, sleep

import typer
from typer import Argument

from app.cli.help_text import CommandLine
from app.cli.options import ArmName, OperatorName
from app.cli.output.printing import print_text
from core.arm.arm_capabilities import ArmByHand, GripperCommand
from core.errors import BadValue
from core.loop.permit_issuer import ManualActuation
from core.operator import operator_name
from core.permit import PermitKind
from core.ports import Embodiment
from core.stop.stop_socket import Standstill, StopListener

_ANSWER_TIMEOUT_S = 5.0  # within which the gripper tells its state
_PERIOD_S = 0.05  # between two looks at it
cli = CommandLine(name="arm", help="Move a part of the arm by hand, where no window is open.")


class GripperWay(StrEnum):
    """What the gripper does."""

    OPEN = "open"


@cli.command()
def gripper(
    context: typer.Context,
    way: GripperWay = Argument(help="What it does."),
    arm: ArmName = "",
    operator: OperatorName = "",
) -> None:
    """Open the gripper: what it holds falls. The arm itself stands.

    The arm is --arm, or the one that DKPROMPT_UR5E names. A REAL one asks first. Exit 0: it is open. 1: it
    is not. Ctrl+C and `stop` end the motion.
    """
    hand, permits = context.obj.open_arm(arm)
    with closing(hand), closing(permits):
        if hand.embodiment is Embodiment.REAL and not _confirmed():
            raise typer.Exit(1)
        reason = open_gripper(hand, permits.manual_actuation(operator_name()))
    print_text(reason or "The gripper is open.")
    raise typer.Exit(1 if reason else 0)


def _confirmed() -> bool:
    if not sys.stdin.isatty():
        raise BadValue("A REAL gripper opens only for a person at a terminal.")
    print_text("The gripper is REAL, and what it holds falls: hold it. Type open to open it.")
    try:
        return input("> ").strip().lower() == "open"
    except (EOFError, KeyboardInterrupt):
        return False


def open_gripper(hand: ArmByHand, actuate: ManualActuation) -> str:
    """Open it, as a person wants, and wait. Return "", or a sentence with why it is not open."""
    end = monotonic() + _ANSWER_TIMEOUT_S
    while (status := hand.gripper_status) is None:
        if monotonic() > end:
            return hand.status.last_error or "The gripper does not answer: check its cable."
        sleep(_PERIOD_S)
    stopped: list[str] = []

    def standstill() -> float | None:
        return None  # the gripper's standstill is not measured

    def stop(reason: str) -> tuple[str, Standstill]:
        stopped.append(reason)
        hand.halt()
        return "the gripper", standstill

    listener = StopListener("terminal", stop, print_text)
    command = GripperCommand(max(status.stroke, 0.01))
    try:
        if refusal := actuate(PermitKind.GRIPPER, command, lambda permit: hand.move_gripper(command, permit)):
            return f"The gripper does not move: {refusal}."
        while hand.status.activity:
            sleep(_PERIOD_S)
    except KeyboardInterrupt:
        stop("Ctrl+C")
    finally:
        listener.close()
    return f"The gripper was stopped ({stopped[0].rstrip('.')})." if stopped else hand.status.last_error
