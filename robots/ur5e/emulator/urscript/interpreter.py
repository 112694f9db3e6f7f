"""Run a program: its threads in turn, cycle by cycle."""

from __future__ import annotations

from dataclasses import dataclass

from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.motion import OutOfReach
from robots.ur5e.emulator.urscript.compiler import Body, StackFrame, compile_program
from robots.ur5e.emulator.urscript.runtime import Cycles, ScriptRuntime
from robots.ur5e.emulator.urscript.values import ScriptError, ScriptValue, ThreadHandle
from robots.ur5e.modes import RuntimeState

_STATEMENTS_PER_CYCLE = 300  # statements per cycle
_MAX_OVERRUN_CYCLES = 250  # successive cycles in which a program may use its whole share
_MAX_THREADS = 50


@dataclass(eq=False)
class ScriptThread:
    """One thread of the program."""

    number: int
    steps: Cycles
    line: int = 0


class Interpreter:
    """One program on the controller; each `tick` is a cycle. Belongs to the emulator's thread.

    A secondary program runs beside the main one, moves nothing and takes no time.
    """

    def __init__(self, c: Controller, text: str) -> None:
        """Compile a program. Raises ScriptError if it cannot start."""
        compiled = compile_program(text)
        self.name, self.secondary = compiled.name, compiled.kind == "sec"
        self.empty = compiled.empty
        self.runtime = ScriptRuntime(c, self.secondary)
        self.done = self.halted = False
        self.error: ScriptError | None = None  # why it cannot continue
        self._c = c
        self._spent = self._overrun_cycles = 0
        self._globals: dict[str, ScriptValue] = {}
        self._threads: dict[int, ScriptThread] = {}
        self._critical: ScriptThread | None = None
        self._last_number = 0
        self._running = self._main = self._add(compiled.main)

    @property
    def line(self) -> int:
        """Return the main thread's current line."""
        return self._main.line

    def drop_motion(self) -> None:
        self.runtime.drop_motion()

    def tick(self) -> None:
        """Run one cycle; `done` or `error` is set after the last one. Raises OutOfReach."""
        self.runtime.advance()
        self._spent = 0
        for thread in tuple(self._threads.values()):
            if thread.number in self._threads and self._may_continue():
                self._step(thread)
        if self.halted or self._main.number not in self._threads:
            self.done = True
        self._overrun_cycles = self._overrun_cycles + 1 if self._spent >= _STATEMENTS_PER_CYCLE else 0
        if self._overrun_cycles > _MAX_OVERRUN_CYCLES:
            self.error = ScriptError("The runtime is too much behind", self._main.line)

    def _may_continue(self) -> bool:
        playing = self.secondary or self._c.runtime is RuntimeState.PLAYING
        return playing and not self.halted and self.error is None

    def _step(self, thread: ScriptThread) -> None:
        if self._critical not in (None, thread):
            return
        self._running, self.runtime.task = thread, thread.number
        try:
            next(thread.steps)
        except StopIteration:
            self._remove(thread)
        except ScriptError as error:
            self.error = ScriptError(error.text, error.line or thread.line, error.column)
        except OutOfReach:
            raise
        except Exception as error:  # a value that no function anticipates
            self.error = ScriptError(f"{type(error).__name__}: {error}", thread.line)

    # --- services to the compiled program -------------------------------------------------------------------

    def begin(self, line: int) -> bool:
        """Count a statement against this cycle's share. Return True if it is used up."""
        self._running.line = line
        self._spent += 1
        return self._spent >= _STATEMENTS_PER_CYCLE

    def returned(self, line: int, value: ScriptValue) -> ScriptValue:
        """Note that a call has returned to this line."""
        self._running.line = line
        return value

    def start_thread(self, name: str, body: Body) -> ThreadHandle:
        if len(self._threads) >= _MAX_THREADS:
            raise ScriptError(f"{name}: more than {_MAX_THREADS} threads")
        return ThreadHandle(self._add(body).number)

    def kill(self, handle: ScriptValue) -> None:
        """Kill a thread. Anything that is not a running thread is ignored."""
        thread = self._threads.get(handle.number) if isinstance(handle, ThreadHandle) else None
        if thread is not None:
            self._remove(thread)
            self.runtime.on_thread_killed(thread.number)

    def join(self, handle: ScriptValue) -> Cycles:
        while isinstance(handle, ThreadHandle) and handle.number in self._threads:
            yield

    def halt(self) -> Cycles:
        self.halted = True
        yield

    def enter_critical(self) -> Cycles:
        while self._critical not in (None, self._running):
            yield
        self._critical = self._running

    def exit_critical(self) -> None:
        if self._critical is self._running:
            self._critical = None

    def _add(self, body: Body) -> ScriptThread:
        self._last_number += 1
        steps = body(self, StackFrame(self._globals, {}))
        thread = self._threads[self._last_number] = ScriptThread(self._last_number, steps)
        return thread

    def _remove(self, thread: ScriptThread) -> None:
        self._threads.pop(thread.number, None)
        if self._critical is thread:
            self._critical = None
