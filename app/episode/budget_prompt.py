"""The model's cost in words, and the wait for a person when its budget is exhausted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from app.presentation.formatting import age
from core.stop_token import StopToken
from core.text.numbers import money
from core.text.plural import plural
from core.vqa.budget import BudgetExceeded, Meter, ModelBudget, Usage
from core.vqa.endpoint.presets import prices

POLL = 0.05  # seconds between two looks at what a person said
NOTHING = Usage()
NEAR = 0.8  # of a budget: a person should know


class BudgetPrompt:
    """When a budget is exhausted, the loop's thread waits in `ask` for a reply or a stop."""

    def __init__(self, notify: Callable[[BudgetExceeded], None]) -> None:
        self._lock, self._notify = Lock(), notify
        self._spent: BudgetExceeded | None = None
        self._reply: tuple[ModelBudget | None] | None = None

    @property
    def waiting(self) -> BudgetExceeded | None:
        """Return the exhausted budget, None while nothing waits. Any thread."""
        with self._lock:
            return self._spent

    def reply(self, budget: ModelBudget | None) -> None:
        """Reply with a new budget, None if a person answers instead. The first reply counts. Any thread."""
        with self._lock:
            if self._spent is not None and self._reply is None:
                self._reply = (budget,)

    def ask(self, spent: BudgetExceeded, cancel: StopToken) -> ModelBudget | None:
        """Wait for a reply and return it. Loop's thread only. Raises Cancelled."""
        with self._lock:
            self._spent, self._reply = spent, None
        try:
            self._notify(spent)
            while True:
                with self._lock:
                    if self._reply is not None:
                        return self._reply[0]
                cancel.wait(POLL)
                cancel.check()
        finally:
            with self._lock:
                self._spent = None


def format_price(dollars: float | None) -> str:
    """Return the cost of one call as text: an amount, "free" or "cost unknown"."""
    return "cost unknown" if dollars is None else money(dollars) if dollars else "free"


@dataclass(frozen=True)
class CostSummary:
    """`text` for a narrow field, `lines` for its tooltip."""

    text: str
    lines: tuple[str, ...]
    level: str = ""


def cost_summary(meter: Meter, earlier: Usage = NOTHING) -> CostSummary | None:
    """Return the model's cost in this episode, after the `earlier` usage; None before its first request."""
    spent, budget = meter.usage, meter.budget
    if not spent.calls and budget == ModelBudget():
        return None
    cost = spent.cost
    calls = (
        f"{spent.calls} of {plural(budget.calls, 'call')}" if budget.calls else plural(spent.calls, "call")
    )
    lines: tuple[str, ...] = (f"This episode: {_usage_text(spent)}", f"Budget: {budget}")
    if earlier.calls:
        lines += (f"Episodes before it, since the window was opened: {_usage_text(earlier)}",)
    if spent.dollars or earlier.dollars:
        lines += (f"Prices: {prices().as_of}",)
    near = any(getattr(spent, name) >= NEAR * limit for name, limit in budget.limits.items())
    return CostSummary(" · ".join(filter(None, (cost, calls))), lines, "doubt" if near else "")


def _usage_text(spent: Usage) -> str:
    cost = spent.cost or "free: it runs on this computer"
    requests = plural(spent.calls, "request")
    return f"{requests}, {spent.tokens:,} tokens, {age(spent.seconds)} of waiting, {cost}"
