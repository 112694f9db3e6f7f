"""Compute the decision bar and the status line before an episode begins. Pure."""

from __future__ import annotations

from functools import cache

from app.episode.session import START_CANCELLED
from app.presentation.decision_section import DecisionSection, DecisionSummary
from app.presentation.decision_summary import describe_failed_checks
from app.presentation.formatting import StatusText, method_title, robot_text, spaced
from core.arm.arm_capabilities import PreflightCheck
from core.config import EpisodeComponents, Settings
from core.errors import ConsoleError
from core.review.fork import Fork
from core.text.vocabulary import Vocabulary
from core.vqa.registry import EYE, OTHER_ANSWERERS, SimulatedOptions, answerer_entry


def idle_summary(
    settings: Settings,
    components: EpisodeComponents | None,
    fault: str,
    wrong: tuple[PreflightCheck, ...] = (),
    making: str = "",
    starting: bool = False,
) -> tuple[DecisionSummary, StatusText]:
    """Return the sections and the status. `components` is None while they are made, or if `fault` says why
    they cannot be; `wrong` are an arm's failed preflight checks; `making` says how far their making is;
    `starting`: Start was pressed already, or a fork runs on by itself.
    """
    name = spaced(settings.task) or "your problem"
    words = _goal_section(components) if components else ""
    begins = "The episode begins when you press Start"
    where = _where_pictures_go(components.settings.answerer if components else settings.answerer)
    doubt = DecisionSection("READY", begins, (where,))
    if fault:
        cancelled = fault == START_CANCELLED
        head, icon, tone = ("Not started", "flag", "") if cancelled else ("Cannot start", "fault", "fault")
        because = DecisionSection("BECAUSE", head, (fault,), tone)
        first = DecisionSection("NEXT", name, (), icon="pause")
        then = DecisionSection("THEN", "Set up another episode, or try again", ("earlier ones are kept",))
        return DecisionSummary(first, because, then), StatusText(fault, icon, tone)
    if starting:
        return _starting(name, making, isinstance(settings, Fork))
    if components is None:
        can = making or "you can already press Start"
        because = DecisionSection("BECAUSE", "Starting the robot…", (can,))
        status = StatusText(making or f"Starting the robot. {begins}.", "clock")
    else:
        robot = robot_text({**components.settings.as_strings(), "robot": components.robot.name})
        names = f"{robot}, {components.settings.answerer}, {method_title(components.method.name)}"
        numbers = f"seed {settings.seed}, openness {settings.openness:g}"
        because = DecisionSection("BECAUSE", "Everything is ready", (names, numbers))
        status = StatusText(f"Ready. {begins}.", "check")
        if wrong:
            because = describe_failed_checks(wrong, "BECAUSE", names)
            status = StatusText(f"{because.head}. {begins}.", "diamond", "doubt")
    first = DecisionSection("NEXT, IF YOU START", name, (words,), icon="play")
    return DecisionSummary(first, because, doubt), status


def _starting(name: str, making: str, fork: bool) -> tuple[DecisionSummary, StatusText]:
    """Return what is shown while an episode that was started, or a fork, is not yet running."""
    doing = "Restoring the world" if fork else "Starting the robot"
    reason = "A fork runs on from its moment" if fork else "You pressed Start"
    levels = "your supervision levels decide what waits for you"
    then = DecisionSection("THEN", "It starts by itself", (levels,))
    word, icon = ("NOW, FORK", "fork") if fork else ("NOW", "play")
    now = DecisionSection(word, name, (f"{doing}…",), icon=icon)
    because = DecisionSection("BECAUSE", reason, (making,) if making else ())
    status = StatusText(making or f"{doing}. It starts by itself.", "clock")
    return DecisionSummary(now, because, then), status


@cache
def _where_pictures_go(answerer: str) -> str:
    """Return where pictures are sent; among several voting answerers, the least private one decides."""
    kinds = {_kind(name.strip()) for name in answerer.split("+")}
    if "model" in kinds:
        return "pictures are sent to the model"
    return "your own answerer decides where pictures go" if "own" in kinds else "nothing leaves this computer"


def _kind(name: str) -> str:
    """Return "simulated", "own" or "model"; an answerer that cannot be made has reported that itself."""
    try:
        if name in ("", EYE.name):  # the default is the eye or a simulated one
            return "simulated"  # as private as one: the eye looks at the picture here
        if name in OTHER_ANSWERERS:
            return "own"
        simulated = name.endswith(".json") or answerer_entry(name).options is SimulatedOptions
        return "simulated" if simulated else "model"
    except ConsoleError:
        return "model"


def _goal_section(components: EpisodeComponents) -> str:
    """Return the task's description, or the goal if a person has changed it."""
    own = components.domain_spec.tasks.get(components.task.name)
    goal = components.task.problem.goal
    if own is None or own.problem.goal == goal:
        return components.task.description
    vocabulary = Vocabulary.of(components.domain_spec, components.task.problem)
    return f"with another goal: {', '.join(vocabulary.describe_literal(fact) for fact in goal)}"
