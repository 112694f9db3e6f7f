"""What the robots of simulators share: a latch that stops them, a ledger of permits, and an end."""

from __future__ import annotations

from core.errors import RobotNotReady
from core.permit import PermitLedger
from core.ports import Embodiment
from robots.stop_latch import Latch


class SimulatedRobot:
    """Takes and releases halts, and says what went wrong in its last step.

    Its motions wait on `_latch`, and begin with `_check_open`. `halt` may be called from any thread,
    everything else from the loop's. `title` is what people call it: "symbolic robot".
    """

    title = "robot"
    embodiment = Embodiment.SIM

    def __init__(self) -> None:
        self._latch, self._closed = Latch(), False
        self.permits = PermitLedger(self._latch.last_halt)
        self.situation = ""  # that came between in the last step, "" for none

    def release_stop(self, up_to: int) -> None:
        self._check_open()
        self._latch.release(up_to)

    def halt(self) -> int:
        return self._latch.halt()

    def close(self) -> None:
        self._latch.halt()
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise RobotNotReady(f"The {self.title} is closed: start a new episode.")
