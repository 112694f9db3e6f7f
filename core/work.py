"""A budget for work over bindings, so that no file of a few lines keeps the program busy for ever.

Every loop over bindings of variables to objects draws from the budget in force: `with Work(...):` puts one
in force for this thread, and one within another draws from both. A unit is some microseconds of our own
code, and the same on every machine. It is an ambient value rather than a parameter (as a cancel scope of Trio
is) because the loops are at the bottom of pure functions that the whole program calls.

Do not yield within `with Work(...)`: a generator's caller would go on under its budget.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar, Token
from itertools import product
from math import inf, prod

from core.errors import PlanningError
from core.stop_token import StopToken

UNITS = 2_000_000  # some seconds
_CHECK_EVERY = 1_000  # units between two looks at the clock and the cancel: about a millisecond


class TooMuchWork(PlanningError):
    """More work than a budget allows; what was being done has no result."""


class Work:
    """A budget of units, of seconds, and until a cancel. Belongs to one thread."""

    def __init__(
        self,
        units: int = UNITS,
        *,
        seconds: float | None = None,
        cancel: StopToken | None = None,
        about: str = "This problem",
    ) -> None:
        """`about` begins the sentence that refuses more."""
        self.units, self.about, self._cancel = units, about, cancel
        self._left, self._unchecked = units, 0
        self._end = inf if seconds is None else time.monotonic() + seconds
        self._outer = _in_force.get()
        self._tokens: list[Token[Work | None]] = []

    def spend(self, units: int = 1) -> None:
        """Draw from the budget. Raises TooMuchWork, Cancelled."""
        self._unchecked += units
        if self._unchecked >= _CHECK_EVERY:
            self.check()

    def check(self) -> None:
        """Look at the budget, the clock and the cancel now. Raises TooMuchWork, Cancelled."""
        spent, self._unchecked = self._unchecked, 0
        self._left -= spent
        if self._cancel:
            self._cancel.check()
        if self._left < 0 or time.monotonic() > self._end:
            self.refuse(f"more than {self.units:,}" if self._left < 0 else "too many")
        if self._outer:
            self._outer.spend(spent)

    def afford(self, units: int) -> None:
        """Refuse, before the first one is made, what the budget cannot pay for. Raises TooMuchWork."""
        if units > self._left - self._unchecked:
            self.refuse(f"more than {self.units:,}" if units <= self.units else f"{units:,}")
        if self._outer:
            self._outer.afford(units)

    def refuse(self, many: str) -> None:
        raise TooMuchWork(
            f"{self.about} needs {many} bindings of variables to objects: use fewer objects, or fewer "
            "variables in an action or a formula."
        )

    def __enter__(self) -> Work:
        """Put it in force. Raises Cancelled."""
        if self._cancel:
            self._cancel.check()
        self._tokens.append(_in_force.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        _in_force.reset(self._tokens.pop())


_in_force: ContextVar[Work | None] = ContextVar("work", default=None)


def work_in_force() -> Work:
    """Return the budget in force in this thread, or a new one of the usual size."""
    return _in_force.get() or Work()


def combinations(choices: Iterable[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Yield every choice of one object from each; they are counted before. Raises TooMuchWork, Cancelled."""
    choices, work = list(choices), work_in_force()
    work.afford(prod(map(len, choices)))
    for names in product(*choices):
        work.spend()
        yield names
