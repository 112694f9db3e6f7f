from __future__ import annotations

from collections.abc import Callable

import pytest

from core.belief import Atom
from core.errors import Cancelled
from core.planning import semantics
from core.planning.compiled import CompiledProblem, ground_task
from core.planning_model import Problem
from core.stop_token import StopToken
from core.work import TooMuchWork
from tests.core.planning.walks import random_walk


def follows(table: CompiledProblem, problem: Problem, steps: int, seed: int) -> None:
    """The table and the semantics agree on what can be done, and on what it does, all along a walk."""
    state = problem.state
    for step in random_walk(problem, steps, seed):
        facts = table.mask(state)
        can = {op.step for op in table.operators if op.applicable(facts)}
        for other in semantics.applicable_steps(problem, state):
            assert other in can or semantics.apply(problem, state, other) == state
        assert all(not semantics.inapplicable_reasons(problem, state, other) for other in can)
        (op,) = [op for op in table.operators if op.step == step]
        state = semantics.apply(problem, state, step)
        assert op.apply(facts) == table.mask(state)


@pytest.mark.parametrize("seed", range(5))
def test_that_numbers_mean_what_the_semantics_say(problem: Problem, seed: int, cancel: StopToken) -> None:
    follows(ground_task(problem, 10_000, cancel), problem, 15, seed)


@pytest.mark.parametrize("variant", ["printed", "repaired"])
def test_that_the_household_is_grounded_as_it_is_meant(
    household: Callable[..., Problem], variant: str, cancel: StopToken
) -> None:
    problem = household("boil_water", variant)
    follows(ground_task(problem, 10_000, cancel), problem, 40, seed=1)


def test_that_one_table_serves_what_was_not_reachable_at_first(
    household: Callable[..., Problem], cancel: StopToken
) -> None:
    table = ground_task(household("boil_water"), 10_000, cancel)
    on_floor = Atom("onfloor", ("mug-n-04_1", "floor-n-01_1"))
    assert table.mask(frozenset({on_floor})) == 1 << table.facts[on_floor]


def test_that_a_static_fact_prunes_and_is_gone(household: Callable[..., Problem], cancel: StopToken) -> None:
    table = ground_task(household("boil_water"), 10_000, cancel)
    assert not [atom for atom in table.facts if atom.predicate == "insource"]
    assert [str(op.step) for op in table.operators if op.step.name == "fillsink"] == [
        "(fillsink agent-n-01_1 sink-n-01_1 water-n-06_1)"
    ]


def test_that_grounding_stops_at_its_limits_and_at_a_cancel(
    household: Callable[..., Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TooMuchWork):
        ground_task(household("boil_water", "printed"), 10, StopToken())
    monkeypatch.setattr("core.planning.compiled.MAX_SIZE", 1_000)  # the memory of as many bits
    with pytest.raises(TooMuchWork):
        ground_task(household("boil_water", "printed"), 10_000, StopToken())
    cancel = StopToken()
    cancel.end("enough")
    with pytest.raises(Cancelled):
        ground_task(household("boil_water", "printed"), 10_000, cancel)
