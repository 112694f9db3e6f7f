"""Bind a program's names and make closures of its nodes. What cannot be bound is refused before it starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from robots.ur5e.emulator.urscript.closures import (
    QUICK,
    Code,
    Flow,
    Frame,
    Routine,
    Waiting,
    assign,
    binary,
    combine,
    enter,
    give_back,
    logic,
    loop,
    named,
    on_thread,
    read,
    unnamed,
    visit,
    word_code,
)
from robots.ur5e.emulator.urscript.functions import PURE, Builtin, builtin
from robots.ur5e.emulator.urscript.motion_functions import MOTION, NOT_EMULATED, refusing
from robots.ur5e.emulator.urscript.nodes import (
    Assign,
    AssignItem,
    Binary,
    Block,
    Call,
    Constant,
    Do,
    Expression,
    If,
    Index,
    ListOf,
    Logic,
    Name,
    OnThread,
    PoseOf,
    Return,
    Run,
    Script,
    ScriptError,
    Statement,
    Unary,
    Value,
    While,
    Word,
)
from robots.ur5e.emulator.urscript.operators import (
    BINARY,
    UNARY,
    copied,
    item,
    list_of,
    pose_of,
    set_item,
    truth,
)
from robots.ur5e.emulator.urscript.parser import parse
from robots.ur5e.emulator.urscript.robot_functions import ROBOT

BUILTINS: Mapping[str, Builtin] = {
    **PURE,
    **ROBOT,
    **MOTION,
    **{name: builtin(refusing(name)) for name in NOT_EMULATED},
}


@dataclass(frozen=True)
class Linked:
    kind: str
    name: str
    body: Code
    empty: bool


@lru_cache(maxsize=32)
def load(text: str) -> Linked:
    """Raises ScriptError for what is no script, a name that nothing defines, and calls that do not fit."""
    script = parse(text)
    linker = _Linker(script)
    for function in script.functions:
        body = linker.block(function.body, in_loop=False)
        linker.routines[function.name].body = body
    body = linker.block(script.body, in_loop=False)
    return Linked(script.kind, script.name, body, not script.body and not script.functions)


class _Linker:
    def __init__(self, script: Script) -> None:
        self.routines = {f.name: Routine(f.kind, f.parameters, f.defaults) for f in script.functions}
        self._variables = _assigned(script)

    # --- statements ----------------------------------------------------------------------------------------

    def block(self, block: Block, in_loop: bool) -> Code:
        steps = [(self._statement(s, in_loop), s.line) for s in block]
        cost = len(steps) + sum(code.cost for code, _ in steps)

        def quick(frame: Frame) -> Flow | None:
            task = frame.task
            for code, line in steps:
                task.line = line
                flow = code.run(frame)
                if flow is not None:
                    return flow
            task.interpreter.spend(cost)
            return None

        if cost <= QUICK and not any(code.waits for code, _ in steps):
            return Code(False, quick, cost)

        def run(frame: Frame) -> Waiting:
            task = frame.task
            for code, line in steps:
                task.line = line
                if task.interpreter.spend(1):
                    yield
                flow = (yield from code.run(frame)) if code.waits else code.run(frame)
                if flow is not None:
                    return flow
            return None

        return Code(True, run)

    def _statement(self, statement: Statement, in_loop: bool) -> Code:
        match statement:
            case Assign(scope, name, value):
                return combine([self._expression(value)], lambda f, v: assign(f, scope, name, v[0]))
            case AssignItem(name, indices, value):
                self._known(name, statement.line, 1)
                codes = [self._expression(e) for e in (*indices, value)]
                return combine(codes, lambda f, v: set_item(read(f, name), v[:-1], v[-1]))
            case Do(value):
                return combine([self._expression(value)], lambda f, v: None)
            case If():
                return self._if(statement, in_loop)
            case While(condition, body):
                return loop(self._expression(condition), self.block(body, True))
            case Return(value):
                codes = [] if value is None else [self._expression(value)]
                return combine(codes, give_back)
            case Word(word, line):
                if word in ("break", "continue"):
                    if not in_loop:
                        raise ScriptError(f"compile_error_{word}_outside_loop", line)
                    flow = Flow(word)
                    return Code(False, lambda f: flow)
                return word_code(word)
            case OnThread(word, thread):
                return on_thread(word, self._expression(thread))
        raise AssertionError(statement)

    def _if(self, statement: If, in_loop: bool) -> Code:
        branches = [(self._expression(c), self.block(b, in_loop)) for c, b in statement.branches]
        otherwise = self.block(statement.otherwise, in_loop)
        cost = sum(c.cost + b.cost for c, b in branches) + otherwise.cost

        def quick(frame: Frame) -> Flow | None:
            for condition, body in branches:
                if truth(condition.run(frame)):
                    return body.run(frame)
            return otherwise.run(frame)

        if cost <= QUICK and not any(c.waits or b.waits for c, b in branches) and not otherwise.waits:
            return Code(False, quick, cost)

        def run(frame: Frame) -> Waiting:
            for condition, body in branches:
                value = (yield from condition.run(frame)) if condition.waits else condition.run(frame)
                if truth(value):
                    return (yield from body.run(frame)) if body.waits else body.run(frame)
            return (yield from otherwise.run(frame)) if otherwise.waits else otherwise.run(frame)

        return Code(True, run)

    # --- expressions ---------------------------------------------------------------------------------------

    def _expression(self, node: Expression) -> Code:
        match node:
            case Constant(value):
                return Code(False, lambda f: value)
            case Name(name, line):
                self._known(name, line, 1)
                return Code(False, lambda f: read(f, name))
            case ListOf(items):
                return combine([self._expression(i) for i in items], lambda f, v: list_of(v))
            case PoseOf(items):
                return combine([self._expression(i) for i in items], lambda f, v: pose_of(v))
            case Unary(operator, operand):
                one = UNARY[operator]
                return combine([self._expression(operand)], lambda f, v: one(v[0]))
            case Binary(operator, left, right):
                two = BINARY[operator]
                return binary(two, self._expression(left), self._expression(right))
            case Logic(operator, left, right):
                return logic(operator == "or", self._expression(left), self._expression(right))
            case Index(base, index):
                codes = [self._expression(base), self._expression(index)]
                return combine(codes, lambda f, v: item(v[0], v[1]))
            case Call():
                return self._call(node)
            case Run(call):
                return self._run(call)
        raise AssertionError(node)

    def _known(self, name: str, line: int, column: int) -> None:
        if name not in self._variables:
            raise ScriptError(f"compile_error_name_not_found:{name}:", line, column)

    def _call(self, call: Call) -> Code:
        routine = self.routines.get(call.name)
        if routine is not None and routine.kind != "thread":
            return self._routine(call, routine)
        found = BUILTINS.get(call.name)
        if found is None:
            raise ScriptError(f"compile_error_name_not_found:{call.name}:", call.line, call.column)
        if found.many:
            codes = [self._expression(e) for e in (*call.arguments, *(e for _, e in call.named))]
            names: list[str | None] = [None] * len(codes)
        else:
            codes, names = self._arguments(call, found.parameters, found.required)
        run = found.run
        if not found.waits and not any(names):
            return combine(codes, lambda f, v: run(f.interpreter.machine, *v))
        if not found.waits:
            return combine(
                codes, lambda f, v: run(f.interpreter.machine, *unnamed(v, names), **named(v, names))
            )

        def waiting(frame: Frame) -> Waiting:
            values = []
            for code in codes:
                values.append((yield from code.run(frame)) if code.waits else code.run(frame))
            return (
                yield from run(frame.interpreter.machine, *unnamed(values, names), **named(values, names))
            )

        return Code(True, waiting)

    def _arguments(
        self, call: Call, parameters: Sequence[str], required: int
    ) -> tuple[list[Code], list[str | None]]:
        """Codes, and for each None where it goes by place, or its parameter's name."""
        given = [*parameters[: len(call.arguments)], *(name for name, _ in call.named)]
        clean = {p.rstrip("_"): p for p in parameters}
        given = [clean.get(name, name) for name in given]
        missing = set(parameters[:required]) - set(given)
        strange = set(given) - set(parameters)
        if len(call.arguments) > len(parameters) or missing or strange or len(set(given)) < len(given):
            wants = ", ".join(p.rstrip("_") for p in parameters) or "nothing"
            raise ScriptError(f"compile_error_arguments:{call.name}: takes {wants}", call.line, call.column)
        codes = [self._expression(e) for e in (*call.arguments, *(e for _, e in call.named))]
        return codes, [*[None] * len(call.arguments), *given[len(call.arguments) :]]

    def _routine(self, call: Call, routine: Routine) -> Code:
        codes, names = self._arguments(call, routine.parameters, routine.required)
        places = [name or routine.parameters[i] for i, name in enumerate(names)]
        for name, default in zip(routine.parameters[routine.required :], routine.defaults, strict=True):
            if name not in places:
                places.append(name)
                codes.append(self._expression(default))
        body = routine.body  # unknown yet where functions call one another
        if body is not None and not body.waits:
            return combine(codes, lambda f, v: visit(f, body, places, v), body.cost)

        def run(frame: Frame) -> Waiting:
            values: dict[str, Value] = {}
            for place, code in zip(places, codes, strict=True):
                values[place] = copied((yield from code.run(frame)) if code.waits else code.run(frame))
            return (yield from enter(frame, routine, values))

        return Code(True, run)

    def _run(self, call: Call) -> Code:
        routine = self.routines.get(call.name)
        if routine is None or routine.kind != "thread":
            raise ScriptError(f"compile_error_name_not_found:{call.name}:", call.line, call.column)
        if call.arguments or call.named or routine.parameters:
            raise ScriptError(f"compile_error_arguments:{call.name}: takes nothing", call.line, call.column)

        def start(frame: Frame, values: list[Value]) -> Value:
            assert routine.body is not None
            return frame.interpreter.start_thread(call.name, routine.body)

        return combine([], start)


def _assigned(script: Script) -> frozenset[str]:
    """Every name that some statement or parameter of the program sets."""
    names: set[str] = set()

    def visit(block: Block) -> None:
        for s in block:
            if isinstance(s, Assign):
                names.add(s.name)
            elif isinstance(s, While):
                visit(s.body)
            elif isinstance(s, If):
                for _, body in s.branches:
                    visit(body)
                visit(s.otherwise)

    visit(script.body)
    for function in script.functions:
        names.update(function.parameters)
        visit(function.body)
    return frozenset(names)
