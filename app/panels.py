"""The window's panels by name. A panel's `make` takes the keyword arguments `options` and `actions`.

Our panels have their own places; those of plug-ins are tabs beside the plan. Qt is imported when a panel is
made.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from core.registry import Entry, Options, Registry

if TYPE_CHECKING:
    from app.actions import Actions
    from app.widgets.panel import Panel

log = logging.getLogger(__name__)


def _camera(**_: Any) -> Panel:
    from app.widgets.camera.camera_panel import CameraPanel

    return CameraPanel()


def _questions(**_: Any) -> Panel:
    from app.widgets.questions.question_panel import QuestionPanel

    return QuestionPanel()


def _belief(**_: Any) -> Panel:
    from app.widgets.belief.belief_panel import BeliefPanel

    return BeliefPanel()


def _plan(**_: Any) -> Panel:
    from app.widgets.plan.plan_panel import PlanPanel

    return PlanPanel()


def _robot(**_: Any) -> Panel:
    from app.widgets.arm.robot_panel import RobotPanel

    return RobotPanel()


def _timeline(options: Options, actions: Actions, **_: Any) -> Panel:
    from app.widgets.timeline.timeline_panel import TimelinePanel

    return TimelinePanel(actions)


OURS: tuple[Entry[Panel], ...] = (
    Entry("camera", "Camera", "What the robot sees, live, and the picture that is asked about.", _camera),
    Entry("questions", "Questions", "What is asked, what was answered, and your review.", _questions),
    Entry("belief", "Belief", "What is believed, from where, and since when.", _belief),
    Entry("plan", "Plan", "The steps done and to do, and what a new plan changes.", _plan),
    Entry("robot", "Robot", "Its state and its latest steps; an arm's checks and hand controls.", _robot),
    Entry("timeline", "Timeline", "When what happened, and how long it took.", _timeline),
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
