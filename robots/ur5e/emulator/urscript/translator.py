"""Translate a script to Python, rule by rule: each function becomes a generator that yields once per cycle.

No word of a client's text gets into the Python: functions (`f3`), names and constants (`k3`) are numbers. A
line's end ends a statement only where it may end. A text is translated twice, the first time only for the
names in it, so that a function may be called before it is defined.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from robots.ur5e.emulator.urscript.builtin_functions import Builtin
from robots.ur5e.emulator.urscript.operators import BINARY, UNARY
from robots.ur5e.emulator.urscript.tokens import ScriptToken, TokenReader, number, syntax_error
from robots.ur5e.emulator.urscript.values import ScriptError, ScriptValue

_MAX_NESTING = 40  # nested brackets and blocks
_MAX_OPERATORS = 200  # successive operators
_LEVELS = (("or", "xor"), ("and",), ("==", "!=", "<", "<=", ">", ">="), ("+", "-"), ("*", "/", "%"))
_PRECEDENCE = {operator: level for level, operators in enumerate(_LEVELS) for operator in operators}
_COMPARISON, _SIGN = _PRECEDENCE["=="], len(_LEVELS)  # `not` binds as a comparison does, a sign the tightest
_WAITING = frozenset({"halt", "join", "enter_critical"})  # the services of the interpreter that take time
BINARY_NAMES = {operator: f"binary{number}" for number, operator in enumerate(BINARY)}
UNARY_NAMES = {operator: f"unary{number}" for number, operator in enumerate(UNARY)}
Lines = list[str]


class Function(NamedTuple):
    """What a call must know of a function; `kind` is "def", "thread" or "sec"."""

    python: str
    kind: str
    name: str
    parameters: tuple[str, ...]
    required: int  # parameters without a default, which come first
    line: int
    is_empty: bool


@dataclass
class Names:
    """Every function and thread, variable and global variable of a program, at any depth."""

    functions: dict[str, Function] = field(default_factory=dict)
    variables: set[str] = field(default_factory=set)
    global_names: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Translation:
    functions: Sequence[str]  # as Python, each by itself
    constants: dict[str, ScriptValue]  # by their names in it
    main: Function
    empty: bool


def translate(text: str, builtins: Mapping[str, Builtin]) -> Translation:
    """Translate a whole program, or lines outside one.

    Raises ScriptError for wrong syntax, an unknown name, wrong arguments.
    """
    first = _Translator(text, builtins, None)
    first.script()
    return _Translator(text, builtins, first.names).script()


class _Translator(TokenReader):
    """One way through a text; `known` is what the way before has found, None for the first."""

    def __init__(self, text: str, builtins: Mapping[str, Builtin], known: Names | None) -> None:
        super().__init__(text)
        self._builtins, self._known = builtins, known
        self._depth = self._loops = self._count = 0
        self._python: Lines = []  # a text for each function
        self._constants: dict[tuple[type, ScriptValue], str] = {}  # their names by type and value
        self.names = Names()

    def script(self) -> Translation:
        if self._is("def", "sec"):
            main = self._function(is_main=True)
        else:
            body = self._block()
            main = Function("main", "def", "line", (), 0, 1, not body)
            self._python.append("\n".join(["def main(i, v):", *(body or [_begin(1)])]))
        self._expect("")
        constants = {name: value for (_, value), name in self._constants.items()}
        empty = main.is_empty and not self.names.functions
        return Translation(self._python, constants, main, empty)

    @contextmanager
    def _nested(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > _MAX_NESTING:
            raise ScriptError("nesting_too_deep", self._current.line)
        yield
        self._depth -= 1

    def _check_length(self, operators: int) -> None:
        if operators > _MAX_OPERATORS:
            raise ScriptError("expression_too_long", self._current.line)

    # --- statements: lines of Python -----------------------------------------------------------------------

    def _block(self) -> Lines:
        """Translate statements up to the block's end, and the functions among them; [] for none."""
        lines: Lines = []
        with self._nested():
            while self._current.kind != "end" and not self._is("end", "elif", "else"):
                if self._is("def", "thread"):
                    self._function()
                else:
                    line = self._current.line
                    lines += [_begin(line), *(" " + code for code in self._statement(line))]
        return lines

    def _function(self, is_main: bool = False) -> Function:
        word, name = self._take(), self._name()
        parameters: list[str] = []
        defaults: list[str] = []
        self._expect("(")
        while not self._accept(")"):
            if parameters:
                self._expect(",")
            parameters.append(self._name())
            if self._accept("="):
                defaults.append(self._expression())
            elif defaults:
                raise self._error()
        self.names.variables.update(parameters)
        self._expect(":")
        loops, self._loops = self._loops, 0
        body, self._loops = self._block(), loops
        self._expect("end")
        python, required = "main" if is_main else f"f{self._count}", len(parameters) - len(defaults)
        made = Function(python, word.text, name, tuple(parameters), required, word.line, not body)
        if not is_main:
            self._count += 1
            self.names.functions[name] = made
        lines = [f"def {python}(i, v):"]
        for parameter, value in zip(parameters[required:], defaults, strict=True):
            key = self._constant(parameter)
            lines.append(f" if {key} not in v: v.assign_local({key}, {value})")
        self._python.append("\n".join([*lines, *(body or [_begin(word.line)])]))
        return made

    def _statement(self, line: int) -> Lines:
        token = self._current
        if token.kind == "name":
            return [self._named(line)]
        if token.kind != "keyword":
            raise self._error()
        match word := token.text:
            case "if":
                return self._if()
            case "while":
                self._take()
                condition = self._condition()
                self._loops += 1
                body = self._block()
                self._loops -= 1
                self._expect("end")
                return [f"while {condition}:", _begin(line), *(body or [" pass"])]
            case "return":
                self._take()
                bare = self._current.first_on_line or self._current.kind == "end"
                return ["return" if bare else f"return {self._expression()}"]
            case "local" | "global":
                self._take()
                return [self._assign(word)]
            case "kill" | "join":
                self._take()
                return [_service(word, self._expression())]
            case "run":
                return [self._run()]
            case "break" | "continue" | "pass":
                self._take()
                if word != "pass" and self._known and not self._loops:
                    raise ScriptError(f"compile_error_{word}_outside_loop", line)
                return [word]
            case "halt" | "enter_critical" | "exit_critical":
                self._take()
                return [_service(word)]
        raise self._error()

    def _named(self, line: int) -> str:
        """Translate a statement that begins with a name: an assignment or a call."""
        following = self._following
        if following.kind == "sign" and following.text == "=":
            return self._assign("")
        if following.kind == "sign" and following.text == "[":
            base, indices = self._read(self._take()), []
            while self._accept("["):
                indices.append(self._expression())
                self._expect("]")
            self._expect("=")
            return f"set_item([{', '.join(indices)}], {self._expression()}, {base})"
        name = self._take()
        if not self._opens("("):
            raise syntax_error(self._text, line)
        return self._call(name)

    def _assign(self, scope: str) -> str:
        name = self._name()
        self._expect("=")
        self.names.variables.add(name)
        if scope == "global":
            self.names.global_names.add(name)
        where = scope or ("known" if self._known and name in self._known.global_names else "local")
        return f"v.assign_{where}({self._constant(name)}, {self._expression()})"

    def _if(self) -> Lines:
        lines: Lines = []
        while self._accept("elif" if lines else "if"):
            word = "elif" if lines else "if"
            lines += [f"{word} {self._condition()}:", *(self._block() or [" pass"])]
        lines.append("else:")
        body: Lines = []
        if self._accept("else"):
            self._expect(":")
            body = self._block()
        self._expect("end")
        return [*lines, *(body or [" pass"])]

    def _condition(self) -> str:
        condition = f"boolean({self._expression()})"
        self._expect(":")
        return condition

    # --- expressions: Python that stands anywhere ----------------------------------------------------------

    def _expression(self) -> str:
        with self._nested():
            return self._operation(0)

    def _operation(self, level: int) -> str:
        """Translate operators of this level and of those that bind more tightly, by precedence climbing."""
        left, count = self._operand(level), 0
        while (found := self._binary_level()) >= level:
            count += 1
            self._check_length(count)
            operator = self._take().text
            right = self._operation(found + 1)
            if operator in ("and", "or"):
                left = f"(boolean({left}) {operator} boolean({right}))"
            else:
                left = f"{BINARY_NAMES[operator]}({left}, {right})"
        return left

    def _binary_level(self) -> int:
        """Return the precedence of the operator that comes next, -1 if none does."""
        token = self._current
        if token.kind not in ("keyword", "sign"):
            return -1
        level = _PRECEDENCE.get(token.text, -1)
        return -1 if token.kind == "sign" and token.first_on_line else level

    def _operand(self, level: int) -> str:
        if self._is("-", "+") or (level <= _COMPARISON and self._is("not")):
            operator = self._take().text
            with self._nested():
                operand = self._operation(_COMPARISON) if operator == "not" else self._operand(_SIGN)
            return f"{UNARY_NAMES[operator]}({operand})"
        value, count = self._primary(), 0
        while self._opens("["):
            count += 1
            self._check_length(count)
            self._take()
            value = f"get_item({value}, {self._expression()})"
            self._expect("]")
        return value

    def _primary(self) -> str:
        token = self._take()
        match token.kind, token.text:
            case "number", text:
                return self._constant(number(text))
            case "text", text:
                return self._constant(text[1:-1])
            case "name", "p" if self._opens("["):
                self._take()
                return f"pose_value([{self._items()}])"
            case "name", _:
                return self._call(token) if self._opens("(") else self._read(token)
            case "keyword", "True" | "False" as text:
                return self._constant(text == "True")
            case "keyword", "run":
                self._position -= 1
                return self._run()
            case "sign", "(":
                inner = self._expression()
                self._expect(")")
                return inner
            case "sign", "[":
                return f"list_value([{self._items()}])"
        self._position -= token.kind != "end"
        raise self._error()

    def _items(self) -> str:
        items: list[str] = []
        while not self._accept("]"):
            if items:
                self._expect(",")
            items.append(self._expression())
        return ", ".join(items)

    def _constant(self, value: float | bool | str) -> str:
        return self._constants.setdefault((type(value), value), f"k{len(self._constants)}")

    def _read(self, name: ScriptToken) -> str:
        if self._known and name.text not in self._known.variables:
            raise _not_found(name)
        return f"v[{self._constant(name.text)}]"

    def _run(self) -> str:
        self._expect("run")
        token = self._current
        name = self._name()
        if not self._is("("):
            raise self._error()
        given, named = self._arguments()
        if self._known is None:
            return ""
        thread = self._known.functions.get(name)
        if thread is None or thread.kind != "thread":
            raise _not_found(token)
        if given or named or thread.parameters:
            raise ScriptError(f"compile_error_arguments:{name}: takes nothing", token.line)
        return f"i.start_thread({self._constant(name)}, {thread.python})"

    def _arguments(self) -> tuple[Lines, list[tuple[str, str]]]:
        """Return a call's arguments by position, and those by name."""
        self._expect("(")
        given: Lines = []
        named: list[tuple[str, str]] = []
        while not self._accept(")"):
            if given or named:
                self._expect(",")
            following = self._following
            if self._current.kind == "name" and following.kind == "sign" and following.text == "=":
                name = self._name()
                self._take()
                named.append((name, self._expression()))
            elif named:
                raise self._error()
            else:
                given.append(self._expression())
        return given, named

    def _call(self, token: ScriptToken) -> str:
        """Translate a call of the function whose name was taken."""
        given, named = self._arguments()
        if self._known is None:
            return ""
        values, called = [*given, *(value for _, value in named)], self._known.functions.get(token.text)
        if called is not None and called.kind != "thread":
            names = _bind(token, len(given), named, called)
            inner = ", ".join(f"{self._constant(n)}: {v}" for n, v in zip(names, values, strict=True))
            return f"i.returned({token.line}, (yield from {called.python}(i, v.inner({{{inner}}}))))"
        found = self._builtins.get(token.text)
        if found is None:
            raise _not_found(token)
        if not found.variadic:
            names = _bind(token, len(given), named, found)
            for at in range(len(given), len(values)):
                values[at] = f"{names[at]}={values[at]}"
        code = f"builtin_{token.text}({', '.join(['i.runtime', *values])})"
        return f"(yield from {code})" if found.suspends else code


def _begin(line: int) -> str:
    """Begin a statement, in the next cycle if this one's share is used up."""
    return f" if i.begin({line}): yield"


def _service(word: str, argument: str = "") -> str:
    return f"yield from i.{word}({argument})" if word in _WAITING else f"i.{word}({argument})"


def _not_found(token: ScriptToken) -> ScriptError:
    return ScriptError(f"compile_error_name_not_found:{token.text}:", token.line)


def _bind(
    token: ScriptToken, count: int, named: Sequence[tuple[str, str]], called: Function | Builtin
) -> list[str]:
    """Return the parameter of each argument, first those `count` by position, then those by name."""
    parameters = called.parameters
    clean = {p.rstrip("_"): p for p in parameters}
    given = [*parameters[:count], *(clean.get(name, name) for name, _ in named)]
    missing = set(parameters[: called.required]) - set(given)
    strange = set(given) - set(parameters)
    if count > len(parameters) or missing or strange or len(set(given)) < len(given):
        wants = ", ".join(p.rstrip("_") for p in parameters) or "nothing"
        raise ScriptError(f"compile_error_arguments:{token.text}: takes {wants}", token.line)
    return given
