"""Ask the person at the terminal what to do when the model's budget is exhausted."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console

from app.cli.output.printing import OperatorGone, ask
from core.errors import BadValue
from core.stop_token import StopToken
from core.text.numbers import read_number
from core.vqa.budget import UNITS, BudgetExceeded, Meter, ModelBudget, OnBudgetExceeded

MOST = 1e12


def budget_prompt(
    meter: Meter, console: Console, answers: bool, note: Callable[[str], None]
) -> OnBudgetExceeded:
    """Return the callback that asks how much more, on the loop's thread. With `answers` the person may also
    answer the questions instead.
    """
    ways = "a number, a to answer these yourself, e to end" if answers else "a number, or e to end"

    def asked(spent: BudgetExceeded, cancel: StopToken) -> ModelBudget | None:
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
            more, reason = 0.0, f"{word!r} is none of these."
            try:
                more = read_number(word.lstrip("$"))
            except BadValue as error:
                reason = str(error) if any(map(str.isdigit, word)) else reason
            if 0 < more < MOST:
                budget = meter.with_more(spent.quantity, more)
                note(f"The model's budget was raised to {budget} by the operator.")
                return budget
            console.print(f"  {reason}", markup=False)

    return asked
