"""The goal of the next episode is chosen fact by fact."""

from __future__ import annotations

from dataclasses import replace

from app.dialogs.goal import GoalDialog
from tests.app.conftest import Opened


def test_that_a_fact_joins_the_goal_in_place_of_its_negation_and_leaves_it_again(again: Opened) -> None:
    at = again()
    at.ready()
    at.do("goal")
    dialog = at.controller.dialog
    assert isinstance(dialog, GoalDialog) and dialog.goal
    before = dialog.goal
    other = replace(before[0], positive=not before[0].positive)
    dialog._search.setText(dialog._vocabulary.describe_literal(other))
    assert other in [item.key for item in dialog._facts.items]
    dialog._toggle(other)
    assert other in dialog.goal and before[0] not in dialog.goal
    dialog._search.clear()
    for fact in dialog.goal:
        dialog._toggle(fact)
    assert not dialog.goal and not dialog._use.isEnabled() and "Empty" in dialog._words.text()
    dialog._toggle(other)
    dialog._use.click()
    at.until(lambda: at.controller.goal == (other,))
    at.controller.goal = None
