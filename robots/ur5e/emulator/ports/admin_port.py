"""The emulator's admin port, loopback only: pictures, ground truth, faults, and proof of its identity.

The driver never uses it; the emulated cameras, the simulated answerer and the EMULATED badge do.
"""

from __future__ import annotations

import socket
from collections.abc import Callable

from core.errors import RobotError
from core.motion.frames import as_pose, frame
from robots.remote.wire_message import JsonValue, MessageDecoder, WireMessage, encode_message
from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.faults import FaultInjector
from robots.ur5e.emulator.ports.gripper_port import EmulatedCup, EmulatedGripper
from robots.ur5e.emulator.ports.reactor import ClientConnection, Reactor
from robots.ur5e.emulator.scene import GRAIN, VIEW

MAX_BACKLOG = 8 << 20  # bytes; pictures are large
CameraView = tuple[str, bool]  # a camera, and whether colour is enough, without depth and boxes


class PictureBroker:
    """Keeps the latest picture of each camera, and who waits for a newer one."""

    def __init__(self, state: Callable[[], tuple[float, ...]], now: Callable[[], float]) -> None:
        self._state, self._now = state, now
        self._latest: dict[CameraView, tuple[float, WireMessage]] = {}
        self._waiting: list[tuple[CameraView, float, AdminConnection]] = []
        self._drawing: set[CameraView] = set()
        self.renderer: AdminConnection | None = None  # the process that renders
        self._ghost: dict[str, JsonValue] = {}  # for the view of the whole arm

    def request(self, view: CameraView, after: float, link: AdminConnection) -> None:
        """Send `link` a picture taken at or after the time `after`; if negative, at or after now."""
        after = self._now() if after < 0 else after
        known = self._latest.get(view)
        if known and known[0] >= after:
            link.send(encode_message("picture", *known[1].blobs, **_body(known[1])))
            return
        self._waiting.append((view, after, link))
        self._draw(view)

    def show_ghost(self, q: tuple[float, ...], blocked: bool) -> None:
        """Show the arm in the view as it would be with these joints; without any, show none."""
        self._ghost = {"ghost": q, "blocked": blocked} if len(q) in (0, 6) else {}

    def on_drawn(self, message: WireMessage) -> None:
        view, taken = requested_view(message), message.number("taken")
        self._drawing.discard(view)
        self._latest[view] = (taken, message)
        ready = [w for w in self._waiting if w[0] == view and w[1] <= taken]
        self._waiting = [w for w in self._waiting if w not in ready and w[2].open]
        for _, _, link in ready:
            link.send(encode_message("picture", *message.blobs, **_body(message)))
        for wanted in {w[0] for w in self._waiting}:
            self._draw(wanted)

    def on_renderer_connected(self, painter: AdminConnection) -> None:
        self.renderer = painter
        self._drawing.clear()
        for view in {w[0] for w in self._waiting}:
            self._draw(view)

    def _draw(self, view: CameraView) -> None:
        if self.renderer is not None and self.renderer.open and view not in self._drawing:
            self._drawing.add(view)
            camera, plain = view
            now, state = self._now(), self._state()
            ghost = self._ghost if camera == VIEW else {}
            body = {"camera": camera, "plain": plain, "taken": now, "state": state, **ghost}
            self.renderer.send(encode_message("draw", **body))


def requested_view(message: WireMessage) -> CameraView:
    return message.text("camera"), bool(message.body.get("plain"))


def _body(message: WireMessage) -> dict[str, JsonValue]:
    return {name: value for name, value in message.body.items() if name != "kind"}


class AdminConnection(ClientConnection):
    """One client. Messages are encoded as in `robots.remote.wire_message`; each is answered by one."""

    def __init__(
        self,
        sock: socket.socket,
        reactor: Reactor,
        controller: Controller,
        gripper: EmulatedGripper | EmulatedCup,
        faults: FaultInjector,
        pictures: PictureBroker,
        status: Callable[[], dict[str, float]],
    ) -> None:
        super().__init__(sock, reactor, MAX_BACKLOG)
        self._c, self._gripper, self._faults = controller, gripper, faults
        self._pictures, self._status = pictures, status
        self._splitter = MessageDecoder()

    def on_received(self, data: bytes) -> None:
        try:
            for message in self._splitter.feed(data):
                self._handle(message)
        except (RobotError, KeyError, ValueError, TypeError):
            self.close()

    def _handle(self, message: WireMessage) -> None:
        c = self._c
        match message.kind:
            case "prove":
                self.send(
                    encode_message(
                        "proof",
                        emulator="dkprompt ur5e",
                        serial=c.serial,
                        scene=c.plant.scene.name,
                        ended_late=c.ended_late,
                    )
                )
            case "truth":
                self.send(encode_message("truth", **self._truth()))
            case "switch on":
                c.brake_release()
                self._gripper.switch_on()
                self.send(encode_message("switch on"))
            case "fault":
                self.send(encode_message("fault", refused=self._faults.handle_request(message)))
            case "put":
                c.plant.set_thing_pose(message.text("thing"), message.numbers("at"), message.number("turn"))
                self.send(encode_message("put"))
            case "status":
                self.send(encode_message("status", **self._status()))
            case "log":
                self.send(encode_message("log", lines=tuple(c.log)))
            case "picture":
                if "ghost" in message.body:
                    self._pictures.show_ghost(message.numbers("ghost"), bool(message.body.get("blocked")))
                self._pictures.request(requested_view(message), message.number("after", -1.0), self)
            case "painter":
                scene = c.plant.scene
                self.send(encode_message("scene", xml=scene.xml, things=[t.name for t in scene.things]))
                self._pictures.on_renderer_connected(self)
            case "drawn":
                self._pictures.on_drawn(message)
            case other:
                self.send(encode_message("refused", why=f"no message is named {other!r}"))

    def _truth(self) -> dict[str, JsonValue]:
        """Return where everything is: x, y, z of its centre, how upright it stands (1: upright), its whole
        pose, and where it stood at first."""
        plant = self._c.plant
        things: dict[str, JsonValue] = {}
        poses: dict[str, JsonValue] = {}
        for thing in plant.scene.things:
            middle, turn = plant.thing_pose(thing.name)
            poses[thing.name] = tuple(round(v, 5) for v in as_pose(frame(turn, middle)))
            things[thing.name] = (*(round(float(v), 5) for v in middle), round(float(turn[2, 2]), 5))
        return {
            "things": things,
            "poses": poses,
            "first": {thing.name: tuple(thing.at) for thing in plant.scene.things if thing.kind is not GRAIN},
            "pinched": sorted(plant.grasped_things()),
            "now": self._c.now,
            "moving": self._c.moving,
            "q": [float(v) for v in plant.q],
            "qd": [float(v) for v in plant.qd],
            "finger": plant.finger_position,  # metres that each has closed
            "slip": self._faults.last_slip,
        }
