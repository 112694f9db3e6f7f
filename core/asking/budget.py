"""What a model may cost, in money and in time.

A budget that is used up asks a person; it never cuts an episode off silently.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Lock

from core.errors import AnswererError
from core.ports import Reply


@dataclass(frozen=True)
class Budget:
    """Limits, None for no limit. `seconds` are those spent waiting for the model."""

    calls: int | None = None
    tokens: int | None = None
    dollars: float | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Spent:
    """What was used so far. `calls` counts every request, also those that failed; `unpriced` those of
    unknown cost."""

    calls: int = 0
    tokens: int = 0
    dollars: float = 0.0
    seconds: float = 0.0
    unpriced: int = 0


@dataclass(frozen=True)
class Patience:
    """Seconds. `timeout` for one request; `total` for one call with its retries and waits."""

    timeout: float = 30.0
    total: float = 90.0
    attempts: int = 6
    first_wait: float = 0.5
    longest_wait: float = 20.0


class BudgetSpent(AnswererError):
    """A budget is used up: the episode waits until a person raises it, answers instead, or ends it."""

    def __init__(self, what: str, spent: str, limit: str) -> None:
        super().__init__(
            f"The model's budget of {limit} is used up ({spent} spent): raise it, answer the questions "
            "yourself, or end the episode."
        )
        self.what = what


class Meter:
    """Counts against a budget. Every method may be called from any thread."""

    def __init__(self, budget: Budget | None = None) -> None:
        self._lock = Lock()
        self._budget = budget or Budget()
        self._spent = Spent()

    @property
    def spent(self) -> Spent:
        with self._lock:
            return self._spent

    @property
    def budget(self) -> Budget:
        with self._lock:
            return self._budget

    def allow(self, budget: Budget) -> None:
        """A person sets another budget; what was spent stays spent."""
        with self._lock:
            self._budget = budget

    def check(self) -> None:
        """Before a request. Raises BudgetSpent."""
        spent, budget = self.spent, self.budget
        for what, used, limit, form in (
            ("calls", spent.calls, budget.calls, "{:,} calls"),
            ("tokens", spent.tokens, budget.tokens, "{:,} tokens"),
            ("dollars", spent.dollars, budget.dollars, "${:.2f}"),
            ("seconds", spent.seconds, budget.seconds, "{:.0f} s"),
        ):
            if limit is not None and used >= limit:
                raise BudgetSpent(what, form.format(used), form.format(limit))

    def count(self, seconds: float, reply: Reply | None) -> None:
        """After a request, `reply` None for one that failed."""
        with self._lock:
            new = replace(self._spent, calls=self._spent.calls + 1, seconds=self._spent.seconds + seconds)
            if reply is not None:
                new = replace(
                    new,
                    tokens=new.tokens + reply.tokens_in + reply.tokens_out,
                    dollars=new.dollars + (reply.cost or 0.0),
                    unpriced=new.unpriced + (reply.cost is None),
                )
            self._spent = new
