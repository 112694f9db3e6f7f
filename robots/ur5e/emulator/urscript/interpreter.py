"""Run a program: its threads in turn, cycle by cycle."""

from __future__ import annotations

from collections.abc import Iterator

from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.motion import OutOfReach
from robots.ur5e.emulator.urscript.closures import CallFrame, CompiledNode, thread_body
from robots.ur5e.emulator.urscript.compiler import compile_program
from robots.ur5e.emulator.urscript.nodes import ScriptError, ScriptValue, ThreadHandle
from robots.ur5e.emulator.urscript.runtime import ScriptRuntime
from robots.ur5e.modes import RuntimeState

_STATEMENTS_PER_CYCLE = 300  # statements per cycle
_MAX_OVERRUN_CYCLES = 250  # successive cycles in which a program may use its whole share
_MAX_THREADS = 50


class ScriptThread:
    """One thread of the program."""

    def __init__(self, interpreter: Interpreter, number: int, body: CompiledNode) -> None:
        self.interpreter, self.number = interpreter, number
        self.line = self.depth = 0
        self.steps: Iterator[None] = thread_body(body, CallFrame(interpreter, self, {}))


class Interpreter:
    """One program on the controller; each `tick` is a cycle. Belongs to the emulator's thread.

    A secondary program runs beside the main one, moves nothing and takes no time.
    """

    def __init__(self, c: Controller, text: str) -> None:
        """Compile a program. Raises ScriptError if it cannot start."""
        linked = compile_program(text)
        self.name, self.secondary = linked.name, linked.kind == "sec"
        self.empty = linked.empty
        self.runtime = ScriptRuntime(c, self.secondary)
        self.globals: dict[str, ScriptValue] = {}
        self.done = self.halted = False
        self.error: ScriptError | None = None  # why it cannot continue
        self._c = c
        self._spent = self._overrun_cycles = 0
        self._tasks: dict[int, ScriptThread] = {}
        self._critical: ScriptThread | None = None
        self._last_number = 0
        self._main = self._add(linked.body)

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
        for task in tuple(self._tasks.values()):
            if task.number in self._tasks and self._may_continue():
                self._step(task)
        if self.halted or self._main.number not in self._tasks:
            self.done = True
        self._overrun_cycles = self._overrun_cycles + 1 if self._spent >= _STATEMENTS_PER_CYCLE else 0
        if self._overrun_cycles > _MAX_OVERRUN_CYCLES:
            self.error = ScriptError("The runtime is too much behind", self._main.line)

    def _may_continue(self) -> bool:
        playing = self.secondary or self._c.runtime is RuntimeState.PLAYING
        return playing and not self.halted and self.error is None

    def _step(self, task: ScriptThread) -> None:
        if self._critical not in (None, task):
            return
        self.runtime.task = task.number
        try:
            next(task.steps)
        except StopIteration:
            self._remove(task)
        except ScriptError as error:
            self.error = ScriptError(error.text, error.line or task.line, error.column)
        except OutOfReach:
            raise
        except Exception as error:  # a value that no function anticipates
            self.error = ScriptError(f"{type(error).__name__}: {error}", task.line)

    # --- services to the statements ------------------------------------------------------------------------

    def charge(self, statements: int) -> bool:
        """Count statements against this cycle's share. Return True if it is used up."""
        self._spent += statements
        return self._spent >= _STATEMENTS_PER_CYCLE

    def start_thread(self, name: str, body: CompiledNode) -> ThreadHandle:
        if len(self._tasks) >= _MAX_THREADS:
            raise ScriptError(f"{name}: more than {_MAX_THREADS} threads")
        return ThreadHandle(self._add(body).number)

    def kill_thread(self, thread: ScriptValue) -> None:
        """Kill a thread. Anything that is not a running thread is ignored."""
        task = self._tasks.get(thread.number) if isinstance(thread, ThreadHandle) else None
        if task is not None:
            self._remove(task)
            self.runtime.on_thread_killed(task.number)

    def is_alive(self, thread: ScriptValue) -> bool:
        return isinstance(thread, ThreadHandle) and thread.number in self._tasks

    def enter_critical(self, task: ScriptThread) -> bool:
        if self._critical not in (None, task):
            return False
        self._critical = task
        return True

    def exit_critical(self, task: ScriptThread) -> None:
        if self._critical is task:
            self._critical = None

    def _add(self, body: CompiledNode) -> ScriptThread:
        self._last_number += 1
        task = self._tasks[self._last_number] = ScriptThread(self, self._last_number, body)
        return task

    def _remove(self, task: ScriptThread) -> None:
        self._tasks.pop(task.number, None)
        self.exit_critical(task)
