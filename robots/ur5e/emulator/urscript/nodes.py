"""What a script consists of. Frozen; lines count from 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Value: TypeAlias = "float | int | bool | str | list[Value] | PoseValue | Handle | None"


class ScriptError(Exception):
    """A script that cannot be read or cannot go on: what PolyScope says, and where."""

    def __init__(self, text: str, line: int = 0, column: int = 0) -> None:
        super().__init__(text)
        self.text, self.line, self.column = text, line, column


class PoseValue(list[float]):
    """p[x, y, z, rx, ry, rz]: metres and a rotation vector in radians."""


@dataclass(frozen=True)
class Handle:
    """A thread that runs, or ran."""

    number: int


@dataclass(frozen=True)
class Constant:
    value: float | int | bool | str


@dataclass(frozen=True)
class Name:
    name: str
    line: int


@dataclass(frozen=True)
class ListOf:
    items: tuple[Expression, ...]


@dataclass(frozen=True)
class PoseOf:
    items: tuple[Expression, ...]


@dataclass(frozen=True)
class Unary:
    operator: str
    operand: Expression
    line: int


@dataclass(frozen=True)
class Binary:
    operator: str
    left: Expression
    right: Expression
    line: int


@dataclass(frozen=True)
class Logic:
    """`and` or `or`: the right side only where it decides."""

    operator: str
    left: Expression
    right: Expression
    line: int


@dataclass(frozen=True)
class Index:
    base: Expression
    index: Expression
    line: int


@dataclass(frozen=True)
class Call:
    name: str
    arguments: tuple[Expression, ...]
    named: tuple[tuple[str, Expression], ...]
    line: int
    column: int


@dataclass(frozen=True)
class Run:
    """Start a thread; its value is the thread's handle."""

    call: Call


Expression = Constant | Name | ListOf | PoseOf | Unary | Binary | Logic | Index | Call | Run


@dataclass(frozen=True)
class Assign:
    scope: str  # "local", "global" or "" for where the name is known
    name: str
    value: Expression
    line: int


@dataclass(frozen=True)
class AssignItem:
    name: str
    indices: tuple[Expression, ...]
    value: Expression
    line: int


@dataclass(frozen=True)
class Do:
    value: Call | Run
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
class Word:
    """`break`, `continue`, `pass`, `halt`, `enter_critical` or `exit_critical`."""

    word: str
    line: int


@dataclass(frozen=True)
class OnThread:
    """`kill` or `join` a thread."""

    word: str
    thread: Expression
    line: int


Statement = Assign | AssignItem | Do | If | While | Return | Word | OnThread
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


@dataclass(frozen=True)
class Script:
    """A program: its body, and every function and thread defined in it, however deep."""

    kind: str  # "def" or "sec"
    name: str
    body: Block
    functions: tuple[Function, ...]
