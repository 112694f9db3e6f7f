"""Stop everything, and say what came of it. What is imported here at the top is all that it takes to send."""

from __future__ import annotations

import sys
from contextlib import suppress

from core.stop.stop_all import StopReply, StopResult, stop_all

NOTHING = "No program of yours is running a robot."
NOT_KNOWN = "its robot is not known to stand still: look at it"
BROKE = "`stop` did not get through ({}): look at every robot, and use the emergency stop if it moves."


def stop_everything() -> int:
    """Stop what every program of this user moves, print what they reply, and return the exit code.

    Whatever breaks, the code is 3: 1 says that nothing was running, and has to be known.
    """
    try:
        result = stop_all()
        _show(result)
        sys.stdout.flush()
        return exit_code(result)
    except BaseException as error:  # also Ctrl+C
        with suppress(Exception):
            reason = str(error) or type(error).__name__
            sys.stderr.write(BROKE.format(ascii(reason)[1:-1]) + "\n")
            sys.stderr.flush()
        return 3


def exit_code(result: StopResult) -> int:
    """Return 0 if all were stopped, 1 if nothing was running, 3 if a robot is not known to be stopped."""
    if result.faults or not all(reply.answered for reply in result.replies):
        return 3
    return 0 if any(reply.robot for reply in result.replies) else 1


def _show(result: StopResult) -> None:
    from app.cli.output.any_terminal import accept_any_terminal
    from app.cli.output.printing import print_text  # here: it takes longer than all the rest

    accept_any_terminal()
    for reply in result.replies:
        if reply.robot or not reply.answered:
            print_text(reply_sentence(reply), error=not reply.answered)
    for fault in result.faults:
        print_text(f"{fault}, so a program may not have been found: look at every robot.", error=True)
    if exit_code(result) == 1:
        print_text(NOTHING)


def reply_sentence(reply: StopReply) -> str:
    """Return what one process did, as a sentence."""
    if reply.unreached and reply.was_told_to_end:
        ended = "it has ended" if reply.has_ended else "it has not ended yet"
        return (
            f"{reply.process}: cannot be reached ({reply.unreached}), so it was sent SIGTERM, at which its "
            f"robot halts: {ended}. Look at the robot, and use the emergency stop if it moves."
        )
    if reply.unreached:
        pid = reply.process.split()[1] if len(reply.process.split()) == 2 else ""
        kill = f", run `kill {pid}`" if pid else ""
        return (
            f"{reply.process}: cannot be reached ({reply.unreached}); {NOT_KNOWN}. Press STOP in its window"
            f"{kill}, or use the emergency stop."
        )
    if not reply.answered:
        return f"{reply.process}: does not answer; {NOT_KNOWN}."
    if reply.standstill is None:
        return f"{reply.process}: {reply.robot} was stopped; it is not known to stand still: look at it."
    return f"{reply.process}: {reply.robot} was stopped; it stood still after {reply.standstill:.2f} s."
