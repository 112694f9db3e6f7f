"""DKPROMPT Console: wires the rooms together. No arguments: the window. `--help` lists the verbs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from app.terminal.verbs import main, without_display
from core.config import Parts, Settings


def make(settings: Settings) -> Parts:
    """The parts that the settings name. Raises ConsoleError."""
    from app.terminal.plan import find_task
    from core.asking.choose import make_answerer
    from core.methods import make_method
    from core.planning.planner import make_planner
    from core.ports import Truth
    from robots.choose import make_robot

    s = settings
    folder, task = find_task(s.task, s.domain, s.domain_file, s.problem_file, s.variant)
    robot = make_robot(
        settings.robot or folder.robot,
        folder=folder,
        task=task,
        seed=settings.seed,
        openness=settings.openness,
        pictures=settings.pictures,
        pace=settings.pace,
    )
    try:
        truth = robot if isinstance(robot, Truth) else None
        answerer = make_answerer(settings.answerer, truth=truth, seed=settings.seed)
        planner = make_planner(settings.engine)
        method = make_method(settings.method, folder, task.problem)
    except BaseException:
        robot.close()
        raise
    return Parts(settings, folder, task, robot, answerer, planner, method)


def console(settings: Settings, database: Path) -> int:
    """The window; with no display the same episode in the terminal."""
    if sys.platform == "linux" and not any(
        map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
    ):
        return without_display(make, settings, database)
    from app.main import run

    return run(make, settings, database)


if __name__ == "__main__":
    main(make, console)
