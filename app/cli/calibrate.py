"""`calibrate`: calibrate a camera of the arm, guided view by view in the terminal."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import typer
from typer import Option

from app.cli.help_text import CommandLine
from app.cli.options import ArmName, number
from app.cli.output.printing import print_text
from core.arm.hand_eye import STORE_IN_DOUBT, CalibrationSession, CalibrationStatus
from core.errors import ConsoleError

KEYS = "Enter take a view · t the board on the table · d drop the last · s store · q leave"
cli = CommandLine()


@cli.command()
def calibrate(
    context: typer.Context,
    camera: str = Option("", help="overhead or wrist; by default the setup file's first."),
    square: float = number(30.0, "A square of the board, in mm, as measured."),
    marker: float = number(22.0, "A marker of the board, in mm, as measured."),
    arm: ArmName = "",
    board: Path | None = Option(None, help="Write the board to print to this picture, and leave."),
) -> None:
    """Calibrate a camera's lens and pose with a ChArUco board. The program moves nothing: you move the
    arm.

    The arm is --arm, or the one that DKPROMPT_UR5E names. Exit 0: saved. 1: left without saving.
    """
    if board is not None:
        print_text(context.obj.draw_board(board, square / 1000, marker / 1000))
        return
    with closing(context.obj.open_calibration(camera, square / 1000, marker / 1000, arm)) as work:
        stored = guide_calibration(work)
    raise typer.Exit(0 if stored else 1)


def guide_calibration(work: CalibrationSession) -> bool:
    """Guide the calibration until it is saved or left. Return True if it was saved."""
    print_text(f"Calibrating the {work.camera} camera.")
    while True:
        _print_status(work.status)
        try:
            print_text(KEYS)
            key = input("> ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            return False
        try:
            match key:
                case "":
                    _print_result(work.capture())
                case "t":
                    _print_result(work.capture_table())
                case "d":
                    work.undo()
                case "s":
                    print_text(f"Stored: {work.save(_confirm(work.status.warning))}")
                    return True
                case "q":
                    return False
        except (EOFError, KeyboardInterrupt):
            return False
        except ConsoleError as error:
            print_text(error)


def _confirm(doubt: str) -> str:
    """Return what a person types to store a calibration in doubt; "" if there is none."""
    if not doubt:
        return ""
    print_text(f"In doubt: {doubt}. The robot does not start with it.")
    print_text(f'Type "{STORE_IN_DOUBT}" to store it all the same, or Enter to go on.')
    return input("> ")


def _print_result(refused: str) -> None:
    print_text(refused if refused else "Taken.")


def _print_status(stand: CalibrationStatus) -> None:
    print_text(f"{stand.captured} of {stand.needed} views. {stand.instruction}")
    if stand.residuals:
        print_text(f"So far: {stand.residuals}." + (f" In doubt: {stand.warning}." if stand.warning else ""))
    if stand.sufficient and not stand.table_captured:
        print_text("Not yet seen: the board flat on the table (t).")
