"""Ask the person at the terminal what to do when the model's budget is exhausted."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console

from app.cli.output.printing import OperatorGone, ask
from core.cancel import Cancel
from core.vqa.budget import UNITS, BudgetExceeded, Meter, ModelBudget, OnBudgetExceeded


def budget_prompt(
    meter: Meter, console: Console, answers: bool, note: Callable[[str], None]
) -> OnBudgetExceeded:
    """Return the callback that asks how much more, on the loop's thread. With `answers` the person may also
    answer the questions instead.
    """
    ways = "a number, a to answer these yourself, e to end" if answers else "a number, or e to end"

    def asked(spent: BudgetExceeded, cancel: Cancel) -> ModelBudget | None:
        console.print(f"  ◆ {spent}", style="yellow")
        while True:
            question = f"  How many {UNITS[spent.quantity]} more? ({ways})"
            try:
                word = ask(console, question).lower() or "e"
            except OperatorGone:
                word = "e"
            cancel.check()
            if word == "e":
                cancel.end("Ended by the operator when the model's budget was used up.")
                cancel.check()
            if word == "a" and answers:
                return None
            if more := _number(word):
                budget = meter.with_more(spent.quantity, more)
                note(f"The model's budget was raised to {budget} by the operator.")
                return budget
            console.print(f"  {word!r} is none of these.")

    return asked


def _number(word: str) -> float:
    """Return the amount, 0 if it is none; rounding calls and tokens is left to the caller."""
    try:
        number = float(word.lstrip("$"))
    except ValueError:
        return 0.0
    return number if 0 < number < 1e12 else 0.0
