"""`stop`: stop every robot of this user from another process, without the window.

It sends first, and needs for that nothing of its own but a socket without a name. Only then does it look for
answers, and for programs that run and were not reached.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
from array import array
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic

from core.stop import stop_socket
from core.stop.stop_entry import LOCK, SOCKET, is_held, machine, process_id, remove_stale
from core.stop.stop_folders import STOP_FOLDERS, is_private, socket_address

_ROUND = 0.02  # seconds between two tries
_GRACE = 0.3  # seconds for a program to make what it was found to lack
_NO_SOCKET, _FULL = "it has no socket", "its queue is full"


@dataclass(frozen=True)
class StopReply:
    """What one process did: `robot` is what it moves, "" if it answered that it moves none.

    `standstill` is the time in seconds until the robot was seen to stand still, None if it was not seen.
    `unreached` says why it could not be told to stop, "" if it could. It was then told to end, if the system
    shows that it is the one (`was_told_to_end`), and perhaps `has_ended`.
    """

    process: str
    robot: str = ""
    answered: bool = True
    standstill: float | None = None
    unreached: str = ""
    was_told_to_end: bool = False
    has_ended: bool = False


@dataclass(frozen=True)
class StopResult:
    """What is known of each process, and of what could not be looked into: words for a person."""

    replies: tuple[StopReply, ...]
    faults: tuple[str, ...] = ()


def stop_all() -> StopResult:
    """Stop what every process of this user moves, and return what is known within STOP_TIMEOUT."""
    end = monotonic() + stop_socket.STOP_TIMEOUT + 0.2
    with closing(_Call()) as call:
        call.send()
        while not call.is_over and (left := end - monotonic()) > 0:
            call.listen(min(_ROUND, left))
            call.send()
        return call.result()


@dataclass
class _Program:
    """What is known of one program."""

    name: str
    sockets: set[Path] = field(default_factory=set)  # that have taken the message
    locks: set[Path] = field(default_factory=set)  # by which it is known to run
    fault: str = _NO_SOCKET  # why nothing could be sent
    reply: StopReply | None = None
    is_finished: bool = False  # nothing more will come from it
    was_told_to_end: bool = False

    @property
    def is_over(self) -> bool:
        """Return True if nothing more is to be sent to it, or heard from it."""
        return self.is_finished or not (self.sockets or self.locks or self.fault == _FULL)

    @property
    def process(self) -> str:
        """Return what a person calls it: `window 4711`."""
        elsewhere = next(filter(None, map(machine, self.locks)), "")
        return " ".join(self.name.split("-")[:2]) + (f" on {elsewhere}" if elsewhere else "")

    def tell_to_end(self) -> None:
        """Send SIGTERM to the process that has its lock open, as the system shows, and to no other."""
        number = process_id(self.name)
        if self.was_told_to_end or number in (0, os.getpid()) or not hasattr(os, "pidfd_open"):
            return
        with suppress(OSError):
            process = os.pidfd_open(number)  # stays with the process: its number may become another's
            try:
                locks = [lock.stat() for lock in self.locks]
                opened = [file.stat() for file in Path(f"/proc/{number}/fd").iterdir() if file.exists()]
                if any(os.path.samestat(lock, file) for lock in locks for file in opened):
                    signal.pidfd_send_signal(process, signal.SIGTERM)
                    self.was_told_to_end = True
            finally:
                os.close(process)

    def result(self) -> StopReply | None:
        """Return what is known of it, None if it does not run."""
        if self.reply is not None:
            return self.reply
        if self.sockets:
            return StopReply(self.process, answered=False)
        if not (self.locks or self.was_told_to_end or self.fault == _FULL):
            return None
        ended = self.was_told_to_end and not self.locks
        return StopReply(
            self.process,
            answered=False,
            unreached=self.fault,
            was_told_to_end=self.was_told_to_end,
            has_ended=ended,
        )


class _Call:
    """One call of `stop`."""

    def __init__(self) -> None:
        self._message = stop_socket.STOP + b" " + secrets.token_hex(8).encode()
        self._programs: dict[str, _Program] = {}
        self._faults: dict[str, str] = {}  # of folders that cannot be looked into
        self._began, self._is_missing = monotonic(), False  # whether a folder was not there
        self._sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._with_answers = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", [self._theirs.fileno()]))]

    def close(self) -> None:
        for sock in (self._sock, self._ours, self._theirs):
            sock.close()

    @property
    def is_over(self) -> bool:
        """Return True if nothing more is to be sent or heard; a missing folder may soon be made anew."""
        looked = not self._is_missing or monotonic() > self._began + stop_socket.TEND_PERIOD + _GRACE
        return looked and all(program.is_over for program in self._programs.values())

    def send(self) -> None:
        """Send to every socket that has not taken it yet; then tell those to end that nothing reaches."""
        for find in STOP_FOLDERS:
            self._look_into(find, SOCKET, self._send_to)
        for find in STOP_FOLDERS:
            self._look_into(find, LOCK, self._note_lock)
        for program in self._programs.values():
            program.locks = set(filter(is_held, program.locks))
            if program.locks and not program.sockets and program.fault != _FULL:
                program.tell_to_end()

    def listen(self, seconds: float) -> None:
        """Wait for one answer."""
        self._ours.settimeout(seconds)
        with suppress(TimeoutError):
            read = read_answer(self._ours.recv(stop_socket.MAX_MESSAGE_BYTES))
            if read is not None and (program := self._programs.get(read[0])) is not None:
                program.reply, program.is_finished = replace(read[1], process=program.process), read[2]

    def result(self) -> StopResult:
        results = [self._programs[name].result() for name in sorted(self._programs)]
        faults = tuple(f"{where}: {why}" for where, why in self._faults.items())
        for find in STOP_FOLDERS:
            with suppress(OSError):
                remove_stale(find())
        return StopResult(tuple(result for result in results if result is not None), faults)

    # --- inside --------------------------------------------------------------------------------------------

    def _look_into(self, find: Callable[[], Path], suffix: str, act: Callable[[Path, bool], None]) -> None:
        """Do this with every such entry of a folder, and note what keeps it from being looked into."""
        where = "A folder of `stop`"
        try:
            folder = find()
            where = str(folder)
            names = sorted(name for name in os.listdir(folder) if name.endswith(suffix))
            private = is_private(folder)
        except FileNotFoundError:
            self._is_missing = True  # no program has made it, or it was removed
            return
        except OSError as error:
            self._faults[where] = error.strerror or str(error)
            return
        if not private:
            self._faults[where] = "other users can reach it"
        for name in names:
            act(folder / name, private)

    def _program(self, path: Path) -> _Program:
        return self._programs.setdefault(path.stem, _Program(path.stem))

    def _send_to(self, path: Path, private: bool) -> None:
        """Send; where others may listen without a socket for an answer, and also if that cannot be passed."""
        program = self._program(path)
        for extra in (self._with_answers, []) if private else ([],):
            if path in program.sockets:
                return
            try:
                with socket_address(path) as address:
                    self._sock.sendmsg([self._message], extra, socket.MSG_DONTWAIT, address)
                program.sockets.add(path)
            except BlockingIOError:
                program.fault = _FULL
                return
            except OSError as error:
                program.fault = program.fault if program.fault == _FULL else error.strerror or str(error)

    def _note_lock(self, path: Path, private: bool) -> None:
        self._program(path).locks.add(path)


def read_answer(data: bytes) -> tuple[str, StopReply, bool] | None:
    """Return who answers, what it did, and whether this is its last word; None if it cannot be read."""
    try:
        body = json.loads(data)
        name, robot, seconds = str(body["from"]), str(body["robot"]), body["standstill"]
        stood = float(seconds) if isinstance(seconds, int | float) and 0 <= seconds < 1e9 else None
        return name, StopReply(name, robot, True, stood), bool(body.get("last"))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
