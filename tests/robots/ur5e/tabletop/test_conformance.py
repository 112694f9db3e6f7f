"""The suite that every robot passes, on the emulated UR5e."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

import pytest

from core.domains import DomainSpec, Task
from core.planning import domain_library
from core.planning_model import Step
from core.ports import Robot
from robots.registry import ROBOTS
from robots.ur5e.emulator.process import EmulatorProcess
from robots.ur5e.tabletop.robot import TabletopRobot
from tests.robots import test_conformance as suite
from tests.robots.ur5e.conftest import fast_arms, fresh_address

globals().update({name: test for name, test in vars(suite).items() if name.startswith("test_conformance_")})

pytestmark = pytest.mark.gl


def eggplant() -> tuple[DomainSpec, Task]:
    return domain_library.load_task("collect_eggplant")


@dataclass(frozen=True)
class Quick(suite.Case):
    """One robot serves one test after the other, released and at the pace that they want, and does fewer
    steps: an arm takes its time.
    """

    kept: list[TabletopRobot] = field(default_factory=list, compare=False, repr=False)

    @contextmanager
    def made(
        self, seed: int = 0, openness: float = 0.0, pace: float = 0.0, fresh: bool = False
    ) -> Iterator[Robot]:
        if self.kept and (fresh or self.kept[0]._closed):
            self.kept.pop().close()
        if fresh or seed or openness:
            with super().made(seed, openness, pace) as robot:
                yield robot
            return
        if not self.kept:
            made = self.make()
            assert isinstance(made, TabletopRobot)
            self.kept.append(made)
        (kept,) = self.kept
        kept.release_stop(kept.arm.latch.last_halt())
        kept._pace = pace
        yield kept

    def walk(self) -> tuple[Step, ...]:
        find, pick = super().walk()[-2:]
        return find, pick


@pytest.fixture(scope="module", params=["quick", pytest.param("thorough", marks=pytest.mark.long)])
def case(request: pytest.FixtureRequest) -> Iterator[suite.Case]:
    """Thorough: at the speeds at which the arm works beside people. Each has a table of its own."""
    process = EmulatorProcess(fresh_address())
    quick = request.param == "quick"
    kind = Quick if quick else suite.Case
    with fast_arms() if quick else nullcontext():
        made = kind(ROBOTS["ur5e"], eggplant, shared={"arm": process.address}, quick=quick)
        yield made
        for robot in getattr(made, "kept", ()):
            robot.close()
    process.close()
