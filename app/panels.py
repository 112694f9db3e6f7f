"""The window's panels by name. A panel's `make` takes the keyword arguments `options` and `actions`.

Our panels have their own places; those of plug-ins are tabs beside the plan. Qt is imported when a panel is
made.
"""

from __future__ import annotations

import logging
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from core.registry import Entry, Registry

if TYPE_CHECKING:
    from app.actions import Actions
    from app.widgets.panel import Panel

log = logging.getLogger(__name__)


# Of each panel: its module below app.widgets, and its class.
_CLASSES = {
    "camera": "camera.camera_panel:CameraPanel",
    "questions": "questions.question_panel:QuestionPanel",
    "belief": "belief.belief_panel:BeliefPanel",
    "plan": "plan.plan_panel:PlanPanel",
    "robot": "arm.robot_panel:RobotPanel",
    "timeline": "timeline.timeline_panel:TimelinePanel",
}


def _entry(name: str, summary: str) -> Entry[Panel]:
    def make(actions: Actions, **_: Any) -> Panel:
        kind = resolve_name(f"app.widgets.{_CLASSES[name]}")
        panel: Panel = kind(actions) if name == "timeline" else kind()
        return panel

    return Entry(name, name.capitalize(), summary, make)


OURS: tuple[Entry[Panel], ...] = (
    _entry("camera", "What the robot sees, live, and the picture that is asked about."),
    _entry("questions", "What is asked, what was answered, and your review."),
    _entry("belief", "What is believed, from where, and since when."),
    _entry("plan", "The steps done and to do, and what a new plan changes."),
    _entry("robot", "An arm's state, checks and hand controls."),
    _entry("timeline", "When what happened, and how long it took."),
)
PANELS: Registry[Panel] = Registry("panel", OURS)


def make_panel(entry: Entry[Panel], actions: Actions) -> Panel:
    """Return the panel of this entry; if a plug-in's panel cannot be made, a placeholder shows why."""
    from app.widgets.panel import UnavailablePanel

    try:
        return entry.make(options=entry.read_options({}), actions=actions)
    except Exception as error:
        if entry in OURS:
            raise
        log.exception("the panel %s cannot be made", entry.name)
        return UnavailablePanel(entry.title, f"{type(error).__name__}: {error}")
