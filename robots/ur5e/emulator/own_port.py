"""The emulator's own port, loopback only: pictures, truth, faults, and the proof of who this is.

The driver never uses it; the emulated cameras, the simulated answerer and the sign EMULATED do.
"""

from __future__ import annotations

import socket
from collections.abc import Callable

from core.errors import RobotError
from robots.remote.framing import Message, Splitter, Value, pack
from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.faults import Faults
from robots.ur5e.emulator.gripper_port import Gripper
from robots.ur5e.emulator.reactor import Link, Reactor

PORT = 30999
BOUND = 8 << 20  # bytes: pictures are large
View = tuple[str, bool]  # a camera; and whether its colours are enough, without depth and boxes


class Pictures:
    """The latest of each camera, and who waits for a newer one."""

    def __init__(self, state: Callable[[], tuple[float, ...]], now: Callable[[], float]) -> None:
        self._state, self._now = state, now
        self._latest: dict[View, tuple[float, Message]] = {}
        self._waiting: list[tuple[View, float, OwnLink]] = []
        self._drawing: set[View] = set()
        self.painter: OwnLink | None = None  # the process that draws

    def want(self, view: View, after: float, link: OwnLink) -> None:
        """Send `link` a picture taken at or after this time; a negative time: at or after now."""
        after = self._now() if after < 0 else after
        known = self._latest.get(view)
        if known and known[0] >= after:
            link.send(pack("picture", *known[1].blobs, **_body(known[1])))
            return
        self._waiting.append((view, after, link))
        self._draw(view)

    def drawn(self, message: Message) -> None:
        view, taken = view_of(message), message.number("taken")
        self._drawing.discard(view)
        self._latest[view] = (taken, message)
        ready = [w for w in self._waiting if w[0] == view and w[1] <= taken]
        self._waiting = [w for w in self._waiting if w not in ready and w[2].open]
        for _, _, link in ready:
            link.send(pack("picture", *message.blobs, **_body(message)))
        for wanted in {w[0] for w in self._waiting}:
            self._draw(wanted)

    def arrived(self, painter: OwnLink) -> None:
        self.painter = painter
        self._drawing.clear()
        for view in {w[0] for w in self._waiting}:
            self._draw(view)

    def _draw(self, view: View) -> None:
        if self.painter is not None and self.painter.open and view not in self._drawing:
            self._drawing.add(view)
            camera, plain = view
            now, state = self._now(), self._state()
            self.painter.send(pack("draw", camera=camera, plain=plain, taken=now, state=state))


def view_of(message: Message) -> View:
    return message.text("camera"), bool(message.body.get("plain"))


def _body(message: Message) -> dict[str, Value]:
    return {name: value for name, value in message.body.items() if name != "kind"}


class OwnLink(Link):
    """One client: messages as `robots.remote.framing` writes them, each answered by one."""

    def __init__(
        self,
        sock: socket.socket,
        reactor: Reactor,
        controller: Controller,
        gripper: Gripper,
        faults: Faults,
        pictures: Pictures,
        status: Callable[[], dict[str, float]],
    ) -> None:
        super().__init__(sock, reactor, BOUND)
        self._c, self._gripper, self._faults = controller, gripper, faults
        self._pictures, self._status = pictures, status
        self._splitter = Splitter()

    def received(self, data: bytes) -> None:
        try:
            for message in self._splitter.feed(data):
                self._handle(message)
        except (RobotError, KeyError, ValueError, TypeError):
            self.close()

    def _handle(self, message: Message) -> None:
        c = self._c
        match message.kind:
            case "prove":
                self.send(pack("proof", emulator="dkprompt ur5e", serial=c.serial, scene=c.plant.scene.name))
            case "truth":
                self.send(pack("truth", **self._truth()))
            case "fault":
                self.send(pack("fault", refused=self._faults.request(message)))
            case "put":
                c.plant.put(message.text("thing"), message.numbers("at"), message.number("turn"))
                self.send(pack("put"))
            case "status":
                self.send(pack("status", **self._status()))
            case "log":
                self.send(pack("log", lines=tuple(c.log)))
            case "state":
                self.send(pack("state", state=c.plant.state))
            case "picture":
                self._pictures.want(view_of(message), message.number("after", -1.0), self)
            case "painter":
                self._pictures.arrived(self)
            case "drawn":
                self._pictures.drawn(message)
            case other:
                self.send(pack("refused", why=f"no message is named {other!r}"))

    def _truth(self) -> dict[str, Value]:
        """Where everything is: x, y, z of its middle, and how upright it stands (1: as it should)."""
        plant = self._c.plant
        things: dict[str, Value] = {}
        for thing in plant.scene.things:
            middle, turn = plant.place(thing.name)
            things[thing.name] = (*(round(float(v), 5) for v in middle), round(float(turn[2, 2]), 5))
        return {
            "things": things,
            "pinched": sorted(plant.pinched()),
            "now": self._c.now,
            "moving": self._c.moving,
            "q": [float(v) for v in plant.q],
            "qd": [float(v) for v in plant.qd],
            "finger": plant.finger,  # metres that each has closed
            "slip": self._faults.last,
        }
