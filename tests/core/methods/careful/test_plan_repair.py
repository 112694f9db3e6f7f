"""Plans of known steps, where no earlier plan leads on."""

from __future__ import annotations

import pytest

from core.methods.careful import plan_repair
from core.methods.careful.plan_repair import PlanRepair
from tests.core import tiny
from tests.core.tiny import CLOSED, EMPTY, OPEN, TAKE

SHUT = tiny.PROBLEM.state


@pytest.fixture
def repair(careful) -> PlanRepair:
    made = PlanRepair(careful().world)
    made.learn((OPEN, TAKE))
    return made


@pytest.mark.parametrize(("state", "steps"), [(SHUT, (OPEN, TAKE)), (SHUT - {CLOSED}, (TAKE,))])
def test_that_known_steps_are_put_together_anew(repair, state, steps) -> None:
    assert repair.plan(state) == steps


def test_that_there_is_none_where_the_known_steps_do_not_suffice(repair, careful) -> None:
    assert repair.plan(frozenset({EMPTY})) is None
    assert PlanRepair(careful().world).plan(SHUT) is None


def test_that_the_search_is_bounded_by_the_states_that_it_evaluates(repair, monkeypatch) -> None:
    monkeypatch.setattr(plan_repair, "EVALUATIONS", 1)
    assert repair.plan(SHUT) is None
