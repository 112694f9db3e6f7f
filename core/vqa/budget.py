"""Limits on what a model may cost, in money and in time.

When a limit is exceeded a person is asked; the episode never stops silently.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from threading import Lock
from typing import Any

from core.errors import AnswererError
from core.ports import Reply
from core.stop_token import StopToken
from core.text.numbers import money

UNITS = {"calls": "calls", "tokens": "tokens", "dollars": "US dollars", "seconds": "seconds"}
_FORMS = {"calls": "{:,} calls", "tokens": "{:,} tokens", "seconds": "{:,.0f} s"}


def amount(quantity: str, used: float) -> str:
    """Return an amount of a quantity in words; of less than a dollar, what it was, not rounded to cents."""
    return money(used) if quantity == "dollars" else _FORMS[quantity].format(used)


@dataclass(frozen=True)
class Usage:
    """What was used so far: `calls` counts failed ones too, `unpriced` those of unknown cost."""

    calls: int = 0
    tokens: int = 0
    dollars: float = 0.0
    seconds: float = 0.0
    unpriced: int = 0

    def __add__(self, more: Usage) -> Usage:
        return Usage(**{f.name: getattr(self, f.name) + getattr(more, f.name) for f in fields(Usage)})

    @property
    def cost(self) -> str:
        """Return what it cost in words, "" for nothing."""
        if not self.unpriced:
            return money(self.dollars) if self.dollars else ""
        return f"{money(self.dollars)} + ?" if self.dollars else "cost unknown"


@dataclass(frozen=True)
class ModelBudget:
    """Limits; None means no limit. `seconds` is the time spent waiting for the model."""

    calls: int | None = None
    tokens: int | None = None
    dollars: float | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        return ", ".join(amount(*limit) for limit in self.limits.items()) or "no limit"

    @property
    def limits(self) -> dict[str, Any]:
        """Return the limits that there are, by quantity."""
        return {name: limit for name in UNITS if (limit := getattr(self, name)) is not None}

    def less(self, used: Usage) -> ModelBudget:
        """Return what is left of it, 0 at least."""
        return ModelBudget(**{n: max(0, limit - getattr(used, n)) for n, limit in self.limits.items()})

    @property
    def used_up(self) -> str:
        """Return the first quantity of which nothing is left, "" for none."""
        return next((name for name, limit in self.limits.items() if limit == 0), "")


@dataclass(frozen=True)
class RetryPolicy:
    """Timeouts and backoff, in seconds.

    `timeout` is for one request (None: by its purpose), `total_timeout` for a call with retries, without what
    it waits for a budget or for its turn under a shared rate.
    """

    timeout: float | None = None
    total_timeout: float = 90.0
    max_attempts: int = 6
    initial_backoff: float = 0.5
    max_backoff: float = 20.0


class BudgetExceeded(AnswererError):
    """A limit is exceeded: the episode waits until a person raises it, answers instead, or ends it."""

    def __init__(self, quantity: str, spent: str, limit: str) -> None:
        super().__init__(
            f"The model's budget of {limit} is used up ({spent} spent): raise it, answer the questions "
            "yourself, or end the episode."
        )
        self.quantity = quantity


OnBudgetExceeded = Callable[
    [BudgetExceeded, StopToken], ModelBudget | None
]  # returns a new budget, or None: the person answers instead


class Meter:
    """Counts usage against a budget. Every method may be called from any thread.

    `on_exceeded` is called on the thread that is about to send a request when a limit is exceeded. It may
    wait for a person indefinitely, and raises Cancelled like everything that waits. None: nobody can be
    asked.
    """

    def __init__(
        self, budget: ModelBudget | None = None, on_exceeded: OnBudgetExceeded | None = None
    ) -> None:
        self._lock = Lock()
        self._budget = budget or ModelBudget()
        self._usage = Usage()
        self.on_exceeded = on_exceeded
        self.wait_for_turn: Callable[[StopToken], None] = lambda cancel: None  # where a rate is shared

    @property
    def usage(self) -> Usage:
        with self._lock:
            return self._usage

    @property
    def budget(self) -> ModelBudget:
        with self._lock:
            return self._budget

    def set_budget(self, budget: ModelBudget) -> None:
        """Replace the budget; what was already used still counts."""
        with self._lock:
            self._budget = budget

    def with_more(self, quantity: str, more: float) -> ModelBudget:
        """Return the budget that allows `more` of `quantity` (a field of ModelBudget) than is used so far."""
        limit = getattr(self.usage, quantity) + more
        return replace(self.budget, **{quantity: int(limit) if quantity in ("calls", "tokens") else limit})

    def wait_for_budget(self, cancel: StopToken) -> None:
        """Wait for a person's decision if the budget is used up, and for one's turn where a rate is shared.

        Call it before each request.

        Raises Cancelled, and BudgetExceeded if nobody is there or the person does not raise the limit.
        """
        while True:
            try:
                self.check_budget()
                return self.wait_for_turn(cancel)
            except BudgetExceeded as spent:
                more = self.on_exceeded(spent, cancel) if self.on_exceeded else None
                if more is None:
                    raise
                self.set_budget(more)

    def check_budget(self) -> None:
        """Raise BudgetExceeded if a limit is reached."""
        spent = self.usage
        for name, limit in self.budget.limits.items():
            if (used := getattr(spent, name)) >= limit:
                raise BudgetExceeded(name, amount(name, used), amount(name, limit))

    def record_request(self, seconds: float, reply: Reply | None) -> None:
        """Count a finished request; `reply` is None if it failed."""
        used = Usage(calls=1, seconds=seconds)
        if reply is not None:
            tokens = reply.tokens_in + reply.tokens_out
            used = replace(used, tokens=tokens, dollars=reply.cost or 0.0, unpriced=int(reply.cost is None))
        self.add_usage(used)

    def add_usage(self, more: Usage) -> None:
        """Add what another meter counted for the same episode, such as questions asked again."""
        with self._lock:
            self._usage += more
