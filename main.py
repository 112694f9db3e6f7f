"""DKPROMPT Console: wires the rooms together. No arguments: the window. `--help` lists the verbs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from app.terminal.verb_calibrate import Bench
from app.terminal.verbs import main, without_display
from core.calibrating import Calibrating
from core.config import Parts, Settings, silent


def make(settings: Settings, notify: Callable[[str], None] = silent) -> Parts:
    """The parts that the settings name; `notify` is told of every wait for a model. Raises ConsoleError."""
    from app.terminal.plan import find_task
    from core.asking.budget import Meter
    from core.asking.choose import Asking, make_answerer
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
        arm=settings.arm,
        seed=settings.seed,
        openness=settings.openness,
        pictures=settings.pictures,
        pace=settings.pace,
    )
    try:
        truth = robot if isinstance(robot, Truth) else None
        cache = Path(s.cache) if s.cache else None
        asking = Asking(s.model, s.prompt, s.picture_size, cache=cache, notify=notify)
        meter = Meter(s.budget)
        answerer = make_answerer(s.answerer, truth=truth, seed=s.seed, asking=asking, meter=meter)
        planner = make_planner(settings.engine)
        method = make_method(settings.method, folder, task.problem)
    except BaseException:
        robot.close()
        raise
    return Parts(settings, folder, task, robot, answerer, planner, method, meter)


def console(settings: Settings, database: Path) -> int:
    """The window; with no display the same episode in the terminal."""
    if sys.platform == "linux" and not any(
        map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
    ):
        return without_display(make, settings, database)
    from app.main import run

    return run(make, settings, database, bench=calibrator)


def arm(address: str, scene: str, window: bool) -> None:
    """Emulate a UR5e's controller until Ctrl+C."""
    from robots.ur5e.emulator.emulator import emulate

    emulate(address, scene, window)


def calibrator(camera: str, square: float, marker: float, arm: str = "") -> Calibrating:
    """A camera of this arm, or of the one that DKPROMPT_UR5E names. Raises ConsoleError."""
    from robots.ur5e.vision.calibrator import open_calibrator

    return open_calibrator(camera, square, marker, arm)


def draw_board(path: Path, square: float, marker: float) -> str:
    """Write the board to print."""
    from robots.ur5e.vision.calibrator import draw_board

    return draw_board(path, square, marker)


BENCH = Bench(calibrator, draw_board)

if __name__ == "__main__":
    main(make, console, arm, BENCH)
