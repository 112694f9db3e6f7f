"""One console's use of a served robot, on the robot's side."""

from __future__ import annotations

import logging
from queue import SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic

from core.errors import Cancelled, ConsoleError, RobotError
from core.ports import ProvidesLiveFrames, Robot
from core.stop.heartbeat import HEARTBEAT_PERIOD
from core.stop_token import StopToken
from robots.remote.connection import Connection
from robots.remote.request_handler import Make, RequestHandler
from robots.remote.session_guard import SessionGuard
from robots.remote.wire_message import UNKNOWN_AGE, JsonValue, WireMessage
from robots.remote.wire_values import encode_error

SESSION_TIMEOUT = 30.0  # seconds of a console's silence after which another one may come

log = logging.getLogger(__name__)


class RobotSession:
    """Makes the robot that a console asks for, and does with it what the console permits.

    `run` belongs to the thread that robots are made and moved in; everything else is for any thread. The
    session ends with its connection, and the robot halts at once and is closed.
    """

    def __init__(self, id: str, connection: Connection, make: Make) -> None:
        self.id, self._connection = id, connection
        self._handler = RequestHandler(make, self._guarded, self._progress)
        self._requests: SimpleQueue[WireMessage | None] = SimpleQueue()
        self._lock = Lock()
        self._current: tuple[int, StopToken] = (0, StopToken())
        self._cancelled: set[int] = set()  # requests that were cancelled before they began
        self._stop_line: Connection | None = None
        self._beats = 0
        self._last_received = monotonic()
        self.ended = Event()

    # --- the connections ---

    def listen(self) -> None:
        """Take requests and heartbeats until the console is gone."""
        Thread(target=self._send_heartbeats, name="beats", daemon=True).start()
        try:
            for message in self._connection.messages():
                self._last_received = monotonic()
                if message.kind != "beat":
                    self._requests.put(message)
                elif (guard := self._handler.guard) is not None:
                    guard.operator.beat(message.number("age"))
        except RobotError as error:
            log.warning("the console sent what is no message: %s", error)
        finally:
            self.end("the console is gone")

    def listen_for_stops(self, connection: Connection) -> None:
        """Take stops and cancels, which wait for no request."""
        self._stop_line = connection
        try:
            for message in connection.messages():
                guard = self._handler.guard
                if message.kind == "stop" and guard is not None:
                    guard.stop_for_console(message.whole("number"), message.whole("seen"))
                    connection.send("halted", number=message.whole("number"))
                elif message.kind == "cancel":
                    self._cancel(message.whole("request"), message.text("why"))
        except RobotError as error:
            log.info("the connection for stops broke: %s", error)
        finally:
            self.end("its connection for stops is gone")

    def send_live_frames(self, connection: Connection) -> None:
        """Answer each request for a live picture with the newest, if it is newer than the last one."""
        sent: dict[str, float] = {}
        for message in connection.messages():
            camera, robot, frame = message.text("camera"), self._handler.robot, None
            if isinstance(robot, ProvidesLiveFrames) and camera in robot.cameras:
                frame = robot.live(camera)
            if frame is None or frame.rgb is None or frame.timestamp == sent.get(camera):
                connection.send("live", camera=camera)
                continue
            sent[camera] = frame.timestamp
            shape = list(frame.rgb.shape)
            age = min(monotonic() - frame.timestamp, UNKNOWN_AGE)
            connection.send(
                "live", frame.rgb.tobytes(), camera=camera, shape=shape, viewpoint=frame.viewpoint, age=age
            )

    def _send_heartbeats(self) -> None:
        try:
            while not self.ended.wait(HEARTBEAT_PERIOD):
                self._beats += 1
                self._connection.send("beat", number=self._beats)
                if monotonic() - self._last_received > SESSION_TIMEOUT:
                    self.end(f"the console was silent for {SESSION_TIMEOUT:g} s")
        except RobotError as error:
            self.end(str(error))

    def _cancel(self, request: int, reason: str) -> None:
        with self._lock:
            current, cancel = self._current
            if request > current:
                self._cancelled.add(request)
            elif request == current:
                cancel.end(reason)

    # --- stops ---

    def stop_here(self, reason: str) -> str:
        """Stop although the console did not ask for it; return the robot's name, "" if there is none."""
        guard, robot = self._handler.guard, self._handler.robot
        if guard is None or robot is None:
            return ""
        guard.stop_here(reason)
        return robot.name

    @property
    def moving(self) -> bool:
        return (guard := self._handler.guard) is not None and guard.moving

    def end(self, reason: str) -> None:
        """Halt, and let nothing more be done. Idempotent."""
        with self._lock:
            first, cancel = not self.ended.is_set(), self._current[1]
            self.ended.set()
        if self._handler.guard is not None:
            self._handler.guard.close()
        cancel.end(reason)
        if first:
            log.info("the session has ended: %s", reason)
        self._requests.put(None)
        self._connection.close()
        if self._stop_line is not None:
            self._stop_line.close()

    def _send_on_stop_line(self, kind: str, **body: JsonValue) -> None:
        if self._stop_line is not None:
            try:
                self._stop_line.send(kind, **body)
            except RobotError as error:
                log.info("the console cannot be told: %s", error)

    # --- the robot's thread ---

    def run(self) -> None:
        """Do what is asked until the session ends, then close the robot."""
        try:
            while (request := self._requests.get()) is not None and not self.ended.is_set():
                self._answer(request)
        finally:
            self.end("the robot's side has ended")
            if self._handler.robot is not None:
                self._handler.robot.close()

    def _answer(self, request: WireMessage) -> None:
        id, cancel = request.whole("request"), StopToken()
        with self._lock:
            self._current = id, cancel
            if id in self._cancelled or self.ended.is_set():
                cancel.end("cancelled")
            self._cancelled = {other for other in self._cancelled if other > id}
        try:
            body, blobs = self._handler.handle(request, cancel)
        except Exception as error:  # whatever broke, the console has to hear of it
            if not isinstance(error, ConsoleError | Cancelled):
                log.exception("the robot broke")
            body, blobs = encode_error(error), ()
        try:
            self._connection.send("reply", *blobs, request=id, **body)
        except RobotError as error:
            self.end(str(error))

    def _guarded(self, robot: Robot) -> SessionGuard:
        return SessionGuard(robot, lambda: self._beats, self._send_on_stop_line)

    def _progress(self, text: str) -> None:
        if self.ended.is_set():
            raise Cancelled("the console is gone")
        self._connection.send("progress", text=text)
