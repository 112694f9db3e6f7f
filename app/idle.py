"""What the strip and the status line say before an episode begins. Pure."""

from __future__ import annotations

from functools import cache

from app.naming import Naming
from app.reasons import Reason, Strip, unready
from app.words import Status
from core.arm_capabilities import PreflightCheck
from core.config import EpisodeComponents, Settings
from core.errors import ConsoleError
from core.vqa.registry import PLUGIN_ANSWERERS, SimulatedOptions, answerer_entry


def idle(
    settings: Settings, parts: EpisodeComponents | None, fault: str, wrong: tuple[PreflightCheck, ...] = ()
) -> tuple[Strip, Status]:
    """`parts` None: they are being made, or `fault` says why they cannot be. `wrong`: of an arm's checks."""
    name = settings.task.replace("_", " ") or "your problem"
    words = _aim(parts) if parts else ""
    doubt = Reason(
        "DOUBT",
        "Nothing moves until you press Start",
        (_where_pictures_go(settings.answerer),),
    )
    if fault:
        because = Reason("BECAUSE", "It cannot start", (fault,), "fault")
        return Strip(Reason("NEXT", name, (), glyph="pause"), because, doubt), Status(fault, "fault", "fault")
    if parts is None:
        because = Reason("BECAUSE", "The robot is being made", ("Start may be pressed already",))
        status = Status("Making the robot. Nothing moves until you press Start.", "clock")
    else:
        names = f"{parts.robot.name}, {settings.answerer}, {parts.method.name}"
        because = Reason(
            "BECAUSE", "Everything is ready", (names, f"seed {settings.seed}, openness {settings.openness:g}")
        )
        status = Status("Ready. Nothing moves until you press Start.", "check")
        if wrong:
            because = unready(wrong, "BECAUSE", names)
            status = Status(f"{because.head}. Nothing moves until you press Start.", "diamond", "doubt")
    return Strip(Reason("NEXT, IF YOU START", name, (words,), glyph="play"), because, doubt), status


@cache
def _where_pictures_go(answerer: str) -> str:
    """Of several that vote the least careful one counts."""
    kinds = {_kind(name.strip()) for name in answerer.split("+")}
    if "model" in kinds:
        return "pictures are sent to the model"
    return "your own answerer decides where pictures go" if "own" in kinds else "nothing leaves this computer"


def _kind(name: str) -> str:
    """ "simulated", "own" or "model"; one that cannot be made has said so itself."""
    try:
        if name in PLUGIN_ANSWERERS:
            return "own"
        return (
            "simulated"
            if name.endswith(".json") or answerer_entry(name).options is SimulatedOptions
            else "model"
        )
    except ConsoleError:
        return "model"


def _aim(parts: EpisodeComponents) -> str:
    """What the task is; another goal than its own is said instead."""
    own = parts.domain_spec.tasks.get(parts.task.name)
    goal = parts.task.problem.goal
    if own is None or own.problem.goal == goal:
        return parts.task.description
    naming = Naming.of(parts.domain_spec, parts.task.problem)
    return f"with another goal: {', '.join(naming.fact(fact) for fact in goal)}"
