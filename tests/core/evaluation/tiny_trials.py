"""An experiment of one door and one key: two methods, half of what is done fails. Its functions are found by
name in the workers' processes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from core.config import EpisodeComponents, Settings, ignore
from core.evaluation.trial import Design
from core.loop.permit_issuer import PermitIssuer
from core.methods.registry import make_method
from core.planning.planner import make_planner
from core.supervision import WATCH, SupervisionLevels
from core.vqa.budget import Meter
from core.vqa.registry import make_answerer
from robots.registry import make_robot
from tests.core import tiny

DYING, BREAKING = ("classical", 3), ("dkprompt", 2)  # method and seed


def design(trials: int = 8, first_seed: int = 0) -> Design:
    base = Settings(pictures=False, max_steps=12)
    return Design(
        ("dkprompt", "classical"), (tiny.TASK.name,), ("symmetric-10",), (1.0,), trials, first_seed, base
    )


def make(
    settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
) -> EpisodeComponents:
    folder = tiny.folder(0.5, 0.5)
    robot = make_robot(
        "symbolic",
        domain_spec=folder,
        task=tiny.TASK,
        seed=settings.seed,
        openness=settings.openness,
        pictures=False,
    )
    answerer = make_answerer(settings.answerer, truth=robot, problem=tiny.PROBLEM, seed=settings.seed)
    planner = make_planner()
    method = make_method(settings.method, folder, tiny.PROBLEM)
    permits = PermitIssuer(robot.permits, robot.embodiment)
    return EpisodeComponents(settings, folder, tiny.TASK, robot, answerer, planner, method, permits)


def make_or_die(
    settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
) -> EpisodeComponents:
    """One trial kills its process, one raises."""
    if (settings.method, settings.seed) == DYING:
        os.kill(os.getpid(), signal.SIGKILL)
    if (settings.method, settings.seed) == BREAKING:
        raise RuntimeError("no luck")
    return make(settings)


def make_nothing(
    settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
) -> EpisodeComponents:
    raise RuntimeError("nothing is to be played")


def make_or_wait(settings: Settings, notify: Callable[[str], None] = ignore) -> EpisodeComponents:
    """One trial tells the number of its process, and lasts until it is killed."""
    if (settings.method, settings.seed) == DYING:
        path = Path(os.environ["TINY_PID"])
        path.with_suffix(".new").write_text(str(os.getpid()))
        path.with_suffix(".new").rename(path)
        time.sleep(600)
    return make(settings)


def make_asking(settings: Settings, notify: Callable[[str], None] = ignore) -> EpisodeComponents:
    """A model behind an address answers."""
    parts, meter = make(replace(settings, answerer="perfect")), Meter()
    answerer = make_answerer(settings.answerer, truth=None, seed=settings.seed, meter=meter)
    return replace(parts, answerer=answerer, meter=meter)
