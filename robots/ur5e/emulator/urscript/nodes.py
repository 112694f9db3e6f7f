"""The syntax nodes of a script. Frozen; lines count from 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

ScriptValue: TypeAlias = "float | int | bool | str | list[ScriptValue] | PoseValue | ThreadHandle | None"


class ScriptError(Exception):
    """A script that cannot be parsed or cannot continue: PolyScope's message, and where."""

    def __init__(self, text: str, line: int = 0, column: int = 0) -> None:
        super().__init__(text)
        self.text, self.line, self.column = text, line, column


class PoseValue(list[float]):
    """p[x, y, z, rx, ry, rz]: metres and a rotation vector in radians."""


@dataclass(frozen=True)
class ThreadHandle:
    """A thread that runs, or has run."""

    number: int


@dataclass(frozen=True)
class Constant:
    value: float | int | bool | str


@dataclass(frozen=True)
class Name:
    name: str
    line: int


@dataclass(frozen=True)
class ListLiteral:
    items: tuple[Expression, ...]


@dataclass(frozen=True)
class PoseLiteral:
    items: tuple[Expression, ...]


@dataclass(frozen=True)
class UnaryOperation:
    operator: str
    operand: Expression


@dataclass(frozen=True)
class BinaryOperation:
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Subscript:
    base: Expression
    index: Expression


@dataclass(frozen=True)
class FunctionCall:
    name: str
    arguments: tuple[Expression, ...]
    named: tuple[tuple[str, Expression], ...]
    line: int
    column: int


@dataclass(frozen=True)
class StartThread:
    """Start a thread; the value is the thread's handle."""

    call: FunctionCall


Expression = (
    Constant
    | Name
    | ListLiteral
    | PoseLiteral
    | UnaryOperation
    | BinaryOperation
    | Subscript
    | FunctionCall
    | StartThread
)


@dataclass(frozen=True)
class Assign:
    scope: str  # "local", "global", or "" for the scope in which the name is known
    name: str
    value: Expression
    line: int


@dataclass(frozen=True)
class AssignSubscript:
    name: str
    indices: tuple[Expression, ...]
    value: Expression
    line: int


@dataclass(frozen=True)
class ExpressionStatement:
    value: FunctionCall | StartThread
    line: int


@dataclass(frozen=True)
class If:
    branches: tuple[tuple[Expression, Block], ...]
    otherwise: Block
    line: int


@dataclass(frozen=True)
class While:
    condition: Expression
    body: Block
    line: int


@dataclass(frozen=True)
class Return:
    value: Expression | None
    line: int


@dataclass(frozen=True)
class WordStatement:
    """`break`, `continue`, `pass`, `halt`, `enter_critical`, `exit_critical`; `kill`, `join` a thread."""

    word: str
    argument: Expression | None
    line: int


Statement = Assign | AssignSubscript | ExpressionStatement | If | While | Return | WordStatement
Block = tuple[Statement, ...]


@dataclass(frozen=True)
class Function:
    """`def`, `thread` or `sec`. `defaults` belong to the last parameters."""

    kind: str
    name: str
    parameters: tuple[str, ...]
    defaults: tuple[Expression, ...]
    body: Block
    line: int

    @property
    def required(self) -> int:
        """Return how many parameters have no default."""
        return len(self.parameters) - len(self.defaults)


@dataclass(frozen=True)
class Script:
    """A program, and every function and thread, variable and global variable in it, at any depth."""

    main: Function  # "def" or "sec"
    functions: tuple[Function, ...]
    variables: frozenset[str]
    global_names: frozenset[str]
