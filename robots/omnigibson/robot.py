"""The robot in OmniGibson: the household's true world, with OmniGibson as its body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack

from core.domains import DomainSpec, Task
from core.robots import show_nothing
from robots.kitchen.household.household import Household
from robots.kitchen.household.household_robot import EYE_CAMERA, HouseholdRobot
from robots.omnigibson.activities import unsupported_reasons
from robots.omnigibson.omnigibson_body import VIEWER, OmniGibsonBody, Staging
from robots.omnigibson.options import OmniGibsonOptions, interpreter
from robots.omnigibson.worker_session import WorkerSession, WorkerStart
from robots.stochastic import Chances
from robots.task_support import raise_unsupported


class OmniGibsonRobot(HouseholdRobot):
    """Implements what a HouseholdRobot does.

    Making it starts Isaac Sim, which takes minutes. With `pictures` False it runs all the same, as its
    physics decides what holds, and only the frames are blank. `pace` is the seconds before each step begins.
    `notify` is told how far the start is.
    Raises RobotError, BadValue and UnknownName.
    """

    name, title = "omnigibson", "OmniGibson robot"
    cameras: tuple[str, ...] = (EYE_CAMERA, VIEWER)
    _body: OmniGibsonBody | None

    def __init__(
        self,
        domain_spec: DomainSpec,
        task: Task,
        *,
        options: OmniGibsonOptions,
        pictures: bool = True,
        pace: float = 0.0,
        notify: Callable[[str], None] = show_nothing,
        **chances: Unpack[Chances],
    ) -> None:
        raise_unsupported(unsupported_reasons(domain_spec, task))
        super().__init__(Household(domain_spec, task, **chances), pace)
        self._without_pictures = "" if pictures else "The pictures are switched off."
        session = WorkerSession(WorkerStart(interpreter(options), not options.window), notify)
        staging = Staging(task.name, options, chances.get("seed", 0), pictures, pace)
        try:
            session.open()
            self._body = OmniGibsonBody(session, staging, self._world, self._latch)
        except BaseException:
            session.close(0.0)
            raise
