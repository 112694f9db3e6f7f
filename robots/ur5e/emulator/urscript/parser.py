"""Recursive-descent parser from tokens to nodes. A line's end ends a statement only where it may end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from robots.ur5e.emulator.urscript import nodes
from robots.ur5e.emulator.urscript.nodes import ScriptError
from robots.ur5e.emulator.urscript.tokens import ScriptToken, syntax_error, tokenize

_MAX_NESTING = 40  # nested brackets and blocks
_MAX_OPERATORS = 200  # successive operators
_LEVELS = (("or", "xor"), ("and",), ("==", "!=", "<", "<=", ">", ">="), ("+", "-"), ("*", "/", "%"))
_PRECEDENCE = {operator: level for level, operators in enumerate(_LEVELS) for operator in operators}
_COMPARISON, _SIGN = _PRECEDENCE["=="], len(_LEVELS)  # `not` binds as a comparison does, a sign the tightest
_WORD_STATEMENTS = frozenset({"break", "continue", "pass", "halt", "enter_critical", "exit_critical"})


def parse(text: str) -> nodes.Script:
    """Parse a whole program, or lines outside one. Raises ScriptError."""
    return _Parser(text).script()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text, self._tokens = text, tokenize(text)
        self._position = self._depth = 0
        self._functions: list[nodes.Function] = []
        self._variables: set[str] = set()
        self._global_names: set[str] = set()

    def script(self) -> nodes.Script:
        if self._is("def", "sec"):
            main = self._function()
            self._functions.pop()  # only what is defined in it
        else:
            main = nodes.Function("def", "line", (), (), self._block(), 1)
        self._expect("")
        return nodes.Script(
            main, tuple(self._functions), frozenset(self._variables), frozenset(self._global_names)
        )

    # --- tokens --------------------------------------------------------------------------------------------

    @property
    def _current(self) -> ScriptToken:
        return self._tokens[self._position]

    def _is(self, *words: str) -> bool:
        return self._current.kind in ("keyword", "sign") and self._current.text in words

    def _take(self) -> ScriptToken:
        token = self._current
        if token.kind != "end":
            self._position += 1
        return token

    def _accept(self, word: str) -> bool:
        if self._is(word):
            self._position += 1
            return True
        return False

    def _expect(self, word: str) -> ScriptToken:
        """Consume `word`; "" stands for the end of the text."""
        if (self._current.kind == "end") if not word else self._is(word):
            return self._take()
        raise self._error()

    def _name(self) -> str:
        if self._current.kind != "name":
            raise self._error()
        return self._take().text

    def _error(self) -> ScriptError:
        return syntax_error(self._text, self._current.line)

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

    # --- statements ----------------------------------------------------------------------------------------

    def _block(self) -> nodes.Block:
        found: list[nodes.Statement] = []
        with self._nested():
            while self._current.kind != "end" and not self._is("end", "elif", "else"):
                if self._is("def", "thread"):
                    self._function()
                else:
                    found.append(self._statement())
        return tuple(found)

    def _function(self) -> nodes.Function:
        word = self._take()
        name = self._name()
        self._expect("(")
        parameters: list[str] = []
        defaults: list[nodes.Expression] = []
        while not self._accept(")"):
            if parameters:
                self._expect(",")
            parameters.append(self._name())
            if self._accept("="):
                defaults.append(self._expression())
            elif defaults:
                raise self._error()
        self._variables.update(parameters)
        self._expect(":")
        body = self._block()
        self._expect("end")
        made = nodes.Function(word.text, name, tuple(parameters), tuple(defaults), body, word.line)
        self._functions.append(made)
        return made

    def _statement(self) -> nodes.Statement:
        token = self._current
        line = token.line
        if token.kind == "keyword":
            word = token.text
            if word in _WORD_STATEMENTS:
                self._take()
                return nodes.WordStatement(word, None, line)
            match word:
                case "if":
                    return self._if()
                case "while":
                    self._take()
                    condition = self._expression()
                    self._expect(":")
                    body = self._block()
                    self._expect("end")
                    return nodes.While(condition, body, line)
                case "return":
                    self._take()
                    bare = self._current.first_on_line or self._current.kind == "end"
                    return nodes.Return(None if bare else self._expression(), line)
                case "local" | "global":
                    self._take()
                    return self._assign(word, line)
                case "kill" | "join":
                    self._take()
                    return nodes.WordStatement(word, self._expression(), line)
                case "run":
                    return nodes.ExpressionStatement(self._run(), line)
        if token.kind != "name":
            raise self._error()
        return self._named(line)

    def _named(self, line: int) -> nodes.Statement:
        """Parse a statement that begins with a name: an assignment or a call."""
        following = self._tokens[self._position + 1]
        if following.text == "=" and following.kind == "sign":
            return self._assign("", line)
        if following.text == "[" and following.kind == "sign":
            name, indices = self._name(), []
            while self._accept("["):
                indices.append(self._expression())
                self._expect("]")
            self._expect("=")
            return nodes.AssignSubscript(name, tuple(indices), self._expression(), line)
        value = self._primary()
        if not isinstance(value, nodes.FunctionCall):
            raise syntax_error(self._text, line)
        return nodes.ExpressionStatement(value, line)

    def _assign(self, scope: str, line: int) -> nodes.Assign:
        name = self._name()
        self._expect("=")
        self._variables.add(name)
        if scope == "global":
            self._global_names.add(name)
        return nodes.Assign(scope, name, self._expression(), line)

    def _if(self) -> nodes.If:
        line = self._take().line
        branches = []
        while True:
            condition = self._expression()
            self._expect(":")
            branches.append((condition, self._block()))
            if not self._accept("elif"):
                break
        otherwise: nodes.Block = ()
        if self._accept("else"):
            self._expect(":")
            otherwise = self._block()
        self._expect("end")
        return nodes.If(tuple(branches), otherwise, line)

    # --- expressions ---------------------------------------------------------------------------------------

    def _expression(self) -> nodes.Expression:
        with self._nested():
            return self._operation(0)

    def _operation(self, level: int) -> nodes.Expression:
        """Parse operators of this level and of those that bind more tightly, by precedence climbing."""
        left, count = self._operand(level), 0
        while (found := self._binary_level()) >= level:
            count += 1
            self._check_length(count)
            operator = self._take().text
            left = nodes.BinaryOperation(operator, left, self._operation(found + 1))
        return left

    def _binary_level(self) -> int:
        """Return the precedence of the operator that comes next, -1 if none does."""
        token = self._current
        if token.kind not in ("keyword", "sign"):
            return -1
        level = _PRECEDENCE.get(token.text, -1)
        return -1 if token.kind == "sign" and token.first_on_line else level

    def _operand(self, level: int) -> nodes.Expression:
        if self._is("-", "+") or (level <= _COMPARISON and self._is("not")):
            operator = self._take().text
            with self._nested():
                operand = self._operation(_COMPARISON) if operator == "not" else self._operand(_SIGN)
            return nodes.UnaryOperation(operator, operand)
        value, count = self._primary(), 0
        while self._is("[") and not self._current.first_on_line:
            count += 1
            self._check_length(count)
            self._take()
            value = nodes.Subscript(value, self._expression())
            self._expect("]")
        return value

    def _primary(self) -> nodes.Expression:
        token = self._take()
        if token.kind == "number":
            return nodes.Constant(_number(token.text))
        if token.kind == "text":
            return nodes.Constant(token.text[1:-1])
        if token.kind == "name":
            if token.text == "p" and self._is("[") and not self._current.first_on_line:
                self._take()
                return nodes.PoseLiteral(self._items("]"))
            if self._is("(") and not self._current.first_on_line:
                return self._call(token)
            return nodes.Name(token.text, token.line)
        match token.text:
            case "True" | "False":
                return nodes.Constant(token.text == "True")
            case "(":
                inner = self._expression()
                self._expect(")")
                return inner
            case "[":
                return nodes.ListLiteral(self._items("]"))
            case "run":
                self._position -= 1
                return self._run()
        self._position -= token.kind != "end"
        raise self._error()

    def _items(self, closing: str) -> tuple[nodes.Expression, ...]:
        items: list[nodes.Expression] = []
        while not self._accept(closing):
            if items:
                self._expect(",")
            items.append(self._expression())
        return tuple(items)

    def _run(self) -> nodes.StartThread:
        self._expect("run")
        token = self._current
        self._name()
        if not self._is("("):
            raise self._error()
        return nodes.StartThread(self._call(token))

    def _call(self, token: ScriptToken) -> nodes.FunctionCall:
        self._expect("(")
        arguments: list[nodes.Expression] = []
        named: list[tuple[str, nodes.Expression]] = []
        while not self._accept(")"):
            if arguments or named:
                self._expect(",")
            following = self._tokens[min(self._position + 1, len(self._tokens) - 1)]
            if self._current.kind == "name" and following.kind == "sign" and following.text == "=":
                name = self._name()
                self._take()
                named.append((name, self._expression()))
            elif named:
                raise self._error()
            else:
                arguments.append(self._expression())
        return nodes.FunctionCall(token.text, tuple(arguments), tuple(named), token.line, token.column)


def _number(text: str) -> float | int:
    if text[:2] in ("0x", "0X"):
        return int(text, 16) if len(text) <= 10 else float(int(text, 16))
    if text.isdigit() and len(text) < 10:
        return int(text)
    return float(text)
