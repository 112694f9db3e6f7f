"""A program's nodes as closures, run one after the other and cycle by cycle."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from robots.ur5e.emulator.urscript.nodes import Expression, ScriptError, ScriptValue
from robots.ur5e.emulator.urscript.operators import copy_value, require_boolean

MAX_INLINE_COST = 40  # statements without loops and waits, hence without generators, that run in one go
_MAX_CALL_DEPTH = 30  # nested calls
_MAX_EXPRESSION_COST = 2000  # statements of functions called in one expression


class Flow(Enum):
    """How a statement ends when the next one does not simply follow."""

    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"


class CallFrame:
    """One call: its variables and its return value."""

    __slots__ = ("globals", "interpreter", "locals", "result", "task")

    def __init__(self, interpreter: Any, task: Any, variables: dict[str, ScriptValue]) -> None:
        self.interpreter, self.task = interpreter, task
        self.globals: dict[str, ScriptValue] = interpreter.globals
        self.locals = variables
        self.result: ScriptValue = None


@dataclass(frozen=True)
class CompiledNode:
    """A compiled node: `run(frame)` returns its value, or if it `suspends` a generator that does.

    The generator yields once per cycle. `cost` is the greatest number of statements that the node runs, if it
    does not wait.
    """

    suspends: bool
    run: Callable[[CallFrame], Any]
    cost: int = 0


Suspension = Generator[None, None, Any]


@dataclass
class Routine:
    """A function of the program. `body` is set once all routines are known."""

    kind: str
    parameters: tuple[str, ...]
    defaults: tuple[Expression, ...]
    body: CompiledNode | None = None

    @property
    def required(self) -> int:
        return len(self.parameters) - len(self.defaults)


def thread_body(body: CompiledNode, frame: CallFrame) -> Suspension:
    """Run the body of a thread."""
    return (yield from body.run(frame)) if body.suspends else body.run(frame)


def combine(
    codes: Sequence[CompiledNode], apply: Callable[[CallFrame, list[ScriptValue]], Any], cost: int = 0
) -> CompiledNode:
    """Combine nodes: evaluate all, then apply, at an additional cost."""
    cost += sum(code.cost for code in codes)
    if cost > _MAX_EXPRESSION_COST:
        raise ScriptError("expression_too_long")
    if not any(code.suspends for code in codes):
        runs = [code.run for code in codes]
        if len(runs) == 1:
            only = runs[0]
            return CompiledNode(False, lambda f: apply(f, [only(f)]), cost)
        return CompiledNode(False, lambda f: apply(f, [run(f) for run in runs]), cost)

    def waiting(frame: CallFrame) -> Suspension:
        values = []
        for code in codes:
            values.append((yield from code.run(frame)) if code.suspends else code.run(frame))
        return apply(frame, values)

    return CompiledNode(True, waiting)


def binary_operation(
    apply: Callable[[ScriptValue, ScriptValue], ScriptValue], left: CompiledNode, right: CompiledNode
) -> CompiledNode:
    if left.suspends or right.suspends:
        return combine([left, right], lambda f, v: apply(v[0], v[1]))
    one, other = left.run, right.run
    return CompiledNode(False, lambda f: apply(one(f), other(f)), left.cost + right.cost)


def compare_number(name: str, number: float) -> CompiledNode:
    """Compare a variable with a constant: as programs look up what a client wants, 20 times a tick."""

    def run(frame: CallFrame) -> bool:
        variables = frame.locals
        value = variables[name] if name in variables else read_variable(frame, name)
        return value == number and value is not True and value is not False

    return CompiledNode(False, run)


def boolean_operation(decides: bool, left: CompiledNode, right: CompiledNode) -> CompiledNode:
    if not (left.suspends or right.suspends):
        one, other, undecided = left.run, right.run, not decides

        def quick(frame: CallFrame) -> bool:
            value = one(frame)
            if value is undecided:
                value = other(frame)
            return value if value is decides or value is undecided else require_boolean(value)

        return CompiledNode(False, quick, left.cost + right.cost)

    def waiting(frame: CallFrame) -> Suspension:
        value = require_boolean((yield from left.run(frame)) if left.suspends else left.run(frame))
        if value is decides:
            return value
        return require_boolean((yield from right.run(frame)) if right.suspends else right.run(frame))

    return CompiledNode(True, waiting)


def while_loop(condition: CompiledNode, body: CompiledNode) -> CompiledNode:
    def run(frame: CallFrame) -> Suspension:
        while True:
            value = (yield from condition.run(frame)) if condition.suspends else condition.run(frame)
            if not require_boolean(value):
                return None
            if frame.task.interpreter.charge(1):
                yield
            flow = (yield from body.run(frame)) if body.suspends else body.run(frame)
            if flow is Flow.BREAK:
                return None
            if flow is Flow.RETURN:
                return flow

    return CompiledNode(True, run)


def call_inline(
    frame: CallFrame, body: CompiledNode, places: list[str], values: list[ScriptValue]
) -> ScriptValue:
    """Call a function of the program that neither waits nor loops."""
    task = frame.task
    line = task.line
    inner = CallFrame(
        frame.interpreter, task, {p: copy_value(v) for p, v in zip(places, values, strict=True)}
    )
    body.run(inner)
    task.line = line
    return inner.result


def call_routine(frame: CallFrame, routine: Routine, values: dict[str, ScriptValue]) -> Suspension:
    """Call a function of the program."""
    task = frame.task
    line = task.line
    assert routine.body is not None
    if task.depth >= _MAX_CALL_DEPTH:
        raise ScriptError("functions call one another too deeply")
    task.depth += 1
    inner = CallFrame(frame.interpreter, task, values)
    if routine.body.suspends:
        yield from routine.body.run(inner)
    else:
        routine.body.run(inner)
    task.depth -= 1
    task.line = line
    return inner.result


def simple_statement(word: str) -> CompiledNode:
    def waiting(frame: CallFrame) -> Suspension:
        while not frame.interpreter.enter_critical(frame.task):
            yield

    def run(frame: CallFrame) -> None:
        if word == "exit_critical":
            frame.interpreter.exit_critical(frame.task)
        elif word == "halt":
            frame.interpreter.halted = True

    return CompiledNode(True, waiting) if word == "enter_critical" else CompiledNode(False, run)


def thread_statement(word: str, thread: CompiledNode) -> CompiledNode:
    def run(frame: CallFrame) -> Suspension:
        handle = (yield from thread.run(frame)) if thread.suspends else thread.run(frame)
        if word == "kill":
            frame.interpreter.kill_thread(handle)
            return
        while frame.interpreter.is_alive(handle):
            yield

    return CompiledNode(True, run)


def assign_variable(frame: CallFrame, scope: str, name: str, value: ScriptValue) -> None:
    if scope == "global" or (not scope and name not in frame.locals and name in frame.globals):
        frame.globals[name] = copy_value(value)
    else:
        frame.locals[name] = copy_value(value)


def read_variable(frame: CallFrame, name: str) -> ScriptValue:
    if name in frame.locals:
        return frame.locals[name]
    if name in frame.globals:
        return frame.globals[name]
    raise ScriptError(f"the variable {name} has no value yet")


def return_value(frame: CallFrame, values: list[ScriptValue]) -> Flow:
    frame.result = values[0] if values else None
    return Flow.RETURN


def positional_arguments(values: Sequence[ScriptValue], names: Sequence[str | None]) -> list[ScriptValue]:
    return [v for v, n in zip(values, names, strict=True) if n is None]


def keyword_arguments(values: Sequence[ScriptValue], names: Sequence[str | None]) -> dict[str, ScriptValue]:
    return {n: v for v, n in zip(values, names, strict=True) if n is not None}
