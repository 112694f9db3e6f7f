"""Show in the set-up the preflight of a robot that is not made yet."""

from __future__ import annotations

import logging

from app.dialogs.setup.domain_probe import SetupCheck
from core.arm.arm_capabilities import PreflightCheck
from core.config import Settings
from core.errors import ConsoleError
from core.parameters import parameters_of
from core.ports import Embodiment
from core.robots import RobotEntry
from core.vqa.registry import SimulatedOptions, answerer_entry

log = logging.getLogger(__name__)

LINES = 4  # of failed checks, if there are at least two more
DATA = "data"  # the check without which there is no link, and no episode


def check_robot(entry: RobotEntry, settings: Settings) -> tuple[Embodiment | None, tuple[SetupCheck, ...]]:
    """Return what the robot of these settings is, as far as that is known, and a line for each failed check.

    It is only listened to, which may take seconds. Not on the GUI thread.
    """
    if entry.missing():
        return None, ()  # the dialog says so
    try:
        report = entry.preflight(entry.read_options(settings.options_for("robot")))
    except ConsoleError as error:
        return None, (SetupCheck("Preflight", "fault", str(error)),)
    except Exception as error:  # of a plug-in
        log.exception("the preflight of %s broke", entry.name)
        words = f"{entry.title}: its preflight broke ({type(error).__name__}: {error})"
        return None, (SetupCheck("Preflight", "doubt", words),)
    if not report.checks:
        return report.embodiment, ()
    failed = tuple(_line(entry.title, check) for check in report.checks if not check.ok)
    if (more := len(failed) - LINES) > 1:
        words = f"And {more} more, which doctor --robot {entry.name} lists in a terminal"
        failed = (*failed[:LINES], SetupCheck("Preflight", "doubt", words))
    good = SetupCheck("Preflight", "ready", _passed(entry.title, report.embodiment, report.checks))
    return report.embodiment, failed or (good,)


def check_truth(entry: RobotEntry, settings: Settings) -> tuple[SetupCheck, ...]:
    """Return a line where the answerer needs a simulator's truth, which no robot tells that counts as REAL.

    Raises ConsoleError for an answerer that there is not.
    """
    may_say = any(parameter.name == "simulator" for parameter in parameters_of(entry.options))
    remedy = "choose a model" + (", or say that it is a simulator" if may_say else "")
    if not settings.answerer:
        words = f"{entry.title} counts as REAL: unless an eye of your own knows the task, {remedy}"
        return (SetupCheck("Answerer", "doubt", words),)
    if answerer_entry(settings.answerer).options is not SimulatedOptions:
        return ()
    words = f"{settings.answerer} reads a simulator's truth, and what counts as REAL tells none: {remedy}"
    return (SetupCheck("Answerer", "fault", words),)


def _line(title: str, check: PreflightCheck) -> SetupCheck:
    remedy = f": {check.remedy}" if check.remedy else ""
    state = "fault" if check.name == DATA else "doubt"
    return SetupCheck("Preflight", state, f"{title}, {check.name}: {check.reason}{remedy}")


def _passed(title: str, embodiment: Embodiment | None, checks: tuple[PreflightCheck, ...]) -> str:
    what = f" ({embodiment.value})" if embodiment is not None else ""
    found = "; ".join(check.reason.rstrip(".") or check.name for check in checks)
    return f"{title}{what} is ready: {found}. It was only listened to"
