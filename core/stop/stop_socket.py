"""A program's side of `stop`: it listens in two folders, and tends what it needs there.

A datagram to a process that hangs waits for it, and neither side waits for the other.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import select
import socket
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from threading import Event, Thread
from time import monotonic

from core.stop.stop_entry import StopLock, StopSocket, remove_stale
from core.stop.stop_folders import STOP_FOLDERS

STOP_TIMEOUT = 2.0  # seconds within which a process answers, and a robot should stand still
TEND_PERIOD = 1.0  # seconds between two looks whether what `stop` needs is still there
STOP = b"stop"  # a message, followed by the number of the request; a socket for the answers may come with it
MAX_MESSAGE_BYTES = 4096

UNREACHABLE = "`stop` in another terminal does not reach this program ({}): stop the robot here."
REMADE = "{} was removed or replaced while this program listened there for `stop`; it was made anew."
REACHABLE = "`stop` in another terminal reaches this program again."

log = logging.getLogger(__name__)
Standstill = Callable[[], float | None]  # waits until the robot stands still; at most STOP_TIMEOUT


class StopListener:
    """Listens from when it is made until `close`, in a thread that depends on no other and on no file.

    `stop(why)` is called in that thread: it stops the robot at once, and returns the robot's name, "" if
    there is none, and a function that waits for the standstill. `notify` receives a sentence whenever `stop`
    in another terminal no longer reaches this program, or does again; at once, or from another thread.
    """

    def __init__(
        self,
        process: str,
        stop: Callable[[str], tuple[str, Standstill]],
        notify: Callable[[str], object],
    ) -> None:
        self._stop, self._notify = stop, notify
        self.name = f"{process}-{os.getpid()}-{secrets.token_hex(4)}"
        self._request, self._robot = b"", ""  # the last one, which comes by every socket, and what it stopped
        self._standstill: Standstill = lambda: None
        self._sockets: list[StopSocket] = []
        self._locks: list[StopLock] = []
        self._fault, self._told_of_loss = "", False
        self._closing = Event()
        self._threads: list[Thread] = []
        self._answering: list[Thread] = []
        if not hasattr(socket, "AF_UNIX"):
            notify(UNREACHABLE.format("this system has no Unix sockets"))
            return
        for find in STOP_FOLDERS:
            with suppress(OSError):
                folder = find()
                remove_stale(folder)
                self._sockets.append(StopSocket(folder, self.name))
                self._locks.append(StopLock(folder, self.name))
        self._wake, self._woken = socket.socketpair()
        self._tend()
        for work in (self._listen, self._keep_tending):
            self._threads.append(Thread(target=work, name="stop", daemon=True))
            self._threads[-1].start()

    def close(self) -> None:
        """Idempotent."""
        if self._closing.is_set() or not self._threads:
            return
        self._closing.set()
        self._wake.send(b"x")
        for thread in self._threads:
            thread.join()
        for entry in (*self._locks, *self._sockets):  # what has no lock does not run
            entry.close()
        self._wake.close()
        self._woken.close()

    def finish_answers(self, seconds: float) -> None:
        """Wait for the answers under way, before a process ends that owes a standstill."""
        end = monotonic() + seconds
        for thread in self._answering:
            thread.join(max(0.0, end - monotonic()))

    # --- what `stop` needs ---------------------------------------------------------------------------------

    def _keep_tending(self) -> None:
        """A thread of its own: a file system may hang."""
        while not self._closing.wait(TEND_PERIOD):
            try:
                self._tend()
            except Exception:
                log.exception("what `stop` needs could not be looked after")

    def _tend(self) -> None:
        """Make anew what was removed or replaced, or could not be made so far, and say so once."""
        made = [entry.sock for entry in self._sockets]
        lost = [entry.folder for entry in (*self._sockets, *self._locks) if entry.ensure()]
        if made != [entry.sock for entry in self._sockets]:
            self._wake.send(b"x")
        faults = list(dict.fromkeys(entry.fault for entry in self._sockets)) or ["there is no folder for it"]
        before, self._fault = self._fault, "" if "" in faults else "; ".join(faults)
        if self._fault and not before:
            self._notify(UNREACHABLE.format(self._fault))
        elif before and not self._fault:
            self._notify(REACHABLE)
        elif lost and not self._told_of_loss:
            self._told_of_loss = True
            self._notify(REMADE.format(lost[0]))

    # --- listening -----------------------------------------------------------------------------------------

    def _listen(self) -> None:
        while not self._closing.is_set():
            try:
                for sock in self._readable():
                    self._receive(sock)
            except Exception:
                log.exception("listening for `stop` goes on")
                self._closing.wait(0.05)

    def _readable(self) -> Iterable[socket.socket]:
        """Wait until a message comes, or until other sockets are to be listened to."""
        sockets = {sock.fileno(): sock for entry in self._sockets if (sock := entry.sock) is not None}
        waiting = select.poll()
        for number in (self._woken.fileno(), *sockets):
            if number >= 0:  # it was not closed in this very moment
                waiting.register(number, select.POLLIN)
        ready = [number for number, _ in waiting.poll()]
        if self._woken.fileno() in ready:
            self._woken.recv(MAX_MESSAGE_BYTES)
        return [sockets[number] for number in ready if number in sockets]

    def _receive(self, sock: socket.socket) -> None:
        flags = socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC
        try:
            said, files, _, _ = socket.recv_fds(sock, MAX_MESSAGE_BYTES, 1, flags)
        except BlockingIOError:
            return
        except OSError:  # it has been replaced meanwhile
            self._closing.wait(0.01)
            return
        with ExitStack() as stack:
            for file in files:
                stack.callback(os.close, file)
            kind, _, request = said.partition(b" ")
            if kind != STOP:
                return
            if not request or request != self._request:
                self._robot, self._standstill = self._stop("Stopped from a terminal.")
                self._request = request
            if files:
                answers = socket.socket(fileno=os.dup(files[0]))
                known = answers, self._robot, self._standstill
                answering = Thread(target=self._answer, args=known, daemon=True)
                answering.start()
                self._answering.append(answering)  # one that was not begun could not be waited for

    def _answer(self, answers: socket.socket, robot: str, standstill: Standstill) -> None:
        """Say at once that it was stopped, and then, as the last word, when it stood still."""
        with answers:
            for last in (False, True):
                seconds = standstill() if last and robot else None
                said = {"from": self.name, "robot": robot, "standstill": seconds, "last": last}
                with suppress(OSError):
                    answers.send(json.dumps(said).encode(), socket.MSG_DONTWAIT)
