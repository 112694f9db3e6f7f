"""Compile a program to Python: each of its functions becomes a generator that yields once per cycle.

No word of a client's text gets into the Python: functions (`f3`), names and constants (`k3`) are numbers.
What cannot be bound is rejected before the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from robots.ur5e.emulator.urscript import nodes
from robots.ur5e.emulator.urscript.builtin_functions import Builtin, builtin
from robots.ur5e.emulator.urscript.functions import PURE
from robots.ur5e.emulator.urscript.motion_functions import MOTION, NOT_EMULATED
from robots.ur5e.emulator.urscript.nodes import ScriptError, ScriptValue
from robots.ur5e.emulator.urscript.operators import (
    BINARY,
    UNARY,
    get_item,
    make_list_value,
    make_pose_value,
    require_boolean,
    set_item,
)
from robots.ur5e.emulator.urscript.parser import parse
from robots.ur5e.emulator.urscript.robot_functions import ROBOT
from robots.ur5e.emulator.urscript.runtime import Cycles, ScriptRuntime
from robots.ur5e.emulator.urscript.stack_frame import StackFrame

_WAITING = frozenset({"halt", "join", "enter_critical"})  # the services of the interpreter that take time


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
_BINARY = {operator: f"binary{number}" for number, operator in enumerate(BINARY)}
_UNARY = {operator: f"unary{number}" for number, operator in enumerate(UNARY)}
# What the Python calls, besides the interpreter `i` and the frame `v` of variables.
_NAMESPACE: Mapping[str, Any] = {
    "boolean": require_boolean,
    "list_value": make_list_value,
    "pose_value": make_pose_value,
    "get_item": get_item,
    "set_item": set_item,
    **{name: BINARY[operator] for operator, name in _BINARY.items()},
    **{name: UNARY[operator] for operator, name in _UNARY.items()},
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
    script = parse(text)
    main, compiler, namespace = script.main, _Compiler(script), dict(_NAMESPACE)
    try:
        python = compiler.compile()
        namespace |= {name: value for (_, value), name in compiler.constants.items()}
        exec(python, namespace)
    except (RecursionError, SyntaxError, MemoryError):  # nested too deeply for Python
        raise ScriptError("nesting_too_deep", main.line) from None
    return CompiledProgram(main.kind, main.name, namespace["main"], not main.body and not script.functions)


class _Compiler:
    def __init__(self, script: nodes.Script) -> None:
        self._script = script
        self._functions = {f.name: (f"f{number}", f) for number, f in enumerate(script.functions)}
        self.constants: dict[tuple[type, ScriptValue], str] = {}  # their names by type and value

    def compile(self) -> str:
        """Return the program as Python."""
        functions = [(self._functions[f.name][0], f) for f in self._script.functions]
        return "\n".join(
            line for name, f in (*functions, ("main", self._script.main)) for line in self._function(name, f)
        )

    def _function(self, name: str, function: nodes.Function) -> list[str]:
        defaulted = zip(function.parameters[function.required :], function.defaults, strict=True)
        defaults = [(self._constant(key), self._expression(value)) for key, value in defaulted]
        return [
            f"def {name}(i, v):",
            *(f" if {key} not in v: v.assign_local({key}, {value})" for key, value in defaults),
            *(self._block(function.body) if function.body else [_begin(function.line)]),
        ]

    # --- statements: lines of Python -----------------------------------------------------------------------

    def _block(self, block: nodes.Block, in_loop: bool = False) -> list[str]:
        lines: list[str] = []
        for statement in block:
            lines += [_begin(statement.line), *(" " + line for line in self._statement(statement, in_loop))]
        return lines or [" pass"]

    def _statement(self, statement: nodes.Statement, in_loop: bool) -> list[str]:
        match statement:
            case nodes.Assign(scope, name, value):
                where = scope or ("known" if name in self._script.global_names else "local")
                return [f"v.assign_{where}({self._constant(name)}, {self._expression(value)})"]
            case nodes.AssignSubscript(name, indices, value, line):
                items, base = self._expressions(indices), self._read(name, line)
                return [f"set_item([{items}], {self._expression(value)}, {base})"]
            case nodes.ExpressionStatement(value):
                return [self._expression(value)]
            case nodes.If(branches, otherwise):
                lines: list[str] = []
                for condition, body in branches:
                    word = "elif" if lines else "if"
                    lines += [f"{word} {self._boolean(condition)}:", *self._block(body, in_loop)]
                return [*lines, "else:", *self._block(otherwise, in_loop)]
            case nodes.While(condition, body, line):
                return [f"while {self._boolean(condition)}:", _begin(line), *self._block(body, True)]
            case nodes.Return(value):
                return ["return" if value is None else f"return {self._expression(value)}"]
            case nodes.WordStatement("break" | "continue" | "pass" as word, _, line):
                if word != "pass" and not in_loop:
                    raise ScriptError(f"compile_error_{word}_outside_loop", line)
                return [word]
            case nodes.WordStatement(word, argument):
                code = f"i.{word}({'' if argument is None else self._expression(argument)})"
                return [f"yield from {code}" if word in _WAITING else code]
        raise AssertionError(statement)

    # --- expressions: Python that stands anywhere ----------------------------------------------------------

    def _expressions(self, items: Iterable[nodes.Expression]) -> str:
        return ", ".join(self._expression(i) for i in items)

    def _boolean(self, node: nodes.Expression) -> str:
        code = self._expression(node)
        checked = isinstance(node, nodes.BinaryOperation) and node.operator in ("and", "or")
        return code if checked else f"boolean({code})"

    def _constant(self, value: float | bool | str) -> str:
        return self.constants.setdefault((type(value), value), f"k{len(self.constants)}")

    def _expression(self, node: nodes.Expression) -> str:
        match node:
            case nodes.Constant(value):
                return self._constant(value)
            case nodes.Name(name, line):
                return self._read(name, line)
            case nodes.ListLiteral(items):
                return f"list_value([{self._expressions(items)}])"
            case nodes.PoseLiteral(items):
                return f"pose_value([{self._expressions(items)}])"
            case nodes.UnaryOperation(operator, operand):
                return f"{_UNARY[operator]}({self._expression(operand)})"
            case nodes.BinaryOperation("and" | "or" as word, left, right):
                return f"({self._boolean(left)} {word} {self._boolean(right)})"
            case nodes.BinaryOperation(operator, left, right):
                return f"{_BINARY[operator]}({self._expression(left)}, {self._expression(right)})"
            case nodes.Subscript(base, index):
                return f"get_item({self._expression(base)}, {self._expression(index)})"
            case nodes.FunctionCall():
                return self._call(node)
            case nodes.StartThread(call):
                return self._start_thread(call)
        raise AssertionError(node)

    def _read(self, name: str, line: int) -> str:
        if name not in self._script.variables:
            raise _not_found(name, line, 1)
        return f"v[{self._constant(name)}]"

    def _call(self, call: nodes.FunctionCall) -> str:
        values = [self._expression(e) for e in (*call.arguments, *(e for _, e in call.named))]
        python, function = self._functions.get(call.name, ("", None))
        if function is not None and function.kind != "thread":
            names = _bind(call, function.parameters, function.required)
            inner = ", ".join(f"{self._constant(n)}: {v}" for n, v in zip(names, values, strict=True))
            return f"i.returned({call.line}, (yield from {python}(i, v.inner({{{inner}}}))))"
        found = BUILTINS.get(call.name)
        if found is None:
            raise _not_found(call.name, call.line, call.column)
        if not found.variadic:
            names = _bind(call, found.parameters, found.required)
            for at in range(len(call.arguments), len(values)):
                values[at] = f"{names[at]}={values[at]}"
        code = f"builtin_{call.name}({', '.join(['i.runtime', *values])})"
        return f"(yield from {code})" if found.suspends else code

    def _start_thread(self, call: nodes.FunctionCall) -> str:
        python, function = self._functions.get(call.name, ("", None))
        if function is None or function.kind != "thread":
            raise _not_found(call.name, call.line, call.column)
        if call.arguments or call.named or function.parameters:
            raise ScriptError(f"compile_error_arguments:{call.name}: takes nothing", call.line, call.column)
        return f"i.start_thread({self._constant(call.name)}, {python})"


def _begin(line: int) -> str:
    """Begin a statement, in the next cycle if this one's share is used up."""
    return f" if i.begin({line}): yield"


def _not_found(name: str, line: int, column: int) -> ScriptError:
    return ScriptError(f"compile_error_name_not_found:{name}:", line, column)


def _bind(call: nodes.FunctionCall, parameters: Sequence[str], required: int) -> list[str]:
    """Return the parameter of each argument, first those by position, then those by name."""
    clean = {p.rstrip("_"): p for p in parameters}
    given = [*parameters[: len(call.arguments)], *(clean.get(name, name) for name, _ in call.named)]
    missing = set(parameters[:required]) - set(given)
    strange = set(given) - set(parameters)
    if len(call.arguments) > len(parameters) or missing or strange or len(set(given)) < len(given):
        wants = ", ".join(p.rstrip("_") for p in parameters) or "nothing"
        raise ScriptError(f"compile_error_arguments:{call.name}: takes {wants}", call.line, call.column)
    return given
