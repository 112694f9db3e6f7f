"""A program at work: its threads in turn, a cycle at a time."""

from __future__ import annotations

from collections.abc import Iterator

from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.motion import OutOfReach
from robots.ur5e.emulator.urscript.closures import Code, Frame, running
from robots.ur5e.emulator.urscript.link import load
from robots.ur5e.emulator.urscript.machine import Machine
from robots.ur5e.emulator.urscript.nodes import Handle, ScriptError, Value
from robots.ur5e.modes import Runtime

_SHARE = 300  # statements in one cycle
_PATIENCE = 250  # cycles in a row that a program may use its whole share
_THREADS = 50


class Task:
    """One thread of the program."""

    def __init__(self, interpreter: Interpreter, number: int, body: Code) -> None:
        self.interpreter, self.number = interpreter, number
        self.line = self.depth = 0
        self.steps: Iterator[None] = running(body, Frame(interpreter, self, {}))


class Interpreter:
    """One program on the controller; each `tick` is a cycle. Emulator's thread.

    A secondary program runs beside the main one, moves nothing and takes no time.
    """

    def __init__(self, c: Controller, text: str) -> None:
        """Raises ScriptError for a program that cannot start."""
        linked = load(text)
        self.name, self.secondary = linked.name, linked.kind == "sec"
        self.empty = linked.empty
        self.machine = Machine(c, self.secondary)
        self.globals: dict[str, Value] = {}
        self.done = self.halted = False
        self.error: ScriptError | None = None  # why it cannot go on
        self._c = c
        self._spent = self._late = 0
        self._tasks: dict[int, Task] = {}
        self._critical: Task | None = None
        self._begun = 0
        self._main = self._add(linked.body)

    @property
    def line(self) -> int:
        """The main thread's line now."""
        return self._main.line

    def drop_motion(self) -> None:
        self.machine.drop()

    def tick(self) -> None:
        """Raises OutOfReach. `done` or `error` says that it was the last."""
        self.machine.advance()
        self._spent = 0
        for task in tuple(self._tasks.values()):
            if task.number in self._tasks and self._may_go_on():
                self._step(task)
        if self.halted or self._main.number not in self._tasks:
            self.done = True
        self._late = self._late + 1 if self._spent >= _SHARE else 0
        if self._late > _PATIENCE:
            self.error = ScriptError("The runtime is too much behind", self._main.line)

    def _may_go_on(self) -> bool:
        playing = self.secondary or self._c.runtime is Runtime.PLAYING
        return playing and not self.halted and self.error is None

    def _step(self, task: Task) -> None:
        if self._critical not in (None, task):
            return
        self.machine.task = task.number
        try:
            next(task.steps)
        except StopIteration:
            self._remove(task)
        except ScriptError as error:
            self.error = ScriptError(error.text, error.line or task.line, error.column)
        except OutOfReach:
            raise
        except Exception as error:  # a value that none of the functions thought of
            self.error = ScriptError(f"{type(error).__name__}: {error}", task.line)

    # --- what statements ask for ---------------------------------------------------------------------------

    def spend(self, statements: int) -> bool:
        """So many statements more; whether this cycle's share is used up."""
        self._spent += statements
        return self._spent >= _SHARE

    def start_thread(self, name: str, body: Code) -> Handle:
        if len(self._tasks) >= _THREADS:
            raise ScriptError(f"{name}: more than {_THREADS} threads")
        return Handle(self._add(body).number)

    def kill(self, thread: Value) -> None:
        """What is no thread, or one that has ended, is left alone."""
        task = self._tasks.get(thread.number) if isinstance(thread, Handle) else None
        if task is not None:
            self._remove(task)
            self.machine.killed(task.number)

    def alive(self, thread: Value) -> bool:
        return isinstance(thread, Handle) and thread.number in self._tasks

    def enter(self, task: Task) -> bool:
        if self._critical not in (None, task):
            return False
        self._critical = task
        return True

    def exit(self, task: Task) -> None:
        if self._critical is task:
            self._critical = None

    def _add(self, body: Code) -> Task:
        self._begun += 1
        task = self._tasks[self._begun] = Task(self, self._begun, body)
        return task

    def _remove(self, task: Task) -> None:
        self._tasks.pop(task.number, None)
        self.exit(task)
