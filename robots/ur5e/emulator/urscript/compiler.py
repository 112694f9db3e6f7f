"""Bind a program's names and turn its nodes into closures.

What cannot be bound is rejected before the start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from robots.ur5e.emulator.urscript import nodes
from robots.ur5e.emulator.urscript.builtin_functions import Builtin, builtin
from robots.ur5e.emulator.urscript.closures import (
    MAX_INLINE_COST,
    CallFrame,
    CompiledNode,
    Flow,
    Routine,
    Suspension,
    assign_variable,
    binary_operation,
    boolean_operation,
    call_inline,
    call_routine,
    combine,
    compare_number,
    keyword_arguments,
    positional_arguments,
    read_variable,
    return_value,
    simple_statement,
    thread_statement,
    while_loop,
)
from robots.ur5e.emulator.urscript.functions import PURE
from robots.ur5e.emulator.urscript.motion_functions import MOTION, NOT_EMULATED
from robots.ur5e.emulator.urscript.nodes import ScriptError, ScriptValue
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
from robots.ur5e.emulator.urscript.parser import parse
from robots.ur5e.emulator.urscript.robot_functions import ROBOT
from robots.ur5e.emulator.urscript.runtime import ScriptRuntime


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


@dataclass(frozen=True)
class CompiledProgram:
    kind: str
    name: str
    body: CompiledNode
    empty: bool


@lru_cache(maxsize=32)
def compile_program(text: str) -> CompiledProgram:
    """Compile a program. Raises ScriptError for wrong syntax, an unknown name, wrong arguments."""
    script = parse(text)
    linker = _Compiler(script)
    for function in script.functions:
        body = linker.block(function.body, in_loop=False)
        linker.routines[function.name].body = body
    body = linker.block(script.body, in_loop=False)
    return CompiledProgram(script.kind, script.name, body, not script.body and not script.functions)


class _Compiler:
    def __init__(self, script: nodes.Script) -> None:
        self.routines = {f.name: Routine(f.kind, f.parameters, f.defaults) for f in script.functions}
        self._variables = _assigned_names(script)

    # --- statements ----------------------------------------------------------------------------------------

    def block(self, block: nodes.Block, in_loop: bool) -> CompiledNode:
        steps = [(self._statement(s, in_loop), s.line) for s in block]
        cost = len(steps) + sum(code.cost for code, _ in steps)

        def quick(frame: CallFrame) -> Flow | None:
            task = frame.task
            for code, line in steps:
                task.line = line
                flow: Flow | None = code.run(frame)
                if flow is not None:
                    return flow
            task.interpreter.charge(cost)
            return None

        if cost <= MAX_INLINE_COST and not any(code.suspends for code, _ in steps):
            return CompiledNode(False, quick, cost)

        def run(frame: CallFrame) -> Suspension:
            task = frame.task
            for code, line in steps:
                task.line = line
                if task.interpreter.charge(1):
                    yield
                flow = (yield from code.run(frame)) if code.suspends else code.run(frame)
                if flow is not None:
                    return flow
            return None

        return CompiledNode(True, run)

    def _statement(self, statement: nodes.Statement, in_loop: bool) -> CompiledNode:
        match statement:
            case nodes.Assign(scope, name, value):
                return combine([self._expression(value)], lambda f, v: assign_variable(f, scope, name, v[0]))
            case nodes.AssignSubscript(name, indices, value):
                self._require_variable(name, statement.line, 1)
                codes = [self._expression(e) for e in (*indices, value)]
                return combine(codes, lambda f, v: set_item(read_variable(f, name), v[:-1], v[-1]))
            case nodes.ExpressionStatement(value):
                return combine([self._expression(value)], lambda f, v: None)
            case nodes.If():
                return self._if(statement, in_loop)
            case nodes.While(condition, body):
                return while_loop(self._expression(condition), self.block(body, True))
            case nodes.Return(value):
                codes = [] if value is None else [self._expression(value)]
                return combine(codes, return_value)
            case nodes.SimpleStatement(word, line):
                if word in ("break", "continue"):
                    if not in_loop:
                        raise ScriptError(f"compile_error_{word}_outside_loop", line)
                    flow = Flow(word)
                    return CompiledNode(False, lambda f: flow)
                return simple_statement(word)
            case nodes.ThreadStatement(word, thread):
                return thread_statement(word, self._expression(thread))
        raise AssertionError(statement)

    def _if(self, statement: nodes.If, in_loop: bool) -> CompiledNode:
        branches = [(self._expression(c), self.block(b, in_loop)) for c, b in statement.branches]
        otherwise = self.block(statement.otherwise, in_loop)
        cost = sum(c.cost + b.cost for c, b in branches) + otherwise.cost

        def quick(frame: CallFrame) -> Flow | None:
            taken = otherwise
            for condition, body in branches:
                value = condition.run(frame)
                if value is True or (value is not False and require_boolean(value)):
                    taken = body
                    break
            flow: Flow | None = taken.run(frame)
            return flow

        if (
            cost <= MAX_INLINE_COST
            and not any(c.suspends or b.suspends for c, b in branches)
            and not otherwise.suspends
        ):
            return CompiledNode(False, quick, cost)

        def run(frame: CallFrame) -> Suspension:
            for condition, body in branches:
                value = (yield from condition.run(frame)) if condition.suspends else condition.run(frame)
                if value is True or (value is not False and require_boolean(value)):
                    return (yield from body.run(frame)) if body.suspends else body.run(frame)
            return (yield from otherwise.run(frame)) if otherwise.suspends else otherwise.run(frame)

        return CompiledNode(True, run)

    # --- expressions ---------------------------------------------------------------------------------------

    def _expression(self, node: nodes.Expression) -> CompiledNode:
        match node:
            case nodes.Constant(value):
                return CompiledNode(False, lambda f: value)
            case nodes.Name(name, line):
                self._require_variable(name, line, 1)
                return CompiledNode(False, lambda f: read_variable(f, name))
            case nodes.ListLiteral(items):
                return combine([self._expression(i) for i in items], lambda f, v: make_list_value(v))
            case nodes.PoseLiteral(items):
                return combine([self._expression(i) for i in items], lambda f, v: make_pose_value(v))
            case nodes.UnaryOperation(operator, operand):
                one = UNARY[operator]
                return combine([self._expression(operand)], lambda f, v: one(v[0]))
            case nodes.BinaryOperation("==", nodes.Name(name, line), nodes.Constant(int(number))) if (
                not isinstance(number, bool)
            ):
                self._require_variable(name, line, 1)
                return compare_number(name, number)
            case nodes.BinaryOperation(operator, left, right):
                two = BINARY[operator]
                return binary_operation(two, self._expression(left), self._expression(right))
            case nodes.BooleanOperation(operator, left, right):
                return boolean_operation(operator == "or", self._expression(left), self._expression(right))
            case nodes.Subscript(base, index):
                codes = [self._expression(base), self._expression(index)]
                return combine(codes, lambda f, v: get_item(v[0], v[1]))
            case nodes.FunctionCall():
                return self._call(node)
            case nodes.StartThread(call):
                return self._run(call)
        raise AssertionError(node)

    def _require_variable(self, name: str, line: int, column: int) -> None:
        if name not in self._variables:
            raise ScriptError(f"compile_error_name_not_found:{name}:", line, column)

    def _call(self, call: nodes.FunctionCall) -> CompiledNode:
        routine = self.routines.get(call.name)
        if routine is not None and routine.kind != "thread":
            return self._routine(call, routine)
        found = BUILTINS.get(call.name)
        if found is None:
            raise ScriptError(f"compile_error_name_not_found:{call.name}:", call.line, call.column)
        if found.variadic:
            codes = [self._expression(e) for e in (*call.arguments, *(e for _, e in call.named))]
            names: list[str | None] = [None] * len(codes)
        else:
            codes, names = self._arguments(call, found.parameters, found.required)
        run = found.run
        if not found.suspends and not any(names):
            return combine(codes, lambda f, v: run(f.interpreter.runtime, *v))
        if not found.suspends:
            return combine(
                codes,
                lambda f, v: run(
                    f.interpreter.runtime, *positional_arguments(v, names), **keyword_arguments(v, names)
                ),
            )

        def waiting(frame: CallFrame) -> Suspension:
            values = []
            for code in codes:
                values.append((yield from code.run(frame)) if code.suspends else code.run(frame))
            return (
                yield from run(
                    frame.interpreter.runtime,
                    *positional_arguments(values, names),
                    **keyword_arguments(values, names),
                )
            )

        return CompiledNode(True, waiting)

    def _arguments(
        self, call: nodes.FunctionCall, parameters: Sequence[str], required: int
    ) -> tuple[list[CompiledNode], list[str | None]]:
        """Return the compiled arguments, and for each the parameter's name, or None if it is positional."""
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

    def _routine(self, call: nodes.FunctionCall, routine: Routine) -> CompiledNode:
        codes, names = self._arguments(call, routine.parameters, routine.required)
        places = [name or routine.parameters[i] for i, name in enumerate(names)]
        for name, default in zip(routine.parameters[routine.required :], routine.defaults, strict=True):
            if name not in places:
                places.append(name)
                codes.append(self._expression(default))
        body = routine.body  # still unknown if functions call one another
        if body is not None and not body.suspends:
            return combine(codes, lambda f, v: call_inline(f, body, places, v), body.cost)

        def run(frame: CallFrame) -> Suspension:
            values: dict[str, ScriptValue] = {}
            for place, code in zip(places, codes, strict=True):
                values[place] = copy_value((yield from code.run(frame)) if code.suspends else code.run(frame))
            return (yield from call_routine(frame, routine, values))

        return CompiledNode(True, run)

    def _run(self, call: nodes.FunctionCall) -> CompiledNode:
        routine = self.routines.get(call.name)
        if routine is None or routine.kind != "thread":
            raise ScriptError(f"compile_error_name_not_found:{call.name}:", call.line, call.column)
        if call.arguments or call.named or routine.parameters:
            raise ScriptError(f"compile_error_arguments:{call.name}: takes nothing", call.line, call.column)

        def start(frame: CallFrame, values: list[ScriptValue]) -> ScriptValue:
            assert routine.body is not None
            thread: ScriptValue = frame.interpreter.start_thread(call.name, routine.body)
            return thread

        return combine([], start)


def _assigned_names(script: nodes.Script) -> frozenset[str]:
    """Return every name that a statement or parameter of the program assigns."""
    names: set[str] = set()

    def visit(block: nodes.Block) -> None:
        for s in block:
            if isinstance(s, nodes.Assign):
                names.add(s.name)
            elif isinstance(s, nodes.While):
                visit(s.body)
            elif isinstance(s, nodes.If):
                for _, body in s.branches:
                    visit(body)
                visit(s.otherwise)

    visit(script.body)
    for function in script.functions:
        names.update(function.parameters)
        visit(function.body)
    return frozenset(names)
