"""A program's nodes as closures: how they are run, one after the other and a cycle at a time."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from robots.ur5e.emulator.urscript.nodes import Expression, ScriptError, Value
from robots.ur5e.emulator.urscript.operators import copied, truth

QUICK = 40  # statements that run in one go: without loops and waits, and so without generators
_DEEPEST = 30  # calls in one another
_DEAREST = 2000  # statements of functions in one expression


class Flow(Enum):
    """How a statement ends when not by going on to the next."""

    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"


class Frame:
    """One call: its variables, and what it returns."""

    __slots__ = ("globals", "interpreter", "locals", "result", "task")

    def __init__(self, interpreter: Any, task: Any, variables: dict[str, Value]) -> None:
        self.interpreter, self.task = interpreter, task
        self.globals: dict[str, Value] = interpreter.globals
        self.locals = variables
        self.result: Value = None


@dataclass(frozen=True)
class Code:
    """`run(frame)` is the value, or where it `waits` a generator that returns it, an item a cycle.

    `cost`: statements that it runs at most, where it does not wait.
    """

    waits: bool
    run: Callable[[Frame], Any]
    cost: int = 0


Waiting = Generator[None, None, Any]


@dataclass
class Routine:
    """A function of the program. `body` is set once all of them are known."""

    kind: str
    parameters: tuple[str, ...]
    defaults: tuple[Expression, ...]
    body: Code | None = None

    @property
    def required(self) -> int:
        return len(self.parameters) - len(self.defaults)


def running(body: Code, frame: Frame) -> Waiting:
    """A thread of the program."""
    return (yield from body.run(frame)) if body.waits else body.run(frame)


def combine(codes: Sequence[Code], apply: Callable[[Frame, list[Value]], Any], cost: int = 0) -> Code:
    """Evaluate all, then apply, at a cost of its own."""
    cost += sum(code.cost for code in codes)
    if cost > _DEAREST:
        raise ScriptError("expression_too_long")
    if not any(code.waits for code in codes):
        runs = [code.run for code in codes]
        return Code(False, lambda f: apply(f, [run(f) for run in runs]), cost)

    def waiting(frame: Frame) -> Waiting:
        values = []
        for code in codes:
            values.append((yield from code.run(frame)) if code.waits else code.run(frame))
        return apply(frame, values)

    return Code(True, waiting)


def binary(apply: Callable[[Value, Value], Value], left: Code, right: Code) -> Code:
    if left.waits or right.waits:
        return combine([left, right], lambda f, v: apply(v[0], v[1]))
    one, other = left.run, right.run
    return Code(False, lambda f: apply(one(f), other(f)), left.cost + right.cost)


def logic(decides: bool, left: Code, right: Code) -> Code:
    if not (left.waits or right.waits):
        one, other = left.run, right.run
        return Code(
            False,
            lambda f: decides if truth(one(f)) is decides else truth(other(f)),
            left.cost + right.cost,
        )

    def waiting(frame: Frame) -> Waiting:
        value = truth((yield from left.run(frame)) if left.waits else left.run(frame))
        if value is decides:
            return value
        return truth((yield from right.run(frame)) if right.waits else right.run(frame))

    return Code(True, waiting)


def loop(condition: Code, body: Code) -> Code:
    def run(frame: Frame) -> Waiting:
        while True:
            value = (yield from condition.run(frame)) if condition.waits else condition.run(frame)
            if not truth(value):
                return None
            if frame.task.interpreter.spend(1):
                yield
            flow = (yield from body.run(frame)) if body.waits else body.run(frame)
            if flow is Flow.BREAK:
                return None
            if flow is Flow.RETURN:
                return flow

    return Code(True, run)


def visit(frame: Frame, body: Code, places: list[str], values: list[Value]) -> Value:
    """Call a function of the program that neither waits nor loops."""
    task = frame.task
    line = task.line
    inner = Frame(frame.interpreter, task, {p: copied(v) for p, v in zip(places, values, strict=True)})
    body.run(inner)
    task.line = line
    return inner.result


def enter(frame: Frame, routine: Routine, values: dict[str, Value]) -> Waiting:
    """Call a function of the program."""
    task = frame.task
    line = task.line
    assert routine.body is not None
    if task.depth >= _DEEPEST:
        raise ScriptError("functions call one another too deeply")
    task.depth += 1
    inner = Frame(frame.interpreter, task, values)
    if routine.body.waits:
        yield from routine.body.run(inner)
    else:
        routine.body.run(inner)
    task.depth -= 1
    task.line = line
    return inner.result


def word_code(word: str) -> Code:
    def waiting(frame: Frame) -> Waiting:
        while not frame.interpreter.enter(frame.task):
            yield

    def run(frame: Frame) -> None:
        if word == "exit_critical":
            frame.interpreter.exit(frame.task)
        elif word == "halt":
            frame.interpreter.halted = True

    return Code(True, waiting) if word == "enter_critical" else Code(False, run)


def on_thread(word: str, thread: Code) -> Code:
    def run(frame: Frame) -> Waiting:
        handle = (yield from thread.run(frame)) if thread.waits else thread.run(frame)
        if word == "kill":
            frame.interpreter.kill(handle)
            return
        while frame.interpreter.alive(handle):
            yield

    return Code(True, run)


def assign(frame: Frame, scope: str, name: str, value: Value) -> None:
    if scope == "global" or (not scope and name not in frame.locals and name in frame.globals):
        frame.globals[name] = copied(value)
    else:
        frame.locals[name] = copied(value)


def read(frame: Frame, name: str) -> Value:
    if name in frame.locals:
        return frame.locals[name]
    if name in frame.globals:
        return frame.globals[name]
    raise ScriptError(f"the variable {name} has no value yet")


def give_back(frame: Frame, values: list[Value]) -> Flow:
    frame.result = values[0] if values else None
    return Flow.RETURN


def unnamed(values: Sequence[Value], names: Sequence[str | None]) -> list[Value]:
    return [v for v, n in zip(values, names, strict=True) if n is None]


def named(values: Sequence[Value], names: Sequence[str | None]) -> dict[str, Value]:
    return {n: v for v, n in zip(values, names, strict=True) if n is not None}
