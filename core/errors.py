"""Every error that a user may read. `str(error)` is one sentence: the subject, the cause and the remedy."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from core.install_paths import as_called_here, install_extra
from core.text.untrusted_text import one_line


class ConsoleError(Exception):
    """The base class. Bad input ends a command with exit code 2 and this one sentence."""

    def __str__(self) -> str:
        return one_line(as_called_here(super().__str__()))  # it may quote a file, a server or a model


class BadFile(ConsoleError):
    """A file that cannot be read as what it should be."""

    def __init__(self, path: object, reason: str, line: int | None = None, remedy: str = "") -> None:
        place = f"{path}, line {line}" if line else f"{path}"
        super().__init__(f"{place}: {reason}." + (f" {remedy}." if remedy else ""))
        self.path, self.line, self.reason = str(path), line, reason


class BadDomain(BadFile):
    """PDDL that is malformed, or uses an unsupported feature."""


class UnknownName(ConsoleError):
    """A task, predicate, object, profile, engine or robot that does not exist."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = get_close_matches(name, names, 1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(names) or 'none'}."
        super().__init__(f"There is no {kind} named {name!r}: {hint}")
        self.kind, self.name = kind, name


class BadValue(ConsoleError):
    """A setting outside its range, or an undeclared type."""


class MissingPackage(ConsoleError):
    """An optional package that is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package: install it with `{install_extra(extra)}`.")
        self.extra = extra


class LogError(ConsoleError):
    """The episode log cannot be opened, read or written."""


class AnswererError(ConsoleError):
    """The model cannot be reached, or its key, name or address is wrong."""


class RobotError(ConsoleError):
    """The robot, its connection or its simulator failed."""


class RobotNotReady(RobotError):
    """The robot cannot move now; the message says why and what to do."""


class MotionRefused(RobotNotReady):
    """The robot has no valid permit for this motion, and has done nothing."""


class NoPicture(RobotError):
    """A camera sends no picture now, but may again; the robot itself works."""


class PlanningError(ConsoleError):
    """An engine failed, or returned a plan that our own validation rejects."""


class Cancelled(Exception):
    """Raised where a StopToken was noticed. It is not a fault, so it is not a ConsoleError."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
