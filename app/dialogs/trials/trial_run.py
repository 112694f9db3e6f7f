"""The verb `bench` in a process of its own, so that neither the window nor a robot waits for it."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from core.evaluation.table import ResultRow
from core.install_paths import ROOT

ENDING = 5_000  # ms to write its files; then it is killed
CTRL_C = 130  # what it returns after SIGINT, with the trials done so far


class RunState(Enum):
    IDLE = "idle"
    RUNNING = "running"
    ENDING = "ending"  # the process
    STOPPED = "stopped"  # with trials left to do
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class TrialProgress:
    """What the process told last; `seconds_left` is None as long as it cannot be told."""

    done: int = 0
    total: int = 0
    lost: int = 0
    lines: tuple[ResultRow, ...] = ()
    seconds_left: float | None = None


class TrialRun(QObject):
    """One experiment at a time, which goes on while its dialog is closed. GUI thread only.

    Every finished trial is in the database at once: started again with `reuse`, it goes on where it was
    stopped, also after the program has been closed in between.
    """

    changed = Signal()

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.database, self.report = folder / "trials.db", folder / "trials.html"
        self.state, self.progress, self.fault = RunState.IDLE, TrialProgress(), ""
        self.arguments: tuple[str, ...] = ()
        self._process = process = QProcess(self)
        # Else a window started with SIGINT ignored, as with nohup, hands that on, and a pause would be lost.
        process.setUnixProcessParameters(QProcess.UnixProcessFlag.ResetSignalHandlers)
        process.setProgram(sys.executable)
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._failed)
        self._patience = QTimer(self, singleShot=True, interval=ENDING)
        self._patience.timeout.connect(process.kill)
        self._began, self._before = 0.0, 0  # of this process: when, and how many trials were done already

    def start(self, words: Sequence[str], reuse: bool) -> None:
        """Start an experiment, given as options of `bench`. With `reuse`, finished trials count."""
        if self._process.state() is not QProcess.ProcessState.NotRunning:
            return
        self.arguments, self.progress, self.fault = tuple(words), TrialProgress(), ""
        files = ("--database", str(self.database), "--report", str(self.report))
        resumed = ("--resume",) if reuse else ()
        command = (str(ROOT / "main.py"), "bench", *words, *files, *resumed, "--follow")
        self._process.setArguments(command)
        self._began, self._before = 0.0, 0
        self._show(RunState.RUNNING)
        self._process.start()

    def stop(self) -> None:
        """End it; its finished trials stay in the database."""
        if self.state is RunState.RUNNING:
            self._interrupt()
            self._patience.start()
            self._show(RunState.ENDING)

    def close(self) -> None:
        """End the process and wait for that, because the program ends."""
        process = self._process
        process.blockSignals(True)
        self._interrupt()
        if not process.waitForFinished(ENDING // 2):
            process.kill()
            process.waitForFinished(ENDING // 2)

    def _interrupt(self) -> None:
        if self._process.waitForStarted():
            with suppress(ProcessLookupError):
                os.kill(self._process.processId(), signal.SIGINT)

    def _read(self) -> None:
        while self._process.canReadLine():
            with suppress(ValueError, TypeError, KeyError):
                self._take(json.loads(bytes(self._process.readLine().data())))
        self.changed.emit()

    def _take(self, told: dict[str, object]) -> None:
        done, total, lost, rows = (told[name] for name in ("done", "total", "lost", "lines"))
        assert isinstance(done, int) and isinstance(total, int) and isinstance(lost, int)
        assert isinstance(rows, list)
        now = time.monotonic()
        if not self._began:
            self._began, self._before = now, done
        new = done - self._before
        left = (now - self._began) / new * (total - done) if new else None
        self.progress = TrialProgress(done, total, lost, tuple(ResultRow(**row) for row in rows), left)

    def _finished(self, code: int, status: QProcess.ExitStatus) -> None:
        self._read()
        self._patience.stop()
        said = bytes(self._process.readAllStandardError().data()).decode(errors="replace")
        if code in (0, 1) and status is QProcess.ExitStatus.NormalExit:
            self._show(RunState.DONE)
        elif self.state is RunState.ENDING or code == CTRL_C:
            self._show(RunState.STOPPED)
        else:
            self.fault = (said.strip().splitlines() or [f"it ended with code {code}"])[-1]
            self._show(RunState.FAILED)

    def _failed(self, error: QProcess.ProcessError) -> None:
        """Show that the process could not be started; all else ends with `finished`."""
        if error is QProcess.ProcessError.FailedToStart:
            self.fault = "its process could not be started"
            self._show(RunState.FAILED)

    def _show(self, state: RunState) -> None:
        self.state = state
        self.changed.emit()
