"""Faults that can be injected on request, through the emulator's admin port."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from robots.remote.wire_message import WireMessage
from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.plant import DT_S
from robots.ur5e.emulator.ports.dashboard_port import DashboardConnection
from robots.ur5e.emulator.ports.gripper_port import EmulatedCup, EmulatedGripper

_FALL_TIME_S = 0.4  # from the grip's failure until the thing lies


@dataclass(frozen=True)
class GraspSlip:
    """A grip failure once the held thing is at this height over the table (metres), with a knock (m/s)."""

    height: float
    label: str
    knock: tuple[float, ...] = ()


class FaultInjector:
    """Holds the injected faults. Belongs to the emulator's thread."""

    def __init__(
        self,
        controller: Controller,
        gripper: EmulatedGripper | EmulatedCup,
        drop_links: Callable[[type], None],
    ) -> None:
        self._c, self._gripper, self._drop_connections = controller, gripper, drop_links
        self.frozen = 0.0  # seconds for which nothing of the robot moves or answers
        self.tick_delay = 0.0  # seconds by which each tick is late
        self._pending_slips: list[GraspSlip] = []  # still to come
        self._slip_seconds = 0.0
        self._pending_stops: list[float] = []  # seconds of motion left until a protective stop
        self.last_slip = ""  # the last slip that happened

    def handle_request(self, message: WireMessage) -> str:
        """Inject the requested fault. Return "" or why it is refused."""
        c, seconds = self._c, message.number("seconds", 1.0)
        match message.text("name"):
            case "drop":
                self._drop_connections(object)
            case "freeze":
                self.frozen = seconds
            case "thaw":
                self.frozen = self.tick_delay = 0.0
                self._gripper.silent = False
            case "gripper silent":
                self._gripper.silent = True
            case "slow":
                self.tick_delay = message.number("late", 0.02)
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "protective":
                c.protective_stop("asked for as a fault")
            case "protective in motion":
                self._pending_stops.append(seconds)
            case "safeguard":
                c.set_safeguard(True)
            case "safeguard closed":
                c.set_safeguard(False)
            case "emergency stop":
                c.emergency_stop(True)
            case "emergency stop released":
                c.emergency_stop(False)
            case "violation":
                c.safety_violation()
            case "local":
                c.remote_control = False
            case "remote" | "remote closes" as name:
                c.turns_to_remote += not c.remote_control
                c.remote_control = True
                if name == "remote closes":  # as some controllers do with connections from before
                    self._drop_connections(DashboardConnection)
            case "leftover":  # a jog requested by a client that no program has taken
                c.in_int[0], c.in_double[:7] = 9, [0.5, *[0.0] * 5, 2.0]
            case "slip":
                knock = message.numbers("knock")
                self._pending_slips.append(
                    GraspSlip(message.number("height", 0.1), message.text("called"), knock)
                )
            case "no slip":
                self._pending_slips.clear()
                self.last_slip = ""
            case other:
                return f"no fault is named {other!r}"
        return ""

    def tick(self) -> None:
        plant = self._c.plant
        if self._pending_stops and self._c.moving:
            self._pending_stops = [left - DT_S for left in self._pending_stops]
            if min(self._pending_stops) <= 0:
                self._pending_stops = [left for left in self._pending_stops if left > 0]
                self._c.protective_stop("asked for as a fault")
        if self._slip_seconds > 0:
            self._slip_seconds -= DT_S
            plant.grip_lost = self._slip_seconds > 0
        elif self._pending_slips:
            for name in plant.grasped_things():
                self._trigger_slip(name, float(plant.thing_pose(name)[0][2]) - self._half_height(name))

    def _half_height(self, name: str) -> float:
        return next(t.kind.half[2] for t in self._c.plant.scene.things if t.name == name)

    def _trigger_slip(self, name: str, height: float) -> None:
        for slip in self._pending_slips:
            if height > slip.height:
                self._pending_slips.remove(slip)
                self._slip_seconds, self.last_slip = 0.6, slip.label
                self._c.plant.grip_lost = True
                if len(slip.knock) == 3:
                    self._c.schedule(
                        _FALL_TIME_S, partial(self._c.plant.set_thing_velocity, name, slip.knock)
                    )
                return
