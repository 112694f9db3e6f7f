"""Take stops that reach the robot past the window: `stop`, a missing heartbeat, other consoles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from time import monotonic, sleep

from app.episode.episode_runner import EpisodeRunner
from core.arm.handover import SharesArm
from core.errors import RobotError
from core.events import PROGRAM
from core.stop.heartbeat import FollowsHeartbeat, Heartbeat, HeartbeatWatch
from core.stop.stop_socket import STOP_TIMEOUT, Standstill, StopListener


@contextmanager
def outside_stops(
    runner: EpisodeRunner, process: str, heartbeat: Heartbeat | None, notify: Callable[[str], object]
) -> Iterator[None]:
    """Stop the runner's robot from outside and without a heartbeat, as long as the block runs.

    `process` ("window", "terminal") names this process. `notify` receives a sentence, from any thread, when
    nobody can stop it from outside. With `heartbeat` None nobody watches over the robot here.
    """
    robot = runner.components.robot

    def stop(reason: str) -> tuple[str, Standstill]:
        number, began = runner.stop(reason, by=""), monotonic()  # whoever sent it
        if not number:
            raise RobotError("The robot did not take the stop.")

        def standstill() -> float | None:
            while not runner.stands_since(number):
                if monotonic() > began + STOP_TIMEOUT:
                    return None
                sleep(0.01)
            return monotonic() - began

        return f"{robot.name} ({robot.embodiment.value})", standstill

    with ExitStack() as stack:
        stack.callback(StopListener(process, stop, notify).close)
        if heartbeat is not None:
            halt = partial(runner.stop, by=PROGRAM)
            watch = HeartbeatWatch(heartbeat, lambda: runner.moving, halt, f"The {process}")
            stack.callback(watch.close)
            if isinstance(robot, FollowsHeartbeat):
                robot.follow_heartbeat(heartbeat, notify)
        if isinstance(robot, SharesArm):
            robot.attend(process, runner.on_handover)
        yield
