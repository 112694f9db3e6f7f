"""Every error that a user may read. `str(error)` is one sentence: the thing, the cause, the way out."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from core.install_paths import install_extra


class ConsoleError(Exception):
    """The root. Bad input ends a verb with exit code 2 and this one sentence."""


class BadFile(ConsoleError):
    """A file that cannot be read as what it should be."""

    def __init__(self, path: object, reason: str, line: int | None = None, remedy: str = "") -> None:
        place = f"{path}, line {line}" if line else f"{path}"
        super().__init__(f"{place}: {reason}." + (f" {remedy}." if remedy else ""))
        self.path, self.line, self.reason = str(path), line, reason


class BadDomain(BadFile):
    """PDDL that is broken, or uses a feature that is refused."""


class UnknownName(ConsoleError):
    """A task, predicate, object, profile, engine or robot that nobody knows."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = get_close_matches(name, names, 1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(names) or 'none'}."
        super().__init__(f"There is no {kind} named {name!r}: {hint}")
        self.kind, self.name = kind, name


class BadValue(ConsoleError):
    """A setting outside its range, or an undeclared type."""


class MissingPackage(ConsoleError):
    """An optional extra that is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package: install it with `{install_extra(extra)}`.")
        self.extra = extra


class LogError(ConsoleError):
    """The episode log cannot be opened, read or written."""


class AnswererError(ConsoleError):
    """The model stays away, or its key, name or address is wrong."""


class RobotError(ConsoleError):
    """The robot, its link or its simulator broke."""


class RobotNotReady(RobotError):
    """The robot cannot move now, and says why and what to do."""


class NoPicture(RobotError):
    """A camera sends nothing now, and may again; the robot itself is well."""


class PlanningError(ConsoleError):
    """An engine broke, or gave a plan that our own semantics refuse."""


class Cancelled(Exception):
    """Raised where a Cancel was seen. Not a fault, so not a ConsoleError."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
