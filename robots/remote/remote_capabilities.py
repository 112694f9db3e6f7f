"""Give a served robot a class for just the capabilities that it has besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import inf, prod
from threading import Lock, Thread
from time import monotonic, sleep

from core.belief import Atom
from core.errors import RobotError, UnknownName
from core.permit import Permit, PermitKind
from core.planning_model import Step
from core.ports import BoundingBox, Embodiment, Frame
from core.stock import StockItem
from core.stop_token import StopToken
from robots.remote.handshake import ConnectionRole
from robots.remote.remote_robot import RemoteRobot, permit_request
from robots.remote.robot_link import RobotLink, open_connection
from robots.remote.wire_message import UNKNOWN_AGE, WireMessage
from robots.remote.wire_values import encode

_LIVE_PERIOD = 0.04  # seconds between two requests for a camera's live picture
_LIVE_INTEREST = 2.0  # seconds after which nobody looks at a camera any more
_TOLD_BY_SIMULATORS = frozenset({"GroundTruth", "StepTruth"})


def robot_of(link: RobotLink, made: WireMessage, embodiment: Embodiment) -> RemoteRobot:
    """Return the robot with the capabilities that it offers. Only a simulator is asked for the truth."""
    offered = made.body.get("capabilities")
    names = {name for name in offered if name in _MIXINS} if isinstance(offered, list) else set()
    if embodiment is Embodiment.REAL:
        names -= _TOLD_BY_SIMULATORS
    return _class_with(tuple(sorted(names)))(link, made, embodiment)


@cache
def _class_with(names: tuple[str, ...]) -> type[RemoteRobot]:
    mixins = tuple(_MIXINS[name] for name in names) or (RemoteRobot,)
    return type("RemoteRobot", mixins, {"__doc__": RemoteRobot.__doc__})


class _Truth(RemoteRobot):
    def truth(self) -> frozenset[Atom]:
        return self._snapshot().truth

    def is_observable(self, atom: Atom) -> bool:
        self._snapshot()
        if atom not in self._observable:
            reply = self._link.request("observable", atom=encode(atom))
            self._observable[atom] = reply.body.get("so") is True
        return self._observable[atom]

    @property
    def situation(self) -> str:
        return self._now.situation


class _Steps(RemoteRobot):
    def step_succeeded(self) -> bool | None:
        return self._snapshot().step_succeeded

    def step_possible(self, step: Step) -> bool:
        return self._link.request("possible", step=encode(step)).body.get("so") is True


class _Viewpoints(RemoteRobot):
    @property
    def viewpoints(self) -> tuple[str, ...]:
        return self._snapshot().viewpoints

    def look_from(self, viewpoint: str, permit: Permit, cancel: StopToken) -> Frame:
        self._check_open()
        self.permits.redeem(permit, viewpoint, PermitKind.LOOK)
        if viewpoint not in self.viewpoints:
            raise UnknownName("viewpoint", viewpoint, self.viewpoints)
        self._check_halt(cancel)
        return self._frame("look_from", cancel, viewpoint=viewpoint, **permit_request(permit, viewpoint))


class _Boxes(RemoteRobot):
    def boxes(self, names: Sequence[str]) -> tuple[BoundingBox, ...]:
        wanted = frozenset(names)
        return tuple(box for box in self._snapshot().boxes if box.name in wanted)


class _Situations(RemoteRobot):
    def situations(self) -> tuple[str, ...]:
        return self._snapshot().situations


class _Stock(RemoteRobot):
    def stock(self) -> tuple[StockItem, ...]:
        return self._snapshot().stock


class _Stills(RemoteRobot):
    @property
    def still_camera(self) -> str:
        return self._made.text("still_camera")


class _Rendering(RemoteRobot):
    @property
    def blank_frames_reason(self) -> str:
        return self._made.text("blank")


class _Live(RemoteRobot):
    """Fetches live pictures on a connection and a thread of its own, for cameras that somebody looks at."""

    def __init__(self, link: RobotLink, made: WireMessage, embodiment: Embodiment) -> None:
        super().__init__(link, made, embodiment)
        cameras = made.body.get("cameras")
        self.cameras = tuple(map(str, cameras)) if isinstance(cameras, list) else ()
        self._frames: dict[str, Frame] = {}
        self._asked: dict[str, float] = {}  # when each camera was looked at last
        self._fetcher: Thread | None = None
        self._lock = Lock()

    def live(self, camera: str) -> Frame | None:
        if camera not in self.cameras:
            return None
        self._asked[camera] = monotonic()
        with self._lock:
            if self._fetcher is None and not self._closed:
                self._fetcher = Thread(target=self._fetch, name="remote live", daemon=True)
                self._fetcher.start()
        return self._frames.get(camera)

    def _fetch(self) -> None:
        link = self._link
        try:
            connection, _ = open_connection(
                link.address, link.token, ConnectionRole.LIVE, link.welcome.session
            )
        except RobotError:
            return  # the session is over
        messages = connection.messages()
        try:
            while not link.lost:
                sleep(_LIVE_PERIOD)
                for camera, asked in tuple(self._asked.items()):
                    if monotonic() - asked < _LIVE_INTEREST:
                        sent = monotonic()
                        connection.send("live", camera=camera)
                        if (reply := next(messages, None)) is None:
                            return
                        self._show(reply, sent)
        except RobotError:
            return  # the link says what is wrong
        finally:
            connection.close()

    def _show(self, reply: WireMessage, asked: float) -> None:
        """Keep a picture, if it is one: as old as its robot says, counted from when it was `asked` for."""
        import numpy as np

        shape = tuple(int(n) for n in reply.numbers("shape") if n.is_integer() and n > 0)
        if len(shape) != 3 or shape[2] != 3 or [prod(shape)] != [len(blob) for blob in reply.blobs]:
            return
        rgb = np.frombuffer(reply.blobs[0], np.uint8).reshape(shape)  # read-only, as bytes are
        camera, age = reply.text("camera"), reply.number("age", UNKNOWN_AGE)
        taken = asked - max(0.0, age) if age < UNKNOWN_AGE else -inf
        self._frames[camera] = Frame("", camera, taken, reply.text("viewpoint"), rgb)


_MIXINS: Mapping[str, type[RemoteRobot]] = {
    "GroundTruth": _Truth,
    "StepTruth": _Steps,
    "SupportsViewpoints": _Viewpoints,
    "ProvidesBoxes": _Boxes,
    "ProvidesLiveFrames": _Live,
    "CropsStills": _Stills,
    "ReportsRendering": _Rendering,
    "NoticesSituations": _Situations,
    "KnowsStock": _Stock,
}
