"""Compile a program to the Python that it means, and run it: its threads in turn, cycle by cycle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.motion import OutOfReach
from robots.ur5e.emulator.urscript.builtin_functions import Builtin, builtin
from robots.ur5e.emulator.urscript.functions import PURE
from robots.ur5e.emulator.urscript.motion_functions import MOTION, NOT_EMULATED
from robots.ur5e.emulator.urscript.operators import (
    BINARY,
    UNARY,
    copy_value,
    get_item,
    make_list_value,
    make_pose_value,
    require_boolean,
    set_item,
)
from robots.ur5e.emulator.urscript.robot_functions import ROBOT
from robots.ur5e.emulator.urscript.runtime import Cycles, ScriptRuntime
from robots.ur5e.emulator.urscript.translator import BINARY_NAMES, UNARY_NAMES, translate
from robots.ur5e.emulator.urscript.values import ScriptError, ScriptValue, ThreadHandle
from robots.ur5e.modes import RuntimeState

_MAX_CALL_DEPTH = 30  # nested calls


class StackFrame(dict[str, ScriptValue]):
    """A call's own variables; what it does not have is read from the program's global ones."""

    __slots__ = ("_depth", "_globals")

    def __init__(
        self, global_values: dict[str, ScriptValue], values: dict[str, ScriptValue], depth: int = 0
    ) -> None:
        super().__init__({name: copy_value(value) for name, value in values.items()})
        self._globals, self._depth = global_values, depth

    def __missing__(self, name: str) -> ScriptValue:
        if name in self._globals:
            return self._globals[name]
        raise ScriptError(f"the variable {name} has no value yet")

    def inner(self, values: dict[str, ScriptValue]) -> StackFrame:
        """Return the frame of a call from this one, with these arguments."""
        if self._depth >= _MAX_CALL_DEPTH:
            raise ScriptError("functions call one another too deeply")
        return StackFrame(self._globals, values, self._depth + 1)

    def assign_local(self, name: str, value: ScriptValue) -> None:
        self[name] = copy_value(value)

    def assign_global(self, name: str, value: ScriptValue) -> None:
        self._globals[name] = copy_value(value)

    def assign_known(self, name: str, value: ScriptValue) -> None:
        """Assign to the variable where the name is known, else to a new one of the call."""
        variables = self._globals if name not in self and name in self._globals else self
        variables[name] = copy_value(value)


def _not_emulated(name: str) -> Callable[..., ScriptValue]:
    def run(m: ScriptRuntime, *arguments: ScriptValue, **named: ScriptValue) -> ScriptValue:
        raise ScriptError(f"{name} is not emulated")

    return run


BUILTINS: Mapping[str, Builtin] = {
    **PURE,
    **ROBOT,
    **MOTION,
    **{name: builtin(_not_emulated(name)) for name in NOT_EMULATED},
}
# What the Python calls, besides the interpreter `i` and the frame `v` of variables.
_NAMESPACE: Mapping[str, Any] = {
    "boolean": require_boolean,
    "list_value": make_list_value,
    "pose_value": make_pose_value,
    "get_item": get_item,
    "set_item": set_item,
    **{name: BINARY[operator] for operator, name in BINARY_NAMES.items()},
    **{name: UNARY[operator] for operator, name in UNARY_NAMES.items()},
    **{f"builtin_{name}": found.run for name, found in BUILTINS.items()},
}
Body = Callable[[Any, StackFrame], Cycles]  # called with the interpreter


@dataclass(frozen=True)
class CompiledProgram:
    kind: str
    name: str
    main: Body
    empty: bool


@lru_cache(maxsize=32)
def compile_program(text: str) -> CompiledProgram:
    """Compile a program. Raises ScriptError for wrong syntax, an unknown name, wrong arguments."""
    found = translate(text, BUILTINS)
    main, namespace = found.main, {**_NAMESPACE, **found.constants}
    try:
        for function in found.functions:  # Python lets other threads run only between two of them
            exec(function, namespace)
    except (RecursionError, SyntaxError, MemoryError):  # nested too deeply for Python
        raise ScriptError("nesting_too_deep", main.line) from None
    return CompiledProgram(main.kind, main.name, namespace["main"], found.empty)


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
            self.error = ScriptError(error.text, error.line or thread.line)
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
